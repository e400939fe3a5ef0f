// The page: what is chosen, what is known of it, and what is shown.
import { PROFILES, reason, simd } from './trust8/file.js';
import { showDetail } from './bits.js';
import { shortName } from './hidden.js';
import { runs, spelled } from './runs.js';
import { HexView } from './hexview.js';
import { showPlanes } from './planes.js';
import { change, edited, plans } from './repair.js';
import { base64, codePointName, element, grouped, hexBytes, parseBase64, parseHex, plural, visible } from './text.js';
import { verdict } from './verdict.js';

const LINK_LIMIT = 512;
const FLIP_LIMIT = 1 << 20;
/** The profile of what hides something from a reader, which the scan looks for. */
const HIDING = 'prompt';
const EXAMPLES = {
  'Latin-1': '4C612063 6166E974 E9726961 20656E20 E974E9', 'an attack': '2F7372762F C0AE C0AE 2F706173737764', 'a Java emoji': '536D696C653A20 EDA0BD EDB880',
  'cut off': '35 20 E282', 'mojibake': '63 61 66 C383C2A9 20 C3A2E2809AC2AC 35', 'hidden': '7061796C6F6164 E280AE 67706A 2E657865 E2808B', 'all is well': '61 C3A9 E282AC F09F9880 0A',
};

const $ = (id) => document.getElementById(id);

// Trusted Types let scripts come from this one place only.
const policy = globalThis.trustedTypes?.createPolicy('trust8', { createScriptURL: (url) => url });
const workerUrl = new URL('worker.js', import.meta.url).href;
const jobs = new Map();
let lastJob = 0;
const fail = (message) => { $('fatal').textContent = message; };
/** Whether the worker cannot do anything. Then the message stays. */
let broken = false;
function breakDown(why) {
  broken = true;
  fail(`This page cannot read anything: its worker did not start${why ? ` (${why})` : ''}. Reload the page; if that does not help, its server does not deliver worker.js or what it needs.`);
  $('result').hidden = true;
  document.body.dataset.state = 'broken';
}
// A message that comes before the worker has its module would be lost.
let started;
const ready = new Promise((resolve) => { started = resolve; });
let worker;
try {
  worker = new Worker(policy ? policy.createScriptURL(workerUrl) : workerUrl, { type: 'module' });
  worker.onmessage = ({ data }) => {
    if (data.ready) started();
    const job = jobs.get(data.id);
    if (!job) return;
    if ('done' in data) return job.progress?.(data.done);
    jobs.delete(data.id);
    if (data.error) job.reject(new Error(data.error));
    else job.resolve(data.result);
  };
  worker.onerror = (event) => { event.preventDefault(); breakDown(event.message); };
} catch (error) {
  queueMicrotask(() => breakDown(error.message));
}
/** Has the worker do a job. */
const ask = (kind, input, progress) => new Promise((resolve, reject) => {
  jobs.set(++lastJob, { resolve, reject, progress });
  const message = { id: lastJob, kind, ...input };
  ready.then(() => worker.postMessage(message));
});

// A file that has changed cannot be read any more, also while one walks through it.
addEventListener('unhandledrejection', (event) => { event.preventDefault(); fail(event.reason.message); });

// What the page says if this module does not run.
$('fatal').classList.remove('waiting');
fail('');

/** What is open: its name and bytes, and what the scan has found. @type {{name: string, blob: Blob, found?: any} | null} */
let opened = null;
let typedBlob = false;
/** The planes that are shown last are those of the last selection. */
let planesQueue = Promise.resolve();

const view = new HexView($('hex'), (sequence) => {
  if (!opened) return;
  // The reason of an error may need the byte after the sequence.
  const bytes = sequence.kind ? errorBytes(sequence) : sequence.bytes;
  const { blob, name } = opened;
  const flip = blob.size <= FLIP_LIMIT && (async (index, bit) => {
    const at = sequence.offset + index;
    const [byte] = new Uint8Array(await blob.slice(at, at + 1).arrayBuffer());
    open(new Blob([blob.slice(0, at), Uint8Array.of(byte ^ (1 << bit)), blob.slice(at + 1)]), name, { at: sequence.offset });
  });
  showDetail($('detail'), sequence, bytes, flip || undefined);
  planesQueue = planesQueue.then(() => showPlanes($('planes'), blob, sequence.offset)).catch((error) => fail(error.message));
  showPlace();
});

/** Returns the bytes that prove an error: as few as give the same reason as all that follow. */
function errorBytes({ bytes, following }) {
  const all = reason(following);
  for (let n = bytes.length; n < following.length; n++) if (reason(following.subarray(0, n)) === all) return following.subarray(0, n);
  return following;
}

