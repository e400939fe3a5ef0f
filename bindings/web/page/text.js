// Small helpers for text and elements. Content of files only ever becomes text nodes.
import { hidden } from './hidden.js';

export const hex = (n, digits = 2) => n.toString(16).toUpperCase().padStart(digits, '0');
export const hexBytes = (bytes) => Array.from(bytes, (byte) => hex(byte)).join(' ');
export const codePointName = (codePoint) => `U+${hex(codePoint, 4)}`;
export const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, '\u202f');
export const plural = (n, what) => `${grouped(n)} ${what}${n === 1 ? '' : 's'}`;

/** Returns `text` with every character that does not show spelled out. */
export function visible(text) {
  return Array.from(text, (c) => {
    const known = hidden(c.codePointAt(0));
    return known ? `⟨${known.name}⟩` : c === '\n' ? '⏎' : c === '\t' || c === '\r' ? ' ' : c;
  }).join('');
}

/** Makes an element. Attributes that begin with `on` are listeners; children are elements or text. */
export function element(name, attributes = {}, ...children) {
  const svg = name === 'rect';
  const made = svg ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (value !== false && value !== undefined) made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...children);
  return made;
}

/** Reads hexadecimal bytes in the usual notations: `E2 82`, `e282`, `\xE2\x82`, `0xE2, 0x82`, `%E2%82`. `null` if it is none. */
export function parseHex(text) {
  const digits = text.replace(/\\x|0x|%|[\s,;:]/gi, '');
  if (digits.length % 2 || /[^0-9a-f]/i.test(digits)) return null;
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}
