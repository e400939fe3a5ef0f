//! Nested arrays: conversions and errors in them, and the rows of the whole to which they belong.

use std::cell::Cell;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use trust8_columns::Policy;
use trust8_profile::{Profile, ProfileError, Run};

use super::arrow_array::cast::AsArray;
use super::arrow_array::types::{Int16Type, Int32Type, Int64Type, RunEndIndexType};
use super::arrow_array::{
    Array, ArrayRef, FixedSizeListArray, GenericListArray, GenericListViewArray, MapArray, OffsetSizeTrait,
    RunArray, StructArray, UnionArray,
};
use super::arrow_buffer::{ArrowNativeType, BooleanBufferBuilder, NullBuffer};
use super::arrow_schema::extension::EXTENSION_TYPE_NAME_KEY;
use super::arrow_schema::{DataType, Field, FieldRef, Fields};
use super::leaf::{Claim, Leaf, Plan, Types, claim};
use super::mask::{
    check_claim, check_items, check_len, check_list_view, check_offsets, check_rows, check_shared,
    check_union, fixed_items, items, len, reached, rows_in, shared, shared_values, used,
};
use crate::error::RowError;

/// Returns whether only text counts among the values of a dictionary or of an array of runs.
fn claims_in_shared(data_type: &DataType, claims: bool) -> bool {
    match data_type {
        DataType::RunEndEncoded(_, field) => claims_in(field, claims),
        _ => claims,
    }
}

/// Returns whether an array of this type has bytes somewhere, or text if only that counts.
fn has_bytes(data_type: &DataType, claims: bool) -> bool {
    match data_type {
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _)
        | DataType::RunEndEncoded(_, field) => field_has_bytes(field, claims),
        DataType::Struct(fields) => fields.iter().any(|field| field_has_bytes(field, claims)),
        DataType::Union(fields, _) => fields.iter().any(|(_, field)| field_has_bytes(field, claims)),
        DataType::Dictionary(_, values) => has_bytes(values, claims),
        other => claim(other) == Claim::Utf8 || !claims && claim(other) == Claim::Bytes,
    }
}

/// Returns the same for a field.
fn field_has_bytes(field: &Field, claims: bool) -> bool {
    has_bytes(field.data_type(), claims_in(field, claims))
}

/// Returns whether only text counts in a field. Bytes of an extension type, such as a UUID, do not
/// become text; text beside them is text.
fn claims_in(field: &Field, claims: bool) -> bool {
    claims || is_bytes_of_extension(field)
}

/// Returns whether a field is of an extension type that is stored as bytes.
pub(crate) fn is_bytes_of_extension(field: &Field) -> bool {
    field.metadata().contains_key(EXTENSION_TYPE_NAME_KEY) && becomes_text(field.data_type())
}

/// Returns whether an array of this type has text, and no binary values.
pub(crate) fn is_text(data_type: &DataType) -> bool {
    has_bytes(data_type, true) && !becomes_text(data_type)
}

/// Returns whether an array of this type would get another type.
pub(crate) fn becomes_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _)
        | DataType::RunEndEncoded(_, field) => becomes_text(field.data_type()),
        DataType::Struct(fields) => fields.iter().any(|field| becomes_text(field.data_type())),
        DataType::Union(fields, _) => fields.iter().any(|(_, field)| becomes_text(field.data_type())),
        DataType::Dictionary(_, values) => becomes_text(values),
        other => claim(other) == Claim::Bytes,
    }
}

/// Returns whether an array has nulls, also among values that its rows share.
fn has_nulls(array: &dyn Array) -> bool {
    array.null_count() > 0
        || match array.data_type() {
            DataType::Dictionary(..) | DataType::RunEndEncoded(..) => {
                shared_values(array, "").is_ok_and(|values| has_nulls(values))
            }
            // A row of a union is null if its value is.
            DataType::Union(fields, _) => fields.iter().any(|(id, _)| has_nulls(array.as_union().child(id))),
            _ => false,
        }
}

