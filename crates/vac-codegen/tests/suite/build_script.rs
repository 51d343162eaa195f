use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=track.cddl");
    let file = Path::new(&std::env::var("OUT_DIR")?).join("track.rs");
    for warning in vac_codegen::generate("track.cddl", file)? {
        println!("cargo::warning={warning}");
    }
    Ok(())
}
