//! From a declared figure to its drawing.

use super::chapter::Chapter;
use super::declared::{
    AxisDeclaration, Bound, FigureDeclaration, LayerDeclaration, LayerKind, ScaleDeclaration,
};
use super::document::{Code, Download, Figure, FigureData, Inline, TableCell, TableColumn};
use super::format::Format;
use super::tables::{frame_named, located};
use super::text::{Context, machine};
use crate::chart::{self, Axis, Chart, Dash, Data, Direction, Facets, Layer, Scale, Series};
use crate::data::{Cell, Frame};
use crate::diagnostics::{Diagnostic, Diagnostics, Severity, Source, code};
use crate::psychometrics::smoothing::Loess;
use crate::study::expression::{cell_to_value, value_to_cell};
use crate::study::reasons::reason;
use crate::yaml::Located;
use std::sync::Arc;

/// Points of a drawn loess curve.
const CURVE_POINTS: usize = 120;
/// R's span.
const SPAN: f64 = 0.75;

/// Resolves the figure `name`; `None` when something of it was reported.
pub fn resolve(
    name: &str,
    number: usize,
    chapter: &Chapter,
    context: &Context,
    found: &mut Diagnostics,
) -> Option<(Figure, Vec<Download>)> {
    let declared = chapter.figures.entries.get(name)?;
    let source = chapter.figures.source.as_ref()?;
    let before = found.count(Severity::Error);
    let title = context.plain(&declared.titulo, source, found);
    let description = match &declared.descripcion {
        Some(text) => context.plain(text, source, found),
        None => {
            let message = format!("la figura «{name}» no tiene descripción para quien no la ve");
            let place = declared.titulo.place(source);
            found.push(Diagnostic::new(code::NO_DESCRIPTION, place, message));
            title.clone()
        }
    };
    let mut drawing = Drawing::new(declared, source, context);
    for layer in &declared.capas {
        drawing.layer(layer, found);
    }
    let chart = drawing.chart(name, &title, &description, found)?;
    let data = drawing.data();
    if found.count(Severity::Error) > before {
        return None;
    }
    let place = || declared.titulo.place(source);
    let failed = |error: chart::ChartError| {
        Diagnostic::new(code::YAML, place(), format!("la figura «{name}»: {error}"))
    };
    let numbers = chart_numbers(context);
    let drawn = found.check(chart::render(&chart, &numbers).map_err(failed))?;
    let svg = found.check(chart::responsive(&chart, &drawn, &numbers).map_err(failed))?;
    let mut note: Vec<Inline> = declared
        .nota
        .as_ref()
        .map_or_else(Vec::new, |note| context.emphasised(note, source, found));
    for told in &drawn.notes {
        let space = if note.is_empty() { "" } else { " " };
        note.push(format!("{space}{}", sentence(told)).as_str().into());
    }
    let (csv, file) = (format!("figura-{name}.csv"), format!("figura-{name}.svg"));
    let figure = Figure {
        name: name.to_owned(),
        number,
        title,
        description,
        note,
        svg,
        code: Code {
            title: format!("Código de la Figura {number}"),
            file: "figuras.yaml".into(),
            text: chapter.figures.verbatim(name),
        },
        data: figure_data(&data, context),
        csv: csv.clone(),
        file: file.clone(),
    };
    let downloads = vec![
        Download { path: csv, bytes: data.to_csv().into_bytes() },
        Download { path: file, bytes: chart::standalone(&drawn).into_bytes() },
    ];
    Some((figure, downloads))
}

fn chart_numbers(context: &Context) -> chart::NumberStyle {
    chart::NumberStyle {
        decimal: context.style.decimal,
        thousands: context.style.thousands.chars().next(),
        minus: context.style.minus.chars().next().unwrap_or('-'),
    }
}

/// Significant digits of the data on the page; the CSV has them all.
const SHOWN_DIGITS: usize = 5;

