//! Passwords of private keys: from a variable, or asked for on the terminal.

use std::io::{self, IsTerminal as _};
use std::path::Path;

use anyhow::{Result, anyhow, bail};
use zeroize::Zeroizing;

/// The variable that contains the password of the private key.
const VAC_KEY_PASSWORD: &str = "VAC_KEY_PASSWORD";

/// Returns the password of a key: the one in the variable, or else what the user types.
pub fn of_key(path: &Path) -> Result<Zeroizing<String>> {
    if let Some(password) = from_variable()? {
        return Ok(password);
    }
    let path = path.display().to_string();
    // The name of a file may contain characters that control the terminal.
    let prompt = format!("Password of {}: ", vac::value::printable(&path, 200));
    ask(&prompt).map_err(|error| {
        anyhow!(
            "{path} is encrypted, and its password cannot be asked for: {error} (use \
             --password-file, or the variable {VAC_KEY_PASSWORD})"
        )
    })
}

/// Returns the password for a new key: the one in the variable, or else what the user types twice.
pub fn of_new_key() -> Result<Zeroizing<String>> {
    if let Some(password) = from_variable()? {
        return Ok(password);
    }
    let ask = |prompt| {
        ask(prompt).map_err(|error| {
            anyhow!(
                "the password of the key cannot be asked for: {error} (use --password-file, or \
                 the variable {VAC_KEY_PASSWORD})"
            )
        })
    };
    let password = ask("Password of the new key: ")?;
    if *ask("The same again: ")? != *password {
        bail!("the two passwords are not the same");
    }
    Ok(password)
}

/// Returns the first line of text, without its end.
pub fn first_line(text: &str) -> Zeroizing<String> {
    Zeroizing::new(text.lines().next().unwrap_or_default().to_owned())
}

fn from_variable() -> Result<Option<Zeroizing<String>>> {
    match std::env::var_os(VAC_KEY_PASSWORD).filter(|value| !value.is_empty()) {
        None => Ok(None),
        Some(value) => match value.into_string() {
            Ok(value) => Ok(Some(Zeroizing::new(value))),
            Err(_) => bail!("the variable {VAC_KEY_PASSWORD} is not UTF-8"),
        },
    }
}

/// Asks for a password on the terminal, which does not show it. Standard input and output are not
/// used. A process in the background has a terminal, too, that of the program which started it: it
/// would print there and stop at the first character. So one of its streams has to be the terminal.
fn ask(prompt: &str) -> io::Result<Zeroizing<String>> {
    #[allow(clippy::disallowed_methods)] // nothing is printed
    let is_on_terminal = io::stdin().is_terminal() || io::stderr().is_terminal();
    if !is_on_terminal {
        return Err(io::Error::other("no terminal was found"));
    }
    match rpassword::prompt_password(prompt) {
        Ok(password) => Ok(Zeroizing::new(password)),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
        Err(_) => Err(io::Error::other("no terminal was found")),
    }
}
