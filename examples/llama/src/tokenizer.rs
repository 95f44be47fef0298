//! Text to tokens and back, with the vocabulary, merges and special tokens of the model's own file.

use gguf_file::{File, Value};
use tokenizers::AddedToken;
use tokenizers::models::bpe::{BPE, Merges, Vocab};
use tokenizers::pre_tokenizers::PreTokenizerWrapper;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::digits::Digits;
use tokenizers::pre_tokenizers::sequence::Sequence;

use crate::error::Error;

/// Token types of `tokenizer.ggml.token_type` that are matched in text as a whole.
const CONTROL: u64 = 3;
const USER_DEFINED: u64 = 4;
/// Keys of tokens that end a text.
const ENDS: [&str; 2] = ["tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"];

/// A byte-level BPE tokenizer.
pub struct Tokenizer {
    inner: tokenizers::Tokenizer,
    /// Put before every text, if the file asks for it.
    begin: Option<u32>,
    ends: Vec<u32>,
}

impl Tokenizer {
    /// Builds the tokenizer that the file describes.
    ///
    /// # Errors
    /// [`Error::File`] for missing metadata, [`Error::Tokenizer`] for a kind of tokenizer that this engine does not
    /// build, and for damaged vocabularies.
    pub fn from_gguf(file: &File<'_>) -> Result<Self, Error> {
        let model = file.required("tokenizer.ggml.model", "text", Value::text)?;
        if model != "gpt2" {
            return Err(Error::Tokenizer(format!("model `{model}` is not `gpt2` (byte-level BPE)")));
        }
        let tokens = texts(file, "tokenizer.ggml.tokens")?;
        let merges = merges(&texts(file, "tokenizer.ggml.merges")?)?;
        let vocab: Vocab = tokens.iter().zip(0..).map(|(&token, id)| (token.into(), id)).collect();
        if vocab.len() != tokens.len() {
            return Err(Error::Tokenizer("the vocabulary names a token twice".into()));
        }
        let bpe = BPE::builder().vocab_and_merges(vocab, merges).build().map_err(failed)?;
        let mut inner = tokenizers::Tokenizer::new(bpe);
        inner.with_pre_tokenizer(Some(pre_tokenizer(file)?));
        inner.with_decoder(Some(ByteLevel::default()));
        inner.add_special_tokens(special(file, &tokens)?).map_err(failed)?;

        let id = |key: &str| -> Result<Option<u32>, Error> {
            let id = file.optional(key, "an unsigned integer", Value::unsigned)?;
            id.map(|id| match u32::try_from(id) {
                Ok(id) if (id as usize) < tokens.len() => Ok(id),
                _ => Err(Error::Tokenizer(format!("`{key}` is {id}, outside the vocabulary"))),
            })
            .transpose()
        };
        let mut ends = Vec::new();
        for key in ENDS {
            ends.extend(id(key)?);
        }
        let wants_begin = file.optional("tokenizer.ggml.add_bos_token", "a truth value", Value::truth)?;
        let begin = if wants_begin == Some(true) { id("tokenizer.ggml.bos_token_id")? } else { None };
        Ok(Self { inner, begin, ends })
    }

    /// The tokens of `text`; special tokens in it, such as `<|im_start|>`, are recognised.
    ///
    /// # Errors
    /// [`Error::Tokenizer`].
    pub fn encode(&self, text: &str) -> Result<Vec<u32>, Error> {
        let encoding = self.inner.encode_fast(text, false).map_err(failed)?;
        Ok(self.begin.into_iter().chain(encoding.get_ids().iter().copied()).collect())
    }

    /// The text of `ids`, special tokens included.
    ///
    /// # Errors
    /// [`Error::Tokenizer`].
    pub fn decode(&self, ids: &[u32]) -> Result<String, Error> {
        self.inner.decode(ids, false).map_err(failed)
    }

    /// A decoder that takes one token at a time and answers with text as soon as whole characters are there.
    pub fn stream(&self) -> impl FnMut(u32) -> Result<Option<String>, Error> {
        let mut stream = self.inner.decode_stream(false);
        move |id| stream.step(id).map_err(failed)
    }

    /// Whether `id` ends a text.
    pub fn is_end(&self, id: u32) -> bool {
        self.ends.contains(&id)
    }
}

/// How `tokenizer.ggml.pre` splits text before merging.
fn pre_tokenizer(file: &File<'_>) -> Result<PreTokenizerWrapper, Error> {
    let gpt2 = ByteLevel::default().add_prefix_space(false);
    match file.required("tokenizer.ggml.pre", "text", Value::text)? {
        "gpt-2" => Ok(gpt2.into()),
        // Every digit by itself, then as GPT-2.
        "smollm" => Ok(Sequence::new(vec![Digits::new(true).into(), gpt2.into()]).into()),
        other => Err(Error::Tokenizer(format!(
            "pre-tokenizer `{other}` is not `smollm` or `gpt-2`; give token ids instead"
        ))),
    }
}

/// A list of texts that must be there.
fn texts<'a>(file: &File<'a>, key: &str) -> Result<Vec<&'a str>, Error> {
    let values = file.required(key, "a list of texts", Value::list)?;
    let texts: Option<Vec<_>> = values.iter().map(Value::text).collect();
    texts.ok_or_else(|| Error::Tokenizer(format!("`{key}` holds something that is not text")))
}

/// `a b`, each line a merge.
fn merges(lines: &[&str]) -> Result<Merges, Error> {
    let pair = |line: &&str| {
        let (a, b) = line.split_once(' ')?;
        Some((a.to_string(), b.to_string()))
    };
    let merges: Option<Merges> = lines.iter().map(pair).collect();
    merges.ok_or_else(|| Error::Tokenizer("a merge is not two tokens and a space".into()))
}

/// The tokens that are matched in text as a whole.
fn special(file: &File<'_>, tokens: &[&str]) -> Result<Vec<AddedToken>, Error> {
    let key = "tokenizer.ggml.token_type";
    let Some(types) = file.optional(key, "a list of integers", Value::list)? else { return Ok(Vec::new()) };
    if types.len() != tokens.len() {
        let why = format!("{} token types for {} tokens", types.len(), tokens.len());
        return Err(Error::Tokenizer(why));
    }
    let is_special = |value: &Value<'_>| matches!(value.unsigned(), Some(CONTROL | USER_DEFINED));
    let special = types.iter().zip(tokens).filter(|(kind, _)| is_special(kind));
    Ok(special.map(|(_, &token)| AddedToken::from(token, true)).collect())
}

/// The library's error as ours.
fn failed(why: impl std::fmt::Display) -> Error {
    Error::Tokenizer(why.to_string())
}
