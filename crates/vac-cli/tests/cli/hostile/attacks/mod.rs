//! One module for each numbered attack of SECURITY.md.

mod a01_links;
mod a02_temporary_copies;
mod a03_output_modes;
mod a04_secrets_in_unparsed_frames;
mod a05_replaced_records;
mod a06_concurrent_runs;
mod a07_swapped_logs;
mod a08_databases_in_use;
mod a09_several_records_in_a_file;
mod a10_duplicate_keys;
mod a11_unchecked_signatures;
mod a12_statements_without_record;
mod a13_named_hashes;
mod a14_trust_roots;
mod a15_key_identifiers;
mod a16_receipts;
mod a17_foreign_headers;
mod a18_key_files_and_force;
mod a19_payloads;
mod a20_missing_rules;
mod a22_quadratic_work;
mod a23_memory;
mod a24_schema_limits;
mod a25_fuzzing;
mod craft;

/// Returns the number and the module of each attack in the table of SECURITY.md. A row without a
/// module is a gap that the document admits.
fn listed() -> Vec<(u32, Option<&'static str>)> {
    let policy = include_str!("../../../../../../SECURITY.md");
    let row = |line: &'static str| {
        let cells: Vec<_> = line.strip_prefix('|')?.split('|').map(str::trim).collect();
        let [number, _, _, module, ""] = cells[..] else { return None };
        let module = module.strip_prefix('`').and_then(|module| module.strip_suffix('`'));
        Some((number.parse().ok()?, module))
    };
    policy.lines().filter_map(row).collect()
}

#[test]
fn every_listed_attack_has_a_module_with_tests() {
    let numbers: Vec<u32> = listed().iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, (1..=25).collect::<Vec<_>>());
    let modules: Vec<_> = listed().into_iter().filter_map(|(_, module)| module).collect();
    let declared = include_str!("mod.rs").lines().filter_map(|line| line.strip_prefix("mod a"));
    let declared: Vec<_> =
        declared.map(|name| format!("a{}", name.trim_end_matches(';'))).collect();
    assert_eq!(modules, declared);
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/hostile/attacks");
    for (number, module) in listed() {
        let Some(module) = module else { continue };
        assert!(module.starts_with(&format!("a{number:02}_")), "{number}: {module}");
        let mut text = std::fs::read_to_string(folder.join(module).with_extension("rs")).unwrap();
        for part in std::fs::read_dir(folder.join(module)).into_iter().flatten() {
            text += &std::fs::read_to_string(part.unwrap().path()).unwrap();
        }
        assert!(text.contains("#[test]"), "{module} has no tests");
    }
}
