//! Properties: random values of every generated type, and documents that are
//! changed at random until two judges disagree (they must not).

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::LazyLock;

use data_encoding::HEXLOWER;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestCaseError};
use vac_cddl::interpret::Interpreter;
use vac_cddl::ir::Schema;
use vac_record::*;
use vac_tests::root;
use vac_validate::runtime::Check;
use vac_value::{
    Any, Document, Embedded, EncodeError, Encoder, Encoding, Extensions, Kind, Node, Number,
    ReadError, Tagged, Text, check,
};

use crate::golden::{LOOSER_TYPES, cases, schema};
use crate::goldens::GOLDENS;

// --- the judges --------------------------------------------------------------------

static SPEC: LazyLock<Schema> = LazyLock::new(|| {
    let path = root().join("spec/agent-conversation.cddl");
    let text = std::fs::read_to_string(path).expect("the spec is there");
    vac_cddl::parse("agent-conversation.cddl", &text).expect("the spec is CDDL")
});

static INTERPRETER: LazyLock<Interpreter<'static>> =
    LazyLock::new(|| Interpreter::new(&SPEC).expect("the spec can be interpreted"));

/// Whether the generated validator and the interpreter accept a document.
fn verdicts(rule: &str, document: &Document<'_>) -> (bool, bool) {
    let report = vac_validate::validate_rule(rule, document).expect("a rule of the schema");
    let violations = INTERPRETER.validate_rule(rule, document).expect("a rule of the schema");
    (report.is_valid(), violations.is_empty())
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(8610),
        max_shrink_iters: 2000,
        ..ProptestConfig::default()
    }
}

// --- random values -----------------------------------------------------------------

/// Makes strategies. Those for JSON hold only what JSON has as well.
#[derive(Clone, Copy)]
struct Make {
    for_json: bool,
}

const BOTH: Make = Make { for_json: false };
const JSON: Make = Make { for_json: true };

const ODD_TEXTS: &[&str] = &[
    "",
    "type",
    "\0",
    "\"\\/",
    "~0/~1",
    "\u{1f600}",
    "e\u{301}",
    "\u{2028}",
    "\r\n\t",
    "\u{feff}",
    "null",
];

/// Numbers of JSON that are easily spoilt.
const ODD_NUMBERS: &[&str] = &[
    "-0",
    "-0.0",
    "1.0",
    "1E+2",
    "1e400",
    "-1e-400",
    "18446744073709551615",
    "18446744073709551616",
    "-18446744073709551616",
    "-18446744073709551617",
    "0.1234567890123456789012345678",
    "1234567890123456789012345678901234567890",
    "5e-324",
];

/// What JSON has and CBOR has not.
const ONLY_IN_JSON: &[&str] = &[r#""\ud800""#, r#"{"\udc00":"x"}"#, "1e99999999999999999999"];

fn text() -> BoxedStrategy<Text<'static>> {
    prop_oneof![
        4 => prop::collection::vec(prop::char::range('a', 'z'), 0..8)
            .prop_map(String::from_iter),
        2 => prop::collection::vec(any::<char>(), 0..6).prop_map(String::from_iter),
        1 => prop::sample::select(ODD_TEXTS).prop_map(str::to_owned),
    ]
    .prop_map(Text::from)
    .boxed()
}

fn url() -> BoxedStrategy<Text<'static>> {
    prop_oneof![
        "[a-z]{1,6}://[a-z.]{0,8}(/[a-z]{0,4}){0,2}([?][a-z=&?/]{0,5})?(#[a-z#?/]{0,5})?",
        "[^\r\n]{0,8}",
    ]
    .prop_map(Text::from)
    .boxed()
}

fn bytes() -> BoxedStrategy<Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..12).boxed()
}

fn integer() -> BoxedStrategy<i128> {
    let most = i128::from(u64::MAX);
    prop_oneof![
        -30..300i128,
        -(most + 1)..=most,
        prop::sample::select(vec![most, -most - 1, 0, -1, 1 << 32, i128::from(i64::MIN) - 1]),
    ]
    .boxed()
}

fn finite() -> BoxedStrategy<f64> {
    prop_oneof![
        any::<f32>().prop_map(f64::from),
        any::<u64>().prop_map(f64::from_bits),
        prop::sample::select(vec![0.0, -0.0, 1.5, 1e16, 1e300, 65504.0, 5e-324]),
    ]
    .prop_map(|value| if value.is_finite() { value } else { 0.1 })
    .boxed()
}

/// A token of JSON for a text; sometimes with an escape that it does not need.
fn quoted(text: &str, escape: bool) -> String {
    let plain = text.to_json().expect("JSON has all text");
    match plain[1..].chars().next() {
        Some(first) if escape && first.is_ascii_lowercase() => {
            format!("\"\\u{:04x}{}", u32::from(first), &plain[2..])
        }
        _ => plain,
    }
}

/// JSON text: nested, with odd numbers and space.
fn json_text() -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        prop::sample::select(vec!["null", "true", "false", "[]", "{ }"]).prop_map(str::to_owned),
        prop::sample::select(ODD_NUMBERS).prop_map(str::to_owned),
        integer().prop_map(|value| value.to_string()),
        finite().prop_map(|value| format!("{value:?}")),
        "-?(0|[1-9][0-9]{0,30})([.][0-9]{1,30})?([eE][+-]?[0-9]{1,3})?",
        (text(), any::<bool>()).prop_map(|(text, escape)| quoted(&text, escape)),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let members = prop::collection::vec((text(), any::<bool>(), inner.clone()), 0..4);
        prop_oneof![
            (prop::collection::vec(inner, 0..4), any::<bool>()).prop_map(|(elements, spaced)| {
                format!("[{}]", elements.join(if spaced { " ,\n" } else { "," }))
            }),
            (members, any::<bool>()).prop_map(|(members, spaced)| {
                let distinct: BTreeMap<_, _> = members
                    .into_iter()
                    .map(|(key, escape, value)| (key.clone(), (quoted(&key, escape), value)))
                    .collect();
                let colon = if spaced { " : " } else { ":" };
                let written: Vec<_> = distinct
                    .values()
                    .rev()
                    .map(|(key, value)| format!("{key}{colon}{value}"))
                    .collect();
                format!("{{{}}}", written.join(","))
            }),
        ]
    })
    .boxed()
}

fn head(major: u8, argument: u64) -> Vec<u8> {
    let mut encoder = Encoder::cbor();
    encoder.tag(argument).expect("CBOR has tags");
    let mut head = encoder.finish();
    head[0] = head[0] & 0x1f | major << 5;
    head
}