/// Returns the field for an array that replaced its array. A repair can make nulls.
pub(crate) fn field_for(field: &Field, array: &dyn Array, plan: Plan<'_>) -> FieldRef {
    let field = field.clone().with_data_type(array.data_type().clone());
    let nullable = match plan.types {
        Types::Same => field.is_nullable(),
        Types::Nullable => return Arc::new(nullable_text(&field)),
        Types::AsRows => field.is_nullable() || has_nulls(array),
    };
    Arc::new(field.with_nullable(nullable))
}

/// Returns the field with all text in it nullable, except for the keys of maps.
pub(crate) fn nullable_text(field: &Field) -> Field {
    fn is_text_itself(data_type: &DataType) -> bool {
        match data_type {
            DataType::Dictionary(_, values) => is_text_itself(values),
            DataType::RunEndEncoded(_, values) => is_text_itself(values.data_type()),
            DataType::Union(fields, _) => fields.iter().any(|(_, field)| is_text_itself(field.data_type())),
            other => claim(other) == Claim::Utf8,
        }
    }
    fn part(field: &FieldRef) -> FieldRef {
        Arc::new(nullable_text(field))
    }
    fn nullable(data_type: &DataType) -> DataType {
        match data_type {
            DataType::List(field) => DataType::List(part(field)),
            DataType::LargeList(field) => DataType::LargeList(part(field)),
            DataType::ListView(field) => DataType::ListView(part(field)),
            DataType::LargeListView(field) => DataType::LargeListView(part(field)),
            DataType::FixedSizeList(field, size) => DataType::FixedSizeList(part(field), *size),
            DataType::Struct(fields) => DataType::Struct(fields.iter().map(part).collect()),
            DataType::Map(entries, ordered) => {
                let fields = match entries.data_type() {
                    DataType::Struct(fields) if fields.len() == 2 => [fields[0].clone(), part(&fields[1])],
                    _ => return data_type.clone(),
                };
                let fields = DataType::Struct(fields.into_iter().collect());
                DataType::Map(Arc::new(entries.as_ref().clone().with_data_type(fields)), *ordered)
            }
            DataType::Dictionary(key, values) => {
                DataType::Dictionary(key.clone(), Box::new(nullable(values)))
            }
            DataType::RunEndEncoded(ends, field) => DataType::RunEndEncoded(ends.clone(), part(field)),
            DataType::Union(fields, mode) => {
                DataType::Union(fields.iter().map(|(id, field)| (id, part(field))).collect(), *mode)
            }
            other => other.clone(),
        }
    }
    let is_nullable = field.is_nullable() || is_text_itself(field.data_type());
    field.clone().with_data_type(nullable(field.data_type())).with_nullable(is_nullable)
}

/// Converts an array that is part of another one, in this field.
fn convert_part(
    array: &ArrayRef,
    field: &Field,
    live: Option<&NullBuffer>,
    plan: Plan<'_>,
    path: &str,
) -> Result<ArrayRef, RowError> {
    let plan = Plan { claims: claims_in(field, plan.claims), ..plan };
    Ok(convert(array, live, plan, path)?.unwrap_or_else(|| array.clone()))
}