/// The data, thinned where they are many, with the numbers as the book writes them.
fn figure_data(frame: &Frame, context: &Context) -> FigureData {
    let format = |whole: bool| Format {
        decimals: whole.then_some(0),
        significant: Some(SHOWN_DIGITS),
        ..Format::default()
    };
    let cell = |cell: &Cell, whole: bool| {
        let value = cell_to_value(cell);
        let machine = if cell.is_missing() { String::new() } else { machine(&value) };
        let number = cell.as_f64().and_then(|_| context.style.write(&value, &format(whole)).ok());
        let text = number.unwrap_or_else(|| machine.clone());
        TableCell { text, machine }
    };
    let every = frame.n_rows().div_ceil(FigureData::MOST_ROWS).max(1);
    let mut rows = vec![vec![]; frame.n_rows().div_ceil(every)];
    let columns = frame.columns().iter().map(|column| {
        let numbers = || column.cells.iter().filter_map(Cell::as_f64);
        let numeric = numbers().next().is_some();
        let whole = numbers().all(|x| x.fract() == 0.0);
        for (row, one) in rows.iter_mut().zip(column.cells.iter().step_by(every)) {
            row.push(cell(one, whole));
        }
        TableColumn { header: vec![column.name.as_str().into()], numeric, code: false }
    });
    FigureData { columns: columns.collect(), rows, every }
}

/// A figure under construction: series and panels appear as layers name them.
struct Drawing<'a> {
    declared: &'a FigureDeclaration,
    source: &'a Source,
    context: &'a Context<'a>,
    series: Vec<Series>,
    facets: Vec<String>,
    /// The names on each axis of categories.
    x_categories: Vec<String>,
    y_categories: Vec<String>,
    layers: Vec<Layer>,
    /// What each layer draws, for the CSV.
    parts: Vec<Part>,
}

/// What a layer draws.
struct Part {
    kind: &'static str,
    data: Data,
    low: Vec<f64>,
    high: Vec<f64>,
}

/// The rows of a layer, already evaluated.
struct Rows {
    frame: Arc<Frame>,
}

impl<'a> Drawing<'a> {
    fn new(declared: &'a FigureDeclaration, source: &'a Source, context: &'a Context<'a>) -> Self {
        Self {
            declared,
            source,
            context,
            series: vec![],
            facets: vec![],
            x_categories: vec![],
            y_categories: vec![],
            layers: vec![],
            parts: vec![],
        }
    }

    fn layer(&mut self, declared: &Located<LayerDeclaration>, found: &mut Diagnostics) {
        if declared.tipo == LayerKind::Referencia {
            self.reference(declared, found);
            return;
        }
        let Some(frame_name) = &declared.marco else {
            self.missing(declared, "marco", found);
            return;
        };
        let Some(mut frame) = frame_named(frame_name, self.source, self.context, found) else {
            return;
        };
        if let Some(condition) = &declared.filtro {
            let engine = self.context.study.engine();
            let kept = engine.matching(condition, &frame, self.context.scope());
            let Some(kept) = located(kept, condition, self.source, self.context, found) else {
                return;
            };
            frame = Arc::new(frame.select(&kept));
        }
        let rows = Rows { frame };
        self.draw(declared, &rows, found);
    }

    fn draw(&mut self, declared: &Located<LayerDeclaration>, rows: &Rows, found: &mut Diagnostics) {
        let needs_y =
            !matches!(declared.tipo, LayerKind::Histograma | LayerKind::Tapete | LayerKind::Banda);
        let Some(x) = self.numbers(declared, "x", &declared.x, Some(&self.declared.x), rows, found)
        else {
            return;
        };
        let y = if needs_y {
            let y = self.numbers(declared, "y", &declared.y, Some(&self.declared.y), rows, found);
            let Some(y) = y else { return };
            y
        } else {
            vec![]
        };
        let mut data = Data { x, y, ..Data::default() };
        if !self.group(declared, rows, &mut data, found) {
            return;
        }
        if let Some(text) = &declared.etiqueta {
            let Some(cells) = self.cells(text, rows, found) else { return };
            data.label = cells.iter().map(ToString::to_string).collect();
        }
        let (mut low, mut high) = (vec![], vec![]);
        if matches!(declared.tipo, LayerKind::Intervalo | LayerKind::Banda) {
            let ends = |this: &mut Self, name, text, found: &mut Diagnostics| {
                this.numbers(declared, name, text, None, rows, found)
            };
            let (Some(from), Some(to)) = (
                ends(self, "desde", &declared.desde, found),
                ends(self, "hasta", &declared.hasta, found),
            ) else {
                return;
            };
            (low, high) = (from, to);
        }
        self.push(declared, data, low, high, found);
    }