/// Bytes of CBOR, not always in the form we would choose.
fn cbor_item() -> BoxedStrategy<Vec<u8>> {
    let number = prop_oneof![
        integer().prop_map(|value| value.to_cbor().expect("CBOR has integers")),
        any::<u8>().prop_map(|value| vec![0x19, 0, value]),
        finite().prop_map(|value| [&[0xfb][..], &value.to_be_bytes()].concat()),
        any::<i128>().prop_map(|value| value.to_cbor().expect("CBOR has bignums")),
        prop::sample::select(vec![&b"\xf9\x7e\x00"[..], b"\xf9\xfc\x00", b"\xfa\x7f\x80\x00\x00"])
            .prop_map(<[u8]>::to_vec),
    ];
    let string = prop_oneof![
        text().prop_map(|value| value.to_cbor().expect("CBOR has text")),
        bytes().prop_map(|value| value[..].to_cbor().expect("CBOR has bytes")),
        text().prop_map(|value| {
            let chunk = value.to_cbor().expect("CBOR has text");
            [&[0x7f][..], &chunk, &chunk, &[0xff]].concat()
        }),
    ];
    let simple = prop::sample::select(vec![0xf4, 0xf5, 0xf6, 0xf7, 0xe0, 0xf3])
        .prop_map(|value: u8| vec![value]);
    let leaf = prop_oneof![
        3 => number,
        3 => string,
        1 => simple,
        1 => (32..=255u8).prop_map(|value| vec![0xf8, value]),
    ];
    let key = leaf.clone();
    leaf.prop_recursive(3, 12, 3, move |inner| {
        let elements = prop::collection::vec(inner.clone(), 0..4);
        let members = prop::collection::vec((key.clone(), inner.clone()), 0..4);
        let number = prop::sample::select(vec![0u64, 1, 5, 18, 24, 32, 100, 55799, 1 << 40]);
        prop_oneof![
            elements.clone().prop_map(|elements| {
                [head(4, elements.len() as u64), elements.concat()].concat()
            }),
            elements.prop_map(|elements| [&[0x9f][..], &elements.concat(), &[0xff]].concat()),
            members.prop_map(|members| {
                let distinct: BTreeMap<_, _> = members
                    .into_iter()
                    .map(|(key, value)| (deterministic(&key), [key, value].concat()))
                    .collect();
                let all: Vec<u8> = distinct.values().rev().flatten().copied().collect();
                [head(5, distinct.len() as u64), all].concat()
            }),
            (number, inner).prop_map(|(number, inner)| [head(6, number), inner].concat()),
        ]
    })
    .boxed()
}

fn deterministic(item: &[u8]) -> Vec<u8> {
    Any::from_cbor(item).expect("an item").to_cbor().expect("CBOR")
}