/// Returns the array with text instead of bytes, or `None` if it has nothing that counts or stays as it is. Rows that are not in `live`
/// are unreachable.
pub(crate) fn convert(
    array: &dyn Array,
    live: Option<&NullBuffer>,
    plan: Plan<'_>,
    path: &str,
) -> Result<Option<ArrayRef>, RowError> {
    if !has_bytes(array.data_type(), plan.claims) {
        return Ok(None);
    }
    let converted: Result<ArrayRef, RowError> = match array.data_type() {
        DataType::Struct(_) => Ok(Arc::new(convert_struct(array.as_struct(), live, plan, path)?)),
        DataType::List(_) => convert_list(array.as_list::<i32>(), live, plan, path),
        DataType::LargeList(_) => convert_list(array.as_list::<i64>(), live, plan, path),
        DataType::FixedSizeList(field, size) => {
            let list = array.as_fixed_size_list();
            let rows = reached(list.len(), list.nulls(), live, path)?;
            let size_len = size.as_usize();
            check_items(list, path)?;
            let items = fixed_items(rows, size_len, path)?;
            let values = convert_part(list.values(), field, items.as_ref(), plan, &format!("{path}[]"))?;
            let (field, nulls) = (field_for(field, &values, plan), list.nulls().cloned());
            // SAFETY: the list is unchanged, except for the type of its items.
            Ok(Arc::new(unsafe {
                FixedSizeListArray::new_unchecked(field, *size, values, nulls, list.len())
            }))
        }
        DataType::Map(field, ordered) => {
            let map = array.as_map();
            check_offsets(map.offsets().inner(), len(map.entries()), path)?;
            let rows = reached(map.len(), map.nulls(), live, path)?;
            let entries = items(map.offsets(), len(map.entries()), rows.as_ref(), path)?;
            let entries = convert_entries(map.entries(), entries.as_ref(), plan, path)?;
            let field = Arc::new(field.as_ref().clone().with_data_type(entries.data_type().clone()));
            let (offsets, nulls) = (map.offsets().clone(), map.nulls().cloned());
            // SAFETY: the map is unchanged, except for the type of its keys and values.
            Ok(Arc::new(unsafe { MapArray::new_unchecked(field, offsets, entries, nulls, *ordered) }))
        }
        DataType::Dictionary(..) => {
            let (dictionary, values) = (array.as_any_dictionary(), convert_shared(array, live, plan, path)?);
            if Arc::ptr_eq(&values, dictionary.values()) {
                return Ok(None);
            }
            Ok(dictionary.with_values(values))
        }
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => convert_runs::<Int16Type>(array, live, plan, path),
            DataType::Int32 => convert_runs::<Int32Type>(array, live, plan, path),
            _ => convert_runs::<Int64Type>(array, live, plan, path),
        },
        DataType::ListView(_) => convert_list_view(array.as_list_view::<i32>(), live, plan, path),
        DataType::LargeListView(_) => convert_list_view(array.as_list_view::<i64>(), live, plan, path),
        DataType::Union(..) => convert_union(array.as_union(), live, plan, path),
        _ => return Leaf::of(array, live, path)?.text(plan),
    };
    converted.map(Some)
}

/// Converts the values of a dictionary or of an array of runs. If all of them are UTF-8, it does
/// not matter which are used.
fn convert_shared(
    array: &dyn Array,
    live: Option<&NullBuffer>,
    plan: Plan<'_>,
    path: &str,
) -> Result<ArrayRef, RowError> {
    let values = shared_values(array, path)?;
    match plan.known.map(|known| known.get(path, values)) {
        Some(Some(clean)) => return Ok(clean),
        Some(None) => {}
        None => check_shared(array, path)?,
    }
    let plan = Plan { claims: claims_in_shared(array.data_type(), plan.claims), ..plan };
    let convert = |live: Option<&NullBuffer>, plan| {
        Ok(convert(values, live, plan, path)?.unwrap_or_else(|| values.clone()))
    };
    match convert(None, Plan { policy: None, ..plan }) {
        Ok(clean) => {
            if let Some(known) = plan.known {
                known.insert(path, values, &clean);
            }
            Ok(clean)
        }
        Err(_) => {
            let rows = reached(array.len(), array.nulls(), live, path)?;
            convert(Some(&used(array, rows.as_ref(), len(values), path)?), plan)
        }
    }
}

fn convert_runs<R: RunEndIndexType>(
    array: &dyn Array,
    live: Option<&NullBuffer>,
    plan: Plan<'_>,
    path: &str,
) -> Result<ArrayRef, RowError> {
    let values = convert_shared(array, live, plan, path)?;
    let runs = array.as_run::<R>();
    let DataType::RunEndEncoded(ends, field) = array.data_type() else { unreachable!("an array of runs") };
    let data_type = DataType::RunEndEncoded(ends.clone(), field_for(field, &values, plan));
    // SAFETY: the runs are unchanged, except for the type of their values.
    Ok(Arc::new(unsafe { RunArray::<R>::new_unchecked(data_type, runs.run_ends().clone(), values) }))
}

