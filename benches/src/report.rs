//! Writes pages of Markdown with tables and SVG plots.
//!
//! The crate plotters draws the plots. Its SVG backend writes text as SVG text, so no font file is read, and the
//! viewer's sans-serif font is used. Without a font, plotters can only guess how wide a text is. So this module
//! lays out the axes and the legend.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::{fs, io};

use plotters::coord::Shift;
use plotters::coord::combinators::BindKeyPoints;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// A page of Markdown, with its plots.
#[derive(Clone, Default, Debug)]
pub struct Page {
    markdown: String,
    plots: BTreeMap<String, String>,
}

impl Page {
    /// Adds a heading. Level 1 is the title of the page.
    pub fn heading(&mut self, level: usize, text: &str) {
        self.block(&format!("{} {text}", "#".repeat(level)));
    }

    /// Adds a paragraph or any other block of Markdown.
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

    /// Adds a plot, which is written to the file `name` in the folder of the page.
    pub fn plot(&mut self, name: &str, plot: &Plot) {
        self.block(&format!("![{}]({name})", plot.title));
        self.plots.insert(name.to_owned(), plot.svg());
    }

    /// Adds the content of another page.
    pub fn append(&mut self, other: Self) {
        self.block(&other.markdown);
        self.plots.extend(other.plots);
    }

    /// Returns the Markdown of the page.
    #[must_use]
    pub fn markdown(&self) -> &str {
        &self.markdown
    }

    /// Writes the page and its plots to a folder, which is created if it does not exist.
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

/// A table. The first column has names, and the others have numbers.
#[derive(Clone, Debug)]
pub struct Table {
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Creates a table with these columns.
    pub fn new<S: Into<String>>(heads: impl IntoIterator<Item = S>) -> Self {
        Self { heads: heads.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    ///
    /// # Panics
    ///
    /// If the number of cells is not the number of columns.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        let cells: Vec<_> = cells.into_iter().map(Into::into).collect();
        assert_eq!(
            cells.len(),
            self.heads.len(),
            "a row has as many cells as the table has columns: {cells:?}"
        );
        self.rows.push(cells);
    }

    /// Returns whether the table has no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the table in Markdown. Cells are padded, so that the source can be read as well.
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

/// Formats a number with three significant digits. A number of at least 1000 is rounded to an integer, and one below 1
/// has two decimals.
#[must_use]
pub fn digits(number: f64) -> String {
    match number.abs() {
        below if below < 9.995 => format!("{number:.2}"),
        below if below < 99.95 => format!("{number:.1}"),
        _ => format!("{number:.0}"),
    }
}

/// Formats a length, such as 64 KiB.
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

/// The scale of an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scale {
    /// Equal distances are equal differences.
    Linear,
    /// Equal distances are equal factors.
    Log,
    /// Equal distances are equal factors. The marks are at powers of two, for lengths.
    Lengths,
}

impl Scale {
    /// Returns the position of a value on the axis.
    fn position_of(self, value: f64) -> f64 {
        match self {
            Self::Linear => value,
            Self::Log => value.log10(),
            Self::Lengths => value.log2(),
        }
    }

    /// Returns the value at a position on the axis.
    fn value_at(self, position: f64) -> f64 {
        match self {
            Self::Linear => position,
            Self::Log => 10f64.powf(position),
            Self::Lengths => 2f64.powf(position),
        }
    }

    /// Returns about `count` values to mark between `low` and `high`.
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
        // A mark at the very end may be off by a rounding error.
        marks.retain(|mark| *mark >= low * 0.999_999 && *mark <= high * 1.000_001);
        marks
    }

