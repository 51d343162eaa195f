//! Checks that no dependency needs a newer compiler than the manifest's `rust-version`. Whether the
//! code of the workspace needs one shows only in a build with an older compiler.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value;

/// Compares the versions, and returns whether none is newer than that of the manifest.
pub fn check() -> Result<bool> {
    let metadata = metadata()?;
    let packages = metadata["packages"].as_array().context("cargo metadata has no packages")?;
    let ours = |package: &&Value| package["name"] == "vac-cli";
    let promised = packages.iter().find(ours).context("vac-cli is not in the workspace")?;
    let promised = promised["rust_version"].as_str().context("no rust-version in the manifest")?;
    let newest = version(promised)?;
    let mut is_true = true;
    let mut stated = 0;
    for package in packages {
        let Some(needed) = package["rust_version"].as_str() else { continue };
        stated += 1;
        if version(needed)? > newest {
            is_true = false;
            eprintln!(
                "{} {} needs Rust {needed}, and the manifest says {promised}",
                package["name"].as_str().unwrap_or_default(),
                package["version"].as_str().unwrap_or_default(),
            );
        }
    }
    if is_true {
        let all = packages.len();
        eprintln!("Rust {promised}: {stated} of {all} packages say what they need, none more");
    }
    Ok(is_true)
}

/// Returns cargo's metadata of all dependencies; without a network, only of the dependencies of
/// this platform.
fn metadata() -> Result<Value> {
    let host = host()?;
    let all = run(&["metadata", "--format-version", "1", "--locked"], Stdio::null());
    let text = all.or_else(|_| {
        eprintln!("not all dependencies can be had: looking at those of {host}");
        let offline = ["--offline", "--filter-platform", &host];
        let arguments = [&["metadata", "--format-version", "1", "--locked"], &offline[..]].concat();
        run(&arguments, Stdio::inherit())
    })?;
    serde_json::from_str(&text).context("cargo metadata gave no JSON")
}

/// Returns the platform on which the compiler runs.
pub fn host() -> Result<String> {
    let about = run(&["--version", "--verbose"], Stdio::inherit())?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("cargo does not say its host")?.to_owned())
}

fn run(arguments: &[&str], stderr: Stdio) -> Result<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments).current_dir(crate::root()?).stderr(stderr);
    let ran = command.output().context("cannot run cargo")?;
    if !ran.status.success() {
        bail!("cargo {} failed", arguments.join(" "));
    }
    String::from_utf8(ran.stdout).map_err(|_| anyhow!("cargo wrote no text"))
}

/// Parses `1.89` or `1.89.0` to numbers that can be compared.
fn version(text: &str) -> Result<[u64; 3]> {
    let mut numbers = [0; 3];
    for (place, number) in numbers.iter_mut().zip(text.split('.')) {
        *place = number.parse().map_err(|_| anyhow!("{text} is not a version of Rust"))?;
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn versions_are_compared_as_numbers() {
        let version = |text| version(text).expect("a version");
        assert_eq!(version("1.89"), version("1.89.0"));
        assert!(version("1.100") > version("1.89"));
        assert!(version("1.89.1") > version("1.89"));
        assert!(super::version("stable").is_err());
    }
}
