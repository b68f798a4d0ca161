//! A chapter's data and options as a graph of named results.

pub mod expression;
pub mod reasons;
