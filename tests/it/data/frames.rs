//! Frames, and their agreement with a matrix.

use super::{file, frame, read, text};
use crate::support::shared;
use escritura::data::{Cell, FrameOptions, ReadOptions, align, read_frame, read_responses};

#[test]
fn a_frame_has_typed_columns() {
    let text = "envio,fecha,total,pct,intentos,codigo,nota\n\
                a,2024-01-31,3,1.5,1,007,\n\
                \"b, c\",,NA,2,2+,12,\"línea\nrota\"\n";
    let table = frame(text).unwrap();
    let column = |name: &str| table.frame.column(name).unwrap().to_vec();
    let day: jiff::civil::Date = "2024-01-31".parse().unwrap();
    assert_eq!(column("envio"), [Cell::from("a"), Cell::from("b, c")]);
    assert_eq!(column("fecha"), [Cell::Date(day), Cell::Missing]);
    assert_eq!(column("total"), [Cell::Integer(3), Cell::Missing]);
    assert_eq!(column("pct"), [Cell::Number(1.5), Cell::Number(2.0)]);
    assert_eq!(column("intentos"), [Cell::from("1"), Cell::from("2+")]);
    assert_eq!(column("codigo"), [Cell::from("007"), Cell::from("12")]);
    assert_eq!(column("nota"), [Cell::Missing, Cell::from("línea\nrota")]);
    assert_eq!(table.lines, [2, 3]);
}

#[test]
fn what_would_change_as_a_number_or_a_date_stays_text() {
    let table =
        frame("a,b,c,d\n12345678901234567890,2024-02-30,1e999,0x10\n1,2024-01-01,1,1\n").unwrap();
    for name in ["a", "b", "c", "d"] {
        let cells = table.frame.column(name).unwrap();
        assert!(cells.iter().all(|cell| matches!(cell, Cell::Text(_))), "{name}");
    }
}

#[test]
fn a_column_can_be_declared_text() {
    let options = FrameOptions { text: ["intentos".into()].into(), ..Default::default() };
    let table = read_frame(&file("envio,intentos\na,1\nb,\n").path, &options).unwrap();
    assert_eq!(table.frame.column("intentos").unwrap(), [Cell::from("1"), Cell::Missing]);
}

#[test]
fn faults_of_a_frame_are_located() {
    for (bytes, line, says) in [
        ("a,b,a\n1,2,3\n", 1, "columnas 1 y 3"),
        ("a,,b\n1,2,3\n", 1, "columna 2 no tiene nombre"),
        ("a,b\n1,2\n3\n", 3, "tiene 1 columna y se esperaban 2"),
        ("a,b\n1,\"2\n", 2, "comillas"),
        ("", 0, "vacío"),
    ] {
        let all: Vec<_> = frame(bytes).unwrap_err().into_iter().collect();
        assert_eq!(all.len(), 1, "{all:#?}");
        assert_eq!(all[0].place.order().1, line);
        assert!(text(&all[0]).contains(says), "{}", text(&all[0]));
    }
    assert_eq!(frame("a,b\n").unwrap().frame.n_rows(), 0);
}

fn aligned(metadata: &str) -> Result<Vec<String>, String> {
    let matrix = read("envio,t1\na,0\nb,1\nc,1\n").unwrap();
    let metadata = frame(metadata).unwrap();
    match align(&matrix, &metadata, "envio", Some(("incluido", "1"))) {
        Ok(frame) => Ok(frame.column("envio").unwrap().iter().map(Cell::to_string).collect()),
        Err(found) => Err(found.iter().map(text).collect()),
    }
}

#[test]
fn metadata_of_the_same_examinees_in_the_same_order_align() {
    assert_eq!(aligned("envio,incluido\na,1\nx,0\nb,1\nc,1\n").unwrap(), ["a", "b", "c"]);
    assert_eq!(aligned("envio,otra\na,1\nb,0\nc,1\n").unwrap(), ["a", "b", "c"]);
}

#[test]
fn a_mismatch_shows_the_first_difference_and_its_cause() {
    let order = aligned("envio,incluido\na,1\nc,1\nb,1\n").unwrap_err();
    assert!(order.contains("examinado 2: «b» frente a «c»"), "{order}");
    assert!(order.contains("otro orden") && order.contains("datos.csv:3"), "{order}");
    let excluded = aligned("envio,incluido\na,1\nb,0\nc,1\n").unwrap_err();
    assert!(
        excluded.contains("excluido") && excluded.contains("solo en la matriz: «b»"),
        "{excluded}"
    );
    let short = aligned("envio,incluido\na,1\nb,1\n").unwrap_err();
    assert!(short.contains("«c» frente a nadie más"), "{short}");
    let long = aligned("envio,incluido\na,1\nb,1\nc,1\nd,1\n").unwrap_err();
    assert!(long.contains("solo en los metadatos: «d»"), "{long}");
    let twice = aligned("envio,incluido\na,1\nb,1\nb,1\nc,1\n").unwrap_err();
    assert!(twice.contains("repiten a «b» en las líneas 3 y 4"), "{twice}");
    let column = aligned("envío,incluido\na,1\n").unwrap_err();
    assert!(column.contains("«envio»") && column.contains("«envío»"), "{column}");
}

#[test]
fn the_reference_metadata_align_with_their_matrix() {
    let Some(matrix) = shared("datos/respuestas_swebench_verified.csv") else { return };
    let metadata = shared("datos/envios_swebench_verified.csv").unwrap();
    let matrix = read_responses(&matrix, &ReadOptions::default()).unwrap();
    let options = FrameOptions { text: ["intentos".into()].into(), ..Default::default() };
    let metadata = read_frame(&metadata, &options).unwrap();
    assert_eq!(metadata.frame.n_rows(), 165);
    let frame = align(&matrix, &metadata, "envio", Some(("incluido", "1"))).unwrap();
    assert_eq!(frame.n_rows(), 158);
    let totals: Vec<_> =
        matrix.responses.totals().iter().map(|&t| Cell::Integer(t.into())).collect();
    assert_eq!(frame.column("total").unwrap(), totals);
}
