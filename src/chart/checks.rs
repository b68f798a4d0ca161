//! What holds for every chart, whatever its data: properties and hard cases.

use super::text;
use super::*;
use proptest::collection::vec;
use proptest::prelude::*;

/// Half a hundredth of rounding on each of position and size.
const ROUNDING: f64 = 0.011;

fn drawn(chart: &Chart) -> Drawing {
    render(chart, &NumberStyle::default()).expect("a chart that can be drawn")
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("`{text}` is not a coordinate"))
}

/// The box of an element of the drawing, as left, top, right and bottom.
fn extent(node: roxmltree::Node) -> Option<[f64; 4]> {
    let at = |name| number(node.attribute(name).unwrap_or("0"));
    match node.tag_name().name() {
        "circle" => {
            let (x, y, r) = (at("cx"), at("cy"), at("r"));
            Some([x - r, y - r, x + r, y + r])
        }
        "rect" => {
            let (x, y) = (at("x"), at("y"));
            Some([x, y, x + at("width"), y + at("height")])
        }
        "line" => {
            let (x1, y1, x2, y2) = (at("x1"), at("y1"), at("x2"), at("y2"));
            Some([x1.min(x2), y1.min(y2), x1.max(x2), y1.max(y2)])
        }
        "polyline" | "polygon" => {
            let pairs: Vec<(f64, f64)> = node
                .attribute("points")?
                .split(' ')
                .map(|pair| pair.split_once(',').expect("pairs of coordinates"))
                .map(|(x, y)| (number(x), number(y)))
                .collect();
            let fold = |f: fn(f64, f64) -> f64, of: fn(&(f64, f64)) -> f64| {
                pairs.iter().map(of).reduce(f).unwrap_or(0.0)
            };
            Some([
                fold(f64::min, |p| p.0),
                fold(f64::min, |p| p.1),
                fold(f64::max, |p| p.0),
                fold(f64::max, |p| p.1),
            ])
        }
        "text" => Some(text_extent(node, at("x"), at("y"))),
        _ => None,
    }
}

fn text_extent(node: roxmltree::Node, x: f64, y: f64) -> [f64; 4] {
    let width = text::width(node.text().unwrap_or(""), 13.0);
    let before = match node.attribute("text-anchor") {
        Some("middle") => width / 2.0,
        Some("end") => width,
        _ => 0.0,
    };
    match node.attribute("transform") {
        // Written upwards from its end.
        Some(_) => [x - 6.0, y - 4.6, x + 8.0, y - 4.5 + width],
        None => [x - before, y - 10.0, x - before + width, y + 3.0],
    }
}

/// Parses a drawing and checks that all of it is inside its `viewBox`.
fn inside(svg: &str) -> usize {
    let document = roxmltree::Document::parse(svg).expect("well-formed XML");
    let root = document.root_element();
    let sizes: Vec<f64> =
        root.attribute("viewBox").expect("a viewBox").split(' ').map(number).collect();
    let mut elements = 0;
    for node in document.descendants() {
        let Some([left, top, right, bottom]) = extent(node) else { continue };
        elements += 1;
        assert!(
            left >= -ROUNDING
                && top >= -ROUNDING
                && right <= sizes[2] + ROUNDING
                && bottom <= sizes[3] + ROUNDING,
            "{:?} {:?} at {left} {top} {right} {bottom} leaves {sizes:?}",
            node.tag_name().name(),
            node.text(),
        );
    }
    elements
}

/// Checks that no word covers another.
fn apart(svg: &str) {
    let document = roxmltree::Document::parse(svg).expect("well-formed XML");
    let words: Vec<_> = document.descendants().filter(|node| node.has_tag_name("text")).collect();
    let boxes: Vec<[f64; 4]> = words.iter().filter_map(|node| extent(*node)).collect();
    for (i, a) in boxes.iter().enumerate() {
        for (j, b) in boxes.iter().enumerate().skip(i + 1) {
            assert!(
                a[2] <= b[0] + ROUNDING
                    || b[2] <= a[0] + ROUNDING
                    || a[3] <= b[1] + ROUNDING
                    || b[3] <= a[1] + ROUNDING,
                "{:?} {a:?} covers {:?} {b:?}",
                words[i].text(),
                words[j].text()
            );
        }
    }
}

