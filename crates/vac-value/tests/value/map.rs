//! The map type.

use vac_value::{Map, MapEncoder, Text};

use super::*;

type Counts = Map<Text<'static>, u64>;

fn counts(keys: std::ops::Range<u64>) -> Counts {
    keys.map(|key| (format!("key {key}").into(), key)).collect()
}

#[test]
fn inserting_replaces_the_value_and_keeps_the_place() {
    for size in [0, 3, 16, 17, 100] {
        let mut map = counts(0..size);
        assert_eq!(map.insert("new".into(), 1), None);
        assert_eq!(map.insert("after".into(), 2), None);
        assert_eq!(map.insert("new".into(), 3), Some(1));
        assert_eq!(map.len() as u64, size + 2);
        assert_eq!(map.keys().nth_back(1).map(|key| &**key), Some("new"));
        assert_eq!(
            (map.get("new"), map.get("after"), map.get("other")),
            (Some(&3), Some(&2), None)
        );
        assert!(map.contains_key("after") && !map.contains_key("key"));
        *map.get_mut("after").expect("a member") += 5;
        map["new"] += 10;
        assert_eq!((map["after"], map["new"]), (7, 13));
    }
}

#[test]
fn removing_keeps_the_order_of_the_others() {
    for size in [2, 16, 17, 200] {
        let mut map = counts(0..size);
        assert_eq!(map.get("key 1"), Some(&1));
        assert_eq!(map.remove("key 0"), Some(0));
        assert_eq!(map.remove("key 0"), None);
        for key in 1..size {
            assert_eq!(map.get(&*format!("key {key}")), Some(&key), "of {size}");
        }
        assert!(map.values().copied().eq(1..size));
        map.insert("key 0".into(), 0);
        assert_eq!(map.values().next_back(), Some(&0));
    }
}

#[test]
fn all_ways_of_adding_are_found_again() {
    let mut map = counts(0..20);
    // The index exists from here on.
    assert!(map.contains_key("key 19"));
    map.push(("pushed".into(), 1));
    map.extend([("extended".into(), 2), ("too".into(), 3)]);
    assert_eq!(["pushed", "extended", "too"].map(|key| map.get(key).copied()), [1, 2, 3].map(Some));
    map.retain(|_, value| *value % 2 == 1);
    assert_eq!((map.get("key 18"), map.get("key 19"), map.get("too")), (None, Some(&19), Some(&3)));
    for (_, value) in &mut map {
        *value += 1;
    }
    assert_eq!(map["too"], 4);
    let clone = map.clone();
    map.clear();
    assert!(map.is_empty() && map.get("too").is_none());
    assert_eq!(clone["too"], 4);
}

#[test]
fn keys_added_twice_are_refused_when_written() {
    for size in [0, 30] {
        let mut map = counts(0..size);
        map.push(("twice".into(), 1));
        map.push(("twice".into(), 2));
        assert_eq!(map["twice"], 1);
        let error = Err(EncodeError::DuplicateKey("twice".to_owned()));
        assert_eq!(map.to_json(), error);
        assert_eq!(map.to_cbor().map(|_| String::new()), error);
    }
}

