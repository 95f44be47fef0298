//! The host side of CUDA on drivers and devices that are missing, old, lost or of another context: each a refusal with its
//! code, never a panic; and what a call on the hot path does not do. A driver is opened once per process, so each of these
//! machines is a process of its own: this program again, with the machine in its environment.
#![cfg(feature = "cuda")]

mod support;

use std::ffi::{CStr, c_char};
use std::process::Command;

use kreg::args::AttentionShape;
use kreg::cuda::cudarc::driver::sys::{self, CUgraphInstantiate_flags, CUstreamCaptureMode};
use kreg::cuda::{self, Device, Position, Products, Weights};
use kreg::{Refusal, path};
use support::emulator;

const ROWS: usize = 5;
const COLS: usize = 64;

/// Q8_0 weights with every scale 1 and every code 2.
fn weights() -> Vec<u8> {
    [&[0x00, 0x3c][..], &[2; 32]].concat().repeat(ROWS * COLS / 32)
}

/// A question to a machine.
type Ask = fn() -> Result<(), Refusal>;

/// What a machine is asked. Each answers with the code of a refusal, or `ok`.
const ASKED: [(&str, Ask); 7] = [
    ("open", || cuda::context(0).map(|_| ())),
    ("fourth", || cuda::context(3).map(|_| ())),
    ("device", || Device::new(&cuda::context(0)?.default_stream()).map(|_| ())),
    ("bind", bind),
    ("two", two_contexts),
    ("lost", lost),
    ("chosen", || {
        let products = Device::new(&cuda::context(0)?.default_stream())?.products();
        if products == Products::F32 { Ok(()) } else { Err(Refusal::Empty { what: "f32" }) }
    }),
];

fn bind() -> Result<(), Refusal> {
    let stream = cuda::context(0)?.default_stream();
    let (device, bytes) = (Device::new(&stream)?, stream.clone_htod(&weights()).unwrap());
    Weights::bind(&device, path!(Gemv, Cuda, Q8_0), bytes.as_view(), ROWS, COLS).map(|_| ())
}

fn two_contexts() -> Result<(), Refusal> {
    let (ours, theirs) = (cuda::context(0)?.default_stream(), cuda::context(1)?.default_stream());
    let (device, other) = (Device::new(&ours)?, Device::new(&theirs)?);
    let path = path!(Gemv, Cuda, Q8_0);
    let here = ours.clone_htod(&weights()).unwrap();
    let there = theirs.clone_htod(&weights()).unwrap();
    assert_eq!(code(Weights::bind(&device, path, there.as_view(), ROWS, COLS).map(|_| ())), "KR-D05");
    let bound = Weights::bind(&device, path, here.as_view(), ROWS, COLS)?;
    let (x, mut y) = (ours.clone_htod(&[1.0f32; COLS]).unwrap(), ours.clone_htod(&[7.0f32; ROWS]).unwrap());
    assert_eq!(code(bound.gemv(&other, &x.as_view(), &mut y.as_view_mut()).map(|_| ())), "KR-D05");
    assert_eq!(code(Device::builder(&theirs).beside(&device).build().map(|_| ())), "KR-D05");
    let mut elsewhere = theirs.clone_htod(&[7.0f32; ROWS]).unwrap();
    // Ops: what is read, what is written, and a position.
    let far = theirs.clone_htod(&[1.0f32; COLS]).unwrap();
    let at = theirs.clone_htod(&[0u32]).unwrap();
    let (near, far, at) = (x.slice(..ROWS), far.slice(..ROWS), at.as_view());
    let refused = [
        cuda::rmsnorm(&device, &far, &near, 0.0, &mut y.as_view_mut()),
        cuda::rmsnorm(&device, &near, &near, 0.0, &mut elsewhere.as_view_mut()),
        cuda::embed(&device, &near, Position::At(&at), &mut y.as_view_mut()),
        bound.gemv(&device, &x.as_view(), &mut elsewhere.as_view_mut()).map(|ran| ran.kernel),
    ];
    assert_eq!(refused.map(|answer| code(answer.map(|_| ()))), ["KR-D05"; 4]);
    let short = [x.slice(..COLS - 1), x.slice(..0)].map(|x| bound.gemv(&device, &x, &mut y.as_view_mut()));
    assert_eq!(short.map(|answer| code(answer.map(|_| ()))), ["KR-S01"; 2]);
    let short = bound.gemv(&device, &x.as_view(), &mut y.slice_mut(..ROWS - 1));
    assert_eq!(code(short.map(|_| ())), "KR-S01");
    let refused = bound.gemv(&device, &x.as_view(), &mut elsewhere.as_view_mut()).map(|_| ());
    assert_eq!(theirs.clone_dtoh(&elsewhere).unwrap(), [7.0; ROWS]);
    assert_eq!(ours.clone_dtoh(&y).unwrap(), [7.0; ROWS]);
    refused
}

