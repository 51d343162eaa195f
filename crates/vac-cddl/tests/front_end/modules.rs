//! Specifications of several files and modules.

use vac_cddl::ir::Schema;
use vac_cddl::{Errors, ParseOptions, SpecFile};

use super::show;

/// A sample module in the style of a library.
const LIBRARY: &str = "\
key = { 1 => label, ? 2 => bstr, * label => values, * $$key-extension }
label = int / tstr
values = any
unneeded = list<label>
list<T> = [* T]
group = (id: label, ? next: [group])
kinds = $kind
$kind /= \"a\"
$kind /= \"b\"
";

/// Reads given files, with modules that are pairs of names and texts.
fn parse(given: &[&str], modules: &[(&str, &str)], start: Option<&str>) -> Result<Schema, Errors> {
    let names = ["main.cddl", "second.cddl", "third.cddl"];
    let files: Vec<SpecFile> =
        names.iter().zip(given).map(|(name, text)| SpecFile::new(*name, *text)).collect();
    let loader = |module: &str| match modules.iter().find(|(name, _)| *name == module) {
        Some((name, text)) => Ok(SpecFile::new(format!("lib/{name}.cddl"), (*text).to_owned())),
        None => Err(format!("module `{module}` is not found")),
    };
    vac_cddl::parse_files(&files, &ParseOptions { start, modules: Some(&loader) })
}

/// Returns the rules of a specification with a module `lib`, without those of the prelude.
fn rules(text: &str) -> Vec<String> {
    with_modules(text, &[("lib", LIBRARY)])
}

fn with_modules(text: &str, modules: &[(&str, &str)]) -> Vec<String> {
    let schema = parse(&[text], modules, None).unwrap_or_else(|errors| panic!("{errors}: {text}"));
    list_rules(&schema)
}

fn list_rules(schema: &Schema) -> Vec<String> {
    let own = schema.rules.iter().filter(|rule| rule.origin != vac_cddl::ir::RuleOrigin::Prelude);
    own.map(|rule| format!("{} = {}", rule.name, show::type_(schema, &rule.body))).collect()
}

#[track_caller]
fn error(given: &[&str], modules: &[(&str, &str)]) -> String {
    parse(given, modules, None).expect_err("it is wrong").to_string()
}

#[test]
fn an_import_takes_what_is_used_and_what_that_uses() {
    assert_eq!(
        rules("start = key\n;# import lib"),
        [
            "start = key",
            "key = {1 => label, ? 2 => bstr, * label => values, * (nothing)}",
            "label = (int / tstr)",
            "values = any",
        ]
    );
    assert_eq!(rules("start = int\n;# import lib"), ["start = int"]);
}

#[test]
fn a_prefix_is_put_before_names_and_sockets_but_not_the_prelude() {
    assert_eq!(
        rules(
            ";# import lib as x\nstart = [x.key, x.kinds]\n$x.kind /= \"c\"\n$$x.key-extension //= (z: 1)"
        ),
        [
            "start = [x.key, x.kinds]",
            "$x.kind = (\"c\" / \"a\" / \"b\")",
            "x.key = {1 => x.label, ? 2 => bstr, * x.label => x.values, * $$x.key-extension(\"z\": 1)}",
            "x.label = (int / tstr)",
            "x.values = any",
            "x.kinds = $x.kind",
        ]
    );
}

#[test]
fn an_include_takes_all_or_exactly_the_rules_it_names() {
    assert_eq!(
        rules("start = {* label => values}\n;# include label, values from lib"),
        ["start = {* label => values}", "label = (int / tstr)", "values = any"]
    );
    assert_eq!(
        error(&["start = key\n;# include key from lib"], &[("lib", LIBRARY)]),
        "lib/lib.cddl:1:14: `label` is not defined"
    );
    let all = rules(";# include lib");
    assert_eq!(all.len(), 7, "{all:?}");
    assert!(all[0].starts_with("key = "), "the first rule is the root: {all:?}");
    assert_eq!(rules(";# include * from lib"), all);
    assert!(rules(";# include lib as y")[0].starts_with("y.key = {1 => y.label"));
}

#[test]
fn an_import_of_names_takes_what_they_use() {
    let taken = rules("start = int\n;# import key from lib");
    assert_eq!(taken.len(), 4, "{taken:?}");
    let taken = rules("start = int\n;# import x.key from lib as x");
    assert_eq!(taken[1], "x.key = {1 => x.label, ? 2 => bstr, * x.label => x.values, * (nothing)}");
    // Without the prefix, the name is an alias.
    let taken = rules("start = [key, x.key, list<1>]\n;# import key list from lib as x");
    assert_eq!(taken[0], "start = [x.key, x.key, x.list<1>]");
}