fn coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => -1000.0..1000.0f64,
        2 => (-40i32..40).prop_map(f64::from),
        1 => any::<f64>(),
        1 => Just(f64::NAN),
        1 => Just(f64::INFINITY),
    ]
}

fn scale() -> impl Strategy<Value = Scale> {
    prop_oneof![
        3 => Just(Scale::Linear),
        1 => Just(Scale::Log),
        1 => Just(Scale::Date),
        1 => vec(".{0,30}", 0..30).prop_map(Scale::Category),
    ]
}

fn axis() -> impl Strategy<Value = Axis> {
    (
        ".{0,80}",
        scale(),
        prop::option::of((coordinate(), coordinate())),
        prop::option::of(0..40usize),
    )
        .prop_map(|(label, scale, range, ticks)| Axis { label, scale, range, ticks })
}

/// Layers of every kind over the same columns.
fn layers(data: Data, other: Vec<f64>, width: f64, at: f64) -> Vec<Layer> {
    let (low, high) = (data.y.clone(), other);
    vec![
        Layer::Band { data: data.clone(), low: low.clone(), high: high.clone() },
        Layer::Histogram { data: data.clone(), width, start: at, mirrored: false },
        Layer::Histogram { data: data.clone(), width, start: at, mirrored: true },
        Layer::Bars { data: data.clone(), width },
        Layer::Line { data: data.clone() },
        Layer::points(data.clone()),
        Layer::Interval {
            data: data.clone(),
            low: low.clone(),
            high: high.clone(),
            along: Direction::X,
        },
        Layer::Interval { data: data.clone(), low, high, along: Direction::Y },
        Layer::Rug { data: data.clone(), along: Direction::X },
        Layer::Rug { data: data.clone(), along: Direction::Y },
        Layer::reference(Direction::X, at, "una referencia <con> nombre", Dash::Dashed),
        Layer::reference(Direction::Y, at, "otra", Dash::Dotted),
        Layer::Names { data },
    ]
}

