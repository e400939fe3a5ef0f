// Reads files piece by piece, so that the page stays responsive and a file of any size takes little memory.
import { culprit, forbidden, fromDialect, memorySize, PIECE, repair, Survey } from './trust8/file.js';
import { dialectCut } from './cut.js';
import { guess } from './guess.js';
import { decoderOf, loadRules, undoMojibake } from './rules.js';

const EXPLAINED_ERRORS = 200;
/** How many forbidden characters are looked for. */
const MOST_FORBIDDEN = 1000;
/** What hides something from a reader. */
const HIDING = 'prompt';
const read = async (blob, from, to) => new Uint8Array(await blob.slice(from, to).arrayBuffer());
/** The last job that replaces those before it. */
let current = 0;

/**
 * Reads a file from an offset on into arrays, and returns the filled parts. All pieces can go through one buffer: a new
 * one for each waits for the garbage collector, and takes twice the time.
 */
function readerOf(blob, at) {
  try {
    const reader = blob.slice(at).stream().getReader({ mode: 'byob' });
    // A stream calls whatever goes wrong with a file, or with a folder, a network error.
    const explained = async (error) => { await read(blob, at, at + 1); throw error; };
    return { read: async (array) => (await reader.read(array).catch(explained)).value, stop: () => reader.cancel().catch(() => {}) };
  } catch {
    // Not every browser lends buffers to the streams of files.
    const copy = async (array) => {
      const bytes = await read(blob, at, at + array.length);
      array.set(bytes);
      at += bytes.length;
      return array.subarray(0, bytes.length);
    };
    return { read: copy, stop() {} };
  }
}

/** Surveys the file from an offset on, until `stop` says so. Returns `null` if a newer job has begun. */
async function survey(blob, { from = 0, job, stop = () => false, progress = () => {} }) {
  const survey = new Survey(blob.size, from);
  const reader = readerOf(blob, from);
  let [buffer, filled, at] = [new ArrayBuffer(PIECE), 0, from];
  try {
    while (at < blob.size && !stop(survey)) {
      while (filled < PIECE && at + filled < blob.size) {
        const more = await reader.read(new Uint8Array(buffer, filled));
        if (!more.length) throw new Error('the file has become shorter');
        buffer = more.buffer;
        filled += more.length;
      }
      if (job !== undefined && job !== current) return null;
      const bytes = new Uint8Array(buffer, 0, filled);
      // Up to three bytes begin a character that the next piece completes.
      const used = survey.push(bytes, at + filled >= blob.size);
      bytes.copyWithin(0, used);
      filled -= used;
      at += used;
      progress(at);
    }
  } finally {
    await reader.stop();
  }
  return survey;
}

/** Finds the first characters of a file that a profile forbids. A character is judged with those around it, so the pieces overlap. */
async function findForbidden({ blob, profile }, job, post = () => {}) {
  const AROUND = 1 << 10;
  const found = [];
  for (let at = 0; at < blob.size && found.length < MOST_FORBIDDEN; at += PIECE / 4) {
    const [from, to] = [Math.max(0, at - AROUND), Math.min(blob.size, at + PIECE / 4)];
    const bytes = await read(blob, from, to + AROUND);
    if (job !== undefined && job < current) return null;
    for (const it of forbidden(profile, bytes).found) {
      const offset = it.offset + from;
      if (offset >= at && offset < to && found.length < MOST_FORBIDDEN) found.push({ ...it, offset });
    }
    post({ done: to });
  }
  return { total: found.length, isMore: found.length === MOST_FORBIDDEN, found };
}

