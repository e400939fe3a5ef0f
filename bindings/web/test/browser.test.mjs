// The page in headless Chromium: every feature, large files, hostile content, accessibility.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { DIST, launch, serve } from './server.mjs';

let server, browser, page, folder;
const problems = [];
before(async () => {
  server = await serve();
  browser = await launch();
  folder = await mkdtemp(join(tmpdir(), 'trust8-files-'));
  page = await browser.context.newPage();
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('dialog', () => problems.push('a dialog'));
});
after(async () => {
  await browser?.close();
  server?.close();
  if (folder) await rm(folder, { recursive: true });
  assert.deepEqual(problems, []);
});

const text = (selector) => page.locator(selector).innerText();
async function openHex(digits) {
  await page.goto('about:blank');
  await page.goto(`${server.origin}/#hex=${digits.replaceAll(' ', '')}`);
  await page.waitForSelector('body[data-state^=done]');
}
async function openFile(name, content) {
  const path = join(folder, name);
  await writeFile(path, content);
  await openPath(path);
}
async function openPath(path, timeout = 30_000) {
  await page.goto(server.origin);
  await page.waitForSelector('body[data-state=ready]');
  await page.setInputFiles('#files', path);
  await page.waitForSelector('body[data-state^=done]', { timeout });
}
/** Downloads the repair whose title contains `title`. */
async function repaired(title) {
  const [download] = await Promise.all([
    page.waitForEvent('download'), page.locator('.repair', { hasText: title }).getByRole('button').click(),
  ]);
  return readFile(await download.path());
}

// This test is the first one, because a process keeps its peak.
test('a large file is read in bounded memory, and its last error is found', async () => {
  const size = Number(process.env.TRUST8_WEB_LARGE ?? 256) * 2 ** 20;
  const path = join(folder, 'large.bin');
  const file = await open(path, 'w');
  await file.truncate(size);
  await file.write(Buffer.from([0xe2, 0x82]), 0, 2, 4 * 2 ** 20 - 1);
  await file.write(Buffer.from([0xff]), 0, 1, size - 1);
  await file.close();
  await page.goto(server.origin);
  await page.waitForSelector('body[data-state=ready]');
  const watch = await watchWorker();
  const start = performance.now();
  await page.setInputFiles('#files', path);
  await page.waitForSelector('body[data-state^=done]', { timeout: 600_000 });
  const seconds = (performance.now() - start) / 1000;
  const { peak, samples } = await watch();
  const whole = await rendererPeak();
  console.log(`${size / 2 ** 20} MiB in ${seconds.toFixed(2)} s: at most ${peak.toFixed(0)} MiB in the worker, ${whole.toFixed(0)} MiB in its process`);
  assert.ok(samples > 5 && peak > 4 && peak < 64, `${peak} MiB in ${samples} samples`);
  assert.ok(whole > 0 && whole < 400, `${whole} MiB`);
  assert.match(await text('#why'), new RegExp(`2 errors.*byte ${String(4 * 2 ** 20 - 1).replace(/\B(?=(\d{3})+$)/g, '.')}`));
  await page.focus('#hex');
  await page.keyboard.press('n');
  await page.waitForFunction(() => document.querySelector('#hex .b.selected')?.textContent === 'FF');
  await rm(path);
});

/** Asks the page's worker for its memory every 20 ms. The result ends that, and returns the most in MiB: objects, buffers and the module. */
async function watchWorker() {
  const session = await browser.context.newCDPSession(page);
  let [worker, peak, samples] = [null, 0, 0];
  session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => { if (targetInfo.type === 'worker') worker = sessionId; });
  session.on('Target.receivedMessageFromTarget', ({ message }) => {
    const { result } = JSON.parse(message);
    if (!result?.totalSize) return;
    samples++;
    peak = Math.max(peak, (result.totalSize + result.backingStorageSize) / 2 ** 20);
  });
  await session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
  const message = JSON.stringify({ id: 1, method: 'Runtime.getHeapUsage' });
  const timer = setInterval(() => session.send('Target.sendMessageToTarget', { sessionId: worker, message }).catch(() => {}), 20);
  return async () => { clearInterval(timer); await session.detach(); return { peak, samples }; };
}

/** Returns the most memory that a process of a page has had, in MiB. */
async function rendererPeak() {
  let peak = 0;
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (!command.includes('--type=renderer') || !command.includes('chromium')) continue;
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    peak = Math.max(peak, Number(status.match(/VmHWM:\s+(\d+)/)?.[1] ?? 0) / 1024);
  }
  return peak;
}

test('an error is explained, with its place and its bits', async () => {
  await openHex('410A62 C3A9 C0AE 21');
  assert.equal(await page.locator('#verdict').evaluate((it) => it.firstChild.data), 'Not UTF-8');
  assert.match(await text('#why'), /2 errors\. The first is at line 2, column 3, byte 5: overlong encoding of '\.' \(U\+002E\), 2 bytes: C0 AE; RFC 3629 section 3 forbids it/);
  assert.equal(await page.locator('#errors tbody tr').count(), 2);
  assert.match(await text('#detail'), /overlong/);
  assert.equal(await page.locator('#hex .b.bad').count(), 2);
  assert.equal(await page.locator('#hex .b.lead + .b.cont').count(), 1);
});

test('keys walk from error to error, and by character', async () => {
  await openHex('61 FF 62 E282AC 63 FE 64');
  const selected = () => page.locator('#hex .b.selected').allInnerTexts();
  await page.focus('#hex');
  assert.deepEqual(await selected(), ['FF']);
  const press = async (key, expected) => {
    await page.keyboard.press(key);
    await page.waitForFunction((bytes) => [...document.querySelectorAll('#hex .b.selected')].map((it) => it.textContent).join(' ') === bytes, expected, { timeout: 5000 });
  };
  await press('n', 'FE');
  await press('p', 'FF');
  await press('ArrowRight', '62');
  await press('ArrowRight', 'E2 82 AC');
  assert.match(await text('#detail'), /U\+20AC/);
  assert.match(await text('.rfc .here'), /0800–FFFF/);
  assert.deepEqual(await page.locator('.cp-bits span').allInnerTexts(), ['0010', '000010', '101100']);
  await press('End', '64');
  await press('Home', '61');
});

test('a bit can be flipped', async () => {
  await openHex('61 C0 62');
  await page.locator('#detail [data-bit="0.5"]').click();
  await page.waitForFunction(() => document.getElementById('typed').value === '61 E0 62');
  await page.waitForFunction(() => /3-byte character cut short after 1 byte: E0/.test(document.getElementById('why').textContent));
});

