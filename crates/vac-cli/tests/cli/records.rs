//! Creates small records for tests.

/// Returns a record with these entries.
pub fn record(entries: &str) -> String {
    with_session(&format!(r#""entries": [{entries}]"#))
}

/// Returns a record whose session has these members in addition to the required ones.
pub fn with_session(members: &str) -> String {
    format!(
        r#"{{"version": "3.0.0-draft", "id": "r1", "session": {{"session-id": "s1", "agent-meta": {{"model-id": "m", "model-provider": "p"}}, {members}}}}}"#
    )
}

/// Returns a record of one message, on one line.
pub fn small() -> String {
    record(r#"{"type": "user", "content": "hi"}"#)
}

/// Returns a record with these members in addition to the required ones.
pub fn with(members: &str) -> String {
    let record = small();
    format!("{}, {members}}}", record.strip_suffix('}').expect("a map"))
}

/// Returns a head of CBOR.
pub fn head(major: u8, argument: usize) -> Vec<u8> {
    let major = major << 5;
    match u8::try_from(argument) {
        Ok(small @ 0..24) => vec![major | small],
        Ok(byte) => vec![major | 0x18, byte],
        Err(_) => {
            let argument = u32::try_from(argument).expect("not too long");
            [&[major | 0x1a][..], &argument.to_be_bytes()].concat()
        }
    }
}

/// Returns a byte string of CBOR.
pub fn bytes(content: &[u8]) -> Vec<u8> {
    [head(2, content.len()), content.to_vec()].concat()
}

/// Returns a text of CBOR.
pub fn text(content: &str) -> Vec<u8> {
    [head(3, content.len()), content.as_bytes().to_vec()].concat()
}

/// Returns a signed record; headers are the members after the required one, as CBOR,
/// with how many there are.
pub fn signed(protected: (usize, &[u8]), unprotected: (usize, &[u8]), payload: &[u8]) -> Vec<u8> {
    let claims = [vec![15, 0xa2, 1], text("iss"), vec![2], text("sub")].concat();
    let protected = [&head(5, 1 + protected.0)[..], &claims, protected.1].concat();
    let unprotected = [&head(5, unprotected.0)[..], unprotected.1].concat();
    [&[0xd2, 0x84][..], &bytes(&protected), &unprotected, payload, &bytes(b"signature")].concat()
}

/// Returns the record of [`small`] in CBOR.
pub fn small_cbor() -> Vec<u8> {
    let agent = [vec![0xa2], text("model-id"), text("m"), text("model-provider"), text("p")];
    let entry = [vec![0x81, 0xa2], text("type"), text("user"), text("content"), text("hi")];
    [
        vec![0xa3],
        text("version"),
        text("3.0.0-draft"),
        text("id"),
        text("r1"),
        text("session"),
        vec![0xa3],
        text("session-id"),
        text("s1"),
        text("agent-meta"),
        agent.concat(),
        text("entries"),
        entry.concat(),
    ]
    .concat()
}