/// What CBOR cannot say is compared by its bytes: those have to stay.
fn compact(any: Any<'_>) -> Any<'static> {
    match (any.to_cbor(), any.to_json()) {
        (Err(_), Ok(text)) => Any::from_json(text.as_bytes()).expect("JSON").into_owned(),
        _ => any.into_owned(),
    }
}

impl Make {
    fn any(self) -> BoxedStrategy<Any<'static>> {
        let from_json = json_text()
            .prop_map(|text| compact(Any::from_json(text.as_bytes()).expect("JSON text")));
        let only_in_json = prop::sample::select(ONLY_IN_JSON)
            .prop_map(|text| Any::from_json(text.as_bytes()).expect("JSON text"));
        if self.for_json {
            return prop_oneof![20 => from_json, 1 => only_in_json].boxed();
        }
        let from_cbor =
            cbor_item().prop_map(|item| Any::from_cbor(&item).expect("an item").into_owned());
        prop_oneof![20 => from_json, 20 => from_cbor, 1 => only_in_json].boxed()
    }

    fn number(self) -> BoxedStrategy<Number<'static>> {
        let decimal = "-?[0-9][.][0-9]{24}[1-9]".prop_map(|token| Number::Decimal(token.into()));
        let finite = prop_oneof![
            4 => integer().prop_map(Number::Integer),
            4 => finite().prop_map(Number::Float),
            1 => decimal,
        ];
        if self.for_json {
            return finite.boxed();
        }
        prop_oneof![20 => finite, 1 => Just(Number::Float(f64::NEG_INFINITY))].boxed()
    }

    /// Members under other keys than these, in the order of CBOR, which is the
    /// order they come back in.
    fn extensions(
        self,
        named: &'static [&'static str],
    ) -> BoxedStrategy<Extensions<Text<'static>, Any<'static>>> {
        let key = text().prop_filter("a name of the schema", |key| !named.contains(&&**key));
        self.sorted(key.boxed())
    }

    fn labelled<K: Encode + Clone + Debug + 'static>(
        self,
        named: &'static [i128],
        int: fn(i128) -> K,
        text_label: fn(Text<'static>) -> K,
    ) -> BoxedStrategy<Extensions<K, Any<'static>>> {
        let label = integer().prop_filter("a label of the schema", |label| !named.contains(label));
        let text_label = text().prop_map(text_label);
        if self.for_json {
            return self.sorted(text_label.boxed());
        }
        self.sorted(prop_oneof![label.prop_map(int), text_label].boxed())
    }

    fn sorted<K: Encode + Clone + Debug + 'static>(
        self,
        key: BoxedStrategy<K>,
    ) -> BoxedStrategy<Extensions<K, Any<'static>>> {
        prop::collection::vec((key, self.any()), 0..3)
            .prop_map(|members| {
                let sorted: BTreeMap<_, _> = members
                    .into_iter()
                    .map(|(key, value)| (key.to_cbor().expect("a key"), (key, value)))
                    .collect();
                sorted.into_values().collect()
            })
            .boxed()
    }

    fn session_id(self) -> BoxedStrategy<SessionId<'static>> {
        let as_text = text().prop_map(SessionId::Text);
        if self.for_json {
            return as_text.boxed();
        }
        prop_oneof![as_text, bytes().prop_map(|value| SessionId::Bytes(value.into()))].boxed()
    }

    fn start(self) -> BoxedStrategy<Start<'static>> {
        let record = self.record().prop_map(Start::VerifiableAgentRecord);
        if self.for_json {
            return record.boxed();
        }
        prop_oneof![record, self.signed().prop_map(Start::SignedAgentRecord)].boxed()
    }

    fn record(self) -> BoxedStrategy<VerifiableAgentRecord<'static>> {
        const NAMED: &[&str] =
            &["version", "id", "session", "created", "file-attribution", "vcs", "recording-agent"];
        (
            text(),
            text(),
            self.session(),
            opt(timestamp()),
            opt(file_attribution()),
            opt(self.vcs()),
            opt(self.recording_agent()),
            self.extensions(NAMED),
        )
            .prop_map(
                |(
                    version,
                    id,
                    session,
                    created,
                    file_attribution,
                    vcs,
                    recording_agent,
                    extensions,
                )| {
                    VerifiableAgentRecord {
                        version,
                        id,
                        session,
                        created,
                        file_attribution,
                        vcs,
                        recording_agent,
                        extensions,
                    }
                },
            )
            .boxed()
    }

    fn session(self) -> BoxedStrategy<SessionTrace<'static>> {
        const NAMED: &[&str] = &[
            "format",
            "session-id",
            "session-start",
            "session-end",
            "agent-meta",
            "environment",
            "entries",
        ];
        (
            opt(text()),
            self.session_id(),
            opt(timestamp()),
            opt(timestamp()),
            self.agent_meta(),
            opt(self.environment()),
            prop::collection::vec(self.entry(2), 0..3),
            self.extensions(NAMED),
        )
            .prop_map(
                |(
                    format,
                    session_id,
                    session_start,
                    session_end,
                    agent_meta,
                    environment,
                    entries,
                    extensions,
                )| SessionTrace {
                    format,
                    session_id,
                    session_start,
                    session_end,
                    agent_meta,
                    environment,
                    entries,
                    extensions,
                },
            )
            .boxed()
    }

    fn agent_meta(self) -> BoxedStrategy<AgentMeta<'static>> {
        const NAMED: &[&str] = &["model-id", "model-provider", "models", "cli-name", "cli-version"];
        let models = prop::collection::vec(text(), 0..3);
        (text(), text(), opt(models), opt(text()), opt(text()), self.extensions(NAMED))
            .prop_map(|(model_id, model_provider, models, cli_name, cli_version, extensions)| {
                AgentMeta { model_id, model_provider, models, cli_name, cli_version, extensions }
            })
            .boxed()
    }

    fn recording_agent(self) -> BoxedStrategy<RecordingAgent<'static>> {
        (text(), opt(text()), self.extensions(&["name", "version"]))
            .prop_map(|(name, version, extensions)| RecordingAgent { name, version, extensions })
            .boxed()
    }

    fn environment(self) -> BoxedStrategy<Environment<'static>> {
        let sandboxes = prop::collection::vec(text(), 0..3);
        let extensions = self.extensions(&["working-dir", "vcs", "sandboxes"]);
        (text(), opt(self.vcs()), opt(sandboxes), extensions)
            .prop_map(|(working_dir, vcs, sandboxes, extensions)| Environment {
                working_dir,
                vcs,
                sandboxes,
                extensions,
            })
            .boxed()
    }

    fn vcs(self) -> BoxedStrategy<VcsContext<'static>> {
        let extensions = self.extensions(&["type", "revision", "branch", "repository"]);
        (text(), opt(text()), opt(text()), opt(text()), extensions)
            .prop_map(|(r#type, revision, branch, repository, extensions)| VcsContext {
                r#type,
                revision,
                branch,
                repository,
                extensions,
            })
            .boxed()
    }

    /// An entry with children down to a depth.
    fn entry(self, depth: u32) -> BoxedStrategy<Entry<'static>> {
        prop_oneof![
            self.message(depth).prop_map(Entry::Message),
            self.tool_call(depth).prop_map(Entry::ToolCall),
            self.tool_result(depth).prop_map(Entry::ToolResult),
            self.reasoning(depth).prop_map(Entry::Reasoning),
            self.event(depth).prop_map(Entry::Event),
        ]
        .boxed()
    }

    fn children(self, depth: u32) -> BoxedStrategy<Option<Vec<Entry<'static>>>> {
        match depth.checked_sub(1) {
            None => Just(None).boxed(),
            Some(depth) => {
                let children = prop::collection::vec(self.entry(depth), 0..3);
                prop_oneof![2 => Just(None), 1 => children.prop_map(Some)].boxed()
            }
        }
    }

    fn message(self, depth: u32) -> BoxedStrategy<MessageEntry<'static>> {
        const NAMED: &[&str] = &[
            "type",
            "content",
            "timestamp",
            "id",
            "model-id",
            "parent-id",
            "token-usage",
            "children",
        ];
        (
            message_type(),
            opt(self.any()),
            opt(timestamp()),
            opt(text()),
            opt(text()),
            opt(text()),
            opt(self.token_usage()),
            self.children(depth),
            self.extensions(NAMED),
        )
            .prop_map(
                |(
                    r#type,
                    content,
                    timestamp,
                    id,
                    model_id,
                    parent_id,
                    token_usage,
                    children,
                    extensions,
                )| MessageEntry {
                    r#type,
                    content,
                    timestamp,
                    id,
                    model_id,
                    parent_id,
                    token_usage,
                    children,
                    extensions,
                },
            )
            .boxed()
    }

    fn tool_call(self, depth: u32) -> BoxedStrategy<ToolCallEntry<'static>> {
        const NAMED: &[&str] = &["type", "name", "input", "call-id", "timestamp", "id", "children"];
        (
            text(),
            self.any(),
            opt(text()),
            opt(timestamp()),
            opt(text()),
            self.children(depth),
            self.extensions(NAMED),
        )
            .prop_map(|(name, input, call_id, timestamp, id, children, extensions)| ToolCallEntry {
                name,
                input,
                call_id,
                timestamp,
                id,
                children,
                extensions,
            })
            .boxed()
    }

    fn tool_result(self, depth: u32) -> BoxedStrategy<ToolResultEntry<'static>> {
        const NAMED: &[&str] =
            &["type", "output", "call-id", "status", "is-error", "timestamp", "id", "children"];
        (
            self.any(),
            opt(text()),
            opt(text()),
            any::<Option<bool>>(),
            opt(timestamp()),
            opt(text()),
            self.children(depth),
            self.extensions(NAMED),
        )
            .prop_map(|(output, call_id, status, is_error, timestamp, id, children, extensions)| {
                ToolResultEntry {
                    output,
                    call_id,
                    status,
                    is_error,
                    timestamp,
                    id,
                    children,
                    extensions,
                }
            })
            .boxed()
    }

    fn reasoning(self, depth: u32) -> BoxedStrategy<ReasoningEntry<'static>> {
        const NAMED: &[&str] =
            &["type", "content", "encrypted", "subject", "timestamp", "id", "children"];
        (
            self.any(),
            opt(text()),
            opt(text()),
            opt(timestamp()),
            opt(text()),
            self.children(depth),
            self.extensions(NAMED),
        )
            .prop_map(|(content, encrypted, subject, timestamp, id, children, extensions)| {
                ReasoningEntry { content, encrypted, subject, timestamp, id, children, extensions }
            })
            .boxed()
    }

    fn event(self, depth: u32) -> BoxedStrategy<EventEntry<'static>> {
        const NAMED: &[&str] = &["type", "event-type", "data", "timestamp", "id", "children"];
        (
            text(),
            opt(self.extensions(&[])),
            opt(timestamp()),
            opt(text()),
            self.children(depth),
            self.extensions(NAMED),
        )
            .prop_map(|(event_type, data, timestamp, id, children, extensions)| EventEntry {
                event_type,
                data,
                timestamp,
                id,
                children,
                extensions,
            })
            .boxed()
    }

    fn token_usage(self) -> BoxedStrategy<TokenUsage<'static>> {
        const NAMED: &[&str] = &["input", "output", "cached", "reasoning", "total", "cost"];
        let count = any::<Option<u64>>;
        (count(), count(), count(), count(), count(), opt(self.number()), self.extensions(NAMED))
            .prop_map(|(input, output, cached, reasoning, total, cost, extensions)| TokenUsage {
                input,
                output,
                cached,
                reasoning,
                total,
                cost,
                extensions,
            })
            .boxed()
    }

    fn signed(self) -> BoxedStrategy<SignedAgentRecord<'static>> {
        self.signed_content().prop_map(Tagged).boxed()
    }

    fn signed_content(self) -> BoxedStrategy<SignedAgentRecordContent<'static>> {
        (self.protected(), self.unprotected(), opt(bytes()), bytes())
            .prop_map(|(protected, unprotected, payload, signature)| SignedAgentRecordContent {
                protected: Embedded::new(protected),
                unprotected,
                payload: payload.map(Into::into),
                signature: signature.into(),
            })
            .boxed()
    }

    fn protected(self) -> BoxedStrategy<ProtectedHeader<'static>> {
        (
            self.claims(),
            opt(integer()),
            opt(content_type()),
            opt(bytes()),
            opt(cert_hash()),
            opt(certificates()),
            self.labelled(&[15, 1, 3, 4, 34, 33], Label::Int, Label::Text),
        )
            .prop_map(|(cwt_claims, alg, content_type, kid, x5t, x5chain, extensions)| {
                ProtectedHeader {
                    cwt_claims,
                    alg,
                    content_type,
                    kid: kid.map(Into::into),
                    x5t,
                    x5chain,
                    extensions,
                }
            })
            .boxed()
    }

    fn claims(self) -> BoxedStrategy<CwtClaims<'static>> {
        (text(), text(), self.labelled(&[1, 2], Label::Int, Label::Text))
            .prop_map(|(iss, sub, extensions)| CwtClaims { iss, sub, extensions })
            .boxed()
    }

    /// Without receipts: see `no_receipt_has_an_end`.
    fn unprotected(self) -> BoxedStrategy<UnprotectedHeader<'static>> {
        (
            opt(self.trace_metadata()),
            opt(certificates()),
            self.labelled(&[100, 33, 394], Label::Int, Label::Text),
        )
            .prop_map(|(trace_metadata_key, x5chain, extensions)| UnprotectedHeader {
                trace_metadata_key,
                x5chain,
                receipts: None,
                extensions,
            })
            .boxed()
    }

    fn trace_metadata(self) -> BoxedStrategy<TraceMetadata<'static>> {
        (self.session_id(), text(), text(), timestamp(), opt(timestamp()), opt(text()), opt(text()))
            .prop_map(
                |(
                    session_id,
                    agent_vendor,
                    trace_format,
                    timestamp_start,
                    timestamp_end,
                    content_hash,
                    content_hash_alg,
                )| TraceMetadata {
                    session_id,
                    agent_vendor,
                    trace_format,
                    timestamp_start,
                    timestamp_end,
                    content_hash,
                    content_hash_alg,
                },
            )
            .boxed()
    }

    fn receipt_header(self) -> BoxedStrategy<ProtectedHeader2<'static>> {
        self.labelled(&[], CoseLabel::Int, CoseLabel::Text)
    }

    /// A receipt around receipts, down to a depth at which there are none.
    fn receipt(self, depth: u32) -> BoxedStrategy<Receipt<'static>> {
        self.sign1(depth).prop_map(Tagged).boxed()
    }

    fn sign1(self, depth: u32) -> BoxedStrategy<CoseSign1<'static>> {
        (self.receipt_header(), self.receipts(depth), opt(bytes()), bytes())
            .prop_map(|(protected, unprotected, payload, signature)| CoseSign1 {
                protected: Embedded::new(protected),
                unprotected,
                payload: payload.map(Into::into),
                signature: signature.into(),
            })
            .boxed()
    }

    fn receipts(self, depth: u32) -> BoxedStrategy<UnprotectedHeader2<'static>> {
        let receipts = match depth.checked_sub(1) {
            None => Just(Vec::new()).boxed(),
            Some(depth) => prop::collection::vec(self.receipt(depth), 1..3).boxed(),
        };
        (receipts, self.labelled(&[394], CoseLabel::Int, CoseLabel::Text))
            .prop_map(|(receipts, extensions)| UnprotectedHeader2 {
                receipts: receipts.into_iter().map(Embedded::new).collect(),
                extensions,
            })
            .boxed()
    }
}

