// Says in words what the command's rules say of bytes that are not UTF-8, or of text that was read in the wrong encoding.
import { binary, diagnose } from './trust8/file.js';
import { apply, characters, decode, decoderOf } from './rules.js';
import { grouped, hexBytes, plural } from './text.js';

/** How many readings of a text are shown. */
const READINGS = 3;
const NAMES = { 'utf-8-rfc2279': 'UTF-8 of RFC 2279', 'cesu-8': 'CESU-8', 'mutf-8': 'Modified UTF-8 (Java)', 'wtf-8': 'WTF-8' };

/** Returns a piece without the words that it may begin and end inside of. */
function wholeWords(bytes, i, { length }) {
  const isSpace = (byte) => byte === 10 || byte === 32;
  const first = i === 0 ? 0 : bytes.findIndex(isSpace) + 1;
  const last = i === length - 1 ? bytes.length : bytes.findLastIndex(isSpace) + 1 || bytes.length;
  return bytes.subarray(Math.min(first, last), last);
}

/** Words of the evidence that are not ASCII, each with what is around it on its line. Between spaces, no encoding has half a character. */
function* words(pieces) {
  const isEnd = (byte) => byte === undefined || (byte > 8 && byte < 14);
  const isSpace = (byte) => byte === 32 || isEnd(byte);
  for (const bytes of pieces) {
    for (let at = 0; at < bytes.length; at++) {
      if (bytes[at] < 0x80) continue;
      let [from, to] = [at, at];
      while (!isSpace(bytes[from - 1])) from--;
      while (!isSpace(bytes[to])) to++;
      const word = bytes.subarray(from, to);
      at = to;
      for (let i = from; !isEnd(bytes[i - 1]) && to - i < 24; i--) if (isSpace(bytes[i - 1])) from = i - 1;
      for (let i = to; !isEnd(bytes[i]) && i - from < 40; i++) if (isSpace(bytes[i + 1])) to = i + 1;
      yield { word, line: bytes.subarray(from, Math.min(to, from + 64)), isWhole: to <= from + 64 };
    }
  }
}
/** What is read of the evidence: words from all pieces. */
const MOST_WORDS = 2000;
const MOST_BYTES = 32 << 10;
function someWords(pieces) {
  const all = [];
  for (const piece of pieces) {
    let [n, size] = [0, 0];
    for (const it of words([piece])) {
      all.push(it);
      size += it.word.length;
      if (++n * pieces.length >= MOST_WORDS || size * pieces.length >= MOST_BYTES) break;
    }
  }
  return all;
}

/** Shows how the text reads in the encodings that it may be in. Each has a sample where it differs from the others. */
function readings(pieces, labels) {
  const all = someWords(pieces.map(wholeWords));
  const shown = [];
  for (const label of labels) {
    const read = all.map(({ word }) => decode(label, word));
    // An encoding that makes the same text is not another answer.
    if (shown.length < READINGS && !shown.some((other) => other.read.every((word, i) => word === read[i]))) shown.push({ label, read });
  }
  let best = 0;
  const distinct = (i) => new Set(shown.map(({ read }) => read[i])).size;
  for (let i = 0; i < all.length && distinct(best) < shown.length; i++) if (distinct(i) > distinct(best)) best = i;
  const sample = (label, { line, isWhole }) => decoderOf(label)(line, isWhole).text.trim();
  return shown.map(({ label }) => ({ is: 'encoding', name: label, why: 'It would read ', sample: all.length ? sample(label, all[best]) : '', plan: { decode: label } }));
}

const isCut = ({ kind, length }) => (kind === 'truncated' || kind === 'incomplete') && length > 1;

/** What is UTF-8 for the most part. */
function damaged({ errorCount, errors, byLength }) {
  const count = byLength.slice(1).reduce((sum, n) => sum + n, 0);
  const [first] = errors;
  const cut = errors.every(isCut);
  const what = cut ? 'damaged character' : errors.every((error) => error.length === 1) ? 'damaged byte' : 'damaged place';
  const begun = `${hexBytes(first.bytes.subarray(0, first.length))} begins a character that is not completed`;
  const why = !cut ? '' : first.kind === 'incomplete' ? `The text was cut off: at its end, ${begun}. ` : `${begun}. `;
  const rest = count ? `${plural(count, 'character')} of two bytes or more ${count === 1 ? 'is' : 'are'} well-formed.` : byLength[0] ? 'All other bytes are ASCII.' : '';
  return { is: 'damaged', name: `UTF-8 with ${plural(errorCount, what)}`, why: `${why}${rest}`.trimEnd() };
}

const asWide = (label, why) => ({
  is: 'wide', name: label.toUpperCase().replace('LE', ' little-endian').replace('BE', ' big-endian'), why,
  plan: label.startsWith('utf-16') ? { decode: label } : { utf32: label === 'utf-32be' },
});

