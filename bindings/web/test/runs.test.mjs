// The findings of the page in words: what follows each other is one run, with the text that it spells.
import assert from 'node:assert/strict';
import { test } from 'node:test';
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
