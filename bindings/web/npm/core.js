// UTF-8 validation with exact errors, once `start` has a module. index.js and file.js bring one. index.d.ts documents what is exported.
//
// All bytes are copied into the module's memory, piece by piece, so an input of any size takes a few MiB.

/** @typedef {import('./index.d.ts').Utf8ErrorInfo} Utf8ErrorInfo */

const KINDS = [
  '', 'unexpected-continuation', 'invalid-byte', 'overlong', 'surrogate', 'too-large', 'truncated', 'incomplete',
];
const DIALECTS = ['utf-8', 'utf-8-rfc2279', 'cesu-8', 'mutf-8', 'wtf-8'];
const POLICIES = ['replace', 'drop', 'escape', 'table', 'java'];
export const PIECE = 4 << 20;
const MAX_FOUND = 10_000;
const BINS = 512;

/** The module's exports. `start` sets them. @type {any} */
let wasm;
/** All of the module's memory. */
let heap;
let end;
// What is validated only goes through a small buffer, which stays in the CPU's cache. The large ones are reserved on first use.
const SMALL = 256 << 10;
let small, state, report, progress, table, sentence;

/** Runs the module, unless one runs already. Returns whether it has SIMD. @param {WebAssembly.Module} module */
export function start(module) {
  if (!wasm) {
    const { exports } = new WebAssembly.Instance(module);
    heap = new Uint8Array(exports.memory.buffer);
    end = exports.__heap_base.value;
    wasm = exports;
    [small, state, report, progress, table, sentence] = [SMALL, 16, 24, 12, 4 * 128, 1024].map(reserve);
  }
  return wasm.has_simd() !== 0;
}

/** Returns the address of a new buffer, which is never freed. */
function reserve(size) {
  const at = (end + 63) & ~63;
  end = at + size;
  const missing = end - heap.length;
  if (missing > 0) {
    wasm.memory.grow(Math.ceil(missing / 65536));
    heap = new Uint8Array(wasm.memory.buffer);
  }
  return at;
}
const once = (make) => { let made; return () => (made ??= make()); };
const large = once(() => reserve(PIECE));
const output = once(() => reserve(PIECE));
const surveyAt = once(() => reserve(8 * (15 + BINS)));
const foundAt = once(() => reserve(40 * MAX_FOUND));
const decodedAt = once(() => reserve(8 * 65536));

const view = (Type, at, length) => new Type(heap.buffer, at, length);
const text = (at, length) => new TextDecoder().decode(view(Uint8Array, at, length));
const put = (at, bytes) => { heap.set(bytes, at); return at; };
/** Puts at most `most` bytes into the large buffer. */
function putLarge(bytes, most = PIECE) {
  if (bytes.length > most) throw new RangeError(`more than ${most} bytes`);
  return put(large(), bytes);
}
/** Returns the module's number of a name. */
function numberOf(names, name, what) {
  const number = names.indexOf(name);
  if (number < 0) throw new RangeError(`no such ${what}: ${name}`);
  return number;
}

const byteLengthOf = (Type) => Type && Object.getOwnPropertyDescriptor(Type.prototype, 'byteLength').get;
/** These getters throw for whatever is not a buffer of their type, also for an object that only inherits from it. */
const BUFFERS = [byteLengthOf(globalThis.ArrayBuffer), byteLengthOf(globalThis.SharedArrayBuffer)].filter(Boolean);
const isBuffer = (input) => BUFFERS.some((byteLength) => {
  try {
    byteLength.call(input);
    return true;
  } catch {
    return false;
  }
});

/** What a view is, whatever its class says. */
const gettersOf = (prototype, names) => names.map((name) => Object.getOwnPropertyDescriptor(prototype, name).get);
const PLACE = ['buffer', 'byteOffset', 'byteLength'];
const ARRAY = Object.getPrototypeOf(Uint8Array.prototype);
const [typeOf] = gettersOf(ARRAY, [Symbol.toStringTag]);
const [PLACE_OF_ARRAY, PLACE_OF_VIEW] = [ARRAY, DataView.prototype].map((prototype) => gettersOf(prototype, PLACE));

/** Says what a value is that is not bytes. */
function kindOf(value) {
  if (value === null || value === undefined) return String(value);
  if (typeof value !== 'object') return `a ${typeof value}`;
  const name = value.constructor?.name;
  return typeof name === 'string' && name !== '' && name !== 'Object' ? `an instance of ${name}` : 'an object';
}

