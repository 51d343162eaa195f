//! Sets linker options for `cargo build` on macOS. Linux needs none, and maturin passes its own.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_CFG_TARGET_OS").is_some_and(|system| system == "macos") {
        // The interpreter that loads the module provides the symbols.
        println!("cargo::rustc-cdylib-link-arg=-undefined");
        println!("cargo::rustc-cdylib-link-arg=dynamic_lookup");
    }
}
