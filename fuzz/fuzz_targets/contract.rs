//! The contract reader: any text is a contract or a reason.

#![no_main]

use kreg_codegen::load::contract;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| match contract::parse(text) {
    Ok(contract) => assert!(contract.checks.iter().all(|check| check.contains("::"))),
    Err(reason) => assert!(!reason.is_empty()),
});
