//! The integer microkernel: sixteen weight rows by `MR` activation columns, one for every quantised type.
//!
//! Per record (32 inputs) and column: eight `vpdpbusd` on a broadcast activation word, then a conversion, a product of
//! scales and a fused multiply-add (without the product where activations have one scale per 256). On Zen 4 these
//! share the multiply slots while conversions, additions and logic are free, so that scales stay in f32, and only
//! minimums gain from integers (`vpdpwssd` over the eight or sixteen sums of a block).

use std::arch::x86_64::*;

use super::integer::{Groups, Mins, pair_record};

/// Adds the product of a panel and a tile of activations to `sums` (one vector per column).
///
/// `w` is whole records, `x` as many records of `MR` columns.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn tile<G: Groups, const MR: usize>(w: &[__m512i], x: &[i32], sums: &mut [__m512]) {
    let sums = sums.first_chunk_mut::<MR>().expect("a sum for each column");
    let spans = (G::SPAN / 32 * G::REC, G::SPAN / 32 * G::XREC * MR);
    let spans = w.chunks_exact(spans.0).zip(x.chunks_exact(spans.1));
    if G::SPAN == 32 {
        let mut f = *sums;
        for (w, x) in spans {
            record::<G, MR>(w, x, &mut f);
        }
        *sums = f;
        return;
    }
    // With a scale per 256 the running sums rest in L1, so that `f` and the integer accumulators keep the registers.
    for (w, x) in spans {
        let mut f = [_mm512_setzero_ps(); MR];
        for (w, x) in w.chunks_exact(G::REC).zip(x.chunks_exact(G::XREC * MR)) {
            record::<G, MR>(w, x, &mut f);
        }
        if G::MINS == Mins::Pairs {
            mins::<G, MR>(w, x, &mut f);
        }
        for c in 0..MR {
            sums[c] = _mm512_fmadd_ps(f[c], splat_ps(x[8 * MR + c]), sums[c]);
        }
    }
}

/// One record: `f += scale * (u . x) [+ min * sum(x)]`, the activations' scale included where it is per 32.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn record<G: Groups, const MR: usize>(w: &[__m512i], x: &[i32], f: &mut [__m512; MR]) {
    let (w, x) = (&w[..G::REC], &x[..G::XREC * MR]);
    for s in 0..G::SUBS {
        let aux = (9 + s) * MR;
        let mut acc = [_mm512_setzero_si512(); MR];
        if G::MINS == Mins::None {
            for c in 0..MR {
                acc[c] = _mm512_set1_epi32(x[aux + c]);
            }
        }
        let steps = 8 / G::SUBS;
        for k in s * steps..(s + 1) * steps {
            for c in 0..MR {
                acc[c] = _mm512_dpbusd_epi32(acc[c], w[k], _mm512_set1_epi32(x[k * MR + c]));
            }
        }
        let scale = _mm512_castsi512_ps(w[8 + s]);
        for c in 0..MR {
            let scale = if G::SPAN == 32 { _mm512_mul_ps(scale, splat_ps(x[8 * MR + c])) } else { scale };
            f[c] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(acc[c]), scale, f[c]);
        }
        if G::MINS == Mins::F32 {
            let min = _mm512_castsi512_ps(w[8 + G::SUBS + s]);
            for c in 0..MR {
                f[c] = _mm512_fmadd_ps(min, splat_ps(x[aux + c]), f[c]);
            }
        }
    }
}

/// The minimums of a block of 256: `f += scale * (mins . sums(x))`, two groups to a lane.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn mins<G: Groups, const MR: usize>(w: &[__m512i], x: &[i32], f: &mut [__m512; MR]) {
    let mut acc = [_mm512_setzero_si512(); MR];
    for p in 0..4 * G::SUBS {
        let r = pair_record::<G>(p);
        let pair = w[r * G::REC + 8 + G::SUBS];
        for c in 0..MR {
            let sums = _mm512_set1_epi32(x[(r * G::XREC + 9) * MR + c]);
            acc[c] = _mm512_dpwssd_epi32(acc[c], pair, sums);
        }
    }
    let scale = _mm512_castsi512_ps(w[8 * G::REC - 1]);
    for c in 0..MR {
        f[c] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(acc[c]), scale, f[c]);
    }
}

/// A packed f32 in every lane.
#[inline]
#[target_feature(enable = "avx512f")]
fn splat_ps(bits: i32) -> __m512 {
    _mm512_castsi512_ps(_mm512_set1_epi32(bits))
}
