//! From a chapter's source to a resolved document: directives, expressions,
//! number formats, tables, figures, numbering and references.

pub mod document;
