// The package in Node.
import assert from 'node:assert/strict';
import { isUtf8 as native } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import * as trust8 from 'trust8';
import * as file from 'trust8/file';
import { inputs } from '../../test/inputs.mjs';

/** The package as in a runtime without a function of its own. */
const inModule = await (async () => {
  const { getBuiltinModule } = process;
  process.getBuiltinModule = undefined;
  try {
    const core = await import('../core.js?without');
    core.start(new WebAssembly.Module(readFileSync(new URL('../trust8.wasm', import.meta.url))));
    return core;
  } finally {
    process.getBuiltinModule = getBuiltinModule;
  }
})();

test('verdicts and places are those of the platform, however the input is cut', () => {
  const all = inputs(2000).map((bytes) => Uint8Array.from(bytes));
  let invalid = 0;
  for (const [i, bytes] of all.entries()) {
    const error = trust8.validate(bytes);
    assert.equal(error === null, native(bytes));
    assert.equal(trust8.isUtf8(bytes), native(bytes));
    assert.equal(inModule.isUtf8(bytes), native(bytes));
    const sequences = trust8.explain(bytes);
    assert.equal(sequences.map((it) => String.fromCodePoint(it.codePoint ?? 0xfffd)).join(''), new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
    const validator = new trust8.Validator();
    const cut = i % (bytes.length + 1);
    const run = () => { validator.push(bytes.subarray(0, cut)); validator.push(bytes.subarray(cut)); validator.finish(); };
    if (!error) { run(); continue; }
    invalid++;
    assert.throws(run, { offset: error.offset, kind: error.kind });
    assert.ok(native(bytes.subarray(0, error.offset)));
    assert.equal(sequences.find((it) => it.kind).offset, error.offset);
  }
  assert.ok(invalid > 200);
});

test('an error says where and why', () => {
  const error = trust8.validate(Buffer.from('ab\xC0\xAE', 'latin1'));
  assert.equal(error.message, 'invalid UTF-8 at byte 2: C0 begins an overlong form of an ASCII character; expected a first byte (00 to 7F, C2 to F4)');
  assert.deepEqual([error.offset, error.kind, error.length, [...error.bytes]], [2, 'overlong', 1, [0xc0]]);
  assert.ok(error instanceof TypeError);
});

test('long inputs, views and misuse', () => {
  const long = new Uint8Array(1_000_000).fill(0x61);
  assert.ok(trust8.isUtf8(long.buffer));
  long.set([0xe2, 0x82, 0xac], 262_143);
  assert.equal(trust8.explain(long).length, 999_998);
  // A piece ends inside a character.
  assert.ok(trust8.explain(Buffer.from(`a${'😀'.repeat(150_000)}`)).slice(1).every(({ codePoint }) => codePoint === 0x1f600));
  assert.equal(trust8.validate(long), null);
  long[999_999] = 0xe2;
  assert.equal(trust8.validate(long).offset, 999_999);
  assert.ok(trust8.isUtf8(new DataView(long.buffer, 5, 10)));
});

/** Every function that takes bytes, with the other arguments that it needs. */
const TAKERS = {
  isUtf8: trust8.isUtf8, 'isUtf8 in the module': inModule.isUtf8, validate: trust8.validate, explain: trust8.explain, reason: trust8.reason, culprit: trust8.culprit, binary: trust8.binary, diagnose: trust8.diagnose,
  forbidden: (bytes) => trust8.forbidden('terminal', bytes), forbiddenRuns: (bytes) => trust8.forbiddenRuns('terminal', bytes), fromDialect: (bytes) => trust8.fromDialect('cesu-8', bytes),
  repair: (bytes) => trust8.repair('replace', bytes, true), 'Validator.push': (bytes) => new trust8.Validator().push(bytes),
  'Decoder.push': (bytes) => new trust8.Decoder().push(bytes), 'a lossy Decoder.push': (bytes) => new trust8.Decoder({ invalid: 'drop' }).push(bytes),
  'Survey.push': (bytes) => new trust8.Survey(3).push(bytes, true),
};
test('a subclass of Uint8Array is its bytes, whatever its constructor makes and its properties say', () => {
  class Whole extends Uint8Array {
    constructor(source) {
      super(source);
    }
  }
  class Lying extends Uint8Array {
    get length() {
      return 3;
    }
    get byteLength() {
      return 3;
    }
    get byteOffset() {
      return 1;
    }
    get buffer() {
      return new ArrayBuffer(9);
    }
  }
  // `subarray` of this one returned all of it, which was written over the module's other buffers.
  const long = new Whole(1_000_000).fill(0x61);
  long.set([0xff], 999_999);
  const other = new trust8.Validator();
  other.push(Uint8Array.of(0xe2));
  const lying = new Lying(1_000_000);
  Uint8Array.prototype.set.call(lying, long);
  const nameless = Object.setPrototypeOf(Uint8Array.from(long), Object.create(Uint8Array.prototype, { length: { value: 3 } }));
  for (const bytes of [long, lying, nameless]) {
    assert.equal(trust8.validate(bytes).offset, 999_999);
    assert.equal(inModule.isUtf8(bytes), false);
    assert.equal(trust8.explain(bytes).length, 1_000_000);
    assert.equal(new trust8.Decoder({ invalid: 'drop' }).push(bytes).length, 999_999);
  }
  other.push(Uint8Array.of(0x82, 0xac));
  other.finish();
  for (const [take, most] of [[TAKERS.repair, trust8.PIECE / 4], [TAKERS.fromDialect, trust8.PIECE / 4], [TAKERS.diagnose, trust8.PIECE], [TAKERS['Survey.push'], trust8.PIECE]]) {
    take(new Uint8Array(most));
    assert.throws(() => take(new Uint8Array(most + 1)), { name: 'RangeError', message: `more than ${most} bytes` });
  }
});

test('bytes in any container are taken by every function, and anything else is a TypeError', async () => {
  const { port1, port2 } = new MessageChannel();
  const [transferred, shrunk] = [new Uint8Array(3), new Uint8Array(new ArrayBuffer(3, { maxByteLength: 3 }), 1, 2)];
  shrunk.buffer.resize(0);
  port1.postMessage(transferred, [transferred.buffer]);
  const foreign = runInNewContext('[new ArrayBuffer(3), new Uint8Array(3), new DataView(new ArrayBuffer(3)), new DataView(new ArrayBuffer(0))]');
  const shared = new Uint8Array(new SharedArrayBuffer(3));
  const bytes = new Uint8Array(3);
  const good = [
    bytes, bytes.buffer, shared, shared.buffer, new DataView(bytes.buffer), Buffer.alloc(3), new Uint8ClampedArray(3), new Int8Array(3),
    new Float64Array(1), new BigInt64Array(1), new Uint16Array(1), new Uint8Array(), new ArrayBuffer(0), ...foreign,
  ];
  const bad = [
    undefined, null, {}, 42, 3n, true, Symbol('bytes'), () => bytes, 'text', '', new String('text'), [97], [], { length: 3 }, new Set([97]), new Map(), new Date(),
    new Blob([Uint8Array.of(255)]), new Response('a'), Promise.resolve(bytes), ReadableStream.from([bytes]), new URL('file:///a'), bytes.values(), Object.create(null),
    Object.create(ArrayBuffer.prototype), Object.create(Uint8Array.prototype), { [Symbol.toStringTag]: 'ArrayBuffer' }, new Proxy(bytes, {}), new WebAssembly.Memory({ initial: 1 }),
    transferred, transferred.buffer, shrunk,
  ];
  for (const [name, take] of Object.entries(TAKERS)) {
    for (const input of good) assert.doesNotThrow(() => take(input), `${name}, ${input.constructor.name}`);
    for (const input of bad) assert.throws(() => take(input), TypeError, `${name}, ${typeof input} ${Object.prototype.toString.call(input)}`);
    assert.throws(() => take(), TypeError, name);
  }
  assert.throws(() => trust8.isUtf8(new Blob()), { message: 'trust8 takes bytes: an instance of Blob has no bytes; pass an ArrayBuffer, a SharedArrayBuffer, a typed array, a DataView or a Buffer' });
  assert.throws(() => trust8.validate('é'), /^TypeError: trust8 takes bytes: a string has characters, not bytes/);
  // The exact bytes of a view count, and no other ones of its buffer.
  const wide = Uint8Array.of(0xff, 0x61, 0x62, 0xff);
  assert.deepEqual([wide, wide.subarray(1, 3), new DataView(wide.buffer, 1, 2), new Uint16Array(wide.buffer)].map((input) => trust8.isUtf8(input)), [false, true, true, false]);
  assert.notEqual(inModule.isUtf8, trust8.isUtf8);
  assert.equal(trust8.validate(new Uint16Array([0xff61])).offset, 1);
  for (const stream of [new trust8.ValidationStream(), new trust8.DecoderStream()]) {
    await assert.rejects(ReadableStream.from(['text']).pipeThrough(stream).getReader().read(), TypeError);
  }
  port2.close();
});

test('a stream passes text on and stops at the error', async () => {
  const pass = async (...pieces) => {
    const read = [];
    for await (const piece of ReadableStream.from(pieces).pipeThrough(new trust8.ValidationStream())) read.push(...piece);
    return Buffer.from(read).toString();
  };
  assert.equal(await pass(Uint8Array.of(0xe2), Uint8Array.of(0x82, 0xac)), '€');
  await assert.rejects(pass(Uint8Array.of(0x61, 0xe2), Uint8Array.of(0x21)), { name: 'Utf8Error', offset: 1, kind: 'truncated' });
  await assert.rejects(pass(Uint8Array.of(0x61, 0xe2)), { offset: 1, kind: 'incomplete' });
});

test('after an error every piece fails, and after its end a decoder begins anew', () => {
  const empty = new Uint8Array();
  const validator = new trust8.Validator();
  assert.throws(() => validator.push(Uint8Array.of(0x61, 0xff)), { offset: 1 });
  assert.throws(() => validator.push(empty), { name: 'Utf8Error', offset: 1 });
  // The end of one input was joined with the start of the next one to a character that neither has.
  const decoder = new trust8.Decoder();
  decoder.push(Uint8Array.of(0xe2, 0x82));
  assert.throws(() => decoder.finish(), { kind: 'incomplete' });
  assert.throws(() => decoder.push(Uint8Array.of(0xac)), { kind: 'unexpected-continuation', offset: 0 });
  for (const fail of [() => decoder.push(empty), () => decoder.finish()]) assert.throws(fail, { kind: 'unexpected-continuation' });
  assert.equal(decoder.push(Uint8Array.of(0x61)) + decoder.finish(), 'a');
});

test('what cannot be meant is refused, and not taken for something else', () => {
  // These were the class of NUL.
  for (const one of [undefined, null, 'a', '\u202e', '', NaN, 1.5, Infinity, true, {}, [0x202e]]) assert.throws(() => trust8.classOf(one), TypeError, String(one));
  for (const one of [-1, 0x110000, 2 ** 32, 2 ** 32 + 0x202e]) assert.equal(trust8.classOf(one), null);
  const bytes = Uint8Array.of(0x61, 0xff);
  for (const call of [() => trust8.repair('none', bytes, true), () => trust8.repair('table', bytes, true), () => trust8.repair('table', bytes, true, [1]), () => trust8.fromDialect('none', bytes)]) assert.throws(call, RangeError);
  // These options were ignored, as those of TextDecoder stand second.
  for (const Type of [trust8.Decoder, trust8.DecoderStream]) assert.throws(() => new Type('utf-8', { ignoreBOM: true }), { name: 'TypeError', message: 'options are an object, not a string' });
  for (const isLast of [true, 'yes', 2]) assert.equal(trust8.repair('replace', Uint8Array.of(0x61, 0xe2), isLast).read, 2);
  // The end of what was read was taken for the end of the input.
  const long = new Uint8Array((256 << 10) + 2).fill(0x61);
  long.set([0xe2, 0x82, 0xac], (256 << 10) - 1);
  assert.equal(trust8.reason(long), '');
  assert.equal(trust8.reason(Uint8Array.of(...long.subarray(-4), 0xff)), trust8.reason(Uint8Array.of(0xff)));
});

/** Returns how a text is decoded that is cut at two places. */
function decoded(bytes, options, ...cuts) {
  const decoder = new trust8.Decoder(options);
  const text = [0, ...cuts].map((from, i) => decoder.push(bytes.subarray(from, cuts[i]))).join('') + decoder.finish();
  return [text, decoder.replaced];
}
test('a decoder gives the text of the platform, and what its policy says, however the input is cut', () => {
  const all = inputs(1000).map((bytes) => Uint8Array.from(bytes));
  // U+FEFF after a byte that is dropped was taken for the mark.
  all.push(...[[0xff, 0xef, 0xbb, 0xbf, 0x61], [0xef, 0xef, 0xbb, 0xbf], [0xef, 0xbb, 0xbf, 0xff, 0xef, 0xbb, 0xbf]].map((bytes) => Uint8Array.from(bytes)));
  all.push(Uint8Array.of(0xef, 0xbb, 0xbf), Uint8Array.of(0xef, 0xbb, 0xbf, 0x61, 0xef, 0xbb, 0xbf), Uint8Array.of(0xef, 0xbb), new Uint8Array());
  const table = new TextDecoder('windows-1252');
  let faults = 0;
  for (const [i, bytes] of all.entries()) {
    const cuts = [i % (bytes.length + 1), (7 * i) % (bytes.length + 1)].sort((a, b) => a - b);
    const sequences = trust8.explain(bytes);
    const text = (replacement) => sequences.map(({ codePoint, offset, length }) => (codePoint === null ? replacement(bytes.subarray(offset, offset + length)) : String.fromCodePoint(codePoint))).join('').slice(sequences[0]?.codePoint === 0xfeff ? 1 : 0);
    const count = sequences.filter((it) => it.kind).length;
    faults += count;
    const hex = (part) => Array.from(part, (byte) => `\\x${byte.toString(16).toUpperCase()}`).join('');
    assert.deepEqual(decoded(bytes, { invalid: 'replace' }, ...cuts), [new TextDecoder().decode(bytes), count]);
    assert.deepEqual(decoded(bytes, { invalid: 'replace', ignoreBOM: true }, ...cuts), [new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), count]);
    assert.deepEqual(decoded(bytes, { invalid: 'drop' }, ...cuts), [text(() => ''), count]);
    assert.deepEqual(decoded(bytes, { invalid: 'escape' }, ...cuts), [text(hex), count]);
    assert.deepEqual(decoded(bytes, { invalid: 'windows-1252' }, ...cuts), [text((part) => table.decode(part, { stream: true })), count]);
    let inSurrogate = 0;
    const java = sequences.map(({ codePoint, offset, length }) => {
      const isOfSurrogate = inSurrogate > 0 && codePoint === null && length === 1 && bytes[offset] >> 6 === 2;
      inSurrogate = isOfSurrogate ? inSurrogate - 1 : length === 1 && bytes[offset] === 0xed ? 2 : 0;
      return isOfSurrogate ? '' : String.fromCodePoint(codePoint ?? 0xfffd);
    });
    assert.deepEqual(decoded(bytes, { invalid: 'java' }, ...cuts), [java.join('').replace(/^\ufeff/, ''), count]);
    const error = trust8.validate(bytes);
    if (error) assert.throws(() => decoded(bytes, {}, ...cuts), { name: 'Utf8Error', offset: error.offset, kind: error.kind });
    else assert.deepEqual(decoded(bytes, {}, ...cuts), [new TextDecoder().decode(bytes), 0]);
  }
  assert.ok(faults > 1000);
  // What `new String(bytes, UTF_8)` gives.
  for (const [bytes, text] of [[[0xed, 0xa0, 0x80], '\ufffd'], [[0xed, 0xa0, 0x80, 0x80], '\ufffd\ufffd'], [[0xed, 0xa0, 0x61, 0x80], '\ufffda\ufffd'], [[0xed, 0xbf], '\ufffd']]) {
    for (let cut = 0; cut <= bytes.length; cut++) assert.equal(decoded(Uint8Array.from(bytes), { invalid: 'java' }, cut)[0], text);
  }
  assert.throws(() => new trust8.Decoder({ invalid: 'constructor' }), RangeError);
  assert.throws(() => new trust8.Decoder({ invalid: 'ignore' }), /^RangeError: invalid: 'ignore' is none of throw, replace, drop, escape, windows-1252, java$/);
});

