//! The machine that a kernel is chosen for.

use std::fmt;
use std::sync::OnceLock;

use crate::refusal::Refusal;

/// A set of machine features: CPU instruction sets and device features alike.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Features(u64);

/// Every feature name that a row may require, in bit order. A row that names another does not compile.
pub const FEATURE_NAMES: [&str; 43] = [
    "exact",
    "sse4.1",
    "sse4.2",
    "avx",
    "avx2",
    "fma",
    "f16c",
    "bmi1",
    "bmi2",
    "avx512f",
    "avx512bw",
    "avx512vl",
    "avx512dq",
    "avx512cd",
    "avx512vnni",
    "avx512vbmi",
    "avx512vbmi2",
    "avx512bf16",
    "avx512bitalg",
    "avx512vpopcntdq",
    "gfni",
    "avxvnni",
    "neon",
    "dotprod",
    "i8mm",
    "fp16",
    "bf16",
    "sve",
    "SHADER_F16",
    "SUBGROUP",
    "SHADER_INT64",
    "TIMESTAMP_QUERY",
    "sm_61",
    "sm_70",
    "sm_75",
    "sm_80",
    "sm_86",
    "sm_87",
    "sm_89",
    "sm_90",
    "sm_100",
    "sm_103",
    "sm_120",
];

/// What a target demands, not what a machine has: activations that stay in f32. Nothing detects it; a row requires it
/// when it serves a target only because the target is exact.
const EXACT: Features = Features::parse("exact");

impl Features {
    /// No features.
    pub const NONE: Self = Self(0);

    /// The set named by a registry field: `none`, or names joined by `+`.
    ///
    /// # Panics
    /// On a name outside [`FEATURE_NAMES`]. Generated code calls this in const context only, so that it is a compile
    /// error there.
    pub const fn parse(joined: &str) -> Self {
        let bytes = joined.as_bytes();
        let mut set = 0;
        let mut start = 0;
        let mut i = 0;
        while i <= bytes.len() {
            if i == bytes.len() || bytes[i] == b'+' {
                set |= bit_of(bytes, start, i);
                start = i + 1;
            }
            i += 1;
        }
        Self(set)
    }

    /// Whether all of `other` is in `self`.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets together.
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is in both sets.
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// What is in `self` and not in `other`.
    pub const fn difference(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Number of features in the set.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The names in the set, in the order of [`FEATURE_NAMES`].
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        FEATURE_NAMES.iter().enumerate().filter(move |(i, _)| self.0 >> i & 1 == 1).map(|(_, n)| *n)
    }
}

/// The bit of the name in `bytes[from..to]`.
const fn bit_of(bytes: &[u8], from: usize, to: usize) -> u64 {
    if same(bytes, from, to, b"none") {
        return 0;
    }
    let mut n = 0;
    while n < FEATURE_NAMES.len() {
        if same(bytes, from, to, FEATURE_NAMES[n].as_bytes()) {
            return 1 << n;
        }
        n += 1;
    }
    panic!("unknown feature: kreg_kernels::target::FEATURE_NAMES lists those that can be detected")
}

/// Whether `bytes[from..to] == name`.
const fn same(bytes: &[u8], from: usize, to: usize, name: &[u8]) -> bool {
    if to - from != name.len() {
        return false;
    }
    let mut i = 0;
    while i < name.len() {
        if bytes[from + i] != name[i] {
            return false;
        }
        i += 1;
    }
    true
}

impl fmt::Display for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("none");
        }
        for (i, name) in self.names().enumerate() {
            write!(f, "{}{name}", if i == 0 { "" } else { "+" })?;
        }
        Ok(())
    }
}

impl fmt::Debug for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The machine that a kernel is chosen for: an architecture, its features, and whether quantised activations are
/// acceptable.
///
/// A target is a description. It can be made for any machine and serves planning; only
/// [`cpu::Device`](crate::cpu::Device), which checks it against this process's CPU, can run anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target {
    arch: &'static str,
    features: Features,
    exact: bool,
}

impl Target {
    /// A machine of the named architecture (`x86_64`, `aarch64`, `sm_89`, …) with the given features. `exact` among
    /// them makes it [`Target::exact`].
    pub const fn new(arch: &'static str, features: Features) -> Self {
        Self { arch, features: features.difference(EXACT), exact: features.contains(EXACT) }
    }

    /// A machine about which nothing is known: only rows with arch `any` and no features fit.
    pub const fn generic() -> Self {
        Self::new("any", Features::NONE)
    }

    /// What this process finds on its CPU. Detection runs once; `KREG_ISA` does not restrict it.
    pub fn detected() -> Self {
        static FOUND: OnceLock<Target> = OnceLock::new();
        *FOUND.get_or_init(|| Self::new(std::env::consts::ARCH, detect()))
    }

    /// [`Target::detected`], restricted to the level named by the environment variable `KREG_ISA`
    /// (`portable`, `avx2`, `avx512`, `neon`), which is read once.
    ///
    /// # Errors
    /// [`Refusal::UnknownLevel`] when `KREG_ISA` is set to something else, [`Refusal::MissingFeatures`] when this CPU
    /// does not have that level.
    pub fn host() -> Result<Self, Refusal> {
        static HOST: OnceLock<Result<Target, Refusal>> = OnceLock::new();
        HOST.get_or_init(|| match std::env::var("KREG_ISA") {
            Err(std::env::VarError::NotPresent) => Ok(Self::detected()),
            Err(std::env::VarError::NotUnicode(v)) => {
                Err(Refusal::UnknownLevel { value: v.to_string_lossy().into_owned() })
            }
            Ok(level) => {
                let target = Self::detected().level(&level)?;
                let missing = least(&level).difference(target.features);
                if missing.is_empty() {
                    return Ok(target);
                }
                Err(Refusal::MissingFeatures { missing: missing.to_string() })
            }
        })
        .clone()
    }

