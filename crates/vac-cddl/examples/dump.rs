//! temporary
fn main() {
    let name = std::env::args().nth(1).unwrap();
    let text = std::fs::read_to_string(&name).unwrap();
    match vac_cddl::parse(&name, &text) {
        Ok(s) => println!("{s:#?}"),
        Err(e) => println!("{e}"),
    }
}
