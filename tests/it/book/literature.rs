//! Inputs that broke other literate engines, and what a book does with them here.