fn opt<T: Clone + Debug + 'static>(
    strategy: impl Strategy<Value = T> + 'static,
) -> BoxedStrategy<Option<T>> {
    prop::option::of(strategy).boxed()
}

fn timestamp() -> BoxedStrategy<AbstractTimestamp<'static>> {
    prop_oneof![
        DATE_TIME_REGEXP.prop_map(|value| AbstractTimestamp::Text(value.into())),
        any::<u64>().prop_map(AbstractTimestamp::Uint),
    ]
    .boxed()
}

fn message_type() -> BoxedStrategy<MessageEntryType> {
    prop_oneof![Just(MessageEntryType::User), Just(MessageEntryType::Assistant)].boxed()
}

fn contributor_type() -> BoxedStrategy<ContributorType> {
    use ContributorType::{Ai, Human, Mixed, Unknown};
    prop::sample::select(vec![Human, Ai, Mixed, Unknown]).boxed()
}

fn file_attribution() -> BoxedStrategy<FileAttributionRecord<'static>> {
    prop::collection::vec(file(), 0..3).prop_map(|files| FileAttributionRecord { files }).boxed()
}

fn file() -> BoxedStrategy<File<'static>> {
    (text(), prop::collection::vec(conversation(), 0..3))
        .prop_map(|(path, conversations)| File { path, conversations })
        .boxed()
}

fn conversation() -> BoxedStrategy<Conversation<'static>> {
    let ranges = prop::collection::vec(range(), 0..3);
    let related = prop::collection::vec(resource(), 0..3);
    (opt(url()), opt(contributor()), ranges, opt(related))
        .prop_map(|(url, contributor, ranges, related)| Conversation {
            url,
            contributor,
            ranges,
            related,
        })
        .boxed()
}

fn range() -> BoxedStrategy<Range<'static>> {
    (any::<u64>(), any::<u64>(), opt(text()), opt(text()), opt(contributor()))
        .prop_map(|(start_line, end_line, content_hash, content_hash_alg, contributor)| Range {
            start_line,
            end_line,
            content_hash,
            content_hash_alg,
            contributor,
        })
        .boxed()
}

fn contributor() -> BoxedStrategy<Contributor<'static>> {
    (contributor_type(), opt(text()))
        .prop_map(|(r#type, model_id)| Contributor { r#type, model_id })
        .boxed()
}

fn resource() -> BoxedStrategy<Resource<'static>> {
    (text(), url()).prop_map(|(r#type, url)| Resource { r#type, url }).boxed()
}

fn certificates() -> BoxedStrategy<CoseX509<'static>> {
    prop_oneof![
        bytes().prop_map(|value| CoseX509::Bytes(value.into())),
        prop::collection::vec(bytes(), 2..4)
            .prop_map(|chain| CoseX509::Array(chain.into_iter().map(Into::into).collect())),
    ]
    .boxed()
}

fn cert_hash() -> BoxedStrategy<CoseCertHash<'static>> {
    (hash_alg(), bytes())
        .prop_map(|(hash_alg, value)| CoseCertHash { hash_alg, hash_value: value.into() })
        .boxed()
}

fn hash_alg() -> BoxedStrategy<CoseCertHashHashAlg<'static>> {
    prop_oneof![
        integer().prop_map(CoseCertHashHashAlg::Int),
        text().prop_map(CoseCertHashHashAlg::Text),
    ]
    .boxed()
}

fn content_type() -> BoxedStrategy<ProtectedHeaderContentType<'static>> {
    prop_oneof![
        text().prop_map(ProtectedHeaderContentType::Text),
        any::<u64>().prop_map(ProtectedHeaderContentType::Uint),
    ]
    .boxed()
}

fn label() -> BoxedStrategy<Label<'static>> {
    prop_oneof![integer().prop_map(Label::Int), text().prop_map(Label::Text)].boxed()
}

fn cose_label() -> BoxedStrategy<CoseLabel<'static>> {
    prop_oneof![integer().prop_map(CoseLabel::Int), text().prop_map(CoseLabel::Text)].boxed()
}

// --- what holds for all of them ----------------------------------------------------

/// A generated type that owns what it holds.
trait Sample: Encode + IntoOwned<Owned = Self> + Clone + Debug + PartialEq {
    /// Reads one that borrows, and makes it independent.
    fn read(source: &[u8], encoding: Encoding) -> Result<Self, ReadError>;

    /// There and back by way of `serde_json`; `None` if it knows no serde.
    fn by_serde_json(&self) -> Option<serde_json::Result<Self>> {
        None
    }

    /// There and back by way of `ciborium`.
    fn by_ciborium(&self) -> Option<Result<Self, String>> {
        None
    }
}

macro_rules! sample_read {
    ($type:ty) => {
        fn read(source: &[u8], encoding: Encoding) -> Result<Self, ReadError> {
            <$type>::from_bytes(source, encoding).map(IntoOwned::into_owned)
        }
    };
}

macro_rules! samples_with_serde {
    ($($type:ident $(<$life:lifetime>)?),* $(,)?) => {$(
        impl Sample for $type $(<$life>)? {
            sample_read!($type);

            fn by_serde_json(&self) -> Option<serde_json::Result<Self>> {
                Some(serde_json::to_string(self).and_then(|text| serde_json::from_str(&text)))
            }

            fn by_ciborium(&self) -> Option<Result<Self, String>> {
                let mut bytes = Vec::new();
                Some(match ciborium::into_writer(self, &mut bytes) {
                    Ok(()) => ciborium::from_reader(&bytes[..]).map_err(|error| error.to_string()),
                    Err(error) => Err(error.to_string()),
                })
            }
        }
    )*};
}

