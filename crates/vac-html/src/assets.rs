//! The script, the style and the static part of every page.

use data_encoding::BASE64;
use sha2::{Digest as _, Sha256};

/// The files of the script, in their order.
const SCRIPTS: &[&str] = &[
    include_str!("../page/text.js"),
    include_str!("../page/json.js"),
    include_str!("../page/cbor.js"),
    include_str!("../page/cose.js"),
    include_str!("../page/record.js"),
    include_str!("../page/dom.js"),
    include_str!("../page/diff.js"),
    include_str!("../page/content.js"),
    include_str!("../page/entry.js"),
    include_str!("../page/list.js"),
    include_str!("../page/filters.js"),
    include_str!("../page/search.js"),
    include_str!("../page/header.js"),
    include_str!("../page/timeline.js"),
    include_str!("../page/proof.js"),
    include_str!("../page/main.js"),
];
pub(crate) const STYLE: &str = include_str!("../page/style.css");
/// The body of a page before its parts.
pub(crate) const BODY: &str = include_str!("../page/body.html");

/// Returns the script, in a block so that its names are not global.
pub(crate) fn script() -> String {
    let mut script = String::from("\"use strict\";\n{\n");
    for file in SCRIPTS {
        script.push_str(file);
    }
    script.push_str("}\n");
    script
}

/// Returns the content security policy for a script and a style.
pub(crate) fn policy(script: &str, style: &str) -> String {
    let hash = |text: &str| format!("'sha256-{}'", BASE64.encode(&Sha256::digest(text)));
    let (script, style) = (hash(script), hash(style));
    format!(
        "default-src 'none'; script-src {script}; style-src {style}; img-src data:; \
         base-uri 'none'; form-action 'none'; \
         require-trusted-types-for 'script'; trusted-types 'none'"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_and_style_do_not_end_their_elements() {
        let script = script().to_lowercase();
        for part in ["</script", "<script", "<!--", "]]>"] {
            assert!(!script.contains(part), "{part}");
        }
        assert!(!STYLE.to_lowercase().contains("</style"));
    }

    #[test]
    fn script_sets_text_and_never_parses_html() {
        let script = script();
        for name in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "DOMParser",
            "eval(",
            "new Function",
            "setAttribute(\"on",
            "fetch(",
            "XMLHttpRequest",
            "WebSocket",
            "import(",
            "window.open",
            "srcdoc",
            "createContextualFragment",
        ] {
            assert!(!script.contains(name), "{name}");
        }
    }

    /// Returns the ranges of the table `HIDDEN` in `page/text.js`.
    fn hidden() -> Vec<(u32, u32)> {
        let text = include_str!("../page/text.js");
        let (_, table) = text.split_once("const HIDDEN = [").expect("the table");
        let (table, _) = table.split_once("];").expect("the end of the table");
        let number = |text: &str| u32::from_str_radix(text.trim().trim_start_matches("0x"), 16);
        let ranges = table.split('[').skip(1).map(|range| {
            let (first, last) = range.split_once(',').expect("two numbers");
            let (last, _) = last.split_once(']').expect("the end of a range");
            (number(first).expect("a number"), number(last).expect("a number"))
        });
        ranges.collect()
    }

    #[test]
    fn page_shows_the_characters_that_are_not_harmless() {
        let hidden = hidden();
        for character in '\0'..=char::MAX {
            let is_hidden =
                hidden.iter().any(|(first, last)| (*first..=*last).contains(&character.into()));
            assert_ne!(is_hidden, vac_value::is_harmless(character), "{character:?}");
        }
    }

    #[test]
    fn assets_are_ascii_with_unix_line_ends() {
        // The policy contains hashes of the text as a browser decodes it.
        for text in [&script(), STYLE, BODY] {
            assert!(text.is_ascii() && !text.contains(['\r', '\0']));
        }
    }
}