test('a decoder takes long pieces, is ready again after its end, and decodes a stream', async () => {
  const long = Buffer.concat([Buffer.from('a'), Buffer.alloc(3 << 20, '€'), Buffer.from([0xff, 0xe2])]);
  const decoder = new trust8.Decoder({ invalid: 'replace' });
  for (let i = 1; i <= 2; i++) {
    assert.equal(decoder.push(long) + decoder.finish(), `a${'€'.repeat(1 << 20)}\ufffd\ufffd`);
    assert.equal(decoder.replaced, 2 * i);
  }
  const strict = new trust8.Decoder();
  assert.equal(strict.push(Uint8Array.of(0xe2, 0x82)), '');
  assert.throws(() => strict.finish(), { kind: 'incomplete', offset: 0 });
  const stream = new trust8.DecoderStream({ invalid: 'escape' });
  const pieces = [];
  for await (const piece of ReadableStream.from([[0xe2], [0x82], [0xac, 0xff], [0xe2]].map((piece) => Uint8Array.from(piece))).pipeThrough(stream)) pieces.push(piece);
  assert.deepEqual([pieces, stream.replaced], [['€\\xFF', '\\xE2'], 2]);
  const failing = ReadableStream.from([Uint8Array.of(0x61, 0xff)]).pipeThrough(new trust8.DecoderStream());
  await assert.rejects(failing.getReader().read(), { name: 'Utf8Error', offset: 1 });
});