/** A link is that of its bytes, and not of what is opened after them. */
const leaveLink = () => { if (location.hash) history.replaceState(null, '', location.pathname + location.search); };

async function open(blob, name, { at, fromTyping = false } = {}) {
  if (broken) return;
  clearTimeout(typing);
  leaveLink();
  opened = { blob, name };
  const mine = opened;
  fail('');
  if (typedBlob && fromTyping === false && at !== undefined) await fillTyped(blob);
  if (mine !== opened) return;
  typedBlob = typedBlob && at !== undefined ? true : fromTyping;
  if (!fromTyping) $('typed-problem').textContent = '';
  $('result').classList.add('busy');
  const progress = $('progress');
  progress.hidden = blob.size < 16 << 20;
  progress.value = 0;
  // A file that takes a while shows its progress in an empty card.
  if (!progress.hidden) {
    headline('', 'Reading', name, '', '');
    $('result').classList.add('empty');
    $('result').hidden = false;
  }
  try {
    const found = await ask('scan', { blob }, (done) => { if (mine === opened && blob.size) progress.value = done / blob.size; });
    if (mine !== opened || !found) return;
    opened.found = found;
    $('result').hidden = false;
    show();
    if ($('profile').value === HIDING) showForbidden(found.hidden);
    else await findForbidden();
    if (blob.size > 0) await view.open(blob, at ?? found.summary.errors[0]?.offset ?? found.hidden.found[0]?.offset ?? 0);
    progress.hidden = true;
    document.body.dataset.state = `done ${name}`;
  } catch (error) {
    if (mine !== opened) return;
    $('result').hidden = true;
    fail(`${visible(name)} could not be read: ${error.message}`);
  } finally {
    if (mine === opened) $('result').classList.remove('busy');
  }
}

function headline(state, words, name, sentence, why) {
  $('result').dataset.verdict = state;
  $('verdict').replaceChildren(words, ' ', element('span', { class: 'name' }, element('bdi', {}, visible(name))));
  $('summary').textContent = sentence;
  $('why').textContent = why;
}

/** Shows bytes that were changed by a flipped bit in the field that they came from. */
async function fillTyped(blob) {
  if (blob.size > 65536) return;
  setMode('hex');
  $('typed').value = hexBytes(new Uint8Array(await blob.arrayBuffer()));
}

function show() {
  const { name, blob, found } = opened;
  const { summary, lines, elapsed, memory } = found;
  const { errorCount, byLength, errors } = summary;
  const { state, headline: words, sentence } = verdict(found);
  const [first] = errors;
  headline(state, words, name, sentence, first ? `${plural(errorCount, 'error')}. The first is at line ${grouped(first.line)}, column ${grouped(first.column)}, byte ${grouped(first.offset)}: ${first.why}.` : '');
  $('result').classList.toggle('empty', blob.size === 0);
  const characters = byLength.reduce((sum, n) => sum + n, 0);
  const counts = [['Bytes', blob.size], ['Characters', characters], ['Lines', lines], ...byLength.map((n, i) => [`of ${i + 1} byte${i ? 's' : ''}`, n])];
  $('counts').replaceChildren(...counts.map(([what, n], i) => element('div', i > 2 ? { class: `l${i - 3}` } : {}, element('dt', {}, what), element('dd', {}, grouped(n)))));
  $('lengths').replaceChildren(...byLength.map((n, i) => {
    const part = element('span', { class: `l${i}` });
    part.style.flexGrow = String(n * (i + 1));
    return part;
  }));
  $('engine').textContent = `Read in ${elapsed < 10 ? elapsed.toFixed(1) : grouped(Math.round(elapsed))} ms, with ${(memory / 1048576).toFixed(0)} MiB of memory for the module (${simd ? 'WebAssembly with SIMD' : 'WebAssembly without SIMD'}).`;
  $('link').parentElement.hidden = blob.size > LINK_LIMIT || blob.size === 0;
  $('link-done').textContent = '';
  showGuesses();
  showMap(summary);
  showErrors(summary);
  showRepairs().catch((error) => fail(error.message));
}

function showGuesses() {
  const { guesses } = opened.found;
  $('guesses').replaceChildren(...guesses.map(({ name, why, sample }) => element('li', {}, element('strong', {}, name), ' ',
    sample === undefined ? element('bdi', {}, visible(why)) : element('span', {}, why, element('bdi', { class: 'sample' }, visible(sample))))));
  const hint = guesses.length > 1 && guesses.every(({ sample }) => sample !== undefined) ? 'These bytes tell them apart. Take the one that you can read.' : '';
  $('guess-hint').textContent = hint;
}

