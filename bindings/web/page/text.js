// Small helpers for text and elements. Content of files only ever becomes text nodes.
import { parseDump } from './dump.js';
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

/** What people write between, around and before hexadecimal bytes. */
const BETWEEN = /[\s,;:.|()[\]{}<>"'`_\u2010-\u2015-]+/u;
/** The same between `\xE2` and the like. */
const AROUND = /[\s,()[\]{}<>"'`]+/;
const CODE_POINT = /^(?:u\+|&#x|\\u(?=[0-9a-f]{4}$))([0-9a-f]{1,6})/i;

/** Returns the bytes of a code point, also of a surrogate. */
function encoded(codePoint) {
  if (codePoint >= 0xd800 && codePoint < 0xe000) return [0xe0 | (codePoint >> 12), 0x80 | ((codePoint >> 6) & 63), 0x80 | (codePoint & 63)];
  return codePoint > 0x10ffff ? null : new TextEncoder().encode(String.fromCodePoint(codePoint));
}

/**
 * Reads hexadecimal bytes as people write them: `E2 82`, `e282`, `\xE2\x82`, `{0xE2, 0x82}`, `%E2%82`, `e2-82`, and code points: `U+20AC`, `\u20AC`.
 * @returns {{bytes: Uint8Array} | {problem: string}} the problem is what cannot be read
 */
export function parseHex(text) {
  const bytes = [];
  const dump = parseDump(text);
  if (dump?.problem) return dump;
  const typed = dump?.digits ?? text;
  // `\u{20AC}` and `0xE2u8` are written without what would end a part.
  const pairs = typed.replace(/\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})/gi, (_, high, low) => ` U+${String.fromCharCode(parseInt(high, 16), parseInt(low, 16)).codePointAt(0).toString(16)} `);
  // Beside `\xE2`, `ab` is letters, and a full stop is one. So are commas and spaces in quotes, and spaces beside `=E2`.
  const isEscaped = /\\u|(?:\\x|[%=])[0-9a-f]{2}/i;
  const literals = /=[0-9a-f]{2}/i.test(typed) ? [typed.trim()] : Array.from(typed.matchAll(/(["'`])(.*?)\1/gs), ([, , inner]) => inner);
  const mixed = literals.find((it) => isEscaped.test(it) && BETWEEN.test(it.replace(/\\u\{[0-9a-f]+\}/gi, '')));
  if (mixed !== undefined) return { problem: mixed };
  const isAnyEscaped = isEscaped.test(typed);
  const parts = pairs.replace(/(\\u|u\+)\{([0-9a-f]+)\}/gi, ' U+$2 ').replace(/(^|[\s,([{])b(?=["'])/g, '$1').replace(/(0x[0-9a-f]+?)u8\b/gi, '$1').replace(/(?=\\x|\\u|%|=[0-9a-f])/gi, ' ').replace(/u\+/gi, ' U+').split(isAnyEscaped ? AROUND : BETWEEN);
  for (const part of parts.filter(Boolean)) {
    const codePoint = part.match(CODE_POINT);
    const made = codePoint && codePoint[0].length === part.length ? encoded(parseInt(codePoint[1], 16)) : null;
    const digits = part.replace(/^(?:\\x|0x|%|=)/i, '').replace(/h$/i, '');
    if (made) bytes.push(...made);
    else if (/^(?:\\x|%|=)/i.test(part) ? digits.length !== 2 : isAnyEscaped && digits === part) return { problem: part };
    else if (/^0x[0-9a-f]$/i.test(part)) bytes.push(parseInt(digits, 16));
    else if (digits.length % 2 === 0 && /^[0-9a-f]+$/i.test(digits)) for (const pair of digits.match(/../g)) bytes.push(parseInt(pair, 16));
    else return { problem: part };
  }
  return { bytes: Uint8Array.from(bytes) };
}

/** Reads Base64 in either alphabet, with or without its end and a prefix such as `data:text/plain;base64,`. `null` if it is none. */
export function parseBase64(text) {
  try {
    const digits = text.replace(/^\s*data:[^,]*;base64,/, '').replace(/\s/g, '');
    // What has both is a certificate between lines of hyphens, or the like.
    if (/[-_]/.test(digits) && /[+/]|-{4}/.test(digits)) return null;
    return Uint8Array.from(atob(digits.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
  } catch {
    return null;
  }
}

export const base64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
