//! Everything that the generator accepts compiles without warnings, and its decoders accept
//! what the validator accepts.

use std::fmt::Write;

use data_encoding::HEXLOWER;
use fastrand::Rng;
use vac_cddl::ir::TypeKind;

use crate::data::{self, Case};
use crate::project::{Project, root};
use crate::sample::{mutate, sample};

/// The number of random documents of each schema; each of them is also changed this often.
const SAMPLES: usize = 10;
const MUTATIONS: usize = 4;

#[test]
fn generated_modules_compile_and_agree_with_the_validator() {
    let mut schemas = data::schemas();
    schemas.extend(goldens());
    assert!(schemas.len() >= 200, "only {} schemas", schemas.len());
    let project = Project::new("generated");
    let mut library = "//! Generated modules.\n#![deny(warnings)]\n".to_owned();
    let mut modules = String::new();
    let mut documents = String::new();
    let mut refused = String::new();
    for schema in &mut schemas {
        let name = &schema.name;
        let file = format!("{name}.cddl");
        let ir = match vac_codegen::read(&file, &schema.cddl) {
            Ok(ir) => ir,
            Err(errors) => {
                writeln!(refused, "{errors}").expect("a string");
                continue;
            }
        };
        let text =
            vac_codegen::standalone(&ir, &file).unwrap_or_else(|error| panic!("{name}: {error}"));
        let root = &ir.rules[ir.root.0].body.kind;
        let constant = if matches!(root, TypeKind::Literal(_)) { ", constant" } else { "" };
        writeln!(modules, "    module!({name}{constant}),").expect("a string");
        writeln!(library, "/// From {file}.\npub mod {name};").expect("a string");
        project.write(&format!("src/{name}.rs"), text);
        let is_exact = !schema.cddl.contains(".feature");
        schema.cases.extend(random_cases(&ir));
        for Case { bytes, is_json, is_valid, has_both_keys } in &schema.cases {
            let encoding = if *is_json { "json" } else { "cbor" };
            let expected = match is_valid {
                _ if *has_both_keys => "!",
                Some(true) if is_exact => "=",
                Some(true) => "+",
                Some(false) => "-",
                None => "?",
            };
            writeln!(documents, "{name} {encoding} {expected} {}", HEXLOWER.encode(bytes))
                .expect("a string");
        }
    }
    assert_eq!(refused, "", "schemas that cannot be read");
    project.write("documents.txt", documents);
    project.write("src/lib.rs", library);
    let program = include_str!("../schemas/program.rs").replace("MODULES\n", &modules);
    project.write("src/main.rs", program);
    let output = project.run();
    let (problems, count) = output.trim_end().rsplit_once('\n').unwrap_or(("", &output));
    assert!(problems.is_empty(), "{problems}\n{count}");
    println!("{} schemas, documents: {count}", schemas.len());
    project.lint();
}

/// Returns the golden schemas of the workspace. Their documents are tested elsewhere.
fn goldens() -> Vec<data::Schema> {
    let folder = root().join("fixtures/cddl");
    let mut schemas = Vec::new();
    for entry in std::fs::read_dir(folder).expect("golden schemas") {
        let path = entry.expect("a file").path();
        if path.extension().is_some_and(|extension| extension == "cddl") {
            let stem = path.file_stem().expect("a name").to_string_lossy().replace('-', "_");
            let cddl = std::fs::read_to_string(&path).expect("text");
            schemas.push(data::Schema { name: format!("golden_{stem}"), cddl, cases: Vec::new() });
        }
    }
    schemas.sort_by(|one, other| one.name.cmp(&other.name));
    schemas
}

/// Documents that nearly all match a schema, and changed copies of them.
fn random_cases(schema: &vac_cddl::ir::Schema) -> Vec<Case> {
    let mut rng = Rng::with_seed(8610);
    let mut cases = Vec::new();
    for _ in 0..SAMPLES {
        let item = sample(schema, &schema.rules[schema.root.0].body, &mut rng);
        let mut changed = vec![item];
        for _ in 0..MUTATIONS {
            let mut copy = changed[0].clone();
            mutate(&mut copy, &mut rng);
            changed.push(copy);
        }
        for item in changed {
            cases.push(Case {
                bytes: item.to_cbor(),
                is_json: false,
                is_valid: None,
                has_both_keys: false,
            });
            if let Some(json) = item.to_json() {
                cases.push(Case {
                    bytes: json.into_bytes(),
                    is_json: true,
                    is_valid: None,
                    has_both_keys: false,
                });
            }
        }
    }
    cases
}