/** Where in the file the errors are. Keys have buttons for the same, so the map is a picture to a screen reader. */
function showMap({ bins, errorCount }) {
  const map = $('map');
  const most = Math.max(...bins);
  $('map-card').hidden = errorCount === 0;
  const parts = bins.filter((n) => n > 0).length;
  map.setAttribute('aria-label', `${plural(errorCount, 'error')} in ${parts} of ${bins.length} parts of the file`);
  const marks = bins.flatMap((n, i) => (n ? [element('rect', { x: i, y: 24 - (6 + (18 * Math.log1p(n)) / Math.log1p(most)), width: 1, height: 24, class: 'mark' })] : []));
  map.replaceChildren(element('rect', { width: 512, height: 24, class: 'ground' }), ...marks, element('rect', { class: 'window', y: 0, height: 24 }));
}
$('map').addEventListener('click', (event) => {
  const box = $('map').getBoundingClientRect();
  const bin = Math.floor((512 * (event.clientX - box.left)) / box.width);
  const { blob, found: { summary } } = opened;
  const from = Math.floor((bin * blob.size) / 512);
  if (summary.bins[bin] > 0) walkFrom(from - 1);
  else view.goTo(from);
});

function showErrors({ errors, errorCount }) {
  $('errors-card').hidden = errorCount === 0;
  $('errors-title').textContent = `${plural(errorCount, 'error')}`;
  $('errors').tBodies[0].replaceChildren(...errors.filter((error) => error.why).map((error) => element('tr', {},
    element('td', {}, element('button', { type: 'button', class: 'place', 'aria-label': `Go to byte ${error.offset}`, onclick: () => { view.goTo(error.offset); $('hex').focus(); } }, grouped(error.offset))),
    element('td', {}, grouped(error.line)), element('td', {}, grouped(error.column)), element('td', {}, error.kind.replace('-', ' ')),
    element('td', {}, element('code', {}, hexBytes(error.bytes))), element('td', {}, error.why))));
  const listed = $('errors').tBodies[0].rows.length;
  const more = errorCount > listed ? `The first ${listed} of ${grouped(errorCount)} are listed. The map shows them all, and n and p walk through ${errorCount > errors.length ? `the first ${grouped(errors.length)}; n finds later ones` : 'them'}.` : '';
  $('errors-more').textContent = more;
}

const SHOWN_FORBIDDEN = 20;
/** Shows the characters that a profile forbids, by class. */
function runInWords({ offset, codePoints }) {
  const first = `${shortName(codePoints[0])} ${codePointName(codePoints[0])}`.trim();
  if (codePoints.length === 1) return `${first} at ${grouped(offset)}`;
  const words = [...spelled(codePoints)].slice(0, 40).join('');
  return `${grouped(codePoints.length)} from ${first} on${words ? `, which spell “${visible(words)}”,` : ''} at ${grouped(offset)}`;
}
function showForbidden({ total, isMore, found }) {
  $('forbidden-note').textContent = total ? `${isMore ? 'At least ' : ''}${plural(total, 'character')}.` : 'None.';
  const classes = Map.groupBy(found, (it) => it.class);
  $('forbidden').replaceChildren(...[...classes.values()].map((all) => element('li', {}, element('strong', {}, `${all[0].class.replaceAll('-', ' ')}: `), `${all[0].reason}. `,
    ...runs(all).slice(0, SHOWN_FORBIDDEN).map((run) => element('button', { type: 'button', class: 'place', onclick: () => { view.goTo(run.offset); $('hex').focus(); } }, runInWords(run))),
    runs(all).length > SHOWN_FORBIDDEN ? ` and ${grouped(runs(all).length - SHOWN_FORBIDDEN)} more` : '')));
}
async function findForbidden() {
  const mine = opened;
  const profile = $('profile').value;
  const found = await ask('findForbidden', { blob: mine.blob, profile });
  if (mine === opened && profile === $('profile').value && found) showForbidden(found);
}
$('profile').append(...PROFILES.filter((name) => name !== 'scalars').map((name) => element('option', { value: name, selected: name === HIDING }, name)));
$('profile').addEventListener('change', () => { if (opened?.found) findForbidden().catch((error) => fail(error.message)); });

