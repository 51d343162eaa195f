//! `vac keygen`

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use vac_value::printable;

use crate::exit::Exit;
use crate::keys;
use crate::terminal::{Output, Talk};

/// Make an Ed25519 key to sign with
///
/// The private key is a file that its owner alone can read. Files that are there
/// already are never replaced. On stdout is the key's thumbprint.
#[derive(Args)]
#[command(after_help = "\
Examples:
  vac keygen -o keys
  vac sign record.json --key keys/signing-key.pem -o record.sig.cbor")]
pub struct Keygen {
    /// The folder for signing-key.pem and signing-key.pub.pem
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Tell about the key in JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Summary {
    private: String,
    public: String,
    algorithm: &'static str,
    thumbprint: String,
}

impl Keygen {
    /// Makes it.
    pub fn run(self, talk: Talk) -> anyhow::Result<Exit> {
        let (public, files) = keys::generate(&self.output)?;
        let summary = Summary {
            private: files.private.display().to_string(),
            public: files.public.display().to_string(),
            algorithm: "Ed25519",
            thumbprint: public.thumbprint_uri(),
        };
        let mut out = Output::new();
        if self.json {
            out.write(&(serde_json::to_string_pretty(&summary)? + "\n"))?;
        } else {
            out.write(&format!("{}\n", summary.thumbprint))?;
        }
        out.flush()?;
        talk.say(&format!("private key: {}", printable(&summary.private, usize::MAX)));
        talk.say(&format!("public key:  {}", printable(&summary.public, usize::MAX)));
        Ok(Exit::Yes)
    }
}
