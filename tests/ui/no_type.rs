//! A weight type without any row is no type at all.
fn main() {
    let _ = kreg::path!(MatVec, Cpu, MXFP4);
}
