//! Files of strangers, for the tests of `CREATE EXTERNAL TABLE`.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::builder::{MapBuilder, StringBuilder};
use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, Date64Array, Decimal128Array, DictionaryArray,
    DurationSecondArray, FixedSizeListArray, Int64Array, LargeListArray, LargeListViewArray,
    LargeStringArray, ListArray, ListViewArray, NullArray, RecordBatch, StringArray, StringViewArray,
    StructArray, TimestampMicrosecondArray,
};
use datafusion::arrow::buffer::{NullBuffer, OffsetBuffer};
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::datatypes::{DataType, Field, Int8Type};
use datafusion::catalog::{Session, TableProvider, TableProviderFactory};
use datafusion::datasource::MemTable;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{FileScanConfig, FileScanConfigBuilder};
use datafusion::datasource::source::DataSourceExec;
use datafusion::error::Result;
use datafusion::logical_expr::CreateExternalTable;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::arrow::arrow_writer::ArrowWriterOptions;
use datafusion::parquet::file::properties::WriterProperties;
use datafusion::physical_plan::collect;
use trust8_datafusion::{CheckedExec, Policy};

/// A format that is always the same table, whose reader checks nothing.
#[derive(Debug)]
pub(crate) struct Unchecked;

#[async_trait]
impl TableProviderFactory for Unchecked {
    async fn create(&self, _: &dyn Session, _: &CreateExternalTable) -> Result<Arc<dyn TableProvider>> {
        let name = lie(&[Some(b"Ana"), Some(b"Ren\xE9")]);
        let batch = RecordBatch::try_from_iter([("name", Arc::new(name) as _)])?;
        Ok(Arc::new(MemTable::try_new(batch.schema(), vec![vec![batch]])?))
    }
}

/// Returns bytes as text that nobody has checked.
fn lie(rows: &[Option<&[u8]>]) -> StringArray {
    let (offsets, values, nulls) = rows.iter().copied().collect::<BinaryArray>().into_parts();
    // SAFETY: none. Readers that check nothing make such arrays.
    unsafe { StringArray::new_unchecked(offsets, values, nulls) }
}

/// Writes columns of Parquet, two rows in a group, with statistics and bloom filters.
fn write_parquet(path: &Path, columns: &[(&str, ArrayRef)], has_arrow_schema: bool) {
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.iter().map(|(name, array)| (*name, array.clone(), true)),
    )
    .expect("a batch");
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    let options =
        WriterProperties::builder().set_bloom_filter_max_ndv(2).set_max_row_group_row_count(Some(2)).build();
    let options =
        ArrowWriterOptions::new().with_properties(options).with_skip_arrow_metadata(!has_arrow_schema);
    let file = fs::File::create(path).expect("a file");
    let mut writer = ArrowWriter::try_new_with_options(file, batch.schema(), options).expect("a writer");
    writer.write(&batch).and_then(|()| writer.close()).expect("a file");
}

/// Writes files of Parquet: their text is not UTF-8, except for that in the folder `part=clean`.
fn write_dirty_parquet(folder: &Path) {
    let item = Arc::new(Field::new_list_field(DataType::Utf8, true));
    let nested = |items: &[Option<&[u8]>], keys: [Option<i8>; 4]| -> Vec<(&str, ArrayRef)> {
        let nulls = Some(NullBuffer::from(vec![true, true, false, true]));
        let lists = ListArray::new(
            item.clone(),
            OffsetBuffer::from_lengths([2, 0, 0, 1]),
            Arc::new(lie(items)),
            nulls,
        );
        let person = StructArray::try_from(vec![
            ("nick", Arc::new(lie(&[items[0]; 4])) as ArrayRef),
            ("age", Arc::new(Int64Array::from(vec![30; 4]))),
        ])
        .expect("a struct");
        let kinds = DictionaryArray::<Int8Type>::new(keys.to_vec().into(), Arc::new(lie(items)));
        vec![("tags", Arc::new(lists)), ("kind", Arc::new(kinds)), ("person", Arc::new(person))]
    };
    let numbers = |first: i64| Arc::new(Int64Array::from_iter_values(first..first + 4));
    let names = lie(&[Some(b"Ana"), Some(b"Ren\xE9"), None, Some(b"\xED\xA0\x80")]);
    let same = lie(&[Some(&b"\xE9"[..]); 4]);
    let half = lie(&[Some(b"\xE9"), Some(b"\xE9"), Some(b"s"), Some(b"s")]);
    let mut dirty: Vec<(&str, ArrayRef)> = vec![
        ("id", numbers(1)),
        ("name", Arc::new(names)),
        ("same", Arc::new(same)),
        ("half", Arc::new(half)),
    ];
    dirty.extend(nested(&[Some(b"x\xE9"), Some(b"y"), Some(b"\xFF")], [Some(0), Some(1), None, Some(0)]));
    let names = lie(&[Some(b"Ren\xC3\xA9"), Some(b"Eva"), Some(b"Ana"), None]);
    let same = Arc::new(lie(&[Some(&b"s"[..]); 4]));
    let mut clean: Vec<(&str, ArrayRef)> =
        vec![("id", numbers(5)), ("name", Arc::new(names)), ("same", same.clone()), ("half", same)];
    clean.extend(nested(&[Some(b"x"), Some(b"y"), Some(b"z")], [Some(2), Some(1), None, Some(0)]));
    write_parquet(&folder.join("dirty.parquet"), &dirty, true);
    write_parquet(&folder.join("spark.parquet"), &dirty, false);
    write_parquet(&folder.join("many/part=dirty/a.parquet"), &dirty, true);
    write_parquet(&folder.join("many/part=clean/b.parquet"), &clean, true);
    let mixed = [("raw", DataType::Binary), ("text", DataType::Utf8)]
        .map(|(name, data_type)| Field::new(name, data_type, true));
    let raw = BinaryArray::from_vec(vec![b"\xFF"]);
    let mixed =
        StructArray::new(mixed.to_vec().into(), vec![Arc::new(raw), Arc::new(lie(&[Some(b"\xFF")]))], None);
    let number = Arc::new(Int64Array::from(vec![1]));
    write_parquet(&folder.join("mixed.parquet"), &[("mixed", Arc::new(mixed)), ("number", number)], true);
}