#[test]
fn the_importing_file_comes_first() {
    assert_eq!(
        rules("start = [key]\nlabel = 1..5\n;# import lib"),
        [
            "start = [key]",
            "label = 1..5",
            "key = {1 => label, ? 2 => bstr, * label => values, * (nothing)}",
            "values = any",
        ]
    );
    // Its sockets are those of the module.
    assert_eq!(
        rules("start = kinds\n$kind /= \"c\"\n;# import lib")[1],
        "$kind = (\"c\" / \"a\" / \"b\")"
    );
}

#[test]
fn groups_and_generic_rules_keep_their_module() {
    assert_eq!(
        rules("start = [x.list<label>, {x.group}]\nlabel = bool\n;# import lib as x"),
        [
            "start = [x.list<label>, {x.group}]",
            "x.list<label> = [* label]",
            "{x.group} = {\"id\": x.label, ? \"next\": [x.group]}",
            "[x.group] = [\"id\": x.label, ? \"next\": [x.group]]",
            "label = bool",
            "x.label = (int / tstr)",
        ]
    );
    let taken =
        rules("start = [x.unneeded, list<label>]\nlist<T> = [T]\nlabel = 1\n;# import lib as x");
    assert!(taken.contains(&"x.list<x.label> = [* x.label]".to_owned()), "{taken:?}");
    assert!(taken.contains(&"list<label> = [label]".to_owned()), "{taken:?}");
}

#[test]
fn modules_have_modules() {
    let modules = [
        ("outer", "shape = [in.point, size]\n;# import inner as in\n;# import size from sizes"),
        ("inner", "point = { x: number1 }\nnumber1 = size\n;# include sizes"),
        ("sizes", "size = 1..9\nother = 5"),
    ];
    assert_eq!(
        with_modules(";# import outer as o\nstart = o.shape", &modules),
        [
            "start = o.shape",
            "o.shape = [o.in.point, o.size]",
            "o.size = 1..9",
            "o.in.point = {\"x\": o.in.number1}",
            "o.in.number1 = o.in.size",
            "o.in.size = 1..9",
        ]
    );
    // A module that is reached in two ways is there once.
    let modules =
        [("a", "x = [$s]\n;# include c"), ("b", "y = [$s]\n;# include c"), ("c", "$s /= 1")];
    assert_eq!(
        with_modules("start = [x, y]\n;# import a\n;# import b", &modules),
        ["start = [x, y]", "x = [$s]", "$s = 1", "y = [$s]"]
    );
    // The order of directives does not matter.
    assert_eq!(
        with_modules(
            ";# import late\n;# import early\nstart = a",
            &[("early", "a = b"), ("late", "b = 1")]
        ),
        ["start = a", "b = 1", "a = b"]
    );
}

#[test]
fn rules_of_the_same_name_in_two_modules_give_a_warning() {
    let modules = [
        ("a", "x = [label, $s]\nlabel = 1\n$s /= 1"),
        ("b", "y = [label, $s]\nlabel = 2\n$s /= 2"),
        ("c", "z = [label]\nlabel  =  1 ; the same"),
    ];
    let text = "start = [x, y, z]\n;# import a\n;# import b\n;# import c";
    let schema = parse(&[text], &modules, None).expect("CDDL");
    // Sockets collect the plugs of all.
    assert!(list_rules(&schema).contains(&"$s = (1 / 2)".to_owned()), "{:?}", list_rules(&schema));
    let warnings: Vec<String> = schema.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        ["main.cddl:3:1: module `b` has another rule `label`, and that of module `a` is used \
          (give one of them a prefix with `as`)"]
    );
    let text = "start = [x, q.y]\n;# import a\n;# import b as q";
    assert_eq!(parse(&[text], &modules, None).expect("CDDL").warnings, []);
    // A module cannot hide the prelude.
    assert_eq!(
        error(&["a = x\n;# import m"], &[("m", "x = uri\nuri = tstr")]),
        "lib/m.cddl:2:1: `uri` is a name of the prelude"
    );
}

#[test]
fn damaged_modules_are_read_without_panic() {
    let main = "start = [a.key, list<b.label>, kinds]\n$kind /= 1\n;# import lib as a\n\
                ;# import label, list from lib as b\n;# include kinds $kind from lib\n";
    parse(&[main], &[("lib", LIBRARY)], None).expect("CDDL");
    for end in 0..LIBRARY.len() {
        let stray = ["[", ";# include lib\n", "'", "$", "<", "//="][end % 6];
        let _ = parse(&[main], &[("lib", &LIBRARY[..end])], None);
        let _ =
            parse(&[main], &[("lib", &[&LIBRARY[..end], stray, &LIBRARY[end..]].concat())], None);
    }
    for end in 0..main.len() {
        let _ = parse(&[&main[..end]], &[("lib", LIBRARY)], None);
    }
}

