//! Response matrices.

use super::{content, fault, faults, file, read, text};
use crate::support::shared;
use escritura::data::{ReadOptions, ResponseTable, read_responses};
use escritura::diagnostics::{Diagnostics, code};
use std::path::PathBuf;

/// Six examinees, three items, one missing cell.
const BASE: &str = "id,t1,t2,t3\ns1,0,1,0\ns2,1,1,\ns3,0,0,0\ns4,1,1,1\ns5,1,0,0\ns6,0,1,1\n";

#[test]
fn a_matrix_is_read_with_its_missing_cells() {
    let table = read(BASE).unwrap();
    assert_eq!(table.id_name.as_deref(), Some("id"));
    let (examinees, items, rows) = content(&table);
    assert_eq!(examinees, ["s1", "s2", "s3", "s4", "s5", "s6"]);
    assert_eq!(items, ["t1", "t2", "t3"]);
    assert_eq!(rows[1], [Some(true), Some(true), None]);
    assert_eq!(rows[4], [Some(true), Some(false), Some(false)]);
    assert_eq!(table.lines, [2, 3, 4, 5, 6, 7]);
    assert!(table.notices.is_empty());
}

#[test]
fn the_way_a_file_is_written_does_not_change_its_data() {
    let expected = content(&read(BASE).unwrap());
    let quoted: String = BASE
        .lines()
        .map(|line| {
            line.split(',').map(|f| format!("\"{f}\"")).collect::<Vec<_>>().join(",") + "\n"
        })
        .collect();
    let variants = [
        ("bom", format!("\u{feff}{BASE}")),
        ("crlf", BASE.replace('\n', "\r\n")),
        ("bom, crlf", format!("\u{feff}{}", BASE.replace('\n', "\r\n"))),
        ("cr", BASE.replace('\n', "\r")),
        ("semicolon", BASE.replace(',', ";")),
        ("tab", BASE.replace(',', "\t")),
        ("quoted", quoted.clone()),
        ("quoted, crlf", quoted.replace('\n', "\r\n")),
        ("spaces", BASE.replace(',', " , ")),
        ("spaces around quotes", quoted.replace(',', " , ")),
        ("blank lines", format!("\n\n{}\n\n  \n", BASE.replace("s3", "\ns3"))),
        ("no last line end", BASE.trim_end().into()),
        ("floats", BASE.replace(",0", ",0.0").replace(",1", ",1.0")),
        ("decimal comma", BASE.replace(',', ";").replace(";0", ";0,0").replace(";1", ";1,0")),
        ("zero padded", BASE.replace(",1", ",01")),
        ("NA", BASE.replace("1,1,\n", "1,1,NA\n")),
        ("NaN", BASE.replace("1,1,\n", "1,1,NaN\n")),
        ("point", BASE.replace("1,1,\n", "1,1,.\n")),
    ];
    for (name, variant) in variants {
        let table = read(variant).unwrap_or_else(|d| panic!("{name}: {d:#?}"));
        assert_eq!(content(&table), expected, "{name}");
    }
}

#[test]
fn missing_tokens_can_be_declared() {
    let options = ReadOptions { missing: vec!["-9".into()], ..Default::default() };
    let path = file(BASE.replace("1,1,\n", "1,1,-9\n"));
    assert_eq!(read_responses(&path.path, &options).unwrap().responses.get(1, 2), None);
    assert!(read_responses(&file(BASE).path, &options).is_err(), "empty is no longer missing");
    let zero = ReadOptions { missing: vec!["0".into()], ..Default::default() };
    let table = read_responses(&file("id,a\nx,0\ny,1\n").path, &zero).unwrap();
    assert_eq!((table.responses.get(0, 0), table.responses.get(1, 0)), (None, Some(true)));
}

#[test]
fn a_cell_that_is_no_answer_is_named_with_row_and_column() {
    for value in ["2", "-9", "0.5", "x", "TRUE", "inf", "1e9", "0x1", "１"] {
        let (code, line, column, said) =
            fault(BASE.replace("s4,1,1,1", &format!("s4,1,{value},1")));
        assert_eq!((code, line, column), ("respuesta-invalida", 5, 6), "{value}");
        for part in [format!("«{value}»").as_str(), "«t2»", "columna 3", "«s4»"] {
            assert!(said.contains(part), "{value}: {said}");
        }
    }
}

#[test]
fn a_decimal_comma_in_a_semicolon_file_is_a_fraction_not_a_ragged_row() {
    let (code, line, column, said) = fault("id;i1\na;0,5");
    assert_eq!((code, line, column), ("respuesta-invalida", 2, 3));
    assert!(said.contains("«0,5»") && said.contains("puntaje parcial"), "{said}");
}

