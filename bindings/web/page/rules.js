// The command's rules, from the second module: what a file is that is not UTF-8, or does not look like it.

let wasm, loading;
const load = async () => { wasm = (await WebAssembly.instantiate(await (await fetch(new URL('./trust8/guess.wasm', import.meta.url))).arrayBuffer())).instance.exports; };
/** Loads the module, once, and tries again if that failed. The other functions need it. */
export const loadRules = () => (loading ??= load().catch((error) => { loading = undefined; throw error; }));

function put(bytes) {
  const at = wasm.input(bytes.length);
  new Uint8Array(wasm.memory.buffer).set(bytes, at);
}
const output = (length) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(new Uint8Array(wasm.memory.buffer, wasm.output(), length));

/** The module has one sample, so files are guessed one after the other. */
let last = Promise.resolve();

/**
 * Guesses what a file is. Its sample is the whole file, or places all over it.
 * @param {number} firstError the offset of the first error, or -1 for a file that is UTF-8
 * @param {(from: number, to: number) => Promise<Uint8Array>} read
 * @returns {Promise<{rules: object, pieces: Uint8Array[]}>}
 */
export function apply(size, firstError, read) {
  last = last.catch(() => {}).then(() => applyNow(size, firstError, read));
  return last;
}

async function applyNow(size, firstError, read) {
  const places = JSON.parse(output(wasm.places(size, Math.max(0, firstError))));
  const pieces = await Promise.all(places.map(([from, to]) => read(from, Math.min(to, size))));
  const CHUNK = 1 << 20;
  for (let at = 0; firstError >= 0 && at < size;) {
    const bytes = await read(at, Math.min(at + CHUNK, size));
    put(bytes);
    const used = wasm.add_chunk(at + bytes.length >= size);
    if (used === 0) break;
    at += used;
  }
  for (const piece of pieces) {
    put(piece);
    wasm.add_piece();
  }
  return { rules: JSON.parse(output(wasm.guess_file(size, firstError < 0))), pieces };
}

/** Returns the characters of the bytes from 80 on in a single-byte encoding. */
export function characters(label) {
  put(new TextEncoder().encode(label));
  return Array.from(output(wasm.characters()));
}

/** Returns a function that decodes pieces, also of an encoding that the browser lacks. It returns text, and how many bytes it has read. */
export function decoderOf(label, { ignoreBOM = false } = {}) {
  if (label === 'johab') {
    return (bytes, isLast) => {
      // The last byte may begin a character.
      const read = isLast ? bytes.length : bytes.findLastIndex((byte) => byte < 0x80) + 1 || bytes.length & ~1;
      put(bytes.subarray(0, read));
      return { text: output(wasm.from_johab()), read };
    };
  }
  let decoder;
  try {
    decoder = new TextDecoder(label, { ignoreBOM });
  } catch {
    const table = characters(label);
    return (bytes) => ({ text: Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : table[byte - 0x80])).join(''), read: bytes.length });
  }
  return (bytes, isLast) => ({ text: decoder.decode(bytes, { stream: !isLast }), read: bytes.length });
}
export const decode = (label, bytes) => decoderOf(label)(bytes, true).text;

/** Undoes mojibake in whole lines of UTF-8. */
export function undoMojibake(bytes) {
  put(bytes);
  return output(wasm.undo_mojibake());
}