/** Views the input as bytes. @returns {Uint8Array} @throws {TypeError} if it is not bytes, or if its bytes are gone */
function asBytes(input) {
  if (ArrayBuffer.isView(input)) {
    // `subarray` calls the constructor of a subclass.
    if (Object.getPrototypeOf(input) === Uint8Array.prototype && input.length !== 0) return input;
    const type = typeOf.call(input);
    const bytes = new Uint8Array(...(type ? PLACE_OF_ARRAY : PLACE_OF_VIEW).map((get) => get.call(input)));
    // An array without bytes may be one whose buffer was transferred or has shrunk. `at` throws for such an array.
    if (bytes.length === 0) ARRAY.at.call(type ? input : bytes, 0);
    return bytes;
  }
  if (isBuffer(input)) return new Uint8Array(input);
  const advice = typeof input === 'string'
    ? 'a string has characters, not bytes, and an invalid byte was replaced when the string was made; pass the bytes that it was decoded from'
    : `${kindOf(input)} has no bytes; pass an ArrayBuffer, a SharedArrayBuffer, a typed array, a DataView or a Buffer`;
  throw new TypeError(`trust8 takes bytes: ${advice}`);
}

/** Unpacks an error; `pack` in src/lib.rs packs it. @returns {Utf8ErrorInfo} */
function unpack(offset, packed, word) {
  const seen = Uint8Array.from({ length: (packed >> 8) & 15 }, (_, i) => (word >>> (8 * i)) & 255);
  return { offset, kind: KINDS[packed & 15], length: (packed >> 4) & 15, bytes: seen };
}

const sentenceOn = (what, bytes) => text(sentence, what(put(small, bytes), bytes.length, sentence, 1024));
export const reason = (bytes) => validate(bytes)?.reason ?? '';
export const culprit = (bytes) => sentenceOn(wasm.culprit, asBytes(bytes).subarray(0, 6));

/** Returns what kind of binary file begins with these bytes, such as 'a PDF document', or '' for no known kind. */
export const binary = (bytes) => sentenceOn(wasm.binary, asBytes(bytes).subarray(0, 64));

export class Utf8Error extends TypeError {
  constructor(info) {
    const why = sentenceOn(wasm.reason, asBytes(info.bytes).subarray(0, SMALL));
    super(`invalid UTF-8 at byte ${info.offset}: ${why}`);
    this.name = 'Utf8Error';
    Object.assign(this, info, { reason: why });
  }
}

