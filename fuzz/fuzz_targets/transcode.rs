//! Conversions with every kernel, against the standard library and `encoding_rs`: results, places of errors, lengths, buffers
//! that are too short, and streams.

#![no_main]

use core::mem::MaybeUninit;

use libfuzzer_sys::fuzz_target;
use trust8::Kernel;
use trust8_fuzz::input;
use trust8_fuzz::kernels::kernels;
use trust8_transcode::{
    BufferError, Encoding, KernelForms, Str, Transcoder, Utf16, convert, convert_into, convert_lossy, len,
};

/// How much of an input is converted: three of the parts that are validated and then converted.
const LONGEST: usize = 12 << 10;
/// How much of an input is converted in pieces, which may be of one byte.
const IN_PIECES: usize = 2000;

fuzz_target!(|data: &[u8]| {
    let Some(input) = input::build(data) else { return };
    let bytes = &input[..input.len().min(LONGEST)];
    // One byte chooses the pair of encodings. The other one says how a stream is cut, and how long buffers are.
    let [pair, control] = data.last_chunk::<2>().map_or([0; 2], |bytes| bytes.map(usize::from));
    let encodings = Encoding::ALL.len();
    let (from, to) = (Encoding::ALL[pair % encodings], Encoding::ALL[pair / encodings % encodings]);
    utf8(bytes);
    utf16(bytes);
    for kernel in kernels() {
        in_pieces_and_small_buffers(kernel, from, to, &bytes[..bytes.len().min(IN_PIECES)], control);
    }
});

fn utf8(bytes: &[u8]) {
    let lossy = String::from_utf8_lossy(bytes);
    let lossy_units: Vec<u16> = lossy.encode_utf16().collect();
    let std = core::str::from_utf8(bytes);
    for kernel in kernels() {
        assert_eq!(convert_lossy(kernel.form(Encoding::Utf8), Str, bytes), lossy);
        assert_eq!(convert_lossy(kernel.form(Encoding::Utf8), Utf16, bytes), lossy_units);
        match (convert(kernel.form(Encoding::Utf8), Utf16, bytes), std) {
            (Ok(got), Ok(text)) => {
                assert_eq!(got, lossy_units);
                assert_eq!(len(kernel.form(Str), Utf16, text), got.len());
                assert_eq!(convert(kernel.form(Utf16), Str, &got).as_deref(), Ok(text));
                assert_eq!(len(kernel.form(Utf16), Str, &got), text.len());
            }
            (Err(error), Err(std)) => {
                assert_eq!(error.valid_up_to(), std.valid_up_to());
                assert_eq!(error.utf8_error().and_then(|error| error.error_len()), std.error_len());
            }
            (got, std) => panic!("{got:?}, and std says {std:?}"),
        }
    }
}

fn utf16(bytes: &[u8]) {
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    let (std, lossy) = (String::from_utf16(&units), String::from_utf16_lossy(&units));
    let before = char::decode_utf16(units.iter().copied()).map_while(Result::ok);
    let before: usize = before.map(char::len_utf16).sum();
    let orders = [(Encoding::Utf16Le, encoding_rs::UTF_16LE), (Encoding::Utf16Be, encoding_rs::UTF_16BE)];
    let orders = orders.map(|(from, theirs)| (from, theirs.decode_without_bom_handling(bytes)));
    for kernel in kernels() {
        assert_eq!(convert_lossy(kernel.form(Utf16), Str, &units), lossy);
        match (convert(kernel.form(Utf16), Str, &units), &std) {
            (Ok(got), Ok(text)) => assert_eq!(got, *text),
            (Err(error), Err(_)) => assert_eq!(error.valid_up_to(), before),
            (got, std) => panic!("{got:?}, and std says {std:?}"),
        }
        for (from, (text, malformed)) in &orders {
            assert_eq!(convert_lossy(kernel.form(*from), Str, bytes), *text);
            assert_eq!(convert(kernel.form(*from), Str, bytes).is_err(), *malformed);
        }
    }
}

/// A text in pieces, or into a short buffer, is converted as it is at once.
fn in_pieces_and_small_buffers(
    kernel: &'static Kernel,
    from: Encoding,
    to: Encoding,
    bytes: &[u8],
    control: usize,
) {
    let whole = convert(kernel.form(from), to, bytes);
    // Other libraries do not have all pairs of encodings, so the scalar kernel is the oracle.
    let scalar = Kernel::by_name("scalar").expect("everywhere");
    assert_eq!(whole, convert(scalar.form(from), to, bytes), "{}", kernel.name());
    let lossy = convert_lossy(kernel.form(from), to, bytes);
    assert_eq!(lossy, convert_lossy(scalar.form(from), to, bytes), "{}", kernel.name());

    for replacing in [false, true] {
        let form = kernel.form(from);
        let mut transcoder = if replacing { Transcoder::lossy(form, to) } else { Transcoder::new(form, to) };
        let mut joined = Vec::new();
        let pieces = bytes.chunks(control % 67 + 1);
        let result = pieces.map(|piece| transcoder.push(piece, &mut joined)).collect::<Result<Vec<()>, _>>();
        let result = result.and_then(|_| transcoder.finish(&mut joined));
        match (result, &whole) {
            (Ok(()), _) if replacing => assert_eq!(joined, lossy),
            (Ok(()), Ok(whole)) => assert_eq!(joined, *whole),
            (Err(error), Err(same)) if !replacing => {
                assert_eq!((error.valid_up_to(), error.kind()), (same.valid_up_to() as u64, same.kind()));
            }
            (got, whole) => panic!("{got:?}, and at once {whole:?}"),
        }
    }

    let mut buffer = vec![MaybeUninit::new(0xA5); control + 64];
    match (convert_into(kernel.form(from), to, bytes, &mut buffer[..control]), &whole) {
        (Ok(got), Ok(whole)) => assert_eq!(got, &whole[..]),
        (Err(BufferError::TooSmall(trust8::TooSmall { needed, len })), Ok(whole)) => {
            assert_eq!((needed, len), (whole.len(), control));
            assert!(needed > len);
        }
        (Err(BufferError::Invalid { error, .. }), Err(same)) => assert_eq!(error, *same),
        (got, whole) => panic!("{got:?}, and at once {whole:?}"),
    }
    // SAFETY: all of it was initialised above.
    assert!(buffer[control..].iter().all(|byte| unsafe { byte.assume_init() } == 0xA5));
}
