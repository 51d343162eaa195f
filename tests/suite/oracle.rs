//! Compares the verdicts with those of the CBOR validator of crate `cddl`, whose known mistakes are
//! listed. A test fails if a disagreement is not listed, or if a listed one no longer exists.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use cddl::validator::Validator;
use cddl::validator::cbor::CBORValidator;
use cddl::validator::cbor_value::decode_cbor;
use vac_tests::{root, shared};
use vac_value::{Document, Encoding, Node};

use crate::golden::{cases, read};
use crate::goldens::GOLDENS;

/// Golden schemas that crate `cddl` cannot read, and the rule that allows them.
const UNREADABLE: &[(&str, &str)] = &[
    ("19-literals", "RFC 8610 section 3.1: h'' takes hexadecimal digits of either case"),
    ("44-text-encodings", "RFC 8610 section 3.1: h'' takes hexadecimal digits of either case"),
    ("47-join", "RFC 8610 section 3.1: h'' takes hexadecimal digits of either case"),
];

/// Golden documents for which crate `cddl` gives the wrong verdict: the schema, the names of the
/// documents, and the rule that decides.
const KNOWN_DISAGREEMENTS: &[(&str, &[&str], &str)] = &[
    (
        "03-type-choice",
        &["undefined is not null"],
        "RFC 8610 appendix D: nil is #7.22 and undefined #7.23; it reads both as null",
    ),
    (
        "03-type-choice",
        &["tagged text is not text"],
        "RFC 8610 section 3.6: only #6.32(...) matches tag 32; it looks through the tag",
    ),
    (
        "07-inlined-groups",
        &[
            "smallest document",
            "two points spliced flat",
            "optional group only half present",
            "other half of the optional group",
        ],
        "RFC 8610 section 3.2: an occurrence before a group is that of the whole group",
    ),
    (
        "09-generics",
        &["nested generics, empty list", "nested generics"],
        "RFC 8610 section 3.10: a generic argument may be generic itself",
    ),
    (
        "11-group-socket",
        &["no option used", "both plugs, other order"],
        "RFC 8610 section 3.9: a group socket is a group choice and may be repeated",
    ),
    (
        "12-unwrap",
        &[
            "member threaded in from base",
            "optional member of base",
            "array items spliced",
            "content of the time tag without the tag",
            "content of the uri tag without the tag",
            "base used as an ordinary map",
            "untagged time as integer",
        ],
        "RFC 8610 section 3.7: ~ puts the members of a map in place of its name",
    ),
    (
        "14-named-int-keys",
        &["required key only", "with kid", "all integer keys", "key 1 in a longer head"],
        "RFC 8610 section 2.2.2.2: &(name: n) is the value n, also as a key",
    ),
    (
        "16-cuts",
        &[
            "no cut, the wildcard takes the bad value",
            "cut on a key type, good values",
            "no cut on the key type",
        ],
        "RFC 8610 section 3.5.4: only ':' and '^ =>' cut; keys of a type are tried one by one",
    ),
    (
        "17-tags",
        &["tagged twice", "neighbouring tag number"],
        "RFC 8610 section 3.6: #6.n(t) is one tag n on t; it looks through other tags",
    ),
    (
        "18-major-types",
        &["undefined", "undefined is not null"],
        "RFC 8610 section 2.2.3: #7.22 and #7.23 are two values; it reads both as null",
    ),
    (
        "20-prelude-numbers",
        &[
            "zero is int",
            "negative is int",
            "largest int",
            "smallest int",
            "uint",
            "uint in the longest head",
            "nint",
            "small integer is integer",
            "bignum is integer",
            "token with exponent is float",
            "minus zero",
        ],
        "RFC 8610 section 3.5.1: a bareword before ':' is a text key, whatever rules there are",
    ),
    (
        "20-prelude-numbers",
        &[
            "just above what half precision holds",
            "half precision cannot hold it",
            "single precision cannot hold it",
        ],
        "RFC 8610 appendix D: float16 is #7.25 and float32 #7.26; it takes any float",
    ),
    (
        "22-bits",
        &["no bit set", "listed bits plus bit 2", "no byte, no bit", "zero bytes of any length"],
        "RFC 8610 section 3.8.2: all set bits have to be listed, and none has to be set",
    ),
    (
        "23-regexp",
        &[
            "first branch anchored at the end",
            "second branch anchored at the start",
            "both branches joined",
            "dollar is an ordinary character",
            "dollar missing",
            "caret is an ordinary character",
            "caret missing",
            "subtracted vowel",
            "hyphen and vowel",
            "no search inside the text",
            "escaped dot is literal",
            "label missing at the end",
            "one digit too many",
            "XML name classes",
        ],
        "RFC 8610 section 3.8.3: patterns are those of XML Schema and match the whole text",
    ),
    (
        "24-cbor",
        &["second item after the first"],
        "RFC 8610 section 3.8.4: .cbor is one data item; it ignores what follows",
    ),
    (
        "25-cborseq",
        &["empty sequence", "one item", "two items", "smallest record", "longer record"],
        "RFC 8610 section 3.8.4: .cborseq is a sequence, matched as an array of its items",
    ),
    (
        "26-and-within",
        &["size only", "first plug", "second plug"],
        "RFC 8610 section 3.8.5: .and and .within match both types",
    ),
    (
        "27-comparisons",
        &["float above an integer bound"],
        "RFC 8610 section 3.8.6: numbers compare as numbers, not only with their own kind",
    ),
    (
        "28-plus-cat-det",
        &["negative controller", "sum as the end of a range"],
        "RFC 9165 section 2.1: .plus adds numbers of either sign and gives a value",
    ),
    (
        "28-plus-cat-det",
        &["bytes joined", "joined text used as a pattern"],
        "RFC 9165 section 2.2: .cat joins strings and gives a value",
    ),
    (
        "28-plus-cat-det",
        &["common indentation removed, the rest kept", "too much indentation removed"],
        "RFC 9165 section 2.3: .det removes what all lines are indented by, and no more",
    ),
    (
        "29-feature",
        &[
            "no feature used",
            "feature on a value",
            "alternative without feature",
            "alternative with a detailed feature",
            "feature on the extension keys",
        ],
        "RFC 9165 section 4: .feature matches what its target matches, also as a key",
    ),
    (
        "30-names-and-keywords",
        &[
            "reserved words as keys",
            "names that differ in case and punctuation",
            "start rule used again",
            "reserved word as a recursive rule",
            "underscore is not a hyphen",
            "a bareword is a literal key, not the rule",
        ],
        "RFC 8610 section 3.5.1: a bareword before ':' is a text key, whatever rules there are",
    ),
    (
        "31-recursion",
        &["expression leaf", "nested expression"],
        "RFC 8610 section 3.5.1: a bareword before ':' is a text key, whatever rules there are",
    ),
    (
        "33-signed-envelope",
        &["unprotected members, empty strings", "further header members"],
        "RFC 8610 section 3.5.2: a choice of key types takes keys of each",
    ),
    (
        "33-signed-envelope",
        &["payload undefined"],
        "RFC 8610 appendix D: nil is #7.22 and undefined #7.23; it reads both as null",
    ),
    (
        "34-mixed-keys",
        &["negative key not listed"],
        "RFC 8610 appendix D: uint is #0; it takes keys of either sign",
    ),
    (
        "36-tables",
        &["negative key", "array keys", "bool and int keys, any value"],
        "RFC 8610 section 3.5.2: the keys of a table are of its key type, which may be any",
    ),
    (
        "38-prelude-others",
        &[
            "bool",
            "bool literals",
            "null under both names",
            "undefined",
            "bytes",
            "text",
            "text in chunks",
            "tag 0 on text",
            "tag 1 on an integer",
            "tag 1 on a float",
            "tag 32 on text",
            "tag 24 on bytes",
            "any takes a container",
            "any takes tags and simple values",
        ],
        "RFC 8610 section 3.5.1: a bareword before ':' is a text key, whatever rules there are",
    ),
    (
        "39-encoding-variants",
        &["bytes instead of text"],
        "RFC 8610 section 2.1: bytes are not a text literal; it panics",
    ),
    (
        "43-cuts-in-groups",
        &["group absent"],
        "RFC 8610 section 3.2: an optional group may be absent; it refuses the map then",
    ),
    (
        "45-base10-printf",
        &[
            "a character by its number",
            "a format without items",
            "a negative number",
            "a percent sign",
            "a sign and zeros",
            "an exponent of three digits",
            "an exponent of two digits",
            "beyond 64 bits is integer",
            "eight",
            "far beyond 64 bits",
            "less padding",
            "no digits",
            "one digit and two digits",
            "padding on both sides",
            "the example of the RFC",
            "the lower end of a range",
            "the shorter form",
            "the shorter form with an exponent",
            "the upper end",
            "the upper end of a range",
            "two decimals",
            "two numbers",
            "wider than the width",
            "zero",
            "zero is written once",
        ],
        "RFC 9741 section 2.2 and section 2.3: text that the format makes of the items matches; it \
         refuses most of it",
    ),
    (
        "46-json",
        &[
            "200 levels",
            "a duplicate key",
            "a duplicate key deep inside",
            "a duplicate key inside anything",
            "a float",
            "a float inside JSON inside JSON",
            "a number beyond floats",
            "a value of another type",
            "an integer",
            "an integer in the tree",
            "another type inside",
            "only one level",
            "the required member is missing",
        ],
        "RFC 9741 section 2.4: the document inside is matched like any other, and has no \
         duplicate keys (RFC 7493 section 2.3)",
    ),
    (
        "48-abnf",
        &[
            "a case-sensitive string",
            "a date",
            "a string that is case-insensitive by default",
            "a string that is marked as case-insensitive",
            "an ambiguous grammar",
            "an ambiguous grammar, nothing",
            "at most one, none",
            "at most one, one",
            "at most three",
            "bytes",
            "characters beyond ASCII",
            "exactly four",
            "left recursion, nested",
            "left recursion, once",
            "letters are not case-sensitive",
            "nested 500 deep",
            "no character",
            "the bytes of text",
            "the characters of bytes",
            "without seconds",
        ],
        "RFC 9165 section 3: the controller is one element and the rules that it uses",
    ),
    (
        "49-equality",
        &[
            "a bit of the second byte",
            "a byte",
            "an element",
            "an element less",
            "an entry",
            "an entry more",
            "false is not null",
            "four bytes",
            "no bit",
            "not null",
            "one coordinate differs",
            "the empty array is excluded",
            "the empty map is excluded",
            "the excluded bytes",
            "the excluded value",
            "undefined is excluded",
        ],
        "RFC 8610 section 3.8.6: .eq and .ne take any value, and section 3.8.1: .size a type",
    ),
];