export class Validator {
  #state = new Uint8Array(16);
  constructor() {
    this.reset();
  }
  reset() {
    wasm.validator_new(state);
    this.#state.set(view(Uint8Array, state, 16));
  }
  push(input) {
    const bytes = asBytes(input);
    put(state, this.#state);
    let [at, sound] = [0, true];
    // An empty piece also fails after an error.
    do {
      const piece = bytes.subarray(at, at += SMALL);
      sound = wasm.validator_push(state, put(small, piece), piece.length, report) !== 0;
    } while (sound && at < bytes.length);
    this.#state.set(view(Uint8Array, state, 16));
    if (!sound) throw new Utf8Error(unpack(...view(Float64Array, report, 3)));
  }
  finish() {
    put(state, this.#state);
    if (!wasm.validator_finish(state, report)) throw new Utf8Error(unpack(...view(Float64Array, report, 3)));
  }
}

export function validate(input) {
  const validator = new Validator();
  try {
    validator.push(input);
    validator.finish();
    return null;
  } catch (error) {
    if (error instanceof Utf8Error) return error;
    throw error;
  }
}

function isUtf8InModule(input) {
  const bytes = asBytes(input);
  return bytes.length <= SMALL ? wasm.is_utf8(put(small, bytes), bytes.length) !== 0 : validate(bytes) === null;
}

// The function of Node and Bun reads the bytes where they are, and its answer is the same. That of Deno is slower than the module.
const native = globalThis.Deno ? undefined : globalThis.process?.getBuiltinModule?.('node:buffer')?.isUtf8;
const isUtf8InOther = (input) => native(input instanceof ArrayBuffer && input.byteLength !== 0 ? input : asBytes(input));
export const isUtf8 = native
  ? (input) => (input instanceof Uint8Array && input.length !== 0 ? native(input) : isUtf8InOther(input))
  : isUtf8InModule;

export class ValidationStream extends TransformStream {
  constructor() {
    const validator = new Validator();
    super({
      transform(chunk, controller) {
        validator.push(chunk);
        controller.enqueue(chunk);
      },
      flush: () => validator.finish(),
    });
  }
}

/** The characters of windows-1252 for 80 to 9F. Those for A0 to FF are Latin-1's. */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
const WINDOWS_1252_CODE_POINTS = Uint32Array.from({ length: 128 }, (_, i) => WINDOWS_1252.charCodeAt(i) || i + 128);
/** What a decoder does with an ill-formed sequence, as the policy and the table of `repair`. */
const INVALID = { throw: null, replace: ['replace'], drop: ['drop'], escape: ['escape'], 'windows-1252': ['table', WINDOWS_1252_CODE_POINTS], java: ['java'] };

export class Decoder {
  #repair;
  #keepsMark;
  #validator;
  #utf8;
  #isStart;
  #cut;
  #replaced = 0;
  constructor(options = {}) {
    // A decoder of the platform takes its options after a label.
    if (typeof options !== 'object') throw new TypeError(`options are an object, not a ${typeof options}`);
    const { invalid = 'throw', ignoreBOM = false } = options;
    if (!Object.hasOwn(INVALID, invalid)) throw new RangeError(`invalid: '${invalid}' is none of ${Object.keys(INVALID).join(', ')}`);
    this.#repair = INVALID[invalid];
    this.#keepsMark = ignoreBOM;
    this.#begin();
  }
  #begin() {
    this.#validator = new Validator();
    this.#utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
    this.#isStart = true;
    this.#cut = new Uint8Array();
  }
  /** How many ill-formed sequences were not decoded so far. */
  get replaced() {
    return this.#replaced;
  }
  push(input) {
    const bytes = asBytes(input);
    if (this.#repair) return this.#repaired(bytes, false);
    // Nobody changes a copy between the validation and the conversion, and browsers decode nothing that may be resized.
    const own = bytes.buffer instanceof ArrayBuffer && !bytes.buffer.resizable ? bytes : new Uint8Array(bytes);
    this.#validator.push(own);
    const decoded = this.#utf8.decode(own, { stream: true });
    if (!this.#isStart || decoded === '') return decoded;
    this.#isStart = false;
    return decoded[0] === '\ufeff' && !this.#keepsMark ? decoded.slice(1) : decoded;
  }
  finish() {
    try {
      if (this.#repair) return this.#repaired(new Uint8Array(), true);
      this.#validator.finish();
      return '';
    } finally {
      this.#begin();
    }
  }
  #repaired(bytes, isLast) {
    let decoded = '';
    for (let at = 0; at < bytes.length || isLast;) {
      const { length } = this.#cut;
      const piece = new Uint8Array(Math.min(length + bytes.length - at, PIECE / 4));
      piece.set(this.#cut);
      piece.set(bytes.subarray(at, at + piece.length - length), length);
      at += piece.length - length;
      const made = repair(this.#repair[0], piece, isLast, this.#repair[1]);
      this.#replaced += made.replaced;
      this.#cut = piece.slice(made.read);
      // U+FEFF after a dropped byte is no mark.
      const hasMark = this.#isStart && !this.#keepsMark && [0xef, 0xbb, 0xbf].every((byte, i) => piece[i] === byte);
      this.#isStart &&= made.read === 0;
      decoded += this.#utf8.decode(made.bytes.subarray(hasMark ? 3 : 0));
      if (isLast) break;
    }
    return decoded;
  }
}

export class DecoderStream extends TransformStream {
  #decoder;
  constructor(options) {
    const decoder = new Decoder(options);
    const enqueue = (controller, decoded) => { if (decoded) controller.enqueue(decoded); };
    super({
      transform: (chunk, controller) => enqueue(controller, decoder.push(chunk)),
      flush: (controller) => enqueue(controller, decoder.finish()),
    });
    this.#decoder = decoder;
  }
  get replaced() {
    return this.#decoder.replaced;
  }
}

export function explain(input) {
  const bytes = asBytes(input);
  const out = [];
  for (let from = 0; from < bytes.length;) {
    const piece = bytes.subarray(from, from + SMALL);
    // Characters of this number have at most the bytes of a piece, so only the end of the input cuts one off.
    const n = wasm.decode(put(small, piece), piece.length, decodedAt(), SMALL / 4);
    const records = view(Uint32Array, decodedAt(), 2 * n);
    let next = from;
    for (let i = 0; i < n; i++) {
      const [at, word] = [records[2 * i], records[2 * i + 1]];
      const kind = word >>> 24;
      const offset = from + at;
      const length = (word >> 21) & 7;
      out.push({ offset, length, codePoint: kind ? null : word & 0x1fffff, kind: kind ? KINDS[kind] : null });
      next = offset + length;
    }
    from = next;
  }
  return out;
}

export class Survey {
  #data = new Float64Array(15 + BINS);
  #base;
  constructor(size, from = 0) {
    this.#data[0] = size - from;
    this.#base = from;
    /** The first errors. */
    this.errors = [];
  }
  /** Adds a piece of at most `PIECE` bytes, and returns how many bytes of it were used. */
  push(piece, isLast) {
    const bytes = asBytes(piece);
    const before = this.#data[1];
    put(surveyAt(), new Uint8Array(this.#data.buffer));
    const room = MAX_FOUND - this.errors.length;
    const n = wasm.survey(surveyAt(), putLarge(bytes), bytes.length, Boolean(isLast), foundAt(), room);
    const found = view(Float64Array, foundAt(), 5 * n);
    for (let i = 0; i < found.length; i += 5) {
      const info = unpack(found[i] + this.#base, found[i + 3], found[i + 4]);
      this.errors.push({ ...info, line: found[i + 1], column: found[i + 2] });
    }
    this.#data.set(view(Float64Array, surveyAt(), this.#data.length));
    return this.#data[1] - before;
  }
  get summary() {
    const [, bytes, one, two, three, four, newlines, , ...rest] = this.#data;
    const kinds = Object.fromEntries(KINDS.slice(1).map((kind, i) => [kind, rest[i]]));
    const errorCount = rest.slice(0, 7).reduce((sum, n) => sum + n, 0);
    const byLength = [one, two, three, four];
    return { bytes, byLength, newlines, kinds, errorCount, bins: rest.slice(7), errors: this.errors };
  }
}

/** Repairs a piece of at most `PIECE / 4` bytes. Returns the text, and how many bytes were read. */
export function repair(policy, piece, isLast, codePoints) {
  const bytes = asBytes(piece);
  const number = numberOf(POLICIES, policy, 'policy');
  if (policy === 'table') {
    if (codePoints?.length !== 128) throw new RangeError('a table has 128 code points');
    view(Uint32Array, table, 128).set(codePoints);
  }
  wasm.repair(number, table, putLarge(bytes, PIECE / 4), bytes.length, Boolean(isLast), output(), progress);
  const [read, written, replaced] = view(Uint32Array, progress, 3);
  return { read, replaced, bytes: view(Uint8Array, output(), written).slice() };
}

/** Says which dialects of UTF-8 accept at most `PIECE` bytes. */
export function diagnose(piece) {
  const bytes = asBytes(piece);
  const word = wasm.diagnosis(putLarge(bytes), bytes.length, sentence, 1024);
  return { dialect: DIALECTS[(word >> 16) & 255] ?? null, convertible: word >>> 24 === 1, text: text(sentence, word & 0xffff) };
}

/** Converts at most `PIECE / 4` bytes from a dialect to UTF-8, with U+FFFD for what cannot be converted. */
export function fromDialect(dialect, piece) {
  const bytes = asBytes(piece);
  wasm.dialect_to_utf8(numberOf(DIALECTS, dialect, 'dialect'), putLarge(bytes, PIECE / 4), bytes.length, output(), PIECE, progress);
  return view(Uint8Array, output(), view(Uint32Array, progress, 2)[1]).slice();
}

const words = (number) => text(sentence, wasm.class_words(number, sentence, 1024)).split('\n');
/** The names of all classes, and why one forbids them, by number. */
const classes = once(() => {
  const all = [];
  for (let next; (next = words(all.length)).length === 2;) all.push({ name: next[0], reason: next[1] });
  return all;
});
const presets = once(() => {
  const all = [];
  for (let length; (length = wasm.preset(all.length, sentence, 1024)) > 0;) all.push(text(sentence, length));
  return all;
});
export const profiles = () => [...presets()];

export function classOf(codePoint) {
  if (!Number.isInteger(codePoint)) throw new TypeError(`a code point is an integer, not ${typeof codePoint === 'number' ? codePoint : kindOf(codePoint)}`);
  return codePoint >= 0 && codePoint <= 0x10ffff ? classes()[wasm.class_of(codePoint)] ?? null : null;
}

/** Calls a search of the module for what a profile forbids, which writes records of `width` numbers. */
function search(find, width, profile, input) {
  const preset = numberOf(presets(), profile, 'profile');
  const bytes = asBytes(input);
  const n = find(preset, putLarge(bytes), bytes.length, decodedAt(), 131072 / width, progress);
  const records = view(Uint32Array, decodedAt(), width * n);
  const found = Array.from({ length: n }, (_, i) => {
    const [offset, word, length, count] = records.subarray(width * i, width * (i + 1));
    const { name, reason } = classes()[word >>> 24];
    return { offset, codePoint: word & 0x1fffff, class: name, reason, ...(count && { length, count }) };
  });
  return { total: view(Uint32Array, progress, 1)[0], found };
}
export const forbidden = (profile, bytes) => search(wasm.forbidden, 2, profile, bytes);
export const forbiddenRuns = (profile, bytes) => search(wasm.forbidden_runs, 4, profile, bytes);

/** How much memory the module has, in bytes. */
export const memorySize = () => heap.length;
