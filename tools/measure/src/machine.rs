//! Describes the machine and the software that a report's numbers come from.

use std::process::Command;
use std::{env, fs};

/// Returns the first line that a program prints.
fn first_line(program: &str, argument: &str) -> Option<String> {
    let output =
        Command::new(program).arg(argument).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).lines().next()?.trim().to_owned())
}

/// Returns the day, such as 2026-11-27.
pub fn date() -> String {
    first_line("date", "+%F").unwrap_or_else(|| "unknown".to_owned())
}

/// Returns the name of the CPU, which tools/cpu.py gives it.
pub fn cpu() -> String {
    first_line("python3", concat!(env!("CARGO_MANIFEST_DIR"), "/../cpu.py"))
        .unwrap_or_else(|| format!("{} CPU", env::consts::ARCH))
}

/// Returns the Rust compiler, the target, and RUSTFLAGS if they were set.
pub fn rustc() -> String {
    let flags = env::var("RUSTFLAGS").map_or(String::new(), |flags| format!(", RUSTFLAGS {flags}"));
    let rustc = first_line("rustc", "--version").unwrap_or_else(|| "an unknown rustc".to_owned());
    // "rustc 1.89.0 (29483883e 2025-08-04)" loses the parenthesis.
    let rustc = rustc.split(" (").next().unwrap_or_default();
    format!("{rustc} for {}-{}{flags}", env::consts::ARCH, env::consts::OS)
}

/// Returns the C++ compiler that simdutf was most likely compiled with.
pub fn cxx() -> String {
    first_line(&env::var("CXX").unwrap_or_else(|_| "c++".to_owned()), "--version")
        .unwrap_or_else(|| "unknown C++ compiler".to_owned())
}

/// Returns a CPU's part of a file name: its microarchitecture if that is known.
pub(crate) fn slug(cpu: &str) -> String {
    let name = cpu.split_once('(').map_or(cpu, |(_, name)| name).trim_end_matches(')').to_lowercase();
    name.replace(|char: char| !char.is_ascii_alphanumeric(), "-").replace("zen-", "zen")
}

/// Returns the libraries that are measured, with their versions from the lock file of this build.
pub(crate) fn peers() -> String {
    const PEERS: &str = "simdutf8 ps-simdutf8 smoothutf8 simdutf encoding_rs bstr memchr arrow-array cesu8 simd_cesu8 wtf8 rfc9839 rayon";
    let lock = include_str!("../../../Cargo.lock");
    let version = |peer| {
        let (_, after) = lock.split_once(&format!("name = \"{peer}\"\nversion = \""))?;
        after.split('"').next()
    };
    let peers = PEERS.split(' ').map(|peer| format!("{peer} {}", version(peer).unwrap_or("?")));
    peers.collect::<Vec<_>>().join(", ")
}

/// Returns the system's setting for huge pages, "always", "madvise" or "never", which matter for texts that fit into no cache.
pub(crate) fn huge_pages() -> String {
    let setting = fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").unwrap_or_default();
    setting.split(['[', ']']).nth(1).unwrap_or("unknown").to_owned()
}

/// Returns how many bytes of memory are free, if the system says so.
pub fn memory_available() -> Option<usize> {
    let info = fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok().map(|kib| kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_file_names_the_peers() {
        let peers = peers();
        assert!(!peers.contains('?'), "{peers}");
        assert!(peers.starts_with("simdutf8 0.1."), "{peers}");
    }

    #[test]
    fn files_are_named_after_the_cpu() {
        assert_eq!(slug("AMD EPYC 9004 (Zen 4)"), "zen4");
        assert_eq!(slug("Intel Xeon (Granite Rapids)"), "granite-rapids");
        assert_eq!(slug("AMD EPYC (family 25, model 17)"), "family-25--model-17");
    }

    #[test]
    fn the_compiler_is_known() {
        assert!(rustc().starts_with("rustc 1."), "{:?}", rustc());
    }
}
