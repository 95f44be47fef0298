//! Facts about GGML's type ids: the pinned table that registry rows are held to.

/// A weight type as the outside world defines it.
#[derive(Debug, Clone, Copy)]
pub struct TypeFact {
    /// GGML id; 128 and above are private to the APR container.
    pub id: u32,
    /// GGML name, upper case.
    pub name: &'static str,
    /// Weights per block.
    pub block_elems: u32,
    /// Bytes per block.
    pub block_bytes: u32,
}

/// Every weight type that has an id in GGML, or a private one here.
pub static TYPES: &[TypeFact] = &[
    fact(0, "F32", 1, 4),
    fact(1, "F16", 1, 2),
    fact(2, "Q4_0", 32, 18),
    fact(3, "Q4_1", 32, 20),
    fact(6, "Q5_0", 32, 22),
    fact(7, "Q5_1", 32, 24),
    fact(8, "Q8_0", 32, 34),
    fact(9, "Q8_1", 32, 36),
    fact(10, "Q2_K", 256, 84),
    fact(11, "Q3_K", 256, 110),
    fact(12, "Q4_K", 256, 144),
    fact(13, "Q5_K", 256, 176),
    fact(14, "Q6_K", 256, 210),
    fact(15, "Q8_K", 256, 292),
    fact(16, "IQ2_XXS", 256, 66),
    fact(17, "IQ2_XS", 256, 74),
    fact(18, "IQ3_XXS", 256, 98),
    fact(19, "IQ1_S", 256, 50),
    fact(20, "IQ4_NL", 32, 18),
    fact(21, "IQ3_S", 256, 110),
    fact(22, "IQ2_S", 256, 82),
    fact(23, "IQ4_XS", 256, 136),
    fact(24, "I8", 1, 1),
    fact(25, "I16", 1, 2),
    fact(26, "I32", 1, 4),
    fact(27, "I64", 1, 8),
    fact(28, "F64", 1, 8),
    fact(29, "IQ1_M", 256, 56),
    fact(30, "BF16", 1, 2),
    fact(34, "TQ1_0", 256, 54),
    fact(35, "TQ2_0", 256, 66),
    fact(39, "MXFP4", 32, 17),
    fact(40, "NVFP4", 64, 36),
    fact(41, "Q1_0", 128, 18),
    fact(128, "APR_Q4", 32, 18),
    fact(129, "APR_Q8", 1, 1),
];

/// Ids that GGML has withdrawn, and what they meant.
pub static REMOVED: &[(u32, &str)] = &[
    (4, "Q4_2"),
    (5, "Q4_3"),
    (31, "Q4_0_4_4"),
    (32, "Q4_0_4_8"),
    (33, "Q4_0_8_8"),
    (36, "IQ4_NL_4_4"),
    (37, "IQ4_NL_4_8"),
    (38, "IQ4_NL_8_8"),
];

const fn fact(id: u32, name: &'static str, block_elems: u32, block_bytes: u32) -> TypeFact {
    TypeFact { id, name, block_elems, block_bytes }
}

/// The fact about the type of this name.
pub fn by_name(name: &str) -> Option<&'static TypeFact> {
    TYPES.iter().find(|t| t.name == name)
}