    /// This target without the features above the named level.
    ///
    /// # Errors
    /// [`Refusal::UnknownLevel`] for a name that is not a level.
    pub fn level(self, level: &str) -> Result<Self, Refusal> {
        let mask = match level {
            "portable" => Features::NONE,
            "avx2" => Features::parse("sse4.1+sse4.2+avx+avx2+fma+f16c+bmi1+bmi2"),
            "avx512" => Features::parse(AVX512),
            "neon" => Features::parse("neon+dotprod"),
            _ => return Err(Refusal::UnknownLevel { value: level.into() }),
        };
        Ok(self.only(mask))
    }

    /// This target with only the features that are also in `mask`.
    pub const fn only(self, mask: Features) -> Self {
        Self { features: self.features.intersection(mask), ..self }
    }

    /// This target, served only by rows whose activations stay in f32.
    pub const fn exact(self) -> Self {
        Self { exact: true, ..self }
    }

    /// The architecture's name.
    pub const fn arch(&self) -> &'static str {
        self.arch
    }

    /// The features of the machine.
    pub const fn features(&self) -> Features {
        self.features
    }

    /// What a row may require: the features, and `exact` of an exact target.
    pub(crate) const fn offers(&self) -> Features {
        if self.exact { self.features.union(EXACT) } else { self.features }
    }

    /// Whether only rows with f32 activations will do.
    pub const fn is_exact(&self) -> bool {
        self.exact
    }
}

/// What every row of a level needs.
fn least(level: &str) -> Features {
    Features::parse(match level {
        "avx2" => "avx2+fma+f16c",
        "avx512" => "avx512f+avx512bw+avx512vl+avx512vnni",
        "neon" => "neon",
        _ => "none",
    })
}

/// Everything of the avx512 level and below.
const AVX512: &str = "sse4.1+sse4.2+avx+avx2+fma+f16c+bmi1+bmi2+avx512f+avx512bw+avx512vl+avx512dq+avx512cd+avx512vnni\
+avx512vbmi+avx512vbmi2+avx512bf16+avx512bitalg+avx512vpopcntdq+gfni";

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}{}", self.arch, self.features, if self.exact { ", exact" } else { "" })
    }
}

/// Asks the CPU for each feature of one architecture's list.
macro_rules! probe {
    ($detect:ident: $($name:tt)+) => {{
        let mut found = Features::NONE;
        $(if std::arch::$detect!($name) { found = found.union(const { Features::parse($name) }); })+
        found
    }};
}

#[cfg(target_arch = "x86_64")]
fn detect() -> Features {
    probe!(is_x86_feature_detected: "sse4.1" "sse4.2" "avx" "avx2" "fma" "f16c" "bmi1" "bmi2" "avx512f" "avx512bw"
        "avx512vl" "avx512dq" "avx512cd" "avx512vnni" "avx512vbmi" "avx512vbmi2" "avx512bf16" "avx512bitalg"
        "avx512vpopcntdq" "gfni" "avxvnni")
}

#[cfg(target_arch = "aarch64")]
fn detect() -> Features {
    probe!(is_aarch64_feature_detected: "neon" "dotprod" "i8mm" "fp16" "bf16" "sve")
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn detect() -> Features {
    Features::NONE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_and_display_are_inverse() {
        let set = Features::parse("fma+avx2");
        assert_eq!(set.to_string(), "avx2+fma");
        assert_eq!(Features::parse("none"), Features::NONE);
        assert_eq!(set.len(), 2);
    }

    #[test]
    #[should_panic(expected = "unknown feature")]
    fn an_unknown_name_panics() {
        let _ = Features::parse("avx2+mmx9");
    }

    #[test]
    fn a_level_that_the_cpu_has_in_part_is_missing_something() {
        let haswell = Target::new("x86_64", Features::parse("sse4.1+avx+avx2+fma+f16c"));
        let lacks =
            |level: &str| least(level).difference(haswell.level(level).unwrap().features()).to_string();
        assert_eq!(lacks("avx512"), "avx512f+avx512bw+avx512vl+avx512vnni");
        assert_eq!(lacks("avx2"), "none");
        assert_eq!(lacks("portable"), "none");
    }

    #[test]
    fn exact_is_a_demand_and_no_feature_of_a_machine() {
        let target = Target::new("x86_64", Features::parse("avx2+exact"));
        assert_eq!(target, Target::new("x86_64", Features::parse("avx2")).exact());
        assert_eq!(target.to_string(), "x86_64/avx2, exact");
        assert_eq!(target.offers(), Features::parse("exact+avx2"));
        assert!(target.only(Features::NONE).is_exact(), "a mask takes features away, not the demand");
        assert!(!Target::detected().is_exact());
    }

    #[test]
    fn a_level_never_adds() {
        let small = Target::new("x86_64", Features::parse("avx+avx2"));
        assert_eq!(small.level("avx512").unwrap().features(), Features::parse("avx+avx2"));
        assert!(small.level("portable").unwrap().features().is_empty());
        assert!(matches!(small.level("sse9"), Err(Refusal::UnknownLevel { .. })));
    }
}
