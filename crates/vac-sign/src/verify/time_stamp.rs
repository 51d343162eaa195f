//! Checks the time stamps of an envelope.

use vac_value::Document;

use super::Verification;
use crate::answers::Answer;
use crate::envelope::Envelope;
use crate::timestamp::{self, StampedPart};

/// Returns the answer about the time stamps of an envelope, and the time if a trusted authority
/// states one. The answer is absent if the envelope has none and none were asked for.
pub(super) fn time_stamps(
    envelope: &Envelope<'_>,
    unprotected: &Document<'_>,
    payload: Option<&[u8]>,
    with: &Verification<'_>,
) -> (Option<Answer>, Option<u64>) {
    let failed = |why: String| (Some(Answer::Failed(why)), None);
    let mut tokens = match timestamp::attached(envelope, unprotected) {
        Ok(tokens) => tokens,
        Err(error) => return failed(error.to_string()),
    };
    if let Some(token) = with.time_stamp {
        match timestamp::token_of(token) {
            Ok(token) => tokens.push((StampedPart::Signature, token.to_vec())),
            Err(error) => return failed(error.to_string()),
        }
    }
    if tokens.is_empty() {
        let missing = || Answer::Failed("no time stamp".to_owned());
        return (with.authorities.map(|_| missing()), None);
    }
    let (mut details, mut first, mut is_checked) = (Vec::new(), None, true);
    for (mode, token) in &tokens {
        let bytes = match mode {
            StampedPart::Signature => Some(envelope.encoded_signature()),
            StampedPart::Payload => payload,
        };
        let Some(bytes) = bytes else {
            is_checked = false;
            details.push("the payload was not given".to_owned());
            continue;
        };
        match timestamp::check(token, *mode, bytes, with.authorities) {
            Ok(stamp) => {
                let what = match mode {
                    StampedPart::Signature => "signature",
                    StampedPart::Payload => "payload",
                };
                details.push(format!("the {what} existed at {stamp}"));
                first = first.into_iter().chain([stamp.seconds]).min();
            }
            Err(error) => return failed(error.to_string()),
        }
    }
    let detail = details.join("; ");
    if with.authorities.is_none() {
        let detail = format!("{detail}, but no root of a time-stamping authority was given");
        (Some(Answer::NotChecked(detail)), None)
    } else if is_checked {
        (Some(Answer::Ok(detail)), first)
    } else {
        (Some(Answer::NotChecked(detail)), None)
    }
}