fn convert_list<O: OffsetSizeTrait>(
    list: &GenericListArray<O>,
    live: Option<&NullBuffer>,
    plan: Plan<'_>,
    path: &str,
) -> Result<ArrayRef, RowError> {
    check_offsets(list.offsets().inner(), len(list.values()), path)?;
    check_claim(list.values(), path)?;
    let rows = reached(list.len(), list.nulls(), live, path)?;
    let reached_items = items(list.offsets(), len(list.values()), rows.as_ref(), path)?;
    let (DataType::List(field) | DataType::LargeList(field)) = list.data_type() else {
        unreachable!("a list")
    };
    let values = convert_part(list.values(), field, reached_items.as_ref(), plan, &format!("{path}[]"))?;
    let (field, nulls) = (field_for(field, &values, plan), list.nulls().cloned());
    // SAFETY: the list is unchanged, except for the type of its items.
    Ok(Arc::new(unsafe { GenericListArray::new_unchecked(field, list.offsets().clone(), values, nulls) }))
}

fn convert_list_view<O: OffsetSizeTrait>(
    list: &GenericListViewArray<O>,
    live: Option<&NullBuffer>,
    plan: Plan<'_>,
    path: &str,
) -> Result<ArrayRef, RowError> {
    check_list_view(list, path)?;
    let rows = reached(list.len(), list.nulls(), live, path)?;
    let (DataType::ListView(field) | DataType::LargeListView(field)) = list.data_type() else {
        unreachable!("a list view")
    };
    let parts = Parts { values: list.values(), rows: list.len(), of: &|row| viewed(list, row) };
    let values = convert_ranges(parts, field, rows.as_ref(), plan, &format!("{path}[]"))?;
    let (field, nulls) = (field_for(field, &values, plan), list.nulls().cloned());
    let (offsets, sizes) = (list.offsets().clone(), list.sizes().clone());
    // SAFETY: the list is unchanged, except for the type of its items.
    Ok(Arc::new(unsafe { GenericListViewArray::new_unchecked(field, offsets, sizes, values, nulls) }))
}

fn convert_union(
    union: &UnionArray,
    live: Option<&NullBuffer>,
    plan: Plan<'_>,
    path: &str,
) -> Result<ArrayRef, RowError> {
    check_union(union, path)?;
    let rows = reached(union.len(), None, live, path)?;
    let DataType::Union(fields, _) = union.data_type() else { unreachable!("a union") };
    let (mut new_fields, mut children) = (Vec::new(), Vec::new());
    for (id, field) in fields.iter() {
        let parts = Parts { values: union.child(id), rows: union.len(), of: &|row| chosen(union, id, row) };
        let child = convert_ranges(parts, field, rows.as_ref(), plan, &format!("{path}.{}", field.name()))?;
        new_fields.push((id, field_for(field, &child, plan)));
        children.push(child);
    }
    let (ids, offsets) = (union.type_ids().clone(), union.offsets().cloned());
    let union = UnionArray::try_new(new_fields.into_iter().collect(), ids, offsets, children);
    Ok(Arc::new(union.map_err(|_| RowError::shape(0, path, "the union is not as its type says"))?))
}

/// Rows that have ranges of other values, in any order. Any number of rows can share a value.
#[derive(Clone, Copy)]
struct Parts<'a> {
    values: &'a ArrayRef,
    rows: usize,
    /// The range of a row, if it has one.
    of: &'a dyn Fn(usize) -> Option<Range<usize>>,
}

