// Eight bytes as bit planes, and the check of their lengths: the figure in DESIGN.md, for the bytes of a file.
import { element, hex } from './text.js';

/** How many bytes before the eight decide what is due in them. */
const BEFORE = 3;
const SHOWN = 8;

/** Each row is a plane, made of those above it: its name in the figure, and its bit at place `i`. */
const ROWS = [
  ...[7, 6, 5, 4].map((bit) => [`plane b${bit}`, (at, i) => (at.bytes[i] >> bit) & 1]),
  ['lead = b7 & b6', (at, i) => at('plane b7', i) & at('plane b6', i)],
  ['of 3 or more = lead & b5', (at, i) => at('lead = b7 & b6', i) & at('plane b5', i)],
  ['of 4 = that & b4', (at, i) => at('of 3 or more = lead & b5', i) & at('plane b4', i)],
  ['continuation = b7 & !b6', (at, i) => at('plane b7', i) & ~at('plane b6', i)],
  ['lead >> 1', (at, i) => at('lead = b7 & b6', i - 1)],
  ['of 3 or more >> 2', (at, i) => at('of 3 or more = lead & b5', i - 2)],
  ['of 4 >> 3', (at, i) => at('of 4 = that & b4', i - 3)],
  ['due: all of these', (at, i) => at('lead >> 1', i) | at('of 3 or more >> 2', i) | at('of 4 >> 3', i)],
  ['due ^ continuation', (at, i) => at('due: all of these', i) ^ at('continuation = b7 & !b6', i)],
];

/** Returns the rows' bits for the eight bytes after the first three of `bytes`. What the text does not have is 0. */
export function planes(bytes) {
  const formulas = new Map(ROWS);
  const at = (name, i) => (i < 0 ? 0 : formulas.get(name)(at, i));
  at.bytes = bytes;
  return ROWS.map(([name, formula]) => [name, Array.from({ length: SHOWN }, (_, i) => formula(at, i + BEFORE))]);
}

/** Shows the eight bytes of a file from `offset` on. */
export async function showPlanes(table, blob, offset) {
  const bytes = new Uint8Array(BEFORE + SHOWN);
  const start = Math.max(0, offset - BEFORE);
  bytes.set(new Uint8Array(await blob.slice(start, offset + SHOWN).arrayBuffer()), BEFORE - (offset - start));
  const head = Array.from(bytes.subarray(BEFORE), (byte, i) => element('th', { scope: 'col' }, offset + i < blob.size ? hex(byte) : '·'));
  const rows = planes(bytes).map(([name, bits], row) => element('tr', {}, element('th', { scope: 'row' }, name),
    ...bits.map((bit) => element('td', bit ? { class: row === ROWS.length - 1 ? 'fault' : 'one' } : {}, String(bit)))));
  table.replaceChildren(element('thead', {}, element('tr', {}, element('td'), ...head)), element('tbody', {}, ...rows));
}
