//! Describes the machine, the tools and the sources beside the measurements.

use std::process::Command;

use crate::Error;

/// Refuses a build whose peers are not made for this CPU: they choose their instruction set at compile time.
///
/// # Errors
/// When `bench/.cargo/config.toml` was not in force.
pub fn built_for_this_cpu() -> Result<(), Error> {
    #[cfg(all(target_arch = "x86_64", not(target_feature = "avx2")))]
    if is_x86_feature_detected!("avx2") {
        return Err("built without -Ctarget-cpu=native: run cargo in the folder bench".into());
    }
    Ok(())
}

/// Everything that a reader needs to judge the figures, as text. A tool that is not there says so.
pub fn description() -> String {
    let here = env!("CARGO_MANIFEST_DIR");
    let commands: [&[&str]; 6] = [
        &["date", "-u"],
        &["git", "-C", here, "describe", "--always", "--dirty", "--long"],
        &["uptime"],
        &["rustc", "-vV"],
        &["cc", "--version"],
        &["lscpu"],
    ];
    let mut text = format!("$ {}\n", std::env::args().collect::<Vec<_>>().join(" "));
    if let Ok(isa) = std::env::var("KREG_ISA") {
        text += &format!("KREG_ISA={isa}\n");
    }
    for command in commands {
        let shown = if command[0] == "git" { "git describe" } else { &command.join(" ") };
        let output = Command::new(command[0]).args(&command[1..]).output();
        let output =
            output.map_or_else(|why| format!("{why}\n"), |o| String::from_utf8_lossy(&o.stdout).into_owned());
        text += &format!("\n$ {shown}\n{output}");
    }
    text
}
