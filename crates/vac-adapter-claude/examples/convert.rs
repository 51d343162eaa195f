//! Converts a file to stdout: convert FILE [json|pretty|cbor] [canonical]
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};

use vac_adapter::session::{self, Options};
use vac_adapter::{Adapter, Input, Profile};
use vac_value::{Encoding, Layout};

struct Path(String);
impl Input for Path {
    fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }
    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(File::open(&self.0)?))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    let path = Path(arguments[0].clone());
    let bytes = if has("held") { std::fs::read(&arguments[0])? } else { Vec::new() };
    let memory = vac_adapter::Memory { name: path.name(), bytes: &bytes };
    let input: &dyn Input = if has("held") { &memory } else { &path };
    if has("serde") {
        for line in bytes.split(|b| *b == b'\n').filter(|l| !l.is_empty()) {
            std::hint::black_box(serde_json::from_slice::<serde_json::Value>(line).ok());
        }
        return Ok(());
    }
    let options = Options {
        encoding: if has("cbor") { Encoding::Cbor } else { Encoding::Json },
        layout: if has("pretty") { Layout::Pretty } else { Layout::Compact },
        profile: if has("canonical") { Profile::Canonical } else { Profile::Full },
        validate: !has("unchecked"),
        sources: Vec::new(),
    };
    let mut out = BufWriter::new(io::stdout().lock());
    for session in vac_adapter_claude::Claude.survey(input)? {
        let report = session::write(&*session, &options, &mut out)?;
        eprintln!("{report:?}");
    }
    out.flush()?;
    Ok(())
}