async function showRepairs() {
  const { blob, name, found } = opened;
  const mine = opened;
  const all = plans(found);
  $('repair-card').hidden = all.length === 0;
  $('repairs').replaceChildren();
  const cards = await Promise.all(all.map(async ({ title, note, plan }) => {
    const status = element('span', { class: 'hint', role: 'status' });
    const progress = (done) => { status.textContent = ` ${Math.round((100 * done) / blob.size)} %`; };
    const download = element('button', { type: 'button', 'aria-label': `Download: ${title}`, onclick: async () => {
      download.disabled = true;
      const made = plan.edits ? edited(blob, plan) : (await ask('convert', { blob, plan }, progress).catch((error) => fail(error.message)))?.made;
      download.disabled = false;
      if (!made) return;
      status.textContent = ` ${plural(made.size, 'byte')}`;
      const url = URL.createObjectURL(made);
      const [stem, extension] = name.match(/^(.*?)(\.[^.]*)?$/s).slice(1);
      element('a', { href: url, download: `${stem || 'bytes'}.utf8${extension ?? '.txt'}` }).click();
      setTimeout(() => URL.revokeObjectURL(url), 60_000);
    } }, 'Download');
    const changes = await change(blob, plan, found, (piece, isStart, isEnd) => ask('convert', { blob: piece, plan, isStart, isEnd }));
    return element('article', { class: 'repair' }, element('div', { class: 'repair-head' }, element('h3', {}, title), element('span', {}, status, download)), element('p', { class: 'hint' }, note), changes);
  }));
  if (mine === opened) $('repairs').replaceChildren(...cards);
}

// --- Walking -------------------------------------------------------------------------------------------

function showPlace() {
  if (!opened.found) return;
  const { errors, errorCount } = opened.found.summary;
  const at = view.offset;
  const index = errors.findIndex((error) => error.offset >= at);
  const here = errors[index]?.offset === at;
  $('walk-place').textContent = errorCount === 0 ? 'no errors' : here ? `${grouped(index + 1)} of ${grouped(errorCount)}` : plural(errorCount, 'error');
  $('previous').disabled = errors.length === 0 || at <= errors[0].offset;
  $('next').disabled = errorCount === 0 || (errorCount === errors.length && at >= errors.at(-1).offset);
  const [from, to] = view.windowRange;
  const window = $('map').querySelector('.window');
  const scale = 512 / opened.blob.size;
  window?.toggleAttribute('hidden', to - from >= opened.blob.size);
  window?.setAttribute('x', String(from * scale));
  window?.setAttribute('width', String(Math.max(2, (to - from) * scale)));
}

/** Goes to the first error after a place. Errors beyond the listed ones are searched for. */
async function walkFrom(at) {
  const { blob, found: { summary: { errors, errorCount } } } = opened;
  let next = errors.find((error) => error.offset > at)?.offset;
  if (next === undefined && errorCount > errors.length) {
    // The search must not begin inside a character.
    let from = at === view.offset ? view.end : at + 1;
    const bytes = new Uint8Array(await blob.slice(from, from + 3).arrayBuffer());
    for (const byte of bytes) if (byte >> 6 === 2 && at !== view.offset) from++; else break;
    next = await ask('nextError', { blob, from });
  }
  if (next !== undefined && next !== null) await view.goTo(next);
}
async function walkBack() {
  const before = opened.found.summary.errors.findLast((error) => error.offset < view.offset);
  if (before) await view.goTo(before.offset);
}
$('next').addEventListener('click', () => walkFrom(view.offset));
$('previous').addEventListener('click', walkBack);
$('goto').addEventListener('change', () => {
  const text = $('goto').value.replace(/\s/g, '');
  if (opened && text && Number.isSafeInteger(Number(text))) view.goTo(Number(text));
});
$('hex').addEventListener('keydown', (event) => {
  if (!opened?.found || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'n') walkFrom(view.offset);
  if (event.key === 'p') walkBack();
});

// --- Input ---------------------------------------------------------------------------------------------

function openFiles(files) {
  if (!files.length) return;
  const list = $('file-list');
  list.hidden = files.length < 2;
  const buttons = files.map((file) => element('button', { type: 'button', onclick: ({ currentTarget }) => {
    for (const it of buttons) it.removeAttribute('aria-current');
    currentTarget.setAttribute('aria-current', 'true');
    open(file, file.name);
  } }, element('bdi', {}, visible(file.name))));
  list.replaceChildren(...buttons.map((button) => element('li', {}, button)));
  buttons[0].click();
}
$('choose').addEventListener('click', () => $('files').click());
$('files').addEventListener('change', () => { openFiles([...$('files').files]); $('files').value = ''; });
let depth = 0;
const over = (on) => document.body.classList.toggle('over', on);
addEventListener('dragenter', (event) => { event.preventDefault(); depth++; over(true); });
addEventListener('dragleave', () => { if (--depth <= 0) over(false); });
addEventListener('dragover', (event) => event.preventDefault());
addEventListener('drop', (event) => {
  event.preventDefault();
  depth = 0;
  over(false);
  const { files } = event.dataTransfer;
  const text = event.dataTransfer.getData('text/plain');
  if (files.length) openFiles([...files]);
  else if (text) openText(text);
});
addEventListener('paste', ({ clipboardData }) => { if (clipboardData?.files.length) openFiles([...clipboardData.files]); });

