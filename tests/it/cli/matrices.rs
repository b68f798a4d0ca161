//! Awkward matrices through `analizar`: every number that exists is finite, every
//! one that does not is null with its reason, and nothing panics.