/** Returns the lines of the planes that the page shows: the name, and what is in each column. */
const shownPlanes = () => page.locator('#planes tr').evaluateAll((rows) => rows.map((row) => Array.from(row.cells, (cell) => cell.textContent)));
test('eight bytes are shown as the planes of the figure in DESIGN', async () => {
  const figure = await readFile(new URL('../../../docs/planes.svg', import.meta.url), 'utf8');
  const words = [...figure.matchAll(/<text x="(\d+)" y="(\d+)"[^>]*>([^<]*)</g)].map(([, x, y, word]) => ({ x: Number(x), y, word: word.replaceAll('&amp;', '&').replaceAll('&gt;', '>') }));
  const heights = [...new Set(words.map(({ y }) => y))].slice(1);
  const lines = heights.map((height) => words.filter(({ y }) => y === height).sort((a, b) => a.x - b.x).map(({ word }) => word));
  const digits = lines[0].slice(1).join(' ');
  await openHex(digits);
  await page.click('#planes-card summary');
  await page.waitForSelector('#planes td');
  lines[0][0] = '';
  lines.at(-1)[0] = lines.at(-1)[0].replace(': no fault', '');
  assert.equal(lines.length, 14);
  assert.deepEqual(await shownPlanes(), lines);
  assert.equal(await page.locator('#planes .fault').count(), 0);
  // A flipped bit, bytes before the eight, and the end of the text.
  await page.locator('#detail [data-bit="0.7"]').click();
  await page.waitForSelector('#planes .fault');
  await openHex('61 F09F98 21 C3');
  await page.waitForFunction(() => document.querySelector('#planes thead')?.textContent === 'F09F9821C3···');
  assert.deepEqual((await shownPlanes()).at(-1).slice(1).map(Number), [0, 0, 0, 1, 0, 1, 0, 0]);
  await page.focus('#hex');
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await page.waitForFunction(() => document.querySelector('#planes thead')?.textContent === '21C3······');
  assert.deepEqual((await shownPlanes()).at(-1).slice(1).map(Number), [1, 0, 1, 0, 0, 0, 0, 0]);
});

test('text and hex can be pasted, and a link made of them opens again', async () => {
  await page.goto(server.origin);
  await page.fill('#typed', 'naïve €');
  await page.waitForFunction(() => document.getElementById('verdict').textContent.startsWith('Valid UTF-8'));
  await page.check('[value=hex]');
  await page.waitForFunction(() => document.getElementById('typed').value === '6E 61 C3 AF 76 65 20 E2 82 AC');
  await page.fill('#typed', 'xE');
  await page.waitForFunction(() => document.getElementById('typed-problem').textContent !== '');
  await page.fill('#typed', '\\xE2 0x82 %AC');
  await page.waitForFunction(() => document.getElementById('counts').textContent.startsWith('Bytes3'));
  await page.click('#link');
  await page.waitForFunction(() => document.getElementById('link-done').textContent !== '');
  assert.equal(new URL(page.url()).hash, '#hex=E282AC');
  await page.fill('#typed', '61');
  await page.waitForFunction(() => document.getElementById('counts').textContent.startsWith('Bytes1'));
  assert.equal(new URL(page.url()).hash, '', 'the link of other bytes');
  await openHex('C3A9');
  assert.equal(new URL(page.url()).hash, '#hex=C3A9');
  await page.fill('#typed', 'E2 8');
  await page.waitForSelector('body[data-state=refused]');
  assert.equal(new URL(page.url()).hash, '');
  assert.equal(await page.evaluate(() => localStorage.length + sessionStorage.length + document.cookie.length), 0);
});

test('what the bytes probably are', async () => {
  const cases = [
    ['4C6120 6166E9', 'windows-1252'], ['CFF0E8E2E5F220ECE8F0', 'windows-1251'], ['F0D2C9D7C5D420CDC9D2', 'koi8-u'],
    ['82B182F182C982BF82CD', 'SHIFT_JIS'], ['FFFE480065006C00', 'UTF-16 little-endian'], ['0048006500 6C006C006F00E9', 'UTF-16 big-endian'],
    ['EDA0BDEDB880', 'CESU-8'], ['61C08062', 'Modified UTF-8 (Java)'], ['636166C383C2A9', 'Mojibake'], ['6162', 'ASCII'],
    ['61FF62', 'UTF-8 with 1 damaged byte'], ['3520E282', 'UTF-8 with 1 damaged character'], ['6869F09F980A6869', 'UTF-8 with 1 damaged character'],
    ['C3A963E9', 'UTF-8 with 1 damaged byte'], ['89504E470D0A1A0A', 'Not text'], ['1B2442467C1B2842', 'ISO-2022-JP'], ['EFBBBF61', 'UTF-8 with a byte order mark'], ['2FC0AE2F', 'UTF-8 with overlong forms'], ['480000006500000021000000', 'UTF-32 little-endian'],
  ];
  for (const [digits, name] of cases) {
    await openHex(digits);
    assert.equal((await page.locator('#guesses li:first-child strong').innerText()).toLowerCase(), name.toLowerCase(), digits);
  }
  // What is not there is not spoken of.
  await openHex('E282');
  assert.match(await text('#guesses'), /at its end, E2 82 begins a character that is not completed\.$/);
});

test('repairs are downloaded', async () => {
  await openFile('a.log', Buffer.from('caf\xE9 \xC0\x80!', 'latin1'));
  assert.equal(String(await repaired('U+FFFD')), 'caf\ufffd \ufffd\ufffd!');
  assert.equal(String(await repaired('Escape')), 'caf\\xE9 \\xC0\\x80!');
  assert.equal(String(await repaired('Drop')), 'caf !');
  assert.equal(String(await repaired('ill-formed bytes as windows-1252')), 'café À€!');
  await openFile('b.txt', Buffer.from('EDA0BDEDB880', 'hex'));
  assert.equal(String(await repaired('CESU-8')), '😀');
  await openFile('c.txt', Buffer.from('\ufeffhé😀', 'utf16le'));
  assert.equal(String(await repaired('UTF-16')), 'hé😀');
  await openFile('d.txt', 'cafÃ© naÃ¯ve');
  assert.equal(String(await repaired('mojibake')), 'café naïve');
  await openFile('e.txt', Buffer.from('480000003DF6010021000000', 'hex'));
  assert.equal(String(await repaired('UTF-32')), 'H\u{1f63d}!');
});

test('files are dropped, listed, and opened one by one', async () => {
  await page.goto(server.origin);
  await page.waitForSelector('body[data-state=ready]');
  const drop = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.of(0x61, 0xff)], 'one.bin'));
    transfer.items.add(new File(['zwei'], 'two.txt'));
    return transfer;
  });
  await page.dispatchEvent('h1', 'dragenter', { dataTransfer: drop });
  assert.ok(await page.evaluate(() => document.body.classList.contains('over')));
  await page.dispatchEvent('h1', 'drop', { dataTransfer: drop });
  await page.waitForSelector('body[data-state="done one.bin"]');
  assert.ok(!(await page.evaluate(() => document.body.classList.contains('over'))));
  assert.match(await text('#verdict'), /^Not UTF-8/);
  assert.deepEqual(await page.locator('#file-list button').allInnerTexts(), ['one.bin', 'two.txt']);
  await page.getByRole('button', { name: 'two.txt' }).click();
  await page.waitForSelector('body[data-state="done two.txt"]');
  assert.match(await text('#verdict'), /^Valid UTF-8/);
  assert.equal(await page.locator('#file-list [aria-current]').innerText(), 'two.txt');
});

test('characters and lines are counted', async () => {
  await openHex('41 0A C3A9 C3A9 E282AC F09F9880 42 FF');
  const counts = await page.locator('#counts div').evaluateAll((all) => all.map((it) => [it.firstChild.textContent, it.lastChild.textContent]));
  assert.deepEqual(counts, [
    ['Bytes', '15'], ['Characters', '7'], ['Lines', '2'], ['of 1 byte', '3'], ['of 2 bytes', '2'], ['of 3 bytes', '1'], ['of 4 bytes', '1'],
  ]);
});

