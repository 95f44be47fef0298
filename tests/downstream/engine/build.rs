//! A registry of the engine's own: two kernels here, two of kreg-kernels, whose others it leaves out.

fn main() {
    kreg_codegen::Builder::new("registry.json")
        .root("..")
        .source_metadata("kreg-kernels")
        .source_crate("engine", "src", "crate")
        .module("engine::dispatch")
        .partial()
        .out_file("dispatch.rs")
        .compile();
}
