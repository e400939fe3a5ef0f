//! Files of strangers, for the tests of `CREATE EXTERNAL TABLE`.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::{BinaryArray, RecordBatch, StringArray};
use datafusion::catalog::{Session, TableProvider, TableProviderFactory};
use datafusion::datasource::MemTable;
use datafusion::error::Result;
use datafusion::logical_expr::CreateExternalTable;

/// A format that is always the same table, whose reader checks nothing.
#[derive(Debug)]
pub(crate) struct Unchecked;

#[async_trait]
impl TableProviderFactory for Unchecked {
    async fn create(&self, _: &dyn Session, _: &CreateExternalTable) -> Result<Arc<dyn TableProvider>> {
        let (offsets, values, nulls) = BinaryArray::from_vec(vec![b"Ana", b"Ren\xE9"]).into_parts();
        // SAFETY: none. Readers that check nothing make such arrays.
        let lie = unsafe { StringArray::new_unchecked(offsets, values, nulls) };
        let batch = RecordBatch::try_from_iter([("name", Arc::new(lie) as _)])?;
        Ok(Arc::new(MemTable::try_new(batch.schema(), vec![vec![batch]])?))
    }
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
}
