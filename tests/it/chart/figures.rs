//! The report's figures on made-up data, for the tests and for the gallery.

use escritura::chart::{
    Axis, Chart, Dash, Data, Direction, Facets, Layer, Scale, Series, Shape, day,
};

/// A number in [0, 1) for each position and seed, the same everywhere (SplitMix64).
fn uniform(i: usize, seed: u64) -> f64 {
    let mut z = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(seed << 32);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) as f64 / u64::MAX as f64
}

/// About normal: the sum of twelve uniforms, minus six.
fn bell(i: usize, seed: u64) -> f64 {
    (0..12).map(|j| uniform(i * 12 + j, seed)).sum::<f64>() - 6.0
}

fn axis(label: &str) -> Axis {
    Axis { label: label.into(), ..Axis::default() }
}

fn families() -> Vec<Series> {
    [
        ("Línea base RAG (2023-2024)", "#eb6834"),
        ("mini-SWE-agent (bash-only)", "#1baf7a"),
        ("Otros agentes", "#2a78d6"),
    ]
    .map(|(name, colour)| Series { colour: Some(colour.into()), ..Series::named(name) })
    .to_vec()
}

struct Systems {
    date: Vec<f64>,
    theta: Vec<f64>,
    family: Vec<usize>,
    label: Vec<String>,
}

fn systems() -> Systems {
    let start = day(jiff::civil::date(2023, 10, 10));
    let mut systems = Systems { date: vec![], theta: vec![], family: vec![], label: vec![] };
    for i in 0..158 {
        let age = 880.0 * (i as f64 / 158.0).powf(0.7);
        let family = match i {
            0..12 => 0,
            _ if i % 6 == 0 => 1,
            _ => 2,
        };
        systems.date.push(start + age.floor());
        let theta = if family == 0 { -4.6 } else { -1.4 + age / 300.0 };
        systems.theta.push(theta + 0.8 * bell(i, 1));
        systems.family.push(family);
        systems.label.push(format!("sistema-{i:03}"));
    }
    systems
}

fn resolved(theta: f64) -> f64 {
    (500.0 / (1.0 + (-0.6 * theta).exp())).round()
}

impl Systems {
    fn data(&self, y: Vec<f64>) -> Data {
        Data {
            x: self.date.clone(),
            y,
            series: self.family.clone(),
            label: self.label.clone(),
            ..Data::default()
        }
    }
}

fn difficulties() -> Vec<f64> {
    (0..469).map(|i| 0.3 + 1.9 * bell(i, 2)).collect()
}

fn chart(id: &str, title: &str, x: Axis, y: Axis) -> Chart {
    Chart {
        id: id.into(),
        title: title.into(),
        description: format!("{title}, con datos inventados."),
        x,
        y,
        ..Chart::default()
    }
}

pub fn scores() -> Chart {
    let systems = systems();
    let y = systems.theta.iter().map(|theta| resolved(*theta)).collect();
    Chart {
        series: families(),
        layers: vec![Layer::points(systems.data(y))],
        ..chart(
            "puntajes",
            "Puntaje de cada envío según su fecha",
            Axis { scale: Scale::Date, ..axis("Fecha del envío") },
            Axis { range: Some((0.0, 500.0)), ..axis("Reactivos resueltos") },
        )
    }
}

pub fn proportions() -> Chart {
    let p = difficulties().iter().map(|b| 1.0 / (1.0 + b.exp())).collect();
    let histogram =
        Layer::Histogram { data: Data::of(p), width: 0.025, start: 0.0, mirrored: false };
    Chart {
        layers: vec![histogram],
        ..chart(
            "proporciones",
            "Proporción de envíos que resuelven cada reactivo",
            Axis { range: Some((0.0, 1.0)), ..axis("Proporción de envíos que lo resuelven") },
            axis("Reactivos"),
        )
    }
}

