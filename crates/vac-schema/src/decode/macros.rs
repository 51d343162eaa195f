//! Macros for the parts of generated code that are the same for all types.

/// Implements [`Decode`](crate::Decode), [`BuildOwned`](crate::BuildOwned) and serde's traits
/// for generated types. Each type is followed by its rule and its index in the tables.
///
/// A `value` only occurs inside other types, and a `group` is a part of a map or an array:
/// these cannot be decoded by themselves.
#[macro_export]
macro_rules! generated_types {
    ($schema:path; $($name:ident $(<$life:lifetime>)?: $($what:tt $($id:literal)?),+;)*) => {$(
        $crate::generated_types!(@one $schema, $name, ($($life)?), $($what $($id)?),+);
    )*};
    (@one $schema:path, $name:ident, ($($life:lifetime)?), group) => {
        $crate::generated_types!(@serialize $name, ($($life)?));
    };
    (@one $schema:path, $name:ident, ($($life:lifetime)?), value) => {
        $crate::generated_types!(@serialize $name, ($($life)?));
        $crate::generated_types!(@owned $name, ($($life)?));
    };
    (@one $schema:path, $name:ident, ($($life:lifetime)?), rule $rule:literal, type $type:literal) => {
        $crate::generated_types!(@serialize $name, ($($life)?));
        $crate::generated_types!(@owned $name, ($($life)?));
        $crate::generated_types!(@decode $schema, $name, ($($life)?), $rule, $type);

        impl<'de $(, $life)?> $crate::serde::Deserialize<'de> for $name $(<$life>)? {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::std::result::Result<Self, D::Error> {
                $crate::deserialize(deserializer)
            }
        }
    };
    (@decode $schema:path, $name:ident, ($life:lifetime), $rule:literal, $type:literal) => {
        impl<$life> $crate::Decode<$life> for $name<$life> {
            $crate::generated_types!(@items $schema, $rule, $type);
        }
    };
    (@decode $schema:path, $name:ident, (), $rule:literal, $type:literal) => {
        impl<'a> $crate::Decode<'a> for $name {
            $crate::generated_types!(@items $schema, $rule, $type);
        }
    };
    (@items $schema:path, $rule:literal, $type:literal) => {
        const RULE: $crate::RuleId = $crate::RuleId($rule);
        const TYPE: $crate::TypeId = $crate::TypeId($type);

        fn schema() -> &'static $crate::Schema {
            &$schema
        }
    };
    (@serialize $name:ident, ($($life:lifetime)?)) => {
        impl $(<$life>)? $crate::serde::Serialize for $name $(<$life>)? {
            fn serialize<S: $crate::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                $crate::serialize(self, serializer)
            }
        }
    };
    (@owned $name:ident, ($life:lifetime)) => {
        impl<$life> $crate::BuildOwned for $name<$life> {
            fn build_owned(
                reader: &mut $crate::Reader<'_>,
                node: $crate::Node<'_, '_>,
            ) -> $crate::Built<Self> {
                let value = <$name<'_> as $crate::Build<'_>>::build(reader, node)?;
                Ok($crate::IntoOwned::into_owned(value))
            }
        }
    };
    (@owned $name:ident, ()) => {
        impl $crate::BuildOwned for $name {
            fn build_owned(
                reader: &mut $crate::Reader<'_>,
                node: $crate::Node<'_, '_>,
            ) -> $crate::Built<Self> {
                <Self as $crate::Build<'_>>::build(reader, node)
            }
        }
    };
}
