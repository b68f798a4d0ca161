//! From a chapter's source to a resolved document: directives, expressions,
//! number formats, tables, figures, numbering and references.

pub mod directives;
pub mod document;
pub mod format;