test('the entries share one module, and the types name what they export', () => {
  const script = createRequire(import.meta.url)('trust8');
  assert.ok(file.simd && trust8.simd);
  assert.equal(file.Utf8Error, trust8.Utf8Error);
  assert.equal(script.validate(Uint8Array.of(0xff)).message, trust8.validate(Uint8Array.of(0xff)).message);
  assert.deepEqual(Object.keys(file).sort(), Object.keys(trust8).sort());
  assert.deepEqual(Object.keys(script).filter((name) => name !== '__esModule').sort(), Object.keys(trust8).sort());
  const types = readFileSync(new URL('../index.d.cts', import.meta.url), 'utf8');
  assert.deepEqual(Array.from(types.matchAll(/^export (?:declare )?(?:const|class|function) (\w+)/gm), ([, name]) => name).sort(), Object.keys(trust8).sort());
});

test('after a module that is another one, the right one can start', async () => {
  const { isUtf8, repair, start } = await import('../core.js?again');
  assert.throws(() => start(new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0))), TypeError);
  const module = new WebAssembly.Module(readFileSync(new URL('../trust8.wasm', import.meta.url)));
  start(module);
  assert.ok(isUtf8(Uint8Array.of(0x61)));
  const repaired = () => String(repair('drop', Uint8Array.of(0x61, 0xff), true).bytes);
  repaired();
  start(module);
  assert.equal(repaired(), '97');
});

