//! CBOR items, written in the diagnostic notation of RFC 8949 section 8.

/// A CBOR item.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    Integer(i128),
    Float(f64),
    Text(String),
    Bytes(Vec<u8>),
    Array(Vec<Item>),
    Map(Vec<(Item, Item)>),
    Tag(u64, Box<Item>),
    Simple(u8),
}

impl Item {
    pub const FALSE: Self = Self::Simple(20);
    pub const TRUE: Self = Self::Simple(21);
    pub const NULL: Self = Self::Simple(22);
    pub const UNDEFINED: Self = Self::Simple(23);

    pub fn to_cbor(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.write(&mut bytes);
        bytes
    }

    /// Returns the item as JSON, if it has that form.
    pub fn to_json(&self) -> Option<String> {
        let all = |items: &[Self]| items.iter().map(Self::to_json).collect::<Option<Vec<_>>>();
        Some(match self {
            Self::Integer(value) => value.to_string(),
            Self::Float(value) if value.is_finite() => format!("{value:?}"),
            Self::Text(text) => format!("{text:?}"),
            Self::Array(items) => format!("[{}]", all(items)?.join(",")),
            Self::Map(entries) => {
                let mut members = Vec::new();
                for (key, value) in entries {
                    let Self::Text(key) = key else { return None };
                    members.push(format!("{key:?}:{}", value.to_json()?));
                }
                format!("{{{}}}", members.join(","))
            }
            Self::Simple(20) => "false".to_owned(),
            Self::Simple(21) => "true".to_owned(),
            Self::Simple(22) => "null".to_owned(),
            Self::Float(_) | Self::Bytes(_) | Self::Tag(..) | Self::Simple(_) => return None,
        })
    }

    fn write(&self, to: &mut Vec<u8>) {
        match self {
            Self::Integer(value) if *value < 0 => head(1, to_u64(-1 - value), to),
            Self::Integer(value) => head(0, to_u64(*value), to),
            Self::Float(value) => {
                to.push(0xfb);
                to.extend(value.to_be_bytes());
            }
            Self::Bytes(bytes) => {
                head(2, bytes.len() as u64, to);
                to.extend(bytes);
            }
            Self::Text(text) => {
                head(3, text.len() as u64, to);
                to.extend(text.as_bytes());
            }
            Self::Array(items) => {
                head(4, items.len() as u64, to);
                for item in items {
                    item.write(to);
                }
            }
            Self::Map(entries) => {
                head(5, entries.len() as u64, to);
                for (key, value) in entries {
                    key.write(to);
                    value.write(to);
                }
            }
            Self::Tag(number, content) => {
                head(6, *number, to);
                content.write(to);
            }
            Self::Simple(number @ 24..) => to.extend([0xf8, *number]),
            Self::Simple(number) => to.push(0xe0 | number),
        }
    }
}

fn to_u64(value: i128) -> u64 {
    u64::try_from(value).expect("an integer of -2^64 to 2^64 - 1")
}

fn head(major: u8, argument: u64, to: &mut Vec<u8>) {
    let major = major << 5;
    let bytes = argument.to_be_bytes();
    match argument {
        0..24 => to.push(major | bytes[7]),
        24..0x100 => to.extend([major + 24, bytes[7]]),
        0x100..0x1_0000 => {
            to.push(major + 25);
            to.extend(&bytes[6..]);
        }
        0x1_0000..0x1_0000_0000 => {
            to.push(major + 26);
            to.extend(&bytes[4..]);
        }
        _ => {
            to.push(major + 27);
            to.extend(bytes);
        }
    }
}

/// Parses an item. `<<item, ...>>` is a byte string with the items as CBOR.
pub fn parse(text: &str) -> Item {
    let mut parser = Parser { rest: text.trim() };
    let item = parser.item();
    assert_eq!(parser.rest, "", "something follows the item: {text}");
    item
}

struct Parser<'t> {
    rest: &'t str,
}

impl<'t> Parser<'t> {
    fn item(&mut self) -> Item {
        if self.take("{") {
            return Item::Map(self.list("}", |parser| {
                let key = parser.item();
                parser.expect(":");
                (key, parser.item())
            }));
        }
        if self.take("[") {
            return Item::Array(self.list("]", Self::item));
        }
        if self.take("<<") {
            let items = self.list(">>", Self::item);
            return Item::Bytes(items.iter().flat_map(Item::to_cbor).collect());
        }
        if self.take("h'") {
            let hex = self.read_until('\'');
            return Item::Bytes(data_encoding::HEXLOWER.decode(hex.as_bytes()).expect("hex"));
        }
        if self.take("\"") {
            return Item::Text(self.read_until('"').to_owned());
        }
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest.trim_start();
        match word {
            "true" => return Item::TRUE,
            "false" => return Item::FALSE,
            "null" => return Item::NULL,
            "undefined" => return Item::UNDEFINED,
            "NaN" => return Item::Float(f64::NAN),
            "Infinity" => return Item::Float(f64::INFINITY),
            "-Infinity" => return Item::Float(f64::NEG_INFINITY),
            "simple" => {
                self.expect("(");
                let Item::Integer(number) = self.item() else { panic!("simple needs a number") };
                self.expect(")");
                return Item::Simple(u8::try_from(number).expect("a simple value"));
            }
            _ => {}
        }
        if word.contains(['.', 'e']) {
            return Item::Float(word.parse().expect("a float"));
        }
        let number: i128 = word.parse().unwrap_or_else(|_| panic!("not an item: `{word}{rest}`"));
        if self.take("(") {
            let content = self.item();
            self.expect(")");
            return Item::Tag(to_u64(number), Box::new(content));
        }
        Item::Integer(number)
    }

    fn list<T>(&mut self, end: &str, item: impl Fn(&mut Self) -> T) -> Vec<T> {
        let mut items = Vec::new();
        while !self.take(end) {
            if !items.is_empty() {
                self.expect(",");
            }
            items.push(item(self));
        }
        items
    }

    fn read_until(&mut self, end: char) -> &'t str {
        let (inside, rest) = self.rest.split_once(end).expect("a string ends");
        self.rest = rest.trim_start();
        inside
    }

    fn take(&mut self, symbol: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(symbol) else { return false };
        self.rest = if symbol == "\"" || symbol == "h'" { rest } else { rest.trim_start() };
        true
    }

    fn expect(&mut self, symbol: &str) {
        assert!(self.take(symbol), "`{symbol}` is missing before `{}`", self.rest);
    }
}
