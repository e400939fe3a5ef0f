//! `CREATE EXTERNAL TABLE .. STORED AS CHECKED_..`: untrusted files as tables, checked, and decoded before they are read.
//!
//! ```text
//! CREATE EXTERNAL TABLE:
//!     the factory of the format without CHECKED_ makes the table; where bytes are decoded, in a session whose stores decode
//! scan:
//!     a plan whose bytes are decoded runs with such stores, too, and hides from the optimizer, which would cut files into ranges
//!     of bytes that are not decoded
//!     its batches are checked
//! ```

#![forbid(unsafe_code)]

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider, TableProviderFactory};
use datafusion::common::plan_datafusion_err;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::object_store::ObjectStoreRegistry;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::logical_expr::CreateExternalTable;
use datafusion::object_store::path::Path;
use datafusion::object_store::{self, *};
use datafusion::prelude::SessionContext;
use encoding_rs::{DecoderResult, Encoding};
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use trust8::stream::Decoder;
use trust8_columns::Policy;
use url::Url;

use crate::CheckedTable;

/// How bytes become UTF-8.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Decoding {
    /// They are UTF-8, and what is not is repaired.
    Utf8(Policy),
    /// They are in this encoding. What is not becomes U+FFFD, or is an error.
    Of(&'static Encoding, IsLossy),
}

type IsLossy = bool;

/// A file that is being decoded.
enum State {
    Utf8(Decoder),
    /// No character was decoded yet.
    Utf8AtStart(Decoder),
    Of(encoding_rs::Decoder, IsLossy),
}

impl State {
    fn new(decoding: Decoding) -> Self {
        match decoding {
            Decoding::Utf8(policy) => Self::Utf8AtStart(Decoder::with_policy(policy).unwrap_or_default()),
            Decoding::Of(encoding, is_lossy) => Self::Of(encoding.new_decoder(), is_lossy),
        }
    }

    /// Decodes a piece, which begins at byte `start` of the file.
    fn decode(&mut self, piece: &[u8], start: u64, is_last: bool) -> Result<String, String> {
        let mut text = String::new();
        match self {
            Self::Utf8(decoder) | Self::Utf8AtStart(decoder) => {
                text.extend(decoder.push(piece));
                if is_last {
                    text.extend(decoder.finish());
                }
            }
            Self::Of(decoder, is_lossy) => {
                text.reserve(decoder.max_utf8_buffer_length(piece.len()).ok_or("the piece is too long")?);
                if *is_lossy {
                    let _ = decoder.decode_to_string(piece, &mut text, is_last);
                } else if let (DecoderResult::Malformed(len, after), read) =
                    decoder.decode_to_string_without_replacement(piece, &mut text, is_last)
                {
                    let end = start + read as u64 - u64::from(after);
                    let (at, name) = (end.saturating_sub(len.into()), decoder.encoding().name());
                    return Err(format!("the file is not {name}: see byte {at}"));
                }
            }
        }
        // A byte order mark is no text. The decoders of `encoding_rs` drop it themselves.
        if let Self::Utf8AtStart(decoder) = self
            && !text.is_empty()
        {
            let mark = if text.starts_with('\u{FEFF}') { 3 } else { 0 };
            text.drain(..mark);
            *self = Self::Utf8(std::mem::take(decoder));
        }
        Ok(text)
    }
}

/// Decodes the bytes of a file while they are read.
fn decoded<B: AsRef<[u8]> + From<Vec<u8>> + Send + 'static>(
    bytes: BoxStream<'static, object_store::Result<B>>,
    decoding: Decoding,
) -> BoxStream<'static, object_store::Result<B>> {
    let start = Some((bytes, State::new(decoding), 0));
    stream::unfold(start, |state| async {
        let (mut bytes, mut decoder, start) = state?;
        let (text, end) = match bytes.next().await {
            Some(Err(error)) => return Some((Err(error), None)),
            Some(Ok(piece)) => {
                let piece = piece.as_ref();
                (decoder.decode(piece, start, false), Some(start + piece.len() as u64))
            }
            None => (decoder.decode(b"", start, true), None),
        };
        match text {
            Ok(text) => Some((Ok(text.into_bytes().into()), end.map(|end| (bytes, decoder, end)))),
            Err(message) => Some((Err(Error::Generic { store: "decoded", source: message.into() }), None)),
        }
    })
    .boxed()
}

