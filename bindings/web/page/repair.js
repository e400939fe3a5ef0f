// Repairs: which make sense for what was found, and what each changes at the first place that changes.
import { dialectCut } from './cut.js';
import { explain } from './trust8/file.js';
import { element, hexBytes, plural, visible } from './text.js';

const SHOWN = 64;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The repairs that make sense for what was found, the likeliest first. */
export function plans({ summary, guesses, hidden }) {
  const plans = guesses.filter((guess) => guess.plan).map(({ is, name, plan }) => {
    const title = is === 'mojibake' ? 'Undo the mojibake' : is === 'lines' ? `Read ill-formed bytes as ${plan.label}` : `Read all of it as ${name}`;
    return { title, note: is === 'lines' ? 'The rest is UTF-8.' : '', plan };
  });
  if (summary.errorCount === 0) {
    if (hidden.total > 0 && !hidden.isMore && guesses[0].is !== 'wide') {
      const edits = (replacement) => ({ edits: hidden.found.map(({ offset, codePoint }) => ({ offset, length: new TextEncoder().encode(String.fromCodePoint(codePoint)).length, text: replacement(codePoint) })) });
      plans.push(
        { title: `Remove ${plural(hidden.total, 'hidden character')}`, note: '', plan: edits(() => '') },
        { title: 'Spell hidden characters out', note: 'Nothing is lost.', plan: edits((codePoint) => `\\u{${codePoint.toString(16).toUpperCase()}}`) },
      );
    }
    return plans;
  }
  if (guesses[0].is === 'wide') return plans;
  const asTable = { title: 'Read ill-formed bytes as windows-1252', note: 'The rest is UTF-8.', plan: { policy: 'table', label: 'windows-1252' } };
  return [...plans,
    { title: 'Replace by U+FFFD', note: 'What browsers do.', plan: { policy: 'replace' } },
    ...(plans.some(({ plan }) => plan.label === 'windows-1252') ? [] : [asTable]),
    { title: 'Escape as \\xHH', note: 'Nothing is lost.', plan: { policy: 'escape' } },
    { title: 'Drop', note: 'Joins what was apart.', plan: { policy: 'drop' } }];
}

/** Returns a file with some characters replaced. */
export function edited(blob, { edits }) {
  const parts = [];
  let end = 0;
  for (const { offset, length, text } of edits) {
    parts.push(blob.slice(end, offset), text);
    end = offset + length;
  }
  return new Blob([...parts, blob.slice(end)]);
}

/** Returns where the part of a file begins that shows a change at `offset`: after a space, if there is one near, or else with a character of UTF-8. */
async function startBefore(blob, offset) {
  if (offset <= 32) return 0;
  const from = offset - 32;
  const bytes = new Uint8Array(await blob.slice(from, offset - 4).arrayBuffer());
  const space = bytes.findIndex((byte) => byte === 32 || byte === 10);
  return from + (space >= 0 ? space + 1 : Math.max(0, bytes.findIndex((byte) => byte >> 6 !== 2)));
}

/** Returns the characters of UTF-8 as they are shown. An ill-formed sequence is its bytes. */
const shownBytes = (bytes) => explain(bytes).map(({ offset, length, codePoint }) => (codePoint === null ? { shown: hexBytes(bytes.subarray(offset, offset + length)), key: offset } : { shown: visible(String.fromCodePoint(codePoint)), key: String.fromCodePoint(codePoint) }));
const shownText = (text) => Array.from(text, (c) => ({ shown: visible(c), key: c }));

/** Marks what is in only one of two lists, by a longest common subsequence. */
function markChanges(before, after) {
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) lengths[i][j] = before[i].key === after[j].key ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
  }
  for (let i = 0, j = 0; i < before.length || j < after.length;) {
    if (i < before.length && j < after.length && before[i].key === after[j].key) { i++; j++; continue; }
    if (j === after.length || (i < before.length && lengths[i + 1][j] >= lengths[i][j + 1])) before[i++].changed = true;
    else after[j++].changed = true;
  }
}

/** A line of text in which changes are marked. */
function line(list, className) {
  const parts = [];
  for (const { shown, changed = false } of list) {
    const last = parts.at(-1);
    if (last && last.changed === changed && !(changed && shown.length > 1)) last.shown += shown;
    else parts.push({ shown, changed });
  }
  return element('dd', { class: className }, element('bdi', {}, ...parts.map(({ shown, changed }) => (changed ? element('mark', {}, shown) : shown))));
}

/**
 * Returns the same part of a text with mojibake and of the one without. Mojibake has no character in ASCII, so both parts end with the same one, if there is
 * one after the change.
 */
function partsOf(mojibake, text, start, offset) {
  const part = mojibake.subarray(start, start + SHOWN);
  const rest = text.subarray(start);
  if (start + SHOWN >= mojibake.length) return [part, rest];
  const isAscii = (byte) => byte < 0x80;
  const end = part.findLastIndex(isAscii) + 1;
  let n = part.filter(isAscii).length;
  const last = start + end > offset ? rest.findIndex((byte) => isAscii(byte) && --n === 0) : -1;
  return last < 0 ? [part, rest.subarray(0, SHOWN)].map((bytes) => bytes.subarray(0, dialectCut(bytes))) : [part.subarray(0, end), rest.subarray(0, last + 1)];
}

/**
 * Shows what a repair changes at the first place that changes.
 * @param {(blob: Blob, isStart: boolean, isEnd: boolean) => Promise<{made: Blob, read: number}>} convert
 */
export async function change(blob, plan, { summary, hidden }, convert) {
  const isWide = plan.utf32 !== undefined || plan.decode?.startsWith('utf-16');
  const arrayOf = async (blob) => new Uint8Array(await blob.arrayBuffer());
  let start = 0;
  if (summary.errorCount > 0) start = await startBefore(blob, summary.errors[0].offset);
  else if (plan.edits) start = await startBefore(blob, hidden.found[0].offset);
  else {
    const head = blob.slice(0, 1 << 16);
    const [before, after] = [await arrayOf(head), await arrayOf((await convert(head, true, head.size === blob.size)).made)];
    const offset = before.findIndex((byte, i) => byte !== after[i]);
    start = await startBefore(blob, offset);
    if (plan.mojibake) return marked(...partsOf(before, after, start, offset));
  }
  if (isWide) start -= start % 4;
  const piece = blob.slice(start, start + SHOWN);
  const isEnd = start + SHOWN >= blob.size;
  const bytes = await arrayOf(piece);
  let made, read = isEnd ? bytes.length : dialectCut(bytes);
  if (plan.edits) made = edited(piece.slice(0, read), { edits: plan.edits.filter(({ offset }) => offset >= start && offset < start + read).map((edit) => ({ ...edit, offset: edit.offset - start })) });
  else ({ made, read } = await convert(piece, start === 0, isEnd));
  return marked(bytes.subarray(0, read), await arrayOf(made));
}

/** Shows two texts with marks at what is in only one of them. */
function marked(bytes, made) {
  const [before, after] = [shownBytes(bytes), shownText(decoder.decode(made))];
  markChanges(before, after);
  return element('dl', {}, element('dt', {}, 'before'), line(before, 'before'), element('dt', {}, 'after'), line(after, 'after'));
}