impl Parts<'_> {
    /// Returns the values that some of `rows` have. The time depends on the rows and the values, not
    /// on how much the ranges overlap.
    fn reached(&self, rows: Option<&NullBuffer>, path: &str) -> Result<NullBuffer, RowError> {
        let len = len(self.values);
        check_rows(len, path)?;
        let ranges = rows_in(0..self.rows, rows).filter_map(self.of);
        // Repair sorts such pairs, too, so the program has one sort for both.
        let mut ranges: Vec<_> = ranges.map(|range| (range.start, range.end)).collect();
        ranges.sort_unstable();
        let mut bits = BooleanBufferBuilder::new(len);
        for (start, end) in ranges {
            bits.append_n(start.saturating_sub(bits.len()), false);
            bits.append_n(end.saturating_sub(bits.len()), true);
        }
        bits.append_n(len - bits.len(), false);
        Ok(NullBuffer::new(bits.finish()))
    }
}

/// Converts the values of ranges. If all of them are UTF-8, it does not matter which are reached.
fn convert_ranges(
    parts: Parts<'_>,
    field: &Field,
    rows: Option<&NullBuffer>,
    plan: Plan<'_>,
    path: &str,
) -> Result<ArrayRef, RowError> {
    match convert_part(parts.values, field, None, Plan { policy: None, ..plan }, path) {
        Ok(values) => Ok(values),
        Err(_) => convert_part(parts.values, field, Some(&parts.reached(rows, path)?), plan, path),
    }
}

/// Finds values of ranges, and names each of `rows` that has one.
fn find_ranges(
    parts: Parts<'_>,
    field: &Field,
    rows: Option<&NullBuffer>,
    search: Search<'_>,
    path: &str,
    found: &mut Vec<Found>,
) -> Result<(), RowError> {
    let mut bad = Vec::new();
    match find_part(parts.values, field, None, Search { enough: Enough::First, ..search }, path, &mut bad) {
        Ok(()) if bad.is_empty() => return Ok(()),
        _ => bad.clear(),
    }
    // The first value that is refused may not be that of the first row.
    let enough = if search.enough == Enough::First { Enough::All } else { search.enough };
    let reached = parts.reached(rows, path)?;
    find_part(parts.values, field, Some(&reached), Search { enough, ..search }, path, &mut bad)?;
    sort(&mut bad);
    let mut once = bad.len();
    for row in rows_in(0..parts.rows, rows) {
        let Some(range) = (parts.of)(row) else { continue };
        let first = bad.partition_point(|found| found.row < range.start);
        let same = bad[first..].iter().take_while(|found| found.row < range.end);
        for same in same.take(if search.enough == Enough::All { usize::MAX } else { 1 }) {
            found.push(Found { row, path: same.path.clone(), ..*same });
            if search.enough == Enough::First {
                return Ok(());
            }
            match once.checked_sub(1) {
                Some(less) => once = less,
                None => search.count_shared(1, row, path)?,
            }
        }
    }
    Ok(())
}

fn find_viewed<O: OffsetSizeTrait>(
    list: &GenericListViewArray<O>,
    field: &Field,
    live: Option<&NullBuffer>,
    search: Search<'_>,
    path: &str,
    found: &mut Vec<Found>,
) -> Result<(), RowError> {
    check_list_view(list, path)?;
    let rows = reached(list.len(), list.nulls(), live, path)?;
    let parts = Parts { values: list.values(), rows: list.len(), of: &|row| viewed(list, row) };
    find_ranges(parts, field, rows.as_ref(), search, &format!("{path}[]"), found)
}

/// Returns the range of a row in the values of its list, which `check_list_view` has checked.
fn viewed<O: OffsetSizeTrait>(list: &GenericListViewArray<O>, row: usize) -> Option<Range<usize>> {
    let start = list.offsets()[row].as_usize();
    Some(start..start + list.sizes()[row].as_usize())
}

/// Returns the range of a row in the field `id` of a union, which `check_union` has checked.
fn chosen(union: &UnionArray, id: i8, row: usize) -> Option<Range<usize>> {
    let at = union.offsets().map_or(row, |offsets| offsets[row].as_usize());
    (union.type_ids()[row] == id).then_some(at..at + 1)
}

