//! Every way in which kreg says no.

use std::fmt;

/// Why kreg will not do what was asked. Nothing has been written when one is returned.
///
/// Each variant has a stable [`code`](Refusal::code); the message says what was wrong, what would work and where.
/// Names are the registry's own strings, so that one type serves every registry.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Refusal {
    /// A GGML type id that GGML never assigned.
    UnknownType {
        /// The id as read from the file.
        id: u32,
    },
    /// A GGML type id that GGML has withdrawn: files that carry it must be quantised again.
    RemovedType {
        /// The id as read from the file.
        id: u32,
        /// What the id meant before it was removed.
        was: &'static str,
    },
    /// A GGML type that exists, and that this registry has no row for.
    UnregisteredType {
        /// The id as read from the file.
        id: u32,
        /// GGML's name of the type.
        name: &'static str,
        /// The weight types that are registered.
        registered: &'static [&'static str],
    },
    /// No row for this (backend, op, weight type).
    Unregistered {
        /// Op name, as in the registry.
        op: &'static str,
        /// Backend name, as in the registry.
        backend: &'static str,
        /// Weight type name, as in the registry.
        qtype: &'static str,
        /// Where the same type is served: `backend.op` of each cell that has a row.
        instead: &'static [&'static str],
    },
    /// A cell has rows, and none of them fits the target.
    NoRowForTarget {
        /// `backend.op.qtype` or `backend.op` of the cell.
        cell: &'static str,
        /// The target, described.
        target: String,
    },
    /// A proof for one backend was given to another.
    WrongBackend {
        /// Backend that was called.
        called: &'static str,
        /// Backend that the path names.
        path: &'static str,
    },
    /// The target names instructions that this process has not found on this CPU.
    MissingFeatures {
        /// The features that are absent, joined by `+`.
        missing: String,
    },
    /// `KREG_ISA` holds something that is not a level.
    UnknownLevel {
        /// The value found.
        value: String,
    },
    /// A length, row count or byte count is not what the shape implies.
    Length {
        /// Which argument.
        what: &'static str,
        /// What the shape implies.
        expected: u64,
        /// What was given.
        got: u64,
    },
    /// A shape with nothing in it.
    Empty {
        /// Which dimension or argument.
        what: &'static str,
    },
    /// A length that must be a multiple of another.
    Multiple {
        /// Which length.
        what: &'static str,
        /// The multiple that it must have.
        of: u64,
        /// What was given.
        got: u64,
    },
    /// A size that no kernel or address space can hold.
    TooLarge {
        /// Which size.
        what: &'static str,
        /// The largest that works.
        limit: u64,
        /// What was given; `u64::MAX` stands for "more than 64 bits".
        got: u64,
    },
    /// An index at or past the end: a token id, a position, a layer.
    OutOfRange {
        /// Which index.
        what: &'static str,
        /// The first index that is too large.
        limit: u64,
        /// What was given.
        got: u64,
    },
    /// A parameter outside the domain of the formula.
    Domain {
        /// Which parameter.
        what: &'static str,
        /// What would work.
        need: &'static str,
        /// What was given.
        got: f64,
    },
    /// Weights bound as one format were handed to a kernel of another. Only direct callers of a kernel can see it.
    FormatMismatch {
        /// Format of the kernel.
        expected: &'static str,
        /// Format of the weights.
        got: &'static str,
    },
    /// A scan found a weight block whose scale is NaN or infinite.
    NonFinite {
        /// Row of the first such block.
        row: u64,
        /// Block within the row.
        block: u64,
    },
    /// The library that drives a backend's devices cannot be opened.
    NoDriver {
        /// Backend name.
        backend: &'static str,
        /// What would have to be installed.
        need: &'static str,
    },
    /// There is no such device.
    NoDevice {
        /// Backend name.
        backend: &'static str,
        /// The device that was asked for, from 0.
        wanted: u64,
        /// How many there are.
        found: u64,
    },
    /// A device or its driver is older than the kernels.
    TooOld {
        /// Which of the two, and how it is counted.
        what: &'static str,
        /// The oldest that works.
        need: String,
        /// What is there.
        got: String,
    },
    /// A driver without a function, or a module without a kernel, that the call needs.
    MissingSymbol {
        /// Where it should be.
        of: &'static str,
        /// Its name.
        symbol: String,
    },
    /// A buffer of another device context than the call's.
    OtherContext {
        /// Which argument.
        what: &'static str,
    },
    /// A device address that the kernel cannot load from.
    Misaligned {
        /// Which argument.
        what: &'static str,
        /// The multiple that the address must be.
        need: u64,
        /// The address.
        address: u64,
    },
    /// Loading or allocating while the stream records a graph.
    Capturing {
        /// What would have been loaded or allocated.
        what: &'static str,
    },
    /// A kernel found a value in device memory that it refuses. It has written nothing.
    Fault {
        /// What it found.
        what: &'static str,
    },
    /// The device stopped: everything on it is lost.
    Lost {
        /// Backend name.
        backend: &'static str,
        /// What the driver says.
        cause: String,
    },
    /// The driver refused a call for a reason that is none of the others.
    Driver {
        /// What was tried.
        what: &'static str,
        /// What the driver says.
        cause: String,
    },
    /// A device that was created with a smaller limit than the kernels need.
    DeviceLimit {
        /// Name of the limit.
        limit: &'static str,
        /// The least that works.
        need: u64,
        /// What the device has.
        got: u64,
    },
    /// The target names features that the device was not created with.
    DeviceFeatures {
        /// The features that are absent, joined by `+`.
        missing: String,
    },
    /// A buffer that was created without a usage that the call needs.
    BufferUsage {
        /// Which argument.
        what: &'static str,
        /// The usage.
        need: &'static str,
    },
    /// One buffer for two arguments of which one is written.
    SharedBuffer {
        /// Which arguments.
        what: &'static str,
    },
}

