//! Binding and running: bytes and a shape that fit give a product, all others a refusal, and nothing is read or written
//! out of bounds (run it with the address sanitizer, as cargo fuzz does).

#![no_main]

use kreg::cpu::{Device, Weights};
use kreg::{Backend, Op, QType, Workspace, admit};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, u8, u16, u8, &[u8])| {
    let (qtype, rows, cols, m, bytes) = input;
    let qtype = QType::ALL[usize::from(qtype) % QType::ALL.len()];
    let path = admit(Op::MatVec, Backend::Cpu, qtype).expect("the CPU has every type");
    let (rows, cols, m) = (usize::from(rows), usize::from(cols), usize::from(m % 20));
    let device = Device::host().expect("a CPU");
    let bound = match Weights::bind(&device, path, bytes, rows, cols) {
        Ok(bound) => bound,
        // Cut or fill up to what the shape needs, so that most inputs run.
        Err(refusal) => {
            assert!(refusal.code().starts_with("KR-S"));
            let elems = qtype.block_elems() as usize;
            let (rows, cols) = (rows % 40 + 1, cols % 9 * elems + elems);
            let Some(kind) = kreg::kernels::reference::decode::format(qtype.name()) else { return };
            let mut whole = bytes.to_vec();
            whole.resize(kind.byte_len(rows, cols), 0x5a);
            let bound = Weights::bind(&device, path, &whole, rows, cols).expect("these fit");
            return run(&bound, rows, cols, m);
        }
    };
    run(&bound, rows, cols, m);
});

fn run(bound: &Weights<'_>, rows: usize, cols: usize, m: usize) {
    let (x, mut y) = (vec![0.5; m * cols], vec![f32::NAN; m * rows]);
    bound.matvec(&x, &mut y, &mut Workspace::new()).expect("lengths fit");
    let refused = bound.matvec(&x, &mut y[..(m * rows).saturating_sub(1)], &mut Workspace::new());
    assert!(m == 0 || refused.is_err());
}
