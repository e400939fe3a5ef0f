// Characters that a reader does not see, or that change what a reader sees. The library's classes say which they are.
import { classOf } from './trust8/file.js';

/** Classes that the page shows as they are, or by a sign for them. */
const SHOWN = new Set(['tab', 'line-feed', 'carriage-return', 'slash', 'windows-reserved']);
const NAMES = {
  0xad: 'SHY', 0x34f: 'CGJ', 0x61c: 'ALM', 0x115f: 'FILLER', 0x1160: 'FILLER', 0x200b: 'ZWSP', 0x200c: 'ZWNJ', 0x200d: 'ZWJ', 0x200e: 'LRM',
  0x200f: 'RLM', 0x2028: 'LS', 0x2029: 'PS', 0x202a: 'LRE', 0x202b: 'RLE', 0x202c: 'PDF', 0x202d: 'LRO', 0x202e: 'RLO', 0x2066: 'LRI',
  0x2067: 'RLI', 0x2068: 'FSI', 0x2069: 'PDI', 0x3164: 'FILLER', 0xfeff: 'BOM', 0xffa0: 'FILLER',
};

/** Returns the short name of a character, if it has one. */
export const shortName = (codePoint) => NAMES[codePoint] ?? '';

/** Returns a name to show, and what the character is, or `null` if it shows. */
export function hidden(codePoint) {
  const known = classOf(codePoint);
  if (!known || SHOWN.has(known.name)) return null;
  return { name: shortName(codePoint) || codePoint.toString(16).toUpperCase().padStart(2, '0'), reason: known.reason };
}

/** Returns whether the character is a space besides the one of ASCII. */
export const isSpace = (codePoint) => codePoint > 0x20 && /^[\p{Zs}\u2800]$/u.test(String.fromCodePoint(codePoint));
