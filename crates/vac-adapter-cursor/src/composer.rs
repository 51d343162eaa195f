//! Converts the rows of the IDE's database.

use std::borrow::Cow;

use vac_adapter::container::Trouble;
use vac_adapter::frame::{Place, Reason};
use vac_adapter::raw::KnownMembers;
use vac_adapter::{Error, Origin, Report, Sink, mapping, redact};
use vac_record::{AbstractTimestamp, Decode, Entry, EventEntry};
use vac_value::{Kind, Node};

use crate::facts::Facts;
use crate::line::Row;
use crate::{bubble, entry, secret, stored};

mapping! {
    /// A composer: an event, and the facts about its session.
    pub(crate) struct Composer<'a>("composer"; key, value, redacted: &mut Vec<String>) {
        "conversation" => "the entries after the event", stated = value.kind() == Kind::Array;
        "createdAt" => "`timestamp`, `session.session-start`",
            take timestamp: AbstractTimestamp<'a> = AbstractTimestamp::from_node(value).ok();
        "lastUpdatedAt" => "`session.session-end`", keep;
        "name" => "`name` of the session", keep;
        "workspaceIdentifier" => "`environment.working-dir`", keep;
        "createdOnBranch" => "`vcs.branch`", keep;
        "modelConfig" => "`models` of the session", keep;
        "subagentInfo" => "`vac.parent`, `vac.author`", keep;
        "parentComposerId" | "isBestOfNSubcomposer" => "`vac.parent`", keep;
        "fullConversationHeadersOnly" => "`vac.author` of the bubbles that it says Cursor wrote",
            keep;
        "blobEncryptionKey" | "speculativeSummarizationEncryptionKey" => "redacted", stated = {
            redacted.push(secret::name(key));
            true
        };
        "_v" | "activeCustomMode" | "addedFiles" | "agentBackend"
        | "allAttachedFileCodeChunksUris" | "applied" | "browserChipManuallyDisabled"
        | "browserChipManuallyEnabled" | "canvasPillCollapsed" | "capabilities"
        | "capabilityContexts" | "codeBlockData" | "committedCustomMode" | "composerId"
        | "context" | "contextTokensUsed" | "conversationMap" | "conversationState"
        | "debugModeSuggestionUsed" | "filesChangedCount" | "forceMode" | "generatingBubbleIds"
        | "gitHubPromptDismissed" | "hasChangedContext" | "hasLoaded" | "hasUnreadMessages"
        | "isAgentic" | "isApplyingWorktree" | "isArchived" | "isBestOfNParent"
        | "isContinuationInProgress" | "isCreatingWorktree" | "isDraft" | "isFileListExpanded"
        | "isNAL" | "isProject" | "isQueueExpanded" | "isSpec" | "isSpecSubagentDone"
        | "isUndoingWorktree" | "latestChatGenerationUUID" | "newlyCreatedFiles"
        | "newlyCreatedFolders" | "originalFileStates" | "pendingCreateWorktree"
        | "pendingExitedCustomMode" | "planModeSuggestionUsed" | "queueItems" | "removedFiles"
        | "richText" | "status" | "stopHookLoopCount" | "subagentComposerIds" | "subComposerIds"
        | "subtitle" | "text" | "todos" | "totalLinesAdded" | "totalLinesRemoved"
        | "trackedGitRepos" | "unifiedMode" | "usageData" | "worktreeStartedReadOnly" => "", keep;
    }
}

/// Passes the entries of a row to a sink.
pub(crate) fn entries(
    node: Node<'_, '_>,
    kind: Row,
    place: Place,
    facts: &Facts,
    troubles: &[Trouble],
    sink: &mut dyn Sink,
) -> Result<(), Error> {
    let origin = Origin { place, bytes: node.raw() };
    let id = stored::id(node, troubles).unwrap_or_default();
    let value = node.member("value").filter(|value| value.kind() != Kind::Null);
    let Some(value) = value else {
        let entry = match kind {
            Row::Composer if stored::has_secret(node) => {
                sink.report().unparsed(place.line, vac_record::annotations::UnparsedReason::Syntax);
                redacted(node, &id, place, troubles, sink.report())
            }
            _ => stored::without_value(node, &id, place, troubles, sink.report()),
        };
        return sink.entry(entry, origin);
    };
    match kind {
        Row::Composer => {
            let (mut entry, is_redacted) = composer(value, &id, sink.report());
            stored::add_row_rest(&mut entry, node, troubles, sink.report());
            let redacted = is_redacted.then(|| redact::origin(&entry)).transpose()?;
            let bytes = redacted.as_deref().unwrap_or(node.raw());
            sink.entry(entry, Origin { place, bytes })?;
            let inside = value.member("conversation").into_iter().flat_map(Node::elements);
            for (number, bubble) in (1..).zip(inside) {
                let own_id = bubble.member("bubbleId").and_then(Node::text);
                let own_id = own_id.filter(|id| !id.is_empty());
                let id = own_id.unwrap_or_else(|| Cow::Owned(format!("{}.{number}", place.id())));
                let entry = bubble::entry(bubble, &id, facts, sink.report());
                sink.entry(entry, Origin { place, bytes: bubble.raw() })?;
            }
            Ok(())
        }
        Row::Bubble => {
            let mut entry = bubble::entry(value, &id, facts, sink.report());
            stored::add_row_rest(&mut entry, node, troubles, sink.report());
            sink.entry(entry, origin)
        }
    }
}

/// Returns the composer as an event, and whether something in it was redacted.
fn composer<'a>(value: Node<'a, '_>, id: &str, report: &mut Report) -> (Entry<'a>, bool) {
    let mut redacted = Vec::new();
    let Composer { timestamp, rest: mut data } = Composer::read(value, &[], &mut redacted, report);
    for secret in &redacted {
        report.redact(secret);
    }
    let mut is_redacted = !redacted.is_empty();
    if value.kind() != Kind::Map {
        report.unknown("a composer that is not an object");
        // A composer without members has no known place for a secret, but the name of one may still
        // be readable.
        let kept = if secret::SECRETS.are_readable_in(value.raw()) {
            report.redact(secret::UNPARSED);
            is_redacted = true;
            redact::value(value.raw())
        } else {
            value.carry()
        };
        data.push(("value".into(), kept));
    }
    let entry = EventEntry { timestamp, ..entry::event("composer", id.to_owned(), data) };
    (Entry::Event(entry), is_redacted)
}

/// Returns the entry of a row that could not be parsed and may contain a secret.
fn redacted<'a>(
    node: Node<'a, '_>,
    id: &str,
    place: Place,
    troubles: &[Trouble],
    report: &mut Report,
) -> Entry<'a> {
    report.redact(secret::UNPARSED);
    let known = KnownMembers { id: Some(id.to_owned().into()), ..KnownMembers::default() };
    let reason = Reason::Encoding(stored::NOT_JSON.to_owned());
    let mut entry = redact::entry(secret::SECRETS, node.raw(), &reason, place, known);
    stored::mark(&mut entry, troubles);
    entry
}
