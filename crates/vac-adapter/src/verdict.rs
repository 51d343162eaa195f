//! Decides whether the documents of a log fit the logs of an agent.
//!
//! One document never decides: any log can contain a line that resembles those of an agent. An
//! adapter returns for each document whether it [fits](Fit), and the [verdict](Verdict) accepts the
//! log only if enough of the documents do.

use std::fmt;

use vac_value::{Kind, Node};

use crate::detect::Confidence;

/// The minimum share of documents that fit among those that are not neutral, as a fraction.
const MIN_SHARE: (usize, usize) = (2, 3);
/// The minimum share if one document has properties that only the agent writes and the others are
/// of an unknown shape, because a newer version may write many unknown documents.
const MIN_SHARE_CERTAIN: (usize, usize) = (1, 8);

/// The reason for a document without any property of the agent's documents.
pub const UNKNOWN_SHAPE: &str = "unknown-shape";

/// The verdict on one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// The document has properties of the agent's documents.
    Fits(Confidence),
    /// The document could be one of the agent or of another agent.
    Neutral,
    /// The document is not one of the agent, for the reason with this code.
    Contradicts(&'static str),
}

impl Fit {
    /// Returns the verdict on a document without any property of the agent's documents. An empty
    /// document or a scalar is neutral.
    pub fn unknown(document: Node<'_, '_>) -> Self {
        let has_content = match document.kind() {
            Kind::Map => document.members().next().is_some(),
            Kind::Array => document.elements().next().is_some(),
            _ => false,
        };
        if has_content { Self::Contradicts(UNKNOWN_SHAPE) } else { Self::Neutral }
    }
}

/// The verdict on all documents of a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Number of documents that fit.
    pub fits: usize,
    /// Number of documents that neither fit nor contradict.
    pub neutral: usize,
    /// Number of documents that contradict, including those of an unknown shape.
    pub contradicts: usize,
    /// Number of documents of an unknown shape.
    pub unknown: usize,
    /// The code of the first contradiction; any other precedes [`UNKNOWN_SHAPE`].
    pub reason: Option<&'static str>,
    best: Confidence,
}

impl Verdict {
    /// Returns the verdict on a log that is not read document by document.
    pub fn from_confidence(confidence: Confidence) -> Self {
        let mut verdict = Self::default();
        if confidence > Confidence::No {
            verdict.add(Fit::Fits(confidence));
        }
        verdict
    }

    /// Adds a document.
    pub fn add(&mut self, fit: Fit) {
        match fit {
            Fit::Fits(confidence) => {
                self.fits += 1;
                self.best = self.best.max(confidence);
            }
            Fit::Neutral => self.neutral += 1,
            Fit::Contradicts(reason) => {
                self.contradicts += 1;
                self.unknown += usize::from(reason == UNKNOWN_SHAPE);
                if self.reason.is_none_or(|before| before == UNKNOWN_SHAPE) {
                    self.reason = Some(reason);
                }
            }
        }
    }

    /// Adds the documents of another verdict.
    pub fn merge(&mut self, other: &Self) {
        self.fits += other.fits;
        self.neutral += other.neutral;
        self.contradicts += other.contradicts;
        self.unknown += other.unknown;
        if self.reason.is_none_or(|before| before == UNKNOWN_SHAPE) {
            self.reason = other.reason.or(self.reason);
        }
        self.best = self.best.max(other.best);
    }

    /// Returns whether enough documents fit.
    pub fn is_accepted(&self) -> bool {
        let has_share = |(part, whole): (usize, usize), against: usize| {
            self.fits * whole >= (self.fits + against) * part
        };
        let explicit = self.contradicts - self.unknown;
        let is_certain = self.best == Confidence::Certain;
        let min_share = if is_certain { MIN_SHARE_CERTAIN } else { MIN_SHARE };
        self.fits > 0 && has_share(MIN_SHARE, explicit) && has_share(min_share, self.contradicts)
    }

    /// Returns the confidence that the best document gives, if the log is accepted.
    pub fn confidence(&self) -> Confidence {
        if self.is_accepted() { self.best } else { Confidence::No }
    }

    /// Returns the reason why a log is refused although some documents fit.
    pub fn misfit(&self, agent: &'static str) -> Option<Misfit> {
        self.refusal(agent).filter(|_| self.fits > 0)
    }

