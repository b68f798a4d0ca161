//! The data sets of the book that come from the literature.

use super::content;
use crate::support::shared;
use escritura::data::provenance::{Kind, verify};
use escritura::data::{ReadOptions, ResponseTable, read_responses};
use escritura::diagnostics::Diagnostics;
use std::path::Path;

const LSAT7: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/content/lsat7/datos");

fn lsat7() -> ResponseTable {
    let path = Path::new(LSAT7).join("patrones_lsat7.csv");
    let options = ReadOptions { count_column: Some("n".into()), ..Default::default() };
    read_responses(&path, &options).unwrap()
}

#[test]
fn the_lsat7_patterns_expand_to_a_thousand_examinees() {
    let table = lsat7();
    assert_eq!((table.examinees.len(), table.items.len()), (1000, 5));
    // The proportions that the literature reports: .828, .658, .772, .606, .843.
    let correct: Vec<_> = (0..5).map(|j| table.responses.item(j).n_correct()).collect();
    assert_eq!(correct, [828, 658, 772, 606, 843]);
}

#[test]
fn the_lsat7_patterns_are_the_reference_matrix() {
    let Some(path) = shared("oraculo/LSAT7.csv") else { return };
    let sorted = |table: &ResponseTable| {
        let (_, items, mut rows) = content(table);
        rows.sort();
        (items, rows)
    };
    let reference = read_responses(&path, &ReadOptions::default()).unwrap();
    assert_eq!(sorted(&lsat7()), sorted(&reference));
}

#[test]
fn the_lsat7_data_say_where_they_come_from() {
    let mut found = Diagnostics::new();
    let provenance = verify(Path::new(LSAT7), &mut found).unwrap();
    assert!(found.is_empty(), "{found:#?}");
    assert_eq!(provenance.kind, Kind::Real);
}
