//! What must not compile, with the whole message: `tests/ui/*.rs` and `.stderr`. `TRYBUILD=overwrite` rewrites them.

#[test]
fn what_is_not_registered_does_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
