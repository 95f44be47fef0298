//! Devices serve fewer weight types: neither the const door nor the typed one opens for the others.

use kreg::{GemvOn, Path, on, qt};

const ON_CUDA: Path = kreg::path!(Gemv, Cuda, APR_Q8);
const ON_WGPU: Path = kreg::path!(Gemv, Wgpu, IQ2_XXS);

fn main() {
    let _ = <qt::APR_Q8 as GemvOn<on::Cuda>>::PATH;
    let _ = <qt::IQ2_XXS as GemvOn<on::Wgpu>>::PATH;
    let _ = (ON_CUDA, ON_WGPU);
}