    fn push(
        &mut self,
        declared: &Located<LayerDeclaration>,
        data: Data,
        low: Vec<f64>,
        high: Vec<f64>,
        found: &mut Diagnostics,
    ) {
        let along = declared.eje.unwrap_or_default();
        let (name, layer) = match declared.tipo {
            LayerKind::Puntos => {
                let radius = declared.radio.unwrap_or(4.0);
                ("puntos", Layer::Points { data: data.clone(), radius })
            }
            LayerKind::Linea => ("línea", Layer::Line { data: data.clone() }),
            LayerKind::Histograma => {
                let Some(width) = declared.ancho else {
                    self.missing(declared, "ancho", found);
                    return;
                };
                let (start, mirrored) = (declared.inicio.unwrap_or(0.0), declared.invertido);
                ("histograma", Layer::Histogram { data: data.clone(), width, start, mirrored })
            }
            LayerKind::Tapete => ("tapete", Layer::Rug { data: data.clone(), along }),
            LayerKind::Intervalo => {
                let along = declared.eje.unwrap_or(Direction::Y);
                let (low, high) = (low.clone(), high.clone());
                ("intervalo", Layer::Interval { data: data.clone(), low, high, along })
            }
            LayerKind::Banda => {
                let (low, high) = (low.clone(), high.clone());
                ("banda", Layer::Band { data: data.clone(), low, high })
            }
            LayerKind::Barras => {
                let width = declared.ancho.unwrap_or(1.0);
                ("barras", Layer::Bars { data: data.clone(), width })
            }
            LayerKind::Nombres => ("nombres", Layer::Names { data: data.clone() }),
            LayerKind::Suavizado => {
                self.loess(declared, &data, found);
                return;
            }
            LayerKind::Referencia => unreachable!("reference lines have no rows"),
        };
        self.layers.push(layer);
        self.parts.push(Part { kind: name, data, low, high });
    }

    /// R's loess through the points, one curve per series.
    fn loess(
        &mut self,
        declared: &Located<LayerDeclaration>,
        data: &Data,
        found: &mut Diagnostics,
    ) {
        let span = declared.amplitud.unwrap_or(SPAN);
        let n_series = data.series.iter().max().map_or(1, |last| last + 1);
        for series in 0..n_series {
            let member = |i: &usize| data.series.get(*i).is_none_or(|&own| own == series);
            let finite = |i: &usize| data.x[*i].is_finite() && data.y[*i].is_finite();
            let own: Vec<usize> = (0..data.x.len()).filter(member).filter(finite).collect();
            if own.is_empty() {
                continue;
            }
            let (x, y): (Vec<f64>, Vec<f64>) = own.iter().map(|&i| (data.x[i], data.y[i])).unzip();
            let fit = match Loess::fit(&x, &y, span) {
                Ok(fit) => fit,
                Err(why) => {
                    let message = format!("no se puede suavizar: {}", reason(&why));
                    let place = declared.place(self.source);
                    found.push(Diagnostic::new(code::UNDEFINED_VALUE, place, message));
                    return;
                }
            };
            let (first, last) = (
                x.iter().copied().fold(f64::INFINITY, f64::min),
                x.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            );
            let step = (last - first) / (CURVE_POINTS - 1) as f64;
            let at = (0..CURVE_POINTS).map(|i| first + step * i as f64);
            let (x, y) = at.filter_map(|x| Some((x, fit.predict(x)?))).unzip();
            let mut curve = Data::xy(x, y);
            if !data.series.is_empty() {
                curve = curve.in_series(series);
            }
            self.layers.push(Layer::Line { data: curve.clone() });
            self.parts.push(Part { kind: "suavizado", data: curve, low: vec![], high: vec![] });
        }
    }

    fn reference(&mut self, declared: &Located<LayerDeclaration>, found: &mut Diagnostics) {
        let (axis, text) = match (&declared.x, &declared.y) {
            (Some(text), None) => (Direction::X, text),
            (None, Some(text)) => (Direction::Y, text),
            _ => {
                let message = "una capa «referencia» pide «x» o «y», una de las dos";
                found.push(Diagnostic::new(code::YAML, declared.place(self.source), message));
                return;
            }
        };
        let value = self.context.study.engine().eval(text, self.context.scope());
        let Some(value) = located(value, text, self.source, self.context, found) else { return };
        let own_axis = if axis == Direction::X { &self.declared.x } else { &self.declared.y };
        let Some(value) = self.position(&value_to_cell(&value), Some(own_axis)) else {
            let message = "una línea de referencia pide un número";
            found.push(Diagnostic::new(code::EXPRESSION, text.place(self.source), message));
            return;
        };
        let label = declared.etiqueta.as_ref();
        let label = label.map(|text| self.context.plain(text, self.source, found));
        let dash = declared.trazo.unwrap_or(Dash::Dashed);
        self.layers.push(Layer::reference(axis, value, label.unwrap_or_default(), dash));
    }

