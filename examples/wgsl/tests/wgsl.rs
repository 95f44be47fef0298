//! Every WGSL kernel of kreg-kernels, as it is put together there, is valid WGSL and can be written as SPIR-V, Metal and
//! HLSL. Drivers see no more than that: what a barrier in the wrong place does, only running it tells (`tests/wgpu`).

use std::path::PathBuf;

use naga::back::{hlsl, msl, spv};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Module, ShaderStage};

/// The files of a folder of `kreg-kernels/src/wgpu`, by name without `.wgsl`.
fn files(folder: &str) -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../kreg-kernels/src/wgpu").join(folder);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "wgsl") {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            files.push((name, std::fs::read_to_string(&path).unwrap()));
        }
    }
    files.sort();
    files
}

/// Every kernel: its name, the capabilities that its row requires, its text.
fn kernels() -> Vec<(String, Capabilities, String)> {
    let entries = files("entry");
    let rows = &entries.iter().find(|(name, _)| name == "rows").unwrap().1;
    let mut kernels = Vec::new();
    for (name, text) in files("gemv") {
        for (entry, end) in entries.iter().filter(|(name, _)| name != "rows") {
            let capabilities = match entry.as_str() {
                "plain" => Capabilities::SHADER_FLOAT16_IN_FLOAT32,
                "subgroup" => Capabilities::SHADER_FLOAT16_IN_FLOAT32 | Capabilities::SUBGROUP,
                other => panic!("entry/{other}.wgsl: which capabilities does it need?"),
            };
            kernels.push((format!("{name} {entry}"), capabilities, format!("{text}{rows}{end}")));
        }
    }
    kernels
}

fn read(name: &str, capabilities: Capabilities, text: &str) -> Result<(Module, ModuleInfo), String> {
    let module = naga::front::wgsl::parse_str(text).map_err(|e| e.emit_to_string_with_path(text, name))?;
    let info = Validator::new(ValidationFlags::all(), capabilities).validate(&module);
    let info = info.map_err(|e| e.emit_to_string_with_path(text, name))?;
    Ok((module, info))
}

fn metal(module: &Module, info: &ModuleInfo) -> Result<(), msl::Error> {
    let options =
        msl::Options { lang_version: (2, 4), fake_missing_bindings: true, ..msl::Options::default() };
    msl::write_string(module, info, &options, &msl::PipelineOptions::default()).map(|_| ())
}

fn direct3d(module: &Module, info: &ModuleInfo) -> Result<(), hlsl::Error> {
    let options = hlsl::Options { shader_model: hlsl::ShaderModel::V6_0, ..hlsl::Options::default() };
    let (pipeline, mut text) = (hlsl::PipelineOptions::default(), String::new());
    hlsl::Writer::new(&mut text, &options, &pipeline).write(module, info, None).map(|_| ())
}

#[test]
fn every_kernel_is_valid_and_can_be_written_for_every_platform() {
    let kernels = kernels();
    assert!(kernels.len() >= 14, "{} kernels", kernels.len());
    for (name, capabilities, text) in kernels {
        let (module, info) = read(&name, capabilities, &text).unwrap_or_else(|e| panic!("{e}"));
        let entries: Vec<_> = module.entry_points.iter().map(|e| (e.name.as_str(), e.stage)).collect();
        assert_eq!(entries, [("gemv", ShaderStage::Compute)], "{name}");
        let vulkan = spv::write_vec(&module, &info, &spv::Options::default(), None);
        vulkan.unwrap_or_else(|e| panic!("{name}: SPIR-V: {e}"));
        metal(&module, &info).unwrap_or_else(|e| panic!("{name}: Metal: {e}"));
        direct3d(&module, &info).unwrap_or_else(|e| panic!("{name}: HLSL: {e}"));
    }
}

/// The host side counts in the same numbers as the shaders.
#[test]
fn lanes_and_rows_are_those_of_the_host_side() {
    let rows = files("entry").into_iter().find(|(name, _)| name == "rows").unwrap().1;
    let host = include_str!("../../../kreg-kernels/src/wgpu/pipeline.rs");
    for name in ["LANES", "ROWS"] {
        let number = |text: &str| {
            let line =
                text.lines().find_map(|line| line.split_once(&format!("const {name}: u32 = "))).unwrap();
            line.1.trim_end_matches(['u', ';']).parse::<u32>().unwrap()
        };
        assert_eq!(number(&rows), number(host), "{name}");
    }
    for (name, text) in files("entry").iter().filter(|(name, _)| name != "rows") {
        assert!(text.contains("@workgroup_size(64)"), "{name}");
    }
}

/// A mistake is reported with its file, line and column.
#[test]
fn errors_have_positions() {
    let (name, capabilities, text) = kernels().swap_remove(0);
    let broken = text.replacen("vec4<f32>();", "vec4<f32>(1u);", 1);
    assert_ne!(broken, text);
    let report = read(&name, capabilities, &broken).unwrap_err();
    let line = 1 + broken.lines().position(|line| line.contains("vec4<f32>(1u);")).unwrap();
    assert!(report.contains(&format!("{name}:{line}:")), "{report}");
}