function guessValid({ from, mojibake }, [first], { byLength }) {
  if (from === 'iso-2022-jp') return [{ is: 'encoding', name: 'ISO-2022-JP', why: 'It is ASCII with the escape sequences of Japanese mail.', plan: { decode: from } }];
  if (from) return [asWide(from, 'Zeros are where text in it has them.')];
  const guesses = [];
  if (mojibake) guesses.push({ is: 'mojibake', name: 'Mojibake', why: `UTF-8 that was once read as windows-1252 and saved again, in ${plural(mojibake, 'line')} of what was looked at.`, plan: { mojibake: true } });
  const hasMark = first[0] === 0xef && first[1] === 0xbb && first[2] === 0xbf;
  if (byLength.slice(1).every((n) => n === 0)) guesses.push({ is: 'ascii', name: 'ASCII', why: 'Every byte is below 80, so it is UTF-8 too.' });
  else guesses.push({ is: 'utf-8', name: hasMark ? 'UTF-8 with a byte order mark' : 'UTF-8', why: 'Text in another encoding is hardly ever valid UTF-8 by chance.' });
  return guesses;
}

/** Says where the file is in the dialect, and not in UTF-8, if the sample is all of it. */
function dialectOf([first], dialect, size) {
  const said = first.length === size ? diagnose(first) : null;
  return said?.dialect === dialect ? `${said.text}.` : 'All of it is valid so.';
}

function guessInvalid(rules, pieces, summary) {
  const { from, lines, why, likely, hasControls, dialect, convertible } = rules;
  const { bytes: size, errorCount, byLength, errors, kinds } = summary;
  const [first] = pieces;
  if (/^utf-(16|32)/.test(from)) {
    const hasMark = first[0] >= 0xfe || (first[2] === 0xfe && first[3] === 0xff);
    return [asWide(from, hasMark ? 'It begins with the byte order mark.' : 'It makes sense only as that.')];
  }
  const file = binary(first);
  if (file) return [{ is: 'binary', name: 'Not text', why: `It begins as ${file} does.` }];
  if (dialect) return [{ is: 'dialect', name: NAMES[dialect] ?? dialect, why: dialectOf(pieces, dialect, size), plan: convertible ? { dialect } : undefined }];
  if (from) return readings(pieces, likely);
  if (lines) {
    const name = `UTF-8 with lines in ${lines}`;
    const plan = rules.isSingleByte ? { policy: 'table', table: characters(lines).map((c) => c.codePointAt(0)), label: lines } : undefined;
    return [{ is: 'lines', name, why: `Some lines are UTF-8, and others make far better sense in ${lines}.`, plan }];
  }
  const { overlong, 'unexpected-continuation': continuations } = kinds;
  if (overlong && overlong + continuations === errorCount) {
    return [{ is: 'overlong', name: 'UTF-8 with overlong forms', why: 'A character in more bytes than it needs. Careless decoders take C0 AE for a full stop, which slips past a filter that looks for “../”.' }];
  }
  if (lines === '') return [damaged(summary)];
  if (hasControls) return [{ is: 'binary', name: 'Not text', why: 'It has control characters, as binary files do.' }];
  // Of the reasons why there is no answer, one is that there are several.
  const isImplausible = why.startsWith('no encoding');
  if (!isImplausible && likely.length) return readings(pieces, likely);
  const wellFormed = byLength.slice(1).reduce((sum, n, i) => sum + (i + 2) * n, 0);
  const illFormed = (errors.reduce((sum, { length }) => sum + length, 0) * errorCount) / errors.length;
  if (errors.every(isCut) || 2 * wellFormed >= illFormed || errorCount === 1 || 10 * illFormed <= size) return [damaged(summary)];
  return [{ is: 'binary', name: 'Not text', why: `No encoding makes plausible text of it: ${grouped(errorCount)} places are not UTF-8, and no older encoding fits.` }];
}

/**
 * Guesses what a file is. Each guess has a name, a sentence, and a plan that converts the file if there is one.
 * @param {{bytes: number, errorCount: number, byLength: number[], errors: object[], kinds: object}} summary
 * @param {(from: number, to: number) => Promise<Uint8Array>} read
 * @returns {Promise<{guesses: {is: string, name: string, why: string, sample?: string, plan?: object}[], rules: object}>}
 */
export async function guess(summary, read) {
  const { bytes: size, errorCount, errors } = summary;
  if (size === 0) return { guesses: [], rules: {} };
  const { rules, pieces } = await apply(size, errorCount > 0 ? errors[0].offset : -1, read);
  return { guesses: errorCount > 0 ? guessInvalid(rules, pieces, summary) : guessValid(rules, pieces, summary), rules };
}
