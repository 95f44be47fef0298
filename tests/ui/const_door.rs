//! The const door refuses a pair without a row, with the pair's own sentence.
const NO_ROW: kreg::Path = kreg::path!(Gemv, Cuda, APR_Q8);

fn main() {
    let _ = NO_ROW;
    let _ = kreg::path!(RmsNorm, Cpu, F32);
}