test('the first errors are listed with line, column, kind and why', async () => {
  const bytes = Buffer.alloc(3000, 'a\nbc');
  for (let at = 2; at < 3000; at += 12) bytes[at] = 0xfe;
  await openFile('lines.bin', bytes);
  const row = (i) => page.locator('#errors tbody tr').nth(i).locator('td').allInnerTexts();
  assert.deepEqual(await row(0), ['2', '2', '1', 'invalid byte', 'FE', 'byte that never appears in UTF-8: FE; RFC 3629 section 1 forbids it']);
  assert.deepEqual((await row(199)).slice(0, 3), ['2\u202f390', '599', '1']);
  assert.equal(await page.locator('#errors tbody tr').count(), 200);
  assert.match(await text('#errors-more'), /^The first 200 of 250 are listed/);
  await page.locator('#errors tbody tr').nth(1).getByRole('button').click();
  await page.waitForFunction(() => document.querySelector('#detail .head')?.textContent.includes('Byte 14'));
});

test('the view scrolls to an error far into a file, and the map leads to errors', async () => {
  const bytes = Buffer.alloc(1 << 20, 'some text. ');
  for (const at of [700_000, 1_000_000]) bytes[at] = 0xff;
  await openFile('far.bin', bytes);
  const isSeen = () => page.evaluate(() => {
    const [view, byte] = ['#hex', '#hex .b.selected'].map((it) => document.querySelector(it).getBoundingClientRect());
    return byte.top >= view.top && byte.bottom <= view.bottom;
  });
  assert.deepEqual(await page.locator('#hex .b.selected').allInnerTexts(), ['FF']);
  assert.ok(await isSeen());
  assert.match(await text('#detail .head'), /Byte 700000/);
  assert.equal(await page.locator('#map .mark').count(), 2);
  assert.equal(await page.locator('#map').getAttribute('aria-label'), '2 errors in 2 of 512 parts of the file');
  assert.equal(await page.locator('#map .mark').first().getAttribute('x'), String(Math.floor((700_000 * 512) / bytes.length)));
  const { width } = await page.locator('#map').boundingBox();
  await page.locator('#map').click({ position: { x: (width * (Math.floor((1_000_000 * 512) / bytes.length) + 0.5)) / 512, y: 10 } });
  await page.waitForFunction(() => document.querySelector('#detail .head').textContent.includes('Byte 1000000'));
  assert.ok(await isSeen());
  // Where there is no error, the map leads to the place itself.
  await page.locator('#map').click({ position: { x: width / 4, y: 10 } });
  await page.waitForFunction(() => /Byte 26\d{4}/.test(document.querySelector('#detail .head').textContent));
  assert.ok(await isSeen());
});

test('repairs stand beside the verdict, and what they change is marked', async () => {
  await openFile('a.log', Buffer.from('caf\xE9 \u2039\xC0\x80!', 'latin1'));
  await page.waitForSelector('.repair');
  const shown = await page.locator('.repair').evaluateAll((all) => all.map((it) => ['h3', '.before', '.after'].map((part) => it.querySelector(part).textContent)));
  assert.deepEqual(shown.filter(([title]) => /Replace|Escape|Drop/.test(title)), [
    ['Replace by U+FFFD', 'cafE9 9C080!', 'caf� 9��!'],
    ['Escape as \\xHH', 'cafE9 9C080!', 'caf\\xE9 9\\xC0\\x80!'],
    ['Drop', 'cafE9 9C080!', 'caf 9!'],
  ]);
  const marked = await page.locator('.repair').first().evaluate((it) => ['.before mark', '.after mark'].map((part) => Array.from(it.querySelectorAll(part), (mark) => mark.textContent)));
  assert.deepEqual(marked[0], ['E9', 'C0', '80']);
  assert.ok(marked[1].length > 0);
  const [card, repairs] = [await page.locator('.verdict').boundingBox(), await page.locator('#repair-card').boundingBox()];
  assert.ok(repairs.x >= card.x + card.width && repairs.y === card.y, 'beside the verdict');
});

const headline = () => page.locator('#verdict').evaluate((it) => it.firstChild.data);
test('the headline is the worst of what is known, and a sentence says what it means', async () => {
  const log = 'some words of a log\n'.repeat(20);
  const cases = [
    ['valid', 'Größe 😀', 'good', 'Valid UTF-8', /^Every byte is part of a well-formed character/],
    ['ascii', log, 'good', 'Valid UTF-8', /^It is plain ASCII/],
    ['empty', '', 'good', 'Empty', /^There are no bytes here\. An empty text is valid UTF-8\.$/],
    ['hidden', 'payload\u202egpj.exe\u200b', 'warn', 'Valid, but it hides something', /2 characters do not show.* RLO U\+202E at byte 7: a bidirectional control/],
    ['zero', 'a\0b', 'warn', 'Valid, but it hides something', /1 character does not show/],
    ['mojibake', 'cafÃ© naÃ¯ve', 'warn', 'Valid, but it looks garbled', /read in the wrong encoding once/],
    ['utf16', Buffer.from('plain words', 'utf16le'), 'warn', 'Valid, but probably UTF-16 little-endian', /makes sense only as UTF-16/],
    ['damaged', Buffer.from(`${log}a \xff b\n${log}`, 'latin1'), 'bad', 'Not UTF-8', /^It may be UTF-8 with 1 damaged byte, or text in an older encoding: the rest does not tell\.$/],
    ['mixed', Buffer.concat([Buffer.from('Größe\n'), Buffer.from('a \xff b\n', 'latin1')]), 'bad', 'Not UTF-8', /^It is UTF-8 with 1 damaged byte\.$/],
    ['short', Buffer.from('e9', 'hex'), 'bad', 'Not UTF-8', /^It is probably text in an older encoding: /],
    ['cut', Buffer.concat([Buffer.from(log), Buffer.from('😀').subarray(0, 3)]), 'bad', 'Not UTF-8', /^It is UTF-8 with 1 damaged character\.$/],
    ['far', Buffer.concat([Buffer.alloc(300_000, log), Buffer.from(' Un \xe9t\xe9 \xe0 Besan\xe7on, o\xf9 il a d\xe9j\xe0 neig\xe9 apr\xe8s No\xebl\n', 'latin1'), Buffer.alloc(600_000, log)]), 'bad', 'Not UTF-8', /^It is probably windows-1252, another encoding\.$/],
    ['hidden-far', Buffer.concat([Buffer.alloc(3 << 20, log), Buffer.from('\u202e')]), 'warn', 'Valid, but it hides something', /at byte 3.145.728/],
    ['java', Buffer.from('EDA0BDEDB880', 'hex'), 'bad', 'Not UTF-8', /^It is CESU-8, a relative of UTF-8/],
    ['attack', Buffer.from('2FC0AE2F', 'hex'), 'bad', 'Not UTF-8', /more bytes than they need/],
    ['picture', Buffer.from('89504E470D0A1A0A', 'hex'), 'bad', 'Not UTF-8', /^It is probably not text\.$/],
  ];
  for (const [name, content, state, words, sentence] of cases) {
    await openFile(`${name}.txt`, content);
    assert.deepEqual([await page.locator('#result').getAttribute('data-verdict'), await headline()], [state, words], name);
    assert.equal(await page.locator('#verdict').textContent(), `${words} ${name}.txt`);
    assert.match(await text('#summary'), sentence, name);
  }
});

test('an empty file has no cards to fill', async () => {
  await openFile('empty.txt', '');
  assert.equal(await page.locator('#result > .card:visible').count(), 1);
});

