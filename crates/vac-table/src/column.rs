//! The types of columns: the values of rows, their builders, and the types in Arrow.
//!
//! Only types that every engine reads are used. Spark's reader of Arrow refuses dictionaries,
//! nanoseconds and unsigned 64-bit integers.

use std::collections::{BTreeMap, HashMap};
use std::marker::PhantomData;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Float64Builder, Int64Builder, ListBuilder, StringBuilder,
    StructBuilder, TimestampMicrosecondBuilder,
};
use arrow_schema::{DataType, Field, Fields, TimeUnit};
use vac_adapter::SourceFile;

/// The time zone of all timestamps.
pub const TIME_ZONE: &str = "UTC";
/// The key and the value in the metadata of a field whose texts are JSON.
const EXTENSION_NAME: (&str, &str) = ("ARROW:extension:name", "arrow.json");
const EXTENSION_METADATA: &str = "ARROW:extension:metadata";

/// The type of a column.
pub trait ColumnType {
    /// The value of a row for the column.
    type Value<'v>;
    /// The builder that collects the values.
    type Builder;
    /// Whether rows can have no value.
    const IS_NULLABLE: bool = false;
    /// Whether the texts are JSON.
    const IS_JSON: bool = false;

    /// Returns the type in Arrow.
    fn data_type() -> DataType;
    /// Creates an empty builder.
    fn builder() -> Self::Builder;
    /// Adds a value. Returns its number of bytes.
    fn append(builder: &mut Self::Builder, value: Self::Value<'_>) -> usize;
    /// Adds a row without a value.
    fn append_null(builder: &mut Self::Builder);
    /// Returns the collected values, and starts again.
    fn finish(builder: &mut Self::Builder) -> ArrayRef;
}

/// Returns the field of a column.
pub(crate) fn field<T: ColumnType>(name: &str) -> Field {
    let field = Field::new(name, T::data_type(), T::IS_NULLABLE);
    if !T::IS_JSON {
        return field;
    }
    let (key, value) = EXTENSION_NAME;
    field.with_metadata(HashMap::from([
        (key.to_owned(), value.to_owned()),
        (EXTENSION_METADATA.to_owned(), String::new()),
    ]))
}

/// A column whose rows can have no value.
pub struct Optional<T>(PhantomData<T>);

impl<T: ColumnType> ColumnType for Optional<T> {
    type Value<'v> = Option<T::Value<'v>>;
    type Builder = T::Builder;
    const IS_NULLABLE: bool = true;
    const IS_JSON: bool = T::IS_JSON;

    fn data_type() -> DataType {
        T::data_type()
    }

    fn builder() -> Self::Builder {
        T::builder()
    }

    fn append(builder: &mut Self::Builder, value: Self::Value<'_>) -> usize {
        match value {
            Some(value) => T::append(builder, value),
            None => {
                T::append_null(builder);
                1
            }
        }
    }

    fn append_null(builder: &mut Self::Builder) {
        T::append_null(builder);
    }

