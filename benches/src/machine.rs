//! Describes the machine and the software that a report's numbers come from.

use std::process::Command;
use std::{env, fs};

/// The CPU, the compilers and the libraries.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The name of the CPU. On x86 it includes the family and the model, because virtual machines give vague names.
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
        let flags = env!("COMPILED_FLAGS");
        let flags = if flags.is_empty() { String::new() } else { format!(", RUSTFLAGS {flags}") };
        Self {
            cpu: cpu(),
            rustc: env!("COMPILED_BY").to_owned(),
            cxx: first_line(&env::var("CXX").unwrap_or_else(|_| "c++".to_owned()), &["--version"])
                .unwrap_or_else(|| "unknown C++ compiler".to_owned()),
            target: format!("{}{flags}", env!("COMPILED_FOR")),
            peers: peers(&["simdutf8", "simdutf", "encoding_rs", "bstr"]),
            huge_pages: huge_pages(),
        }
    }

    /// Returns the line for the caption of a plot.
    #[must_use]
    pub fn caption(&self) -> String {
        format!("{} · {}", self.cpu, self.rustc)
    }
}

fn first_line(program: &str, arguments: &[&str]) -> Option<String> {
    let output =
        Command::new(program).args(arguments).output().ok().filter(|output| output.status.success())?;
    let line = String::from_utf8_lossy(&output.stdout).lines().next()?.trim().to_owned();
    Some(line)
}

fn cpu() -> String {
    if let Ok(info) = fs::read_to_string("/proc/cpuinfo") {
        return cpu_of(&info).unwrap_or_else(|| format!("{} CPU", env::consts::ARCH));
    }
    first_line("sysctl", &["-n", "machdep.cpu.brand_string"])
        .unwrap_or_else(|| format!("{} CPU", env::consts::ARCH))
}

fn cpu_of(info: &str) -> Option<String> {
    let field = |key: &str| {
        let mut fields = info.lines().filter_map(|line| line.split_once(':'));
        fields.find(|(name, _)| name.trim() == key).map(|(_, value)| value.trim())
    };
    let name = field("model name")?;
    match (field("cpu family"), field("model")) {
        (Some(family), Some(model)) => Some(format!("{name} (family {family}, model {model})")),
        _ => Some(name.to_owned()),
    }
}

/// Returns the names of these libraries with their versions, from the lock file of this build.
#[must_use]
pub fn peers(peers: &[&str]) -> String {
    let lock = include_str!("../../Cargo.lock");
    let all: Vec<_> =
        peers.iter().map(|peer| format!("{peer} {}", version_in(lock, peer).unwrap_or("?"))).collect();
    all.join(", ")
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
    fn cpus_are_named() {
        let info = "processor\t: 0\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\n";
        assert_eq!(cpu_of(info).as_deref(), Some("AMD EPYC (family 25, model 17)"));
        assert_eq!(cpu_of("model name : x\n").as_deref(), Some("x"));
        assert_eq!(cpu_of("processor : 0\n"), None);
    }

    #[test]
    fn the_compiler_is_known() {
        assert!(Machine::ask().rustc.starts_with("rustc 1."), "{:?}", Machine::ask());
    }
}