    /// Returns the label of a mark.
    fn label(self, value: f64) -> String {
        match self {
            Self::Lengths => size(value as usize),
            _ if value >= 1000.0 && value.fract() == 0.0 => {
                // A narrow space separates the thousands, as in 20 000.
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
    /// What the axis shows, with the unit.
    pub title: String,
    /// The scale.
    pub scale: Scale,
}

impl Axis {
    /// Creates an axis.
    pub fn new(title: impl Into<String>, scale: Scale) -> Self {
        Self { title: title.into(), scale }
    }
}

/// The points of one contestant.
#[derive(Clone, Debug)]
pub struct Series {
    /// The name of the contestant, which also determines the colour.
    pub name: String,
    /// The points: (x, y) in a plot of lines, and (value, index of the row) in a plot of rows.
    pub points: Vec<(f64, f64)>,
}

/// The shape of a plot.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A line for each series.
    Lines {
        /// The horizontal axis.
        x: Axis,
        /// The vertical axis.
        y: Axis,
    },
    /// A row for each name, in which each series has a dot.
    Rows {
        /// The horizontal axis.
        x: Axis,
        /// The names, from top to bottom.
        names: Vec<String>,
    },
}

/// A plot.
#[derive(Clone, Debug)]
pub struct Plot {
    /// The title, above the plot.
    pub title: String,
    /// The lines in small print below the plot: CPU, compiler, command.
    pub caption: Vec<String>,
    /// The shape, with the axes.
    pub shape: Shape,
    /// The series.
    pub series: Vec<Series>,
}

/// The look of a contestant in every plot.
struct Look {
    color: RGBColor,
    width: u32,
    dashed: bool,
}

/// Returns the look of a contestant. Each peer has its own hue, trust8 is red and thick, and its kernels are dashed.
fn look_of(name: &str) -> Look {
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
            // The ways of a kernel and new contestants get a hue from their name, which is always the same.
            let hue =
                name.bytes().fold(7u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(u32::from(byte)));
            let (r, g, b) = HSLColor(f64::from(hue % 360) / 360.0, 0.6, 0.45).rgb();
            Look { color: RGBColor(r, g, b), width: 1, dashed: false }
        }
    }
}

const WIDTH: i32 = 1000;
/// The width of the legend, at the right.
const LEGEND: i32 = 200;
/// The height of the title.
const TOP: i32 = 50;
/// The height of a line of the legend or the caption.
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

