//! Charts: a small grammar of layers, drawn with plotters as one inline SVG.
//!
//! A [`Chart`] is data: two axes, the declared series and a list of layers that
//! hold vectors of numbers. [`render`] turns it into an `<svg>` that a page themes
//! with CSS (`currentColor`, variables and the classes `esc-*`), that a screen
//! reader announces by its title and description, and whose bytes depend on
//! nothing but the chart. [`responsive`] adds a second drawing for narrow screens
//! and [`standalone`] makes a file of a drawing.
//!
//! Where things are:
//! - `spec`: what a chart is, pure data, and why one cannot be drawn;
//! - `rows`, `bins`: from the vectors of a layer to what can be drawn, and the checks;
//! - `scale`, `ticks`, `number`: from values to positions and labels;
//! - `layout`, `legend`, `place`: how much room each part gets and where words go;
//! - `render`: the order of things; `draw`: the layers; `paint`: their colours;
//! - `clip` and `thin` bound what is drawn;
//! - `canvas`, `backend`, `text`: plotters' areas and elements as SVG;
//! - `checks`: what holds whatever the data.
//!
//! A new layer is a variant of [`Layer`], its columns in `rows`, its extent in
//! `scale` and its function in `draw`.

mod backend;
mod bins;
mod canvas;
#[cfg(test)]
mod checks;
mod clip;
mod draw;
mod layout;
mod legend;
mod number;
mod paint;
mod place;
mod render;
mod rows;
mod scale;
mod spec;
mod standalone;
mod text;
mod thin;
mod ticks;

pub use number::NumberStyle;
pub use render::{Drawing, render, responsive};
pub use rows::day;
pub use spec::{
    Axis, Chart, ChartError, Dash, Data, Direction, Facets, Layer, Scale, Series, Shape,
};
pub use standalone::{STYLE, THUMBNAIL, standalone};
pub use text::wrap;