fn lost() -> Result<(), Refusal> {
    let stream = cuda::context(0)?.default_stream();
    let device = Device::new(&stream)?;
    let x = stream.clone_htod(&[3.0f32, 4.0]).unwrap();
    let mut y = stream.clone_htod(&[0.0f32; 2]).unwrap();
    let bytes = stream.clone_htod(&weights()).unwrap();
    let path = path!(Gemv, Cuda, Q8_0);
    let bound = Weights::bind(&device, path, bytes.as_view(), ROWS, COLS)?;
    let (long, mut rows) =
        (stream.clone_htod(&[1.0f32; COLS]).unwrap(), stream.clone_htod(&[0.0f32; ROWS]).unwrap());
    let mut call = || cuda::rmsnorm(&device, &x.as_view(), &x.as_view(), 0.0, &mut y.as_view_mut());
    call()?;
    let lost = call().map(|_| ());
    assert_eq!(code(call().map(|_| ())), "KR-D09", "it stays lost");
    let product = bound.gemv(&device, &long.as_view(), &mut rows.as_view_mut());
    assert_eq!(code(product.map(|_| ())), "KR-D09");
    assert_eq!(code(device.fault()), "KR-D09");
    assert_eq!(code(device.scratch(1 << 20).map(|_| ())), "KR-D09");
    assert_eq!(code(Device::new(&stream).map(|_| ())), "KR-D09");
    std::mem::forget((bytes, long, rows));
    std::mem::forget((x, y)); // freeing them on a lost device says nothing new
    lost
}

fn code(result: Result<(), Refusal>) -> &'static str {
    result.map_or_else(|refusal| refusal.code(), |()| "ok")
}

/// The other process: answers one question, when it is asked one.
#[test]
fn asked() {
    let Ok(question) = std::env::var("KREG_ASKED") else { return };
    let (_, ask) = ASKED.iter().find(|(name, _)| *name == question).expect("a question");
    assert!(emulator::load(), "the emulator loads");
    println!("\nanswer {}", code(ask()));
}

/// Asks a machine, described by its environment.
fn answer(question: &str, machine: &[(&str, &str)]) -> String {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "asked", "--nocapture"]).env("KREG_ASKED", question);
    let out = child.envs(machine.iter().copied()).output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let found = text.lines().find_map(|line| line.strip_prefix("answer ")).map(str::to_owned);
    found.unwrap_or_else(|| {
        panic!("{question} on {machine:?}:\n{text}\n{}", String::from_utf8_lossy(&out.stderr))
    })
}

#[test]
fn every_machine_gets_its_own_answer() {
    if emulator::is_own_gpu() || emulator::built(&["plain"]).is_none() {
        return;
    }
    for (question, machine, expected) in [
        ("open", &[][..], "ok"),
        ("bind", &[], "ok"),
        ("open", &[("EMU_NO_DEVICE", "1")], "KR-D02"),
        ("fourth", &[("EMU_DEVICES", "2")], "KR-D02"),
        ("device", &[("EMU_CC", "6.1")], "KR-D03"),
        ("device", &[("EMU_CC", "7.0")], "ok"),
        ("chosen", &[("EMU_CC", "7.0")], "ok"),
        ("chosen", &[("EMU_CC", "7.5")], "KR-S02"),
        ("open", &[("EMU_DRIVER_VERSION", "11080")], "KR-D03"),
        ("bind", &[("EMU_MISSING", "gemv_q8_0")], "KR-D04"),
        ("two", &[("EMU_DEVICES", "2")], "KR-D05"),
        ("lost", &[("EMU_LOST_AFTER", "1")], "KR-D09"),
    ] {
        assert_eq!(answer(question, machine), expected, "{question} on {machine:?}");
    }
}

