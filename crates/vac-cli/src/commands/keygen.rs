//! `vac keygen`

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::exit::Exit;
use crate::help;
use crate::key_files;
use crate::printer::Printer;

/// Make an Ed25519 key to sign with
///
/// The private key is a file that its owner alone can read. Files that are there
/// already are never replaced. On stdout is the key's thumbprint.
#[derive(Args)]
#[command(after_help = help::ending(
    &[],
    "0 done, 2 usage or input/output error.",
    &[
        ("vac keygen -o keys/", "A private and a public key"),
        ("vac keygen --json -o release-keys/", "The same, told for programs"),
    ],
))]
pub struct KeygenArgs {
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

impl KeygenArgs {
    /// Makes it.
    pub fn run(self, printer: &Printer) -> anyhow::Result<Exit> {
        let (public, files) = key_files::generate(&self.output)?;
        let summary = Summary {
            private: files.private.display().to_string(),
            public: files.public.display().to_string(),
            algorithm: "Ed25519",
            thumbprint: public.thumbprint_uri(),
        };
        if self.json {
            printer.json(&summary)?;
        } else {
            printer.line(&summary.thumbprint)?;
        }
        printer.info(&format!("private key: {}", summary.private));
        printer.info(&format!("public key:  {}", summary.public));
        Ok(Exit::Success)
    }
}