#[test]
fn other_codes_need_an_explicit_recoding() {
    let ones_and_twos = "id,a,b\nx,1,2\ny,2,2\n";
    assert!(faults(ones_and_twos).iter().all(|one| text(one).contains("--recodificar 1:0,2:1")));
    let recode = Some("1:0,2:1".parse().unwrap());
    let options = ReadOptions { recode, ..Default::default() };
    let table = read_responses(&file(ones_and_twos).path, &options).unwrap();
    assert_eq!(content(&table).2, [[Some(false), Some(true)], [Some(true), Some(true)]]);
    let mixed = read_responses(&file("id,a,b\nx,1,2\ny,0,2\n").path, &options).unwrap_err();
    assert_eq!(mixed.iter().next().unwrap().place.order().1, 3);
}

#[test]
fn a_ragged_row_says_how_many_columns_it_has() {
    let (code, line, _, said) = fault(BASE.replace("s3,0,0,0", "s3,0,0"));
    assert_eq!((code, line), ("csv", 4));
    assert!(said.contains("tiene 3 columnas y se esperaban 4"), "{said}");
    let (_, line, _, said) = fault(BASE.replace("s3,0,0,0", "s3,0,0,0,1"));
    assert!(line == 4 && said.contains("tiene 5 columnas y se esperaban 4"), "{said}");
}

#[test]
fn a_header_without_the_name_of_the_ids_is_explained() {
    let all = faults("a,b\nx,1,0\ny,0,0\n");
    assert!(text(&all[0]).contains("falta el nombre de la primera columna"));
}

#[test]
fn repeated_and_empty_names_are_errors_with_both_places() {
    let (code, line, column, said) = fault("id,t1,t2,t1\nx,0,1,0\n");
    assert_eq!((code, line, column), ("nombre-repetido", 1, 10));
    assert!(said.contains("columnas 2 y 4"), "{said}");
    let (_, line, column, said) = fault("id,t1,\nx,0,1\n");
    assert_eq!((line, column), (1, 7));
    assert!(said.contains("columna 3 no tiene nombre") && said.contains("sobra"), "{said}");
}

#[test]
fn repeated_and_empty_ids_are_errors_with_both_lines() {
    let (code, line, _, said) = fault(BASE.replace("s5", "s2"));
    assert_eq!((code, line), ("nombre-repetido", 6));
    assert!(said.contains("líneas 3 y 6"), "{said}");
    let (_, line, _, said) = fault(BASE.replace("s5", ""));
    assert!(line == 6 && said.contains("no tiene identificador"), "{said}");
    // An identifier that looks like an answer is one all the same.
    let (code, ..) = fault("id,a,b\n1,0,1\n1,1,1\n");
    assert_eq!(code, "nombre-repetido");
}

#[test]
fn every_fault_is_reported_and_a_flood_is_counted() {
    let all = faults("id,a,a\nx,2,1\ny,1\nx,3,1\n");
    let places: Vec<_> = all.iter().map(|one| one.place.order().1).collect();
    assert_eq!(places, [1, 2, 3, 4]);
    let flood: String =
        "id,a\n".to_owned() + &(0..500).map(|i| format!("s{i},7\n")).collect::<String>();
    let all = faults(flood);
    assert_eq!(all.len(), 21);
    assert!(all[20].message.contains("480 errores más"));
}

#[test]
fn nothing_to_read_is_an_error_not_a_panic() {
    for (bytes, says) in [
        ("", "vacío"),
        ("\u{feff}", "vacío"),
        ("\n\r\n \n", "vacío"),
        ("id,t1,t2\n", "solo tiene el encabezado"),
        ("id,t1,t2", "solo tiene el encabezado"),
        ("id\nx\ny\n", "no hay reactivos"),
        ("id,t1\n\"x,0\ny,1\n", "comillas"),
        ("\"id,t1\nx,0\n", "comillas"),
    ] {
        let (_, _, _, said) = fault(bytes);
        assert!(said.contains(says), "{bytes:?}: {said}");
    }
}

#[test]
fn what_is_not_utf8_is_told_with_its_line() {
    let latin1 = [b"id,a\nx,1\nMu\xf1oz,0\n".as_slice()].concat();
    let (code, line, column, said) = fault(&latin1);
    assert_eq!((code, line, column), ("archivo", 3, 3));
    assert!(said.contains("Latin-1"), "{said}");
    let (code, line, ..) = fault(b"id,a\xf1o\nx,1\n");
    assert_eq!((code, line), ("archivo", 1));
    let (code, line, ..) = fault(b"id,a,b\nx,\xff,1\n");
    assert_eq!((code, line), ("archivo", 2));
}