/// cudarc would panic at the first call of a function that the driver lacks.
#[test]
fn a_driver_without_a_function_is_refused_before_any_call() {
    if emulator::is_own_gpu() {
        return;
    }
    let Some(out) = emulator::built(&["plain"]) else { return };
    let mut build =
        Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/kreg-kernels/tests/cuda_emu/build.sh"));
    let built =
        build.arg(&out).arg("plain").env("EMU_WITHOUT", "cuStreamIsCapturing").env_remove("LD_PRELOAD");
    assert!(built.status().unwrap().success());
    let folder = out.join("plain/without");
    let machine = [("KREG_CUDA", "device"), ("LD_LIBRARY_PATH", folder.to_str().unwrap())];
    assert_eq!(answer("open", &machine), "KR-D04");
}

#[test]
fn without_a_driver_nothing_panics() {
    let answer = answer("open", &[("KREG_CUDA", "device"), ("LD_LIBRARY_PATH", "")]);
    if answer == "ok" {
        eprintln!("skipped: this machine has a CUDA driver");
    } else {
        assert_eq!(answer, "KR-D01");
    }
}

#[test]
fn what_can_be_wrong_with_weights() {
    let Some(context) = emulator::device() else { return };
    let stream = context.default_stream();
    let device = Device::new(&stream).unwrap();
    let bytes = stream.clone_htod(&[weights(), vec![0; 16]].concat()).unwrap();
    let n = weights().len();
    let bind = |from: usize, to: usize, rows, cols| {
        code(Weights::bind(&device, path!(Gemv, Cuda, Q8_0), bytes.slice(from..to), rows, cols).map(|_| ()))
    };
    assert_eq!(bind(0, n, ROWS, COLS), "ok");
    assert_eq!(bind(0, n - 1, ROWS, COLS), "KR-S01");
    assert_eq!(bind(0, n + 1, ROWS, COLS), "KR-S01");
    assert_eq!(bind(0, 0, 0, COLS), "KR-S02");
    assert_eq!(bind(0, n, ROWS, 0), "KR-S02");
    assert_eq!(bind(0, n, ROWS, COLS - 1), "KR-S03");
    assert_eq!(bind(0, n, 1, 1 << 33), "KR-S04");
    assert_eq!(bind(0, n, 1 << 33, 32), "KR-S04");
    assert_eq!(bind(0, n, usize::MAX, COLS), "KR-S04");
    assert_eq!(bind(2, n + 2, ROWS, COLS), "KR-D06");
    let cpu = Weights::bind(&device, path!(MatVec, Cpu, Q8_0), bytes.slice(..n), ROWS, COLS);
    assert_eq!(code(cpu.map(|_| ())), "KR-P03");
}

/// How often the stand-in driver did something.
fn count(what: &CStr) -> u64 {
    // SAFETY: the stand-in is the driver that is open, and exports this function.
    let counted = unsafe { sys::culib().get::<unsafe extern "C" fn(*const c_char) -> u64>(b"emu_count") };
    // SAFETY: the name ends with a zero byte.
    unsafe { counted.unwrap()(what.as_ptr()) }
}

