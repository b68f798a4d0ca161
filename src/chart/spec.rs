//! What a chart is: pure data, without any drawing.

use serde::Deserialize;
use std::fmt;

/// A figure: axes, series and layers.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// Unique in the page: every id inside the drawing starts with it.
    pub id: String,
    /// Accessible name.
    pub title: String,
    /// Accessible description: what the figure shows, in a sentence or two.
    pub description: String,
    /// Width of the `viewBox`, in units of a CSS pixel at full size.
    pub width: u32,
    /// Least height of the `viewBox`: long legends and many categories add to it.
    pub height: u32,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Declared series, in the order of the legend; data name them by position.
    pub series: Vec<Series>,
    /// Panels by a variable; data name them by position.
    pub facets: Facets,
    /// Layers, from the back to the front.
    pub layers: Vec<Layer>,
}

impl Default for Chart {
    fn default() -> Self {
        Self {
            id: "figura".into(),
            title: String::new(),
            description: String::new(),
            width: 640,
            height: 400,
            x: Axis::default(),
            y: Axis::default(),
            series: vec![],
            facets: Facets::default(),
            layers: vec![],
        }
    }
}

/// One axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Axis {
    /// What it measures, with its unit.
    pub label: String,
    /// How values become positions.
    pub scale: Scale,
    /// Fixed range, in data values; `None` takes it from the data.
    pub range: Option<(f64, f64)>,
    /// About how many ticks; `None` decides by the room.
    pub ticks: Option<usize>,
}

/// How the values of an axis become positions.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Scale {
    /// Proportional to the value.
    #[default]
    Linear,
    /// Proportional to the logarithm; values that are not positive are left out.
    Log,
    /// Days since 1970-01-01 (see [`day`](super::day)), labelled as dates.
    Date,
    /// Names: the value `i` stands for the `i`-th. On the vertical axis the first
    /// name is at the top.
    Category(Vec<String>),
}

/// A group of data with its own colour, shape and dash.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// `#rgb` or `#rrggbb`; `None` takes the palette's colour of its position.
    pub colour: Option<String>,
    /// `None` takes the shape of its position.
    pub shape: Option<Shape>,
    /// `None` takes the dash of its position.
    pub dash: Option<Dash>,
}

impl Series {
    /// A series with a name, the rest by its position.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
}

/// The mark of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Shape {
    /// ●
    #[serde(rename = "circulo", alias = "círculo")]
    Circle,
    /// ▲
    #[serde(rename = "triangulo", alias = "triángulo")]
    Triangle,
    /// ■
    #[serde(rename = "cuadrado")]
    Square,
    /// ◆
    #[serde(rename = "rombo")]
    Diamond,
}

/// The stroke of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Dash {
    /// ———
    #[serde(rename = "continua")]
    Solid,
    /// – – –
    #[serde(rename = "discontinua")]
    Dashed,
    /// ·····
    #[serde(rename = "punteada")]
    Dotted,
    /// – · –
    #[serde(rename = "mixta")]
    DashDot,
}

/// One panel per level of a variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Facets {
    /// The levels, each the title of its panel; empty: a single panel.
    pub labels: Vec<String>,
    /// Panels side by side; the horizontal axis is always shared.
    pub columns: usize,
    /// Whether each panel has its own vertical range.
    pub free_y: bool,
}

impl Default for Facets {
    fn default() -> Self {
        Self { labels: vec![], columns: 1, free_y: false }
    }
}

/// Columns of a layer, all as long as `x` or empty.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Data {
    /// Horizontal values.
    pub x: Vec<f64>,
    /// Vertical values; empty in a layer that has only one variable.
    pub y: Vec<f64>,
    /// Position in [`Chart::series`]; empty: no series.
    pub series: Vec<usize>,
    /// Position in [`Facets::labels`]; empty: in every panel.
    pub facet: Vec<usize>,
    /// Names, for the tooltip of each mark.
    pub label: Vec<String>,
}

impl Data {
    /// Pairs of values.
    pub fn xy(x: Vec<f64>, y: Vec<f64>) -> Self {
        Self { x, y, ..Self::default() }
    }

    /// A single variable.
    pub fn of(x: Vec<f64>) -> Self {
        Self { x, ..Self::default() }
    }

    /// The same data, all of one series.
    pub fn in_series(mut self, series: usize) -> Self {
        self.series = vec![series; self.x.len()];
        self
    }

    /// The same data, all in one panel.
    pub fn in_facet(mut self, facet: usize) -> Self {
        self.facet = vec![facet; self.x.len()];
        self
    }
}

/// Which way something is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub enum Direction {
    /// On the horizontal axis.
    #[default]
    #[serde(rename = "x")]
    X,
    /// On the vertical axis.
    #[serde(rename = "y")]
    Y,
}

