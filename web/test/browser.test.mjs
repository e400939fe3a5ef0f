// The page in headless Chromium: every feature, large files, hostile content, accessibility.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { launch, serve } from './server.mjs';

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

test('an error is explained, with its place and its bits', async () => {
  await openHex('410A62 C3A9 C0AE 21');
  assert.equal(await page.locator('#verdict').evaluate((it) => it.firstChild.data), 'Not UTF-8');
  assert.match(await text('#why'), /2 errors\. The first is at line 2, column 3, byte 5: C0 begins an overlong form of an ASCII character/);
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
  assert.match(await text('#why'), /E0 begins a character of 3 bytes, and 62 follows/);
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
  assert.equal(await page.evaluate(() => localStorage.length + sessionStorage.length + document.cookie.length), 0);
});

test('what the bytes probably are', async () => {
  const cases = [
    ['4C6120 6166E9', 'windows-1252'], ['CFF0E8E2E5F220ECE8F0', 'windows-1251'], ['F0D2C9D7C5D420CDC9D2', 'koi8-r'],
    ['82B182F182C982BF82CD', 'SHIFT_JIS'], ['FFFE480065006C00', 'UTF-16 little-endian'], ['0048006500 6C006C006F00E9', 'UTF-16 big-endian'],
    ['EDA0BDEDB880', 'CESU-8'], ['61C08062', 'Modified UTF-8 (Java)'], ['636166C383C2A9', 'Mojibake'], ['6162', 'ASCII'],
    ['EFBBBF61', 'UTF-8 with a byte order mark'], ['2FC0AE2F', 'UTF-8 with overlong forms'], ['480000006500000021000000', 'UTF-32 little-endian'],
  ];
  for (const [digits, name] of cases) {
    await openHex(digits);
    assert.equal((await page.locator('#guesses li:first-child strong').innerText()).toLowerCase(), name.toLowerCase(), digits);
  }
});

test('repairs are downloaded', async () => {
  await openFile('a.log', Buffer.from('caf\xE9 \xC0\x80!', 'latin1'));
  assert.equal(String(await repaired('U+FFFD')), 'caf\ufffd \ufffd\ufffd!');
  assert.equal(String(await repaired('Escape')), 'caf\\xE9 \\xC0\\x80!');
  assert.equal(String(await repaired('Remove')), 'caf !');
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

test('characters that do not show are spelled out, and those that a profile forbids are listed', async () => {
  await openHex('61 E280AE 62 E2808B');
  assert.match(await text('#forbidden'), /bidi control: a bidirectional control.*RLO U\+202E at 1/);
  assert.match(await text('#hex'), /⟨RLO⟩/);
  assert.doesNotMatch(await text('#result'), /[\u202e\u200b]/);
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
  assert.equal(problems.splice(0).filter((it) => !/Content Security Policy|Trusted|TrustedHTML/i.test(it)).length, 0);
  assert.deepEqual(server.requests.filter((path) => !/^\/(|[\w-]+\.(js|css|svg)|trust8\/[\w-]+\.(js|wasm))$/.test(path)), []);
});

test('a large file is read in bounded memory, and its last error is found', async () => {
  const size = Number(process.env.TRUST8_WEB_LARGE ?? 256) * 2 ** 20;
  const path = join(folder, 'large.bin');
  const file = await open(path, 'w');
  await file.truncate(size);
  await file.write(Buffer.from([0xe2, 0x82]), 0, 2, 4 * 2 ** 20 - 1);
  await file.write(Buffer.from([0xff]), 0, 1, size - 1);
  await file.close();
  const pids = await renderers();
  const start = performance.now();
  await openPath(path, 600_000);
  const seconds = (performance.now() - start) / 1000;
  let peak = 0;
  for (const pid of [...pids, ...(await renderers())]) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    peak = Math.max(peak, Number(status.match(/VmHWM:\s+(\d+)/)?.[1] ?? 0) / 1024);
  }
  console.log(`${size / 2 ** 20} MiB in ${seconds.toFixed(2)} s, at most ${peak.toFixed(0)} MiB in a renderer`);
  assert.ok(peak > 0 && peak < 600, `${peak} MiB`);
  assert.match(await text('#why'), new RegExp(`2 errors.*byte ${String(4 * 2 ** 20 - 1).replace(/\B(?=(\d{3})+$)/g, '.')}`));
  await page.focus('#hex');
  await page.keyboard.press('n');
  await page.waitForFunction(() => document.querySelector('#hex .b.selected')?.textContent === 'FF');
  await rm(path);
});

async function renderers() {
  const pids = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.includes('--type=renderer') && command.includes('chromium')) pids.push(pid);
  }
  return pids;
}

