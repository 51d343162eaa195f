//! Each fixture gives the record beside it. `VAC_BLESS=1` writes them anew.

use std::fs;

use vac_adapter::session::Options;
use vac_value::Layout;

use crate::files::fixtures;

#[test]
fn every_fixture_gives_the_record_beside_it() {
    let options = Options { layout: Layout::Pretty, ..Options::default() };
    for log in fixtures() {
        let (mut record, _) = log.convert(&options).expect("a record");
        record.push(b'\n');
        let path = log.path.with_file_name("expected.json");
        if std::env::var_os("VAC_BLESS").is_some() {
            fs::write(&path, &record).expect("written");
        }
        let expected = fs::read(&path).expect("an expected record");
        assert_eq!(
            String::from_utf8_lossy(&record),
            String::from_utf8_lossy(&expected),
            "{}",
            log.path.display()
        );
    }
}
