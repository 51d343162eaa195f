//! Returns previews: the facts that the beginning of a log states about its session.

use vac_adapter::{Confidence, Memory, Preview, Sample, Share, ids};

use crate::facts::{Facts, is_uuid};
use crate::line::line;
use crate::text;

pub(crate) fn preview(sample: &Sample<'_>) -> Preview {
    let mut facts = Facts::new(sample.folder);
    for document in &sample.documents {
        facts.add(line(document.root()), document.root());
    }
    if text::confidence(sample) > Confidence::No {
        // Reading from memory does not fail.
        let _ = text::add(&Memory { name: sample.name, bytes: sample.bytes }, &mut facts);
    }
    let stem = ids::stem(sample.name).filter(|stem| is_uuid(stem));
    Preview {
        variant: facts.variant.unwrap_or_default(),
        parent: facts.parent(),
        start: facts.start(),
        project: facts.working_dir.or_else(|| project(sample.folder)),
        session_id: facts.session_id.or_else(|| stem.map(str::to_owned)),
        version: None,
        share: Share::Whole,
    }
}

/// Returns the name of the folder of a project's transcripts: the path of the project with dashes,
/// from which the path cannot be restored.
fn project(folder: &str) -> Option<String> {
    let (before, _) = folder.rsplit_once("/agent-transcripts")?;
    before.rsplit('/').next().filter(|name| !name.is_empty()).map(str::to_owned)
}