#[test]
fn keys_of_any_type_are_found_by_value() {
    let mut map: Map<Any<'_>, u64> = Map::new();
    map.insert(Any::from_json(br#""\u0061""#).expect("JSON"), 1);
    map.insert(1.into(), 2);
    map.insert(Any::array([1, 2]), 3);
    map.insert(Any::from_json(br#""\ud800""#).expect("JSON"), 4);
    for extra in 0..20 {
        assert_eq!(map.get("a"), Some(&1));
        assert_eq!(map.get(&Any::from_cbor(b"\x18\x01").expect("CBOR")), Some(&2));
        assert_eq!(map.get(&1_u64), Some(&2));
        assert_eq!(map.get(&1.0_f64), None);
        assert_eq!(map.get(&vec![1_u64, 2]), Some(&3));
        assert_eq!(map.get(&Any::from_json(br#""\uD800""#).expect("JSON")), Some(&4));
        assert_eq!(map.get(&Any::from_json(br#""\ud801""#).expect("JSON")), None);
        map.insert(Any::from(100 + extra), 0);
    }
}

#[test]
fn maps_are_equal_in_any_order() {
    for size in [5, 50] {
        let forward = counts(0..size);
        let backward: Counts =
            forward.iter().rev().map(|(key, value)| (key.clone(), *value)).collect();
        assert_eq!(forward, backward);
        let mut other = backward.clone();
        other["key 3"] = 7;
        assert_ne!(forward, other);
        assert_ne!(forward, counts(1..size + 1));
        assert_ne!(forward, counts(0..size - 1));
    }
    let twice = Map::from([("a", 1), ("a", 1)]);
    let once = Map::from([("a", 1), ("b", 2)]);
    assert_ne!(twice, once);
    assert_ne!(once, twice);
}

#[test]
fn large_maps_take_linear_time() {
    let mut map = Counts::new();
    for key in 0..200_000 {
        assert_eq!(map.insert(format!("key {key}").into(), key), None);
    }
    let copy = map.clone();
    assert_eq!(map, copy);
    assert_eq!(map.insert("key 77777".into(), 0), Some(77_777));
    assert_ne!(map, copy);
    assert_eq!(map.remove("key 100000"), Some(100_000));
}

#[test]
fn members_are_added_to_a_map_that_is_written() {
    let map = Map::from([("b", 1_u64), ("a", 2)]);
    let mut encoder = Encoder::cbor();
    let mut writer = MapEncoder::new(&mut encoder);
    writer.field("c", &true).expect("a member");
    map.add_to(&mut writer).expect("members");
    writer.end().expect("a map");
    assert_eq!(encoder.finish(), b"\xa3\x61a\x02\x61b\x01\x61c\xf5");
    assert_eq!(format!("{map:?}"), r#"{"b": 1, "a": 2}"#);
}

#[test]
fn entries_add_and_change_values() {
    for size in [0, 5, 100] {
        let mut map: Map<String, usize> = (0..size).map(|at| (format!("k{at}"), at)).collect();
        for _ in 0..3 {
            *map.entry("new".to_owned()).or_default() += 1;
        }
        assert_eq!((map.len(), map["new"]), (size + 1, 3));
        assert_eq!(*map.entry("new".to_owned()).or_insert(9), 3);
        assert_eq!(*map.entry("new".to_owned()).and_modify(|value| *value = 4).or_insert(9), 4);
        let entry = map.entry("other".to_owned()).and_modify(|_| panic!("it has no value"));
        assert_eq!(entry.key(), "other");
        assert_eq!(*entry.or_insert_with(|| 7), 7);
        assert_eq!((map.get("other"), map.len()), (Some(&7), size + 2));
        map.values_mut().for_each(|value| *value = 0);
        assert!(map.values().all(|value| *value == 0));
        let members: Vec<_> = map.clone().into_iter().collect();
        assert_eq!(Map::from(members), map);
    }
}

#[test]
fn maps_with_repeated_keys_are_compared_by_all_values() {
    for size in [0, 30] {
        let map = |last: [(&'static str, usize); 3]| {
            let first = (0..size).map(|at| (format!("k{at}"), at));
            let last = last.into_iter().map(|(key, value)| (key.to_owned(), value));
            first.chain(last).collect::<Map<String, usize>>()
        };
        let twice = map([("a", 1), ("a", 2), ("b", 3)]);
        assert_eq!(twice, twice.clone());
        assert_eq!(twice, map([("b", 3), ("a", 1), ("a", 2)]), "keys are in any order");
        for other in [
            [("a", 2), ("a", 1), ("b", 3)],
            [("a", 1), ("a", 1), ("b", 3)],
            [("a", 1), ("b", 3), ("b", 3)],
            [("a", 1), ("b", 2), ("b", 3)],
            [("a", 1), ("b", 3), ("c", 2)],
        ] {
            assert_ne!(twice, map(other));
            assert_ne!(map(other), twice);
        }
    }
}
