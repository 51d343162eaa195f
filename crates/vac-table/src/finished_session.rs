//! Adds the row of a session.

use vac_view::{Facts, MessageAuthor};

use crate::column::integer;
use crate::session_rows::SessionRows;
use crate::tables::SessionRow;
use crate::values::microseconds_of_text;
use crate::writer::{SessionOrigin, SignatureFacts};

/// The facts about a session after all of its entries were read.
pub(crate) struct FinishedSession<'s> {
    pub facts: &'s Facts,
    pub origin: &'s SessionOrigin,
    pub schema_version: &'s str,
    pub vac_version: Option<&'s str>,
    pub unknown_types: Option<u64>,
}

impl SessionRows<'_, '_> {
    /// Adds the row of the session.
    pub fn session(&mut self, session: &FinishedSession<'_>) {
        let FinishedSession { facts, origin, schema_version, vac_version, unknown_types } = session;
        let count = |kind: &str| integer(facts.entries.get(kind).copied().unwrap_or(0));
        let prompts = [MessageAuthor::User, MessageAuthor::Unstated];
        let prompts = prompts.iter().filter_map(|author| facts.prompts.get(author.name()));
        let tokens = facts.tokens.clone().unwrap_or_default();
        let vcs = facts.vcs.as_ref();
        let started_at = facts.start.as_deref().and_then(microseconds_of_text);
        let ended_at = facts.end.as_deref().and_then(microseconds_of_text);
        let signature = origin.signature.as_ref();
        let stated = |get: fn(&SignatureFacts) -> &Option<String>| {
            signature.and_then(|signature| get(signature).as_deref())
        };
        self.tables.builders.sessions.push(SessionRow {
            record_key: &self.key,
            session_id: &facts.session_id,
            agent: &facts.agent,
            variant: &facts.variant,
            cli_version: facts.cli_version.as_deref(),
            model: facts.models.first().map(String::as_str),
            models: &facts.models,
            provider: facts.model_provider.as_deref(),
            working_dir: facts.working_dir.as_deref(),
            vcs_type: vcs.map(|vcs| vcs.kind.as_str()),
            vcs_branch: vcs.and_then(|vcs| vcs.branch.as_deref()),
            vcs_revision: vcs.and_then(|vcs| vcs.revision.as_deref()),
            vcs_repository: vcs.and_then(|vcs| vcs.repository.as_deref()),
            labels: &facts.labels,
            started_at,
            ended_at,
            duration_ms: started_at.and(ended_at).and(facts.duration_ms).map(integer),
            status: facts.status.name(),
            ended: facts.ended.name(),
            prompts: integer(prompts.sum()),
            first_prompt: facts.first_prompt.as_deref(),
            entries: integer(facts.entries.values().sum()),
            user_entries: count("user"),
            assistant_entries: count("assistant"),
            tool_call_entries: count("tool-call"),
            tool_result_entries: count("tool-result"),
            reasoning_entries: count("reasoning"),
            system_event_entries: count("system-event"),
            tool_calls: integer(facts.tools.iter().map(|tool| tool.calls).sum()),
            tool_errors: integer(facts.errors),
            unparsed: integer(facts.unparsed),
            unknown_types: unknown_types.map(integer),
            parent_session_id: facts.parent.as_deref(),
            relation: facts.relation,
            input_tokens: tokens.input.map(integer),
            cache_read_tokens: tokens.cache_read.map(integer),
            cache_write_tokens: tokens.cache_write.map(integer),
            output_tokens: tokens.output.map(integer),
            reasoning_tokens: tokens.reasoning.map(integer),
            total_tokens: tokens.total.map(integer),
            cost: facts.cost,
            sources: &facts.sources,
            record_sha256: origin.record_sha256.as_deref(),
            schema_version,
            vac_version: *vac_version,
            signature: stated(|signature| &signature.algorithm),
            issuer: stated(|signature| &signature.issuer),
            key_thumbprint: stated(|signature| &signature.key),
        });
    }
}
