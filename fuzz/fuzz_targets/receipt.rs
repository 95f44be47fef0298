//! The receipt reader: any text is a receipt that can stand in the docs, or a reason.

#![no_main]

use kreg_codegen::digest;
use kreg_codegen::load::receipt;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| match receipt::parse(text) {
    Ok(receipt) => {
        assert!(receipt.tolerance_rel > 0.0 && digest::input_set(&receipt.input_set).len() == 64);
        let shown = [receipt.oracle, receipt.ts, receipt.machine];
        assert!(shown.into_iter().flatten().all(|text| !text.contains(['|', '\n'])));
    }
    Err(reason) => assert!(!reason.is_empty()),
});