impl Refusal {
    /// The stable code of this refusal, for logs and for matching across versions.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::UnknownType { .. } => "KR-T01",
            Self::RemovedType { .. } => "KR-T02",
            Self::UnregisteredType { .. } => "KR-T03",
            Self::Unregistered { .. } => "KR-P01",
            Self::NoRowForTarget { .. } => "KR-P02",
            Self::WrongBackend { .. } => "KR-P03",
            Self::MissingFeatures { .. } => "KR-M01",
            Self::UnknownLevel { .. } => "KR-M02",
            Self::Length { .. } => "KR-S01",
            Self::Empty { .. } => "KR-S02",
            Self::Multiple { .. } => "KR-S03",
            Self::TooLarge { .. } => "KR-S04",
            Self::OutOfRange { .. } => "KR-S05",
            Self::Domain { .. } => "KR-S06",
            Self::FormatMismatch { .. } => "KR-S07",
            Self::NonFinite { .. } => "KR-S08",
            Self::NoDriver { .. } => "KR-D01",
            Self::NoDevice { .. } => "KR-D02",
            Self::TooOld { .. } => "KR-D03",
            Self::MissingSymbol { .. } => "KR-D04",
            Self::OtherContext { .. } => "KR-D05",
            Self::Misaligned { .. } => "KR-D06",
            Self::Capturing { .. } => "KR-D07",
            Self::Fault { .. } => "KR-D08",
            Self::Lost { .. } => "KR-D09",
            Self::Driver { .. } => "KR-D10",
            Self::DeviceLimit { .. } => "KR-D11",
            Self::DeviceFeatures { .. } => "KR-D12",
            Self::BufferUsage { .. } => "KR-D13",
            Self::SharedBuffer { .. } => "KR-D14",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.code())?;
        match self {
            Self::UnknownType { id } => {
                write!(f, "ggml type {id} does not exist: the file is damaged, or newer than kreg's table")
            }
            Self::RemovedType { id, was } => write!(
                f,
                "ggml type {id} ({was}) was removed from GGML: quantise the model again from its source"
            ),
            Self::UnregisteredType { id, name, registered } => {
                write!(
                    f,
                    "{name} (ggml type {id}) has no row in registry.json; registered: {}",
                    list(registered)
                )
            }
            Self::Unregistered { op, backend, qtype, instead } => {
                write!(
                    f,
                    "no `{op}` kernel is registered for {qtype} on {backend}; {qtype} is served by: {}",
                    list(instead)
                )
            }
            Self::NoRowForTarget { cell, target } if target.ends_with(", exact") => write!(
                f,
                "every row of {cell} that fits {target} quantises its activations; drop `exact` to accept that"
            ),
            Self::NoRowForTarget { cell, target } => {
                write!(f, "no row of {cell} fits the target {target}; use one with more of the features")
            }
            Self::WrongBackend { called, path } => {
                write!(
                    f,
                    "this path was admitted for {path} and cannot be bound on {called}; admit it for {called}"
                )
            }
            Self::MissingFeatures { missing } => write!(
                f,
                "this CPU lacks {missing}: such a target can be planned for, and cannot run here; use Target::host()"
            ),
            Self::UnknownLevel { value } => {
                write!(f, "KREG_ISA={value} is not a level; use portable, avx2, avx512 or neon, or unset it")
            }
            Self::Length { what, expected, got } => write!(f, "{what}: expected {expected}, got {got}"),
            Self::Empty { what } => write!(f, "{what} is empty or zero: there is nothing to compute"),
            Self::Multiple { what, of, got } => write!(f, "{what} must be a multiple of {of}, got {got}"),
            Self::TooLarge { what, limit, got } if *got == u64::MAX => {
                write!(f, "{what} exceeds the limit of {limit}")
            }
            Self::TooLarge { what, limit, got } => write!(f, "{what} is {got}, the limit is {limit}"),
            Self::OutOfRange { what, limit, got } => {
                write!(f, "{what} {got} is out of range: it must be below {limit}")
            }
            Self::Domain { what, need, got } => write!(f, "{what} must be {need}, got {got}"),
            Self::FormatMismatch { expected, got } => {
                write!(f, "this kernel reads {expected}, and the weights were bound as {got}")
            }
            Self::NonFinite { row, block } => {
                write!(f, "weight row {row}, block {block} has a NaN or infinite scale: the file is damaged")
            }
            _ => self.device(f),
        }
    }
}

