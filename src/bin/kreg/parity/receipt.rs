//! Receipts: what a measurement says of itself.

use kreg_codegen::digest;
use kreg_codegen::load::receipt::{InputSet, SCHEMA};
use kreg_codegen::model::Row;
use serde_json::{Value, json};

use super::machine;
use super::measure::Measured;
use super::project::Project;

/// Where the receipt of a row lies.
pub(crate) fn path(id: &str) -> String {
    format!("evidence/kreg/parity/{id}.json")
}

/// Twice the measured error, rounded up to one digit; for no error at all, the smallest such number.
pub(crate) fn tolerance(measured: f64) -> f64 {
    let x = (2.0 * measured).max(f64::MIN_POSITIVE);
    let exponent = x.log10().floor() as i32;
    let digit = (x / 10f64.powi(exponent) - 1e-9).ceil();
    // Through text, so that 3e-7 is the number that reads so.
    format!("{digit:.0}e{exponent}").parse().unwrap_or(x)
}

/// What the measurement of a row depends on, as it is now.
pub(crate) fn input_set(project: &Project, row: &Row, measured: &Measured) -> Result<InputSet, String> {
    Ok(InputSet {
        source_sha256: project.source_digest(row)?.to_owned(),
        row_sha256: digest::row(row),
        toolchain: machine::TOOLCHAIN.into(),
        driver: "none".into(),
        device: machine::device(),
        oracle: measured.identity.clone(),
    })
}

/// Writes the receipt of a row.
pub(crate) fn write(project: &Project, row: &Row, measured: &Measured) -> Result<(), String> {
    let set = input_set(project, row, measured)?;
    let path = project.root.join(path(&row.id));
    let text = format!("{:#}\n", document(project, row, measured, &set));
    let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    folder
        .and_then(|()| super::project::replace(&path, &text))
        .map_err(|e| format!("{}: {e}", path.display()))
}

fn document(project: &Project, row: &Row, m: &Measured, set: &InputSet) -> Value {
    let quantised = m.coarse.then(|| {
        let max_rel_err = m.verdict.max_rel();
        json!({ "max_rel_err": max_rel_err, "tolerance_rel": tolerance(max_rel_err) })
    });
    json!({
        "schema": SCHEMA,
        "kernel_id": row.id,
        "source_fn": row.source_fn,
        "registry_precision": row.precision,
        "host": machine::host(),
        "host_arch": std::env::consts::ARCH,
        "machine": machine::name(),
        "emulator": machine::emulator(),
        "isa_detected": machine::isa(),
        "isa_forced": row.isa(),
        "build_identity": machine::commit(&project.root),
        "ts": machine::now(),
        "oracle": m.oracle,
        "oracle_formula": if row.weight.is_none() { json!(m.identity.trim_start_matches("f64_definition:")) } else { Value::Null },
        "oracle_independent": true,
        "oracle_fixture": m.fixture,
        "workload": m.workload,
        "served": { "max_abs_err": m.served.max_abs(), "max_rel_err": m.served.max_rel() },
        "quantized_activation_oracle": quantised,
        "margin": {
            "acc": "f32",
            "error_model": row.error_model,
            "n": m.verdict.len(),
            "max_margin": m.verdict.max().0,
            "argmax": m.verdict.max().1,
            "p999_margin": m.verdict.p999(),
            "nmse": m.verdict.nmse(),
            "verdict": "pass",
        },
        "tolerance_rel": tolerance(m.served.max_rel()),
        "input_set": {
            "source_sha256": set.source_sha256,
            "row_sha256": set.row_sha256,
            "toolchain": set.toolchain,
            "driver": set.driver,
            "device": set.device,
            "oracle": set.oracle,
        },
        "input_set_hash": digest::input_set(set),
    })
}

#[cfg(test)]
mod tests {
    use super::tolerance;

    #[test]
    fn twice_the_error_rounded_up_to_one_digit() {
        for (measured, expected) in
            [(1.2e-4, 3e-4), (4.0e-7, 8e-7), (4.6e-3, 1e-2), (0.0, 3e-308), (1.44e-7, 3e-7), (5.57e-3, 2e-2)]
        {
            assert_eq!(tolerance(measured), expected, "{measured}");
        }
    }
}
