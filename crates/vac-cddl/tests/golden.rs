//! Every golden case, judged by the interpreter.

use std::fs;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER_PERMISSIVE;
use vac_cddl::interpret::Interpreter;
use vac_value::{Document, Encoder, Encoding, Node, transcode};

/// One way in which a case is judged.
struct Trial {
    encoding: Encoding,
    source: Vec<u8>,
}

#[test]
fn golden_cases() {
    let specifications = specifications();
    assert!(!specifications.is_empty(), "no golden cases");
    let failures: Vec<String> = specifications.iter().flat_map(|path| run(path)).collect();
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

fn specifications() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/cddl");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder of golden cases")
        .map(|entry| entry.expect("an entry of the folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "cddl"))
        .collect();
    paths.sort();
    paths
}

/// What is not as it should be in the cases beside one specification.
fn run(path: &Path) -> Vec<String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let specification = fs::read_to_string(path).expect("a specification");
    let cases = fs::read(path.with_extension("cases.json")).expect("its cases");
    let schema = match vac_cddl::parse(&name, &specification) {
        Ok(schema) => schema,
        Err(error) => return vec![format!("{name} is refused: {error}")],
    };
    let interpreter = match Interpreter::new(&schema) {
        Ok(interpreter) => interpreter,
        Err(error) => return vec![format!("{name} is refused: {error}")],
    };
    let cases = Document::json(&cases).unwrap_or_else(|error| panic!("{name}: {error}"));
    let root = cases.root();
    assert!(root.elements().count() > 0, "{name}: no cases");
    root.elements().flat_map(|case| judge(&interpreter, &name, case)).collect()
}

fn judge(interpreter: &Interpreter<'_>, name: &str, case: Node<'_, '_>) -> Vec<String> {
    let why = text(case, "why").expect("every case says why");
    let expected = match text(case, "expect").as_deref() {
        Some("valid") => true,
        Some("invalid") => false,
        other => panic!("{name}: {why}: expect {other:?}"),
    };
    let mut failures = Vec::new();
    for trial in trials(case).unwrap_or_else(|error| panic!("{name}: {why}: {error}")) {
        let encoding = trial.encoding;
        let document = Document::scan(&trial.source, encoding)
            .unwrap_or_else(|error| panic!("{name}: {why}: {error}"));
        let violations = interpreter.validate(&document);
        if violations.is_empty() != expected {
            let told: Vec<String> = violations.iter().map(|found| format!("{found:#}")).collect();
            failures.push(format!("{name}: {why} ({encoding}): {}", told.join("; ")));
        }
    }
    failures
}

fn trials(case: Node<'_, '_>) -> Result<Vec<Trial>, String> {
    let mut trials = Vec::new();
    if let Some(json) = text(case, "json") {
        trials.push(Trial { encoding: Encoding::Json, source: json.into_bytes() });
    }
    if let Some(hex) = text(case, "cbor") {
        let source = HEXLOWER_PERMISSIVE.decode(hex.as_bytes()).map_err(|e| e.to_string())?;
        trials.push(Trial { encoding: Encoding::Cbor, source });
    }
    if let Some(json) = text(case, "both") {
        let source = as_cbor(json.as_bytes())?;
        trials.push(Trial { encoding: Encoding::Json, source: json.into_bytes() });
        trials.push(Trial { encoding: Encoding::Cbor, source });
    }
    if trials.is_empty() { Err("nothing to judge".to_owned()) } else { Ok(trials) }
}

fn as_cbor(json: &[u8]) -> Result<Vec<u8>, String> {
    let document = Document::json(json).map_err(|error| error.to_string())?;
    let mut encoder = Encoder::cbor();
    transcode(&document, &mut encoder).map_err(|error| error.to_string())?;
    Ok(encoder.finish())
}

fn text(case: Node<'_, '_>, key: &str) -> Option<String> {
    case.member(key).and_then(Node::text).map(std::borrow::Cow::into_owned)
}