#[test]
fn many_directives_take_bounded_time() {
    let names: Vec<String> = (0..50_000).map(|n| format!("x{n}")).collect();
    let text = format!("a = [{}]\n{}", names.join(", "), ";# import lib\n".repeat(50_000));
    let why = error(&[&text], &[("lib", LIBRARY)]);
    assert!(why.ends_with("name each other too often"), "{why}");
    let text = format!("a = int\n{}", ";# import lib as x\n".repeat(50_000));
    let why = error(&[&text], &[("lib", LIBRARY)]);
    assert!(why.ends_with("name each other too often"), "{why}");
}

#[test]
fn several_files_are_one_specification() {
    let given = ["start = [* $item]\n$item /= a\na = 1", "$item /= b\nb = 2", "$item /= 3"];
    let schema = parse(&given, &[], None).expect("CDDL");
    assert_eq!(list_rules(&schema), ["start = [* $item]", "$item = (a / b / 3)", "a = 1", "b = 2"]);
    assert!(schema.warnings.is_empty(), "{:?}", schema.warnings);
    assert_eq!(schema.rules[3].location.to_string(), "second.cddl:2:1");
    // Files without rules are fine next to others.
    parse(&["; only a comment", "a = 1", ""], &[], None).expect("CDDL");
    assert_eq!(error(&["", "; nothing"], &[]), "main.cddl:1:1: this text contains no rule");
    assert_eq!(error(&[], &[]), "specification:1:1: no file was given");
    // Repeating a rule as it is changes nothing; another rule of the same name does.
    parse(&["a = [b]\nb = 1", "b  =  1 ; the same"], &[], None).expect("CDDL");
    assert_eq!(
        error(&["a = [b]\nb = 1", "b = 2"], &[]),
        "second.cddl:1:1: `b` is already defined at main.cddl:2:1"
    );
}

#[test]
fn the_start_rule_can_be_chosen() {
    let start = |text: &str, start: &str| {
        parse(&[text], &[("lib", LIBRARY)], Some(start))
            .map(|schema| schema.rules[schema.root.0].name.clone())
            .map_err(|errors| errors.to_string())
    };
    assert_eq!(start("a = 1\nb = 2", "b"), Ok("b".to_owned()));
    assert_eq!(start("a = (x: 1)\nb = 2", "b"), Ok("b".to_owned()));
    assert_eq!(start("a = [l<1>]\nl<T> = T", "l<1>"), Ok("l<1>".to_owned()));
    // The start rule counts as used, so it is imported.
    assert_eq!(start(";# import lib as x", "x.key"), Ok("x.key".to_owned()));
    assert_eq!(start("a = 1\n;# import key from lib as x", "key"), Ok("x.key".to_owned()));
    let undefined = "main.cddl:1:1: the start rule `c` is not defined";
    assert_eq!(start("a = 1", "c"), Err(undefined.to_owned()));
    let generic = "main.cddl:2:1: the start rule `l` is not a type without parameters";
    assert_eq!(start("a = l<1>\nl<T> = T", "l"), Err(generic.to_owned()));
}

#[test]
fn errors_are_in_the_file_that_has_them() {
    let modules = [("one", "x = [\n  in]\n"), ("two", "\n\ny = [1\n"), ("three", "z = ]")];
    // Names.
    let errors = parse(&["a = [b]", "c = x\n;# import one"], &modules, None).unwrap_err();
    assert_eq!(
        format!("{errors:#}"),
        "main.cddl:1:6: `b` is not defined\n1 | a = [b]\n  |      ^\n\
         lib/one.cddl:2:3: `in` is not defined\n2 |   in]\n  |   ^"
    );
    // Syntax.
    let errors = parse(&["a = [b\n;# import two\n;# import three"], &modules, None).unwrap_err();
    assert_eq!(
        format!("{errors:#}"),
        "main.cddl:1:5: `[` is never closed\n1 | a = [b\n  |     ^\n\
         lib/two.cddl:3:5: `[` is never closed\n3 | y = [1\n  |     ^\n\
         lib/three.cddl:1:5: expected a type, found `]`\n1 | z = ]\n  |     ^"
    );
    // Files of the same name.
    let files = [SpecFile::new("s.cddl", "a = [b]"), SpecFile::new("s.cddl", "\nb = c")];
    let errors = vac_cddl::parse_files(&files, &ParseOptions::default()).unwrap_err();
    assert_eq!(format!("{errors:#}"), "s.cddl:2:5: `c` is not defined\n2 | b = c\n  |     ^");
}

