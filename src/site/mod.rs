//! The site: a book's configuration and order, and its pages.

pub mod config;
mod links;
mod section;
mod slug;
pub mod summary;
mod words;

pub use config::Config;
pub use summary::Summary;
