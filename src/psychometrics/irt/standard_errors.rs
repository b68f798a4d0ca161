//! Standard errors of the parameters.
