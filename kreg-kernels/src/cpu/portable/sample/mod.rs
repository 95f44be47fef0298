//! Drawing the next token.

mod draw;

pub mod seeded;
pub mod topk;