    /// Returns the plot as the text of an SVG file.
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
        // Drawing into a string fails only if the layout above is wrong.
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
        self.draw_chart(&area)?;
        self.draw_legend(root)
    }

    fn draw_chart(&self, area: &Area<'_>) -> Result<(), Box<dyn std::error::Error + '_>> {
        let bounds = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            })
        };
        let points = || self.series.iter().flat_map(|series| &series.points);
        let across = bounds(&mut points().map(|point| point.0));
        let (x, y_title, y_range, y_marks, left) = match &self.shape {
            Shape::Lines { x, y } => {
                let (low, high) = axis_bounds(y.scale, bounds(&mut points().map(|point| point.1)), true);
                let marks: Vec<_> =
                    y.scale.marks(low, high, 8).into_iter().map(|mark| y.scale.position_of(mark)).collect();
                (x, y.title.clone(), y.scale.position_of(low)..y.scale.position_of(high), marks, 75)
            }
            Shape::Rows { x, names } => {
                let marks = (0..names.len()).map(|row| row as f64).collect();
                // The range is reversed, so that the first row is at the top.
                (x, String::new(), names.len() as f64 - 0.5..-0.5, marks, 150)
            }
        };
        let (low, high) = axis_bounds(x.scale, across, matches!(self.shape, Shape::Rows { .. }));
        let x_marks: Vec<_> =
            x.scale.marks(low, high, 14).into_iter().map(|mark| x.scale.position_of(mark)).collect();
        let x_range = x.scale.position_of(low)..x.scale.position_of(high);

        let mut chart = ChartBuilder::on(area)
            .margin_right(20)
            .margin_top(5)
            .x_label_area_size(50)
            .y_label_area_size(left)
            .build_cartesian_2d(
                x_range.with_key_points(x_marks.clone()),
                y_range.clone().with_key_points(y_marks.clone()),
            )?;
        // The grid and the labels are drawn here, because plotters leaves out marks that it thinks would collide.
        let plotting = chart.plotting_area();
        let (x_pixels, y_pixels) = plotting.get_pixel_range();
        let (left_edge, right_edge) = (x_pixels.start, x_pixels.end);
        let (top_edge, bottom_edge) = (y_pixels.start.min(y_pixels.end), y_pixels.start.max(y_pixels.end));
        let root = area.strip_coord_spec();
        let (area_x, area_y) = area.get_pixel_range();
        let to_area = |(x, y): (i32, i32)| (x - area_x.start, y - area_y.start);
        for mark in &x_marks {
            let (pixel, _) = plotting.map_coordinate(&(*mark, y_range.start));
            line(&root, to_area((pixel, top_edge)), to_area((pixel, bottom_edge)), GRID)?;
            let label = x.scale.label(x.scale.value_at(*mark));
            text(&root, &label, to_area((pixel, bottom_edge + 6)), 13, HPos::Center)?;
        }
        for (row, mark) in y_marks.iter().enumerate() {
            let (_, pixel) = plotting.map_coordinate(&(x.scale.position_of(low), *mark));
            line(&root, to_area((left_edge, pixel)), to_area((right_edge, pixel)), GRID)?;
            let label = match &self.shape {
                Shape::Lines { y, .. } => y.scale.label(y.scale.value_at(*mark)),
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

        // Thick series are drawn last, so that nothing covers them.
        let mut series: Vec<_> = self.series.iter().collect();
        series.sort_by_key(|series| look_of(&series.name).width);
        for Series { name, points } in series {
            let Look { color, width, dashed } = look_of(name);
            let style = ShapeStyle::from(color).stroke_width(width);
            match &self.shape {
                Shape::Lines { x, y } => {
                    let places =
                        points.iter().map(|&(a, b)| (x.scale.position_of(a), y.scale.position_of(b)));
                    if dashed {
                        chart.draw_series(DashedLineSeries::new(places, 7, 4, style))?;
                    } else {
                        chart.draw_series(LineSeries::new(places, style))?;
                    }
                }
                Shape::Rows { x, .. } => {
                    let style = if dashed { style } else { ShapeStyle::from(color).filled() };
                    let radius = 4 + i32::from(width > 2) * 3;
                    let place = |&(value, row): &(f64, f64)| {
                        Circle::new((x.scale.position_of(value), row), radius, style)
                    };
                    chart.draw_series(points.iter().map(place))?;
                }
            }
        }
        Ok(())
    }

    /// Draws the names. In a plot of lines they are in the order of the last points, from top to bottom. In a plot of
    /// rows they are in the order of the mean (geometric), from the highest to the lowest.
    fn draw_legend(&self, root: &Area<'_>) -> Result<(), Box<dyn std::error::Error + '_>> {
        let height = |series: &Series| match self.shape {
            Shape::Lines { .. } => series.points.last().map_or(0.0, |point| point.1),
            Shape::Rows { .. } => series.points.iter().map(|point| point.0.ln()).sum(),
        };
        let mut series: Vec<_> = self.series.iter().collect();
        series.sort_by(|a, b| height(b).total_cmp(&height(a)));
        for (i, series) in series.iter().enumerate() {
            let Look { color, width, dashed } = look_of(&series.name);
            let (x, y) = (WIDTH - LEGEND + 4, TOP + 16 + i as i32 * (LINE + 4));
            let style = ShapeStyle::from(color).stroke_width(width);
            match self.shape {
                Shape::Lines { .. } => {
                    // A dashed line is drawn as two dashes.
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

/// Returns the lowest and the highest value on an axis. With `margin`, the axis extends a bit beyond the values.
fn axis_bounds(scale: Scale, (low, high): (f64, f64), margin: bool) -> (f64, f64) {
    match scale {
        Scale::Linear => (low.min(0.0), if margin { high * 1.05 } else { high.max(low + 1.0) }),
        _ if margin || low == high => (low / 1.15, high * 1.15),
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
    fn sizes_have_units() {
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
    #[should_panic(expected = "as many cells as the table has columns")]
    fn a_row_that_is_too_short_is_refused() {
        Table::new(["a", "b"]).row(["1"]);
    }

    #[test]
    fn contestants_of_one_plot_look_different() {
        let names: Vec<_> =
            crate::contestants::contestants().into_iter().map(|contestant| contestant.name).collect();
        for (i, a) in names.iter().enumerate() {
            for b in &names[..i] {
                assert_ne!(look_of(a).color, look_of(b).color, "{a}, {b}");
            }
        }
    }
}
