//! Describes the machine and the software that a report's numbers come from.

use std::process::Command;
use std::{env, fs};

/// The CPU, the compilers and the libraries.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The day, such as 2026-11-27.
    pub date: String,
    /// The name of the CPU. Virtual machines give vague names, so on x86 the family and the model decide.
    pub cpu: String,
    /// The Rust compiler.
    pub rustc: String,
    /// The C++ compiler that simdutf was most likely compiled with.
    pub cxx: String,
    /// The target, and RUSTFLAGS if they were set.
    pub target: String,
    /// The peers and their versions.
    pub peers: String,
    /// The system's setting for huge pages, which matter for texts that fit into no cache.
    pub huge_pages: Option<String>,
}

impl Machine {
    /// Asks the system for all of this.
    #[must_use]
    pub fn ask() -> Self {
        let flags = env::var("RUSTFLAGS").map_or(String::new(), |flags| format!(", RUSTFLAGS {flags}"));
        let rustc = first_line("rustc", &["--version"]).unwrap_or_else(|| "an unknown rustc".to_owned());
        Self {
            date: first_line("date", &["+%F"]).unwrap_or_else(|| "unknown".to_owned()),
            cpu: cpu(),
            // "rustc 1.89.0 (29483883e 2025-08-04)" loses the parenthesis.
            rustc: rustc.split(" (").next().unwrap_or_default().to_owned(),
            cxx: first_line(&env::var("CXX").unwrap_or_else(|_| "c++".to_owned()), &["--version"])
                .unwrap_or_else(|| "unknown C++ compiler".to_owned()),
            target: format!("{}-{}{flags}", env::consts::ARCH, env::consts::OS),
            peers: peers(),
            huge_pages: huge_pages(),
        }
    }

    /// Returns the CPU's part of a file name: its microarchitecture if that is known.
    #[must_use]
    pub fn slug(&self) -> String {
        let name = self.cpu.split_once('(').map_or(&*self.cpu, |(_, name)| name).trim_end_matches(')');
        let name = name.to_lowercase().replace(|char: char| !char.is_ascii_alphanumeric(), "-");
        name.replace("zen-", "zen")
    }
}

fn first_line(program: &str, arguments: &[&str]) -> Option<String> {
    let output =
        Command::new(program).args(arguments).output().ok().filter(|output| output.status.success())?;
    let line = String::from_utf8_lossy(&output.stdout).lines().next()?.trim().to_owned();
    Some(line)
}

/// Returns the name that tools/cpu.py gives the CPU.
fn cpu() -> String {
    first_line(concat!(env!("CARGO_MANIFEST_DIR"), "/../cpu.py"), &[])
        .unwrap_or_else(|| format!("{} CPU", env::consts::ARCH))
}

/// The libraries that are measured.
const PEERS: [&str; 13] = [
    "simdutf8",
    "ps-simdutf8",
    "smoothutf8",
    "simdutf",
    "encoding_rs",
    "bstr",
    "memchr",
    "arrow-array",
    "cesu8",
    "simd_cesu8",
    "wtf8",
    "rfc9839",
    "rayon",
];

/// Returns their names with their versions, from the lock file of this build.
fn peers() -> String {
    let lock = include_str!("../../../Cargo.lock");
    PEERS.map(|peer| format!("{peer} {}", version_in(lock, peer).unwrap_or("?"))).join(", ")
}

fn version_in<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name);
    lines.nth(1)?.strip_prefix("version = \"")?.strip_suffix('"')
}

/// Returns the setting for huge pages: "always", "madvise" or "never".
fn huge_pages() -> Option<String> {
    let setting = fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").ok()?;
    Some(setting.split_once('[')?.1.split_once(']')?.0.to_owned())
}

/// Returns how many bytes of memory are free, if the system says so.
#[must_use]
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
        let peers = Machine::ask().peers;
        assert!(!peers.contains('?'), "{peers}");
        assert!(peers.starts_with("simdutf8 0.1."), "{peers}");
    }

    #[test]
    fn files_are_named_after_the_cpu() {
        let slug = |cpu: &str| Machine { cpu: cpu.to_owned(), ..Machine::ask() }.slug();
        assert_eq!(slug("AMD EPYC 9004 (Zen 4)"), "zen4");
        assert_eq!(slug("Intel Xeon (Granite Rapids)"), "granite-rapids");
        assert_eq!(slug("AMD EPYC (family 25, model 17)"), "family-25--model-17");
    }

    #[test]
    fn the_compiler_is_known() {
        assert!(Machine::ask().rustc.starts_with("rustc 1."), "{:?}", Machine::ask());
    }
}
