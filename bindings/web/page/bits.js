// One character, or one ill-formed sequence: its code point, and its bits laid into its bytes as in the table of RFC 3629.
import { culprit } from './trust8/file.js';
import { codePointName, element, hex, hexBytes } from './text.js';
import { hidden, isSpace } from './hidden.js';

/** First and last code point, and the bytes: x is a bit of the code point. */
const RFC_TABLE = [
  [0x0, 0x7f, '0xxxxxxx'], [0x80, 0x7ff, '110xxxxx 10xxxxxx'], [0x800, 0xffff, '1110xxxx 10xxxxxx 10xxxxxx'],
  [0x10000, 0x10ffff, '11110xxx 10xxxxxx 10xxxxxx 10xxxxxx'],
];

/** How many of a byte's first bits are its marker, by what the byte looks like. */
const markerLength = (byte) => (byte < 0x80 ? 1 : byte < 0xc0 ? 2 : byte < 0xe0 ? 3 : byte < 0xf0 ? 4 : byte < 0xf8 ? 5 : 8);
const roleOf = (byte) => (byte < 0x80 ? 'ASCII' : byte < 0xc0 ? 'continuation' : byte < 0xf8 ? 'lead' : 'never in UTF-8');

/** Puts the bits of a code point into a row, coloured by the byte that has them. */
function codePointBits(bytes) {
  const row = element('p', { class: 'cp-bits', 'aria-hidden': 'true' });
  bytes.forEach((byte, i) => {
    const bits = byte.toString(2).padStart(8, '0').slice(markerLength(byte));
    row.append(element('span', { class: `p${i}` }, bits));
  });
  return row;
}

/**
 * Fills `root` with the explanation. `flip(index, bit)` is called for a bit that is clicked; without it, bits cannot be flipped.
 * @param {{offset: number, length: number, codePoint: number | null, kind: string | null}} sequence
 */
export function showDetail(root, sequence, bytes, flip) {
  const { codePoint, kind, offset } = sequence;
  const known = codePoint === null ? null : hidden(codePoint);
  const name = codePoint === null ? kind.replace('-', ' ') : codePointName(codePoint);
  const glyph = codePoint === null ? '\ufffd' : known ? `⟨${known.name}⟩` : codePoint === 10 ? '⏎' : codePoint === 13 ? '␍' : codePoint === 9 ? '⇥' : codePoint === 32 || isSpace(codePoint) ? '␣' : String.fromCodePoint(codePoint);
  const why = kind ? `${culprit(sequence.following)}.` : known ? `It is ${known.reason}.` : '';
  const focused = document.activeElement?.dataset?.bit;
  root.replaceChildren(
    element('h2', {}, 'Bits'),
    element('div', { class: 'head' },
      element('span', { class: kind ? 'glyph bad' : 'glyph', 'aria-hidden': 'true' }, element('bdi', {}, glyph)),
      element('p', {}, element('strong', {}, name), element('br'), `Byte ${offset}: `, element('code', {}, hexBytes(bytes.subarray(0, sequence.length)))),
    ),
  );
  if (why) root.append(element('p', { class: kind ? 'why bad' : 'why' }, why));
  if (!kind) root.append(element('p', { class: 'hint' }, `${codePointName(codePoint)} in binary, and its bits in the ${bytes.length === 1 ? 'byte' : `${bytes.length} bytes`}:`), codePointBits(bytes));
  const rows = element('div', { class: 'byte-rows' });
  bytes.forEach((byte, i) => {
    const row = element('div', { class: 'byte-row', role: 'group', 'aria-label': `Byte ${hex(byte)}, ${roleOf(byte)}` }, element('code', {}, hex(byte)));
    const marker = markerLength(byte);
    for (let bit = 7; bit >= 0; bit--) {
      const value = (byte >> bit) & 1;
      const role = 7 - bit < marker ? 'marker' : `p${i}`;
      const label = `Bit ${bit}: ${value}, ${7 - bit < marker ? 'marker' : 'of the code point'}${flip ? '; flip it' : ''}`;
      row.append(element('button', { type: 'button', class: `bit ${role}`, disabled: !flip, 'data-bit': `${i}.${bit}`, 'aria-label': label, onclick: () => flip?.(i, bit) }, String(value)));
    }
    row.append(element('span', { class: 'role' }, i >= sequence.length ? 'follows' : roleOf(byte)));
    rows.append(row);
  });
  root.append(rows);
  if (flip) root.append(element('p', { class: 'hint' }, 'Click a bit to flip it.'));
  const table = element('table', { class: 'rfc' }, element('caption', {}, 'RFC 3629, section 3'));
  const body = element('tbody');
  for (const [first, last, pattern] of RFC_TABLE) {
    const here = codePoint !== null && codePoint >= first && codePoint <= last;
    const octets = element('td');
    pattern.split(' ').forEach((octet, i) => octets.append(i ? ' ' : '', octet.replace(/x+/, ''), element('span', { class: `p${i}` }, octet.match(/x+/)[0])));
    body.append(element('tr', here ? { class: 'here', 'aria-current': 'true' } : {}, element('th', { scope: 'row' }, `${hex(first, 4)}–${hex(last, 4)}`), octets));
  }
  table.append(body);
  root.append(table);
  if (focused) root.querySelector(`[data-bit="${focused}"]`)?.focus();
}
