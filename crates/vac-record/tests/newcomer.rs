//! Programs as a user writes them without having read the documentation. They have to compile.

use std::error::Error;

use serde_json::json;
use vac_record::{
    AgentMeta, Any, Bytes, Decode, DecodeError, Encode, Entry, IntoOwned, Map, MessageEntry,
    MessageEntryType, Number, SCHEMA_VERSION, SessionTrace, Start, Tagged, Text, TokenUsage,
    ToolCallEntry, ToolResultEntry, VerifiableAgentRecord,
};

fn record() -> Result<VerifiableAgentRecord<'static>, Box<dyn Error>> {
    let prompt = MessageEntry {
        content: Some("hello".into()),
        timestamp: Some("2026-01-01T00:00:00Z".parse()?),
        token_usage: Some(TokenUsage { input: Some(1), ..TokenUsage::default() }),
        ..MessageEntry::new(MessageEntryType::User)
    };
    let call = ToolCallEntry {
        call_id: Some("c1".into()),
        ..ToolCallEntry::new("bash", json!({"command": "ls"}))
    };
    let mut result = ToolResultEntry::new(Any::members([("status", 0)]));
    result.call_id = Some(format!("c{}", 1).into());
    let agent = AgentMeta::new("model", "provider");
    let session = SessionTrace::new("s1", agent, vec![prompt.into(), call.into(), result.into()]);
    Ok(VerifiableAgentRecord::new(SCHEMA_VERSION, "r1", session))
}

#[test]
fn records_are_read_by_every_reader() -> Result<(), Box<dyn Error>> {
    let record = record()?;
    record.validate()?;
    let (json, cbor) = (record.to_json()?, record.to_cbor()?);
    assert_eq!(json.parse::<VerifiableAgentRecord<'_>>()?, record);
    assert_eq!(VerifiableAgentRecord::from_json(&json)?, record);
    assert_eq!(VerifiableAgentRecord::from_cbor(&cbor)?, record);
    assert_eq!(Start::from_cbor(&cbor)?, Start::from(record.clone()));
    assert_eq!(serde_json::from_str::<VerifiableAgentRecord<'_>>(&json)?, record);
    assert_eq!(serde_json::from_slice::<VerifiableAgentRecord<'_>>(json.as_bytes())?, record);
    assert_eq!(serde_json::from_reader::<_, VerifiableAgentRecord<'_>>(json.as_bytes())?, record);
    assert_eq!(ciborium::from_reader::<VerifiableAgentRecord<'_>, _>(&cbor[..])?, record);

    let value = serde_json::to_value(&record)?;
    assert_eq!(value["session"]["entries"][1]["name"], "bash");
    assert_eq!(serde_json::from_value::<VerifiableAgentRecord<'_>>(value)?, record);
    let value = ciborium::Value::serialized(&record)?;
    assert_eq!(value.deserialized::<VerifiableAgentRecord<'_>>()?, record);
    Ok(())
}

#[test]
fn owned_records_outlive_their_source() -> Result<(), Box<dyn Error>> {
    fn load(text: &str) -> Result<VerifiableAgentRecord<'static>, DecodeError> {
        Ok(VerifiableAgentRecord::from_json(text)?.into_owned())
    }
    let record = load(&record()?.to_json_pretty()?)?;
    let id = std::thread::spawn(move || record.id).join().expect("no panic");
    assert_eq!(id, "r1");
    Ok(())
}

#[test]
fn fields_are_changed_in_place() -> Result<(), Box<dyn Error>> {
    let mut record = record()?;
    record.session.session_id = "s2".into();
    record.created = Some(1_700_000_000_000.into());
    for entry in &mut record.session.entries {
        *entry.id_mut() = Some(entry.kind().to_owned().into());
        if let Entry::Message(message) = entry {
            message.content = Some(json!([{"type": "text", "text": "changed"}]).into());
            message.extensions.insert("mood".into(), "curious".into());
            *message.extensions.entry("count".into()).or_default() = 2.into();
            assert_eq!(message.extensions["mood"], "curious");
            assert_eq!(message.extensions.get("count").and_then(Any::integer), Some(2));
            assert_eq!(message.extensions.remove("count"), Some(2.into()));
        }
    }
    record.validate()?;
    let again: VerifiableAgentRecord<'_> = record.to_json()?.parse()?;
    let calls: Vec<_> = again.session.entries.iter().filter_map(|entry| entry.id()).collect();
    assert_eq!(calls, ["user", "tool-call", "tool-result"]);
    Ok(())
}

#[test]
fn generic_values_are_members_of_own_types() -> Result<(), Box<dyn Error>> {
    #[derive(Debug, PartialEq, serde::Deserialize, serde::Serialize)]
    struct Own {
        any: Any<'static>,
        number: Number<'static>,
        entry: Option<Entry<'static>>,
        map: Map<Text<'static>, Any<'static>>,
        bytes: Bytes<'static>,
    }
    let own = Own {
        any: json!({"a": [1, 2.5, null]}).into(),
        number: 1.into(),
        entry: record()?.session.entries.pop(),
        map: Map::from([("a".into(), 1.into())]),
        bytes: vec![1, 2].into(),
    };
    assert_eq!(serde_json::from_str::<Own>(&serde_json::to_string(&own)?)?, own);
    assert_eq!(serde_json::from_value::<Own>(serde_json::to_value(&own)?)?, own);
    let mut bytes = Vec::new();
    ciborium::into_writer(&own, &mut bytes)?;
    assert_eq!(ciborium::from_reader::<Own, _>(&bytes[..])?, own);

    let tagged: Tagged<42, u64> = Tagged(1);
    let value = ciborium::Value::serialized(&tagged)?;
    assert_eq!(value, ciborium::Value::Tag(42, Box::new(1.into())));
    assert_eq!(value.deserialized::<Tagged<42, u64>>()?, tagged);
    Ok(())
}

#[test]
fn errors_list_violations_with_kinds() -> Result<(), Box<dyn Error>> {
    let error = VerifiableAgentRecord::from_json(r#"{"version": 3, "x": 1}"#).unwrap_err();
    let DecodeError::Invalid(violations) = &error else { panic!("{error}") };
    let listed = serde_json::to_value(violations)?;
    assert_eq!(listed[0]["kind"], "mismatch");
    assert_eq!(listed[0]["path"], "/version");
    assert_eq!(listed[1]["kind"], "missing-key");
    assert_eq!(violations.iter().count(), 3);
    let error = serde_json::from_str::<VerifiableAgentRecord<'_>>("{}").unwrap_err();
    assert!(error.to_string().contains("missing key \"version\""), "{error}");
    Ok(())
}
