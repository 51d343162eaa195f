//! Implements a session: its record without entries, and the second pass.

use std::rc::Rc;

use vac_adapter::bare_record::{BareRecord, agent_meta};
use vac_adapter::frame::{Content, Place};
use vac_adapter::raw::{self, KnownMembers};
use vac_adapter::shared_log::SharedLog;
use vac_adapter::{Adapter, Error, Origin, Session, Sink};
use vac_record::VerifiableAgentRecord;
use vac_record::annotations::{EntryAnnotations, Subagent};
use vac_value::{Kind, Map, Node, Text};

use crate::survey::{Facts, VARIANT};
use crate::trajectory::{self, TRAJECTORY, Trajectory};
use crate::{Atif, step};

/// A session.
pub(crate) struct AtifSession<'i> {
    pub shared: Rc<SharedLog<'i>>,
    /// The number of the session in the log.
    pub number: usize,
    pub facts: Facts,
    pub id: String,
}

impl Session for AtifSession<'_> {
    fn adapter(&self) -> Option<&'static dyn Adapter> {
        Some(&Atif)
    }

    fn variant(&self) -> &'static str {
        VARIANT
    }

    fn record(&self) -> VerifiableAgentRecord<'static> {
        let Facts { agent, version, models, span, .. } = &self.facts;
        let cli_name = agent.clone().map(Into::into);
        let cli_version = version.clone().map(Into::into);
        BareRecord {
            id: &self.id,
            format: None,
            start: span.first(),
            end: span.last(),
            agent_meta: agent_meta(models, cli_name, cli_version),
            environment: None,
            vcs: None,
            extensions: Map::default(),
        }
        .record()
    }

    fn entries(&self, sink: &mut dyn Sink) -> Result<(), Error> {
        self.shared.each_of(self.number, |_, frame| {
            sink.report().frames += 1;
            let place = frame.place;
            match &frame.content {
                Content::Document(document) => {
                    let mut pieces = Pieces { facts: &self.facts, place, count: 0, sink };
                    pieces.trajectory(document.root(), None)
                }
                Content::Raw(raw) => {
                    sink.report().unparsed(place.line, raw.reason.code());
                    let entry = raw::entry(raw.bytes, &raw.reason, place, KnownMembers::default());
                    sink.entry(entry, Origin { place, bytes: raw.bytes })
                }
            }
        })
    }
}

/// Writes the entries of one document.
struct Pieces<'s> {
    facts: &'s Facts,
    place: Place,
    /// The number of entries so far.
    count: u64,
    sink: &'s mut dyn Sink,
}

impl Pieces<'_> {
    /// Returns the id of the next entry.
    fn next_id(&mut self) -> String {
        let number = self.count;
        self.count += 1;
        match number {
            0 => self.place.id(),
            number => format!("{}#{number}", self.place.id()),
        }
    }

    /// Writes a trajectory. The depth of a document bounds the recursion.
    fn trajectory(
        &mut self,
        root: Node<'_, '_>,
        subagent: Option<&Subagent<'_>>,
    ) -> Result<(), Error> {
        let id = self.next_id();
        let mut it =
            EntryAnnotations { subagent: subagent.cloned(), ..EntryAnnotations::default() };
        let place = self.place;
        if root.kind() != Kind::Map {
            let entry = trajectory::value(root, TRAJECTORY, id, &it, self.sink.report());
            return self.sink.entry(entry, Origin { place, bytes: root.raw() });
        }
        // The totals of a trajectory include those of the trajectories in it.
        it.usage = self.facts.totals(root).filter(|_| subagent.is_none());
        let Trajectory { steps, subagents, rest } = Trajectory::read(root, &[], self.sink.report());
        let entry = trajectory::event(rest, id, &it);
        self.sink.entry(entry, Origin { place, bytes: root.raw() })?;
        for node in steps.into_iter().flat_map(Node::elements) {
            let id = self.next_id();
            let report = self.sink.report();
            let entry = match node.kind() {
                Kind::Map => step::entry(node, id, subagent, report),
                _ => {
                    let it = EntryAnnotations {
                        subagent: subagent.cloned(),
                        ..EntryAnnotations::default()
                    };
                    trajectory::value(node, "step", id, &it, report)
                }
            };
            self.sink.entry(entry, Origin { place, bytes: node.raw() })?;
        }
        for node in subagents.into_iter().flat_map(Node::elements) {
            let id = ["trajectory_id", "session_id"]
                .iter()
                .find_map(|key| node.member(key).and_then(Node::text));
            let call_id = id.as_deref().and_then(|id| self.facts.calls.get(id));
            let subagent = Subagent {
                call_id: call_id.cloned().map(Text::from),
                id: id.map(|id| Text::from(id.into_owned())),
            };
            self.trajectory(node, Some(&subagent))?;
        }
        Ok(())
    }
}
