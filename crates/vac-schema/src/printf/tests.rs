use super::*;

fn write(format: &str, item: Item<'_>) -> Option<String> {
    let pieces = parse(format).unwrap_or_else(|error| panic!("{error}"));
    let [Piece::Conversion(conversion)] = pieces.as_slice() else { panic!("{format}") };
    let written = conversion.write(item)?;
    Some(String::from_utf8(written).expect("text"))
}

#[test]
fn items_are_written_as_by_printf() {
    for (format, item, text) in [
        ("%d", Item::Integer(-5), "-5"),
        ("%i", Item::Integer(5), "5"),
        ("%5d", Item::Integer(-5), "   -5"),
        ("%-5d", Item::Integer(-5), "-5   "),
        ("%05d", Item::Integer(-5), "-0005"),
        ("%-05d", Item::Integer(-5), "-5   "),
        ("%+d", Item::Integer(5), "+5"),
        ("% d", Item::Integer(5), " 5"),
        ("%.3d", Item::Integer(-5), "-005"),
        ("%06.3d", Item::Integer(5), "   005"),
        ("%.0d", Item::Integer(0), ""),
        ("%3.0d", Item::Integer(0), "   "),
        ("%u", Item::Integer(18_446_744_073_709_551_615), "18446744073709551615"),
        ("%04x", Item::Integer(19), "0013"),
        ("%#x", Item::Integer(255), "0xff"),
        ("%#x", Item::Integer(0), "0"),
        ("%#06X", Item::Integer(255), "0X00FF"),
        ("%o", Item::Integer(8), "10"),
        ("%#o", Item::Integer(8), "010"),
        ("%#o", Item::Integer(0), "0"),
        ("%#.0o", Item::Integer(0), "0"),
        ("%f", Item::Float(1.5), "1.500000"),
        ("%.0f", Item::Float(2.5), "2"),
        ("%#.0f", Item::Float(2.5), "2."),
        ("%.1f", Item::Float(0.25), "0.2"),
        ("%08.2f", Item::Float(-1.5), "-0001.50"),
        ("%+.1f", Item::Float(-0.0), "-0.0"),
        ("%e", Item::Float(12345.678), "1.234568e+04"),
        ("%.0e", Item::Float(1e-100), "1e-100"),
        ("%E", Item::Float(0.0), "0.000000E+00"),
        ("%g", Item::Float(0.0001), "0.0001"),
        ("%g", Item::Float(0.00001), "1e-05"),
        ("%g", Item::Float(100_000.0), "100000"),
        ("%g", Item::Float(1_000_000.0), "1e+06"),
        ("%.3g", Item::Float(999.9), "1e+03"),
        ("%#g", Item::Float(1.0), "1.00000"),
        ("%G", Item::Float(1e20), "1E+20"),
        ("%.0g", Item::Float(0.0), "0"),
        ("%f", Item::Float(f64::INFINITY), "inf"),
        ("%05F", Item::Float(f64::NEG_INFINITY), " -INF"),
        ("%e", Item::Float(f64::NAN), "nan"),
        ("%c", Item::Integer(0x20ac), "€"),
        ("%3c", Item::Integer(65), "  A"),
        ("%s", Item::Text("äb"), "äb"),
        ("%5s", Item::Text("ab"), "   ab"),
        ("%-5s", Item::Text("ab"), "ab   "),
        ("%.1s", Item::Text("ab"), "a"),
    ] {
        assert_eq!(write(format, item).as_deref(), Some(text), "{format} {item:?}");
    }
    for (format, item) in [
        ("%d", Item::Float(1.0)),
        ("%u", Item::Integer(-1)),
        ("%x", Item::Integer(-1)),
        ("%f", Item::Integer(1)),
        ("%s", Item::Integer(1)),
        ("%c", Item::Text("a")),
        ("%c", Item::Integer(0xd800)),
        ("%c", Item::Integer(-1)),
    ] {
        assert_eq!(write(format, item), None, "{format} {item:?}");
    }
}

#[test]
fn candidates_include_what_was_written() {
    for (format, item) in [
        ("%+08d", Item::Integer(-5)),
        ("% .0d", Item::Integer(0)),
        ("%#X", Item::Integer(255)),
        ("%-#8o", Item::Integer(8)),
        ("%c", Item::Integer(32)),
        ("%-3c", Item::Integer(32)),
        ("%10.3e", Item::Float(-1.5)),
        ("%G", Item::Float(f64::INFINITY)),
        ("%5s", Item::Text("  a")),
        ("%-5s", Item::Text("a  ")),
        ("%s", Item::Text("")),
    ] {
        let text = write(format, item).expect("an item of the right kind");
        let pieces = parse(format).expect("a format");
        let [Piece::Conversion(conversion)] = pieces.as_slice() else { panic!("{format}") };
        assert!(conversion.candidates(&text).contains(&item), "{format} {text:?}");
    }
}

#[test]
fn formats_are_texts_and_conversions() {
    let format = Format::parse("a%%b%d%5s%%".into()).expect("a format");
    assert_eq!(format.items(), [FormatItem::Integer, FormatItem::Text]);
    assert_eq!(format.pieces().len(), 4);
    assert_eq!(format.pieces()[0], Piece::Text("a%b".into()));
    assert!(Format::parse("".into()).expect("a format").pieces().is_empty());
}

#[test]
fn formats_that_are_not_of_printf_are_refused() {
    for (format, reason) in [
        ("%", "`%` is not a conversion of printf"),
        ("%5", "`%5` is not a conversion of printf"),
        ("%é", "`%é` is not a conversion of printf"),
        ("%ld", "`%l`: length modifiers are not allowed (RFC 9741 section 2.3)"),
        ("%hhd", "`%h`: length modifiers are not allowed (RFC 9741 section 2.3)"),
        ("%p", "`%p` is not allowed (RFC 9741 section 2.3)"),
        ("%n", "`%n` is not allowed (RFC 9741 section 2.3)"),
        ("%a", "`%a` is not supported: C does not define its digits"),
        ("%*d", "`%*`: a width or precision has to be a number"),
        ("%.*d", "`%.*`: a width or precision has to be a number"),
        ("%05s", "`%05s`: this flag has no meaning here"),
        ("%#d", "`%#d`: this flag has no meaning here"),
        ("%.2c", "`%.2c`: a precision has no meaning here"),
        ("%9999d", "a width or precision of 9999 is too large (limit 1000)"),
        (
            "%.99999999999999999999d",
            "a width or precision of 99999999999999999999 is too large (limit 1000)",
        ),
    ] {
        assert_eq!(Format::parse(format.into()).expect_err(format), reason);
    }
}