fn convert_struct(
    array: &StructArray,
    live: Option<&NullBuffer>,
    plan: Plan<'_>,
    path: &str,
) -> Result<StructArray, RowError> {
    let plans = array.fields().iter().map(|field| (plan, format!("{path}.{}", field.name())));
    convert_fields(array, live, plans.collect(), path)
}

/// Converts the entries of a map. Its keys can't be null, so they are repaired with U+FFFD then.
fn convert_entries(
    entries: &StructArray,
    live: Option<&NullBuffer>,
    plan: Plan<'_>,
    path: &str,
) -> Result<StructArray, RowError> {
    if entries.num_columns() != 2 {
        return Err(RowError::shape(0, path, "the map does not have keys and values"));
    }
    let keys = Plan {
        policy: plan.policy.map(|policy| if policy == Policy::Null { Policy::Replace } else { policy }),
        types: Types::Same,
        ..plan
    };
    convert_fields(entries, live, vec![(keys, format!("{path}.key")), (plan, format!("{path}.value"))], path)
}

fn convert_fields(
    array: &StructArray,
    live: Option<&NullBuffer>,
    plans: Vec<(Plan<'_>, String)>,
    path: &str,
) -> Result<StructArray, RowError> {
    let rows = reached(array.len(), array.nulls(), live, path)?;
    let mut columns = Vec::with_capacity(plans.len());
    for ((column, field), (plan, path)) in array.columns().iter().zip(array.fields()).zip(&plans) {
        check_len(column, array.len(), path)?;
        columns.push(convert_part(column, field, rows.as_ref(), *plan, path)?);
    }
    let fields = array.fields().iter().zip(&columns).zip(&plans);
    let fields: Fields = fields.map(|((field, column), (plan, _))| field_for(field, column, *plan)).collect();
    let nulls = array.nulls().cloned();
    // SAFETY: the struct is unchanged, except for the type of its fields.
    Ok(unsafe { StructArray::new_unchecked_with_length(fields, columns, nulls, array.len()) })
}

/// What to look for.
#[derive(Clone, Copy)]
pub(crate) struct Search<'a> {
    /// The profile that values must satisfy.
    pub(crate) profile: &'a Profile,
    /// Only arrays that claim to be UTF-8 count.
    pub(crate) claims: bool,
    /// Which values are enough.
    pub(crate) enough: Enough,
    /// How many values were listed for rows that share a list or run of them.
    pub(crate) shared: &'a Cell<usize>,
}

impl Search<'_> {
    /// Counts values that are listed once more.
    fn count_shared(&self, more: usize, row: usize, path: &str) -> Result<(), RowError> {
        let listed = self.shared.get().saturating_add(more);
        if listed > MOST_SHARED_ERRORS {
            let what = "more than 2^24 values in runs or shared lists are refused";
            return Err(RowError::shape(row, path, what));
        }
        self.shared.set(listed);
        Ok(())
    }
}

/// Which of the refused values a search has to find.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Enough {
    All,
    /// One of each row.
    EachRow,
    /// The first one of each array.
    First,
}

/// A value that is refused, and its row.
pub(crate) struct Found {
    pub(crate) row: usize,
    pub(crate) path: Arc<str>,
    pub(crate) error: ProfileError,
    /// The characters that a profile forbids, for a search that has to find all.
    pub(crate) run: Option<Run>,
}

/// Sorts by rows. There is only one call of the generic function, which takes long to compile.
pub(crate) fn sort(found: &mut [Found]) {
    found.sort_by_key(|found| found.row);
}