test('errors beyond the listed ones are found by key', async () => {
  await openFile('many.bin', Buffer.alloc(30_000, Buffer.from([0xff, 0x61])));
  assert.match(await text('#why'), /^15.000 errors/);
  await page.fill('#goto', '25001');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('#detail code')?.textContent === '61');
  await page.focus('#hex');
  await page.keyboard.press('n');
  await page.waitForFunction(() => document.querySelector('#detail .head')?.textContent.includes('Byte 25002'));
});

test('without SIMD the scalar module is loaded', async () => {
  // The header of a module, and a section that no engine knows, as SIMD is to an engine without it.
  const other = await serve({ '/trust8/trust8.wasm': Buffer.from('0061736D01000000FF0100', 'hex') });
  const second = await browser.context.newPage();
  await second.goto(`${other.origin}/#hex=61FF`);
  await second.waitForSelector('body[data-state^=done]');
  assert.match(await second.locator('#engine').innerText(), /without SIMD/);
  assert.ok(other.requests.includes('/trust8/trust8-scalar.wasm'));
  await second.close();
  other.close();
});

test('the package gives the verdicts of the command on 2,000 files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'trust8-inputs-'));
  const inputs = (await import('./inputs.mjs')).inputs(2000).map((bytes) => Uint8Array.from(bytes));
  for (const [i, bytes] of inputs.entries()) await writeFile(join(folder, String(i)), bytes);
  assert.ok(process.env.TRUST8_COMMAND, 'TRUST8_COMMAND is the path of the command');
  const options = ['check', '--all', '--binary', '--format', 'json', folder];
  const output = await new Promise((resolve, reject) => {
    execFile(process.env.TRUST8_COMMAND, options, { maxBuffer: 1 << 28 }, (error, output) => (error && error.code !== 1 ? reject(error) : resolve(output)));
  });
  await rm(folder, { recursive: true });
  const { files, summary } = JSON.parse(output);
  assert.deepEqual([summary.files, summary.unread, summary.binary_skipped], [2000, 0, 0]);
  const theirs = Array.from(inputs, () => []);
  for (const { path, errors } of files) theirs[Number(basename(path))] = errors;
  await page.goto(server.origin);
  const mine = await page.evaluate(async (inputs) => {
    const { explain, validate } = await import('/trust8/index.js');
    return inputs.map((bytes) => {
      const first = validate(Uint8Array.from(bytes));
      const errors = explain(Uint8Array.from(bytes)).filter((it) => it.kind);
      if ((first?.offset ?? -1) !== (errors[0]?.offset ?? -1)) throw new Error('validate and explain differ');
      return errors.map(({ offset, length, kind }) => [offset, length, kind]);
    });
  }, inputs.map((bytes) => [...bytes]));
  assert.ok(mine.filter((errors) => errors.length).length > 200);
  for (const [i, errors] of mine.entries()) {
    // The command reports an overlong form, a surrogate or a number that is too large as a whole.
    const left = [...errors];
    for (const { offset, length, kind } of theirs[i]) {
      const [at, , name] = left.shift() ?? [];
      assert.deepEqual([at, name], [offset, kind], `file ${i}`);
      while (left.length && left[0][0] < offset + length) left.shift();
    }
    assert.deepEqual(left, [], `file ${i}`);
  }
});

test('a stream in the browser passes text on and stops at the error', async () => {
  await page.goto(server.origin);
  const outcomes = await page.evaluate(async () => {
    const { ValidationStream } = await import('/trust8/index.js');
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
    const { validate } = await import('/trust8/index.js');
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

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
for (const colorScheme of ['light', 'dark']) {
  for (const width of [1280, 360]) {
    test(`accessible: ${colorScheme}, ${width} px`, async () => {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      for (const digits of ['610A C0AE C3A9 E2808B F09F9880', '61C3A9']) {
        await openHex(digits);
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