/// A store whose files are decoded while they are read.
#[derive(Debug)]
struct DecodedStore {
    store: Arc<dyn ObjectStore>,
    decoding: Decoding,
}

impl fmt::Display for DecodedStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "decoded {}", self.store)
    }
}

#[async_trait]
impl ObjectStore for DecodedStore {
    async fn put_opts(&self, _: &Path, _: PutPayload, _: PutOptions) -> object_store::Result<PutResult> {
        Err(Error::NotImplemented { operation: "put_opts".to_owned(), implementer: self.to_string() })
    }

    async fn put_multipart_opts(
        &self,
        _: &Path,
        _: PutMultipartOptions,
    ) -> object_store::Result<Box<dyn MultipartUpload>> {
        Err(Error::NotImplemented {
            operation: "put_multipart_opts".to_owned(),
            implementer: self.to_string(),
        })
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> object_store::Result<GetResult> {
        if options.range.is_some() {
            let operation = "a range of decoded bytes".to_owned();
            return Err(Error::NotImplemented { operation, implementer: self.to_string() });
        }
        let result = self.store.get_opts(location, options).await?;
        let GetResult { meta, range, attributes, .. } = &result;
        let (meta, range, attributes) = (meta.clone(), range.clone(), attributes.clone());
        let payload = GetResultPayload::Stream(decoded(result.into_stream(), self.decoding));
        Ok(GetResult { payload, meta, range, attributes })
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, object_store::Result<Path>>,
    ) -> BoxStream<'static, object_store::Result<Path>> {
        self.store.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, object_store::Result<ObjectMeta>> {
        self.store.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> object_store::Result<ListResult> {
        self.store.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, _: &Path, _: &Path, _: CopyOptions) -> object_store::Result<()> {
        Err(Error::NotImplemented { operation: "copy_opts".to_owned(), implementer: self.to_string() })
    }
}

/// The stores of a session, which decode.
#[derive(Debug)]
struct DecodedStores {
    stores: Arc<dyn ObjectStoreRegistry>,
    decoding: Decoding,
}

impl ObjectStoreRegistry for DecodedStores {
    fn register_store(&self, url: &Url, store: Arc<dyn ObjectStore>) -> Option<Arc<dyn ObjectStore>> {
        self.stores.register_store(url, store)
    }

    fn get_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        Ok(Arc::new(DecodedStore { store: self.stores.get_store(url)?, decoding: self.decoding }))
    }
}

impl Decoding {
    /// Returns an environment with the same memory and disk, whose stores decode.
    pub(crate) fn environment(self, environment: &RuntimeEnv) -> Arc<RuntimeEnv> {
        let stores = environment.object_store_registry.clone();
        let object_store_registry = Arc::new(DecodedStores { stores, decoding: self });
        Arc::new(RuntimeEnv { object_store_registry, ..environment.clone() })
    }
}

/// Makes tables of files that are checked. It gives the format's name and options to another factory.
#[derive(Debug)]
struct CheckedFiles {
    factory: Arc<dyn TableProviderFactory>,
    format: String,
}

#[async_trait]
impl TableProviderFactory for CheckedFiles {
    async fn create(
        &self,
        state: &dyn Session,
        command: &CreateExternalTable,
    ) -> Result<Arc<dyn TableProvider>> {
        let mut command = command.clone();
        command.file_type.clone_from(&self.format);
        let mut option = |name: &str| {
            let qualified = command.options.remove(&format!("format.{name}"));
            command.options.remove(name).or(qualified)
        };
        let (policy, encoding) = (option("policy"), option("encoding"));
        let policy = policy
            .map(|name| name.parse::<Policy>())
            .transpose()
            .map_err(|error| plan_datafusion_err!("{error}"))?;
        let refuses: &[_] = if cfg!(feature = "parquet") { &["ARROW"] } else { &["ARROW", "PARQUET"] };
        if policy.is_some() && refuses.contains(&&*self.format) {
            let format = &self.format;
            return Err(plan_datafusion_err!(
                "{format} has no policy: its reader refuses text that is not UTF-8"
            ));
        }
        let is_text = ["CSV", "JSON", "NDJSON"].contains(&self.format.as_str());
        let decoding = match (encoding, policy) {
            (Some(_), _) if !is_text => {
                return Err(plan_datafusion_err!("only CSV and JSON have an encoding, not {}", self.format));
            }
            (Some(label), policy) => {
                let encoding = Encoding::for_label(label.as_bytes())
                    .ok_or_else(|| plan_datafusion_err!("no such encoding: {label}"))?;
                match policy {
                    Some(policy) if encoding == encoding_rs::UTF_8 => Some(Decoding::Utf8(policy)),
                    None | Some(Policy::Replace) => Some(Decoding::Of(encoding, policy.is_some())),
                    Some(_) => return Err(plan_datafusion_err!("{label} has no policy but 'replace'")),
                }
            }
            (None, Some(policy)) if is_text => Some(Decoding::Utf8(policy)),
            _ => None,
        };
        let Some(decoding) = decoding else {
            let table = self.factory.create(state, &command).await?;
            return Ok(Arc::new(CheckedTable::new(table, policy)));
        };
        if policy == Some(Policy::Null) {
            return Err(plan_datafusion_err!(
                "the policy 'null' is for values, and a text file is repaired as a whole"
            ));
        }
        // The options of CSV that are a character, or its number.
        let is_backslash = |(name, value): (&String, &String)| {
            ["delimiter", "quote", "escape", "terminator", "comment"]
                .iter()
                .any(|known| name.ends_with(known))
                && (value == "\\" || value.parse() == Ok(b'\\'))
        };
        if policy == Some(Policy::Escape)
            && (self.format.ends_with("JSON") || command.options.iter().any(is_backslash))
        {
            return Err(plan_datafusion_err!(
                "the policy 'escape' writes backslashes, which the file has for itself"
            ));
        }
        let is_compression = |(name, value): (&String, &String)| {
            name.ends_with("compression") && !value.eq_ignore_ascii_case("uncompressed")
        };
        if command.options.iter().any(is_compression) {
            return Err(plan_datafusion_err!("a compressed file can't be decoded"));
        }
        let state = state
            .as_any()
            .downcast_ref::<SessionState>()
            .ok_or_else(|| DataFusionError::Internal("the tables of files need a SessionState".to_owned()))?;
        let state = SessionStateBuilder::new_from_existing(state.clone())
            .with_runtime_env(decoding.environment(state.runtime_env()))
            .build();
        let table = self.factory.create(&state, &command).await?;
        Ok(Arc::new(CheckedTable::decoded(table, decoding)))
    }
}

/// Registers a format `CHECKED_X` for each format X of the context.
pub(crate) fn register_formats(context: &SessionContext) {
    let state = context.state_ref();
    let mut state = state.write();
    let factories = state.table_factories_mut();
    let checked: Vec<_> = factories
        .iter()
        .filter(|(format, _)| !format.starts_with("CHECKED_"))
        .map(|(format, factory)| {
            let files = CheckedFiles { factory: factory.clone(), format: format.clone() };
            (format!("CHECKED_{format}"), Arc::new(files) as Arc<dyn TableProviderFactory>)
        })
        .collect();
    factories.extend(checked);
}