samples_with_serde!(
    Start<'static>,
    AbstractTimestamp<'static>,
    SessionId<'static>,
    VerifiableAgentRecord<'static>,
    SessionTrace<'static>,
    AgentMeta<'static>,
    RecordingAgent<'static>,
    Environment<'static>,
    VcsContext<'static>,
    Entry<'static>,
    MessageEntry<'static>,
    ToolCallEntry<'static>,
    ToolResultEntry<'static>,
    ReasoningEntry<'static>,
    EventEntry<'static>,
    TokenUsage<'static>,
    FileAttributionRecord<'static>,
    File<'static>,
    Conversation<'static>,
    Range<'static>,
    Contributor<'static>,
    Resource<'static>,
    ProtectedHeader<'static>,
    CwtClaims<'static>,
    UnprotectedHeader<'static>,
    TraceMetadata<'static>,
    CoseX509<'static>,
    CoseCertHash<'static>,
    Label<'static>,
    CoseLabel<'static>,
    MessageEntryType,
    ContributorType,
    SignedAgentRecordContent<'static>,
    ProtectedHeaderContentType<'static>,
    CoseCertHashHashAlg<'static>,
);

impl Sample for Text<'static> {
    sample_read!(Text<'_>);
}
impl Sample for Any<'static> {
    sample_read!(Any<'_>);
}
impl Sample for SignedAgentRecord<'static> {
    sample_read!(SignedAgentRecord<'_>);
}
impl Sample for ProtectedHeader2<'static> {
    sample_read!(ProtectedHeader2<'_>);
}

/// All nodes of a document.
fn nodes<'d, 'a>(document: &'d Document<'a>) -> impl Iterator<Item = Node<'d, 'a>> {
    (0u32..).take(document.len()).map(|at| document.node(at))
}

/// Whether JSON has no way to write something in a CBOR document.
fn is_beyond_json(document: &Document<'_>) -> bool {
    let number = |node: Node<'_, '_>| match node.tag() {
        Some((2 | 3, content)) => content.kind() == Kind::Bytes,
        Some((4, content)) => content.kind() == Kind::Array,
        _ => false,
    };
    nodes(document).any(|node| match node.kind() {
        Kind::Undefined | Kind::Simple => true,
        Kind::Tag => !number(node),
        Kind::Float => node.float().is_some_and(|value| !value.is_finite()),
        Kind::Map => node.members().any(|(key, _)| key.kind() != Kind::Text),
        _ => false,
    })
}

/// Whether a CBOR document holds byte strings, which are text in JSON. The
/// bytes of big integers are none.
fn holds_bytes(document: &Document<'_>) -> bool {
    let integers: Vec<u32> = nodes(document)
        .filter_map(Node::tag)
        .filter(|(number, _)| matches!(number, 2 | 3))
        .map(|(_, content)| content.index())
        .collect();
    nodes(document).any(|node| node.kind() == Kind::Bytes && !integers.contains(&node.index()))
}

/// Whether CBOR has no way to write something in a JSON document. Typed numbers
/// are never tagged, so a decimal may be too much as well.
fn is_beyond_cbor(document: &Document<'_>) -> bool {
    nodes(document)
        .any(|node| node.has_lone_surrogate() || matches!(node.number(), Some(Number::Decimal(_))))
}

/// Whether `serde_json` reads everything in a JSON document as it is.
fn is_plain_json(document: &Document<'_>) -> bool {
    nodes(document).all(|node| match node.kind() {
        Kind::BigInteger => false,
        Kind::Text => !node.has_lone_surrogate(),
        Kind::Integer => node
            .integer()
            .is_some_and(|value| (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&value)),
        Kind::Float => match node.number() {
            // It does not always find the nearest double.
            Some(Number::Float(value)) => serde_json::from_str::<f64>(&format!("{value:?}"))
                .is_ok_and(|read| read.to_bits() == value.to_bits()),
            _ => false,
        },
        _ => true,
    })
}

fn fulfils<T: Sample>(value: &T, rule: Option<&str>, make: Make) -> Result<(), TestCaseError> {
    prop_assert_eq!(&value.clone().into_owned(), value);
    let (json, cbor) = (value.to_json(), value.to_cbor());
    let mut in_json = make.for_json;
    match &cbor {
        Ok(bytes) => {
            let document = Document::cbor(bytes).expect("our writer writes CBOR");
            prop_assert!(document.is_tidy(), "{}", HEXLOWER.encode(bytes));
            let again = T::read(bytes, Encoding::Cbor);
            prop_assert_eq!(again.as_ref(), Ok(value));
            prop_assert_eq!(again.map(|value| value.to_cbor()), Ok(Ok(bytes.clone())));
            accepted(rule, &document)?;
            prop_assert!(json.is_ok() || is_beyond_json(&document));
            in_json |= json.is_ok() && !holds_bytes(&document);
            let is_simple = |node: Node<'_, '_>| {
                !matches!(node.kind(), Kind::Undefined | Kind::Simple | Kind::Tag)
            };
            if let Some(back) = value.by_ciborium() {
                if nodes(&document).all(is_simple) {
                    prop_assert_eq!(back.as_ref(), Ok(value));
                } else {
                    prop_assert!(back.is_err());
                }
            }
        }
        Err(error) => prop_assert!(is_not_representable(error, Encoding::Cbor), "{}", error),
    }
    match &json {
        Ok(text) => {
            let document = Document::json(text.as_bytes()).expect("our writer writes JSON");
            prop_assert!(document.is_tidy(), "{}", text);
            prop_assert!(cbor.is_ok() || is_beyond_cbor(&document), "{}", text);
            if !in_json {
                return Ok(());
            }
            let again = T::read(text.as_bytes(), Encoding::Json);
            prop_assert_eq!(again.as_ref(), Ok(value));
            prop_assert_eq!(again.map(|value| value.to_json()), Ok(Ok(text.clone())));
            accepted(rule, &document)?;
            if let Some(back) = value.by_serde_json()
                && is_plain_json(&document)
            {
                let back = back.map_err(|error| error.to_string());
                prop_assert_eq!(back.as_ref(), Ok(value));
            }
        }
        Err(error) => {
            // What is inside of bytes is CBOR even here.
            let inside = cbor.as_ref() == Err(error);
            prop_assert!(!make.for_json, "{}", error);
            prop_assert!(inside || is_not_representable(error, Encoding::Json), "{}", error);
        }
    }
    Ok(())
}

fn accepted(rule: Option<&str>, document: &Document<'_>) -> Result<(), TestCaseError> {
    if let Some(rule) = rule {
        prop_assert_eq!(verdicts(rule, document), (true, true), "validator and interpreter");
    }
    Ok(())
}

fn is_not_representable(error: &EncodeError, encoding: Encoding) -> bool {
    matches!(error, EncodeError::NotRepresentable { encoding: at, .. } if *at == encoding)
}

/// A test for each type: `name: cases, rule, strategy` of what both encodings
/// have, and then of what JSON has as well.
macro_rules! types {
    ($($name:ident: $cases:literal, $rule:expr, $both:expr $(, $json:expr)?;)*) => {$(
        #[test]
        fn $name() {
            proptest!(config($cases), |(value in $both)| fulfils(&value, $rule, BOTH)?);
            $(proptest!(config($cases), |(value in $json)| fulfils(&value, $rule, JSON)?);)?
        }
    )*};
}