const mode = () => document.querySelector('[name=mode]:checked').value;
const setMode = (value) => { document.querySelector(`[name=mode][value=${value}]`).checked = true; };
/** Says what is wrong with what was typed, or with a link. What is open does not belong to it. */
function refuse(problem) {
  opened = null;
  leaveLink();
  $('typed-problem').textContent = problem;
  $('result').hidden = true;
  document.body.dataset.state = 'refused';
}
/** How each way to type reads what is typed, and writes bytes. */
const MODES = {
  text: { read: (typed) => ({ bytes: new TextEncoder().encode(typed), note: /\p{Cs}/u.test(typed) ? 'Half of a surrogate pair is not a character. It is U+FFFD here.' : '' }), write: (bytes) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) },
  hex: { read: parseHex, write: hexBytes, help: 'Bytes are pairs of hexadecimal digits, such as E2 82 AC, \\xE2\\x82, {0xE2, 0x82} or e2-82; U+20AC is a character.' },
  base64: { read: (typed) => { const bytes = parseBase64(typed); return bytes ? { bytes } : { problem: typed.trim() }; }, write: base64, help: 'Base64 has letters, digits, + and /, in groups of four, such as 4oKs.' },
};
function openTyped(typed = $('typed').value) {
  const { read, help } = MODES[mode()];
  const { bytes, problem, note = '' } = read(typed);
  $('file-list').hidden = true;
  if (!bytes) return refuse(`“${visible(problem.slice(0, 20))}${problem.length > 20 ? '…' : ''}” is not ${mode() === 'hex' ? 'a byte' : 'Base64'}. ${help}`);
  $('typed-problem').textContent = note;
  open(new Blob([bytes]), 'what you pasted', { fromTyping: true });
}
function openText(text) {
  setMode('text');
  $('typed').value = text;
  // The field changes ends of lines.
  openTyped(text);
}
function openHex(digits) {
  setMode('hex');
  $('typed').value = hexBytes(parseHex(digits).bytes);
  openTyped();
}
let typing;
$('typed').addEventListener('input', () => { clearTimeout(typing); typing = setTimeout(openTyped, 150); });
for (const choice of document.getElementsByName('mode')) {
  choice.addEventListener('change', async () => {
    if (!typedBlob || !opened) return openTyped();
    // The bytes stay open; what is typed says them in the other way, if it can. A field for text changes ill-formed bytes and ends of lines.
    const bytes = new Uint8Array(await opened.blob.arrayBuffer());
    const { read, write } = MODES[choice.value];
    $('typed').value = write(bytes);
    const isSame = hexBytes(read($('typed').value).bytes) === hexBytes(bytes);
    if (!isSame) $('typed').value = '';
    $('typed-problem').textContent = isSame ? '' : 'These bytes cannot be text in this field. They stay open.';
  });
}
for (const [name, digits] of Object.entries(EXAMPLES)) $('examples').append(element('button', { type: 'button', onclick: () => openHex(digits) }, name));

// --- Links ---------------------------------------------------------------------------------------------

$('link').addEventListener('click', async () => {
  const { blob } = opened;
  history.replaceState(null, '', `#hex=${hexBytes(new Uint8Array(await blob.arrayBuffer())).replaceAll(' ', '')}`);
  const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
  $('link-done').textContent = copied ? 'Copied.' : 'The address of this page is the link now.';
});
function openLink() {
  const { hash } = location;
  if (!hash.startsWith('#hex=')) return;
  const digits = hash.slice('#hex='.length);
  const { bytes } = parseHex(digits);
  if (bytes?.length && bytes.length <= LINK_LIMIT && /^[0-9a-f]*$/i.test(digits)) openHex(digits);
  else refuse(`This link is damaged: after #hex= it needs pairs of hexadecimal digits, for at most ${LINK_LIMIT} bytes.`);
  history.replaceState(null, '', hash);
}
addEventListener('hashchange', openLink);
openLink();
document.body.dataset.state = 'ready';