    fn finish(builder: &mut Self::Builder) -> ArrayRef {
        T::finish(builder)
    }
}

/// Defines a column type whose builder takes its values unchanged.
macro_rules! plain_column {
    ($(#[$doc:meta])* $name:ident, $value:ty, $builder:ty, $new:expr, $data_type:expr, $size:expr $(, $constant:item)?) => {
        $(#[$doc])*
        pub struct $name;

        impl ColumnType for $name {
            type Value<'v> = $value;
            type Builder = $builder;
            $($constant)?

            fn data_type() -> DataType {
                $data_type
            }

            fn builder() -> Self::Builder {
                $new
            }

            fn append(builder: &mut Self::Builder, value: Self::Value<'_>) -> usize {
                let size: fn(&Self::Value<'_>) -> usize = $size;
                let size = size(&value);
                builder.append_value(value);
                size
            }

            fn append_null(builder: &mut Self::Builder) {
                builder.append_null();
            }

            fn finish(builder: &mut Self::Builder) -> ArrayRef {
                Arc::new(builder.finish())
            }
        }
    };
}

plain_column!(
    /// Text.
    Text, &'v str, StringBuilder, StringBuilder::new(), DataType::Utf8, |text| text.len() + 4
);
plain_column!(
    /// JSON that every parser reads.
    Json, &'v str, StringBuilder, StringBuilder::new(), DataType::Utf8, |text| text.len() + 4,
    const IS_JSON: bool = true;
);
plain_column!(
    /// An integer.
    Integer, i64, Int64Builder, Int64Builder::new(), DataType::Int64, |_| 8
);
plain_column!(
    /// A number.
    Float, f64, Float64Builder, Float64Builder::new(), DataType::Float64, |_| 8
);
plain_column!(
    /// True or false.
    Boolean, bool, BooleanBuilder, BooleanBuilder::new(), DataType::Boolean, |_| 1
);
plain_column!(
    /// Microseconds since 1970 in UTC.
    Time, i64, TimestampMicrosecondBuilder,
    TimestampMicrosecondBuilder::new().with_timezone(TIME_ZONE),
    DataType::Timestamp(TimeUnit::Microsecond, Some(TIME_ZONE.into())), |_| 8
);

/// A list of texts.
pub struct TextList;

impl ColumnType for TextList {
    type Value<'v> = &'v [String];
    type Builder = ListBuilder<StringBuilder>;

    fn data_type() -> DataType {
        DataType::List(item(DataType::Utf8))
    }

    fn builder() -> Self::Builder {
        ListBuilder::new(StringBuilder::new()).with_field(item(DataType::Utf8))
    }

    fn append(builder: &mut Self::Builder, texts: Self::Value<'_>) -> usize {
        for text in texts {
            builder.values().append_value(text);
        }
        builder.append(true);
        texts.iter().map(|text| text.len() + 4).sum::<usize>() + 4
    }

    fn append_null(builder: &mut Self::Builder) {
        builder.append(false);
    }

    fn finish(builder: &mut Self::Builder) -> ArrayRef {
        Arc::new(builder.finish())
    }
}

/// A list of keys with their values.
pub struct KeyValueList;

impl KeyValueList {
    fn fields() -> Fields {
        let text = |name| Field::new(name, DataType::Utf8, false);
        Fields::from(vec![text("key"), text("value")])
    }
}

impl ColumnType for KeyValueList {
    type Value<'v> = &'v BTreeMap<String, String>;
    type Builder = ListBuilder<StructBuilder>;

    fn data_type() -> DataType {
        DataType::List(item(DataType::Struct(Self::fields())))
    }

    fn builder() -> Self::Builder {
        struct_list(Self::fields())
    }

    fn append(builder: &mut Self::Builder, values: Self::Value<'_>) -> usize {
        let mut size = 4;
        for (key, value) in values {
            append_text(builder.values(), 0, key);
            append_text(builder.values(), 1, value);
            builder.values().append(true);
            size += key.len() + value.len() + 8;
        }
        builder.append(true);
        size
    }

    fn append_null(builder: &mut Self::Builder) {
        builder.append(false);
    }

    fn finish(builder: &mut Self::Builder) -> ArrayRef {
        Arc::new(builder.finish())
    }
}

/// The files that a session comes from.
pub struct SourceList;

impl SourceList {
    fn fields() -> Fields {
        Fields::from(vec![
            Field::new("name", DataType::Utf8, false),
            Field::new("size", DataType::Int64, false),
            Field::new("sha_256", DataType::Utf8, false),
        ])
    }
}

impl ColumnType for SourceList {
    type Value<'v> = &'v [SourceFile];
    type Builder = ListBuilder<StructBuilder>;

    fn data_type() -> DataType {
        DataType::List(item(DataType::Struct(Self::fields())))
    }

    fn builder() -> Self::Builder {
        struct_list(Self::fields())
    }

    fn append(builder: &mut Self::Builder, sources: Self::Value<'_>) -> usize {
        let mut bytes = 4;
        for SourceFile { name, size, sha_256 } in sources {
            append_text(builder.values(), 0, name);
            let sizes = builder.values().field_builder::<Int64Builder>(1);
            sizes.expect("the second field is an integer").append_value(integer(*size));
            append_text(builder.values(), 2, sha_256);
            builder.values().append(true);
            bytes += name.len() + sha_256.len() + 16;
        }
        builder.append(true);
        bytes
    }

    fn append_null(builder: &mut Self::Builder) {
        builder.append(false);
    }

    fn finish(builder: &mut Self::Builder) -> ArrayRef {
        Arc::new(builder.finish())
    }
}

/// Returns a number as the value of a column: at most `i64::MAX`.
pub(crate) fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn item(data_type: DataType) -> Arc<Field> {
    Arc::new(Field::new("item", data_type, true))
}

fn struct_list(fields: Fields) -> ListBuilder<StructBuilder> {
    let builder = |field: &Arc<Field>| -> Box<dyn ArrayBuilder> {
        match field.data_type() {
            DataType::Int64 => Box::new(Int64Builder::new()),
            _ => Box::new(StringBuilder::new()),
        }
    };
    let builders = fields.iter().map(builder).collect();
    let list = item(DataType::Struct(fields.clone()));
    ListBuilder::new(StructBuilder::new(fields, builders)).with_field(list)
}

fn append_text(builder: &mut StructBuilder, field: usize, text: &str) {
    let texts = builder.field_builder::<StringBuilder>(field);
    texts.expect("the field is text").append_value(text);
}
