//! `trust8 kernels`: the kernels that this CPU can run, and which one is used.

use std::fmt::Write;
use std::process::ExitCode;

use trust8::Kernel;

use crate::args::CommonArgs;
use crate::colors::Colors;
use crate::outcome::print_output;

/// All kernels that the library has for this architecture, best first, and what each of them needs.
const KNOWN: &[(&str, &str)] = if cfg!(any(target_arch = "x86", target_arch = "x86_64")) {
    &[
        ("avx512", "64 bytes at a time: AVX-512 with VBMI2, since Ice Lake and Zen 4"),
        ("avx2", "32 bytes at a time: AVX2, since Haswell and Zen"),
        ("sse4.2", "16 bytes at a time: SSE4.2, since 2008"),
        ("scalar", "byte by byte, everywhere"),
    ]
} else if cfg!(target_arch = "aarch64") {
    &[("neon", "16 bytes at a time: NEON, in every 64-bit ARM"), ("scalar", "byte by byte, everywhere")]
} else {
    &[("scalar", "byte by byte, everywhere")]
};

/// Runs the command.
pub(crate) fn run(common: &CommonArgs) -> ExitCode {
    print_output(table(common.kernel(), &Colors::new(common.color)).as_bytes())
}

fn table(used: &Kernel, colors: &Colors) -> String {
    let Colors { good, dim, .. } = *colors;
    let mut table = String::new();
    // Writing to a string never fails.
    let _ = writeln!(table, "{}", cpu());
    // A kernel that is missing in `KNOWN` is newer than those, so it comes first.
    let unknown = Kernel::available()
        .iter()
        .map(Kernel::name)
        .filter(|name| !KNOWN.iter().any(|(known, _)| known == name))
        .map(|name| (name, ""));
    for (name, what) in unknown.chain(KNOWN.iter().copied()) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_of_this_cpu_is_in_the_list() {
        for kernel in Kernel::available() {
            assert!(KNOWN.iter().any(|(name, _)| *name == kernel.name()), "{}", kernel.name());
        }
    }
}