#[test]
fn a_step_allocates_and_waits_for_nothing_and_loads_once() {
    if emulator::is_own_gpu() {
        return; // counts are the stand-in's
    }
    // A process of its own: other tests would be counted too.
    if std::env::var("KREG_ASKED").as_deref() != Ok("count") {
        if emulator::built(&["plain"]).is_some() {
            let mut child = Command::new(std::env::current_exe().unwrap());
            child
                .args(["--exact", "a_step_allocates_and_waits_for_nothing_and_loads_once"])
                .env("KREG_ASKED", "count");
            let out = child.output().unwrap();
            assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stdout));
        }
        return;
    }
    let context = emulator::device().unwrap();
    // SAFETY: one stream is used.
    unsafe { context.disable_event_tracking() };
    let stream = context.new_stream().unwrap();
    let device = Device::new(&stream).unwrap();
    let bytes = stream.clone_htod(&weights()).unwrap();
    let bound = Weights::bind(&device, path!(Gemv, Cuda, Q8_0), bytes.as_view(), ROWS, COLS).unwrap();
    let (x, mut y) =
        (stream.clone_htod(&[1.0f32; COLS]).unwrap(), stream.clone_htod(&[0.0f32; ROWS]).unwrap());
    let mut step = || {
        bound.gemv(&device, &x.as_view(), &mut y.as_view_mut()).unwrap();
        cuda::rope::neox(&device, &mut y.slice_mut(..4), 4, Position::Value(0), 1e4).unwrap();
    };
    step();
    let counted = || [c"allocations", c"frees", c"synchronisations", c"copies", c"modules"].map(count);
    let (before, launched) = (counted(), count(c"launches"));
    for _ in 0..10 {
        step();
    }
    assert_eq!(counted(), before);
    assert_eq!(count(c"launches"), launched + 20, "one launch a call");
    let beside = Device::builder(&stream).beside(&device).build().unwrap();
    beside.preload(&kreg::kernels::cuda::gemv::q8_0::SOURCE).unwrap();
    assert_eq!(count(c"modules"), before[4], "what is loaded is shared");
    assert_eq!(stream.clone_dtoh(&y).unwrap(), [2.0 * COLS as f32; ROWS]);
}

#[test]
fn nothing_is_loaded_during_a_capture() {
    let Some(context) = emulator::device() else { return };
    // SAFETY: one stream is used.
    unsafe { context.disable_event_tracking() };
    let stream = context.new_stream().unwrap();
    let device = Device::new(&stream).unwrap();
    let x = stream.clone_htod(&[3.0f32, 4.0]).unwrap();
    let mut y = stream.clone_htod(&[0.0f32; 2]).unwrap();
    let mut call =
        || code(cuda::rmsnorm(&device, &x.as_view(), &x.as_view(), 0.0, &mut y.as_view_mut()).map(|_| ()));
    let begin = || stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
    let flags = CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    begin();
    assert_eq!(call(), "KR-D07");
    assert_eq!(code(device.fault()), "KR-D07");
    assert_eq!(code(device.scratch(1 << 20).map(|_| ())), "KR-D07");
    assert_eq!(code(Device::new(&stream).map(|_| ())), "KR-D07");
    drop(stream.end_capture(flags)); // the refusals did not end it
    cuda::preload(&device).unwrap();
    begin();
    assert_eq!(call(), "ok");
    let graph = stream.end_capture(flags).unwrap().expect("a graph");
    graph.launch().unwrap();
    assert!(stream.clone_dtoh(&y).unwrap()[1] > 4.0);
}

/// Caches that one block goes through need no scratch: nothing has to be allocated before a capture.
#[test]
fn attention_of_one_stretch_asks_for_no_scratch() {
    let Some(context) = emulator::device() else { return };
    // SAFETY: one stream is used.
    unsafe { context.disable_event_tracking() };
    let stream = context.new_stream().unwrap();
    let device = Device::new(&stream).unwrap();
    cuda::preload(&device).unwrap();
    let x = stream.clone_htod(&vec![0.5f32; 129 * 8]).unwrap();
    let mut y = stream.clone_htod(&[0.0f32; 8]).unwrap();
    let shape = AttentionShape { heads: 1, kv_heads: 1, head_dim: 8, scale: 1.0, softcap: None };
    let mut attend = |max_len: usize| {
        let (q, cache, pos) = (x.slice(..8), x.slice(..max_len * 8), Position::Value(max_len - 1));
        let mut out = y.as_view_mut();
        [
            code(cuda::attention(&device, &q, &cache, &cache, pos, shape, &mut out).map(|_| ())),
            code(cuda::attention::gdn_decode(&device, &q, &cache, &cache, pos, 1, 8, &mut out).map(|_| ())),
        ]
    };
    stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
    assert_eq!((attend(1), attend(128), attend(129)), (["ok"; 2], ["ok"; 2], ["KR-D07"; 2]));
    let flags = CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    stream.end_capture(flags).unwrap().expect("a graph").launch().unwrap();
    assert_eq!(stream.clone_dtoh(&y).unwrap(), [0.5; 8]);
}