test('each guess shows the bytes that tell it from the others', async () => {
  await openHex('6D61F16F 20 61F16F');
  const samples = await page.locator('#guesses .sample').allInnerTexts();
  assert.ok(samples.length > 1 && new Set(samples).size === samples.length, String(samples));
  assert.match(await text('#guess-hint'), /Take the one that you can read/);
  // A place in the sample is none in the file.
  for (const [length, why] of [[700_000, /^CESU-8\s+All of it is valid so\.$/], [70_000, /^CESU-8\s+CESU-8: at byte 70000, ED A0 BD ED B8 80/]]) {
    await openFile('pair.txt', Buffer.concat([Buffer.alloc(length, 'a '), Buffer.from('EDA0BDEDB880', 'hex')]));
    assert.match(await text('#guesses li:first-child'), why);
  }
  // A sample was cut inside a character.
  await openFile('words.txt', Buffer.from(`61${'82B182F182C982BF82CD'.repeat(20)}0A`, 'hex'));
  assert.match(await text('#guesses li:first-child'), /^shift_jis\s+It would read a(?:こんにちは){6}こ?$/i);
});

test('hidden characters are removed or spelled out', async () => {
  await openFile('hidden.txt', 'a\u202eb €\u200b');
  assert.equal(String(await repaired('Remove 2 hidden characters')), 'ab €');
  assert.equal(String(await repaired('Spell')), 'a\\u{202E}b €\\u{200B}');
  assert.deepEqual(await page.locator('.repair').first().locator('mark').allInnerTexts(), ['⟨RLO⟩', '⟨ZWSP⟩']);
});

test('UTF-32 keeps each U+FEFF but the first, and gets U+FFFD for what is no character', async () => {
  const words = Uint32Array.of(0xfeff, 0x48, 0xfeff, 0xd800, 0x110000, 0x1f600);
  await openFile('wide.txt', new Uint8Array(words.buffer));
  assert.equal(String(await repaired('UTF-32')), 'H\ufeff\ufffd\ufffd😀');
});

test('a name of 240 characters fits, in the list too', async () => {
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(server.origin);
    await page.waitForSelector('body[data-state=ready]');
    await page.setInputFiles('#files', ['n', 'm'].map((letter) => ({ name: `${letter.repeat(236)}.txt`, mimeType: 'text/plain', buffer: Buffer.from('caf\xe9', 'latin1') })));
    await page.waitForSelector('.repair');
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width} px`);
  }
  // On a phone, the reason of an error is in sight.
  const why = await page.locator('#errors tbody tr td').last().boundingBox();
  assert.ok(why.x >= 0 && why.x + why.width <= 360, JSON.stringify(why));
  // Names of characters and of bits are long. They go to another line, and nothing is cut off.
  await page.setInputFiles('#files', { name: 'wide', mimeType: 'text/plain', buffer: Buffer.from('\ufeffpayload\u202e', 'utf16le') });
  await page.waitForSelector('body[data-state="done wide"]');
  assert.deepEqual(await page.evaluate(() => ['#hex', '.byte-rows'].filter((name) => document.querySelector(name).scrollWidth > document.querySelector(name).clientWidth)), []);
  await page.setViewportSize({ width: 1280, height: 900 });
});

test('hexadecimal bytes are read as people paste them, and Base64 by a choice', async () => {
  await page.goto(server.origin);
  await page.waitForSelector('body[data-state=ready]');
  await page.check('[value=hex]');
  const same = ['E2 82 AC', 'e282ac', 'U+20AC', '\\u20AC', '\\u{20ac}', '\\xe2\\x82\\xac', '0xe2, 0x82, 0xac,', 'e2-82-ac', '{0xe2, 0x82, 0xac}', '%E2%82%AC', 'E2:82:AC', 'b"\\xe2\\x82\\xac"', '[0xE2u8, 0x82u8, 0xACu8]', '0xE282AC'];
  for (const typed of same) {
    await page.fill('#typed', '');
    await page.waitForFunction(() => document.getElementById('verdict').textContent.startsWith('Empty'));
    await page.fill('#typed', typed);
    await page.waitForFunction(() => document.getElementById('verdict').textContent.startsWith('Valid'), undefined, { timeout: 5000 }).catch(() => assert.fail(typed));
    assert.equal(await page.locator('#hex .bytes').evaluateAll((rows) => rows.map((row) => row.textContent).join('')), 'E282AC', typed);
  }
  // The address of a dump is no byte of it, and letters beside escapes are none.
  const read = (texts) => page.evaluate(async (texts) => {
    const { parseBase64, parseHex } = await import('/text.js');
    return texts.map((text) => [parseHex(text), parseBase64(text)].map((it) => Array.from(it?.bytes ?? it ?? [])));
  }, texts);
  const dumps = ['00000000: 6465 6164 e282 ac                        dead...\n', '00000000  64 65 61 64 e2 82 ac                              |dead...|\n00000007\n'];
  for (const [hex] of await read(dumps)) assert.deepEqual(hex, [...Buffer.from('dead€')]);
  for (const [hex, base64] of await read(['%C3%A9ea', 'ea%C3%A9', '\\xE2AB', "b'ab\\xe9'", 'data:text/plain,test', '-----BEGIN X-----\nMIIA\n-----END X-----', 'ab-/', "b'\\xc3\\xa9, \\xc3\\xa8'", '%C3%A9-%C3%A8', '"cafe\\u0301"', '"\\u00e9ab"', '"\\xc3" "b"', "'c3', 'b'", '"\\u20ac \\u20ac"', '=C3=A9 =C3=A8', '00000000: 6c6c6548'])) assert.deepEqual([hex, base64], [[], []]);
  for (const [hex] of await read(['\\xc3, \\xa9', '"\\xc3" "\\xa9"', '["\\u00e9"]', '"\\u{e9}"', "%C3 %A9", '=C3=A9'])) assert.deepEqual(hex, [0xc3, 0xa9]);
  assert.equal(await page.evaluate(async () => (await import('/text.js')).parseHex('ab'.repeat(300_000)).bytes.length), 300_000);
  await page.fill('#typed', 'E2 8');
  await page.waitForFunction(() => document.getElementById('typed-problem').textContent.startsWith('“8” is not a byte.'));
  assert.ok(await page.locator('#result').isHidden(), 'the verdict on other bytes is gone');
  await page.fill('#typed', '\\uD83D\\uDE00');
  await page.waitForFunction(() => document.querySelector('#hex .bytes')?.textContent === 'F09F9880');
  await page.check('[value=base64]');
  await page.waitForFunction(() => document.getElementById('typed').value === '8J+YgA==');
  await page.fill('#typed', '4oKs');
  await page.waitForFunction(() => document.querySelector('#hex .bytes')?.textContent === 'E282AC');
  await page.fill('#typed', '4oKs!');
  await page.waitForFunction(() => /is not Base64/.test(document.getElementById('typed-problem').textContent));
});

test('text is dropped, and files are pasted', async () => {
  await page.goto(server.origin);
  await page.waitForSelector('body[data-state=ready]');
  const transfer = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.setData('text/plain', 'naïve\r\n');
    return transfer;
  });
  await page.dispatchEvent('h1', 'drop', { dataTransfer: transfer });
  await page.waitForFunction(() => document.getElementById('verdict').textContent.startsWith('Valid UTF-8'));
  assert.equal(await page.inputValue('#typed'), 'naïve\n');
  assert.match(await text('#counts'), /^Bytes\s+8\s/i);
  await page.check('[value=hex]');
  await page.waitForFunction(() => document.getElementById('typed').value === '6E 61 C3 AF 76 65 0D 0A');
  await page.check('[value=text]');
  await page.waitForFunction(() => document.getElementById('typed').value === '');
  await page.evaluate(() => {
    document.getElementById('typed').value = 'half \ud83d';
    document.getElementById('typed').dispatchEvent(new Event('input'));
  });
  await page.waitForFunction(() => document.getElementById('typed-problem').textContent.startsWith('Half of a surrogate pair'));
  assert.match(await text('#verdict'), /^Valid UTF-8/);
  await page.evaluate(() => {
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([Uint8Array.of(0xff)], 'pasted.bin'));
    // What is typed just before does not come after it.
    document.getElementById('typed').dispatchEvent(new Event('input'));
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
  });
  await page.waitForSelector('body[data-state="done pasted.bin"]');
  await page.waitForTimeout(300);
  assert.equal(await page.getAttribute('body', 'data-state'), 'done pasted.bin');
});

test('a damaged link says so', async () => {
  for (const hash of ['#hex=xyz', '#hex=E2A', '#hex=', `#hex=${'41'.repeat(513)}`]) {
    await page.goto('about:blank');
    await page.goto(`${server.origin}/${hash}`);
    await page.waitForFunction(() => document.getElementById('typed-problem').textContent.startsWith('This link is damaged'));
    assert.ok(await page.locator('#result').isHidden());
  }
});

