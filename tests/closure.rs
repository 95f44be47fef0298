//! What a receipt's source digest covers: every file that decides what a kernel computes, and no other kernel.

use std::path::Path;

use kreg_codegen::load;
use kreg_codegen::load::sources::{SourceCrate, Sources};

#[test]
fn a_row_is_tied_to_all_that_it_computes_with() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("registry.json")).unwrap();
    let (registry, _) = load::registry("registry.json", &text);
    let kernels = SourceCrate {
        name: "kreg-kernels".into(),
        src: root.join("kreg-kernels/src"),
        path: "::kreg_kernels".into(),
    };
    let (sources, _) = Sources::read(&[kernels], &registry.rows);
    for (id, with, without) in [
        (
            "cpu.matvec.q4_k.x86_64.avx512bw+avx512f+avx512vl+avx512vnni",
            &[
                "cpu/avx512/matvec/q4_k.rs",
                "cpu/avx512/matvec/mod.rs",
                // Reached through the trait alone.
                "cpu/avx512/row/q4_k.rs",
                "cpu/avx512/row/six_bit.rs",
                "cpu/avx512/panel/tile.rs",
                "cpu/avx512/quantise.rs",
                "cpu/split.rs",
                "format.rs",
                "matrix.rs",
            ][..],
            &[
                "cpu/avx512/row/q6_k.rs",
                "cpu/avx512/matvec/q5_k.rs",
                "cpu/codebook/iq2_s.rs",
                "cpu/simd/avx2.rs",
            ][..],
        ),
        (
            "cpu.matvec.iq2_s.x86_64.avx2+f16c+fma",
            &[
                "cpu/simd/row/iq2_s.rs",
                "cpu/simd/row/superblock.rs",
                "cpu/simd/avx2.rs",
                "cpu/codebook/iq2_s.rs",
            ],
            &["cpu/simd/neon.rs", "cpu/simd/row/iq3_s.rs", "cpu/codebook/iq3_s.rs"],
        ),
        (
            "cpu.attention.f32.x86_64.avx2+f16c+fma",
            // A function that has the name of a module which its file imports.
            &[
                "cpu/simd/attention.rs",
                "cpu/simd/attention/tile.rs",
                "cpu/attention/mod.rs",
                "cpu/attention/tiles.rs",
            ],
            &["cpu/portable/attention.rs", "cpu/simd/neon.rs"],
        ),
        (
            "cpu.matvec.q4_0.aarch64.dotprod+neon",
            &["cpu/simd/row/q4_0.rs", "cpu/simd/row/block.rs", "cpu/simd/neon.rs"],
            &["cpu/simd/avx2.rs", "cpu/simd/row/superblock.rs", "cpu/simd/row/q4_1.rs"],
        ),
        (
            "wgpu.gemv.q6_k.any.subgroup",
            &["wgpu/gemv/q6_k.wgsl", "wgpu/entry/rows.wgsl", "wgpu/entry/subgroup.wgsl", "wgpu/part.rs"],
            &["wgpu/gemv/q4_k.wgsl", "wgpu/entry/plain.wgsl", "wgpu/gemv/q6_k.rs"],
        ),
        ("cpu.gelu.f32", &["cpu/portable/gelu.rs", "cpu/math.rs"], &["cpu/portable/swiglu.rs", "format.rs"]),
    ] {
        let row = registry.rows.iter().find(|row| row.id == id).unwrap_or_else(|| panic!("no row {id}"));
        let used = sources.used_by(row);
        let has = |file: &&&str| used.contains(&format!("kreg-kernels/src/{file}"));
        let missing: Vec<_> = with.iter().filter(|f| !has(f)).collect();
        let too_many: Vec<_> = without.iter().filter(has).collect();
        assert!(
            missing.is_empty() && too_many.is_empty(),
            "{id}: without {missing:?}, with {too_many:?}: {used:#?}"
        );
    }
}

/// What the weight types share is in each one's digest, however it is reached.
#[test]
fn a_type_s_own_files_are_among_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("registry.json")).unwrap();
    let (registry, _) = load::registry("registry.json", &text);
    let src = root.join("kreg-kernels/src");
    let kernels =
        SourceCrate { name: "kreg-kernels".into(), src: src.clone(), path: "::kreg_kernels".into() };
    let (sources, _) = Sources::read(&[kernels], &registry.rows);
    for (level, row_files) in [("/cpu/avx512/", "cpu/avx512/row"), ("/cpu/avx2/", "cpu/simd/row")] {
        let products =
            |row: &&kreg_codegen::model::Row| row.weight.is_some() && row.source_file.contains(level);
        let rows: Vec<_> = registry.rows.iter().filter(products).collect();
        assert_eq!(rows.len(), 21, "{level}");
        for row in rows {
            let used = sources.used_by(row);
            let name = Path::new(&row.source_file).file_name().unwrap().to_str().unwrap();
            for file in [format!("{row_files}/{name}"), format!("{row_files}/mod.rs"), "cpu/split.rs".into()]
            {
                assert!(used.contains(&format!("kreg-kernels/src/{file}")), "{} without {file}", row.id);
            }
            if level == "/cpu/avx512/" && ["f32.rs", "f16.rs", "bf16.rs", "apr_q8.rs"].contains(&name) {
                assert!(used.iter().any(|file| file.ends_with("cpu/avx512/row/float.rs")), "{}", row.id);
            }
        }
    }
}

/// Each CPU row of the registry can be measured here or under emulation, so each is.
#[test]
fn no_cpu_row_is_unmeasured() {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("registry.json")).unwrap();
    let (registry, _) = load::registry("registry.json", &text);
    let unmeasured = |row: &&kreg_codegen::model::Row| row.id.starts_with("cpu.") && row.receipt().is_none();
    let rows: Vec<_> = registry.rows.iter().filter(unmeasured).map(|row| &row.id).collect();
    assert!(rows.is_empty(), "{rows:?}");
}
