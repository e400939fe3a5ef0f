//! Tables in Markdown and plots in SVG.
//!
//! The plots are drawn with the crate plotters, whose SVG backend writes text as text: no font file is
//! read, the viewer's own sans-serif is used. Axes and legends are laid out here, because without a font
//! plotters can only guess how wide a text is.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::{fs, io};

use plotters::coord::Shift;
use plotters::coord::combinators::BindKeyPoints;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// A page of Markdown, and the plots that it shows.
#[derive(Clone, Default, Debug)]
pub struct Page {
    markdown: String,
    plots: BTreeMap<String, String>,
}

impl Page {
    /// Adds a heading; level 1 is the page's own.
    pub fn heading(&mut self, level: usize, text: &str) {
        self.block(&format!("{} {text}", "#".repeat(level)));
    }

    /// Adds a paragraph, or any other block of Markdown.
    pub fn block(&mut self, text: &str) {
        if !self.markdown.is_empty() {
            self.markdown.push('\n');
        }
        self.markdown.push_str(text.trim_end());
        self.markdown.push('\n');
    }

    /// Adds a table.
    pub fn table(&mut self, table: &Table) {
        self.block(&table.markdown());
    }

    /// Adds a plot, which will lie in the file `name` beside the page.
    pub fn plot(&mut self, name: &str, plot: &Plot) {
        self.block(&format!("![{}]({name})", plot.title));
        self.plots.insert(name.to_owned(), plot.svg());
    }

    /// Adds all of another page.
    pub fn append(&mut self, other: Self) {
        self.block(&other.markdown);
        self.plots.extend(other.plots);
    }

    /// The page's Markdown.
    #[must_use]
    pub fn markdown(&self) -> &str {
        &self.markdown
    }

    /// Writes the page and its plots into a folder, which is created if need be.
    ///
    /// # Errors
    ///
    /// If the folder or a file cannot be written.
    pub fn write(&self, folder: &Path, name: &str) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        fs::write(folder.join(name), &self.markdown)?;
        self.plots.iter().try_for_each(|(name, svg)| fs::write(folder.join(name), svg))
    }
}

/// A table: the first column holds names, the others numbers.
#[derive(Clone, Debug)]
pub struct Table {
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns.
    pub fn new<S: Into<String>>(heads: impl IntoIterator<Item = S>) -> Self {
        Self { heads: heads.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    ///
    /// # Panics
    ///
    /// If it has not as many cells as the table has columns.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        let cells: Vec<_> = cells.into_iter().map(Into::into).collect();
        assert_eq!(cells.len(), self.heads.len(), "as many cells as columns: {cells:?}");
        self.rows.push(cells);
    }

    /// Whether nothing was added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table in Markdown, padded so that it can be read as it stands.
    #[must_use]
    pub fn markdown(&self) -> String {
        let width = |column: usize| {
            let cells = self.rows.iter().chain([&self.heads]).map(|row| row[column].chars().count());
            cells.max().unwrap_or(0).max(3)
        };
        let widths: Vec<_> = (0..self.heads.len()).map(width).collect();
        let mut text = String::new();
        let mut line = |cells: &[String]| {
            for (i, (cell, width)) in cells.iter().zip(&widths).enumerate() {
                let _ = if i == 0 {
                    write!(text, "| {cell:<width$} ")
                } else {
                    write!(text, "| {cell:>width$} ")
                };
            }
            text.push_str("|\n");
        };
        line(&self.heads);
        let rules = widths.iter().enumerate().map(|(i, width)| match i {
            0 => "-".repeat(*width),
            _ => "-".repeat(width - 1) + ":",
        });
        line(&rules.collect::<Vec<_>>());
        for row in &self.rows {
            line(row);
        }
        text
    }
}

/// A number with three digits that count, as far as there is something behind the point.
#[must_use]
pub fn digits(number: f64) -> String {
    match number.abs() {
        below if below < 9.995 => format!("{number:.2}"),
        below if below < 99.95 => format!("{number:.1}"),
        _ => format!("{number:.0}"),
    }
}

/// A length as it is said: 64 KiB.
#[must_use]
pub fn size(bytes: usize) -> String {
    match bytes {
        0 => "0".to_owned(),
        _ if bytes.is_multiple_of(1 << 30) => format!("{} GiB", bytes >> 30),
        _ if bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        _ if bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        _ => format!("{bytes}"),
    }
}

/// An axis's scale.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scale {
    /// Equal steps.
    Linear,
    /// Equal factors.
    Log,
    /// Equal factors, marked at powers of two as lengths are.
    Lengths,
}