impl Refusal {
    /// The sentences about devices and their drivers.
    fn device(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDriver { backend, need } => write!(f, "there is no {backend} driver: {need}"),
            Self::NoDevice { backend, wanted, found } => {
                write!(f, "there is no {backend} device {wanted}: {found} found, counted from 0")
            }
            Self::TooOld { what, need, got } => {
                write!(f, "{what} is {got}: the kernels need {need} or later")
            }
            Self::MissingSymbol { of, symbol } => {
                write!(f, "{of} has no `{symbol}`: it is of another version than this build needs")
            }
            Self::OtherContext { what } => {
                write!(f, "{what} belongs to another device context: allocate it where the device was made")
            }
            Self::Misaligned { what, need, address } => {
                write!(f, "{what} starts at {address:#x}: its address must be a multiple of {need}")
            }
            Self::Capturing { what } => write!(
                f,
                "{what} would have to be loaded or allocated while a graph is captured; preload, or run the step once before"
            ),
            Self::Fault { what } => write!(f, "a kernel refused what it found in device memory: {what}"),
            Self::Lost { backend, cause } => {
                write!(
                    f,
                    "the {backend} device stopped ({cause}): make a new context and load everything again"
                )
            }
            Self::Driver { what, cause } => write!(f, "{what}: {cause}"),
            Self::DeviceLimit { limit, need, got } => write!(
                f,
                "the device was created with {limit} = {got}, the kernels need {need}: request the adapter's limits"
            ),
            Self::DeviceFeatures { missing } => write!(
                f,
                "the device was created without {missing}: request it where the adapter has it, or describe less"
            ),
            Self::BufferUsage { what, need } => {
                write!(f, "the buffer of {what} was created without the usage {need}")
            }
            Self::SharedBuffer { what } => {
                write!(
                    f,
                    "{what} lie in one buffer, and a buffer that is written can have no other use: make two"
                )
            }
            _ => f.write_str(self.code()),
        }
    }
}

/// A comma-separated list, or `nothing`.
fn list(names: &[&str]) -> String {
    if names.is_empty() { "nothing".into() } else { names.join(", ") }
}

impl std::error::Error for Refusal {}
