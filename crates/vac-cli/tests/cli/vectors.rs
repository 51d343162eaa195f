//! Tests every shared vector through the command line.

use std::path::Path;

use crate::run::Folder;

#[test]
fn every_shared_vector_gets_its_verdict() {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = crate_folder.join("../../../shared/vectors/schema");
    let Ok(manifest) = std::fs::read_to_string(folder.join("manifest.json")) else {
        println!("skipped: no {}", folder.display());
        return;
    };
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let mut cases = Vec::new();
    for case in manifest.as_array().unwrap() {
        for format in case["formats"].as_array().unwrap() {
            let (name, format) = (case["name"].as_str().unwrap(), format.as_str().unwrap());
            let file = folder.join(format!("{name}.{format}")).to_str().unwrap().to_owned();
            cases.push((file, case["expect"] == "valid"));
        }
    }
    assert!(!cases.is_empty(), "the manifest has no cases");

    for (file, valid) in &cases {
        let ran = Folder::new().vac(&["validate", file]);
        assert_eq!(ran.code, i32::from(!valid), "{ran:?}");
        assert_eq!(ran.stdout.is_empty(), *valid, "{ran:?}");
    }

    // All vectors in one run, with other options.
    let own = crate_folder.join("../../spec/agent-conversation.cddl");
    let own = own.to_str().unwrap();
    for options in [&["--lint"][..], &["--schema", own], &["--rule", "start"]] {
        let files = cases.iter().map(|(file, _)| file.as_str());
        let arguments: Vec<_> =
            ["validate", "--json"].iter().chain(options).copied().chain(files).collect();
        let ran = Folder::new().vac(&arguments);
        let json = ran.json();
        let verdicts = json["files"].as_array().unwrap().iter();
        let verdicts = verdicts.map(|file| {
            (file["file"].as_str().unwrap().to_owned(), file["valid"].as_bool().unwrap())
        });
        assert_eq!(verdicts.collect::<Vec<_>>(), cases, "{options:?}");
        assert_eq!(ran.code, 1);
    }
}
