//! How binary files begin. Some have neither NULs nor other control characters, so without this
//! list they would be taken for text in a single-byte encoding.

/// Returns what the file is that begins with `first`, if it is a known kind of binary file.
pub(crate) fn binary(first: &[u8]) -> Option<&'static str> {
    MAGIC.iter().find(|(_, magic)| first.starts_with(magic)).map(|(name, _)| *name)
}

/// What binary files are, and how they begin.
#[rustfmt::skip]
const MAGIC: [(&str, &[u8]); 91] = [
    ("a PNG image", b"\x89PNG"), ("a JNG image", b"\x8BJNG"), ("an MNG image", b"\x8AMNG"),
    ("a JPEG image", b"\xFF\xD8\xFF"), ("a JPEG XL image", b"\xFF\x0A"), ("a GIF image", b"GIF8"),
    ("a TIFF image", b"II*\0"), ("a TIFF image", b"MM\0*"), ("a Photoshop image", b"8BPS"),
    ("a PBM image", b"P4\n"), ("a PGM image", b"P5\n"), ("a PPM image", b"P6\n"), ("a PAM image", b"P7\n"),
    ("a PBM image", b"P4 "), ("a PGM image", b"P5 "), ("a PPM image", b"P6 "),
    ("a PFM image", b"PF\n"), ("a PFM image", b"Pf\n"), ("an HDR image", b"#?RADIANCE"),
    ("an OpenEXR image", b"\x76\x2F\x31\x01"), ("a DjVu document", b"AT&TFORM"), ("a QOI image", b"qoif"),
    ("a PDF document", b"%PDF-"), ("a PDF form", b"%FDF-"), ("a PostScript document", b"%!PS"),
    ("a PostScript document", b"\x04%!PS"), ("a PostScript document", b"\xC5\xD0\xD3\xC6"),
    ("a PostScript font", b"\x80\x01"), ("a DVI document", b"\xF7\x02"),
    ("a font", b"wOFF"), ("a font", b"wOF2"), ("a font", b"ttcf"),
    ("an Office document", b"\xD0\xCF\x11\xE0"),
    ("a gzip archive", b"\x1F\x8B"), ("a compress archive", b"\x1F\x9D"), ("a pack archive", b"\x1F\xA0"),
    ("a bzip2 archive", b"BZh"), ("an xz archive", b"\xFD7zXZ"), ("an lzip archive", b"LZIP"),
    ("a zstd archive", b"\x28\xB5\x2F\xFD"), ("an LZ4 archive", b"\x04\x22\x4D\x18"),
    ("a 7-Zip archive", b"7z\xBC\xAF"), ("a RAR archive", b"Rar!"), ("a ZIP archive", b"PK\x03\x04"),
    ("a ZIP archive", b"PK\x05\x06"), ("a cabinet archive", b"MSCF"), ("a xar archive", b"xar!"),
    ("an ar archive", b"!<arch>"), ("an RPM package", b"\xED\xAB\xEE\xDB"), ("a browser extension", b"Cr24"),
    ("an ARJ archive", b"\x60\xEA"), ("an LRZIP archive", b"LRZI"),
    ("an ELF file", b"\x7FELF"), ("a Windows program", b"MZ\x90"), ("a WebAssembly module", b"\0asm"),
    ("a Mach-O file", b"\xCF\xFA\xED\xFE"), ("a Mach-O file", b"\xCE\xFA\xED\xFE"),
    ("a Mach-O file", b"\xFE\xED\xFA\xCE"), ("a Mach-O file", b"\xFE\xED\xFA\xCF"),
    ("a Java class", b"\xCA\xFE\xBA\xBE"), ("serialized Java objects", b"\xAC\xED\0\x05"),
    ("a packed Java archive", b"\xCA\xFE\xD0\x0D"), ("an Android program", b"dex\n"),
    ("LLVM bitcode", b"BC\xC0\xDE"), ("a Python pickle", b"\x80\x03"), ("a Python pickle", b"\x80\x04\x95"),
    ("a NumPy array", b"\x93NUMPY"), ("a catalog of messages", b"\xDE\x12\x04\x95"),
    ("a catalog of messages", b"\x95\x04\x12\xDE"), ("a Git index", b"\xFFtOc"), ("a SQLite database", b"SQLite format 3"),
    ("a Parquet file", b"PAR1"), ("an Avro file", b"Obj\x01"), ("an HDF5 file", b"\x89HDF"), ("a property list", b"bplist"),
    ("a RIFF file", b"RIFF"), ("an Ogg file", b"OggS"), ("a FLAC file", b"fLaC"), ("a WavPack file", b"wvpk"),
    ("a MIDI file", b"MThd"), 
    ("an MP3 file", b"ID3"), ("an MP3 file", b"\xFF\xFB"), ("an MP3 file", b"\xFF\xF3"), ("an AAC file", b"\xFF\xF1"),
    ("a Matroska file", b"\x1A\x45\xDF\xA3"), ("an ASF file", b"\x30\x26\xB2\x75"), 
    // Packets of OpenPGP: messages for a public key or a password, and keys.
    ("an OpenPGP message", b"\x85\x01"), ("an OpenPGP message", b"\x85\x02"), ("an OpenPGP message", b"\x8C\x0D"),
    ("an OpenPGP key", b"\x99\x01"), ("an OpenPGP key", b"\x99\x02"),
];
