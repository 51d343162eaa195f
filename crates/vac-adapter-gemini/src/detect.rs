//! Detects logs of Gemini CLI, and returns previews of them.

use vac_adapter::frame::{Raw, Reason};
use vac_adapter::{Confidence, Fit, Parent, Preview, Sample, Share, Verdict, ids};
use vac_record::AbstractTimestamp;
use vac_record::annotations::Relation;
use vac_value::{Kind, Node};

use crate::damaged::DamagedSession;
use crate::facts::{owned_time, session_id, start_in_name};
use crate::native::{Form, Native, is_gemini, native};
use crate::walk::{Piece, Slot};
use crate::{message_content, session, stream};

/// Returns the verdict on the documents of a sample.
pub(crate) fn verdict(sample: &Sample<'_>) -> Verdict {
    let verdict = sample.verdict(fit);
    if verdict.fits == 0 && DamagedSession::parse(sample.text()).is_some() {
        return Verdict::from_confidence(Confidence::Likely);
    }
    verdict
}

/// Returns the verdict on one document.
fn fit(document: Node<'_, '_>) -> Fit {
    let has = |key: &str| document.member(key).is_some();
    let has_text = |key: &str| document.member(key).is_some_and(|value| value.kind() == Kind::Text);
    let is_first =
        |key: &str| document.member(key).is_some_and(|it| it.elements().next().is_none());
    if let Some(fit) = stream::fit(document) {
        return fit;
    }
    match native(document) {
        Native::Session(Form::Messages) => fit_messages(document),
        Native::Session(Form::History) if is_first("history") => Fit::Fits(Confidence::Possible),
        Native::Header if has_text("startTime") => Fit::Fits(Confidence::Certain),
        Native::Session(_) | Native::Header | Native::Set | Native::Rewind => {
            Fit::Fits(Confidence::Likely)
        }
        // Lines of Claude Code and of its forks.
        Native::Message if has("parentUuid") || has("parentId") || has("sessionID") => {
            Fit::Contradicts("parent-id")
        }
        Native::Message if is_gemini(document) && has_text("id") => Fit::Fits(Confidence::Likely),
        Native::Message if has_text("id") && has_text("timestamp") => {
            Fit::Fits(Confidence::Possible)
        }
        Native::Operation => Fit::Neutral,
        Native::Message | Native::Unknown | Native::Other => Fit::unknown(document),
    }
}

/// Returns the verdict on a document with `messages`. Documents of other agents have `messages`,
/// too, but no hash of the project, and their messages have a role instead of a type.
fn fit_messages(document: Node<'_, '_>) -> Fit {
    let messages = || document.member("messages").into_iter().flat_map(Node::elements);
    let is_type = |name: &str| {
        messages().any(|message| message.member("type").is_some_and(|kind| kind.is_text(name)))
    };
    if is_type("qwen") {
        return Fit::Contradicts("message-type");
    }
    if messages().any(is_gemini) || document.member("projectHash").and_then(Node::text).is_some() {
        return Fit::Fits(Confidence::Certain);
    }
    let has_type = |message: Node<'_, '_>| message.member("type").and_then(Node::text).is_some();
    if messages().all(has_type) && document.member("startTime").is_some() {
        return Fit::Fits(Confidence::Possible);
    }
    Fit::Contradicts("no-project-hash")
}

/// Returns the facts that the beginning of a log states about its session.
pub(crate) fn preview(sample: &Sample<'_>) -> Preview {
    if let Some(preview) = stream::preview(sample) {
        return preview;
    }
    let mut seen = Seen::default();
    for document in &sample.documents {
        seen.document(document.root());
    }
    if seen.form.is_none()
        && let Some(session) = DamagedSession::parse(sample.text())
    {
        seen.form = Some(session.form);
        // The sample contains only the beginning of the document.
        let raw = Raw { bytes: sample.text(), reason: Reason::Stray, document: None };
        let _ = session.each(&raw, &mut |_, piece| {
            match piece {
                Piece::Around(around) => seen.head(around.node),
                Piece::Element(Slot::Message, node, _) => seen.message(node),
                _ => {}
            }
            Ok(())
        });
    }
    let form = seen.form.unwrap_or(Form::Lines);
    let stem = || match form {
        // Each of its prompts names its session.
        Form::Prompts => None,
        _ => ids::stem(sample.name).map(str::to_owned),
    };
    let share = match form {
        Form::Messages | Form::Lines if seen.id.is_some() => Share::Piece,
        _ => Share::Whole,
    };
    Preview {
        variant: form.name(),
        parent: session::parent(sample.folder)
            .map(|id| Parent { session_id: id.to_owned(), relation: Relation::Subagent }),
        session_id: seen.id.or_else(stem),
        start: seen.start.or(seen.first).or_else(|| start_in_name(sample.name)),
        project: seen.workspace.or(seen.directory),
        version: None,
        share,
    }
}

#[derive(Default)]
struct Seen {
    form: Option<Form>,
    id: Option<String>,
    start: Option<AbstractTimestamp<'static>>,
    /// Returns the first timestamp of a message.
    first: Option<AbstractTimestamp<'static>>,
    directory: Option<String>,
    workspace: Option<String>,
}

impl Seen {
    fn document(&mut self, root: Node<'_, '_>) {
        let native = native(root);
        let form = match native {
            Native::Session(form) => form,
            Native::Unknown | Native::Operation | Native::Other => return,
            _ => Form::Lines,
        };
        self.form.get_or_insert(form);
        match native {
            Native::Session(Form::Messages) => {
                self.head(root);
                let messages = root.member("messages");
                messages.into_iter().flat_map(Node::elements).for_each(|node| self.message(node));
            }
            Native::Session(Form::Prompts) => {
                root.elements().take(1).for_each(|node| self.message(node));
            }
            Native::Header => self.head(root),
            Native::Set => {
                let Some(set) = root.member("$set") else { return };
                self.head(set);
                let messages = set.member("messages");
                messages.into_iter().flat_map(Node::elements).for_each(|node| self.message(node));
            }
            Native::Message => self.message(root),
            _ => {}
        }
    }

    fn head(&mut self, head: Node<'_, '_>) {
        if self.id.is_none() {
            self.id = head.member("sessionId").and_then(session_id);
        }
        if self.start.is_none() {
            self.start = head.member("startTime").and_then(owned_time);
        }
        if self.directory.is_none() {
            let first = head.member("directories").and_then(|list| list.elements().next());
            self.directory = first.and_then(Node::text).map(Into::into);
        }
    }

    fn message(&mut self, message: Node<'_, '_>) {
        if self.first.is_none() {
            self.first = message.member("timestamp").and_then(owned_time);
        }
        if self.workspace.is_none()
            && let Some((_, content)) = message_content::content(message)
        {
            self.workspace = message_content::workspace(content);
        }
    }
}