/// Vectors of the record schema for which crate `cddl` gives the wrong verdict.
const KNOWN_ON_VECTORS: &[(&str, &str)] = &[
    (
        "m03-missing-session-id",
        "RFC 8610 section 3.5.1: `session-id:` is a text key, not the rule of that name",
    ),
    ("w03-created-bad-regexp-prefix", "RFC 8610 section 3.8.3: patterns match the whole text"),
    (
        "w37-sid-int",
        "RFC 8610 section 3.5.1: `session-id:` is a text key, not the rule of that name",
    ),
    ("c05-bignum-uint", "RFC 8610 appendix D: uint is #0, and a bignum is #6.2(bstr)"),
    ("c09-trailing", "RFC 8610 section 3.8.4 and RFC 8949 section 3: one item is one item"),
    ("s05-alg-tstr-nocut", "RFC 8610 section 3.5.4: plain '=>' does not cut"),
    ("s24-ph-trailing", "RFC 8610 section 3.8.4: .cbor is one data item"),
];

/// Runs a function with a stack that is large enough for the recursion of crate `cddl`.
fn with_large_stack<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(run);
    thread.expect("a thread").join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Returns the verdicts of crate `cddl` on CBOR documents, or `None` if it cannot read the schema.
/// A panic counts as a wrong verdict.
fn verdicts(schema: &str, documents: &[Vec<u8>]) -> Option<Vec<Option<bool>>> {
    let schema = cddl::cddl_from_str(schema, true).ok()?;
    let validate = |bytes: &Vec<u8>| match decode_cbor(bytes) {
        Ok(value) => CBORValidator::new(&schema, value, None).validate().is_ok(),
        Err(_) => false,
    };
    let verdict = |bytes| catch_unwind(AssertUnwindSafe(|| validate(bytes))).ok();
    Some(documents.iter().map(verdict).collect())
}

