// Guesses what bytes are that are not UTF-8, or what happened to text that was read in the wrong encoding. The browser has the
// tables of all encodings of the WHATWG standard. As in the command, the evidence is the whole file, or places all over it.
import { binary, diagnose, explain } from './trust8/file.js';
import { grouped, hexBytes, plural } from './text.js';

const SINGLE = [
  'windows-1252', 'windows-1250', 'windows-1251', 'windows-1253', 'windows-1254', 'windows-1255', 'windows-1256', 'windows-1257', 'windows-874',
  'koi8-r', 'ibm866', 'macintosh',
];
/** Encodings of two bytes a character, with the lead bytes of the characters that are frequent. */
const DOUBLE = { shift_jis: [0x82, 0x97], 'euc-jp': [0xa4, 0xcf], gb18030: [0xb0, 0xd7], big5: [0xa4, 0xc6], 'euc-kr': [0xb0, 0xc8] };
const NAMES = { 'utf-8-rfc2279': 'UTF-8 of RFC 2279', 'cesu-8': 'CESU-8', 'mutf-8': 'Modified UTF-8 (Java)', 'wtf-8': 'WTF-8' };
/** The letters with marks of languages that are written in Latin. */
const LATIN = [
  'éèàçêôîâûùëïœæ', 'äöüß', 'áéíóúñü', 'ãõáéíóúâêôàç', 'àèéìòù', 'åäöæøéü', 'áðéíóúýþæö', 'ąćęłńóśźż', 'áčďéěíňóřšťúůýž', 'áäčďéíĺľňóôŕšťúýž', 'áéíóöőúüű',
  'ăâîşţ', 'čćđšž', 'çğıöşüâîû', 'ąčęėįšųūž', 'āčēģīķļņšūž', 'äöõüšž', 'çë',
].map((letters) => new Set(letters));
/** Letters of other scripts that are frequent. */
const FREQUENT = new Set('оеаинтсрвлкмдпуαοιετσνηυρπκμλςהויםלארבתשןاليمنوترةคนารกเงมย');
const QUOTES = new Set('‘’“”„«»');
const SCRIPTS = [[0x250, 'latin'], [0x370, ''], [0x400, 'greek'], [0x530, 'cyrillic'], [0x590, ''], [0x600, 'hebrew'], [0x700, 'arabic'], [0xe00, ''], [0xe80, 'thai']];

const isLetter = (c) => /[\p{L}\p{M}]/u.test(c);
const script = (c) => SCRIPTS.find(([end]) => c.codePointAt(0) < end)?.[1] ?? 'far';

/** Scores a letter outside ASCII by the characters beside it. */
function letterScore(c, before, after, language) {
  const own = script(c);
  const beside = [before, after].filter(isLetter);
  if (beside.some((it) => script(it) !== own)) return -4;
  if (/\p{Lu}/u.test(c) && /\p{Ll}/u.test(before)) return -4;
  const lower = c.toLowerCase();
  const known = own === 'latin' ? (language.has(lower) ? 1.5 : -1.5) : FREQUENT.has(lower) ? 1.5 : 0.3;
  // Some letters of Hebrew have another form at the end of a word.
  if (/[ךםןףץ]/.test(c)) return isLetter(after) ? -3 : 5;
  // A letter of another script is hardly ever alone. In Latin, letters with marks are hardly ever side by side.
  if (own !== 'latin') return beside.length ? known + 1.5 : -0.5;
  return known + (beside.length === 0 ? -1 : beside.some((it) => it <= '\x7f') ? 1 : -1);
}

function symbolScore(c, before, after) {
  if (QUOTES.has(c)) return isLetter(before) || isLetter(after) ? 1 : 0;
  if (/[–—…€°£§©®¿¡ºª]/.test(c)) return isLetter(before) && isLetter(after) ? -1 : 0.5;
  // A hard space looks like nothing, so it is no evidence.
  return c === '\xa0' ? 0 : -1;
}

