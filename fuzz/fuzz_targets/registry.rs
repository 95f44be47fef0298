//! The registry loader and everything behind it: a document without a finding becomes a module, any other text findings.

#![no_main]

use kreg_codegen::check::{self, Context};
use kreg_codegen::finding::Severity;
use kreg_codegen::plan::Plan;
use kreg_codegen::{emit, load, render};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (registry, mut findings) = load::registry("registry.json", text);
    findings.extend(check::run(&Context::new(&registry)));
    for finding in &findings {
        assert!(!finding.to_string().is_empty());
    }
    if findings.iter().any(|f| f.severity == Severity::Error) {
        return;
    }
    let Ok(plan) = Plan::new(&registry) else { return };
    let items = emit::module(&plan, None).expect("tables name no kernel");
    render::render("registry.json", items).expect("what is emitted is Rust");
});
