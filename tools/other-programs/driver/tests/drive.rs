//! Gives the same bytes to several crates that call simdutf8. Each must accept what `core::str` accepts, and nothing else.

use faststr::FastStr;
use fastwebsockets::{Frame, OpCode, Payload, Role, WebSocket, WebSocketError};

/// Returns texts of one to four bytes a character. Their lengths lie around those of vectors and blocks, and each text also
/// comes with each fault, at the end and in the middle.
fn inputs() -> Vec<Vec<u8>> {
    let faults: [&[u8]; 12] = [
        b"",
        b"\x80",
        b"\xFF",
        b"\xC0\x80",
        b"\xE0\x9F\xBF",
        b"\xED\xA0\x80",
        b"\xF0\x8F\xBF\xBF",
        b"\xF4\x90\x80\x80",
        b"\xC3",
        b"\xE6\x97",
        b"\xF0\x9F\x98",
        b"\xC3\xA9\xA9",
    ];
    let mut inputs = Vec::new();
    for unit in ["plain text ", "é", "日", "😀", "aé日😀"] {
        for len in [0, 1, 15, 16, 31, 33, 63, 64, 65, 127, 128, 129, 512, 600, 5000] {
            let text = unit.repeat(len / unit.len() + 1);
            for fault in faults {
                inputs.push([text.as_bytes(), fault].concat());
                inputs.push([text.as_bytes(), fault, text.as_bytes()].concat());
            }
        }
    }
    assert!(inputs.iter().any(|bytes| std::str::from_utf8(bytes).is_ok()));
    inputs
}

/// A client sends a text message. Its mask is zero, so the payload stands in the frame as it is.
#[test]
fn fastwebsockets_receives_text() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for payload in inputs() {
        let mut wire = vec![0x81];
        match payload.len() {
            len @ 0..126 => wire.push(0x80 | len as u8),
            len => {
                wire.push(0x80 | 126);
                wire.extend((len as u16).to_be_bytes());
            }
        }
        wire.extend([0; 4]);
        wire.extend(&payload);
        let stream = tokio::io::join(&wire[..], tokio::io::sink());
        let mut socket = WebSocket::after_handshake(stream, Role::Server);
        let result = runtime.block_on(socket.read_frame());
        match std::str::from_utf8(&payload) {
            Ok(text) => {
                let frame = result.expect("valid text");
                assert_eq!((frame.opcode, &*frame.payload), (OpCode::Text, text.as_bytes()));
            }
            Err(_) => assert!(matches!(result, Err(WebSocketError::InvalidUTF8)), "{payload:02X?}"),
        }
    }
}

#[test]
fn fastwebsockets_looks_at_a_frame() {
    for payload in inputs() {
        let frame = Frame::text(Payload::Borrowed(&payload));
        assert_eq!(frame.is_utf8(), std::str::from_utf8(&payload).is_ok());
    }
}

#[test]
fn faststr_from_bytes() {
    for bytes in inputs() {
        assert_eq!(FastStr::from_vec_u8(bytes.clone()).is_ok(), std::str::from_utf8(&bytes).is_ok());
    }
}

/// The message of the error contains that of `core::str`, as the message of simdutf8's `compat` error does.
#[test]
fn parquet_checks_a_column() {
    for bytes in inputs() {
        let checked = parquet::utf8::check_valid_utf8(&bytes).map_err(|error| error.to_string());
        match std::str::from_utf8(&bytes) {
            Ok(_) => assert_eq!(checked, Ok(())),
            Err(error) => assert!(checked.unwrap_err().contains(&error.to_string())),
        }
    }
}

#[test]
fn sonic_parses_a_string() {
    for bytes in inputs() {
        let json = [b"{\"key\":\"", &bytes[..], b"\"}"].concat();
        let parsed = sonic_rs::from_slice::<sonic_rs::Value>(&json);
        match std::str::from_utf8(&bytes) {
            Ok(text) => {
                use sonic_rs::{JsonContainerTrait, JsonValueTrait};
                let value = parsed.expect("a string of valid text");
                assert_eq!(value.as_object().unwrap().get(&"key").as_str(), Some(text));
            }
            Err(_) => assert!(parsed.is_err(), "{bytes:02X?}"),
        }
    }
}
