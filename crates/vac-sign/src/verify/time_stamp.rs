//! Checks the time stamps of an envelope.

use vac_value::Document;

use super::Verification;
use crate::answers::Answer;
use crate::envelope::Envelope;
use crate::timestamp::{self, StampedPart, TimeStamp, TimeStampError};

/// The time stamps of an envelope. Those of the signature have been checked; that of the payload can
/// be once the payload is known, for which the signer's key is needed.
pub(super) struct TimeStamps {
    signature: Result<Vec<TimeStamp>, TimeStampError>,
    payload_token: Option<Vec<u8>>,
}

/// The answer about the time stamps, and the times that trusted authorities state.
#[derive(Default)]
pub(super) struct StampAnswer {
    /// `None` if the envelope has no time stamps and none were asked for.
    pub answer: Option<Answer>,
    pub stamped_at: Option<u64>,
    pub payload_stamped_at: Option<u64>,
}

impl TimeStamps {
    /// Checks the time stamps of the signature.
    pub fn new(
        envelope: &Envelope<'_>,
        unprotected: &Document<'_>,
        with: &Verification<'_>,
    ) -> Self {
        let check = |token: &[u8]| {
            let bytes = envelope.encoded_signature();
            timestamp::check(token, StampedPart::Signature, bytes, with.authorities)
        };
        match timestamp::attached(envelope, unprotected) {
            Ok(attached) => {
                let attached_stamp = attached.signature.map(|token| check(&token));
                let given_stamp =
                    with.time_stamp.map(|bytes| timestamp::token_of(bytes).and_then(check));
                let signature = attached_stamp.into_iter().chain(given_stamp).collect();
                Self { signature, payload_token: attached.payload }
            }
            Err(error) => Self { signature: Err(error), payload_token: None },
        }
    }

    /// Returns the earliest time at which the signature existed, as a trusted authority states. A
    /// time stamp of the payload does not count: it can be much older than the signature.
    pub fn stamped_at(&self) -> Option<u64> {
        let stamps = self.signature.as_ref().ok()?;
        stamps.iter().filter(|stamp| stamp.is_trusted).map(|stamp| stamp.seconds).min()
    }

    /// Checks the time stamp of the payload, and returns the answer about all of them.
    pub fn answer(&self, payload: Option<&[u8]>, with: &Verification<'_>) -> StampAnswer {
        self.try_answer(payload, with).unwrap_or_else(|error| StampAnswer {
            answer: Some(Answer::Failed(error.to_string())),
            ..StampAnswer::default()
        })
    }

    fn try_answer(
        &self,
        payload: Option<&[u8]>,
        with: &Verification<'_>,
    ) -> Result<StampAnswer, TimeStampError> {
        let signature = self.signature.as_ref().map_err(Clone::clone)?;
        if signature.is_empty() && self.payload_token.is_none() {
            let answer = with.authorities.map(|_| Answer::Failed("no time stamp".to_owned()));
            return Ok(StampAnswer { answer, ..StampAnswer::default() });
        }
        let exists = |stamp: &TimeStamp| format!("the signature existed at {stamp}");
        let mut details: Vec<_> = signature.iter().map(exists).collect();
        let (mut is_checked, mut payload_stamped_at) = (true, None);
        match (&self.payload_token, payload) {
            (Some(token), Some(payload)) => {
                let stamp =
                    timestamp::check(token, StampedPart::Payload, payload, with.authorities)?;
                details.push(format!("the payload existed at {stamp}"));
                payload_stamped_at = stamp.is_trusted.then_some(stamp.seconds);
            }
            (Some(_), None) => {
                is_checked = false;
                details.push("the payload was not given".to_owned());
            }
            (None, _) => {}
        }
        let mut detail = details.join("; ");
        if with.authorities.is_none() {
            is_checked = false;
            detail += ", but no root of a time-stamping authority was given";
        }
        let answer = if is_checked { Answer::Ok(detail) } else { Answer::NotChecked(detail) };
        let stamped_at = self.stamped_at();
        Ok(StampAnswer { answer: Some(answer), stamped_at, payload_stamped_at })
    }
}