types! {
    start: 40, Some("start"), BOTH.start(), JSON.start();
    abstract_timestamps: 60, Some("abstract-timestamp"), timestamp(), timestamp();
    session_ids: 60, Some("session-id"), BOTH.session_id(), JSON.session_id();
    entry_ids: 40, Some("entry-id"), text(), text();
    records: 40, Some("verifiable-agent-record"), BOTH.record(), JSON.record();
    session_traces: 40, Some("session-trace"), BOTH.session(), JSON.session();
    agent_metas: 40, Some("agent-meta"), BOTH.agent_meta(), JSON.agent_meta();
    recording_agents: 40, Some("recording-agent"), BOTH.recording_agent(), JSON.recording_agent();
    environments: 40, Some("environment"), BOTH.environment(), JSON.environment();
    vcs_contexts: 40, Some("vcs-context"), BOTH.vcs(), JSON.vcs();
    entries: 60, Some("entry"), BOTH.entry(2), JSON.entry(2);
    message_entries: 60, Some("message-entry"), BOTH.message(1), JSON.message(1);
    tool_call_entries: 60, Some("tool-call-entry"), BOTH.tool_call(1), JSON.tool_call(1);
    tool_result_entries: 60, Some("tool-result-entry"), BOTH.tool_result(1), JSON.tool_result(1);
    reasoning_entries: 60, Some("reasoning-entry"), BOTH.reasoning(1), JSON.reasoning(1);
    event_entries: 60, Some("event-entry"), BOTH.event(1), JSON.event(1);
    token_usages: 80, Some("token-usage"), BOTH.token_usage(), JSON.token_usage();
    file_attribution_records: 40, Some("file-attribution-record"), file_attribution(), file_attribution();
    files: 40, Some("file"), file(), file();
    conversations: 40, Some("conversation"), conversation(), conversation();
    ranges: 40, Some("range"), range(), range();
    contributors: 40, Some("contributor"), contributor(), contributor();
    resources: 40, Some("resource"), resource(), resource();
    signed_agent_records: 60, Some("signed-agent-record"), BOTH.signed();
    signed_agent_record_contents: 40, None, BOTH.signed_content();
    protected_headers: 60, Some("protected-header"), BOTH.protected();
    cwt_claims: 60, Some("CWT_Claims"), BOTH.claims();
    unprotected_headers: 60, Some("unprotected-header"), BOTH.unprotected();
    trace_metadata: 60, Some("trace-metadata"), BOTH.trace_metadata(), JSON.trace_metadata();
    trace_format_ids: 40, Some("trace-format-id"), text(), text();
    certificate_chains: 40, Some("COSE_X509"), certificates();
    certificate_hashes: 40, Some("COSE_CertHash"), cert_hash();
    labels: 60, Some("label"), label(), label();
    cose_labels: 60, Some("cose-label"), cose_label(), cose_label();
    cose_values: 300, Some("cose-value"), BOTH.any(), JSON.any();
    protected_headers_of_receipts: 60, Some("Protected_Header"), BOTH.receipt_header(), JSON.receipt_header();
    message_entry_types: 10, None, message_type(), message_type();
    contributor_types: 10, None, contributor_type(), contributor_type();
    content_types: 40, None, content_type(), content_type();
    hash_algorithms: 40, None, hash_alg(), hash_alg();
}

#[test]
fn every_generated_type_is_among_them() {
    let path = root().join("crates/vac-record/src/generated/types.rs");
    let types = std::fs::read_to_string(path).expect("the types are there");
    let here = include_str!("properties.rs");
    let names = types.lines().filter_map(|line| {
        let rest = ["pub struct ", "pub enum ", "pub type "]
            .iter()
            .find_map(|word| line.strip_prefix(word))?;
        rest.split(|at: char| !at.is_alphanumeric()).next()
    });
    // Names for text and for anything have no type of their own.
    let others = |name: &&str| !matches!(*name, "EntryId" | "TraceFormatId" | "CoseValue");
    let names: Vec<_> = names.filter(others).collect();
    assert!(names.len() > 35, "{names:?}");
    for name in names {
        let made = format!("BoxedStrategy<{name}");
        assert!(here.contains(&made), "there are no random values of {name}");
    }
}

/// The schema wants a receipt inside of every receipt: whatever has an end is
/// none, and all judges know.
#[test]
fn no_receipt_has_an_end() {
    fn refused<'v, T: Encode + Decode<'v>>(
        value: &T,
        bytes: &'v [u8],
        rule: &str,
    ) -> Result<(), TestCaseError> {
        prop_assert_eq!(value.to_cbor(), Ok(bytes.to_vec()));
        let document = Document::cbor(bytes).expect("our writer writes CBOR");
        prop_assert!(document.is_tidy());
        prop_assert!(T::from_cbor(bytes).is_err());
        prop_assert_eq!(verdicts(rule, &document), (false, false));
        Ok(())
    }
    let receipts = (0u32..3).prop_flat_map(|depth| BOTH.receipt(depth));
    proptest!(config(60), |(receipt in receipts)| {
        // What only JSON has cannot be inside of it.
        let Ok(bytes) = receipt.to_cbor() else { return Ok(()) };
        refused::<Receipt<'_>>(&receipt, &bytes, "Receipt")?;
        let bytes = receipt.0.to_cbor().expect("a part of it");
        refused::<CoseSign1<'_>>(&receipt.0, &bytes, "COSE_Sign1")?;
        let bytes = receipt.0.unprotected.to_cbor().expect("a part of it");
        refused::<UnprotectedHeader2<'_>>(&receipt.0.unprotected, &bytes, "Unprotected_Header")?;
        prop_assert_eq!(&receipt.clone().into_owned(), &receipt);
        // The label of receipts does not cut: under it anything else may stand.
        let header = UnprotectedHeader {
            trace_metadata_key: None,
            x5chain: None,
            receipts: Some(vec![receipt]),
            extensions: Extensions::default(),
        };
        let bytes = header.to_cbor().expect("a header");
        let read = UnprotectedHeader::from_cbor(&bytes).expect("a header");
        prop_assert_eq!(&read.receipts, &None);
        prop_assert_eq!(&read.extensions[0].0, &Label::Int(394));
        prop_assert_eq!(read.to_cbor(), Ok(bytes.clone()));
        let document = Document::cbor(&bytes).expect("our writer writes CBOR");
        prop_assert_eq!(verdicts("unprotected-header", &document), (true, true));
    });
}

#[test]
fn extensions_keep_their_order_in_json_and_are_sorted_by_cbor() {
    let key = text().prop_filter("a name of the schema", |key| {
        !matches!(&**key, "input" | "output" | "cached" | "reasoning" | "total" | "cost")
    });
    let members =
        prop::collection::btree_map(key, JSON.any(), 0..6).prop_map(Vec::from_iter).prop_shuffle();
    proptest!(config(60), |(members in members)| {
        let mut usage = TokenUsage::from_json(b"{}").expect("nothing was used");
        usage.extensions = Extensions(members);
        let text = usage.to_json().expect("all from JSON");
        let read = TokenUsage::from_json(text.as_bytes());
        prop_assert_eq!(read.as_ref(), Ok(&usage));
        if let Ok(bytes) = usage.to_cbor() {
            let read = TokenUsage::from_cbor(&bytes).expect("the same");
            usage.extensions.sort_by_key(|(key, _)| (key.len(), key.clone()));
            prop_assert_eq!(read, usage);
        }
    });
}

// --- changed documents -------------------------------------------------------------

/// A value that can be changed, and written in any order and in either encoding.
#[derive(Clone, Debug, PartialEq)]
enum Item {
    /// A number, a byte string, `null` or the like, as it was written.
    Scalar(Vec<u8>),
    Text(String),
    Array(Vec<Item>),
    Map(Vec<(Item, Item)>),
    Tag(u64, Box<Item>),
    /// A byte string that holds an item.
    Inside(Box<Item>),
}

