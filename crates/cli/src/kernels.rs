//! `trust8 kernels`: the kernels that this CPU can run, and which one is used.

use std::fmt::Write;
use std::process::ExitCode;

use trust8::Kernel;
use trust8::engine::{KERNEL_DESCRIPTIONS, KERNEL_NAMES};

use crate::args::CommonArgs;
use crate::colors::Colors;
use crate::outcome::print_output;

/// Runs the command.
pub(crate) fn run(common: &CommonArgs) -> ExitCode {
    print_output(table(common.kernel(), &Colors::new(common.color)).as_bytes())
}

fn table(used: &Kernel, colors: &Colors) -> String {
    let Colors { good, dim, .. } = *colors;
    let mut table = String::new();
    // Writing to a string never fails.
    let _ = writeln!(table, "{}", cpu());
    for (&name, what) in KERNEL_NAMES.iter().zip(KERNEL_DESCRIPTIONS) {
        let _ = if name == used.name() {
            writeln!(table, "  {good}{name:<8}  used       {good:#}  {what}")
        } else if Kernel::by_name(name).is_some() {
            writeln!(table, "  {name:<8}  available    {what}")
        } else {
            writeln!(table, "  {dim}{name:<8}  unavailable  {what}{dim:#}")
        };
    }
    table
}

/// Returns the name of the CPU's model if the system tells it, or else its architecture.
pub(crate) fn cpu() -> String {
    let model = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|info| {
        let line = info.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    model.unwrap_or_else(|| format!("{} CPU", std::env::consts::ARCH))
}
