//! A chapter as it stands on disk: source, front matter, directives and the YAML
//! files beside it.

use super::citations::{self, Bibliography, Form};
use super::declared::{Declared, FigureDeclaration, LayerKind, TableDeclaration};
use super::directives::{Argument, Directive, Keyword, Piece, scan_chapter};
use super::front_matter::{self, FrontMatter};
use crate::diagnostics::{Diagnostic, Diagnostics, Place, Source, code, did_you_mean};
use crate::study::declarations::{self, Declarations};
use crate::study::expression::Fault;
use crate::study::{Plan, fault_diagnostic, narrowed};
use crate::yaml::{self, Located};
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A chapter read from disk.
#[derive(Debug, Clone)]
pub struct Chapter {
    /// Its folder under the book's source folder, with `/`.
    pub slug: String,
    /// Its folder on disk.
    pub folder: PathBuf,
    /// `index.md`.
    pub source: Source,
    /// Its front matter.
    pub front: FrontMatter,
    /// Whether its front matter and its declarations could be read: without them
    /// nothing is computed, and only the text itself is checked.
    pub is_whole: bool,
    /// Its body: text, directives and citations.
    pub pieces: Vec<Piece>,
    /// `referencias.bib` or `referencias.yaml`.
    pub bibliography: Option<Bibliography>,
    /// `tablas.yaml`.
    pub tables: Declared<TableDeclaration>,
    /// `figuras.yaml`.
    pub figures: Declared<FigureDeclaration>,
    /// `valores.yaml`.
    pub declarations: Declarations,
    /// The file of the declarations.
    pub declarations_source: Option<Source>,
}

impl Chapter {
    /// Reads the chapter at `path`; messages name files relative to `root`.
    ///
    /// Faults that leave the rest readable are pushed to `found`.
    pub fn read(root: &Path, slug: &str, path: &Path, found: &mut Diagnostics) -> Option<Self> {
        let shown = |path: &Path| path.strip_prefix(root).unwrap_or(path).to_path_buf();
        let folder = path.parent().unwrap_or(root).to_path_buf();
        let file = |name: &str| (folder.join(name), shown(&folder.join(name)));
        let source = found.check(Source::read(path, shown(path)))?;
        let split = found.check(front_matter::split(&source));
        let (at, name) = file("tablas.yaml");
        let tables = Declared::read(&at, &name, found);
        let (at, name) = file("figuras.yaml");
        let figures = Declared::read(&at, &name, found);
        let (at, name) = file("valores.yaml");
        let declared = found.check(read_declarations(&at, &name));
        let bibliography = found.check_all(Bibliography::read(&folder, &shown(&folder)));
        let (front, body) = split?;
        let front = found.check(front);
        let mut is_whole = front.is_some() && declared.is_some();
        let declared = declared.unwrap_or_default();
        if let Some(source) = &declared.1 {
            found.extend(declarations::check(&declared.0, source));
        }
        if let Some(front) = &front {
            for fault in front.analisis.faults() {
                let place = front.analisis.place(&source);
                found.push(Diagnostic::new(code::CONFIG, place, fault));
                // What would take for ever is not begun.
                is_whole = false;
            }
        }
        let (mut pieces, faults) = scan_chapter(&source, body);
        let is_sound = faults.is_empty();
        found.extend(faults);
        if let Some(bibliography) = &bibliography {
            // One that cannot be read is reported once, not at every citation.
            pieces = citations::check(pieces, &source, bibliography.as_ref(), found);
            if is_sound {
                citations::check_use(&pieces, bibliography.as_ref(), found);
            }
        }
        Some(Self {
            slug: slug.to_owned(),
            folder,
            source,
            front: front.unwrap_or_default(),
            is_whole,
            pieces,
            bibliography: bibliography.flatten(),
            tables,
            figures,
            declarations: declared.0,
            declarations_source: declared.1,
        })
    }