test('without its worker, the page says that it cannot read', async () => {
  const other = await serve({ '/worker.js': 'throw new Error("no");' });
  const second = await browser.context.newPage();
  await second.goto(`${other.origin}/#hex=61`);
  await second.waitForSelector('body[data-state=broken]');
  await second.locator('#examples button').first().click();
  await second.waitForTimeout(300);
  assert.match(await second.locator('#fatal').innerText(), /^This page cannot read anything: its worker did not start/);
  assert.ok(await second.locator('#result').isHidden());
  await second.close();
  other.close();
});

test('progress is shown while a file is read', async () => {
  const path = join(folder, 'progress.bin');
  const file = await open(path, 'w');
  await file.truncate(64 << 20);
  await file.close();
  await page.goto(server.origin);
  await page.waitForSelector('body[data-state=ready]');
  await page.evaluate(() => {
    globalThis.seen = [];
    const progress = document.getElementById('progress');
    new MutationObserver(() => progress.hidden || globalThis.seen.push(progress.value)).observe(progress, { attributes: true });
  });
  await page.setInputFiles('#files', path);
  await page.waitForSelector('body[data-state^=done]');
  const seen = await page.evaluate(() => globalThis.seen);
  assert.ok(new Set(seen).size >= 4 && seen.at(-1) === 1 && seen.every((value, i) => i === 0 || value >= seen[i - 1]), String(seen));
  assert.ok(await page.locator('#progress').isHidden());
});

test('a page that is open works without a network', async () => {
  const before = server.requests.length;
  await page.goto('about:blank');
  await page.goto(server.origin);
  // Who mistrusts the page cuts the network before the first file. The worker has all that it needs by then.
  for (let n = 0; n < 100 && !server.requests.includes('/trust8/guess.wasm', before); n++) await page.waitForTimeout(50);
  await page.waitForTimeout(500);
  const asked = server.requests.length;
  await browser.context.setOffline(true);
  try {
    await page.check('[value=hex]');
    await page.fill('#typed', '63 E9');
    await page.waitForFunction(() => document.getElementById('verdict').textContent.startsWith('Not UTF-8'));
    assert.equal(String(await repaired('Escape')), 'c\\xE9');
  } finally {
    await browser.context.setOffline(false);
  }
  assert.deepEqual(server.requests.slice(asked), []);
});

test('any file server will do, also from a folder; from a disk, the page says what it needs', async () => {
  const root = fileURLToPath(new URL('../', import.meta.url));
  const python = spawn('python3', ['-u', '-m', 'http.server', '--bind', '127.0.0.1', '--directory', root, '0'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(python.stdout, 'data');
  const port = String(line).match(/port (\d+)/)[1];
  await page.goto(`http://127.0.0.1:${port}/dist/#hex=61FF`);
  await page.waitForSelector('body[data-state^=done]');
  assert.match(await text('#verdict'), /^Not UTF-8/);
  python.kill();
  // Chromium reports that it blocks the modules.
  const second = await browser.context.newPage();
  await second.goto(new URL('../dist/index.html', import.meta.url).href);
  await second.waitForFunction(() => getComputedStyle(document.getElementById('fatal')).visibility === 'visible');
  assert.match(await second.locator('#fatal').innerText(), /file server/);
  await second.close();
  await page.goto(server.origin);
  await page.waitForSelector('body[data-state=ready]');
  assert.equal(await text('#fatal'), '');
});

test('everything is reached by the Tab key, and nothing moves if motion is unwanted', async () => {
  await openHex('610A FF C3A9');
  await page.waitForSelector('.repair');
  await page.evaluate(() => document.activeElement.blur());
  const reached = [];
  for (let last = ''; reached.length < 150; reached.push(last)) {
    await page.keyboard.press('Tab');
    last = await page.evaluate(() => {
      const it = document.activeElement;
      return it === document.body ? '' : it.id || it.dataset.bit || it.getAttribute('aria-label') || it.textContent.trim() || it.name;
    });
    if (last === '') break;
  }
  for (const name of ['Skip to the result', 'choose', 'typed', 'Latin-1', 'link', 'goto', 'hex', '0.7', 'Go to byte 2', 'profile', 'Download: Drop']) assert.ok(reached.includes(name), `${name} in ${reached}`);
  assert.ok(reached.length < 150, 'the focus is caught');
  const transition = (reducedMotion) => page.emulateMedia({ reducedMotion }).then(() => page.evaluate(() => getComputedStyle(document.querySelector('#result > .card')).transitionDuration));
  assert.equal(await transition('no-preference'), '0.15s');
  assert.equal(await transition('reduce'), '0s');
});

test('characters that do not show are spelled out, and those that a profile forbids are listed', async () => {
  // A bidirectional override, and a noncharacter, which a terminal may get.
  await openHex('61 E280AE 62 EFB790');
  assert.match(await text('#forbidden'), /bidi control: a bidirectional control.*RLO U\+202E at 1/);
  assert.match(await text('#hex'), /⟨RLO⟩/);
  assert.doesNotMatch(await text('#result'), /[\u202e\ufdd0]/);
  assert.equal(await text('#forbidden-note'), '2 characters.');
  await page.selectOption('#profile', 'terminal');
  await page.waitForFunction(() => document.getElementById('forbidden-note').textContent === '1 character.');
  await page.selectOption('#profile', 'postgres');
  await page.waitForFunction(() => document.getElementById('forbidden-note').textContent === 'None.');
  await page.selectOption('#profile', 'prompt');
});

test('names and content are never markup, and nothing but the page itself is asked for', async () => {
  const markup = '<img src=x onerror=alert(1)>"\'</textarea><script>alert(2)</script>\u202egpj.exe';
  await openFile(`${markup.replaceAll('/', '')}.txt`, `${markup}\n${markup}\xff`);
  await openFile('z.txt', Buffer.concat([Buffer.from(markup), Buffer.from([0xff])]));
  assert.equal(await page.locator('#result img, #result script').count(), 0);
  assert.equal(await page.evaluate(async () => fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'blocked')), 'blocked');
  const blocked = await page.evaluate(() => new Promise((resolve) => {
    addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective));
    document.body.append(Object.assign(document.createElement('img'), { src: 'http://127.0.0.1:9/x.png' }));
  }));
  assert.equal(blocked, 'img-src');
  assert.match(await page.evaluate(() => { try { document.body.innerHTML = '<p>'; return 'set'; } catch (error) { return error.name; } }), /TypeError/);
  // These three are the ones that this test has provoked.
  assert.deepEqual(problems.splice(0).filter((it) => !/Content Security Policy|Trusted|TrustedHTML/i.test(it)), []);
  assert.deepEqual(server.requests.filter((path) => !/^\/(|[\w-]+\.(js|css|svg)|trust8\/[\w-]+\.(js|wasm))$/.test(path)), []);
});