    fn missing(&self, declared: &Located<LayerDeclaration>, key: &str, found: &mut Diagnostics) {
        let message = format!("a esta capa le falta «{key}»");
        found.push(Diagnostic::new(code::YAML, declared.place(self.source), message));
    }

    fn cells(
        &self,
        text: &Located<String>,
        rows: &Rows,
        found: &mut Diagnostics,
    ) -> Option<Vec<Cell>> {
        let engine = self.context.study.engine();
        let values = engine.eval_rows(text, &rows.frame, self.context.scope());
        let values = located(values, text, self.source, self.context, found)?;
        let cell =
            |value: &Option<minijinja::Value>| value.as_ref().map_or(Cell::Missing, value_to_cell);
        Some(values.iter().map(cell).collect())
    }

    /// Positions of a column on an axis; rows without one are not drawn.
    fn numbers(
        &mut self,
        declared: &Located<LayerDeclaration>,
        key: &str,
        text: &Option<Located<String>>,
        axis: Option<&AxisDeclaration>,
        rows: &Rows,
        found: &mut Diagnostics,
    ) -> Option<Vec<f64>> {
        let Some(text) = text else {
            self.missing(declared, key, found);
            return None;
        };
        let cells = self.cells(text, rows, found)?;
        let mut positions = Vec::with_capacity(cells.len());
        for cell in &cells {
            if cell.is_missing() {
                positions.push(f64::NAN);
                continue;
            }
            if axis.is_some_and(|axis| axis.escala == ScaleDeclaration::Categorias) {
                let names =
                    if key == "x" { &mut self.x_categories } else { &mut self.y_categories };
                positions.push(position_of(names, cell.to_string()) as f64);
                continue;
            }
            let Some(position) = self.position(cell, axis) else {
                let message = format!("«{cell}» no se puede situar en el eje «{key}»");
                found.push(Diagnostic::new(code::EXPRESSION, text.place(self.source), message));
                return None;
            };
            positions.push(position);
        }
        Some(positions)
    }

    fn position(&self, cell: &Cell, axis: Option<&AxisDeclaration>) -> Option<f64> {
        let is_date = axis.is_some_and(|axis| axis.escala == ScaleDeclaration::Fecha);
        match cell {
            Cell::Date(date) if is_date => Some(chart::day(*date)),
            cell if !is_date => cell.as_f64(),
            _ => None,
        }
    }

    /// Series and panel of each row.
    fn group(
        &mut self,
        declared: &LayerDeclaration,
        rows: &Rows,
        data: &mut Data,
        found: &mut Diagnostics,
    ) -> bool {
        if let Some(own) = &declared.serie {
            let series = Series {
                name: own.nombre.clone(),
                colour: own.color.clone(),
                shape: own.forma,
                dash: own.trazo,
            };
            data.series = vec![self.series_at(series); data.x.len()];
        }
        if let Some(text) = &declared.color {
            let Some(cells) = self.cells(text, rows, found) else { return false };
            let frame = declared.marco.as_ref().map_or("", |name| name.value.as_str());
            let study = self.context.study;
            // Declared categories keep their order and looks in every figure.
            for category in study.categories(frame, text) {
                let series = Series {
                    colour: category.color.clone(),
                    ..Series::named(category.valor.clone())
                };
                self.series_at(series);
            }
            data.series =
                cells.iter().map(|c| self.series_at(Series::named(c.to_string()))).collect();
        }
        if let Some(text) = &self.declared.paneles {
            let Some(cells) = self.cells(text, rows, found) else { return false };
            let facets = &mut self.facets;
            data.facet = cells.iter().map(|cell| position_of(facets, cell.to_string())).collect();
        }
        true
    }

    fn series_at(&mut self, series: Series) -> usize {
        let at = self.series.iter().position(|one| one.name == series.name);
        at.unwrap_or_else(|| {
            self.series.push(series);
            self.series.len() - 1
        })
    }

    fn chart(
        &self,
        name: &str,
        title: &str,
        description: &str,
        found: &mut Diagnostics,
    ) -> Option<Chart> {
        let usual = Chart::default();
        Some(Chart {
            id: format!("figura-{name}"),
            title: title.to_owned(),
            description: description.to_owned(),
            width: self.declared.ancho.unwrap_or(usual.width),
            height: self.declared.alto.unwrap_or(usual.height),
            x: self.axis(&self.declared.x, &self.x_categories, found)?,
            y: self.axis(&self.declared.y, &self.y_categories, found)?,
            series: self.series.clone(),
            facets: Facets { labels: self.facets.clone(), ..Facets::default() },
            layers: self.layers.clone(),
        })
    }