#[test]
fn crate_cddl_agrees_except_for_known_mistakes() {
    let (unreadable, wrong, agreed) = with_large_stack(|| {
        let (mut unreadable, mut wrong) = (BTreeSet::new(), BTreeSet::new());
        let mut agreed = 0;
        for golden in GOLDENS {
            let cases: Vec<_> = cases(golden.stem)
                .into_iter()
                .filter(|case| case.encoding == Encoding::Cbor)
                .collect();
            let documents: Vec<_> = cases.iter().map(|case| case.bytes.clone()).collect();
            let Some(verdicts) = verdicts(&read(&format!("{}.cddl", golden.stem)), &documents)
            else {
                unreadable.insert(golden.stem.to_owned());
                continue;
            };
            for (case, verdict) in cases.into_iter().zip(verdicts) {
                if verdict == Some(case.valid) {
                    agreed += 1;
                } else {
                    wrong.insert((golden.stem.to_owned(), case.why));
                }
            }
        }
        (unreadable, wrong, agreed)
    });
    let known: BTreeSet<_> = UNREADABLE.iter().map(|(stem, _)| (*stem).to_owned()).collect();
    assert_eq!(unreadable, known, "schemas it cannot read, found and listed");
    let known: BTreeSet<_> = KNOWN_DISAGREEMENTS
        .iter()
        .flat_map(|(stem, cases, _)| {
            cases.iter().map(|why| ((*stem).to_owned(), (*why).to_owned()))
        })
        .collect();
    let unlisted: Vec<_> = wrong.difference(&known).collect();
    assert!(unlisted.is_empty(), "disagreements that are not listed: {unlisted:#?}");
    let settled: Vec<_> = known.difference(&wrong).collect();
    assert!(settled.is_empty(), "these are listed but right: {settled:#?}");
    println!("crate cddl agrees on {agreed} golden documents and is wrong on {}", wrong.len());
    assert!(agreed > 400, "only {agreed} agreements");
}

