//! Usage errors: exit status 2, in Spanish; help and version: 0.

use super::escritura;

fn refused(arguments: &[&str]) -> String {
    let run = escritura(std::path::Path::new("."), arguments);
    assert_eq!((run.code, &*run.out), (2, ""), "{arguments:?}: {run:?}");
    run.err
}

#[test]
fn usage_errors_exit_with_2_and_are_told_in_spanish() {
    let all: String = [
        &["construr"][..],
        &[],
        &["construir", "--estrcto"],
        &["construir", "sobra"],
        &["construir", "--datos"],
        &["construir", "-d", "a", "-d", "b"],
        &["analizar"],
        &["analizar", "x.csv", "--modelos", "raschh"],
        &["analizar", "x.csv", "--todo", "--modelos", "rasch"],
        &["analizar", "x.csv", "--semilla", "mucha"],
        &["analizar", "x.csv", "--semilla", "-1"],
        &["analizar", "x.csv", "--semilla", "99999999999"],
        &["analizar", "x.csv", "--recodificar", "1:0;2"],
        &["datos", "simular", "--destino", "x", "--semilla", "-1"],
        &["datos", "simular", "--destino", "x", "--examinados", "-3", "--reactivos", "2"],
        &["datos", "simular", "--destino", "x", "--faltantes", "0,5"],
        &["valores"],
        &["marco", "swebench"],
        &["comparar", "a"],
        &["comparar", "a", "b", "--json", "--formato", "markdown"],
    ]
    .into_iter()
    .map(|arguments| format!("$ escritura {}\n{}\n", arguments.join(" "), refused(arguments)))
    .collect();
    // The list of commands grows with the program; what is of interest is the rest.
    let all = match (all.find("$ escritura \n"), all.find("$ escritura construir --estrcto")) {
        (Some(start), Some(end)) => format!("{}{}", &all[..start], &all[end..]),
        _ => all,
    };
    insta::assert_snapshot!(all);
}

#[test]
fn without_a_command_the_help_goes_to_standard_error() {
    let help = refused(&[]);
    assert!(help.contains("construir") && help.contains("Uso:"), "{help}");
}

#[test]
fn no_help_page_has_english_left() {
    let folder = std::path::Path::new(".");
    let general = escritura(folder, &["--ayuda"]).good();
    let commands: Vec<&str> = general
        .out
        .lines()
        .skip_while(|line| !line.starts_with("Órdenes"))
        .skip(1)
        .map_while(|line| line.split_whitespace().next())
        .collect();
    assert!(commands.len() >= 6, "{}", general.out);
    let mut pages = vec![general.out.clone()];
    pages.extend(commands.iter().map(|name| escritura(folder, &[*name, "--ayuda"]).good().out));
    for page in pages {
        for word in [
            "Usage",
            "Options",
            "Commands",
            "Arguments",
            "Print",
            "help",
            "possible values",
            "default:",
        ] {
            assert!(!page.contains(word), "«{word}» in\n{page}");
        }
    }
    assert!(escritura(folder, &["--version"]).good().out.starts_with("escritura "));
    assert!(escritura(folder, &["check", "--help"]).good().out.contains("revisar"));
}
