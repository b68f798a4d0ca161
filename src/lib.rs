//! Escritura: literate psychometric reports.
//!
//! A book is a folder of Spanish Markdown chapters with directives and a matrix of
//! test responses; the result is a static site in which no number is typed by
//! hand. This crate is the program's library; its command line is [`cli`].
//!
//! # The map
//!
//! Layers, each importing only from those above it:
//!
//! | Module | What it does |
//! |---|---|
//! | [`diagnostics`] | located, collected errors: the foundation that all may use |
//! | [`yaml`], [`git`] | the one door to YAML, and to the user's git |
//! | [`data`] | response matrices in bits, frames, CSV, provenance |
//! | [`psychometrics`] | the numeric core: vectors in, structs out |
//! | [`study`] | a chapter's data as a lazy graph of named results; expressions |
//! | [`chart`] | layers of data to SVG |
//! | [`report`] | directives, formats, tables, figures, numbering, references |
//! | [`site`] | the book's configuration and order, pages, output |
//! | [`simulate`], [`ingest`] | where data come from: a generating model, a public repository |
//! | [`cli`] | one file per command |
//!
//! # The road of a build
//!
//! [`site::Book::load`] reads `book.toml` and `SUMMARY.md`. [`report::book::open`]
//! reads chapters and data. Each chapter's [`study::Plan`] follows the names in its
//! expressions down to the nodes of [`study::graph`], which run in parallel, once.
//! [`report::resolve`] turns directives into fragments of a
//! [`report::document::Document`], still Markdown, and [`site::build`] makes pages
//! of them, which [`site::output::write`] swaps in.
//!
//! # How errors travel
//!
//! Nothing stops at the first one. Every layer pushes
//! [`Diagnostic`](diagnostics::Diagnostic)s with their place into a
//! [`Diagnostics`](diagnostics::Diagnostics), and
//! [`Diagnostics::verdict`](diagnostics::Diagnostics::verdict) alone decides
//! whether the command succeeded. What may be undefined is never a `NaN`: the core
//! returns [`Undefined`](psychometrics::Undefined) with a reason, the study carries
//! it as a value that raises the reason when used, and the report shows it where
//! it was asked for.

pub mod chart;
pub mod cli;
pub mod data;
pub mod diagnostics;
pub mod git;
pub mod ingest;
pub mod psychometrics;
pub mod report;
pub mod simulate;
pub mod site;
pub mod study;
pub mod yaml;
