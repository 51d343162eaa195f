//! Generates random values of the small types that other types contain.

use super::*;

pub(super) fn opt<T: Clone + Debug + 'static>(
    strategy: impl Strategy<Value = T> + 'static,
) -> BoxedStrategy<Option<T>> {
    prop::option::of(strategy).boxed()
}

pub(super) fn date_time() -> BoxedStrategy<DateTimeText<'static>> {
    DATE_TIME_REGEXP.prop_map(|value| value.parse().expect("a date-time")).boxed()
}

pub(super) fn url() -> BoxedStrategy<UriText<'static>> {
    prop_oneof![
        "[a-z]{1,6}://[a-z.]{0,8}(/[a-z]{0,4}){0,2}([?][a-z=&?/]{0,5})?(#[a-z#?/]{0,5})?",
        "[^\r\n]{0,8}",
    ]
    .prop_map(|value| value.parse().expect("a URI reference"))
    .boxed()
}

pub(super) fn timestamp() -> BoxedStrategy<AbstractTimestamp<'static>> {
    prop_oneof![
        date_time().prop_map(AbstractTimestamp::Text),
        any::<u64>().prop_map(AbstractTimestamp::Uint),
    ]
    .boxed()
}

pub(super) fn message_type() -> BoxedStrategy<MessageEntryType> {
    prop_oneof![Just(MessageEntryType::User), Just(MessageEntryType::Assistant)].boxed()
}

pub(super) fn contributor_type() -> BoxedStrategy<ContributorType> {
    use ContributorType::{Ai, Human, Mixed, Unknown};
    prop::sample::select(vec![Human, Ai, Mixed, Unknown]).boxed()
}

pub(super) fn file_attribution() -> BoxedStrategy<FileAttributionRecord<'static>> {
    prop::collection::vec(file(), 0..3).prop_map(|files| FileAttributionRecord { files }).boxed()
}

pub(super) fn file() -> BoxedStrategy<File<'static>> {
    (text(), prop::collection::vec(conversation(), 0..3))
        .prop_map(|(path, conversations)| File { path, conversations })
        .boxed()
}

pub(super) fn conversation() -> BoxedStrategy<Conversation<'static>> {
    let ranges = prop::collection::vec(range(), 0..3);
    let related = prop::collection::vec(resource(), 0..3);
    (opt(url()), opt(contributor()), ranges, opt(related))
        .prop_map(|(url, contributor, ranges, related)| Conversation {
            url,
            contributor,
            ranges,
            related,
        })
        .boxed()
}

pub(super) fn range() -> BoxedStrategy<Range<'static>> {
    (any::<u64>(), any::<u64>(), opt(text()), opt(text()), opt(contributor()))
        .prop_map(|(start_line, end_line, content_hash, content_hash_alg, contributor)| Range {
            start_line,
            end_line,
            content_hash,
            content_hash_alg,
            contributor,
        })
        .boxed()
}

pub(super) fn contributor() -> BoxedStrategy<Contributor<'static>> {
    (contributor_type(), opt(text()))
        .prop_map(|(kind, model_id)| Contributor { kind, model_id })
        .boxed()
}

pub(super) fn resource() -> BoxedStrategy<Resource<'static>> {
    (text(), url()).prop_map(|(kind, url)| Resource { kind, url }).boxed()
}

pub(super) fn certificates() -> BoxedStrategy<CoseX509<'static>> {
    prop_oneof![
        bytes().prop_map(|value| CoseX509::Bytes(value.into())),
        prop::collection::vec(bytes(), 2..4)
            .prop_map(|chain| CoseX509::Array(chain.into_iter().map(Into::into).collect())),
    ]
    .boxed()
}

pub(super) fn cert_hash() -> BoxedStrategy<CoseCertHash<'static>> {
    (hash_alg(), bytes())
        .prop_map(|(hash_alg, value)| CoseCertHash { hash_alg, hash_value: value.into() })
        .boxed()
}

pub(super) fn hash_alg() -> BoxedStrategy<CoseCertHashAlg<'static>> {
    prop_oneof![integer().prop_map(CoseCertHashAlg::Int), text().prop_map(CoseCertHashAlg::Text),]
        .boxed()
}

pub(super) fn content_type() -> BoxedStrategy<ProtectedHeaderContentType<'static>> {
    prop_oneof![
        text().prop_map(ProtectedHeaderContentType::Text),
        any::<u64>().prop_map(ProtectedHeaderContentType::Uint),
    ]
    .boxed()
}

pub(super) fn label() -> BoxedStrategy<Label<'static>> {
    prop_oneof![integer().prop_map(Label::Int), text().prop_map(Label::Text)].boxed()
}

pub(super) fn cose_label() -> BoxedStrategy<CoseLabel<'static>> {
    prop_oneof![integer().prop_map(CoseLabel::Int), text().prop_map(CoseLabel::Text)].boxed()
}
