// Repairs: which make sense for what was found, and what each changes at the first place that changes.
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

/** Returns where the part of a file begins that shows a change at `offset`: after a space, if there is one near. */
async function startBefore(blob, offset) {
  if (offset <= 32) return 0;
  const from = offset - 32;
  const bytes = new Uint8Array(await blob.slice(from, offset - 4).arrayBuffer());
  const space = bytes.findIndex((byte) => byte === 32 || byte === 10);
  return space >= 0 ? from + space + 1 : from & ~3;
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
 * Shows what a repair changes at the first place that changes.
 * @param {(blob: Blob, isStart: boolean) => Promise<Blob>} convert
 */
export async function change(blob, plan, { summary, hidden }, convert) {
  let start = 0;
  if (summary.errorCount > 0) start = await startBefore(blob, summary.errors[0].offset);
  else if (plan.edits) start = await startBefore(blob, hidden.found[0].offset);
  else {
    const head = blob.slice(0, 1 << 16);
    const [before, after] = [new Uint8Array(await head.arrayBuffer()), new Uint8Array(await (await convert(head, true)).arrayBuffer())];
    start = await startBefore(blob, before.findIndex((byte, i) => byte !== after[i]));
  }
  if (plan.decode || plan.utf32 !== undefined) start &= ~3;
  const piece = blob.slice(start, start + SHOWN);
  const converted = plan.edits
    ? edited(piece, { edits: plan.edits.filter(({ offset }) => offset >= start && offset < start + SHOWN - 4).map((edit) => ({ ...edit, offset: edit.offset - start })) })
    : await convert(piece, start === 0);
  let bytes = new Uint8Array(await piece.arrayBuffer());
  let text = decoder.decode(await converted.arrayBuffer());
  // The end of the piece may cut a character off, which is no error of the file.
  const sequences = explain(bytes);
  if (start + SHOWN < blob.size && sequences.at(-1)?.kind === 'incomplete') {
    const end = sequences.at(-1).offset;
    const made = plan.edits ? null : await convert(new Blob([bytes.subarray(0, end)]), start === 0);
    bytes = bytes.subarray(0, end);
    if (made) text = decoder.decode(await made.arrayBuffer());
    else if (text.endsWith('\ufffd')) text = text.replace(/\ufffd+$/, '');
  }
  const [before, after] = [shownBytes(bytes), shownText(text)];
  markChanges(before, after);
  return element('dl', {}, element('dt', {}, 'before'), line(before, 'before'), element('dt', {}, 'after'), line(after, 'after'));
}