    /// The files that it is written in.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        let beside = [
            self.tables.source.as_ref(),
            self.figures.source.as_ref(),
            self.declarations_source.as_ref(),
            self.bibliography.as_ref().map(|bibliography| &bibliography.source),
        ];
        std::iter::once(&self.source).chain(beside.into_iter().flatten())
    }

    /// The directives of the body, in order.
    pub fn directives(&self) -> impl Iterator<Item = &Directive> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Directive(directive) => Some(directive),
            Piece::Text(_) | Piece::Citation(_) => None,
        })
    }

    /// Adds to the plan everything that the chapter evaluates, reporting what it
    /// names and does not exist. Gives the expressions so reported, whose
    /// evaluation is not to be reported again.
    pub fn plan(&self, plan: &mut Plan, found: &mut Diagnostics) -> BTreeSet<String> {
        let mut planning = Planning { plan, found, faulty: BTreeSet::new() };
        self.plan_all(&mut planning);
        planning.faulty
    }

    fn plan_all(&self, planning: &mut Planning) {
        for directive in self.directives() {
            match directive.keyword {
                Keyword::Valor | Keyword::Afirma | Keyword::Si | Keyword::Elige => {
                    let argument = &directive.argument;
                    let range = argument.range.clone();
                    planning.expression(&argument.text, &self.source, range);
                }
                Keyword::Tabla => {
                    if let Some(table) = self.table(&directive.argument, planning.found) {
                        self.plan_table(table, planning);
                    }
                }
                Keyword::Figura => {
                    if let Some(figure) = self.figure(&directive.argument, planning.found) {
                        self.plan_figure(figure, planning);
                    }
                }
                Keyword::Ref | Keyword::SiNo | Keyword::Fin | Keyword::Codigo => {}
            }
        }
        for text in
            [Some(&self.front.titulo), self.front.descripcion.as_ref()].into_iter().flatten()
        {
            planning.text(text, &self.source);
        }
    }

    /// The declaration of the table that a directive names.
    pub fn table(&self, name: &Argument, found: &mut Diagnostics) -> Option<&TableDeclaration> {
        let declared = self.tables.entries.get(&name.text);
        if declared.is_none() && !self.tables.unreadable {
            let names = self.tables.entries.keys();
            let what = ("la tabla", "tablas.yaml");
            found.push(self.undeclared(code::UNKNOWN_TABLE, what, name, names));
        }
        declared
    }

    /// The declaration of the figure that a directive names.
    pub fn figure(&self, name: &Argument, found: &mut Diagnostics) -> Option<&FigureDeclaration> {
        let declared = self.figures.entries.get(&name.text);
        if declared.is_none() && !self.figures.unreadable {
            let names = self.figures.entries.keys();
            let what = ("la figura", "figuras.yaml");
            found.push(self.undeclared(code::UNKNOWN_FIGURE, what, name, names));
        }
        declared
    }

    fn undeclared<'a>(
        &self,
        kind: crate::diagnostics::Code,
        (what, file): (&str, &str),
        name: &Argument,
        names: impl Iterator<Item = &'a str> + Clone,
    ) -> Diagnostic {
        let message = format!("{what} «{}» no está declarada en {file}", name.text);
        Diagnostic::new(kind, self.source.place(name.range.clone()), message)
            .hint(did_you_mean(&name.text, names))
    }

    fn plan_table(&self, table: &TableDeclaration, planning: &mut Planning) {
        let Some(source) = &self.tables.source else { return };
        if !planning.frame(&table.marco, source) {
            return;
        }
        let (conditions, keys) = (table.filtro.iter(), table.orden.iter());
        let columns = table.columnas.iter().map(|column| &column.valor);
        let crossed = table.cruce.iter().flat_map(|cross| [&cross.filas, &cross.columnas]);
        for text in conditions.chain(keys).chain(columns).chain(crossed) {
            planning.row_expression(&table.marco, text, source);
        }
        let titles = table.columnas.iter().map(|column| &column.titulo);
        let titles = titles.chain(table.cruce.iter().map(|cross| &cross.titulo));
        for text in titles.chain([&table.titulo]).chain(&table.nota) {
            planning.text(text, source);
        }
    }

    fn plan_figure(&self, figure: &FigureDeclaration, planning: &mut Planning) {
        let Some(source) = &self.figures.source else { return };
        for layer in &figure.capas {
            if layer.tipo == LayerKind::Referencia {
                for text in [&layer.x, &layer.y].into_iter().flatten() {
                    planning.expression(text, source, text.range.clone());
                }
                layer.etiqueta.iter().for_each(|text| planning.text(text, source));
                continue;
            }
            // A layer without its frame is reported when it is drawn.
            let Some(frame) = &layer.marco else { continue };
            if !planning.frame(frame, source) {
                continue;
            }
            let texts = [
                &layer.filtro,
                &layer.x,
                &layer.y,
                &layer.desde,
                &layer.hasta,
                &layer.color,
                &layer.etiqueta,
                &figure.paneles,
            ];
            for text in texts.into_iter().flatten() {
                planning.row_expression(frame, text, source);
            }
        }
        let bounds = [&figure.x.desde, &figure.x.hasta, &figure.y.desde, &figure.y.hasta];
        for bound in bounds.into_iter().flatten() {
            planning.expression(&bound.expression(), source, bound.range.clone());
        }
        let texts = [&figure.titulo, &figure.x.titulo, &figure.y.titulo];
        for text in texts.into_iter().chain(&figure.descripcion).chain(&figure.nota) {
            planning.text(text, source);
        }
    }
}