test('a browser that lends no buffers to the streams of files reads them all the same', async () => {
  const without = 'Blob.prototype.stream = () => ({ getReader() { throw new TypeError("no mode"); } });\n';
  const other = await serve({ '/worker.js': without + (await readFile(join(DIST, 'worker.js'), 'utf8')) });
  const path = join(folder, 'pieces.bin');
  // The characters are cut by the ends of pieces.
  await writeFile(path, Buffer.concat([Buffer.alloc(9 << 20, '€'), Buffer.from([0xff])]));
  const second = await browser.context.newPage();
  for (const origin of [server.origin, other.origin]) {
    await second.goto(origin);
    await second.waitForSelector('body[data-state=ready]');
    await second.setInputFiles('#files', path);
    await second.waitForSelector('body[data-state^=done]');
    assert.match(await second.locator('#why').innerText(), /^1 error\. The first is at line 1, column 3.145.729, byte 9.437.184/);
  }
  await second.close();
  other.close();
});

test('errors beyond the listed ones are found by key', async () => {
  await openFile('many.bin', Buffer.alloc(30_000, Buffer.from([0xff, 0x61])));
  assert.match(await text('#why'), /^15.000 errors/);
  await page.fill('#goto', '0x61A9');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('#detail .head')?.textContent.includes('Byte 25001'));
  const here = await text('#detail .head');
  for (const no of ['', '0x2zz', '1,5']) {
    await page.fill('#goto', no || '1');
    await page.fill('#goto', no);
    await page.locator('#goto').dispatchEvent('change');
  }
  await page.waitForTimeout(200);
  assert.equal(await text('#detail .head'), here);
  await page.fill('#goto', '25001');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('#detail code')?.textContent === '61');
  await page.focus('#hex');
  await page.keyboard.press('n');
  await page.waitForFunction(() => document.querySelector('#detail .head')?.textContent.includes('Byte 25002'));
  // The second byte of each was taken for another error.
  await openFile('cut.bin', Buffer.alloc(36_000, Buffer.from('E28261', 'hex')));
  assert.match(await text('#errors-more'), /through the first 10.000; n finds later ones\.$/);
  await page.fill('#goto', '29997');
  await page.keyboard.press('Enter');
  await page.focus('#hex');
  for (const at of [29_997, 30_000, 30_003]) {
    await page.waitForFunction((at) => document.querySelector('#detail .head')?.textContent.includes(`Byte ${at}`), at, { timeout: 5000 });
    await page.keyboard.press('n');
  }
});

test('bytes stay open if a field for text cannot hold them', async () => {
  await openHex('FF 0D 0A 61');
  await page.check('[value=text]');
  await page.waitForFunction(() => document.getElementById('typed-problem').textContent !== '');
  assert.equal(await page.inputValue('#typed'), '');
  assert.match(await text('#verdict'), /^Not UTF-8/);
  await page.check('[value=base64]');
  await page.waitForFunction(() => document.getElementById('typed').value === '/w0KYQ==');
  await page.check('[value=hex]');
  await page.waitForFunction(() => document.getElementById('typed').value === 'FF 0D 0A 61' && document.getElementById('typed-problem').textContent === '');
});

test('the profile that is chosen judges the next file too', async () => {
  await openFile('escape.txt', 'a\x1bb');
  await page.selectOption('#profile', 'xml');
  await page.waitForFunction(() => /U\+001B/.test(document.getElementById('forbidden').textContent));
  await writeFile(join(folder, 'space.txt'), 'a\u200bb');
  await page.setInputFiles('#files', join(folder, 'space.txt'));
  await page.waitForSelector('body[data-state="done space.txt"]');
  assert.deepEqual([await page.inputValue('#profile'), await text('#forbidden-note')], ['xml', 'None.']);
});

test('a file that changes while it is open cannot be read any more, but the next one can', async () => {
  await openFile('changes.txt', Buffer.alloc(200_000, 'some text\n'));
  await writeFile(join(folder, 'changes.txt'), 'other');
  await page.focus('#hex');
  await page.keyboard.press('End');
  await page.waitForFunction(() => /could not be read/.test(document.getElementById('fatal').textContent));
  await writeFile(join(folder, 'good.txt'), 'good');
  await page.setInputFiles('#files', ['good.txt', 'changes.txt'].map((name) => join(folder, name)));
  await page.waitForSelector('body[data-state="done good.txt"]', { timeout: 5000 });
  assert.deepEqual([await text('#fatal'), await page.locator('#hex .bytes').first().innerText()], ['', '676F6F64']);
  // The page has nothing to do with a network.
  await writeFile(join(folder, 'changes.txt'), 'a third text');
  await page.getByRole('button', { name: 'changes.txt' }).click();
  await page.waitForFunction(() => /^changes.txt could not be read: .*file/.test(document.getElementById('fatal').textContent), undefined, { timeout: 5000 });
});

test('a repair shows a part of the text that it makes', async () => {
  const sentence = 'Größe und Übung, ça va, l’été à Besançon 😀 ';
  const mojibake = (text) => Array.from(Buffer.from(text), (byte) => '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'[byte - 128] ?? String.fromCharCode(byte)).join('');
  const files = [
    ['Undo', Buffer.from(mojibake(sentence).repeat(30_000)), sentence.repeat(30_000)], ['Undo', Buffer.from(`word ${mojibake('日本語'.repeat(90))}\n`), `word ${'日本語'.repeat(90)}\n`],
    ['CESU-8', Buffer.concat([Buffer.from(`x${'日本語'.repeat(40)}`), Buffer.from('EDA0BDEDB880'.repeat(40), 'hex')]), `x${'日本語'.repeat(40)}${'😀'.repeat(40)}`],
    ['shift_jis', Buffer.from(`${Buffer.from('some words and ').toString('hex')}${'82B182F182C982BF82CD20'.repeat(30)}`, 'hex'), `some words and ${'こんにちは '.repeat(30)}`],
    ['UTF-16', Buffer.from(`\ufeffa${'😀'.repeat(60)}`, 'utf16le'), `a${'😀'.repeat(60)}`],
    ['U+FFFD', Buffer.concat([Buffer.from(`x${'日本語'.repeat(40)}`), Buffer.from([0xff]), Buffer.from('日本語'.repeat(40))]), `x${'日本語'.repeat(40)}\ufffd${'日本語'.repeat(40)}`],
  ];
  for (const [title, content, made] of files) {
    await openFile('part.txt', content);
    const after = await page.locator('.repair', { hasText: title }).locator('.after').innerText();
    assert.ok(after.length > 9 && made.replaceAll('\n', '⏎').includes(after) && !content.includes(after), `${title}: ${after}`);
    assert.equal(String(await repaired(title)), made);
  }
  // In a file of 3 GB, the place was computed in 32 bits.
  const shown = await page.evaluate(async () => {
    const { change } = await import('/repair.js');
    const slice = (from, to) => new Blob([Uint8Array.from({ length: Math.min(to, 3e9) - from }, (_, i) => (from + i === 2_500_000_001 ? 0xff : 0x61))]);
    const pass = async (made) => ({ made, read: made.size });
    return (await change({ size: 3e9, slice }, { policy: 'drop' }, { summary: { errorCount: 1, errors: [{ offset: 2_500_000_001 }] } }, pass)).querySelector('.before').textContent;
  });
  assert.match(shown, /^a{20,}FFa+$/);
});

