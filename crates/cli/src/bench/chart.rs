//! Draws the results: for each text, a bar for each contestant.

use std::fmt::Write;

use super::Results;

const WIDTH: usize = 760;
/// The width of the column of names.
const LEFT: usize = 110;
/// The width of the number after the longest bar.
const RIGHT: usize = 60;
const TOP: usize = 60;
const BAR: usize = 13;
const GAP: usize = 12;

/// The colours of the contestants in their order: red for the best kernel, and at the end grey for
/// the standard library.
const COLORS: [&str; 5] = ["#d61428", "#f08200", "#1e64dc", "#1e9632", "#828282"];

/// Returns the chart as SVG.
pub(super) fn svg(results: &Results) -> String {
    let contestants = results.names.len();
    let height = TOP + results.rows.len() * (contestants * BAR + GAP) + 20;
    let fastest = results.rows.iter().flat_map(|(_, speeds)| speeds).copied().fold(0.0, f64::max);
    let per_unit = (WIDTH - LEFT - RIGHT) as f64 / fastest.max(f64::MIN_POSITIVE);
    let color = |i: usize| {
        if i + 1 == contestants { COLORS[COLORS.len() - 1] } else { COLORS[i % (COLORS.len() - 1)] }
    };

    let mut svg = String::new();
    // Writing to a string never fails.
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"10\" y=\"20\" font-size=\"15\">GB/s on {}</text>\n",
        escaped(&results.cpu)
    );
    for (i, name) in results.names.iter().enumerate() {
        let x = LEFT + i * 90;
        let _ = write!(
            svg,
            "<rect x=\"{x}\" y=\"34\" width=\"10\" height=\"10\" fill=\"{}\"/>\n\
             <text x=\"{}\" y=\"43\">{name}</text>\n",
            color(i),
            x + 15
        );
    }
    let mut y = TOP;
    for (name, speeds) in &results.rows {
        let middle = y + contestants * BAR / 2 + 4;
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{middle}\" text-anchor=\"end\">{}</text>",
            LEFT - 8,
            escaped(name)
        );
        for (i, speed) in speeds.iter().enumerate() {
            let width = speed * per_unit;
            let _ = write!(
                svg,
                "<rect x=\"{LEFT}\" y=\"{y}\" width=\"{width:.1}\" height=\"{}\" fill=\"{}\"/>\n\
                 <text x=\"{:.1}\" y=\"{}\" font-size=\"10\">{speed:.1}</text>\n",
                BAR - 1,
                color(i),
                LEFT as f64 + width + 4.0,
                y + BAR - 3
            );
            y += BAR;
        }
        y += GAP;
    }
    svg.push_str("</svg>\n");
    svg
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_its_bar() {
        let results = Results {
            names: vec!["avx2", "scalar", "std"],
            rows: vec![("a < b".to_owned(), vec![20.0, 10.0, 5.0]), ("c".to_owned(), vec![40.0, 1.0, 1.0])],
            cpu: "R&D".to_owned(),
        };
        let svg = svg(&results);
        // The background, the legend, the bars.
        assert_eq!(svg.matches("<rect").count(), 1 + 3 + 6);
        assert!(svg.contains("R&amp;D") && svg.contains("a &lt; b") && svg.ends_with("</svg>\n"));
        let full = (WIDTH - LEFT - RIGHT) as f64;
        assert!(
            svg.contains(&format!("width=\"{full:.1}\""))
                && svg.contains(&format!("width=\"{:.1}\"", full / 4.0))
        );
    }
}
