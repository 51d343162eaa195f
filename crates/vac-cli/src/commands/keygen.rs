//! `vac keygen`

use std::path::PathBuf;

use clap::Args;

use crate::exit::Exit;
use crate::help;
use crate::json_output::{Document, KeygenOutput};
use crate::key_files;
use crate::printer::Printer;

/// Generate an Ed25519 key to sign with
///
/// Only the owner can read the file of the private key. Files that already exist are never
/// overwritten. The thumbprint of the key is printed on stdout.
#[derive(Args)]
#[command(after_help = help::ending(
    &[],
    "",
    &[
        ("vac keygen -o keys/", "A private and a public key"),
        ("vac keygen --json -o release-keys/", "The same, with the result as JSON"),
    ],
))]
pub struct KeygenArgs {
    /// Folder to write signing-key.pem and signing-key.pub.pem to
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

impl KeygenArgs {
    /// Runs the command.
    pub fn run(self, printer: &Printer) -> anyhow::Result<Exit> {
        let (public, files) = key_files::generate(&self.output)?;
        let output = KeygenOutput {
            private_key: files.private.display().to_string(),
            public_key: files.public.display().to_string(),
            algorithm: public.algorithm().id(),
            key: public.thumbprint_uri(),
        };
        if self.json {
            printer.json(&Document::new("keygen", &output))?;
        } else {
            printer.line(&output.key)?;
        }
        printer.info(&format!("private key: {}", output.private_key));
        printer.info(&format!("public key:  {}", output.public_key));
        Ok(Exit::Success)
    }
}