/** Scores how plausible a text is: the higher, the better. */
function plausibility(text) {
  const characters = Array.from(text);
  let [score, count] = [0, 0];
  const letters = Array.from(text.toLowerCase().match(/[\xdf-\u024f]/g) ?? []);
  const [language] = LATIN.map((it) => [it, letters.filter((c) => it.has(c)).length]).reduce((a, b) => (b[1] > a[1] ? b : a));
  characters.forEach((c, i) => {
    if (c <= '\x7f') return;
    count++;
    const [before, after] = [characters[i - 1] ?? ' ', characters[i + 1] ?? ' '];
    if (/[\ufffd\x80-\x9f\ue000-\uf8ff]/.test(c)) score -= 20;
    else score += isLetter(c) ? letterScore(c, before, after, language) : symbolScore(c, before, after);
  });
  return count ? score / count : 0;
}

/** Scores an encoding of two bytes a character. */
function doubleBytes(label, sample, text) {
  const [from, to] = DOUBLE[label];
  let [frequent, pairs] = [0, 0];
  for (let i = 0; i < sample.length; i++) {
    if (sample[i] < 0x80) continue;
    pairs++;
    if (sample[i] >= from && sample[i] <= to) frequent++;
    i++;
  }
  const own = label === 'euc-kr' ? /[가-힣]/g : /[ぁ-ヿ]/g;
  const bonus = label === 'gb18030' || label === 'big5' ? 0 : (3 * (text.match(own)?.length ?? 0)) / pairs - 1.5;
  return text.includes('\ufffd') || pairs < 3 ? -9 : (4 * frequent) / pairs - 1.5 + bonus;
}

const decode = (label, bytes) => new TextDecoder(label).decode(bytes);

/** Undoes that UTF-8 was read as `label`. Returns the text and how many characters came back. */
export function undo(text, label) {
  const all = decode(label, Uint8Array.from({ length: 128 }, (_, i) => i + 128));
  const byteOf = new Map(Array.from(all, (c, i) => [c, i + 128]));
  let [count, kept] = [0, 0];
  const undone = text.replace(/[^\0-\x7f]+/g, (run) => run.replace(/./gsu, (c) => (byteOf.has(c) ? c : `\0${c}\0`)).split('\0').map((part) => {
    const bytes = Uint8Array.from(part, (c) => byteOf.get(c) ?? 0);
    if (part.length < 2 || bytes.includes(0)) { kept += part.length; return part; }
    try {
      const back = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
      count += back.length;
      return back;
    } catch {
      kept += part.length;
      return part;
    }
  }).join(''));
  return { text: undone, count, kept };
}

/** Guesses UTF-16 and UTF-32 by their zeros: in text, most high bytes are 0. @param {Uint8Array} start the start of a file of `size` bytes */
function wide(start, size) {
  const sample = start.length < size ? start.subarray(0, start.length & ~3) : start;
  const mark = (...bytes) => bytes.every((byte, i) => sample[i] === byte);
  if (mark(0xff, 0xfe, 0, 0)) return 'utf-32le';
  if (mark(0xff, 0xfe)) return 'utf-16le';
  if (mark(0xfe, 0xff)) return 'utf-16be';
  const zeros = [0, 0, 0, 0];
  sample.forEach((byte, i) => { if (byte === 0) zeros[i % 4]++; });
  const quarter = sample.length / 4;
  const many = zeros.map((n) => n > 0.6 * quarter);
  if (quarter < 1 || size % 2) return null;
  if (many[2] && many[3] && !many[0]) return 'utf-32le';
  if (many[0] && many[1] && !many[3]) return 'utf-32be';
  if (many[1] && many[3] && !many[0]) return 'utf-16le';
  return many[0] && many[2] && !many[1] ? 'utf-16be' : null;
}

/** Whether a byte is a control character that is rare in text. */
const isControl = (byte) => byte < 7 || (byte > 13 && byte < 26) || (byte > 27 && byte < 32);