test('two validators do not disturb each other', () => {
  const [one, two] = [new trust8.Validator(), new trust8.Validator()];
  one.push(Uint8Array.of(0xc3));
  two.push(Uint8Array.of(0xf0, 0x9f));
  one.push(Uint8Array.of(0xa9));
  one.finish();
  assert.throws(() => two.finish(), { kind: 'incomplete', offset: 0 });
  two.reset();
  two.finish();
});

test('what a profile forbids, and what a package needs', async () => {
  const bytes = Buffer.from('\ufeffa\u202eb\0\u200b\xff', 'utf8');
  assert.deepEqual(trust8.forbidden('postgres', bytes), { total: 1, found: [{ offset: 8, codePoint: 0, class: 'nul', reason: 'NUL, which ends strings in C' }] });
  assert.deepEqual(trust8.forbidden('prompt', bytes).found.map((it) => it.class), ['bidi-control', 'nul', 'stray-space']);
  const zeros = trust8.forbidden('terminal', new Uint8Array(100_000));
  assert.deepEqual([zeros.total, zeros.found.length, zeros.found.at(-1).offset], [100_000, 65_536, 65_535]);
  assert.equal(trust8.forbidden('prompt', Buffer.from('\u{10fffe}')).found[0].codePoint, 0x10fffe);
  assert.throws(() => trust8.forbidden('json', bytes), RangeError);
  const hidden = new TextEncoder().encode(`x${'\u{e0101}'.repeat(400)}\u200by\0`);
  assert.deepEqual(trust8.forbiddenRuns('prompt', hidden), {
    total: 2,
    found: [
      { offset: 1, codePoint: 0xe0101, class: 'stray-selector', reason: trust8.forbidden('prompt', hidden).found[0].reason, length: 1603, count: 401 },
      { offset: 1605, codePoint: 0, class: 'nul', reason: 'NUL, which ends strings in C', length: 1, count: 1 },
    ],
  });
  assert.equal(trust8.forbidden('prompt', hidden).total, 402);
  assert.equal(trust8.forbiddenRuns('terminal', Uint8Array.from({ length: 100_000 }, (_, i) => 97 * (i & 1))).total, 50_000);
  trust8.profiles().length = 0;
  assert.ok(trust8.PROFILES.includes('xml') && trust8.profiles().includes('xml'));
  assert.deepEqual([trust8.classOf(0x202e)?.name, trust8.classOf(0x61), trust8.classOf(0xd800)], ['bidi-control', null, null]);
  const { files } = createRequire(import.meta.url)('../package.json');
  for (const name of files) assert.ok(statSync(new URL(`../${name}`, import.meta.url)).size > 0, name);
  assert.ok(files.includes('LICENSE-MIT') && files.includes('LICENSE-APACHE'));
});
