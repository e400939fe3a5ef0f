// Guesses what bytes are that are not UTF-8, or what happened to text that was read in the wrong encoding. The browser has the
// tables of all encodings of the WHATWG standard.
import { diagnose } from './trust8/file.js';
import { plural } from './text.js';

const SINGLE = [
  'windows-1252', 'windows-1250', 'windows-1251', 'windows-1253', 'windows-1254', 'windows-1255', 'windows-1256', 'windows-874',
  'koi8-r', 'ibm866', 'macintosh',
];
/** Encodings of two bytes a character, with the lead bytes of the characters that are frequent. */
const DOUBLE = { shift_jis: [0x82, 0x97], 'euc-jp': [0xa4, 0xcf], gb18030: [0xb0, 0xd7], big5: [0xa4, 0xc6], 'euc-kr': [0xb0, 0xc8] };
const NAMES = { 'utf-8-rfc2279': 'UTF-8 of RFC 2279', 'cesu-8': 'CESU-8', 'mutf-8': 'Modified UTF-8 (Java)', 'wtf-8': 'WTF-8' };
const FREQUENT = 'éèàçêôîâäöüßñóáíúåøæãõıłęąśżźćčšžěřůőоеаинтсрвлкмдпуαοιετσνηυρπκμλςהויםלארבתשןاليمنوترةคนารกเงมย';
const SCRIPTS = [[0x250, 'latin'], [0x370, ''], [0x400, 'greek'], [0x530, 'cyrillic'], [0x590, ''], [0x600, 'hebrew'], [0x700, 'arabic'], [0xe00, ''], [0xe80, 'thai']];

const isLetter = (c) => /[\p{L}\p{M}]/u.test(c);
const script = (c) => SCRIPTS.find(([end]) => c.codePointAt(0) < end)?.[1] ?? 'far';

/** Scores how plausible a text is: the higher, the better. */
function plausibility(text) {
  let [score, count, before] = [0, 0, ' '];
  for (const c of text) {
    if (c > '\x7f') {
      count++;
      const near = isLetter(before);
      if (/[\ufffd\x80-\x9f\ue000-\uf8ff]/.test(c)) score -= 20;
      else if (isLetter(c)) {
        score += FREQUENT.includes(c) ? 1.5 : -0.5;
        if (near && script(c) !== script(before)) score -= 4;
        else if (near && script(c) === 'latin') score += before > '\x7f' ? -1 : 1.5;
        else if (near) score += 1.5;
        if (near && /\p{Lu}/u.test(c) && /\p{Ll}/u.test(before)) score -= 4;
      } else score += near && !/[’”“»…–]/.test(c) ? -2 : /[‘’“”«»–—…€°£§ \xa0]/.test(c) ? 1 : -1;
    } else if (before > '\x7f' && isLetter(c) && isLetter(before) && script(before) !== 'latin') score -= 4;
    before = c;
  }
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

/** Guesses UTF-16 and UTF-32 by their zeros: in text, most high bytes are 0. */
function wide(sample) {
  const mark = (...bytes) => bytes.every((byte, i) => sample[i] === byte);
  if (mark(0xff, 0xfe, 0, 0)) return 'utf-32le';
  if (mark(0xff, 0xfe)) return 'utf-16le';
  if (mark(0xfe, 0xff)) return 'utf-16be';
  const zeros = [0, 0, 0, 0];
  sample.forEach((byte, i) => { if (byte === 0) zeros[i % 4]++; });
  const quarter = sample.length / 4;
  const many = zeros.map((n) => n > 0.6 * quarter);
  if (quarter < 1 || sample.length % 2) return null;
  if (many[2] && many[3] && !many[0]) return 'utf-32le';
  if (many[0] && many[1] && !many[3]) return 'utf-32be';
  if (many[1] && many[3] && !many[0]) return 'utf-16le';
  return many[0] && many[2] && !many[1] ? 'utf-16be' : null;
}

/**
 * Guesses from the first bytes of a file. Each guess has a sentence, and a plan that converts the file if there is one.
 * @param {Uint8Array} sample @param {{errorCount: number, byLength: number[]}} summary
 * @returns {{name: string, why: string, plan?: object}[]}
 */
export function guess(sample, summary) {
  const guesses = [];
  const form = wide(sample);
  if (form) {
    const plan = form.startsWith('utf-16') ? { decode: form } : { utf32: form === 'utf-32be' };
    guesses.push({ name: form.toUpperCase().replace('LE', ' little-endian').replace('BE', ' big-endian'), why: sample[0] >= 0xfe ? 'It begins with the byte order mark.' : 'Zeros are where text in it has them.', plan });
  }
  if (summary.errorCount === 0) {
    if (form) return guesses;
    const isAscii = summary.byLength.slice(1).every((n) => n === 0);
    const bom = sample[0] === 0xef && sample[1] === 0xbb && sample[2] === 0xbf;
    const text = decode('utf-8', sample);
    const undone = ['windows-1252', 'macintosh', 'windows-1251', 'ibm866'].map((label) => ({ label, ...undo(text, label) })).sort((a, b) => b.count - a.count)[0];
    if (undone.count > 0 && undone.count >= undone.kept) {
      guesses.push({ name: 'Mojibake', why: `UTF-8 that was once read as ${undone.label} and saved again: ${plural(undone.count, 'character')} can be brought back.`, plan: { mojibake: undone.label } });
    }
    guesses.push({ name: isAscii ? 'ASCII' : bom ? 'UTF-8 with a byte order mark' : 'UTF-8', why: isAscii ? 'Every byte is below 80, so it is UTF-8 too.' : 'Text in another encoding is hardly ever valid UTF-8 by chance.' });
    return guesses;
  }
  const { dialect, convertible, text } = diagnose(sample);
  if (dialect) guesses.push({ name: NAMES[dialect] ?? dialect, why: `${text}.`, plan: convertible ? { dialect } : undefined });
  const characters = summary.byLength.slice(1).reduce((sum, n) => sum + n, 0);
  if (characters > 2 * summary.errorCount) guesses.push({ name: 'UTF-8 with damage', why: `${plural(characters, 'character')} of two bytes or more are well-formed, against ${plural(summary.errorCount, 'error')}.` });
  const { overlong, 'unexpected-continuation': continuations } = summary.kinds;
  if (overlong && overlong + continuations === summary.errorCount) {
    guesses.push({ name: 'UTF-8 with overlong forms', why: 'A character in more bytes than it needs. Careless decoders take C0 AE for a full stop, which slips past a filter that looks for “../”.' });
  }
  if (form || guesses.length) return guesses;
  const ranked = SINGLE.map((label) => ({ label, score: plausibility(decode(label, sample)) }));
  for (const label of Object.keys(DOUBLE)) ranked.push({ label, score: doubleBytes(label, sample, decode(label, sample)) });
  ranked.sort((a, b) => b.score - a.score);
  const good = ranked.filter(({ score }) => score > 0.3 && score > ranked[0].score - 1).slice(0, 3);
  for (const { label } of good) {
    const example = (decode(label, sample).match(/[^\s]*[^\0-\x7f]+[^\s]*/) ?? [''])[0];
    guesses.push({ name: label, why: `It would read “${Array.from(example).slice(0, 24).join('')}”.`, plan: { decode: label } });
  }
  if (!guesses.length) guesses.push({ name: 'Not text', why: 'No encoding makes plausible text of it.' });
  return guesses;
}
