//! Small GGUF files for tests.

use crate::value::Value;

/// Builds a file in memory. Writes what it is told, sound or not.
#[derive(Clone, Debug)]
pub struct Writer {
    /// Multiple at which tensors start; also the file's `general.alignment` unless 32.
    pub alignment: u32,
    /// Keys and values, in order.
    pub pairs: Vec<(String, Value<'static>)>,
    /// Tensors, in order.
    pub tensors: Vec<NewTensor>,
}

/// A tensor to write.
#[derive(Clone, Debug)]
pub struct NewTensor {
    /// Name.
    pub name: String,
    /// Dimensions, contiguous one first.
    pub dims: Vec<u64>,
    /// GGML type id.
    pub ggml_type: u32,
    /// The tensor's bytes.
    pub bytes: Vec<u8>,
}

impl Default for Writer {
    fn default() -> Self {
        Self { alignment: 32, pairs: Vec::new(), tensors: Vec::new() }
    }
}

impl Writer {
    /// The file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut pairs = self.pairs.clone();
        if self.alignment != 32 {
            pairs.push(("general.alignment".into(), Value::Unsigned(self.alignment.into())));
        }
        let mut out = b"GGUF".to_vec();
        out.extend(3u32.to_le_bytes());
        out.extend((self.tensors.len() as u64).to_le_bytes());
        out.extend((pairs.len() as u64).to_le_bytes());
        for (key, value) in &pairs {
            text(&mut out, key);
            out.extend(type_id(value).to_le_bytes());
            write(&mut out, value);
        }
        let alignment = self.alignment as usize;
        let mut data = Vec::new();
        for tensor in &self.tensors {
            text(&mut out, &tensor.name);
            out.extend((tensor.dims.len() as u32).to_le_bytes());
            tensor.dims.iter().for_each(|dim| out.extend(dim.to_le_bytes()));
            out.extend(tensor.ggml_type.to_le_bytes());
            out.extend((data.len() as u64).to_le_bytes());
            data.extend(&tensor.bytes);
            data.resize(data.len().next_multiple_of(alignment), 0);
        }
        out.resize(out.len().next_multiple_of(alignment), 0);
        out.extend(data);
        out
    }
}

/// The GGUF value type that `value` is written as. Whole numbers that fit become 32 bits wide, as writers make them.
fn type_id(value: &Value<'_>) -> u32 {
    match *value {
        Value::Unsigned(n) if u32::try_from(n).is_ok() => 4,
        Value::Unsigned(_) => 10,
        Value::Signed(n) if i32::try_from(n).is_ok() => 5,
        Value::Signed(_) => 11,
        Value::Float(x) if f64::from(x as f32) == x => 6,
        Value::Float(_) => 12,
        Value::Bool(_) => 7,
        Value::Text(_) => 8,
        Value::List(_) => 9,
    }
}

/// Appends a value without its type id. A list takes the type of its first element.
fn write(out: &mut Vec<u8>, value: &Value<'_>) {
    match (type_id(value), value) {
        (4, Value::Unsigned(n)) => out.extend((*n as u32).to_le_bytes()),
        (_, Value::Unsigned(n)) => out.extend(n.to_le_bytes()),
        (5, Value::Signed(n)) => out.extend((*n as i32).to_le_bytes()),
        (_, Value::Signed(n)) => out.extend(n.to_le_bytes()),
        (6, Value::Float(x)) => out.extend((*x as f32).to_le_bytes()),
        (_, Value::Float(x)) => out.extend(x.to_le_bytes()),
        (_, Value::Bool(b)) => out.push((*b).into()),
        (_, Value::Text(s)) => text(out, s),
        (_, Value::List(values)) => {
            out.extend(values.first().map_or(8, type_id).to_le_bytes());
            out.extend((values.len() as u64).to_le_bytes());
            values.iter().for_each(|value| write(out, value));
        }
    }
}

/// Appends a length and its text.
fn text(out: &mut Vec<u8>, s: &str) {
    out.extend((s.len() as u64).to_le_bytes());
    out.extend(s.as_bytes());
}