/// Of a clean file, a checked table has the same rows and types as any other.
#[test]
fn clean_parquet() {
    let text = ["a", "\u{E9}", ""].map(Some);
    let bytes = BinaryArray::from_vec(vec![b"\xFF", b"", b"b"]);
    let list = |array: ArrayRef| (Arc::new(Field::new_list_field(array.data_type().clone(), true)), array);
    let mut map = MapBuilder::new(None, StringBuilder::new(), StringBuilder::new());
    for text in text.into_iter().flatten() {
        map.keys().append_value(text);
        map.values().append_option(Some(text));
        map.append(true).expect("an entry");
    }
    let (item, array) = list(Arc::new(LargeStringArray::from_iter(text)));
    let large_list = LargeListArray::new(item, OffsetBuffer::from_lengths([1, 0, 2]), array, None);
    let (item, array) = list(Arc::new(StringArray::from_iter(text.iter().chain(&text).copied())));
    let fixed_list = FixedSizeListArray::new(item, 2, array, None);
    let mixed = StructArray::try_from(vec![
        ("raw", Arc::new(bytes.clone()) as ArrayRef),
        ("text", Arc::new(StringArray::from_iter(text))),
    ]);
    let columns: [(&str, ArrayRef); 14] = [
        ("text", Arc::new(StringArray::from_iter(text))),
        ("large", Arc::new(LargeStringArray::from_iter(text))),
        ("views", Arc::new(StringViewArray::from_iter(text))),
        ("bytes", Arc::new(bytes)),
        ("dictionary", Arc::new(text.into_iter().collect::<DictionaryArray<Int8Type>>())),
        ("map", Arc::new(map.finish())),
        ("large_list", Arc::new(large_list)),
        ("fixed_list", Arc::new(fixed_list)),
        ("mixed", Arc::new(mixed.expect("a struct"))),
        ("none", Arc::new(NullArray::new(3))),
        ("moment", Arc::new(TimestampMicrosecondArray::from(vec![1, 2, 3]).with_timezone("+02:00"))),
        ("day", Arc::new(Date64Array::from(vec![0, 86_400_000, 0]))),
        ("span", Arc::new(DurationSecondArray::from(vec![1, 2, 3]))),
        ("price", Arc::new(Decimal128Array::from(vec![1, 2, 3]))),
    ];
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clean.parquet");
    for [views, has_arrow_schema] in [[true, true], [true, false], [false, true], [false, false]] {
        write_parquet(&path, &columns, has_arrow_schema);
        let context = super::context();
        let run = |sql: &str| super::run(&context, sql).expect(sql);
        run(&format!("SET datafusion.execution.parquet.schema_force_view_types = {views}"));
        let options =
            [("PARQUET", ""), ("CHECKED_PARQUET", ""), ("CHECKED_PARQUET", "OPTIONS ('policy' 'drop')")];
        let [plain, strict, repaired] = options.map(|(format, options)| {
            run(&format!(
                "CREATE EXTERNAL TABLE {format}{} STORED AS {format} LOCATION '{}' {options}",
                options.len(),
                path.display()
            ));
            let rows = run(&format!("SELECT * FROM {format}{} ORDER BY moment", options.len()));
            concat_batches(rows[0].schema_ref(), &rows).expect("a batch")
        });
        assert_eq!(plain.num_rows(), 3);
        assert_eq!(plain, strict);
        assert_eq!(plain, repaired);
    }
}

