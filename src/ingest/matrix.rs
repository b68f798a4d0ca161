//! Writing a response matrix as CSV.

use crate::data::{Names, Responses};

/// The matrix as CSV: `id_name`, then one column per item; missing cells empty.
pub(super) fn to_csv(
    id_name: &str,
    examinees: &Names,
    items: &Names,
    responses: &Responses,
) -> String {
    let mut writer = csv::Writer::from_writer(vec![]);
    let mut write = |fields: &mut dyn Iterator<Item = &str>| {
        writer.write_record(fields).expect("writing to memory does not fail");
    };
    write(&mut std::iter::once(id_name).chain(items.iter()));
    let rows = responses.transposed();
    for (i, examinee) in examinees.iter().enumerate() {
        let row = rows.item(i);
        let cell = |j| match row.get(j) {
            Some(true) => "1",
            Some(false) => "0",
            None => "",
        };
        write(&mut std::iter::once(examinee).chain((0..items.len()).map(cell)));
    }
    let bytes = writer.into_inner().expect("flushing to memory does not fail");
    String::from_utf8(bytes).expect("names are UTF-8")
}
