//! Types and values, and what the documentation says of them.

use trust8_columns::Policy;

/// Pseudo-random numbers (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub(crate) fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    /// Returns bytes that are often UTF-8.
    pub(crate) fn bytes(&mut self) -> Vec<u8> {
        const PARTS: [&[u8]; 12] = [
            b"a",
            b"bcd",
            "é".as_bytes(),
            "日".as_bytes(),
            "\u{1F600}".as_bytes(),
            b"\xFF",
            b"\xE6\x97",
            b"\x80",
            b"\xED\xA0\x80",
            b"\0",
            b"twelve bytes",
            b"\xF0\x9F",
        ];
        let clean = self.one_in(2);
        let count = self.below(5);
        (0..count).flat_map(|_| PARTS[self.below(if clean { 5 } else { 12 })]).copied().collect()
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) name: &'static str,
    pub(crate) data_type: Type,
    pub(crate) is_nullable: bool,
    /// Whether the field is of an extension type.
    pub(crate) is_extension: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Layout {
    Narrow,
    Wide,
    View,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ListLayout {
    Narrow,
    Wide,
    View,
    WideView,
    Fixed(usize),
}

#[derive(Clone, Debug)]
pub(crate) enum Type {
    Int,
    Text(Layout),
    Bytes(Layout),
    FixedBytes(usize),
    List(ListLayout, Box<Part>),
    Struct(Vec<Part>),
    Map(Box<Part>, Box<Part>),
    /// Whether it is dense, and the id of each field.
    Union(bool, Vec<(i8, Part)>),
    /// Whether its keys are wide.
    Dictionary(bool, Box<Type>),
    Runs(Box<Type>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Value {
    Null,
    Int(i32),
    Text(Vec<u8>),
    Bytes(Vec<u8>),
    List(Vec<Value>),
    Struct(Vec<Value>),
    Map(Vec<(Value, Value)>),
    Union(i8, Box<Value>),
}

impl Type {
    pub(crate) fn random(random: &mut Random, depth: usize) -> Self {
        let layout = |random: &mut Random| [Layout::Narrow, Layout::Wide, Layout::View][random.below(3)];
        match random.below(if depth == 0 { 6 } else { 16 }) {
            0 => Self::Int,
            1 | 2 => Self::Text(layout(random)),
            3 | 4 => Self::Bytes(layout(random)),
            5 => Self::FixedBytes(random.below(4)),
            6..=9 => {
                let layouts = [
                    ListLayout::Narrow,
                    ListLayout::Wide,
                    ListLayout::View,
                    ListLayout::WideView,
                    ListLayout::Fixed(random.below(4)),
                ];
                let item = Part::random(random, "item", depth);
                Self::List(layouts[random.below(5)], Box::new(item))
            }
            10 => Self::Map(
                Box::new(Part {
                    is_nullable: false,
                    is_extension: false,
                    ..Part::random(random, "key", depth)
                }),
                Box::new(Part::random(random, "value", depth)),
            ),
            11 | 12 => Self::Struct(Self::parts(random, depth)),
            13 => {
                let ids = [5, 0, 127];
                let dense = random.one_in(2);
                Self::Union(dense, ids.into_iter().zip(Self::parts(random, depth)).collect())
            }
            14 => Self::Dictionary(random.one_in(2), Box::new(Self::random(random, depth - 1))),
            _ => Self::Runs(Box::new(Self::random(random, depth - 1))),
        }
    }

    fn parts(random: &mut Random, depth: usize) -> Vec<Part> {
        let count = 1 + random.below(3);
        // Two fields may have the same name.
        (0..count)
            .map(|_| {
                let name = ["a", "b"][random.below(2)];
                Part::random(random, name, depth)
            })
            .collect()
    }

    /// Returns the type without the dictionaries and runs around it.
    pub(crate) fn plain(&self) -> &Self {
        match self {
            Self::Dictionary(_, values) | Self::Runs(values) => values.plain(),
            other => other,
        }
    }

    pub(crate) fn has_bytes(&self) -> bool {
        match self {
            Self::Int | Self::Text(_) => false,
            Self::Bytes(_) | Self::FixedBytes(_) => true,
            Self::List(_, item) => item.data_type.has_bytes(),
            Self::Struct(parts) => parts.iter().any(|part| part.data_type.has_bytes()),
            Self::Map(key, value) => key.data_type.has_bytes() || value.data_type.has_bytes(),
            Self::Union(_, parts) => parts.iter().any(|(_, part)| part.data_type.has_bytes()),
            Self::Dictionary(_, values) | Self::Runs(values) => values.has_bytes(),
        }
    }

    /// Returns a value. Only what is nullable may be null in it.
    pub(crate) fn value(&self, random: &mut Random, is_nullable: bool) -> Value {
        let has_validity = !matches!(self.plain(), Self::Union(..));
        if is_nullable && has_validity && random.one_in(4) {
            return Value::Null;
        }
        match self {
            Self::Int => Value::Int(random.below(3) as i32),
            Self::Text(_) => Value::Text(random.bytes()),
            Self::Bytes(_) => Value::Bytes(random.bytes()),
            Self::FixedBytes(width) => {
                let mut bytes = random.bytes();
                bytes.resize(*width, b'x');
                Value::Bytes(bytes)
            }
            Self::List(layout, item) => {
                let count = if let ListLayout::Fixed(size) = layout { *size } else { random.below(4) };
                Value::List((0..count).map(|_| item.value(random)).collect())
            }
            Self::Struct(parts) => Value::Struct(parts.iter().map(|part| part.value(random)).collect()),
            Self::Map(key, value) => {
                Value::Map((0..random.below(3)).map(|_| (key.value(random), value.value(random))).collect())
            }
            Self::Union(_, parts) => {
                let (id, part) = &parts[random.below(parts.len())];
                // To arrow, a union is null where its value is.
                let value = part.data_type.value(random, is_nullable && part.is_nullable);
                Value::Union(*id, Box::new(value))
            }
            Self::Dictionary(_, values) | Self::Runs(values) => {
                values.value(random, is_nullable && !has_validity)
            }
        }
    }
}

impl Part {
    fn random(random: &mut Random, name: &'static str, depth: usize) -> Self {
        let data_type = Type::random(random, depth - 1);
        Self { name, data_type, is_nullable: !random.one_in(3), is_extension: random.one_in(6) }
    }

    pub(crate) fn value(&self, random: &mut Random) -> Value {
        self.data_type.value(random, self.is_nullable)
    }

    fn claims(&self, claims: bool) -> bool {
        claims || self.is_extension && self.data_type.has_bytes()
    }
}

/// A value that is refused.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Bad {
    pub(crate) row: usize,
    pub(crate) path: String,
    pub(crate) offset: usize,
    pub(crate) len: Option<usize>,
    pub(crate) is_forbidden: bool,
}

/// Returns the values that are refused, in any order.
pub(crate) fn bad_values(data_type: &Type, rows: &[Value], claims: bool, forbids_nul: bool) -> Vec<Bad> {
    let mut bad = Vec::new();
    for (row, value) in rows.iter().enumerate() {
        visit(data_type, value, claims, "", &mut |bytes, path| {
            let error = std::str::from_utf8(bytes).err();
            let end = error.map_or(bytes.len(), |error| error.valid_up_to());
            let path = path.to_owned();
            match bytes[..end].iter().position(|&byte| byte == 0) {
                Some(offset) if forbids_nul => {
                    let len = bytes[offset..end].iter().take_while(|&&byte| byte == 0).count();
                    bad.push(Bad { row, path, offset, len: Some(len), is_forbidden: true });
                }
                _ => {
                    if let Some(error) = error {
                        bad.push(Bad { row, path, offset: end, len: error.error_len(), is_forbidden: false });
                    }
                }
            }
        });
    }
    bad
}

fn visit(data_type: &Type, value: &Value, claims: bool, path: &str, each: &mut dyn FnMut(&[u8], &str)) {
    let mut part = |part: &Part, value: &Value, path: String| {
        visit(&part.data_type, value, part.claims(claims), &path, each);
    };
    match (data_type.plain(), value) {
        (_, Value::Null | Value::Int(_)) => {}
        (Type::Text(_), Value::Text(bytes)) => each(bytes, path),
        (_, Value::Bytes(bytes)) => {
            if !claims {
                each(bytes, path);
            }
        }
        (Type::List(_, item), Value::List(items)) => {
            items.iter().for_each(|value| part(item, value, format!("{path}[]")));
        }
        (Type::Struct(parts), Value::Struct(values)) => {
            for (field, value) in parts.iter().zip(values) {
                part(field, value, format!("{path}.{}", field.name));
            }
        }
        (Type::Map(key, value), Value::Map(entries)) => {
            for (a, b) in entries {
                part(key, a, format!("{path}.key"));
                part(value, b, format!("{path}.value"));
            }
        }
        (Type::Union(_, parts), Value::Union(id, value)) => {
            let (_, field) = parts.iter().find(|(known, _)| known == id).unwrap();
            part(field, value, format!("{path}.{}", field.name));
        }
        other => unreachable!("{other:?}"),
    }
}

/// Returns the rows as text, repaired with a policy.
pub(crate) fn repaired(
    data_type: &Type,
    rows: &[Value],
    claims: bool,
    policy: Option<Policy>,
    forbids_nul: bool,
) -> Vec<Value> {
    rows.iter().map(|value| repair(data_type, value, claims, policy, forbids_nul)).collect()
}

fn repair(data_type: &Type, value: &Value, claims: bool, policy: Option<Policy>, nul: bool) -> Value {
    let part =
        |part: &Part, value: &Value, policy| repair(&part.data_type, value, part.claims(claims), policy, nul);
    match (data_type.plain(), value) {
        (_, Value::Null | Value::Int(_)) => value.clone(),
        (_, Value::Bytes(_)) if claims => value.clone(),
        (_, Value::Text(bytes) | Value::Bytes(bytes)) => {
            text(bytes, policy, nul).map_or(Value::Null, Value::Text)
        }
        (Type::List(_, item), Value::List(items)) => {
            Value::List(items.iter().map(|value| part(item, value, policy)).collect())
        }
        (Type::Struct(parts), Value::Struct(values)) => {
            Value::Struct(parts.iter().zip(values).map(|(field, value)| part(field, value, policy)).collect())
        }
        (Type::Map(key, value), Value::Map(entries)) => {
            let keys = if policy == Some(Policy::Null) { Some(Policy::Replace) } else { policy };
            Value::Map(entries.iter().map(|(a, b)| (part(key, a, keys), part(value, b, policy))).collect())
        }
        (Type::Union(_, parts), Value::Union(id, value)) => {
            let (_, field) = parts.iter().find(|(known, _)| known == id).unwrap();
            Value::Union(*id, Box::new(part(field, value, policy)))
        }
        other => unreachable!("{other:?}"),
    }
}

/// Returns the text of a value, or `None` if it becomes null.
fn text(bytes: &[u8], policy: Option<Policy>, forbids_nul: bool) -> Option<Vec<u8>> {
    const HIGH: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ";
    let mut text = String::new();
    // How many bytes of a surrogate are left.
    let mut left = 0;
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        at += chunk.valid().len();
        let invalid = chunk.invalid();
        if invalid.is_empty() {
            continue;
        }
        match policy? {
            Policy::Replace => text.push('\u{FFFD}'),
            Policy::Java => {
                if left == 0 || !chunk.valid().is_empty() {
                    text.push('\u{FFFD}');
                    left = match bytes[at..] {
                        [0xED, 0xA0..=0xBF, 0x80..=0xBF, ..] => 2,
                        [0xED, 0xA0..=0xBF, ..] => 1,
                        _ => 0,
                    };
                } else {
                    left -= 1;
                }
            }
            Policy::Drop => {}
            Policy::Null => return None,
            Policy::Escape => invalid.iter().for_each(|byte| text.push_str(&format!("\\x{byte:02X}"))),
            Policy::Windows1252 => text.extend(invalid.iter().map(|&byte| match byte {
                0x80..=0x9F => HIGH.chars().nth(usize::from(byte - 0x80)).unwrap(),
                _ => char::from(byte),
            })),
            other => unreachable!("{other:?}"),
        }
        at += invalid.len();
    }
    if forbids_nul && text.contains('\0') {
        text = match policy? {
            Policy::Null => return None,
            Policy::Drop => text.replace('\0', ""),
            Policy::Escape => text.replace('\0', r"\u{0}"),
            _ => text.replace('\0', "\u{FFFD}"),
        };
    }
    Some(text.into_bytes())
}