async function scan({ blob }, job, post) {
  const start = performance.now();
  const found = await survey(blob, { job, progress: (done) => post({ done: done / 2 }) });
  const hidden = found && await findForbidden({ blob, profile: HIDING }, job, ({ done }) => post({ done: (blob.size + done) / 2 }));
  if (!hidden) return null;
  post({ done: blob.size });
  const elapsed = performance.now() - start;
  const { summary } = found;
  await Promise.all(summary.errors.slice(0, EXPLAINED_ERRORS).map(async (error) => { error.why = culprit(await read(blob, error.offset, error.offset + 6)); }));
  const last = blob.size ? (await read(blob, blob.size - 1))[0] : 10;
  await loadRules();
  const guessed = await guess(summary, (from, to) => read(blob, from, to));
  return { summary, lines: summary.newlines + (last === 10 ? 0 : 1), ...guessed, hidden, elapsed, memory: memorySize() };
}

async function nextError({ blob, from }) {
  const found = await survey(blob, { from, stop: (survey) => survey.errors.length > 0 });
  return found.errors[0]?.offset ?? null;
}

/** Each plan has a function that converts a piece, and returns the bytes and how many bytes it has read. */
const PLANS = {
  policy: ({ policy, label, table = label && Array.from(new TextDecoder(label).decode(Uint8Array.from({ length: 128 }, (_, i) => i + 128)), (c) => c.codePointAt(0)) }) => {
    return (bytes, isLast) => repair(policy, bytes, isLast, table);
  },
  dialect: ({ dialect }) => (bytes, isLast) => {
    const read = isLast ? bytes.length : dialectCut(bytes);
    return { read, bytes: fromDialect(dialect, bytes.subarray(0, read)) };
  },
  decode: ({ decode }, isStart) => {
    const decoder = decoderOf(decode, { ignoreBOM: !isStart });
    return (bytes, isLast) => {
      const { read, text } = decoder(bytes, isLast);
      return { read, bytes: new TextEncoder().encode(text) };
    };
  },
  utf32: ({ utf32 }, atStart = true) => (bytes, isLast) => {
    const read = isLast ? bytes.length : bytes.length & ~3;
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    let text = '';
    for (let i = 0; i < read; i += 4) {
      const value = i + 4 > read ? -1 : view.getUint32(i, !utf32);
      // Only the first U+FEFF is the byte order mark.
      if (!atStart || value !== 0xfeff) text += value >= 0 && value <= 0x10ffff && value >> 11 !== 27 ? String.fromCodePoint(value) : '\ufffd';
      atStart = false;
    }
    return { read, bytes: new TextEncoder().encode(text) };
  },
  mojibake: () => (bytes, isLast) => {
    // The characters of mojibake follow each other, and none is in ASCII.
    const read = isLast ? bytes.length : bytes.lastIndexOf(10) + 1 || bytes.findLastIndex((byte) => byte < 0x80) + 1 || dialectCut(bytes);
    return { read, bytes: new TextEncoder().encode(undoMojibake(bytes.subarray(0, read))) };
  },
};

/** Converts a file, or a part of one. Returns what is made of it, and how many bytes were read: all, unless it ends before the end of a file. */
async function convert({ blob, plan, isStart = true, isEnd = true }, job, post) {
  const kind = Object.keys(PLANS).find((kind) => kind in plan);
  const step = PLANS[kind](plan, isStart);
  const parts = [];
  let at = 0;
  for (let isLast = false; !isLast;) {
    const bytes = await read(blob, at, at + PIECE / 4);
    isLast = at + bytes.length >= blob.size;
    const made = step(bytes, isLast && isEnd);
    if (!isLast && !made.read) throw new Error('the file has become shorter');
    // The browser may keep a blob on disk, but not an array.
    parts.push(new Blob([made.bytes]));
    at += made.read;
    post({ done: at });
  }
  return { made: new Blob(parts), read: at };
}

const JOBS = { scan, nextError, findForbidden, convert };
onmessage = async ({ data: { id, kind, ...input } }) => {
  if (kind === 'scan') current = id;
  try {
    postMessage({ id, result: await JOBS[kind](input, id, (progress) => postMessage({ id, ...progress })) });
  } catch (error) {
    postMessage({ id, error: error.message });
  }
};
postMessage({ ready: true });
// A page that is open needs no network.
loadRules().catch(() => {});
