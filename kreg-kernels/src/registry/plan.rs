//! Readiness: what would serve a model, asked before any of its bytes are loaded.

use crate::refusal::Refusal;

/// One weight tensor of a model, as its file's header describes it.
#[derive(Clone, Copy, Debug)]
pub struct Tensor<'a> {
    /// Name in the file.
    pub name: &'a str,
    /// GGML type id in the file.
    pub ggml_type: u32,
    /// Outputs: the product of all dimensions but the first.
    pub rows: u64,
    /// Inputs: the first GGUF dimension.
    pub cols: u64,
}

impl Tensor<'_> {
    /// Holds the shape to the rules of a matrix whose rows are a multiple of `multiple` weights.
    ///
    /// # Errors
    /// [`Refusal::Empty`] for a zero dimension, [`Refusal::Multiple`] for columns that are not a multiple,
    /// [`Refusal::TooLarge`] for more weights than an address space holds at four bytes each.
    pub fn check_shape(&self, multiple: u32) -> Result<(), Refusal> {
        for (what, n) in [("rows", self.rows), ("cols", self.cols)] {
            if n == 0 {
                return Err(Refusal::Empty { what });
            }
        }
        if !self.cols.is_multiple_of(multiple.into()) {
            return Err(Refusal::Multiple { what: "cols", of: multiple.into(), got: self.cols });
        }
        let limit = isize::MAX as u64 / 4;
        match self.rows.checked_mul(self.cols) {
            Some(n) if n <= limit => Ok(()),
            n => Err(Refusal::TooLarge { what: "weights", limit, got: n.unwrap_or(u64::MAX) }),
        }
    }
}

/// A tensor and the row that serves it.
#[derive(Clone, Debug, PartialEq)]
pub struct Served<K> {
    /// Name in the file.
    pub name: String,
    /// The row that was selected for it.
    pub kernel: K,
}

/// What would serve a model, and everything that would be refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan<K> {
    /// Tensors that a row serves, in file order.
    pub tensors: Vec<Served<K>>,
    /// Op rows of the backend that the model's family may use.
    pub ops: Vec<K>,
    /// Every tensor or op that no row serves, and why.
    pub refused: Vec<(String, Refusal)>,
}

impl<K> Plan<K> {
    /// Whether nothing is refused.
    pub fn is_ready(&self) -> bool {
        self.refused.is_empty()
    }
}

/// Makes a plan from two answers of the generated module: `tensor` selects the row of one tensor, `ops` lists the op
/// rows of the family or says what is missing.
pub fn plan<K>(
    tensors: &[Tensor<'_>],
    mut tensor: impl FnMut(&Tensor<'_>) -> Result<K, Refusal>,
    ops: impl IntoIterator<Item = (&'static str, Result<K, Refusal>)>,
) -> Plan<K> {
    let mut plan = Plan { tensors: Vec::new(), ops: Vec::new(), refused: Vec::new() };
    for t in tensors {
        match tensor(t) {
            Ok(kernel) => plan.tensors.push(Served { name: t.name.into(), kernel }),
            Err(why) => plan.refused.push((t.name.into(), why)),
        }
    }
    for (name, op) in ops {
        match op {
            Ok(kernel) => plan.ops.push(kernel),
            Err(why) => plan.refused.push((name.into(), why)),
        }
    }
    plan
}