impl Scale {
    /// Where a value lies, in a unit in which the axis is linear.
    fn place(self, value: f64) -> f64 {
        match self {
            Self::Linear => value,
            Self::Log => value.log10(),
            Self::Lengths => value.log2(),
        }
    }

    /// The values to mark between two others, about `count` of them.
    fn marks(self, low: f64, high: f64, count: usize) -> Vec<f64> {
        let decades =
            || (low.log10().floor() as i32..=high.log10().ceil() as i32).map(|power| 10f64.powi(power));
        let mut marks: Vec<f64> = match self {
            Self::Linear => {
                let rough = (high - low) / count as f64;
                let power = 10f64.powf(rough.log10().floor());
                let step =
                    [1.0, 2.0, 5.0, 10.0].iter().map(|factor| factor * power).find(|step| *step >= rough);
                let step = step.unwrap_or(rough);
                let first = (low / step).ceil() as i64;
                (first..=(high / step).floor() as i64).map(|i| i as f64 * step).collect()
            }
            Self::Log if (high / low).log10() <= 4.0 => {
                decades().flat_map(|decade| [decade, 2.0 * decade, 5.0 * decade]).collect()
            }
            Self::Log => decades().collect(),
            Self::Lengths => {
                let (first, last) = (low.log2().ceil() as i32, high.log2().floor() as i32);
                let step = ((last - first) as usize).div_ceil(count).max(1);
                (first..=last).step_by(step).map(|power| 2f64.powi(power)).collect()
            }
        };
        // A hair's breadth of tolerance for a mark at the very end.
        marks.retain(|mark| *mark >= low * 0.999_999 && *mark <= high * 1.000_001);
        marks
    }

    fn label(self, value: f64) -> String {
        match self {
            Self::Lengths => size(value as usize),
            _ if value >= 1000.0 && value.fract() == 0.0 => {
                // Thousands apart: 20 000.
                let text = format!("{value:.0}");
                let (head, tail) = text.split_at(text.len() - 3);
                format!("{head}\u{202F}{tail}")
            }
            _ => format!("{}", (value * 1000.0).round() / 1000.0),
        }
    }
}

/// An axis.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What it shows, with the unit.
    pub title: String,
    /// How.
    pub scale: Scale,
}

impl Axis {
    /// An axis.
    pub fn new(title: impl Into<String>, scale: Scale) -> Self {
        Self { title: title.into(), scale }
    }
}

/// One contestant's points.
#[derive(Clone, Debug)]
pub struct Series {
    /// The contestant, by whose name the colour is chosen.
    pub name: String,
    /// In a plot of lines (x, y); in a plot of rows (value, number of the row).
    pub points: Vec<(f64, f64)>,
}

/// What a plot shows.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A line for each series.
    Lines {
        /// To the right.
        x: Axis,
        /// Upwards.
        y: Axis,
    },
    /// A row for each name, with a dot in it for each series.
    Rows {
        /// To the right.
        x: Axis,
        /// From top to bottom.
        names: Vec<String>,
    },
}

/// A plot.
#[derive(Clone, Debug)]
pub struct Plot {
    /// Above it.
    pub title: String,
    /// Below it, in small print, one line each: CPU, compiler, command.
    pub caption: Vec<String>,
    /// Its axes.
    pub shape: Shape,
    /// What is in it.
    pub series: Vec<Series>,
}

/// How a contestant looks in every plot.
struct Look {
    color: RGBColor,
    width: u32,
    dashed: bool,
}

