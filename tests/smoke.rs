use trust8::Kernel;
fn all() -> Vec<(String, &'static Kernel)> {
    let mut v = vec![];
    for k in Kernel::available() {
        v.push((k.name().to_string(), k));
        for p in k.paths() {
            v.push((format!("{}/{}", k.name(), p.name()), p));
        }
    }
    v
}
fn same(k: &(String, &Kernel), b: &[u8]) {
    let want = std::str::from_utf8(b).err().map(|e| (e.valid_up_to(), e.error_len()));
    let got = k.1.from_utf8(b).err().map(|e| (e.valid_up_to(), e.error_len()));
    assert_eq!(want, got, "{} {:02X?}", k.0, if b.len() < 200 { b } else { &[] });
    assert_eq!(k.1.is_utf8(b), want.is_none());
}
#[test]
fn positions() {
    let seqs: &[&[u8]] = &[
        b"\x80",
        b"\xC0\x80",
        b"\xC1\xBF",
        b"\xC2",
        b"\xC2\xC2\x80",
        b"\xE0\x80\x80",
        b"\xE0\x9F\x80",
        b"\xE1\x80",
        b"\xE1",
        b"\xED\xA0\x80",
        b"\xF0\x80\x80\x80",
        b"\xF0\x8F\xBF\xBF",
        b"\xF1\x80\x80",
        b"\xF1\x80",
        b"\xF1",
        b"\xF4\x90\x80\x80",
        b"\xF5\x80\x80\x80",
        b"\xFF",
        b"\xF8\x88\x80\x80\x80",
        b"\xC2\x80\x80",
        b"\xE1\x80\x80\x80",
        b"\xF1\x80\x80\x80\x80",
        b"\xF0\x9F\x98\x80",
        b"\xC3\xA9",
    ];
    for k in all() {
        for fill in ["a", "é", "日", "😀", "aé日😀"] {
            for tail in [
                "",
                "a",
                "é",
                "日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語",
            ] {
                for s in seqs {
                    for n in (0..200).chain((200..1300).step_by(7)) {
                        let mut b = vec![];
                        while b.len() < n {
                            b.extend_from_slice(fill.as_bytes());
                        }
                        b.extend_from_slice(s);
                        for _ in 0..1 + (n % 3) * 20 {
                            b.extend_from_slice(tail.as_bytes());
                        }
                        same(&k, &b);
                    }
                }
            }
        }
    }
}
#[test]
fn short_exhaustive() {
    for k in all() {
        for a in 0..=255u8 {
            same(&k, &[a]);
            for b in 0..=255u8 {
                same(&k, &[a, b]);
                for c in 0..=255u8 {
                    let x = [a, b, c];
                    assert_eq!(k.1.is_utf8(&x), std::str::from_utf8(&x).is_ok(), "{} {x:x?}", k.0);
                }
            }
        }
    }
}
