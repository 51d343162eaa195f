//! The labels of earlier records, which new records of the same sessions keep.

use std::collections::{BTreeMap, HashMap};

use super::existing_record::has_other_label;

/// The labels of a record.
type Labels = BTreeMap<String, String>;

/// The labels of the records in a folder, by the ids of the records.
#[derive(Debug, Default)]
pub(crate) struct EarlierLabels(HashMap<String, Vec<Labels>>);

impl EarlierLabels {
    /// Adds the labels of a record.
    pub fn add(&mut self, id: &str, labels: &Labels) {
        if !labels.is_empty() {
            self.0.entry(id.to_owned()).or_default().push(labels.clone());
        }
    }

    /// Adds the labels that a record of this id had to those that are asked for. A record that has
    /// another value of one of these belongs to another user; labels in which the others disagree are
    /// ambiguous. Neither is added.
    pub fn add_to(&self, id: &str, asked: &mut Labels) {
        let Some(all) = self.0.get(id) else { return };
        let own: Vec<_> = all.iter().filter(|labels| !has_other_label(labels, asked)).collect();
        for (key, value) in own.iter().copied().flatten() {
            let is_other = |labels: &&Labels| labels.get(key).is_some_and(|other| other != value);
            if !own.iter().any(is_other) {
                asked.insert(key.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(text: &str) -> Labels {
        let label = |label: &str| {
            let (key, value) = label.split_once('=').unwrap();
            (key.to_owned(), value.to_owned())
        };
        text.split_whitespace().map(label).collect()
    }

    #[test]
    fn labels_are_kept_unless_they_are_of_others_or_ambiguous() {
        for (earlier, asked, expected) in [
            (&["user=ada host=loom"][..], "", "host=loom user=ada"),
            (&["user=ada"], "host=loom", "host=loom user=ada"),
            (&["user=ada host=loom"], "user=bob", "user=bob"),
            (&["user=ada", "user=bob"], "", ""),
            (&["user=ada host=a", "user=bob host=b"], "user=bob", "host=b user=bob"),
            (&["user=ada host=a", "user=ada host=b"], "", "user=ada"),
            (&[""], "user=ada", "user=ada"),
        ] {
            let mut all = EarlierLabels::default();
            for record in earlier {
                all.add("s", &labels(record));
            }
            let mut found = labels(asked);
            all.add_to("s", &mut found);
            assert_eq!(found, labels(expected), "{earlier:?} {asked}");
            let mut found = labels(asked);
            all.add_to("another", &mut found);
            assert_eq!(found, labels(asked));
        }
    }
}