/// The text of list views is read as bytes, too.
#[test]
fn list_views_of_parquet() {
    let views = |text: StringArray| -> [ArrayRef; 2] {
        let item = Arc::new(Field::new_list_field(DataType::Utf8, true));
        let (nulls, text) = (Some(NullBuffer::from(vec![true, false, true])), Arc::new(text) as ArrayRef);
        let list =
            ListArray::new(item.clone(), OffsetBuffer::from_lengths([2, 0, 1]), text.clone(), nulls.clone());
        let large = LargeListArray::new(item, OffsetBuffer::from_lengths([2, 0, 1]), text, nulls);
        [Arc::new(ListViewArray::from(list)), Arc::new(LargeListViewArray::from(large))]
    };
    let [narrow, wide] = views(lie(&[Some(b"Ren\xE9"), None, Some(b"\xFF")]));
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("list-views.parquet");
    let number = Arc::new(Int64Array::from(vec![1, 2, 3]));
    write_parquet(&path, &[("narrow", narrow), ("wide", wide), ("number", number)], true);
    for (policy, text) in [
        ("drop", [Some("Ren"), None, Some("")]),
        ("windows-1252", [Some("Ren\u{E9}"), None, Some("\u{FF}")]),
        ("null", [None; 3]),
    ] {
        let context = super::context();
        let run = |sql: &str| super::run(&context, sql).expect(sql);
        run("SET datafusion.execution.target_partitions = 1");
        run("SET datafusion.execution.parquet.schema_force_view_types = false");
        run(&format!(
            "CREATE EXTERNAL TABLE t STORED AS CHECKED_PARQUET LOCATION '{}' OPTIONS ('policy' '{policy}')",
            path.display()
        ));
        let rows = run("SELECT narrow, wide, number FROM t");
        let rows = concat_batches(rows[0].schema_ref(), &rows).expect("a batch");
        assert_eq!(rows.columns()[..2], views(text.into_iter().collect()), "{policy}");
    }
}

/// A plan that knows the types of its files reads bytes, too.
#[test]
fn parquet_of_known_types() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("known.parquet");
    write_parquet(&path, &[("name", Arc::new(lie(&[Some(b"Ren\xE9")])))], true);
    let context = super::context();
    super::run(&context, "SET datafusion.execution.parquet.schema_force_view_types = false")
        .expect("an option");
    let sql = format!("CREATE EXTERNAL TABLE t STORED AS PARQUET LOCATION '{}'", path.display());
    super::run(&context, &sql).expect("a table");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let rows = runtime.block_on(async {
        let plan = context.table("t").await?.create_physical_plan().await?;
        let scan = plan.downcast_ref::<DataSourceExec>().expect("a scan").data_source();
        let scan = scan.downcast_ref::<FileScanConfig>().expect("files").clone();
        let known =
            |file: &PartitionedFile| PartitionedFile { arrow_schema: Some(plan.schema()), ..file.clone() };
        let groups = scan.file_groups.iter().map(|group| group.iter().map(known).collect()).collect();
        let scan = FileScanConfigBuilder::from(scan).with_file_groups(groups).build();
        let checked = CheckedExec::new(DataSourceExec::from_data_source(scan), Some(Policy::Windows1252));
        collect(Arc::new(checked), context.task_ctx()).await
    });
    let rows = rows.expect("text");
    assert_eq!(rows[0]["name"].as_string::<i32>().value(0), "Ren\u{E9}");
}

/// Writes the files into a folder.
pub(crate) fn write(folder: &Path) {
    let utf_16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let wine = "id,name\n1,Ros\u{E9}\n2,Merlot \u{20AC}\n";
    let mut many = b"id,name\n".to_vec();
    (0..50_000).for_each(|row| {
        many.extend_from_slice(
            format!("{row},Ros").as_bytes().iter().chain(b"\xE9\n").copied().collect::<Vec<_>>().as_slice(),
        )
    });
    let files: [(&str, Vec<u8>); 8] = [
        ("windows.csv", b"id,name\n1,Ros\xE9\n2,Merlot \x80\n".to_vec()),
        ("utf-16.csv", utf_16(wine)),
        ("odd.csv", [utf_16(wine).as_slice(), &[0x00, 0xD8, 0x31, 0x00]].concat()),
        ("marked.csv", b"\xEF\xBB\xBFid,name\n1,Ros\xC3\xA9\n".to_vec()),
        ("marked-utf-16.csv", utf_16(&format!("\u{FEFF}{wine}"))),
        ("damaged.csv", b"id,name\n1,Ros\xC3\xA9\n2,\xED\xA0\x80\n".to_vec()),
        ("windows.json", b"{\"name\": \"Ros\xE9\"}\n{\"name\": \"Cava\"}\n".to_vec()),
        ("many.csv", many),
    ];
    fs::create_dir_all(folder).expect("a folder");
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes).expect("a file");
    }
    write_dirty_parquet(folder);
}