/// Peers have a hue each; trust8 is red and thick; its kernels are dashed.
fn look(name: &str) -> Look {
    let plain = |r, g, b| Look { color: RGBColor(r, g, b), width: 2, dashed: false };
    let dashed = |r, g, b| Look { color: RGBColor(r, g, b), width: 2, dashed: true };
    match name {
        "trust8" => Look { color: RGBColor(214, 20, 40), width: 4, dashed: false },
        "trust8 from_utf8" => plain(250, 130, 130),
        "trust8 avx512" => dashed(150, 0, 90),
        "trust8 avx2" | "trust8 neon" => dashed(240, 130, 0),
        "trust8 sse4.2" => dashed(150, 100, 20),
        "trust8 scalar" => dashed(60, 60, 60),
        "std" => plain(130, 130, 130),
        "encoding_rs" => plain(0, 180, 195),
        "bstr" => plain(155, 105, 205),
        "simdutf8 basic" => plain(30, 100, 220),
        "simdutf8 compat" => plain(130, 175, 235),
        "simdutf8 avx2" => plain(10, 50, 130),
        "simdutf8 sse4.2" => plain(100, 150, 160),
        "simdutf C++" => plain(30, 150, 50),
        "read loop" => Look { color: RGBColor(0, 0, 0), width: 1, dashed: true },
        "call alone" => Look { color: RGBColor(170, 170, 170), width: 1, dashed: true },
        _ => {
            // The ways of a kernel, and whatever is new: some hue, but always the same.
            let hue =
                name.bytes().fold(7u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(u32::from(byte)));
            let (r, g, b) = HSLColor(f64::from(hue % 360) / 360.0, 0.6, 0.45).rgb();
            Look { color: RGBColor(r, g, b), width: 1, dashed: false }
        }
    }
}

const WIDTH: i32 = 1000;
/// Room for the legend at the right.
const LEGEND: i32 = 200;
/// Room for the title.
const TOP: i32 = 50;
/// A line of the legend or of the caption.
const LINE: i32 = 18;
const INK: RGBColor = RGBColor(40, 40, 40);
const GRID: RGBColor = RGBColor(225, 225, 225);

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

impl Plot {
    fn height(&self) -> i32 {
        let caption = self.caption.len() as i32 * LINE + 20;
        let inner = match &self.shape {
            Shape::Lines { .. } => 500,
            Shape::Rows { names, .. } => names.len() as i32 * 34 + 70,
        };
        TOP + inner.max(self.series.len() as i32 * (LINE + 4) + 30) + caption
    }

    /// The plot as an SVG file.
    ///
    /// # Panics
    ///
    /// If there is nothing to draw.
    #[must_use]
    pub fn svg(&self) -> String {
        let points = || self.series.iter().flat_map(|series| &series.points);
        assert!(points().next().is_some(), "something to draw in {:?}", self.title);
        let mut svg = String::new();
        let root =
            SVGBackend::with_string(&mut svg, (WIDTH as u32, self.height() as u32)).into_drawing_area();
        // Drawing into a string can fail only through a mistake in the layout above.
        self.draw(&root).expect("a plot that fits its area");
        drop(root);
        svg
    }

    fn draw(&self, root: &Area<'_>) -> Result<(), Box<dyn std::error::Error + '_>> {
        root.fill(&WHITE)?;
        text(root, &self.title, (20, 18), 20, HPos::Left)?;
        let height = self.height();
        let caption = self.caption.len() as i32 * LINE;
        for (i, line) in self.caption.iter().enumerate() {
            text(root, line, (20, height - caption - 8 + i as i32 * LINE), 12, HPos::Left)?;
        }
        let inner = (WIDTH - LEGEND, height - TOP - caption - 20);
        let area = root.clone().shrink((0, TOP), inner);
        self.draw_inside(&area)?;
        self.draw_legend(root)
    }

    fn draw_inside(&self, area: &Area<'_>) -> Result<(), Box<dyn std::error::Error + '_>> {
        let bounds = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            })
        };
        let points = || self.series.iter().flat_map(|series| &series.points);
        let across = bounds(&mut points().map(|point| point.0));
        let (x, y_title, y_range, y_marks, left) = match &self.shape {
            Shape::Lines { x, y } => {
                let (low, high) = range(y.scale, bounds(&mut points().map(|point| point.1)), true);
                let marks: Vec<_> =
                    y.scale.marks(low, high, 8).into_iter().map(|mark| y.scale.place(mark)).collect();
                (x, y.title.clone(), y.scale.place(low)..y.scale.place(high), marks, 75)
            }
            Shape::Rows { x, names } => {
                let marks = (0..names.len()).map(|row| row as f64).collect();
                // Turned round, so that the first row is at the top.
                (x, String::new(), names.len() as f64 - 0.5..-0.5, marks, 150)
            }
        };
        let (low, high) = range(x.scale, across, matches!(self.shape, Shape::Rows { .. }));
        let x_marks: Vec<_> =
            x.scale.marks(low, high, 14).into_iter().map(|mark| x.scale.place(mark)).collect();
        let x_range = x.scale.place(low)..x.scale.place(high);