#[test]
fn every_disagreement_has_its_section() {
    let reasons = KNOWN_DISAGREEMENTS
        .iter()
        .map(|(_, _, reason)| reason)
        .chain(UNREADABLE.iter().chain(KNOWN_ON_VECTORS).map(|(_, reason)| reason));
    for reason in reasons {
        let cited =
            ["RFC 8610 section ", "RFC 8610 appendix ", "RFC 9165 section ", "RFC 9741 section "];
        assert!(cited.iter().any(|rfc| reason.starts_with(rfc)), "{reason}");
    }
}

#[test]
fn crate_cddl_agrees_on_the_vectors_except_for_known_mistakes() {
    let Some(folder) = shared("vectors", "VAC_VECTORS") else { return };
    let folder = folder.join("schema");
    let manifest = std::fs::read(folder.join("manifest.json")).expect("a manifest");
    let manifest = Document::json(&manifest).expect("the manifest is JSON");
    let (mut names, mut documents) = (Vec::new(), Vec::new());
    for case in manifest.root().elements() {
        let text = |key: &str| case.member(key).and_then(Node::text).expect("text").into_owned();
        let formats = case.member("formats").expect("formats");
        if formats.elements().any(|format| format.is_text("cbor")) {
            let file = folder.join(format!("{}.cbor", text("name")));
            documents.push(std::fs::read(file).expect("the vector is there"));
            names.push((text("name"), text("expect") == "valid"));
        }
    }
    let spec = std::fs::read_to_string(root().join("spec/agent-conversation.cddl")).expect("it");
    let verdicts =
        with_large_stack(move || verdicts(&spec, &documents)).expect("it reads the spec");
    let (mut wrong, mut right) = (BTreeSet::new(), BTreeSet::new());
    for ((name, valid), verdict) in names.iter().zip(verdicts) {
        let side = if verdict == Some(*valid) { &mut right } else { &mut wrong };
        side.insert(name.as_str());
    }
    // The vectors are maintained elsewhere, and their number may grow; their manifest decides.
    let known: BTreeSet<_> = KNOWN_ON_VECTORS.iter().map(|(name, _)| *name).collect();
    for name in wrong.difference(&known) {
        println!("crate cddl is wrong on {name}, which is not listed");
    }
    let settled: Vec<_> = known.intersection(&right).collect();
    assert!(settled.is_empty(), "these are listed but right: {settled:?}");
    assert!(wrong.len() * 4 < right.len(), "it is wrong on {wrong:?}: is the schema right?");
}
