//! Properties over generated files.

use super::{content, file, read};
use escritura::data::{FrameOptions, ReadOptions, read_frame, read_responses};
use proptest::prelude::*;

/// Bytes that look like a CSV more often than chance would have it.
fn almost_csv() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"0".to_vec()),
        Just(b"1".to_vec()),
        Just(b",".to_vec()),
        Just(b";".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"\"".to_vec()),
        Just(b"id".to_vec()),
        Just(b"n".to_vec()),
        Just(b"NA".to_vec()),
        Just("ñ".as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..4),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

/// A cell as somebody may write it, and what it means; the bare ones more often.
fn spelling() -> impl Strategy<Value = (&'static str, Option<bool>)> {
    prop_oneof![
        40 => Just(("0", Some(false))),
        40 => Just(("1", Some(true))),
        4 => Just(("", None)),
        4 => Just(("NA", None)),
        1 => Just((".", None)),
        1 => Just((" 1", Some(true))),
        1 => Just(("0.0", Some(false))),
        1 => Just(("1.0 ", Some(true))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn no_bytes_make_the_readers_panic(bytes in almost_csv()) {
        let path = file(&bytes);
        if let Ok(table) = read_responses(&path.path, &ReadOptions::default()) {
            let shape = (table.responses.n_examinees(), table.responses.n_items());
            prop_assert_eq!(shape, (table.examinees.len(), table.items.len()));
            prop_assert_eq!(table.lines.len(), table.examinees.len());
            prop_assert_eq!(table.examinees.repeated().count(), 0);
        }
        if let Ok(table) = read_frame(&path.path, &FrameOptions::default()) {
            prop_assert_eq!(table.lines.len(), table.frame.n_rows());
        }
    }

    #[test]
    fn any_matrix_comes_back_as_it_was_written(
        rows in prop::collection::vec(prop::collection::vec(spelling(), 4), 1..200),
        delimiter in prop::sample::select(vec![b',', b';', b'\t']),
    ) {
        let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(vec![]);
        writer.write_record(["id", "a", "b c", "d\"e", "f,g"]).unwrap();
        for (i, row) in rows.iter().enumerate() {
            let cells = row.iter().map(|(text, _)| (*text).to_owned());
            writer.write_record(std::iter::once(format!("s{i}")).chain(cells)).unwrap();
        }
        let table = read(writer.into_inner().unwrap()).unwrap();
        let expected: Vec<Vec<Option<bool>>> = rows
            .iter()
            .map(|row| row.iter().map(|&(_, answer)| answer).collect())
            .collect();
        prop_assert_eq!(content(&table).2, expected);
    }
}