        let mut chart = ChartBuilder::on(area)
            .margin_right(20)
            .margin_top(5)
            .x_label_area_size(50)
            .y_label_area_size(left)
            .build_cartesian_2d(
                x_range.with_key_points(x_marks.clone()),
                y_range.clone().with_key_points(y_marks.clone()),
            )?;
        // Grid and labels by hand: plotters leaves out marks that it thinks would collide.
        let plotting = chart.plotting_area();
        let (x_pixels, y_pixels) = plotting.get_pixel_range();
        let (left_edge, right_edge) = (x_pixels.start, x_pixels.end);
        let (top_edge, bottom_edge) = (y_pixels.start.min(y_pixels.end), y_pixels.start.max(y_pixels.end));
        let root = area.strip_coord_spec();
        let (area_x, area_y) = area.get_pixel_range();
        let to_area = |(x, y): (i32, i32)| (x - area_x.start, y - area_y.start);
        let unplace = |scale: Scale, place: f64| match scale {
            Scale::Linear => place,
            Scale::Log => 10f64.powf(place),
            Scale::Lengths => 2f64.powf(place),
        };
        for mark in &x_marks {
            let (pixel, _) = plotting.map_coordinate(&(*mark, y_range.start));
            line(&root, to_area((pixel, top_edge)), to_area((pixel, bottom_edge)), GRID)?;
            let label = x.scale.label(unplace(x.scale, *mark));
            text(&root, &label, to_area((pixel, bottom_edge + 6)), 13, HPos::Center)?;
        }
        for (row, mark) in y_marks.iter().enumerate() {
            let (_, pixel) = plotting.map_coordinate(&(x.scale.place(low), *mark));
            line(&root, to_area((left_edge, pixel)), to_area((right_edge, pixel)), GRID)?;
            let label = match &self.shape {
                Shape::Lines { y, .. } => y.scale.label(unplace(y.scale, *mark)),
                Shape::Rows { names, .. } => names[row].clone(),
            };
            text(&root, &label, to_area((left_edge - 8, pixel - 7)), 13, HPos::Right)?;
        }
        line(&root, to_area((left_edge, bottom_edge)), to_area((right_edge, bottom_edge)), INK)?;
        line(&root, to_area((left_edge, top_edge)), to_area((left_edge, bottom_edge)), INK)?;
        let middle = (left_edge + right_edge) / 2;
        text(&root, &x.title, to_area((middle, bottom_edge + 26)), 14, HPos::Center)?;
        if !y_title.is_empty() {
            let style = TextStyle::from(("sans-serif", 14).into_font()).color(&INK);
            let style = style.transform(FontTransform::Rotate270).pos(Pos::new(HPos::Center, VPos::Top));
            root.draw_text(&y_title, &style, to_area((area_x.start + 6, (top_edge + bottom_edge) / 2)))?;
        }

        // Those that stand out last, so that nothing covers them.
        let mut series: Vec<_> = self.series.iter().collect();
        series.sort_by_key(|series| look(&series.name).width);
        for Series { name, points } in series {
            let Look { color, width, dashed } = look(name);
            let style = ShapeStyle::from(color).stroke_width(width);
            match &self.shape {
                Shape::Lines { x, y } => {
                    let places = points.iter().map(|&(a, b)| (x.scale.place(a), y.scale.place(b)));
                    if dashed {
                        chart.draw_series(DashedLineSeries::new(places, 7, 4, style))?;
                    } else {
                        chart.draw_series(LineSeries::new(places, style))?;
                    }
                }
                Shape::Rows { x, .. } => {
                    let style = if dashed { style } else { ShapeStyle::from(color).filled() };
                    let radius = 4 + i32::from(width > 2) * 3;
                    let place =
                        |&(value, row): &(f64, f64)| Circle::new((x.scale.place(value), row), radius, style);
                    chart.draw_series(points.iter().map(place))?;
                }
            }
        }
        Ok(())
    }

    /// The names, in the order in which the lines end, or the dots lie, from the best to the worst of a
    /// throughput and from top to bottom in any case.
    fn draw_legend(&self, root: &Area<'_>) -> Result<(), Box<dyn std::error::Error + '_>> {
        let height = |series: &Series| match self.shape {
            Shape::Lines { .. } => series.points.last().map_or(0.0, |point| point.1),
            Shape::Rows { .. } => series.points.iter().map(|point| point.0.ln()).sum(),
        };
        let mut series: Vec<_> = self.series.iter().collect();
        series.sort_by(|a, b| height(b).total_cmp(&height(a)));
        for (i, series) in series.iter().enumerate() {
            let Look { color, width, dashed } = look(&series.name);
            let (x, y) = (WIDTH - LEGEND + 4, TOP + 16 + i as i32 * (LINE + 4));
            let style = ShapeStyle::from(color).stroke_width(width);
            match self.shape {
                Shape::Lines { .. } => {
                    // A dashed line is two dashes.
                    let ends = if dashed { vec![(0, 11), (16, 27)] } else { vec![(0, 27)] };
                    for (from, to) in ends {
                        root.draw(&PathElement::new([(x + from, y), (x + to, y)], style))?;
                    }
                }
                Shape::Rows { .. } => {
                    let style = if dashed { style } else { ShapeStyle::from(color).filled() };
                    root.draw(&Circle::new((x + 14, y), 4 + i32::from(width > 2) * 3, style))?;
                }
            }
            text(root, &series.name, (x + 36, y - 7), 13, HPos::Left)?;
        }
        Ok(())
    }
}

