//! Converts all session logs below a folder, and validates and signs their records.
//!
//! `cargo run -p vac --example convert_folder -- LOGS OUTPUT KEY.pem`

use std::{env, error::Error, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [logs, output, key] = &arguments[..] else {
        return Err("usage: convert_folder LOGS OUTPUT KEY.pem".into());
    };
    let key = vac::SecretKey::from_pem(&fs::read_to_string(key)?)?;
    let plan = vac::Search { paths: vec![logs.into()], ..vac::Search::default() }.plan()?;
    fs::create_dir_all(output)?;
    let mut number = 0;
    for task in &plan.tasks {
        for record in vac::convert_to_records(task, &vac::ConvertOptions::default())? {
            assert!(vac::validate(&record.bytes)?.is_valid(), "records are valid");
            let signed = vac::sign(&record.bytes, &vac::SignOptions::default(), &key)?;
            number += 1;
            fs::write(Path::new(output).join(format!("{number:05}.cose")), &signed.envelope)?;
        }
    }
    println!("{number} sessions signed, {} files skipped", plan.skipped.len());
    plan.troubles.into_iter().next().map_or(Ok(()), |trouble| Err(trouble.into()))
}
