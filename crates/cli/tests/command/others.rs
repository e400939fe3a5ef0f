//! Tests `trust8 inspect`, `kernels`, `bench`, and the help.

use std::fs;

use crate::folder::{Folder, stderr, stdout, trust8};
use predicates::prelude::*;
use predicates::str::{contains, is_empty, starts_with};
use snapbox::{IntoData, assert_data_eq, str};
use trust8::Kernel;

#[test]
fn inspect_shows_what_a_valid_file_is() {
    let folder = Folder::new();
    folder.file("f", "\u{FEFF}one\r\ntwo é日😀\nthree");
    let assert = folder.trust8().args(["inspect", "f"]).assert().code(0).stderr(is_empty());
    assert_data_eq!(
        stdout(&assert),
        str![[r#"
f
  UTF-8         yes
  mark          utf-8 byte order mark: EF BB BF
  bytes         27
  characters    19
                15   78.9 %  of 1 byte (ASCII)
                 1    5.3 %  of 2 bytes
                 2   10.5 %  of 3 bytes
                 1    5.3 %  of 4 bytes
  lines         3
  line endings  1 LF, 1 CR LF; the last line has none

"#]]
        .raw()
    );
}

#[test]
fn inspect_shows_what_an_invalid_file_may_be() {
    let folder = Folder::new();
    folder.file("f", b"Gr\xFC\xDFe aus M\xFCnchen\nund sch\xF6nes Wetter\n");
    let assert = folder.trust8().args(["inspect", "f"]).assert().code(1).stderr(is_empty());
    assert_data_eq!(
        stdout(&assert),
        str![[r#"
f
  UTF-8         no: 4 errors
  mark          no byte order mark
  bytes         37
  characters    33
                33  100.0 %  of 1 byte (ASCII)
  lines         2
  line endings  2 LF
  likely        windows-1252, if it is text (a guess); trust8 fix --from windows-1252
  reads as      windows-1252    Grüße aus München

the first errors:
f:1:3: byte 2: byte that never appears in UTF-8: FC; RFC 3629 section 1 forbids it
    text  Gr\xFC\xDFe aus M\xFCnchen
            ^^^^
    hex   47 72 FC DF 65 20 61 75 73 20 4D
                ^^

f:1:4: byte 3: 2-byte character cut short after 1 byte: DF; RFC 3629 section 4 requires a continuation byte next
    text  Gr\xFC\xDFe aus M\xFCnchen
                ^^^^
    hex   47 72 FC DF 65 20 61 75 73 20 4D FC
                   ^^

"#]]
        .raw()
    );
    for (bytes, likely) in [
        (&b"x\xED\xA0\xBD\xED\xB8\x80"[..], "CESU-8, in which all of it is valid; trust8 fix --from cesu-8"),
        (b"x\xED\xA0\x80", "WTF-8, in which all of it is valid; UTF-8 cannot encode some of it"),
        (b"\xFF\xFEa\0", "utf-16le; trust8 fix --from utf-16le"),
        (b"\xFF\xFE\0\0a\0\0\0", "utf-32le; trust8 fix --from utf-32le\n"),
    ] {
        folder
            .trust8()
            .arg("inspect")
            .write_stdin(bytes)
            .assert()
            .code(1)
            .stdout(starts_with("<stdin>\n").and(contains(format!("  likely        {likely}"))));
    }
}

/// A file whose encoding is not certain is shown in each that is likely.
#[test]
fn inspect_shows_how_a_file_reads() {
    let folder = Folder::new();
    let long = b"ein".repeat(34);
    for (bytes, expected) in [
        (
            &b"Ma\x96ana, jam\x97n\n"[..],
            "macintosh       Mañana, jamón\n                windows-1252    Ma–ana, jam—n\n",
        ),
        (b"\xFF\xFEG\0r\0\xFC\0\x1B\0", "utf-16le        Grü\\u{1b}\n"),
        (
            b"sch\xF6ne Gr\xFC\xDFe aus M\xFCnchen\n\xE2\x82\xAC 5, \xC3\xA9t\xC3\xA9\n",
            "with windows-1252  schöne Grüße aus München\n",
        ),
        (b"smile \xED\xA0\xBD\xED\xB8\x80\n", "cesu-8          smile 😀\n"),
        // The excerpt is cut around the first character that is not ASCII.
        (
            &[&*long, b" sch\xF6ne Gr\xFC\xDFe ", &*long].concat(),
            &format!("windows-1252    {} schöne Grüße {}\n", "ein".repeat(4), "ein".repeat(7) + "e"),
        ),
    ] {
        folder.file("f", bytes);
        let text = stdout(&folder.trust8().args(["inspect", "f"]).assert().code(1));
        assert!(text.contains(&format!("  reads as      {expected}")), "{text}{expected}");
    }
    folder.file("f", b"Ma\x96ana, jam\x97n\n");
    let json = stdout(&folder.trust8().args(["inspect", "--json", "f"]).assert().code(1));
    let readings = r#""readings":[{"from":"macintosh","excerpt":"Mañana, jamón"},{"from":"windows-1252","excerpt":"Ma–ana, jam—n"}"#;
    assert!(json.contains(readings), "{json}");
    // Binary files have no reading.
    folder.file("f", b"\x7FELF\xFF\0\0\0\x01\x02");
    folder.trust8().args(["inspect", "f"]).assert().code(1).stdout(contains("reads as").not());
}

#[test]
fn inspect_knows_empty_ascii_and_missing_files() {
    let folder = Folder::new();
    folder.file("empty", "");
    folder.file("ascii", "plain\0\r");
    let inspect = |name: &str| folder.trust8().args(["inspect", name]).assert();
    inspect("empty").code(0).stdout(contains("yes: it is empty").and(contains("lines         0\n")));
    inspect("ascii").code(0).stdout(contains("yes: it is ASCII").and(contains("1 CR")).and(contains("NUL")));
    inspect("none").code(2).stdout(is_empty()).stderr(starts_with("trust8: none: "));
    inspect(".").code(2).stderr("trust8: .: is a directory, not a file\n");
}

#[test]
fn kernels_are_listed_and_the_one_used_is_marked() {
    let list = |args: &[&str]| stdout(&trust8().arg("kernels").args(args).assert().code(0));
    for kernel in Kernel::available() {
        let all = list(&[]);
        let line = all.lines().find(|line| line.trim_start().starts_with(kernel.name())).unwrap();
        assert_eq!(line.contains("  used  "), kernel.name() == Kernel::best().name(), "{all}");
        let chosen = list(&["--kernel", kernel.name()]);
        assert_eq!(chosen.matches("  used  ").count(), 1);
        assert!(chosen.contains(&format!("  {:<8}  used  ", kernel.name())), "{chosen}");
    }
}

#[test]
fn bench_measures_every_kernel_and_draws() {
    let folder = Folder::new();
    let assert = folder.trust8().args(["bench", "--time", "1", "--svg", "p.svg"]).assert().code(0);
    let table = stdout(&assert);
    let heads: Vec<_> = table.lines().nth(1).unwrap().split_whitespace().collect();
    let names: Vec<_> = Kernel::available().iter().map(Kernel::name).chain(["std"]).collect();
    assert_eq!(heads, names);
    let rows: Vec<_> = table.lines().skip(2).collect();
    assert!(
        rows.len() >= 5 && rows.iter().all(|row| row.split_whitespace().count() == names.len() + 1),
        "{table}"
    );
    let svg = fs::read_to_string(folder.at("p.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.contains("Chinese") && svg.contains(">std<"));
}

#[test]
fn bench_measures_a_file_whether_valid_or_not() {
    let folder = Folder::new();
    folder.file("small", "é");
    folder.file("large", "日本".repeat(20_000));
    folder.file("bad", [&b"\xE6\x97\xA5".repeat(30_000)[..], b"\xFF"].concat());
    folder.file("empty", "");
    let bench =
        |name: &str| folder.trust8().args(["bench", "--time", "1", "--kernel", "scalar", name]).assert();
    assert_eq!(stdout(&bench("small").code(0)).lines().count(), 3);
    for name in ["large", "bad"] {
        let table = stdout(&bench(name).code(0));
        assert!(table.contains("\nfirst 64 KiB ") && table.contains("\nwhole file "), "{table}");
    }
    bench("empty").code(2).stderr(contains("is empty"));
    bench("none").code(2).stderr(contains("none: "));
}

#[test]
fn help_and_version_go_to_standard_output() {
    let help = stdout(&trust8().arg("--help").assert().code(0));
    for part in ["--kernel", "Examples:", "Exit status", "Commands", "zcat log.gz | trust8"] {
        assert!(help.contains(part), "{part}");
    }
    trust8().arg("-h").assert().code(0).stdout(contains("Exit status").and(contains("Examples:").not()));
    trust8().args(["fix", "--help"]).assert().code(0).stdout(contains("Examples:"));
    let version = concat!("trust8 ", env!("CARGO_PKG_VERSION"), "\n");
    trust8().arg("--version").assert().code(0).stdout(version);
}

#[test]
fn manual_pages_and_completions_are_generated() {
    let generate = |args: &[&str]| stdout(&trust8().args(args).assert().code(0));
    let man = generate(&["--generate", "man"]);
    assert!(
        man.contains(".TH trust8 1") && man.contains("trust8\\-fix(1)") && man.contains("EXAMPLES")
            || man.contains("Examples")
    );
    for command in ["check", "fix", "convert", "inspect", "encodings", "kernels", "bench"] {
        let man = generate(&[command, "--generate", "man"]);
        assert!(
            man.contains(&format!(".TH trust8-{command} 1")),
            "{command}: {}",
            man.lines().nth(3).unwrap()
        );
        let title = man.lines().find(|line| line.starts_with(".TH")).unwrap();
        assert!(title.ends_with(concat!("\"trust8 ", env!("CARGO_PKG_VERSION"), "\" ")), "{title}");
        assert!(!man.contains("EXTRA"), "{command}");
    }
    let man = generate(&["fix", "--generate", "man"]);
    for part in [
        ".SH \"EXAMPLES\"\n.nf\n\\&trust8 fix \\-\\-replace broken.txt > repaired.txt\n\\&trust8 fix \\-\\-in\\-place",
        ".fi\n.SH \"EXIT STATUS\"\n",
    ] {
        assert!(man.contains(part), "{man}");
    }
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = generate(&["--generate", shell]);
        assert!(script.contains("max-errors") && script.contains("inspect"), "{shell}");
    }
    trust8().args(["--generate", "tcsh"]).assert().code(2);
}

/// Loads the generated script in fish, if there is one, and completes values of options, with and
/// without a command.
#[cfg(target_os = "linux")]
#[test]
fn fish_completes() {
    let script = stdout(&trust8().args(["--generate", "fish"]).assert().code(0));
    assert!(script.contains("or return 0\n"), "clap_complete has changed");
    let folder = Folder::new();
    let path = folder.file("trust8.fish", script);
    for words in ["trust8 --format ", "trust8 -f ", "trust8 --format=", "trust8 check --all --format "] {
        let ask = format!("source {}; complete -C '{words}'", path.display());
        let Ok(run) = std::process::Command::new("fish").args(["--no-config", "-c", &ask]).output() else {
            return crate::folder::skip("there is no fish");
        };
        let found = String::from_utf8(run.stdout).unwrap();
        assert!(found.contains("sarif") && !found.contains("trust8.fish"), "{words}: {found}");
    }
}

/// Loads the generated script in bash, if there is one, and completes an option, values of options,
/// and names of files.
#[cfg(target_os = "linux")]
#[test]
fn bash_completes() {
    let script = stdout(&trust8().args(["--generate", "bash"]).assert().code(0));
    let folder = Folder::new();
    let path = folder.file("trust8.bash", script);
    folder.file("two words.txt", "");
    let complete = |words: &str| {
        let words: Vec<_> = words.split('|').collect();
        let (count, last) = (words.len() - 1, words[words.len() - 1]);
        let quoted: Vec<_> = words.iter().map(|word| format!("'{word}'")).collect();
        let ask = format!(
            "source {} && compopt() {{ :; }} && COMP_WORDS=({}) COMP_CWORD={count} && _trust8 trust8 '{last}' '{}' && \
             printf '%s\n' \"${{COMPREPLY[@]}}\"",
            path.display(),
            quoted.join(" "),
            words[count - 1]
        );
        let output =
            std::process::Command::new("bash").args(["-c", &ask]).current_dir(folder.path()).output();
        output.ok().map(|output| String::from_utf8(output.stdout).unwrap())
    };
    let Some(options) = complete("trust8|fix|--fr") else {
        return crate::folder::skip("there is no bash");
    };
    assert_eq!(options, "--from\n");
    assert_eq!(complete("trust8|fix|--from|windows-125").unwrap().lines().count(), 9);
    assert_eq!(complete("trust8|fix|--invalid-as|shift").unwrap(), "\n");
    assert_eq!(complete("trust8|convert|--to|latin1").unwrap(), "latin1-exact\n");
    assert!(complete("trust8|check|--kernel|sca").unwrap().contains("scalar"));
    for types in ["check|--type|rus", "check|-T|rus", "fix|-t|rus", "--type|rus"] {
        assert_eq!(complete(&format!("trust8|{types}")).unwrap(), "rust\n", "{types}");
    }
    assert_eq!(complete("trust8|convert|--from|koi8").unwrap(), "koi8-r\nkoi8-u\nkoi8-t\n");
    assert_eq!(complete("trust8|fix|--output|two").unwrap(), "two words.txt\n");
    assert_eq!(stderr(&trust8().args(["--generate", "fish"]).assert().code(0)), "");
}