/// The values that an axis shows: all that there are, and some room where the axis is to end at a value of
/// no meaning.
fn range(scale: Scale, (low, high): (f64, f64), room: bool) -> (f64, f64) {
    match scale {
        Scale::Linear => (low.min(0.0), if room { high * 1.05 } else { high.max(low + 1.0) }),
        _ if room || low == high => (low / 1.15, high * 1.15),
        _ => (low, high),
    }
}

fn text(
    area: &Area<'_>,
    text: &str,
    (x, y): (i32, i32),
    size: i32,
    anchor: HPos,
) -> Result<(), Box<dyn std::error::Error + 'static>> {
    let style =
        TextStyle::from(("sans-serif", size).into_font()).color(&INK).pos(Pos::new(anchor, VPos::Top));
    area.draw_text(text, &style, (x, y)).map_err(|error| error.to_string().into())
}

fn line(
    area: &Area<'_>,
    from: (i32, i32),
    to: (i32, i32),
    color: RGBColor,
) -> Result<(), Box<dyn std::error::Error + 'static>> {
    area.draw(&PathElement::new([from, to], color)).map_err(|error| error.to_string().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        let all = [0.0, 0.949, 1.0, 9.994, 9.996, 12.345, 99.94, 99.96, 1234.5].map(digits);
        assert_eq!(all, ["0.00", "0.95", "1.00", "9.99", "10.0", "12.3", "99.9", "100", "1234"]);
    }

    #[test]
    fn sizes_are_said_as_people_say_them() {
        let all = [0, 1, 1000, 1024, 1536, 65_536, 1 << 20, 16 << 20, 1 << 30].map(size);
        assert_eq!(all, ["0", "1", "1000", "1 KiB", "1536", "64 KiB", "1 MiB", "16 MiB", "1 GiB"]);
    }

    #[test]
    fn marks_are_round_and_inside() {
        assert_eq!(
            Scale::Linear.marks(0.0, 256.0, 14),
            (0..=12).map(|i| f64::from(i) * 20.0).collect::<Vec<_>>()
        );
        assert_eq!(Scale::Log.marks(0.8, 60.0, 8), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0]);
        assert_eq!(Scale::Log.marks(1.0, 1e6, 8), [1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6]);
        assert_eq!(Scale::Lengths.marks(1.0, 1024.0, 5), [1.0, 4.0, 16.0, 64.0, 256.0, 1024.0]);
        assert_eq!(Scale::Log.label(20_000.0), "20\u{202F}000");
        assert_eq!(Scale::Lengths.label(65_536.0), "64 KiB");
        assert_eq!(Scale::Linear.label(0.5), "0.5");
    }

    #[test]
    #[should_panic(expected = "as many cells as columns")]
    fn a_row_that_is_too_short_is_refused() {
        Table::new(["a", "b"]).row(["1"]);
    }

    #[test]
    fn contestants_of_one_plot_look_different() {
        let names: Vec<_> =
            crate::contestants::contestants().into_iter().map(|contestant| contestant.name).collect();
        for (i, a) in names.iter().enumerate() {
            for b in &names[..i] {
                assert_ne!(look(a).color, look(b).color, "{a}, {b}");
            }
        }
    }
}
