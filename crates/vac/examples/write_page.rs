//! Writes the page of a record, signed or not: `write_page RECORD PAGE [KEY [RECORD_APART]]`.

use std::error::Error;
use std::fs;

use vac::PublicKey;
use vac::page::{PageContents, make_page};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(document), Some(page)) = (arguments.next(), arguments.next()) else {
        return Err("expected: RECORD PAGE [KEY [RECORD_APART]]".into());
    };
    let key = arguments.next().map(fs::read_to_string).transpose()?;
    let key = key.as_deref().map(PublicKey::from_pem).transpose()?;
    let record = arguments.next().map(fs::read).transpose()?;
    let html = make_page(PageContents { document: fs::read(document)?, record, key }, "(example)")?;
    fs::write(&page, html)?;
    println!("{page}");
    Ok(())
}