#[test]
fn directives_that_cannot_be_followed_are_errors() {
    let lib = [("lib", LIBRARY)];
    let cases = [
        (";# import nothing", "main.cddl:2:1: module `nothing` is not found"),
        (";# import nope from lib", "main.cddl:2:1: `nope` is not defined in module `lib`"),
        (
            ";# include x.nope from lib as x",
            "main.cddl:2:1: `x.nope` is not defined in module `lib`",
        ),
        (
            ";# import ../lib",
            "main.cddl:2:1: `../lib` is not the name of a module: letters, digits, `-`, `_` and \
             `.` only, and not `.` first",
        ),
        (";# import key list<int> from lib", "main.cddl:2:1: `list<int>` is not a name"),
        (
            "label = bool\n;# import label from lib",
            "lib/lib.cddl:2:1: `label` is already defined at main.cddl:2:1",
        ),
        (
            "label = bool\n;# import label from lib as x",
            "main.cddl:3:1: `label` is already defined at main.cddl:2:1",
        ),
    ];
    for (text, wanted) in cases {
        assert_eq!(error(&[&format!("a = int\n{text}")], &lib), wanted, "{text}");
    }
    let errors = parse(&["a = 1\n;# import b"], &[("b", "c = 1\n;# import d")], None).unwrap_err();
    assert_eq!(
        format!("{errors:#}"),
        "lib/b.cddl:2:1: module `d` is not found\n2 | ;# import d\n  | ^"
    );
}

#[test]
fn unknown_prefixes_and_directives_that_are_not_followed_are_named() {
    assert_eq!(
        error(&["a = x.key\n;# import lib"], &[("lib", LIBRARY)]),
        "main.cddl:1:5: `x.key` is not defined (by a module that is imported `as x`, or here)"
    );
    let errors = vac_cddl::parse("s.cddl", ";# include lib").unwrap_err().to_string();
    assert_eq!(
        errors,
        "s.cddl:1:1: this text contains no rule\ns.cddl:1:1: the directive `include lib` is not \
         followed: give the folder of its file with --include"
    );
}

#[test]
fn modules_that_need_themselves_are_refused() {
    let modules = [("b", ";# import c\nx = y"), ("c", ";# include b\ny = x")];
    assert_eq!(
        error(&[";# import b\na = x"], &modules),
        "lib/c.cddl:1:1: module `b` needs itself, by way of c"
    );
    assert_eq!(
        error(&["a = 1\n;# include b"], &[("b", ";# include b\nx = 1")]),
        "lib/b.cddl:1:1: module `b` needs itself"
    );
}

#[test]
fn modules_are_limited() {
    let chain: Vec<(String, String)> =
        (0..300).map(|n| (format!("m{n}"), format!("x{n} = 1\n;# include m{}", n + 1))).collect();
    let chain: Vec<(&str, &str)> =
        chain.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let why = error(&["a = 1\n;# import m0"], &chain);
    assert!(why.ends_with("more than 256 modules"), "{why}");
    let mut short = chain[..40].to_vec();
    short[39].1 = "x39 = 1";
    let why = error(&["a = 1\n;# import m0"], &short);
    assert_eq!(why, "lib/m31.cddl:2:1: modules are nested too deeply");

    // Each module takes the one before it under two prefixes.
    let doubling: Vec<(String, String)> = (0..31)
        .map(|n| match n {
            0 => ("m0".to_owned(), "x = y\ny = 1\n".to_owned()),
            _ => (format!("m{n}"), format!(";# include m{0} as a\n;# include m{0} as b", n - 1)),
        })
        .collect();
    let doubling: Vec<(&str, &str)> =
        doubling.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let why = error(&["a = 1\n;# include m30"], &doubling);
    assert!(why.ends_with("name each other too often"), "{why}");

    let large = format!("x = 1 ;{}", "x".repeat(vac_cddl::MAX_TEXT_BYTES - 8));
    let five = ["a", "b", "c", "d", "e"].map(|name| (name, large.as_str()));
    let text = "x = 1\n;# import a\n;# import b\n;# import c\n;# import d\n;# import e";
    let why = error(&[text], &five);
    assert_eq!(why, "main.cddl:6:1: the modules of this specification have more than 8 MiB");
    let why = error(&["x = 1\n;# import a"], &[("a", &format!("{large}xx"))]);
    assert_eq!(why, "lib/a.cddl:1:1: this text is longer than 2 MiB");
}

#[test]
fn containers_of_two_prefixes_stay_apart() {
    let long = "z".repeat(60);
    let library = format!("top = {{g}}\ng = (x: [* {{g, {long}: label}}])\nlabel = int");
    let text = "start = [p.top, q.top]\n;# import lib as p\n;# import lib as q";
    let taken = with_modules(text, &[("lib", &library)]);
    let starts: Vec<&str> = taken.iter().filter_map(|rule| rule.split(" = ").next()).collect();
    assert!(starts.contains(&"p.g@p.lib/lib.cddl#1:2:12"), "{starts:?}");
    assert!(starts.contains(&"q.g@q.lib/lib.cddl#1:2:12"), "{starts:?}");
}