    fn axis(
        &self,
        declared: &AxisDeclaration,
        categories: &[String],
        found: &mut Diagnostics,
    ) -> Option<Axis> {
        let mut bound = |bound: &Option<Located<Bound>>| -> Option<Option<f64>> {
            let Some(bound) = bound else { return Some(None) };
            let text = bound.expression();
            let value = self.context.study.engine().eval(&text, self.context.scope());
            let range = bound.range.clone();
            let report =
                |fault| self.context.report(&fault, &text, self.source, range.clone(), found);
            let value = value.map_err(report).ok()?;
            match self.position(&value_to_cell(&value), Some(declared)) {
                Some(position) => Some(Some(position)),
                None => {
                    let message = format!("«{text}» no es un extremo del eje");
                    let place = self.source.place(range.clone());
                    found.push(Diagnostic::new(code::EXPRESSION, place, message));
                    None
                }
            }
        };
        let (from, to) = (bound(&declared.desde)?, bound(&declared.hasta)?);
        let range = match (from, to) {
            (Some(from), Some(to)) => Some((from, to)),
            (None, None) => None,
            _ => {
                let message = "«desde» y «hasta» de un eje van juntos";
                let place = declared.titulo.place(self.source);
                found.push(Diagnostic::new(code::YAML, place, message));
                return None;
            }
        };
        let scale = match declared.escala {
            ScaleDeclaration::Lineal => Scale::Linear,
            ScaleDeclaration::Log => Scale::Log,
            ScaleDeclaration::Fecha => Scale::Date,
            ScaleDeclaration::Categorias => Scale::Category(categories.to_vec()),
        };
        let label = self.context.plain(&declared.titulo, self.source, found);
        Some(Axis { label, scale, range, ticks: declared.marcas })
    }

    /// What is drawn, one row per mark.
    fn data(&self) -> Frame {
        let n = self.parts.iter().map(|part| part.data.x.len()).sum();
        let column = |pick: &dyn Fn(&Part, usize) -> Cell| {
            let rows = self.parts.iter();
            rows.flat_map(|part| (0..part.data.x.len()).map(move |i| pick(part, i)))
                .collect::<Vec<_>>()
        };
        let number = |values: &[f64], i: usize| values.get(i).copied().into();
        let x_scale = self.declared.x.escala;
        let y_scale = self.declared.y.escala;
        let position =
            |scale, names: &[String], values: &[f64], i: usize| match (scale, values.get(i)) {
                (_, Some(position)) if !position.is_finite() => Cell::Missing,
                (ScaleDeclaration::Fecha, Some(&day)) => as_date(day),
                (ScaleDeclaration::Categorias, Some(&at)) => {
                    names.get(at as usize).map(|name| Cell::from(name.as_str())).into()
                }
                _ => number(values, i),
            };
        let name_of = |names: &[Series], at: Option<&usize>| -> Cell {
            at.and_then(|&at| names.get(at)).map(|series| Cell::from(series.name.as_str())).into()
        };
        let mut frame = Frame::new(n)
            .with("capa", column(&|part, _| Cell::from(part.kind)))
            .with("x", column(&|part, i| position(x_scale, &self.x_categories, &part.data.x, i)))
            .with("y", column(&|part, i| position(y_scale, &self.y_categories, &part.data.y, i)));
        let optional = [
            ("desde", column(&|part, i| number(&part.low, i))),
            ("hasta", column(&|part, i| number(&part.high, i))),
            ("serie", column(&|part, i| name_of(&self.series, part.data.series.get(i)))),
            (
                "etiqueta",
                column(&|part, i| part.data.label.get(i).map(|l| Cell::from(l.as_str())).into()),
            ),
        ];
        for (name, cells) in optional {
            if cells.iter().any(|cell| !cell.is_missing()) {
                frame.set(name, cells);
            }
        }
        frame
    }
}

/// A remark of the drawing as a sentence.
fn sentence(text: &str) -> String {
    let mut rest = text.chars();
    let first: String = rest.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", rest.as_str().trim_end_matches('.'))
}

fn position_of(names: &mut Vec<String>, name: String) -> usize {
    names.iter().position(|one| *one == name).unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    })
}

/// The day of a position on an axis of dates.
fn as_date(position: f64) -> Cell {
    let epoch = jiff::civil::date(1970, 1, 1);
    let days = jiff::Span::new().try_days(position.round() as i64).ok();
    days.and_then(|days| epoch.checked_add(days).ok()).into()
}
