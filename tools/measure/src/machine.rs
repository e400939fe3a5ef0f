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
        let flags = env!("COMPILED_FLAGS");
        let flags = if flags.is_empty() { String::new() } else { format!(", RUSTFLAGS {flags}") };
        Self {
            date: first_line("date", &["+%F"]).unwrap_or_else(|| "unknown".to_owned()),
            cpu: cpu(),
            rustc: env!("COMPILED_BY").to_owned(),
            cxx: first_line(&env::var("CXX").unwrap_or_else(|_| "c++".to_owned()), &["--version"])
                .unwrap_or_else(|| "unknown C++ compiler".to_owned()),
            target: format!("{}{flags}", env!("COMPILED_FOR")),
            peers: peers(&["simdutf8", "ps-simdutf8", "smoothutf8", "simdutf", "encoding_rs", "bstr"]),
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
    let (Some(vendor), Some(family), Some(model)) = (field("vendor_id"), field("cpu family"), field("model"))
    else {
        return Some(name.to_owned());
    };
    // A hypervisor may report another CPU's model: Granite Rapids as 167, which is Rocket Lake and has no AMX.
    let has_amx = field("flags").is_some_and(|flags| flags.split(' ').any(|flag| flag == "amx_tile"));
    // tools/cpu.py reads the same list.
    let listed = |amx: &str| {
        let numbers = format!("{vendor} {family} {model}{amx} ");
        include_str!("../cpus.txt").lines().find_map(move |line| line.strip_prefix(&*numbers))
    };
    let known = if has_amx { listed("+amx").or_else(|| listed("")) } else { listed("") };
    Some(known.map_or_else(|| format!("{name} (family {family}, model {model})"), ToOwned::to_owned))
}

/// Returns the names of these libraries with their versions, from the lock file of this build.
#[must_use]
pub fn peers(peers: &[&str]) -> String {
    let lock = include_str!("../../../Cargo.lock");
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
        let info = |vendor, family, model, flags| {
            let (family, model) = (format!("cpu family\t: {family}"), format!("model\t\t: {model}"));
            let last = format!("model name\t: AMD EPYC\nflags\t\t: fpu {flags}");
            let info = format!("processor\t: 0\nvendor_id\t: {vendor}\n{family}\n{model}\n{last}\n");
            let machine = Machine { cpu: cpu_of(&info).expect("a name"), ..Machine::ask() };
            (machine.slug(), machine.cpu)
        };
        let named = |slug: &str, cpu: &str| (slug.to_owned(), cpu.to_owned());
        assert_eq!(info("AuthenticAMD", 25, 17, ""), named("zen4", "AMD EPYC 9004 (Zen 4)"));
        for (model, flags, slug, cpu) in [
            (207, "", "emerald-rapids", "Intel Xeon (Emerald Rapids)"),
            (167, "avx512f", "rocket-lake", "Intel Xeon (Rocket Lake)"),
            (167, "avx512f amx_tile", "granite-rapids", "Intel Xeon (Granite Rapids)"),
        ] {
            assert_eq!(info("GenuineIntel", 6, model, flags), named(slug, cpu));
        }
        assert_eq!(
            info("GenuineIntel", 25, 17, ""),
            named("family-25--model-17", "AMD EPYC (family 25, model 17)")
        );
        assert_eq!(cpu_of("model name : x\n").as_deref(), Some("x"));
        assert_eq!(cpu_of("processor : 0\n"), None);
    }

    #[test]
    fn the_compiler_is_known() {
        assert!(Machine::ask().rustc.starts_with("rustc 1."), "{:?}", Machine::ask());
    }
}