pub fn eigenvalues() -> Chart {
    let position: Vec<f64> = (1..=10).map(f64::from).collect();
    let curve = |first: f64, rest: f64| -> Vec<f64> {
        position.iter().map(|i| if *i == 1.0 { first } else { rest / i.powf(0.8) }).collect()
    };
    let curves = [curve(280.0, 62.0), curve(190.0, 45.0), curve(14.5, 15.0)];
    let mut layers = vec![];
    for (i, y) in curves.into_iter().enumerate() {
        let data = Data::xy(position.clone(), y).in_series(i);
        layers.push(Layer::Line { data: data.clone() });
        layers.push(Layer::points(data));
    }
    let series =
        |name: &str, colour: &str| Series { colour: Some(colour.into()), ..Series::named(name) };
    Chart {
        series: vec![
            series("Tetracóricas", "#2a78d6"),
            series("Phi", "#1baf7a"),
            Series {
                shape: Some(Shape::Diamond),
                dash: Some(Dash::Dotted),
                ..series("Permutaciones, percentil 95", "#888888")
            },
        ],
        layers,
        ..chart("valores-propios", "Valores propios", axis("Posición"), axis("Valor propio"))
    }
}

pub fn information() -> Chart {
    let difficulties = difficulties();
    let theta: Vec<f64> = (-700..=700).map(|i| f64::from(i) / 100.0).collect();
    let at = |theta: f64| -> f64 {
        let item = |b: &f64| {
            let p = 1.0 / (1.0 + (b - theta).exp());
            p * (1.0 - p)
        };
        difficulties.iter().map(item).sum()
    };
    let information = theta.iter().map(|theta| at(*theta)).collect();
    let systems = systems();
    let top = systems.theta.iter().copied().fold(f64::MIN, f64::max);
    let rug = Data { x: systems.theta.clone(), series: systems.family, ..Data::default() };
    Chart {
        series: families(),
        layers: vec![
            Layer::reference(Direction::X, top, "mejor sistema", Dash::Dashed),
            Layer::reference(Direction::X, 0.2, "máximo", Dash::Dotted),
            Layer::Line { data: Data::xy(theta, information) },
            Layer::Rug { data: rug, along: Direction::X },
        ],
        ..chart(
            "informacion",
            "Información de la prueba",
            Axis { range: Some((-7.0, 7.0)), ..axis("Habilidad θ (logits)") },
            axis("Información"),
        )
    }
}

pub fn map() -> Chart {
    let half = |x: Vec<f64>, series: usize, mirrored: bool| Layer::Histogram {
        data: Data::of(x).in_series(series),
        width: 0.25,
        start: 0.0,
        mirrored,
    };
    let systems = systems();
    let top = systems.theta.iter().copied().fold(f64::MIN, f64::max);
    Chart {
        series: vec![Series::named("Reactivos (dificultad b)"), Series::named("Envíos (θ)")],
        layers: vec![
            half(difficulties(), 0, false),
            half(systems.theta, 1, true),
            Layer::reference(Direction::X, top, "mejor sistema", Dash::Dashed),
        ],
        ..chart("mapa", "Mapa de reactivos y envíos", axis("Logits"), axis("Reactivos y envíos"))
    }
}

pub fn map_in_panels() -> Chart {
    let half = |x: Vec<f64>, panel: usize| Layer::Histogram {
        data: Data::of(x).in_series(panel).in_facet(panel),
        width: 0.25,
        start: 0.0,
        mirrored: false,
    };
    let labels = vec!["Reactivos (dificultad b)".to_string(), "Envíos (θ)".to_string()];
    Chart {
        id: "mapa-paneles".into(),
        facets: Facets { labels, free_y: true, ..Facets::default() },
        layers: vec![
            half(difficulties(), 0),
            half(systems().theta, 1),
            Layer::reference(Direction::X, 3.4, "mejor sistema", Dash::Dashed),
        ],
        ..map()
    }
}

