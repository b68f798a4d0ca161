//! A chapter's data and options as a graph of named results.

pub mod declarations;
pub mod expression;
pub mod options;
pub mod reasons;
