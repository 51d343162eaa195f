//! Generates random values of the generated types.

use super::*;

impl Make {
    pub(super) fn any(self) -> BoxedStrategy<Any<'static>> {
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

    pub(super) fn number(self) -> BoxedStrategy<Number<'static>> {
        let decimal = "-?[0-9][.][0-9]{24}[1-9]"
            .prop_map(|token| token.parse::<Number<'static>>().expect("a number"));
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

    /// Returns members with other keys than these, in the order of CBOR, in which they are decoded.
    pub(super) fn extensions(
        self,
        named: &'static [&'static str],
    ) -> BoxedStrategy<Map<Text<'static>, Any<'static>>> {
        let key = text().prop_filter("a name of the schema", |key| !named.contains(&&**key));
        self.sorted(key.boxed())
    }

    pub(super) fn labelled<K: Encode + Clone + Debug + 'static>(
        self,
        named: &'static [i128],
        int: fn(i128) -> K,
        text_label: fn(Text<'static>) -> K,
    ) -> BoxedStrategy<Map<K, Any<'static>>> {
        let label = integer().prop_filter("a label of the schema", |label| !named.contains(label));
        let text_label = text().prop_map(text_label);
        if self.for_json {
            return self.sorted(text_label.boxed());
        }
        self.sorted(prop_oneof![label.prop_map(int), text_label].boxed())
    }

    pub(super) fn sorted<K: Encode + Clone + Debug + 'static>(
        self,
        key: BoxedStrategy<K>,
    ) -> BoxedStrategy<Map<K, Any<'static>>> {
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

    pub(super) fn session_id(self) -> BoxedStrategy<SessionId<'static>> {
        let as_text = text().prop_map(SessionId::Text);
        if self.for_json {
            return as_text.boxed();
        }
        prop_oneof![as_text, bytes().prop_map(|value| SessionId::Bytes(value.into()))].boxed()
    }

    pub(super) fn start(self) -> BoxedStrategy<Start<'static>> {
        let record = self.record().prop_map(Start::VerifiableAgentRecord);
        if self.for_json {
            return record.boxed();
        }
        prop_oneof![record, self.signed().prop_map(Start::SignedAgentRecord)].boxed()
    }

    pub(super) fn record(self) -> BoxedStrategy<VerifiableAgentRecord<'static>> {
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

    pub(super) fn session(self) -> BoxedStrategy<SessionTrace<'static>> {
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

    pub(super) fn agent_meta(self) -> BoxedStrategy<AgentMeta<'static>> {
        const NAMED: &[&str] = &["model-id", "model-provider", "models", "cli-name", "cli-version"];
        let models = prop::collection::vec(text(), 0..3);
        (text(), text(), opt(models), opt(text()), opt(text()), self.extensions(NAMED))
            .prop_map(|(model_id, model_provider, models, cli_name, cli_version, extensions)| {
                AgentMeta { model_id, model_provider, models, cli_name, cli_version, extensions }
            })
            .boxed()
    }

    pub(super) fn recording_agent(self) -> BoxedStrategy<RecordingAgent<'static>> {
        (text(), opt(text()), self.extensions(&["name", "version"]))
            .prop_map(|(name, version, extensions)| RecordingAgent { name, version, extensions })
            .boxed()
    }

    pub(super) fn environment(self) -> BoxedStrategy<Environment<'static>> {
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

    pub(super) fn vcs(self) -> BoxedStrategy<VcsContext<'static>> {
        let extensions = self.extensions(&["type", "revision", "branch", "repository"]);
        (text(), opt(text()), opt(text()), opt(text()), extensions)
            .prop_map(|(kind, revision, branch, repository, extensions)| VcsContext {
                kind,
                revision,
                branch,
                repository,
                extensions,
            })
            .boxed()
    }

    /// Returns an entry with children down to a depth.
    pub(super) fn entry(self, depth: u32) -> BoxedStrategy<Entry<'static>> {
        prop_oneof![
            self.message(depth).prop_map(Entry::Message),
            self.tool_call(depth).prop_map(Entry::ToolCall),
            self.tool_result(depth).prop_map(Entry::ToolResult),
            self.reasoning(depth).prop_map(Entry::Reasoning),
            self.event(depth).prop_map(Entry::Event),
        ]
        .boxed()
    }

    pub(super) fn children(self, depth: u32) -> BoxedStrategy<Option<Vec<Entry<'static>>>> {
        match depth.checked_sub(1) {
            None => Just(None).boxed(),
            Some(depth) => {
                let children = prop::collection::vec(self.entry(depth), 0..3);
                prop_oneof![2 => Just(None), 1 => children.prop_map(Some)].boxed()
            }
        }
    }

    pub(super) fn message(self, depth: u32) -> BoxedStrategy<MessageEntry<'static>> {
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
                    kind,
                    content,
                    timestamp,
                    id,
                    model_id,
                    parent_id,
                    token_usage,
                    children,
                    extensions,
                )| MessageEntry {
                    kind,
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

    pub(super) fn tool_call(self, depth: u32) -> BoxedStrategy<ToolCallEntry<'static>> {
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

    pub(super) fn tool_result(self, depth: u32) -> BoxedStrategy<ToolResultEntry<'static>> {
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

    pub(super) fn reasoning(self, depth: u32) -> BoxedStrategy<ReasoningEntry<'static>> {
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

    pub(super) fn event(self, depth: u32) -> BoxedStrategy<EventEntry<'static>> {
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

    pub(super) fn token_usage(self) -> BoxedStrategy<TokenUsage<'static>> {
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

    pub(super) fn signed(self) -> BoxedStrategy<SignedAgentRecord<'static>> {
        self.signed_content().prop_map(Tagged).boxed()
    }

    pub(super) fn signed_content(self) -> BoxedStrategy<SignedAgentRecordContent<'static>> {
        (self.protected(), self.unprotected(), opt(bytes()), bytes())
            .prop_map(|(protected, unprotected, payload, signature)| SignedAgentRecordContent {
                protected: Embedded::new(protected),
                unprotected,
                payload: payload.map(Into::into),
                signature: signature.into(),
            })
            .boxed()
    }

    pub(super) fn protected(self) -> BoxedStrategy<ProtectedHeader<'static>> {
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

    pub(super) fn claims(self) -> BoxedStrategy<CwtClaims<'static>> {
        (text(), text(), self.labelled(&[1, 2], Label::Int, Label::Text))
            .prop_map(|(iss, sub, extensions)| CwtClaims { iss, sub, extensions })
            .boxed()
    }

    /// Returns a header without receipts: see `finite_receipts_are_invalid`.
    pub(super) fn unprotected(self) -> BoxedStrategy<UnprotectedHeader<'static>> {
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

    pub(super) fn trace_metadata(self) -> BoxedStrategy<TraceMetadata<'static>> {
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

    pub(super) fn receipt_header(self) -> BoxedStrategy<ReceiptProtectedHeader<'static>> {
        self.labelled(&[], CoseLabel::Int, CoseLabel::Text)
    }

    /// Generates a receipt with receipts inside, down to a depth.
    pub(super) fn receipt(self, depth: u32) -> BoxedStrategy<Receipt<'static>> {
        self.sign1(depth).prop_map(Tagged).boxed()
    }

    pub(super) fn sign1(self, depth: u32) -> BoxedStrategy<CoseSign1<'static>> {
        (self.receipt_header(), self.receipts(depth), opt(bytes()), bytes())
            .prop_map(|(protected, unprotected, payload, signature)| CoseSign1 {
                protected: Embedded::new(protected),
                unprotected,
                payload: payload.map(Into::into),
                signature: signature.into(),
            })
            .boxed()
    }

    pub(super) fn receipts(self, depth: u32) -> BoxedStrategy<ReceiptUnprotectedHeader<'static>> {
        let receipts = match depth.checked_sub(1) {
            None => Just(Vec::new()).boxed(),
            Some(depth) => prop::collection::vec(self.receipt(depth), 1..3).boxed(),
        };
        (receipts, self.labelled(&[394], CoseLabel::Int, CoseLabel::Text))
            .prop_map(|(receipts, extensions)| ReceiptUnprotectedHeader {
                receipts: receipts.into_iter().map(Embedded::new).collect(),
                extensions,
            })
            .boxed()
    }
}
