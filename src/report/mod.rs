//! From a chapter's source to a resolved document: directives, expressions,
//! number formats, tables, figures, numbering and references.

pub mod book;
pub mod chapter;
pub mod citations;
pub mod comparison;
pub mod declared;
pub mod directives;
pub mod document;
mod figures;
pub mod format;
pub mod front_matter;
mod hand_typed;
mod lint;
pub mod resolve;
mod tables;
mod text;
pub mod values;
