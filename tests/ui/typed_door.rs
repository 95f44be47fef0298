//! The typed door refuses a pair without a row.
use kreg::{MatVecOn, Path, on, qt};

const NO_BACKEND: Path = <qt::Q4_K as MatVecOn<on::Cuda>>::PATH;

fn generic<Q: MatVecOn<on::Wgpu>>() -> Path {
    Q::PATH
}

fn main() {
    let _ = (NO_BACKEND, generic::<qt::Q6_K>());
}