#[test]
fn files_that_are_not_csv_are_told_apart() {
    for (bytes, says) in [
        (b"PK\x03\x04\x14\0".as_slice(), "Excel"),
        (b"\x1f\x8b\x08\0", "gzip"),
        (b"\xff\xfei\0d\0", "UTF-16"),
        (b"id,a\nx,\0\n", "byte nulo"),
        (b"id|a\nx|1\n", "«|»"),
        (b"id a\nx 1\n", "espacio"),
    ] {
        let (_, _, _, said) = fault(bytes);
        assert!(said.contains(says), "{said}");
    }
}

#[test]
fn a_nul_byte_far_into_the_file_is_an_error_with_its_line() {
    let mut text = "id,a\n".to_owned();
    (0..1_200_000).for_each(|i| text += &format!("s{i},1\n"));
    text += "fin,\0\n";
    let (_, line, ..) = fault(&text);
    assert_eq!(line, 1_200_002);
}

#[test]
fn a_folder_and_an_absent_file_are_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("respuestas.csv"), BASE).unwrap();
    let options = ReadOptions::default();
    let told = |path: PathBuf| {
        let found: Vec<_> = read_responses(&path, &options).unwrap_err().into_iter().collect();
        assert_eq!(found[0].code, code::FILE);
        assert_eq!(found[0].place.order().0, path);
        text(&found[0])
    };
    assert!(told(folder.path().into()).contains("carpeta"));
    assert!(told(folder.path().join("respuesta.csv")).contains("«respuestas.csv»"));
}

#[test]
fn a_matrix_without_ids_is_recognised_and_told() {
    let table = read("Item.1,Item.2\n0,1\n1,\nNA,0\n0,0\n").unwrap();
    assert_eq!(table.id_name, None);
    assert_eq!(content(&table).0, ["1", "2", "3", "4"]);
    assert_eq!(content(&table).1, ["Item.1", "Item.2"]);
    assert_eq!(table.responses.get(2, 0), None);
    assert_eq!(table.responses.get(1, 0), Some(true));
    assert!(table.notices[0].contains("«Item.1»"));
}

#[test]
fn numeric_ids_that_do_not_repeat_are_ids() {
    let table = read("caso_n,a\n0,1\n1,0\n").unwrap();
    assert_eq!(content(&table).0, ["0", "1"]);
    let table = read("num,a\n1,1\n2,0\n3,1\n").unwrap();
    assert_eq!(content(&table).0, ["1", "2", "3"]);
    let table = read("num,a\n007,1\n07,0\n").unwrap();
    assert_eq!(content(&table).0, ["007", "07"], "identifiers are text");
}

#[test]
fn a_row_of_answers_in_place_of_names_is_told() {
    let (_, line, _, said) = fault("0,1,1,0\n1,1,1,0\n");
    assert!(line == 1 && said.contains("respuestas en lugar de nombres"), "{said}");
}

#[test]
fn patterns_expand_to_examinees() {
    let table = counted("n", "a,b,n\n0,1,2\n1,1,0\n1,,1\n").unwrap();
    assert_eq!(content(&table).0, ["1·1", "1·2", "3·1"]);
    assert_eq!(table.responses.get(2, 0), Some(true));
    assert_eq!(table.responses.get(2, 1), None);
    assert_eq!(table.lines, [2, 2, 4]);
    assert!(table.notices.iter().any(|n| n.contains("3 patrones, 3 examinados")));
    let named = counted("Frecuencia", "Frecuencia;patron;a\n2;x;1\n1;y;0\n").unwrap();
    assert_eq!(content(&named).0, ["x·1", "x·2", "y·1"]);
}

/// Reads patterns whose counts stand in a column.
fn counted(column: &str, text: &str) -> Result<ResponseTable, Diagnostics> {
    let count_column = Some(column.to_owned());
    read_responses(&file(text).path, &ReadOptions { count_column, ..Default::default() })
}

#[test]
fn the_count_column_is_named_and_never_guessed() {
    let patterns = "id,a,veces\nx,1,3\ny,0,1\n";
    assert_eq!(counted("veces", patterns).unwrap().examinees.len(), 4);
    let said = text(&counted("vece", patterns).unwrap_err().into_iter().next().unwrap());
    assert!(said.contains("«veces»"), "{said}");
    let lone = text(&counted("n", "n\n3\n4\n").unwrap_err().into_iter().next().unwrap());
    assert!(lone.contains("es de conteos"), "{lone}");
    for name in ["n", "conteo", "Frecuencia"] {
        let item = read(format!("id,a,{name}\nx,1,1\ny,0,1\n")).unwrap();
        assert_eq!(content(&item).1, ["a", name]);
        let (.., said) = fault(format!("id,a,{name}\nx,1,12\ny,0,1\n"));
        assert!(said.contains(&format!("--conteo {name}")), "{said}");
    }
}

