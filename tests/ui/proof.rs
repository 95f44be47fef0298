//! Nobody makes a path by hand.
fn main() {
    let _ = kreg::Path { op: kreg::Op::MatVec, backend: kreg::Backend::Cuda, qtype: kreg::QType::Q4_K };
}