/// Appends the refused values of an array to `found`, in the order of its rows if it is not nested.
pub(crate) fn find(
    array: &dyn Array,
    live: Option<&NullBuffer>,
    search: Search<'_>,
    path: &str,
    found: &mut Vec<Found>,
) -> Result<(), RowError> {
    if !has_bytes(array.data_type(), search.claims) {
        return Ok(());
    }
    match array.data_type() {
        DataType::Struct(fields) => {
            let rows = reached(array.len(), array.nulls(), live, path)?;
            for (column, field) in array.as_struct().columns().iter().zip(fields) {
                check_len(column, array.len(), path)?;
                find_part(column, field, rows.as_ref(), search, &format!("{path}.{}", field.name()), found)?;
            }
        }
        DataType::List(field) => find_items(array.as_list::<i32>(), field, live, search, path, found)?,
        DataType::LargeList(field) => find_items(array.as_list::<i64>(), field, live, search, path, found)?,
        DataType::FixedSizeList(field, size) => {
            check_items(array.as_fixed_size_list(), path)?;
            let size = size.as_usize();
            let items = fixed_items(reached(array.len(), array.nulls(), live, path)?, size, path)?;
            let (start, values) = (found.len(), array.as_fixed_size_list().values());
            find_part(values, field, items.as_ref(), search, &format!("{path}[]"), found)?;
            found[start..].iter_mut().for_each(|found| found.row /= size.max(1));
        }
        DataType::Map(..) => {
            let map = array.as_map();
            check_offsets(map.offsets().inner(), len(map.entries()), path)?;
            let rows = reached(map.len(), map.nulls(), live, path)?;
            let entries = items(map.offsets(), len(map.entries()), rows.as_ref(), path)?;
            let start = found.len();
            map.entries()
                .columns()
                .iter()
                .try_for_each(|column| check_len(column, len(map.entries()), path))?;
            let columns = map.entries().columns().iter().zip(map.entries().fields());
            for ((column, field), name) in columns.zip(["key", "value"]) {
                find_part(column, field, entries.as_ref(), search, &format!("{path}.{name}"), found)?;
            }
            rows_of_items(map.offsets(), &mut found[start..]);
        }
        DataType::Dictionary(..) | DataType::RunEndEncoded(..) => {
            let rows = reached(array.len(), array.nulls(), live, path)?;
            find_shared(array, rows.as_ref(), search, path, found)?;
        }
        DataType::ListView(field) => {
            find_viewed(array.as_list_view::<i32>(), field, live, search, path, found)?;
        }
        DataType::LargeListView(field) => {
            find_viewed(array.as_list_view::<i64>(), field, live, search, path, found)?;
        }
        DataType::Union(fields, _) => {
            let (union, rows) = (array.as_union(), reached(array.len(), None, live, path)?);
            check_union(union, path)?;
            for (id, field) in fields.iter() {
                let parts =
                    Parts { values: union.child(id), rows: union.len(), of: &|row| chosen(union, id, row) };
                find_ranges(parts, field, rows.as_ref(), search, &format!("{path}.{}", field.name()), found)?;
            }
        }
        data_type if search.claims && claim(data_type) == Claim::Bytes => {}
        _ => {
            let path: Arc<str> = path.into();
            let most = if search.enough == Enough::First { 1 } else { usize::MAX };
            Leaf::of(array, live, &path)?.errors(search.profile, most, &mut |row, error, bytes| {
                let is_listed = search.enough == Enough::All && matches!(error, ProfileError::Forbidden(_));
                let run = if is_listed { search.profile.errors(bytes).runs().next() } else { None };
                found.push(Found { row, path: path.clone(), error, run });
            })?;
        }
    }
    Ok(())
}

/// Does the same for an array that is part of another one, in this field.
fn find_part(
    array: &dyn Array,
    field: &Field,
    live: Option<&NullBuffer>,
    search: Search<'_>,
    path: &str,
    found: &mut Vec<Found>,
) -> Result<(), RowError> {
    find(array, live, Search { claims: claims_in(field, search.claims), ..search }, path, found)
}

fn find_items<O: OffsetSizeTrait>(
    list: &GenericListArray<O>,
    field: &Field,
    live: Option<&NullBuffer>,
    search: Search<'_>,
    path: &str,
    found: &mut Vec<Found>,
) -> Result<(), RowError> {
    check_offsets(list.offsets().inner(), len(list.values()), path)?;
    check_claim(list.values(), path)?;
    let rows = reached(list.len(), list.nulls(), live, path)?;
    let items = items(list.offsets(), len(list.values()), rows.as_ref(), path)?;
    let start = found.len();
    find_part(list.values(), field, items.as_ref(), search, &format!("{path}[]"), found)?;
    rows_of_items(list.offsets(), &mut found[start..]);
    Ok(())
}