impl Item {
    fn of(node: Node<'_, '_>) -> Self {
        match node.kind() {
            Kind::Text => match node.text() {
                Some(text) => Self::Text(text.into_owned()),
                None => Self::Scalar(node.raw().to_vec()),
            },
            Kind::Array => Self::Array(node.elements().map(Self::of).collect()),
            Kind::Map => {
                Self::Map(node.members().map(|(k, v)| (Self::of(k), Self::of(v))).collect())
            }
            Kind::Tag => {
                let (number, content) = node.tag().expect("a tag");
                Self::Tag(number, Box::new(Self::of(content)))
            }
            Kind::Bytes => {
                let bytes = node.bytes().expect("bytes");
                // Anything is an item by accident if it is short enough.
                match Document::cbor(&bytes) {
                    Ok(inside) if bytes.len() > 1 => {
                        Self::Inside(Box::new(Self::of(inside.root())))
                    }
                    _ => Self::Scalar(node.raw().to_vec()),
                }
            }
            _ => Self::Scalar(node.raw().to_vec()),
        }
    }

    fn write(&self, encoding: Encoding, out: &mut Vec<u8>) {
        let cbor = encoding == Encoding::Cbor;
        match self {
            Self::Scalar(raw) => out.extend(raw),
            Self::Text(text) => {
                let mut encoder = Encoder::new(encoding);
                encoder.text(text);
                out.extend(encoder.finish());
            }
            Self::Array(elements) => {
                out.extend(if cbor { head(4, elements.len() as u64) } else { b"[".to_vec() });
                for (at, element) in elements.iter().enumerate() {
                    if at > 0 && !cbor {
                        out.push(b',');
                    }
                    element.write(encoding, out);
                }
                out.extend(if cbor { &b""[..] } else { b"]" });
            }
            Self::Map(members) => {
                out.extend(if cbor { head(5, members.len() as u64) } else { b"{".to_vec() });
                for (at, (key, value)) in members.iter().enumerate() {
                    if at > 0 && !cbor {
                        out.push(b',');
                    }
                    key.write(encoding, out);
                    out.extend(if cbor { &b""[..] } else { b":" });
                    value.write(encoding, out);
                }
                out.extend(if cbor { &b""[..] } else { b"}" });
            }
            Self::Tag(number, content) => {
                out.extend(head(6, *number));
                content.write(encoding, out);
            }
            Self::Inside(item) => {
                let mut inside = Vec::new();
                item.write(encoding, &mut inside);
                out.extend(head(2, inside.len() as u64));
                out.extend(inside);
            }
        }
    }

    fn written(&self, encoding: Encoding) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(encoding, &mut out);
        out
    }

    fn children(&mut self) -> Vec<&mut Item> {
        match self {
            Self::Scalar(_) | Self::Text(_) => Vec::new(),
            Self::Array(elements) => elements.iter_mut().collect(),
            // Keys are changed by name, not by accident.
            Self::Map(members) => members.iter_mut().map(|(_, value)| value).collect(),
            Self::Tag(_, content) | Self::Inside(content) => vec![content],
        }
    }

    /// How many values there are, this one included.
    fn count(&mut self) -> usize {
        1 + self.children().into_iter().map(Item::count).sum::<usize>()
    }

    /// The value at a place in document order.
    fn at(&mut self, place: usize) -> &mut Item {
        if place == 0 {
            return self;
        }
        // Finding the way twice is what the borrow checker wants.
        let mut before = 1;
        let mut way = 0;
        for (child, item) in self.children().into_iter().enumerate() {
            let count = item.count();
            way = child;
            if place < before + count {
                break;
            }
            before += count;
        }
        self.children().into_iter().nth(way).expect("a child").at(place - before)
    }

    /// Every value in it, and every key.
    fn parts(&self, values: &mut Vec<Item>, keys: &mut Vec<Item>) {
        values.push(self.clone());
        match self {
            Self::Scalar(_) | Self::Text(_) => {}
            Self::Array(elements) => elements.iter().for_each(|item| item.parts(values, keys)),
            Self::Map(members) => {
                for (key, value) in members {
                    keys.push(key.clone());
                    value.parts(values, keys);
                }
            }
            Self::Tag(_, content) | Self::Inside(content) => content.parts(values, keys),
        }
    }

    /// Whether a map has a key twice, here or inside of bytes.
    fn has_twins(&self) -> bool {
        match self {
            Self::Scalar(_) | Self::Text(_) => false,
            Self::Array(elements) => elements.iter().any(Item::has_twins),
            Self::Map(members) => members.iter().enumerate().any(|(at, (key, value))| {
                members[..at].iter().any(|(other, _)| other == key) || value.has_twins()
            }),
            Self::Tag(_, content) | Self::Inside(content) => content.has_twins(),
        }
    }
}

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        let sides = sides.max(1) as u64;
        usize::try_from((mixed ^ mixed >> 31) % sides).expect("less than the sides")
    }

    fn pick<'p, T>(&mut self, from: &'p [T]) -> &'p T {
        &from[self.roll(from.len())]
    }
}

/// What changes are made of: the values and keys of documents, and odd ones.
struct Parts {
    encoding: Encoding,
    values: Vec<Item>,
    keys: Vec<Item>,
}

impl Parts {
    fn new(encoding: Encoding) -> Self {
        let scalars: &[&[u8]] = match encoding {
            Encoding::Json => &[
                b"null",
                b"true",
                b"0",
                b"1",
                b"-1",
                b"1.5",
                b"-0.0",
                b"1e400",
                b"18446744073709551616",
                b"-18446744073709551617",
                b"\"\\ud800\"",
                b"7",
                b"255",
                b"256",
            ],
            Encoding::Cbor => &[
                b"\xf6",
                b"\xf5",
                b"\x00",
                b"\x01",
                b"\x20",
                b"\xf9\x3e\x00",
                b"\xf9\x80\x00",
                b"\xc2\x49\x01\0\0\0\0\0\0\0\0",
                b"\xf7",
                b"\xf0",
                b"\xf8\xff",
                b"\x40",
                b"\x41\x01",
                b"\x42\x01\x02",
                b"\xf9\x7e\x00",
                b"\x18\xff",
                b"\x19\x01\x00",
                b"\x44abcd",
                b"\xfa\x3d\xcc\xcc\xcd",
                b"\x5f\x41\x01\xff",
                b"\x1a\x00\x00\x00\x07",
            ],
        };
        let mut values: Vec<_> = scalars.iter().map(|raw| Item::Scalar(raw.to_vec())).collect();
        let texts = ["", "x", "type", "2024-01-01T00:00:00Z"];
        values.extend(texts.iter().map(|text| Item::Text((*text).to_owned())));
        values.extend([Item::Array(Vec::new()), Item::Map(Vec::new())]);
        let mut keys: Vec<_> = texts.iter().map(|text| Item::Text((*text).to_owned())).collect();
        if encoding == Encoding::Cbor {
            keys.extend(
                [&b"\x00"[..], b"\x01", b"\x20", b"\x18\x21", b"\x41\x01", b"\xf5", b"\x81\x01"]
                    .iter()
                    .map(|raw| Item::Scalar(raw.to_vec())),
            );
        }
        Self { encoding, values, keys }
    }

    fn add(&mut self, document: &Document<'_>) {
        let item = Item::of(document.root());
        item.parts(&mut self.values, &mut self.keys);
    }

