//! Tests invariants of every value of every generated type.

use super::*;

/// A generated type that owns its content.
trait Sample: Encode + IntoOwned<Owned = Self> + Clone + Debug + PartialEq {
    /// Decodes a value, and returns it with its own content.
    fn read(source: &[u8], encoding: Encoding) -> Result<Self, DecodeError>;

    /// Serializes and deserializes with `serde_json`; `None` if the type does not implement serde.
    fn decode_with_serde_json(&self) -> Option<serde_json::Result<Self>> {
        None
    }

    /// Serializes and deserializes with `ciborium`.
    fn decode_with_ciborium(&self) -> Option<Result<Self, String>> {
        None
    }
}

macro_rules! sample_read {
    ($type:ty) => {
        fn read(source: &[u8], encoding: Encoding) -> Result<Self, DecodeError> {
            <$type>::from_bytes(source, encoding).map(IntoOwned::into_owned)
        }
    };
}

macro_rules! samples_with_serde {
    ($($type:ident $(<$life:lifetime>)?),* $(,)?) => {$(
        impl Sample for $type $(<$life>)? {
            sample_read!($type);

            fn decode_with_serde_json(&self) -> Option<serde_json::Result<Self>> {
                Some(serde_json::to_string(self).and_then(|text| serde_json::from_str(&text)))
            }

            fn decode_with_ciborium(&self) -> Option<Result<Self, String>> {
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
    DateTimeText<'static>,
    UriText<'static>,
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
    CoseCertHashAlg<'static>,
);

/// Implements the trait for rules that are other names of a type. They are decoded by rule.
macro_rules! sample_aliases {
    ($($type:ident = $rule:ident;)*) => {$(
        impl Sample for $type<'static> {
            fn read(source: &[u8], encoding: Encoding) -> Result<Self, DecodeError> {
                let document = Document::scan(source, encoding)?;
                let value: $type<'_> = SCHEMA.decode(rules::$rule, document.root())?;
                Ok(IntoOwned::into_owned(value))
            }
        }
    )*};
}

sample_aliases! {
    Text = ENTRY_ID;
    Any = COSE_VALUE;
    SignedAgentRecord = SIGNED_AGENT_RECORD;
    ReceiptProtectedHeader = RECEIPT_PROTECTED_HEADER;
}

/// Returns all nodes of a document.
fn nodes<'d, 'a>(document: &'d Document<'a>) -> impl Iterator<Item = Node<'d, 'a>> {
    (0u32..).take(document.len()).map(|at| document.node(at))
}

/// Returns whether JSON cannot express something in a CBOR document.
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

/// Returns whether a CBOR document contains byte strings, which are text in JSON. The bytes of big
/// integers do not count.
fn has_bytes(document: &Document<'_>) -> bool {
    let integers: Vec<u32> = nodes(document)
        .filter_map(Node::tag)
        .filter(|(number, _)| matches!(number, 2 | 3))
        .map(|(_, content)| content.index())
        .collect();
    nodes(document).any(|node| node.kind() == Kind::Bytes && !integers.contains(&node.index()))
}

/// Returns whether CBOR cannot express something in a JSON document. Typed numbers are never
/// tagged, so this includes some decimals.
fn is_beyond_cbor(document: &Document<'_>) -> bool {
    nodes(document)
        .any(|node| node.has_lone_surrogate() || matches!(node.number(), Some(Number::Decimal(_))))
}

/// Returns whether `serde_json` reads everything in a JSON document exactly.
fn is_plain_json(document: &Document<'_>) -> bool {
    nodes(document).all(|node| match node.kind() {
        Kind::BigInteger => false,
        Kind::Text => !node.has_lone_surrogate(),
        Kind::Integer => node
            .integer()
            .is_some_and(|value| (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&value)),
        Kind::Float => match node.number() {
            // `serde_json` does not always find the nearest double.
            Some(Number::Float(value)) => serde_json::from_str::<f64>(&format!("{value:?}"))
                .is_ok_and(|read| read.to_bits() == value.to_bits()),
            _ => false,
        },
        _ => true,
    })
}

fn check_invariants<T: Sample>(
    value: &T,
    rule: Option<&str>,
    make: Make,
) -> Result<(), TestCaseError> {
    prop_assert_eq!(&value.clone().into_owned(), value);
    let (json, cbor) = (value.to_json(), value.to_cbor());
    let mut in_json = make.for_json;
    match &cbor {
        Ok(bytes) => {
            let document = Document::cbor(bytes).expect("an encoder writes CBOR");
            prop_assert!(document.is_tidy(), "{}", HEXLOWER.encode(bytes));
            let again = T::read(bytes, Encoding::Cbor);
            prop_assert_eq!(again.as_ref(), Ok(value));
            prop_assert_eq!(again.map(|value| value.to_cbor()), Ok(Ok(bytes.clone())));
            accepted(rule, &document)?;
            prop_assert!(json.is_ok() || is_beyond_json(&document));
            in_json |= json.is_ok() && !has_bytes(&document);
            // serde has neither of these types.
            let is_carried =
                |node: Node<'_, '_>| !matches!(node.kind(), Kind::Undefined | Kind::Simple);
            if let Some(back) = value.decode_with_ciborium() {
                if nodes(&document).all(is_carried) {
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
            let document = Document::json(text.as_bytes()).expect("an encoder writes JSON");
            prop_assert!(document.is_tidy(), "{}", text);
            prop_assert!(cbor.is_ok() || is_beyond_cbor(&document), "{}", text);
            if !in_json {
                return Ok(());
            }
            let again = T::read(text.as_bytes(), Encoding::Json);
            prop_assert_eq!(again.as_ref(), Ok(value));
            prop_assert_eq!(again.map(|value| value.to_json()), Ok(Ok(text.clone())));
            accepted(rule, &document)?;
            if let Some(back) = value.decode_with_serde_json()
                && is_plain_json(&document)
            {
                let back = back.map_err(|error| error.to_string());
                prop_assert_eq!(back.as_ref(), Ok(value));
            }
        }
        Err(error) => {
            // The content of a byte string is CBOR, also in a JSON document.
            let inside = cbor.as_ref() == Err(error);
            prop_assert!(!make.for_json, "{}", error);
            prop_assert!(inside || is_not_representable(error, Encoding::Json), "{}", error);
        }
    }
    Ok(())
}

fn accepted(rule: Option<&str>, document: &Document<'_>) -> Result<(), TestCaseError> {
    if let Some(rule) = rule {
        prop_assert!(is_valid(rule, document));
    }
    Ok(())
}

fn is_not_representable(error: &EncodeError, encoding: Encoding) -> bool {
    matches!(error, EncodeError::NotRepresentable { encoding: at, .. } if *at == encoding)
}

/// Defines a test for each type: `name: cases, rule, strategy`, first for values of both encodings,
/// then for values that JSON can express, too.
macro_rules! types {
    ($($name:ident: $cases:literal, $rule:expr, $both:expr $(, $json:expr)?;)*) => {$(
        #[test]
        fn $name() {
            proptest!(config($cases), |(value in $both)| check_invariants(&value, $rule, BOTH)?);
            $(proptest!(config($cases), |(value in $json)| check_invariants(&value, $rule, JSON)?);)?
        }
    )*};
}

types! {
    start: 40, Some("start"), BOTH.start(), JSON.start();
    abstract_timestamps: 60, Some("abstract-timestamp"), timestamp(), timestamp();
    date_times: 40, None, date_time(), date_time();
    uris: 40, None, url(), url();
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
fn every_generated_type_is_tested() {
    let path = root().join("crates/vac-record/src/generated/types.rs");
    let types = std::fs::read_to_string(path).expect("the types are there");
    let here = concat!(include_str!("types.rs"), include_str!("parts.rs"));
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
        assert!(here.contains(&made), "{name} has no random values");
    }
}

/// The schema requires a receipt inside of every receipt, so no finite receipt is valid.
#[test]
fn finite_receipts_are_invalid() {
    fn refused<'v, T: Encode + Build<'v>>(
        value: &T,
        bytes: &'v [u8],
        rule: &str,
    ) -> Result<(), TestCaseError> {
        prop_assert_eq!(value.to_cbor(), Ok(bytes.to_vec()));
        let document = Document::cbor(bytes).expect("an encoder writes CBOR");
        prop_assert!(document.is_tidy());
        let rule_id = SCHEMA.rule(rule).expect("a rule of the schema");
        prop_assert!(SCHEMA.decode::<T>(rule_id, document.root()).is_err());
        prop_assert!(!is_valid(rule, &document));
        Ok(())
    }
    let receipts = (0u32..3).prop_flat_map(|depth| BOTH.receipt(depth));
    proptest!(config(60), |(receipt in receipts)| {
        // Values that only JSON can express cannot be inside of it.
        let Ok(bytes) = receipt.to_cbor() else { return Ok(()) };
        refused::<Receipt<'_>>(&receipt, &bytes, "Receipt")?;
        let bytes = receipt.0.to_cbor().expect("a part of it");
        refused::<CoseSign1<'_>>(&receipt.0, &bytes, "COSE_Sign1")?;
        let bytes = receipt.0.unprotected.to_cbor().expect("a part of it");
        refused::<ReceiptUnprotectedHeader<'_>>(&receipt.0.unprotected, &bytes, "Unprotected_Header")?;
        prop_assert_eq!(&receipt.clone().into_owned(), &receipt);
        // The label of receipts is not a cut (`^`), so any other value is valid with it.
        let header = UnprotectedHeader {
            trace_metadata_key: None,
            x5chain: None,
            receipts: Some(vec![receipt]),
            extensions: Map::default(),
        };
        let bytes = header.to_cbor().expect("a header");
        let read = UnprotectedHeader::from_cbor(&bytes).expect("a header");
        prop_assert_eq!(&read.receipts, &None);
        prop_assert_eq!(read.extensions.keys().next(), Some(&Label::Int(394)));
        prop_assert_eq!(read.to_cbor(), Ok(bytes.clone()));
        let document = Document::cbor(&bytes).expect("an encoder writes CBOR");
        prop_assert!(is_valid("unprotected-header", &document));
    });
}

#[test]
fn extensions_keep_their_order_in_json_and_are_sorted_in_cbor() {
    let key = text().prop_filter("a name of the schema", |key| {
        !matches!(&**key, "input" | "output" | "cached" | "reasoning" | "total" | "cost")
    });
    let members =
        prop::collection::btree_map(key, JSON.any(), 0..6).prop_map(Vec::from_iter).prop_shuffle();
    proptest!(config(60), |(members in members)| {
        let mut usage = TokenUsage::from_json(b"{}").expect("nothing was used");
        usage.extensions = Map::from_iter(members);
        let text = usage.to_json().expect("all from JSON");
        let read = TokenUsage::from_json(text.as_bytes());
        prop_assert_eq!(read.as_ref(), Ok(&usage));
        if let Ok(bytes) = usage.to_cbor() {
            let read = TokenUsage::from_cbor(&bytes).expect("the same");
            let mut keys: Vec<_> = usage.extensions.keys().collect();
            keys.sort_by_key(|key| (key.len(), *key));
            prop_assert!(read.extensions.keys().eq(keys));
            prop_assert_eq!(read, usage);
        }
    });
}