/// Replaces the numbers of items with those of their rows.
fn rows_of_items<O: OffsetSizeTrait>(offsets: &[O], found: &mut [Found]) {
    for found in found {
        found.row = offsets.partition_point(|offset| offset.as_usize() <= found.row) - 1;
    }
}

/// The limit on listed values that rows share. A run can claim any number of rows without memory,
/// and many rows of a dictionary can have the same list with many items.
const MOST_SHARED_ERRORS: usize = 1 << 24;

/// Returns the refused values of a dictionary or of an array of runs that some of `rows` have, in
/// their order.
fn bad_values(
    array: &dyn Array,
    rows: Option<&NullBuffer>,
    search: Search<'_>,
    path: &str,
) -> Result<Vec<Found>, RowError> {
    let values = shared_values(array, path)?;
    check_shared(array, path)?;
    let search = Search { claims: claims_in_shared(array.data_type(), search.claims), ..search };
    let mut bad = Vec::new();
    match find(values, None, Search { enough: Enough::First, ..search }, path, &mut bad) {
        Ok(()) if bad.is_empty() => return Ok(bad),
        _ => bad.clear(),
    }
    // The first value that is refused may not be that of the first row.
    let enough = if search.enough == Enough::First { Enough::All } else { search.enough };
    let used = used(array, rows, len(values), path)?;
    find(values, Some(&used), Search { enough, ..search }, path, &mut bad)?;
    sort(&mut bad);
    if enough == Enough::EachRow {
        bad.dedup_by_key(|found| found.row);
    }
    Ok(bad)
}

/// Calls `each` with the refused rows of an array, some of them more than once. Rows of a dictionary
/// or of runs are not listed, so their number has no limit.
pub(crate) fn refused_rows(
    array: &dyn Array,
    search: Search<'_>,
    mut each: impl FnMut(usize),
) -> Result<(), RowError> {
    if let DataType::Dictionary(..) | DataType::RunEndEncoded(..) = array.data_type()
        && has_bytes(array.data_type(), search.claims)
    {
        let rows = reached(array.len(), array.nulls(), None, "")?;
        let bad = bad_values(array, rows.as_ref(), search, "")?;
        shared(array, |range, value| {
            if bad.binary_search_by_key(&value, |found| found.row).is_ok() {
                rows_in(range, rows.as_ref()).for_each(&mut each);
            }
            ControlFlow::Continue(())
        });
        return Ok(());
    }
    let mut found = Vec::new();
    find(array, None, search, "", &mut found)?;
    found.iter().for_each(|found| each(found.row));
    Ok(())
}

/// Finds values of a dictionary or of an array of runs, and names each of `rows` that has one.
fn find_shared(
    array: &dyn Array,
    rows: Option<&NullBuffer>,
    search: Search<'_>,
    path: &str,
    found: &mut Vec<Found>,
) -> Result<(), RowError> {
    let bad = bad_values(array, rows, search, path)?;
    if bad.is_empty() {
        return Ok(());
    }
    let first_only = search.enough == Enough::First;
    let mut result = Ok(());
    shared(array, |range, value| {
        let first = bad.partition_point(|found| found.row < value);
        let same = bad[first..].iter().take_while(|found| found.row == value);
        if same.clone().next().is_none() {
            return ControlFlow::Continue(());
        }
        let reached = rows.map_or(range.len(), |_| rows_in(range.clone(), rows).count());
        let more = reached.saturating_mul(same.clone().count());
        if !first_only && more > 1 {
            result = search.count_shared(more, range.start, path);
            if result.is_err() {
                return ControlFlow::Break(());
            }
        }
        for row in rows_in(range, rows) {
            found.extend(same.clone().map(|same| Found { row, path: same.path.clone(), ..*same }));
            if first_only {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    });
    result
}