    fn change(&self, item: &mut Item, dice: &mut Dice) {
        let place = dice.roll(item.count());
        let target = item.at(place);
        match (dice.roll(12), &mut *target) {
            (0 | 1, Item::Array(elements)) if !elements.is_empty() => {
                elements.remove(dice.roll(elements.len()));
            }
            (0 | 1, Item::Map(members)) if !members.is_empty() => {
                members.remove(dice.roll(members.len()));
            }
            (2, Item::Array(elements)) if !elements.is_empty() => {
                let twin = dice.pick(elements).clone();
                elements.insert(dice.roll(elements.len() + 1), twin);
            }
            (2 | 3, Item::Map(members)) if !members.is_empty() => {
                let at = dice.roll(members.len());
                members[at].0 = dice.pick(&self.keys).clone();
            }
            (3, Item::Array(elements)) if elements.len() > 1 => {
                let (one, other) = (dice.roll(elements.len()), dice.roll(elements.len()));
                elements.swap(one, other);
            }
            (4 | 5, Item::Array(elements)) => {
                elements.insert(dice.roll(elements.len() + 1), dice.pick(&self.values).clone());
            }
            (4 | 5, Item::Map(members)) => {
                let (key, value) = (dice.pick(&self.keys).clone(), dice.pick(&self.values).clone());
                members.insert(dice.roll(members.len() + 1), (key, value));
            }
            (0..=3, Item::Text(text)) if !text.is_empty() => {
                let end = text.char_indices().nth(dice.roll(text.chars().count()));
                text.truncate(end.map_or(0, |(end, _)| end));
            }
            (4, Item::Text(text)) => text.push('x'),
            (0 | 1, Item::Tag(number, _)) => *number = *dice.pick(&[0, 2, 3, 4, 17, 18, 24, 32]),
            (2, Item::Tag(_, content)) => *target = (**content).clone(),
            (6, _) => *target = Item::Array(vec![target.clone()]),
            (7, _) if self.encoding == Encoding::Cbor => {
                let number = *dice.pick(&[2, 18, 24, 32, 100]);
                *target = Item::Tag(number, Box::new(target.clone()));
            }
            (8, _) if self.encoding == Encoding::Cbor => {
                *target = Item::Inside(Box::new(target.clone()));
            }
            _ => *target = dice.pick(&self.values).clone(),
        }
    }

    /// A document changed once or a few times.
    fn changed(&self, item: &Item, dice: &mut Dice) -> Item {
        let mut changed = item.clone();
        for _ in 0..=dice.roll(2) {
            self.change(&mut changed, dice);
        }
        changed
    }
}

fn shown(bytes: &[u8], encoding: Encoding) -> String {
    match encoding {
        Encoding::Json => String::from_utf8_lossy(bytes).into_owned(),
        Encoding::Cbor => HEXLOWER.encode(bytes),
    }
}

/// The document of an item, unless a map has a key twice.
fn with_document(item: &Item, encoding: Encoding, judge: impl FnOnce(&[u8], &Document<'_>)) {
    let bytes = item.written(encoding);
    let document = Document::scan(&bytes, encoding)
        .unwrap_or_else(|error| panic!("{}: {error}", shown(&bytes, encoding)));
    if document.duplicate_keys().len() == 0 && !item.has_twins() {
        judge(&bytes, &document);
    }
}

#[test]
fn all_judges_agree_on_changed_records() {
    let start = prop_oneof![
        BOTH.start(),
        JSON.start(),
        BOTH.signed().prop_map(Start::SignedAgentRecord),
        BOTH.unprotected().prop_map(|unprotected| Start::SignedAgentRecord(Tagged(
            SignedAgentRecordContent {
                protected: Embedded::new(least_header()),
                unprotected,
                payload: None,
                signature: Vec::new().into(),
            }
        ))),
    ];
    let (mut valid, mut invalid) = (0, 0);
    let counts = std::cell::RefCell::new((&mut valid, &mut invalid));
    proptest!(config(150), |(start in start, seed in any::<u64>())| {
        let mut dice = Dice(seed);
        let forms = [
            (Encoding::Json, start.to_json().map(String::into_bytes)),
            (Encoding::Cbor, start.to_cbor()),
        ];
        for (encoding, source) in forms {
            let Ok(source) = source else { continue };
            let document = Document::scan(&source, encoding).expect("our writer's");
            let mut parts = Parts::new(encoding);
            parts.add(&document);
            let item = Item::of(document.root());
            for _ in 0..8 {
                with_document(&parts.changed(&item, &mut dice), encoding, |bytes, document| {
                    let (validator, interpreter) = verdicts("start", document);
                    let decoded = Start::from_bytes(bytes, encoding);
                    assert_eq!(
                        (validator, interpreter, decoded.is_ok()),
                        (validator, validator, validator),
                        "validator, interpreter, decoder: {}: {decoded:?}",
                        shown(bytes, encoding)
                    );
                    let mut counts = counts.borrow_mut();
                    *counts.0 += usize::from(validator);
                    *counts.1 += usize::from(!validator);
                });
            }
        }
    });
    assert!(valid > 300 && invalid > 300, "{valid} valid, {invalid} invalid: too few of one kind");
}

/// In JSON a big integer is one token; a schema may still look at its bytes.
#[test]
fn big_integers_of_json_are_judged_as_the_bytes_that_cbor_has() {
    let nine: Check = |context, node| {
        let content: Check = |context, node| {
            let fits = check::bytes(node) && check::size(node, 9, 9);
            context.expect(fits, node, "big", "9 bytes")
        };
        context.tag(node, Some(2), "big", "tag 2", content)
    };
    let schema = vac_cddl::parse("big.cddl", "big = #6.2(bstr .size 9)").expect("CDDL");
    let interpreter = Interpreter::new(&schema).expect("a schema");
    let tokens = [
        ("18446744073709551616".to_owned(), true),
        ("4722366482869645213695".to_owned(), true),
        ("4722366482869645213696".to_owned(), false),
        ("-18446744073709551617".to_owned(), false),
        ("18446744073709551615".to_owned(), false),
        ("9".repeat(5000), false),
    ];
    for (token, valid) in tokens {
        let document = Document::json(token.as_bytes()).expect("JSON");
        assert_eq!(vac_validate::check(&document, nine, 20).is_valid(), valid, "{token}");
        assert_eq!(interpreter.validate(&document).is_empty(), valid, "{token}");
    }
}

fn least_header() -> ProtectedHeader<'static> {
    let cwt_claims =
        CwtClaims { iss: "i".into(), sub: "s".into(), extensions: Extensions::default() };
    ProtectedHeader {
        cwt_claims,
        alg: None,
        content_type: None,
        kid: None,
        x5t: None,
        x5chain: None,
        extensions: Extensions::default(),
    }
}

#[test]
fn all_judges_agree_on_changed_golden_documents() {
    let mut dice = Dice(0);
    let (mut valid, mut invalid) = (0, 0);
    let mut wrong = Vec::new();
    for golden in GOLDENS {
        let schema = schema(golden.stem);
        let interpreter = Interpreter::new(&schema).expect("a golden schema");
        let cases = cases(golden.stem);
        for encoding in [Encoding::Json, Encoding::Cbor] {
            let cases: Vec<_> = cases.iter().filter(|case| case.encoding == encoding).collect();
            let mut parts = Parts::new(encoding);
            for case in &cases {
                parts.add(&case.document());
            }
            for case in cases {
                let item = Item::of(case.document().root());
                for _ in 0..12 {
                    with_document(&parts.changed(&item, &mut dice), encoding, |bytes, document| {
                        let validator = vac_validate::check(document, golden.check, 1).is_valid();
                        let interpreter = interpreter.validate(document).is_empty();
                        let decoder = (golden.there_and_back)(document);
                        let looser = LOOSER_TYPES.contains(&golden.stem) && !validator;
                        let decoder = if looser { validator } else { decoder.is_ok() };
                        if interpreter != validator || decoder != validator {
                            wrong.push(format!(
                                "{}: validator {validator}, interpreter {interpreter}, decoder {decoder}: {}",
                                golden.stem,
                                shown(bytes, encoding)
                            ));
                        }
                        valid += usize::from(validator);
                        invalid += usize::from(!validator);
                    });
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), valid + invalid, wrong.join("\n"));
    assert!(valid > 1000 && invalid > 1000, "{valid} valid, {invalid} invalid");
}
