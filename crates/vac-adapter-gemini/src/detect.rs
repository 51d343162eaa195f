//! Whose log it is, and what its beginning tells.

use vac_adapter::frame::Reason;
use vac_adapter::{Confidence, Glimpse, Sample, Share, ids};
use vac_record::{AbstractTimestamp, Decode};
use vac_value::{IntoOwned, Kind, Node, Problem, SyntaxError};

use crate::broken::Skeleton;
use crate::facts::{session_id, start_in_name};
use crate::native::{Form, Native, is_gemini, native};
use crate::said;
use crate::walk::{Piece, Slot};

/// How sure a beginning makes.
pub(crate) fn confidence(sample: &Sample<'_>) -> Confidence {
    let best = sample.best(of_document);
    if best == Confidence::No && skeleton(sample).is_some() {
        return Confidence::Likely;
    }
    best
}

fn of_document(document: Node<'_, '_>) -> Confidence {
    let has_text = |key: &str| document.member(key).is_some_and(|value| value.kind() == Kind::Text);
    match native(document) {
        Native::Session(Form::Messages) => {
            let messages = document.member("messages");
            let is_ours = messages.is_some_and(|messages| messages.elements().any(is_gemini));
            if is_ours || has_text("projectHash") {
                Confidence::Certain
            } else {
                Confidence::Possible
            }
        }
        Native::Session(Form::History)
            if document.member("history").is_some_and(|list| list.elements().next().is_none()) =>
        {
            Confidence::Possible
        }
        Native::Header if has_text("startTime") => Confidence::Certain,
        Native::Session(_) | Native::Header | Native::Set | Native::Rewind => Confidence::Likely,
        Native::Message if is_gemini(document) && has_text("id") => Confidence::Likely,
        Native::Message if has_text("id") && has_text("timestamp") => Confidence::Possible,
        Native::Message | Native::Unknown | Native::Operation | Native::Other => Confidence::No,
    }
}

/// A document that is cut short or damaged, as far as it is there.
fn skeleton(sample: &Sample<'_>) -> Option<Skeleton> {
    let bytes = beginning(sample);
    let cut = SyntaxError { offset: bytes.len(), problem: Problem::Truncated };
    Skeleton::of(bytes, &Reason::Syntax(cut))
}

fn beginning<'s>(sample: &Sample<'s>) -> &'s [u8] {
    let bytes = sample.bytes.trim_ascii_start();
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start()
}

/// What a beginning tells about the session.
pub(crate) fn glimpse(sample: &Sample<'_>) -> Glimpse {
    let mut seen = Seen::default();
    for document in &sample.documents {
        seen.document(document.root());
    }
    if seen.form.is_none()
        && let Some(skeleton) = skeleton(sample)
    {
        seen.form = Some(skeleton.form);
        // Only what it shows is looked at.
        let _ = skeleton.each(beginning(sample), &mut |_, piece| {
            match piece {
                Piece::Around(around) => seen.head(around.node),
                Piece::Element(Slot::Message, node) => seen.message(node),
                _ => {}
            }
            Ok(())
        });
    }
    let form = seen.form.unwrap_or(Form::Lines);
    let stem = || match form {
        // Each of its prompts says whose it is.
        Form::Prompts => None,
        _ => ids::stem(sample.name).map(str::to_owned),
    };
    let share = match form {
        Form::Messages | Form::Lines if seen.id.is_some() => Share::Piece,
        _ => Share::Whole,
    };
    Glimpse {
        variant: form.name(),
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
    /// The first timestamp of a message.
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
            self.start = head.member("startTime").and_then(time);
        }
        if self.directory.is_none() {
            let first = head.member("directories").and_then(|list| list.elements().next());
            self.directory = first.and_then(Node::text).map(Into::into);
        }
    }

    fn message(&mut self, message: Node<'_, '_>) {
        if self.first.is_none() {
            self.first = message.member("timestamp").and_then(time);
        }
        if self.workspace.is_none()
            && let Some((_, content)) = said::content(message)
        {
            self.workspace = said::workspace(content);
        }
    }
}

fn time(node: Node<'_, '_>) -> Option<AbstractTimestamp<'static>> {
    Some(AbstractTimestamp::from_node(node).ok()?.into_owned())
}