#[test]
fn counts_that_are_not_counts_are_errors() {
    for (value, says) in [
        ("1.5", "no es un número entero"),
        ("-1", "no es un número entero"),
        ("", "no es un número entero"),
        ("x", "no es un número entero"),
        ("0", "todos los conteos son 0"),
        ("999999999", "suman más de"),
    ] {
        let found = counted("n", &format!("a,b,n\n0,1,{value}\n")).unwrap_err();
        let said = text(&found.into_iter().next().unwrap());
        assert!(said.contains(says), "{value}: {said}");
    }
}

#[test]
fn the_number_of_threads_does_not_change_the_table() {
    let mut text = "id,a,b,c\n".to_owned();
    for i in 0..5000 {
        text +=
            &format!("\"s{i}\",{},{},{}\n", i % 2, i % 3 % 2, if i % 7 == 0 { "" } else { "1" });
    }
    let path = file(text);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| read_responses(&path.path, &ReadOptions::default()).unwrap())
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn files_longer_than_a_block_are_read_whole() {
    // Wide enough that a block ends within a record, with a quoted line end in some.
    let n_items = 700;
    let mut text = "id".to_owned();
    (0..n_items).for_each(|j| text += &format!(",t{j}"));
    for i in 0..8000 {
        let id = if i % 100 == 3 { format!("\"s\n{i}\"") } else { format!("s{i}") };
        text += &format!("\n{id}");
        (0..n_items).for_each(|j| text += if (i * 31 + j * 17) % 5 < 2 { ",1" } else { ",0" });
    }
    assert!(text.len() > 10 << 20);
    let path = file(&text);
    let table = read_responses(&path.path, &ReadOptions::default()).unwrap();
    assert_eq!(table.examinees.len(), 8000);
    assert_eq!(table.sha256, escritura::data::digest::of_bytes(text.as_bytes()));
    let lines: Vec<&str> = text.split('\n').collect();
    for i in [0, 3, 64, 6399, 7999] {
        assert!(lines[table.lines[i] - 1].trim_matches('"').starts_with('s'));
        for j in [0, 1, 350, 699] {
            assert_eq!(table.responses.get(i, j), Some((i * 31 + j * 17) % 5 < 2), "{i} {j}");
        }
    }
}

#[test]
fn the_reference_matrices_are_read() {
    let options = ReadOptions::default();
    for (file, n, k, missing, notices) in [
        ("datos/respuestas_swebench_verified.csv", 158, 500, 0, 0),
        ("oraculo/LSAT7.csv", 1000, 5, 0, 1),
        ("oraculo/swe60.csv", 158, 60, 0, 1),
        ("oraculo/casos/15_bom.csv", 24, 6, 0, 0),
        ("oraculo/casos/05_three_missing.csv", 24, 6, 3, 0),
        ("oraculo/casos/20_one_item.csv", 24, 1, 0, 0),
        ("oraculo/casos/32_one_person.csv", 1, 6, 0, 0),
    ] {
        let Some(path) = shared(file) else { return };
        let table = read_responses(&path, &options).unwrap_or_else(|d| panic!("{file}: {d:#?}"));
        assert_eq!((table.examinees.len(), table.items.len()), (n, k), "{file}");
        assert_eq!(table.responses.n_missing(), missing, "{file}");
        assert_eq!(table.notices.len(), notices, "{file}");
    }
}

#[test]
fn the_reference_variants_equal_their_base_and_the_faulty_ones_are_refused() {
    let options = ReadOptions::default();
    let case = |name: &str| shared(&format!("oraculo/casos/{name}"));
    let Some(base) = case("00_base.csv") else { return };
    let base = content(&read_responses(&base, &options).unwrap());
    for name in ["15_bom.csv", "16_quoted.csv", "17_crlf.csv"] {
        let table = read_responses(&case(name).unwrap(), &options).unwrap();
        assert_eq!(content(&table), base, "{name}");
    }
    let recode = ReadOptions { recode: Some("1:0,2:1".parse().unwrap()), ..Default::default() };
    let recoded = read_responses(&case("10_codes_1_2.csv").unwrap(), &recode).unwrap();
    assert_eq!(content(&recoded), base);
    for (name, line, column) in
        [("08_stray_2.csv", 2, 5), ("12_partial_credit.csv", 7, 7), ("31_ragged_row.csv", 7, 1)]
    {
        let found = read_responses(&case(name).unwrap(), &options).unwrap_err();
        let (_, at_line, at_column) = found.iter().next().unwrap().place.order();
        assert_eq!((at_line, at_column), (line, column), "{name}");
    }
}