pub fn trend() -> Chart {
    let systems = systems();
    let date: Vec<f64> = (0..90).map(|i| systems.date[12] + 7.0 * f64::from(i)).collect();
    let curve: Vec<f64> = date.iter().map(|day| -1.1 + (day - systems.date[12]) / 320.0).collect();
    let off = |by: f64| curve.iter().map(|y| y + by).collect::<Vec<_>>();
    Chart {
        series: families(),
        layers: vec![
            Layer::Band { data: Data::of(date.clone()), low: off(-0.3), high: off(0.3) },
            Layer::points(systems.data(systems.theta.clone())),
            Layer::Line { data: Data::xy(date, curve.clone()) },
            Layer::reference(Direction::Y, 0.2, "máximo de información", Dash::Dotted),
        ],
        ..chart(
            "tendencia",
            "Habilidad según la fecha",
            Axis { scale: Scale::Date, ..axis("Fecha del envío") },
            axis("Habilidad θ (logits)"),
        )
    }
}

pub fn intervals() -> Chart {
    let systems = systems();
    let mut order: Vec<usize> = (0..158).collect();
    order.sort_by(|a, b| systems.theta[*b].total_cmp(&systems.theta[*a]));
    let top = &order[..40];
    let names = top.iter().map(|i| format!("20260{}_{}", i % 9, systems.label[*i])).collect();
    let theta: Vec<f64> = top.iter().map(|i| systems.theta[*i]).collect();
    let data = Data {
        x: theta.clone(),
        y: (0..40).map(f64::from).collect(),
        series: top.iter().map(|i| systems.family[*i]).collect(),
        ..Data::default()
    };
    let end = |by: f64| theta.iter().map(|theta| theta + by).collect();
    Chart {
        series: families(),
        layers: vec![Layer::Interval { data, low: end(-0.4), high: end(0.4), along: Direction::X }],
        ..chart(
            "primeros",
            "Los cuarenta primeros y su intervalo",
            axis("Habilidad θ (logits), con intervalo de 95%"),
            Axis { scale: Scale::Category(names), ..Axis::default() },
        )
    }
}

pub fn differential() -> Chart {
    let n = 60;
    let x: Vec<f64> = (0..n).map(|i| 0.3 + 1.5 * bell(i, 3)).collect();
    let y: Vec<f64> = (0..n).map(|i| 0.8 * bell(i, 4)).collect();
    let class: Vec<usize> =
        y.iter().map(|d| usize::from(d.abs() > 1.0) + usize::from(d.abs() > 1.5)).collect();
    let label: Vec<String> = (0..n).map(|i| format!("repo__proyecto-{}", 1000 + i)).collect();
    let points = Data { x, y, series: class.clone(), label, ..Data::default() };
    let of_class_c = |column: &[f64]| {
        column.iter().zip(&class).filter(|(_, c)| **c == 2).map(|(v, _)| *v).collect()
    };
    let named = Data {
        x: of_class_c(&points.x),
        y: of_class_c(&points.y),
        label: points
            .label
            .iter()
            .zip(&class)
            .filter(|(_, c)| **c == 2)
            .map(|(l, _)| l.clone())
            .collect(),
        ..Data::default()
    };
    Chart {
        series: vec![Series::named("Clase A"), Series::named("Clase B"), Series::named("Clase C")],
        layers: vec![
            Layer::reference(Direction::Y, 1.5, "favorece a mini-SWE-agent", Dash::Dashed),
            Layer::reference(Direction::Y, -1.5, "favorece a los demás", Dash::Dashed),
            Layer::points(points),
            Layer::Names { data: named },
        ],
        ..chart(
            "dif",
            "Funcionamiento diferencial",
            axis("Dificultad b (logits)"),
            axis("Δ de Mantel-Haenszel"),
        )
    }
}

/// Every figure of the gallery.
pub fn all() -> Vec<Chart> {
    vec![
        scores(),
        proportions(),
        eigenvalues(),
        information(),
        map(),
        map_in_panels(),
        trend(),
        intervals(),
        differential(),
    ]
}
