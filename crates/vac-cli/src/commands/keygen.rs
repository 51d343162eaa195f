//! `vac keygen`

use std::path::PathBuf;

use clap::Args;
use vac::files::refuse_agent_folder;

use crate::exit::Exit;
use crate::help;
use crate::json_output::{Document, KeygenOutput};
use crate::key_files::{self, KeyAlgorithm};
use crate::printer::Printer;

/// Generate a key to sign with
///
/// Only the owner can read the file of the private key. Files that already exist are never
/// overwritten. The thumbprint of the key is printed on stdout.
///
/// The private key is written in PKCS #8, which `openssl` reads, too. With --encrypt it is
/// encrypted with a password that is asked for on the terminal.
#[derive(Args)]
#[command(after_help = help::ending(
    &[],
    "",
    &[
        ("vac keygen -o keys/", "A private and a public key"),
        ("vac keygen --json -o release-keys/", "The same, with the result as JSON"),
        ("vac keygen --alg es256 --encrypt -o team-keys/", "A P-256 key with a password"),
    ],
))]
pub struct KeygenArgs {
    /// Folder to write signing-key.pem and signing-key.pub.pem to
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Algorithm of the key
    #[arg(long, value_enum, default_value = "ed25519")]
    alg: KeyAlgorithm,
    /// Encrypt the private key with a password (scrypt and AES-256-CBC)
    #[arg(long)]
    encrypt: bool,
    /// File whose first line is the password [default: the variable `VAC_KEY_PASSWORD`, else it is
    /// asked for on the terminal]
    #[arg(long, value_name = "FILE", requires = "encrypt")]
    password_file: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

impl KeygenArgs {
    /// Runs the command.
    pub fn run(self, printer: &Printer) -> anyhow::Result<Exit> {
        refuse_agent_folder(&self.output)?;
        let password = self.encrypt.then(|| key_files::new_password(self.password_file.as_deref()));
        let password = password.transpose()?;
        let password = password.as_ref().map(|password| password.as_str());
        let (public, files) = key_files::generate(&self.output, self.alg, password)?;
        let output = KeygenOutput {
            private_key: files.private.display().to_string(),
            public_key: files.public.display().to_string(),
            algorithm: public.algorithm().id(),
            key: public.thumbprint_uri(),
            encrypted: self.encrypt,
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
