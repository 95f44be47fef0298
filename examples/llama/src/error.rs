//! What can go wrong between a file and its first token.

use std::fmt;

use kreg::Refusal;

/// Why a model cannot be loaded or run.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The file cannot be opened or mapped.
    Io {
        /// Its path.
        path: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is damaged, or lacks a metadata key, or has one of another type.
    File(gguf_file::Error),
    /// The model is not of the Llama architecture.
    Architecture {
        /// What the file says.
        found: String,
    },
    /// A metadata value that this engine cannot follow.
    Setting {
        /// The key.
        key: String,
        /// What would work.
        need: String,
        /// What the file says.
        found: String,
    },
    /// Not every tensor and op of the model has a kernel: all of those that have none.
    NotReady(Vec<(String, Refusal)>),
    /// The architecture needs a tensor that the file does not have.
    MissingTensor {
        /// Its name.
        name: String,
    },
    /// The file has a tensor that this engine would ignore, and so compute something else than the model.
    UnusedTensor {
        /// Its name.
        name: String,
    },
    /// A tensor does not have the shape that the metadata implies.
    Shape {
        /// Its name.
        tensor: String,
        /// Rows and columns that the metadata implies.
        expected: (usize, usize),
        /// Dimensions in the file, contiguous one first.
        found: Vec<u64>,
    },
    /// kreg said no while the weights of a tensor were bound.
    Bind {
        /// The tensor's name.
        tensor: String,
        /// Why.
        why: Refusal,
    },
    /// kreg said no to an op.
    Refused(Refusal),
    /// The vocabulary is unusable, or text cannot be turned into tokens.
    Tokenizer(String),
    /// More positions than the model or the session holds.
    Context {
        /// Positions that were asked for.
        need: usize,
        /// Positions there are.
        limit: usize,
    },
    /// Nothing to continue from.
    EmptyPrompt,
    /// The command line makes no sense.
    Usage(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, source } => write!(f, "{path}: {source}"),
            Self::File(why) => write!(f, "{why}"),
            Self::Architecture { found } => {
                write!(f, "general.architecture is `{found}`: this engine runs `llama` only")
            }
            Self::Setting { key, need, found } => write!(f, "`{key}` must be {need}, and is {found}"),
            Self::NotReady(refused) => {
                write!(f, "{} of the model's tensors and ops have no kernel:", refused.len())?;
                refused.iter().try_for_each(|(name, why)| write!(f, "\n  {name}: {why}"))
            }
            Self::MissingTensor { name } => write!(f, "the file has no tensor `{name}`"),
            Self::UnusedTensor { name } => write!(
                f,
                "the file has a tensor `{name}`, which this engine does not know: without it the text would be wrong"
            ),
            Self::Shape { tensor, expected: (rows, cols), found } => {
                write!(f, "tensor `{tensor}` has dimensions {found:?}: the metadata implies [{cols}, {rows}]")
            }
            Self::Bind { tensor, why } => write!(f, "tensor `{tensor}`: {why}"),
            Self::Refused(why) => write!(f, "{why}"),
            Self::Tokenizer(why) => write!(f, "tokenizer: {why}"),
            Self::Context { need, limit } => {
                write!(f, "{need} positions are needed, and the model holds {limit}")
            }
            Self::EmptyPrompt => write!(f, "the prompt is empty: there is nothing to continue"),
            Self::Usage(why) => write!(f, "{why}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<gguf_file::Error> for Error {
    fn from(why: gguf_file::Error) -> Self {
        Self::File(why)
    }
}

impl From<Refusal> for Error {
    fn from(why: Refusal) -> Self {
        Self::Refused(why)
    }
}