/// A plan under way: what it needs, what is wrong, and with which expressions.
struct Planning<'a, 'b> {
    plan: &'a mut Plan<'b>,
    found: &'a mut Diagnostics,
    faulty: BTreeSet<String>,
}

impl Planning<'_, '_> {
    fn expression(&mut self, text: &str, source: &Source, range: Range<usize>) {
        let planned = self.plan.expression(text);
        self.check(planned, text, source, range);
    }

    /// An expression over the rows of a frame; `-` before a key of order reverses.
    fn row_expression(&mut self, frame: &str, text: &Located<String>, source: &Source) {
        let expression = text.strip_prefix('-').unwrap_or(text);
        let planned = self.plan.row_expression(frame, expression);
        self.check(planned, text, source, inside(text, source, expression));
    }

    fn check(
        &mut self,
        planned: Result<(), Fault>,
        text: &str,
        source: &Source,
        range: Range<usize>,
    ) {
        if let Err(fault) = planned {
            self.found.push(fault_at(&fault, source, range));
            self.faulty.insert(text.to_owned());
        }
    }

    /// Whether a frame of that name exists; reported if not.
    fn frame(&mut self, frame: &Located<String>, source: &Source) -> bool {
        let known = self.plan.knows_frame(frame);
        if !known {
            let names = self.plan.frame_names();
            let message = format!("no existe el marco «{}»", frame.value);
            let hint = did_you_mean(frame, names.iter().map(String::as_str));
            let place = frame.place(source);
            self.found.push(Diagnostic::new(code::UNKNOWN_VALUE, place, message).hint(hint));
            self.faulty.insert(frame.value.clone());
        }
        known
    }

    /// The directives inside a text of a YAML file.
    fn text(&mut self, text: &Located<String>, source: &Source) {
        let (pieces, faults) = text_pieces(text, source);
        self.found.extend(faults);
        for (_, piece) in pieces {
            if let Piece::Directive(directive) = piece
                && matches!(directive.keyword, Keyword::Valor | Keyword::Elige)
            {
                let argument = &directive.argument.text;
                self.expression(argument, source, inside(text, source, argument));
            }
        }
    }
}

/// Where a part of a YAML text stands in the file: the part itself, unless quotes
/// or folding changed it; then, the whole text.
pub fn inside(text: &Located<String>, source: &Source, part: &str) -> Range<usize> {
    let raw = source.text().get(text.range.clone()).unwrap_or_default();
    match raw.find(part) {
        Some(at) => text.range.start + at..text.range.start + at + part.len(),
        None => text.range.clone(),
    }
}

/// The directives and texts of a YAML text. Their ranges are within the text, not
/// within the file, since YAML may have unescaped it: faults are shown at the
/// directive when the file has it as it is, at the whole text otherwise.
pub fn text_pieces(text: &Located<String>, source: &Source) -> (Vec<(String, Piece)>, Diagnostics) {
    let inner = Source::new(source.path(), text.value.clone());
    let (pieces, mut faults) = scan_chapter(&inner, 0..inner.text().len());
    let mut shown = |piece: Piece| match piece {
        // An `@name` in these texts is only that.
        Piece::Citation(cite) if cite.form == Form::Narrative => {
            (inner.text()[cite.range.clone()].to_owned(), Piece::Text(cite.range))
        }
        Piece::Text(range) => (inner.text()[range.clone()].to_owned(), Piece::Text(range)),
        Piece::Citation(cite) => {
            let message = "aquí no se puede citar, solo en el texto del capítulo";
            let place = inner.place(cite.range.clone());
            faults.push(Diagnostic::new(code::CITATION, place, message));
            (String::new(), Piece::Citation(cite))
        }
        Piece::Directive(_) => (String::new(), piece),
    };
    let pieces = pieces.into_iter().map(&mut shown).collect();
    (pieces, faults.into_iter().map(|fault| relocated(fault, text, source)).collect())
}

/// A fault found inside a YAML text, shown where the file has it.
pub fn relocated(mut fault: Diagnostic, text: &Located<String>, source: &Source) -> Diagnostic {
    let part = match &fault.place {
        Place::Text { source, range } => source.text().get(range.clone()).unwrap_or_default(),
        _ => "",
    };
    fault.place = source.place(inside(text, source, part));
    fault
}

fn read_declarations(
    path: &Path,
    shown: &Path,
) -> Result<(Declarations, Option<Source>), Diagnostic> {
    let Some(source) = Source::read_if_any(path, shown)? else { return Ok(Default::default()) };
    Ok((yaml::parse(&source)?, Some(source)))
}

/// A fault of an expression that stands at `range` of `source`.
pub fn fault_at(fault: &Fault, source: &Source, range: Range<usize>) -> Diagnostic {
    let place: Place = source.place(narrowed(range, fault));
    fault_diagnostic(fault, place)
}