/// What is drawn from some data.
#[derive(Debug, Clone, PartialEq)]
pub enum Layer {
    /// A mark per datum.
    Points {
        /// `x` and `y`.
        data: Data,
        /// Radius, in units of the `viewBox` (1 to 12).
        radius: f64,
    },
    /// A line per series, through its data in the given order; broken where a
    /// value is not finite.
    Line {
        /// `x` and `y`.
        data: Data,
    },
    /// Counts of `x` in bins `[start + i width, start + (i + 1) width)`, series
    /// stacked. A value at the very end of a fixed range counts in the last bin. On a
    /// logarithmic axis `width` and `start` are in powers of ten.
    Histogram {
        /// `x` only.
        data: Data,
        /// Width of the bins.
        width: f64,
        /// An edge of the bins.
        start: f64,
        /// Whether the bars hang below the axis (a person-item map has one
        /// histogram up and one down).
        mirrored: bool,
    },
    /// A short stroke per datum along an edge of the panel.
    Rug {
        /// `x` only: values on the axis of `along`.
        data: Data,
        /// The axis the values belong to.
        along: Direction,
    },
    /// A line across every panel at one value.
    Reference {
        /// The axis the value belongs to.
        axis: Direction,
        /// Where.
        value: f64,
        /// What it marks; may be empty.
        label: String,
        /// Its stroke.
        dash: Dash,
    },
    /// A point with its interval.
    Interval {
        /// `x` and `y` of the point.
        data: Data,
        /// Lower ends.
        low: Vec<f64>,
        /// Upper ends.
        high: Vec<f64>,
        /// The axis the ends belong to.
        along: Direction,
    },
    /// A ribbon between two curves, one per series.
    Band {
        /// `x` only.
        data: Data,
        /// Lower curve.
        low: Vec<f64>,
        /// Upper curve.
        high: Vec<f64>,
    },
    /// A bar from zero per datum, series side by side; horizontal when the
    /// vertical axis is of categories.
    Bars {
        /// `x` and `y`.
        data: Data,
        /// Width of the place of each bar, in values of its axis.
        width: f64,
    },
    /// The names of the data beside them, as far as they fit.
    Names {
        /// `x`, `y` and `label`.
        data: Data,
    },
}

impl Layer {
    /// Points of the usual size.
    pub fn points(data: Data) -> Self {
        Self::Points { data, radius: 4.0 }
    }

    /// A reference line.
    pub fn reference(axis: Direction, value: f64, label: impl Into<String>, dash: Dash) -> Self {
        Self::Reference { axis, value, label: label.into(), dash }
    }

    /// Its name in messages.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Points { .. } => "puntos",
            Self::Line { .. } => "línea",
            Self::Histogram { .. } => "histograma",
            Self::Rug { .. } => "marcas al margen",
            Self::Reference { .. } => "línea de referencia",
            Self::Interval { .. } => "intervalos",
            Self::Band { .. } => "banda",
            Self::Bars { .. } => "barras",
            Self::Names { .. } => "rótulos",
        }
    }

    /// Its data, when it has any.
    pub(super) fn data(&self) -> Option<&Data> {
        match self {
            Self::Points { data, .. }
            | Self::Line { data }
            | Self::Histogram { data, .. }
            | Self::Rug { data, .. }
            | Self::Interval { data, .. }
            | Self::Band { data, .. }
            | Self::Bars { data, .. }
            | Self::Names { data } => Some(data),
            Self::Reference { .. } => None,
        }
    }
}

/// Why a chart cannot be drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum ChartError {
    /// The columns of a layer differ in length.
    Lengths {
        /// Kind of layer.
        layer: &'static str,
        /// The column that differs.
        column: &'static str,
        /// Its length.
        found: usize,
        /// That of `x`.
        expected: usize,
    },
    /// A position in the series or in the panels that does not exist.
    Position {
        /// Kind of layer.
        layer: &'static str,
        /// `serie` or `panel`.
        what: &'static str,
        /// The position asked for, from zero.
        found: usize,
        /// How many there are.
        count: usize,
    },
    /// A colour that is not `#rgb` or `#rrggbb`.
    Colour {
        /// The series.
        series: String,
        /// What it says.
        found: String,
    },
    /// A width, radius or range without meaning.
    Value {
        /// What it is.
        what: &'static str,
        /// What it says.
        found: String,
    },
    /// A histogram of more bins than a drawing can show.
    Bins {
        /// Width asked for.
        width: f64,
        /// Bins that hold a value.
        found: usize,
        /// The most there may be.
        limit: usize,
    },
    /// A drawing narrower or larger than can be read.
    Size {
        /// Width asked for.
        width: u32,
        /// Height asked for.
        height: u32,
    },
    /// plotters refused.
    Drawing(String),
}

impl fmt::Display for ChartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lengths { layer, column, found, expected } => write!(
                f,
                "capa «{layer}»: la columna `{column}` tiene {found} valores y `x` tiene {expected}"
            ),
            Self::Position { layer, what, found, count } => {
                write!(f, "capa «{layer}»: {what} {} de {count}", found + 1)
            }
            Self::Colour { series, found } => {
                write!(f, "serie «{series}»: `{found}` no es un color (se espera #rgb o #rrggbb)")
            }
            Self::Value { what, found } => write!(f, "{what} no puede ser {found}"),
            Self::Bins { width, found, limit } => write!(
                f,
                "el ancho {width} da {found} clases con datos; caben {limit}: usa clases más anchas"
            ),
            Self::Size { width, height } => {
                write!(f, "una figura de {width} × {height} no se puede leer")
            }
            Self::Drawing(reason) => write!(f, "no se pudo dibujar: {reason}"),
        }
    }
}

impl std::error::Error for ChartError {}