/** Words of the evidence that are not ASCII, each with what is around it on its line. Between spaces, no encoding has half a character. */
function* words(pieces) {
  const isEnd = (byte) => byte === undefined || (byte > 8 && byte < 14);
  const isSpace = (byte) => byte === 32 || isEnd(byte);
  for (const { bytes } of pieces) {
    for (let at = 0; at < bytes.length; at++) {
      if (bytes[at] < 0x80) continue;
      let [from, to] = [at, at];
      while (!isSpace(bytes[from - 1])) from--;
      while (!isSpace(bytes[to])) to++;
      const word = bytes.subarray(from, to);
      at = to;
      for (let i = from; !isEnd(bytes[i - 1]) && to - i < 24; i--) if (isSpace(bytes[i - 1])) from = i - 1;
      for (let i = to; !isEnd(bytes[i]) && i - from < 40; i++) if (isSpace(bytes[i + 1])) to = i + 1;
      yield { word, line: bytes.subarray(from, Math.min(to, from + 64)) };
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

/** Ranks the older encodings that make plausible text of all pieces. Each has a sample where it differs from the others. */
function older(pieces) {
  const all = someWords(pieces);
  const joined = Uint8Array.from(all.flatMap(({ word }) => [...word, 32]));
  const scored = [...SINGLE, ...Object.keys(DOUBLE)].map((label) => {
    const text = decode(label, joined);
    const score = label in DOUBLE ? doubleBytes(label, joined, text) : plausibility(text);
    // Two encodings that are as plausible are in the order of their use.
    return { label, score: label === 'windows-1252' ? score + 0.1 : score };
  }).sort((a, b) => b.score - a.score);
  const good = [];
  for (const { label, score } of scored) {
    if (score < 0.5 || score < scored[0].score - 0.7 || good.length === 3) break;
    const read = all.map(({ word }) => decode(label, word));
    // An encoding that makes the same text is not another answer.
    if (!good.some((other) => other.read.every((word, i) => word === read[i]))) good.push({ label, read });
  }
  let best = 0;
  const distinct = (i) => new Set(good.map(({ read }) => read[i])).size;
  for (let i = 0; i < all.length && distinct(best) < good.length; i++) if (distinct(i) > distinct(best)) best = i;
  return good.map(({ label }) => ({ label, sample: decode(label, all[best].line).trim() }));
}

/** Returns the single-byte encoding in which the ill-formed sequences are plausible, or `null`. */
function ofDamage(pieces) {
  // All but ASCII and the ill-formed sequences is a space.
  const bytes = Uint8Array.from(pieces.flatMap(({ bytes }) => explain(bytes.subarray(0, 1 << 14)).flatMap(({ codePoint, offset, length }) => (codePoint === null ? [...bytes.subarray(offset, offset + length)] : codePoint < 0x80 ? codePoint : 32))));
  const scored = SINGLE.map((label) => ({ label, score: plausibility(decode(label, bytes)) })).sort((a, b) => b.score - a.score);
  return scored[0].score > 1 ? scored[0].label : null;
}

const isCut = ({ kind, length }) => (kind === 'truncated' || kind === 'incomplete') && length > 1;

/** What is UTF-8 for the most part. */
function damaged(pieces, { errorCount, errors, byLength }) {
  const characters = byLength.slice(1).reduce((sum, n) => sum + n, 0);
  const [first] = errors;
  const cut = errors.every(isCut);
  const what = cut ? 'damaged character' : errors.every((error) => error.length === 1) ? 'damaged byte' : 'damaged place';
  const begun = `${hexBytes(first.bytes.subarray(0, first.length))} begins a character that is not completed`;
  const why = !cut ? '' : first.kind === 'incomplete' ? `The text was cut off: at its end, ${begun}. ` : `${begun}. `;
  const rest = characters ? `${plural(characters, 'character')} of two bytes or more ${characters === 1 ? 'is' : 'are'} well-formed.` : 'All other bytes are ASCII.';
  const label = cut ? null : ofDamage(pieces);
  const reading = label ? ` In ${label}, the damaged bytes are plausible.` : '';
  return { is: 'damaged', name: `UTF-8 with ${plural(errorCount, what)}`, why: why + rest + reading, plan: label ? { policy: 'table', label } : undefined };
}

function guessValid(pieces, { byLength }) {
  const first = pieces[0].bytes;
  const isAscii = byLength.slice(1).every((n) => n === 0);
  const texts = pieces.map(({ bytes }) => decode('utf-8', bytes));
  const guesses = [];
  if (isAscii && /\x1b\$[B@]/.test(texts[0]) && !decode('iso-2022-jp', first).includes('\ufffd')) {
    return [{ is: 'encoding', name: 'ISO-2022-JP', why: 'It is ASCII with the escape sequences of Japanese mail.', plan: { decode: 'iso-2022-jp' } }];
  }
  const text = texts.join('\n');
  const undone = ['windows-1252', 'macintosh', 'windows-1251', 'ibm866'].map((label) => ({ label, ...undo(text, label) })).sort((a, b) => b.count - a.count)[0];
  if (undone.count > 0 && undone.count >= undone.kept) {
    guesses.push({ is: 'mojibake', name: 'Mojibake', why: `UTF-8 that was once read as ${undone.label} and saved again: ${plural(undone.count, 'character')} can be brought back.`, plan: { mojibake: undone.label } });
  }
  const hasMark = first[0] === 0xef && first[1] === 0xbb && first[2] === 0xbf;
  if (isAscii) guesses.push({ is: 'ascii', name: 'ASCII', why: 'Every byte is below 80, so it is UTF-8 too.' });
  else guesses.push({ is: 'utf-8', name: hasMark ? 'UTF-8 with a byte order mark' : 'UTF-8', why: 'Text in another encoding is hardly ever valid UTF-8 by chance.' });
  return guesses;
}

/**
 * Guesses from pieces of a file. Each guess has a name, a sentence, and a plan that converts the file if there is one.
 * @param {{bytes: Uint8Array}[]} pieces @param {{bytes: number, errorCount: number, byLength: number[], errors: object[], kinds: object}} summary
 * @returns {{is: string, name: string, why: string, sample?: string, plan?: object}[]}
 */
export function guess(pieces, summary) {
  const { bytes: size, errorCount, byLength, errors, kinds } = summary;
  if (size === 0) return [];
  const first = pieces[0].bytes;
  const form = wide(first, size);
  if (form) {
    const plan = form.startsWith('utf-16') ? { decode: form } : { utf32: form === 'utf-32be' };
    const name = form.toUpperCase().replace('LE', ' little-endian').replace('BE', ' big-endian');
    return [{ is: 'wide', name, why: first[0] >= 0xfe ? 'It begins with the byte order mark.' : 'Zeros are where text in it has them.', plan }];
  }
  if (errorCount === 0) return guessValid(pieces, summary);
  const file = binary(first);
  if (file) return [{ is: 'binary', name: 'Not text', why: `It begins as ${file} does.` }];
  const diagnoses = pieces.map(({ bytes }) => diagnose(bytes)).filter(({ dialect }) => dialect !== 'utf-8');
  const [{ dialect, convertible, text } = {}] = diagnoses;
  if (dialect && diagnoses.every((it) => it.dialect === dialect)) {
    return [{ is: 'dialect', name: NAMES[dialect] ?? dialect, why: `${text}.`, plan: convertible ? { dialect } : undefined }];
  }
  const { overlong, 'unexpected-continuation': continuations } = kinds;
  if (overlong && overlong + continuations === errorCount) {
    return [{ is: 'overlong', name: 'UTF-8 with overlong forms', why: 'A character in more bytes than it needs. Careless decoders take C0 AE for a full stop, which slips past a filter that looks for “../”.' }];
  }
  const wellFormed = byLength.slice(1).reduce((sum, n, i) => sum + (i + 2) * n, 0);
  const illFormed = (errors.reduce((sum, { length }) => sum + length, 0) * errorCount) / errors.length;
  const isNearlyUtf8 = wellFormed > 0 && 3 * wellFormed >= 2 * (wellFormed + illFormed);
  if (isNearlyUtf8 || errors.every(isCut)) return [damaged(pieces, summary)];
  if (pieces.some(({ bytes }) => bytes.some(isControl))) return [{ is: 'binary', name: 'Not text', why: 'It has control characters, as binary files do.' }];
  const readings = older(pieces);
  if (readings.length) return readings.map(({ label, sample }) => ({ is: 'encoding', name: label, why: 'It would read ', sample, plan: { decode: label } }));
  if (2 * wellFormed >= illFormed || errorCount === 1 || 10 * illFormed <= size) return [damaged(pieces, summary)];
  return [{ is: 'binary', name: 'Not text', why: `No encoding makes plausible text of it: ${grouped(errorCount)} places are not UTF-8, and no older encoding fits.` }];
}
