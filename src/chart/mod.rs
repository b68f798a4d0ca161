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
//! - `spec`: what a chart is, and what is wrong with one that cannot be drawn;
//! - `rows`: from the vectors of a layer to the rows that can be drawn;
//! - `scale`, `ticks`, `number`: from values to positions and labels;
//! - `layout`: how much room each part gets; `legend` and `place`: where words go;
//! - `draw`: one function per kind of layer; `clip` and `thin` bound what it draws;
//! - `backend`, `text`: plotters' elements and words as SVG.
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
pub use standalone::{STYLE, standalone};