fn chart() -> impl Strategy<Value = Chart> {
    let rows =
        vec((coordinate(), coordinate(), coordinate(), 0..3usize, 0..2usize, ".{0,40}"), 0..40);
    let kept = vec(any::<bool>(), 13);
    (
        axis(),
        axis(),
        rows,
        kept,
        0.01..100.0f64,
        coordinate(),
        any::<(bool, bool, bool)>(),
        200..900u32,
    )
        .prop_map(|(x, y, rows, kept, step, at, (faceted, free_y, beside), width)| {
            let mut data = Data::default();
            let mut other = vec![];
            for (x, y, high, series, facet, label) in rows {
                data.x.push(x);
                data.y.push(y);
                other.push(high);
                data.series.push(series);
                data.facet.extend(faceted.then_some(facet));
                data.label.push(label);
            }
            let at = if at.is_finite() { at.clamp(-1e90, 1e90) } else { 0.0 };
            let layers = layers(data, other, step, at).into_iter().zip(kept);
            let labels = if faceted { vec!["Uno".into(), "Dos".into()] } else { vec![] };
            Chart {
                width,
                x,
                y,
                series: ["a", "b < c", "otra más larga que las demás"].map(Series::named).to_vec(),
                facets: Facets { labels, columns: if beside { 2 } else { 1 }, free_y },
                layers: layers.filter(|(_, kept)| *kept).map(|(layer, _)| layer).collect(),
                ..Chart::default()
            }
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn whatever_the_data_a_chart_is_refused_or_drawn_whole(chart in chart()) {
        if let Ok(drawing) = render(&chart, &NumberStyle::default()) {
            inside(&drawing.svg);
            apart(&drawing.svg);
            prop_assert!(!drawing.svg.contains("NaN") && !drawing.svg.contains("inf,"));
            prop_assert_eq!(drawing, render(&chart, &NumberStyle::default()).unwrap());
        }
    }

    #[test]
    fn finite_data_on_linear_axes_are_always_drawn(
        points in vec((-1e12..1e12f64, -1e-9..1e-9f64), 1..60),
        (width, height) in (200..1200u32, 100..900u32),
    ) {
        let (x, y): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
        let n = x.len();
        let layers = vec![Layer::points(Data::xy(x, y))];
        let svg = drawn(&Chart { width, height, layers, ..Chart::default() }).svg;
        inside(&svg);
        prop_assert_eq!(svg.matches("<circle").count(), n);
    }
}

#[test]
fn a_chart_without_data_says_so() {
    let svg = drawn(&Chart::default()).svg;
    assert!(svg.contains(">sin datos</text>"));
    inside(&svg);
    let nothing = Data::xy(vec![f64::NAN], vec![1.0]);
    let drawing = drawn(&Chart { layers: vec![Layer::points(nothing)], ..Chart::default() });
    assert!(drawing.svg.contains(">sin datos</text>"));
    assert_eq!(drawing.notes, ["puntos: se omite 1 dato sin valor en su escala"]);
}

#[test]
fn one_point_and_equal_points_are_drawn() {
    for (x, n) in [(0.0, 1), (5.0, 1), (1e30, 3), (-1e-30, 3)] {
        let layers = vec![
            Layer::points(Data::xy(vec![x; n], vec![x; n])),
            Layer::Line { data: Data::xy(vec![x; n], vec![x; n]) },
        ];
        let svg = drawn(&Chart { layers, ..Chart::default() }).svg;
        assert_eq!(svg.matches("<circle").count(), n);
        inside(&svg);
    }
}

#[test]
fn hostile_names_are_text_everywhere() {
    let nasty = "<script>\"&' \u{0} שלום عالم \u{202e}".to_string() + &"x".repeat(200);
    let data = Data {
        label: vec![nasty.clone(); 2],
        series: vec![0, 1],
        ..Data::xy(vec![0.0, 1.0], vec![0.0, 1.0])
    };
    let chart = Chart {
        id: nasty.clone(),
        title: nasty.clone(),
        description: nasty.clone(),
        x: Axis { label: nasty.clone(), ..Axis::default() },
        y: Axis { scale: Scale::Category(vec![nasty.clone(); 3]), ..Axis::default() },
        series: vec![Series::named(nasty.clone()), Series::named(nasty.clone() + "2")],
        facets: Facets { labels: vec![nasty.clone(), nasty.clone()], ..Facets::default() },
        layers: vec![
            Layer::points(data.clone()),
            Layer::Names { data },
            Layer::reference(Direction::X, 0.5, nasty.clone(), Dash::Solid),
            Layer::reference(Direction::Y, 0.5, nasty, Dash::Solid),
        ],
        ..Chart::default()
    };
    for chart in [Chart { width: 360, ..chart.clone() }, chart] {
        let svg = drawn(&chart).svg;
        inside(&svg);
        assert!(!svg.contains("<script"));
    }
}

#[test]
fn a_hundred_thousand_points_make_a_small_drawing_that_says_so() {
    let n = 100_000;
    let x: Vec<f64> = (0..n).map(|i| f64::from(i) * 0.618_034 % 1.0).collect();
    let y: Vec<f64> = (0..n).map(|i| f64::from(i) / f64::from(n)).collect();
    let data = Data { label: vec!["nombre".into(); n as usize], ..Data::xy(x, y) };
    let layers = vec![
        Layer::points(data.clone()),
        Layer::Line { data: data.clone() },
        Layer::Rug { data: data.clone(), along: Direction::X },
        Layer::Interval {
            low: data.y.clone(),
            high: data.y.clone(),
            data: data.clone(),
            along: Direction::Y,
        },
        Layer::Names { data },
    ];
    for layer in layers {
        let drawing = drawn(&Chart { layers: vec![layer.clone()], ..Chart::default() });
        assert!(drawing.svg.len() < 600_000, "{}: {}", layer.name(), drawing.svg.len());
        if !matches!(layer, Layer::Line { .. }) {
            assert_eq!(drawing.notes.len(), 1, "{:?}", drawing.notes);
        }
    }
}

#[test]
fn the_style_of_numbers_reaches_labels_and_never_coordinates() {
    let chart = Chart {
        layers: vec![Layer::points(Data::xy(vec![0.0, -0.333], vec![0.1, 0.9]))],
        ..Chart::default()
    };
    let spanish = drawn(&chart).svg;
    let english = NumberStyle { decimal: '.', thousands: None, minus: '-' };
    let english = render(&chart, &english).unwrap().svg;
    assert!(spanish.contains(">−0,30</text>") && english.contains(">-0.30</text>"));
    let circles = |svg: &str| -> Vec<String> {
        let parts = svg.split("<circle ").skip(1);
        parts.map(|part| part.split('>').next().unwrap_or("").into()).collect()
    };
    assert_eq!(circles(&spanish), circles(&english));
    inside(&spanish);
}

#[test]
fn each_series_has_its_own_group_shape_and_dash() {
    let of = |series| Data::xy(vec![0.0, 1.0], vec![0.0, 1.0]).in_series(series);
    let mut layers: Vec<Layer> = (0..4).map(|i| Layer::points(of(i))).collect();
    layers.extend((0..4).map(|i| Layer::Line { data: of(i) }));
    let series = ["a", "b", "c", "d"].map(Series::named).to_vec();
    let svg = drawn(&Chart { series, layers, ..Chart::default() }).svg;
    for element in ["<circle", "<polygon", "<rect"] {
        assert!(svg.contains(element), "{element}");
    }
    let dashes: std::collections::BTreeSet<_> =
        svg.split("stroke-dasharray=\"").skip(1).map(|rest| rest.split('"').next()).collect();
    assert_eq!(dashes.len(), 3);
    assert!(svg.contains("class=\"serie serie-2\" data-serie=\"b\""));
    assert!(svg.contains("var(--serie-2, #eb6834)"));
}

#[test]
fn a_drawing_hard_codes_no_paper_and_no_size() {
    let layers = vec![Layer::points(Data::xy(vec![1.0], vec![1.0]))];
    let chart = Chart { title: "T".into(), layers, ..Chart::default() };
    let svg = drawn(&chart).svg;
    let opening = svg.split('>').next().unwrap();
    assert!(!opening.contains(" width=") && !opening.contains(" height="));
    assert!(!svg.contains("background") && !svg.contains("#fff"));
    assert!(opening.contains("role=\"img\""));
    assert!(opening.contains("aria-labelledby=\"figura-titulo figura-desc\""));
    assert!(svg.contains("<title id=\"figura-titulo\">T</title>"));
}

#[test]
fn ids_of_two_charts_and_of_both_widths_are_different() {
    let ids = |svg: &str| -> Vec<String> {
        svg.split(" id=\"")
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap_or("").into())
            .collect()
    };
    let style = NumberStyle::default();
    let mut all = vec![];
    for id in ["a", "b"] {
        let chart = Chart { id: id.into(), ..Chart::default() };
        all.extend(ids(&responsive(&chart, &drawn(&chart), &style).unwrap()));
    }
    let unique: std::collections::BTreeSet<_> = all.iter().collect();
    assert_eq!((all.len(), unique.len()), (8, 8));
}

#[test]
fn what_the_axes_do_not_show_is_told() {
    let chart = Chart {
        x: Axis { range: Some((0.0, 1.0)), ..Axis::default() },
        layers: vec![
            Layer::points(Data::xy(vec![0.5, 2.0, 3.0], vec![0.0, 1.0, 2.0])),
            Layer::reference(Direction::X, 7.0, "lejos", Dash::Solid),
        ],
        ..Chart::default()
    };
    let drawing = drawn(&chart);
    assert_eq!(
        drawing.notes,
        [
            "puntos: 2 datos quedan fuera de los ejes",
            "línea de referencia: queda fuera de los ejes"
        ]
    );
    assert!(!drawing.svg.contains("lejos"));
}