    /// Returns the reason why a log is refused although the user named the agent: too few documents
    /// fit, and some fit or contradict explicitly.
    pub fn refusal(&self, agent: &'static str) -> Option<Misfit> {
        let is_telling = self.fits > 0 || self.contradicts > self.unknown;
        let documents = self.fits + self.neutral + self.contradicts;
        (is_telling && !self.is_accepted()).then_some(Misfit {
            agent,
            misfits: documents - self.fits,
            documents,
            reason: self.reason.unwrap_or(UNKNOWN_SHAPE),
        })
    }

    /// Returns the rank of an agent among those whose logs a refused log resembles.
    pub(crate) fn refused_rank(&self) -> (Confidence, usize) {
        (self.best, self.fits)
    }
}

/// The refusal of a log that resembles those of an agent but has too many documents that do not
/// fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The agent whose logs it resembles.
    pub agent: &'static str,
    /// Number of documents that do not fit.
    pub misfits: usize,
    /// Number of documents that were compared.
    pub documents: usize,
    /// The code of the first contradiction.
    pub reason: &'static str,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { agent, misfits, documents, reason } = self;
        let (noun, verb) = match (documents, misfits) {
            (1, _) => ("document", "does"),
            (_, 1) => ("documents", "does"),
            _ => ("documents", "do"),
        };
        write!(
            f,
            "looks like {agent}, but {misfits} of {documents} {noun} {verb} not fit ({reason})"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(fits: usize, neutral: usize, contradicts: usize) -> Verdict {
        let mut verdict = Verdict::default();
        (0..fits).for_each(|_| verdict.add(Fit::Fits(Confidence::Likely)));
        (0..neutral).for_each(|_| verdict.add(Fit::Neutral));
        (0..contradicts).for_each(|_| verdict.add(Fit::Contradicts("parent-id")));
        verdict
    }

    #[test]
    fn share_of_fitting_documents_decides() {
        for (counts, is_accepted) in [
            ((0, 0, 0), false),
            ((0, 5, 0), false),
            ((1, 0, 0), true),
            ((1, 60, 0), true),
            ((2, 0, 1), true),
            ((2, 9, 1), true),
            ((3, 0, 2), false),
            ((2, 0, 612), false),
        ] {
            let verdict = verdict(counts.0, counts.1, counts.2);
            assert_eq!(verdict.is_accepted(), is_accepted, "{counts:?}");
            let expected = if is_accepted { Confidence::Likely } else { Confidence::No };
            assert_eq!(verdict.confidence(), expected, "{counts:?}");
        }
    }

    #[test]
    fn certain_document_outweighs_only_unknown_shapes() {
        let mut verdict = Verdict::from_confidence(Confidence::Certain);
        (0..7).for_each(|_| verdict.add(Fit::Contradicts(UNKNOWN_SHAPE)));
        assert_eq!(verdict.confidence(), Confidence::Certain);
        verdict.add(Fit::Contradicts("parent-id"));
        assert_eq!(verdict.confidence(), Confidence::No);
        let mut verdict = Verdict::from_confidence(Confidence::Certain);
        (0..8).for_each(|_| verdict.add(Fit::Contradicts(UNKNOWN_SHAPE)));
        assert_eq!(verdict.confidence(), Confidence::No);
    }

    #[test]
    fn misfit_states_how_many_documents_do_not_fit() {
        let misfit = verdict(2, 0, 612).misfit("codex").expect("refused");
        let message = "looks like codex, but 612 of 614 documents do not fit (parent-id)";
        assert_eq!(misfit.to_string(), message);
        assert_eq!(verdict(2, 0, 0).misfit("codex"), None);
        assert_eq!(verdict(0, 0, 9).misfit("codex"), None);
    }

    #[test]
    fn explicit_reason_precedes_unknown_shape() {
        let mut verdict = Verdict::default();
        verdict.add(Fit::Contradicts(UNKNOWN_SHAPE));
        verdict.add(Fit::Contradicts("message-parts"));
        verdict.add(Fit::Contradicts("parent-id"));
        assert_eq!(verdict.reason, Some("message-parts"));
    }
}