// V8 compiles no SIMD for a CPU without SSE4.1. An engine for other CPUs gets a module that it cannot compile: a header, and a
// section that no engine knows.
const WITHOUT_SIMD = process.arch === 'x64' ? { flags: ['--js-flags=--no-enable-sse4-1'], files: {} } : { flags: [], files: { '/trust8/trust8.wasm': Buffer.from('0061736D01000000FF0100', 'hex') } };
test('without SIMD the scalar module is loaded, and gives the same answers', async () => {
  const other = await serve(WITHOUT_SIMD.files);
  const { context, close } = await launch(...WITHOUT_SIMD.flags);
  const second = await context.newPage();
  await second.goto(`${other.origin}/#hex=61FF`);
  await second.waitForSelector('body[data-state^=done]');
  assert.match(await second.locator('#engine').innerText(), /without SIMD/);
  assert.deepEqual(other.requests.filter((path) => path === '/trust8/trust8-scalar.wasm').length > 0, true);
  const inputs = (await import('./inputs.mjs')).inputs(2000);
  const scalar = await verdicts(second, inputs);
  // The entry with both modules inlined has no file to replace.
  if (WITHOUT_SIMD.flags.length) {
    const npm = await serve({ '/index.html': '<!doctype html>' }, fileURLToPath(new URL('../npm/', import.meta.url)));
    await second.goto(npm.origin);
    assert.deepEqual(await second.evaluate(async () => {
      const { simd, validate } = await import('/index.js');
      return [simd, validate(Uint8Array.of(0x61, 0xff)).offset];
    }), [false, 1]);
    npm.close();
  }
  await close();
  other.close();
  await page.goto(server.origin);
  assert.deepEqual(scalar, await verdicts(page, inputs));
});

/** Returns what the package in a page says of each input: the message of the first error, or `null`. */
const verdicts = (page, inputs) => page.evaluate(async (inputs) => {
  const { validate } = await import('/trust8/file.js');
  return inputs.map((bytes) => validate(Uint8Array.from(bytes))?.message ?? null);
}, inputs);

test('the package gives the verdicts of the command on 2,000 files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'trust8-inputs-'));
  const inputs = (await import('./inputs.mjs')).inputs(2000).map((bytes) => Uint8Array.from(bytes));
  for (const [i, bytes] of inputs.entries()) await writeFile(join(folder, String(i)), bytes);
  const output = String(await command(['check', '--all', '--binary', '--format', 'json', folder]));
  await rm(folder, { recursive: true });
  const { files, summary } = JSON.parse(output);
  assert.deepEqual([summary.files, summary.unread, summary.binary_skipped], [2000, 0, 0]);
  const theirs = Array.from(inputs, () => []);
  for (const { path, errors } of files) theirs[Number(basename(path))] = errors;
  await page.goto(server.origin);
  // Of each error: place, rule, line, column, and the sentence that explains it.
  const mine = await page.evaluate(async (inputs) => {
    const { culprit, explain, Survey, validate } = await import('/trust8/file.js');
    return inputs.map((input) => {
      const bytes = Uint8Array.from(input);
      const first = validate(bytes);
      const survey = new Survey(bytes.length);
      if (bytes.length) survey.push(bytes, true);
      const { errors } = survey.summary;
      if ((first?.offset ?? -1) !== (errors[0]?.offset ?? -1)) throw new Error('validate and Survey differ');
      const explained = explain(bytes).filter((it) => it.kind).map(({ offset, kind }) => `${kind} at ${offset}`);
      if (String(explained) !== String(errors.map(({ offset, kind }) => `${kind} at ${offset}`))) throw new Error('explain and Survey differ');
      return errors.map(({ offset, kind, line, column }) => ({ offset, kind, line, column, message: culprit(bytes.subarray(offset)) }));
    });
  }, inputs.map((bytes) => [...bytes]));
  assert.ok(mine.filter((errors) => errors.length).length > 200);
  for (const [i, errors] of mine.entries()) {
    // The command reports an overlong form, a surrogate or a number that is too large as a whole.
    const left = [...errors];
    for (const { offset, length, kind, line, column, message } of theirs[i]) {
      assert.deepEqual(left.shift(), { offset, kind, line, column, message }, `file ${i}`);
      while (left.length && left[0].offset < offset + length) left.shift();
    }
    assert.deepEqual(left, [], `file ${i}`);
  }
});

test('a stream in the browser passes text on and stops at the error', async () => {
  await page.goto(server.origin);
  const outcomes = await page.evaluate(async () => {
    const { ValidationStream } = await import('/trust8/file.js');
    const pass = async (...pieces) => {
      const read = [];
      const source = new ReadableStream({ start: (controller) => { pieces.forEach((piece) => controller.enqueue(Uint8Array.from(piece))); controller.close(); } });
      try {
        const reader = source.pipeThrough(new ValidationStream()).getReader();
        for (let next; !(next = await reader.read()).done;) read.push(...next.value);
        return read;
      } catch ({ name, offset, kind }) {
        return [name, offset, kind];
      }
    };
    // Browsers decode nothing that may be resized.
    const resizable = new Uint8Array(new ArrayBuffer(3, { maxByteLength: 3 }));
    resizable.set([0xe2, 0x82, 0xac]);
    if (new (await import('/trust8/file.js')).Decoder().push(resizable) !== '€') throw new Error('resizable');
    const response = await fetch('/page.js');
    const copy = await new Response(response.clone().body.pipeThrough(new ValidationStream())).text();
    return [await pass([0xe2], [0x82, 0xac]), await pass([0x61, 0xe2], [0x21]), await pass([0x61, 0xe2]), copy === (await response.text())];
  });
  assert.deepEqual(outcomes, [[0xe2, 0x82, 0xac], ['Utf8Error', 1, 'truncated'], ['Utf8Error', 1, 'incomplete'], true]);
});

test('the package gives the verdicts of the browser and of Node on 2,000 inputs', async () => {
  await page.goto(server.origin);
  const library = await import('../npm/index.js');
  const inputs = (await import('./inputs.mjs')).inputs(2000);
  const mine = inputs.map((bytes) => library.validate(Uint8Array.from(bytes))?.message ?? null);
  const theirs = await page.evaluate(async (inputs) => {
    const { validate } = await import('/trust8/file.js');
    return inputs.map((bytes) => {
      const message = validate(Uint8Array.from(bytes))?.message ?? null;
      let native = true;
      try { new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes)); } catch { native = false; }
      return native === (message === null) ? message : 'differs from TextDecoder';
    });
  }, inputs);
  assert.deepEqual(theirs, mine);
  const valid = mine.filter((message) => message === null).length;
  assert.ok(valid > 200 && valid < 1800, `${valid} are valid`);
});

/** Runs the command, and returns what it prints. An exit status of 1 says that something is not UTF-8. */
function command(options, input) {
  assert.ok(process.env.TRUST8_COMMAND, 'TRUST8_COMMAND is the path of the command');
  return new Promise((resolve, reject) => {
    const child = execFile(process.env.TRUST8_COMMAND, options, { maxBuffer: 1 << 28, encoding: 'buffer' }, (error, output) => (error && error.code !== 1 ? reject(error) : resolve(output)));
    // A command that refuses its options does not read.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

/** Sentences in languages that older encodings are for. */
const SENTENCES = [
  'Größere Übungen für müde Füchse: schön, daß ihr über Zäune springt.', 'Il a déjà été élève à Besançon, où l’été est très chaud.', 'Zażółć gęślą jaźń, potem idź dalej.',
  'Příliš žluťoučký kůň úpěl ďábelské ódy.', 'Pijamalı hasta yağız şoföre çabucak güvendi.', 'Съешь же ещё этих мягких французских булок, да выпей чаю.', 'Ξεσκεπάζω την ψυχοφθόρα βδελυγμία.',
  'דג סקרן שט לו בים זך אך לפתע פגש חבורה נחמדה.', 'نص حكيم له سر قاطع وذو شأن عظيم مكتوب على ثوب أخضر.', 'เป็นมนุษย์สุดประเสริฐเลิศคุณค่า', 'Tiếng Việt có dấu, và chữ quốc ngữ.', 'Īsā vēstule ir ļoti šaura, žēl.',
  'これは日本語のテキストです。文字コードを調べています。', '这是一个中文文本。我们在检查字符编码，看看结果如何。', '這是一個中文文本。我們在檢查字符編碼，看看結果如何。', '이것은 한국어 텍스트입니다. 문자 인코딩을 확인하고 있습니다.',
];

test('the page and the command guess the same, in all encodings, of damaged files and of mixed ones', async () => {
  const names = String(await command(['encodings'])).split('\n').map((line) => line.trim().split(/\s+/)[0]).filter((name) => name && !['auto', 'utf-8'].includes(name));
  assert.ok(names.length > 60, String(names));
  const files = [];
  for (const name of names) {
    let made = 0;
    for (const sentence of SENTENCES) {
      if (made === 2) break;
      const bytes = await command(['convert', '--from', 'utf-8', '--to', name], Buffer.from(`${sentence}\n`)).catch(() => null);
      if (!bytes?.length) continue;
      made++;
      files.push(bytes, Buffer.concat([Buffer.from('Some words, größer: 日本\n'.repeat(9)), bytes]), bytes.subarray(0, 12));
    }
  }
  const log = Buffer.alloc(400_000, 'some words of a log\n');
  for (const sentence of SENTENCES) {
    const utf8 = Buffer.from(`${sentence}\n${sentence}\n`);
    const damaged = Buffer.from(utf8);
    damaged[30] ^= 0xc0;
    files.push(utf8, damaged, utf8.subarray(0, -3), Buffer.from(sentence, 'utf16le'));
  }
  files.push(...['cafÃ© naÃ¯ve', 'GrÃ¶ÃŸe', 'MÃ¼nchen', 'ÐŸÑ€Ð¸Ð²ÐµÑ‚', 'itâ€™s'].map((text) => Buffer.from(`${text}\n`)));
  files.push(...['61FF62', 'EDA0BDEDB880', '61C08062', 'EDA080', '89504E470D0A1A0A', '1B2442467C1B2842', 'FFFE480065006C00', '0000FEFF00000041', '2FC0AE2F', '00FF00FF01', 'F09F98'].map((hex) => Buffer.from(hex, 'hex')));
  files.push(Buffer.concat([log, Buffer.from(`${SENTENCES[0]}\xff\n${SENTENCES[5]}`), log, Buffer.from('Größe\xfc', 'latin1'), log]));
  files.push(Buffer.concat([log, Buffer.from(' La \xe9t\xe9 \xe0 Besan\xe7on, o\xf9 il a d\xe9j\xe0 neig\xe9\n', 'latin1'), log, log]));
  const paths = await mkdtemp(join(tmpdir(), 'trust8-guesses-'));
  for (const [i, bytes] of files.entries()) await writeFile(join(paths, String(i)), bytes);
  const theirs = String(await command(['inspect', '--json', ...files.map((_, i) => join(paths, String(i)))])).trim().split('\n').map((line) => JSON.parse(line));
  await rm(paths, { recursive: true });
  await page.goto(server.origin);
  const mine = [];
  for (let at = 0; at < files.length; at += 100) {
    mine.push(...(await page.evaluate(async (inputs) => {
      const [{ Survey }, { guess }, { loadRules }] = await Promise.all([import('/trust8/file.js'), import('/guess.js'), import('/rules.js')]);
      await loadRules();
      return Promise.all(inputs.map(async (input) => {
        const bytes = Uint8Array.from(atob(input), (c) => c.charCodeAt(0));
        const survey = new Survey(bytes.length);
        survey.push(bytes, true);
        const { guesses, rules } = await guess(survey.summary, async (from, to) => bytes.slice(from, to));
        return { ...rules, names: guesses.map(({ name }) => name.toLowerCase()), kinds: guesses.map(({ is }) => is) };
      }));
    }, files.slice(at, at + 100).map((bytes) => bytes.toString('base64')))));
  }
  const seen = {};
  for (const [i, { valid, likely_from: from, likely_invalid_as: lines, dialects, readings, mojibake_lines_in_sample: mojibake }] of theirs.entries()) {
    const it = mine[i];
    const which = `file ${i}: ${files[i].subarray(0, 40).toString('latin1')}: ${JSON.stringify(theirs[i])}, ${JSON.stringify(it)}`;
    assert.equal(it.from ?? null, from, which);
    if (valid) {
      assert.equal(it.mojibake ?? 0, from ? 0 : mojibake, which);
    } else {
      assert.equal(it.lines || null, lines, which);
      assert.equal(it.dialect ?? null, dialects[0]?.name ?? null, which);
      const shown = readings.map((reading) => reading.from).filter(Boolean);
      assert.deepEqual(it.likely.filter((label) => shown.includes(label)), shown, which);
      if (it.kinds[0] === 'encoding' && from) assert.equal(it.names[0], from, which);
      if (lines) assert.equal(it.names[0], `utf-8 with lines in ${lines}`, which);
    }
    seen[it.kinds[0]] = (seen[it.kinds[0]] ?? 0) + 1;
  }
  const least = { encoding: 100, lines: 20, damaged: 20, dialect: 3, binary: 3, wide: 10, mojibake: 3, 'utf-8': 10, overlong: 1 };
  for (const [kind, n] of Object.entries(least)) assert.ok(seen[kind] >= n, JSON.stringify(seen));
});

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
for (const colorScheme of ['light', 'dark']) {
  for (const width of [1280, 360]) {
    test(`accessible: ${colorScheme}, ${width} px`, async () => {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      for (const digits of ['610A C0AE C3A9 E2808B F09F9880', '61C3A9', '7061 E280AE 6262', '61206EEF7665 20 6D61F16F 20 E9', '636166C383C2A9']) {
        await openHex(digits);
        await page.locator('#planes-card').evaluate((it) => { it.open = true; });
        const session = await browser.context.newCDPSession(page);
        // The page's own policy forbids scripts from elsewhere, so this one comes through the debugger.
        await session.send('Runtime.evaluate', { expression: await readFile(axe, 'utf8') });
        const { result } = await session.send('Runtime.evaluate', { expression: 'axe.run().then(({ violations, passes }) => JSON.stringify([passes.length, violations.map((v) => [v.id, v.nodes.map((n) => n.html)])]))', awaitPromise: true, returnByValue: true });
        const [passes, violations] = JSON.parse(result.value);
        assert.deepEqual(violations, []);
        assert.ok(passes > 15);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page scrolls sideways');
      }
      await page.setViewportSize({ width: 1280, height: 900 });
    });
  }
}
