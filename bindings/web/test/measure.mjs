// Measures throughput in Chromium, and the time to the first picture: node measure.mjs [MiB]
import { execFileSync } from 'node:child_process';
import { launch, serve } from './server.mjs';

const mib = Number(process.argv[2] ?? 256);
const server = await serve();
// A module that no engine compiles makes the package load the scalar one.
const scalar = await serve({ '/trust8/trust8.wasm': Buffer.from('0061736D01000000FF0100', 'hex') });
const { context, close } = await launch();
const page = await context.newPage();
await page.goto(server.origin);
await page.waitForSelector('body[data-state=ready]');
const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
console.log(`first picture ${paint?.toFixed(0)} ms`);
const run = async (page) => page.evaluate(async (mib) => {
  const { Survey, isUtf8, PIECE, simd } = await import('/trust8/file.js');
  const texts = {
    ASCII: ['the quick brown fox jumps over the lazy dog ', 'and so on; 12345\n'], German: ['Größe und Straße ', 'über den Bäumen ', 'ist es ', 'schön '],
    Russian: ['Привет, ', 'как дела? ', 'хорошо '], Chinese: ['世界', '你好，', '今天', '天气很好。'], mixed: ['a', 'é', '語', '😀', ' word '],
  };
  const rows = [];
  let seed = 1;
  const random = (n) => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0, (seed >>> 8) % n);
  /** Returns a function that fills an array with random words. */
  const filler = (words) => {
    const parts = words.map((word) => new TextEncoder().encode(word));
    return (bytes) => { for (let at = 0; ;) { const part = parts[random(parts.length)]; if (at + part.length > bytes.length) { bytes.fill(32, at); return bytes; } bytes.set(part, at); at += part.length; } };
  };
  for (const [name, words] of Object.entries(texts)) {
    // New text never repeats; learned text is the same 64 KiB again and again.
    const fill = filler(words);
    const inputs = { new: [fill(new Uint8Array(mib << 20)), 1], learned: [fill(new Uint8Array(64 << 10)), mib * 16] };
    for (const [kind, [bytes, times]] of Object.entries(inputs)) {
      const measure = (f) => { let best = 0; for (let i = 0; i < 3; i++) { const start = performance.now(); for (let n = 0; n < times; n++) if (f(bytes) === false) throw new Error(name); best = Math.max(best, (mib * 1.048576) / (performance.now() - start)); } return best.toFixed(2); };
      const decode = (bytes) => { const decoder = new TextDecoder('utf-8', { fatal: true }); for (let at = 0; at < bytes.length; at += PIECE) decoder.decode(bytes.subarray(at, at + PIECE), { stream: true }); decoder.decode(); };
      const survey = (bytes) => { const survey = new Survey(bytes.length); for (let at = 0; at < bytes.length;) { const piece = bytes.subarray(at, at + PIECE); at += survey.push(piece, at + piece.length >= bytes.length); } };
      rows.push([name, kind, simd, measure(isUtf8), measure(survey), simd ? measure(decode) : '']);
    }
  }
  // A thousand short inputs of each length, so that none is learned: nanoseconds a call.
  const short = [];
  for (const [name, words] of Object.entries(texts)) {
    const fill = filler(words);
    for (const length of [16, 256, 4096]) {
      const inputs = Array.from({ length: 1000 }, () => fill(new Uint8Array(length)));
      const decoder = new TextDecoder('utf-8', { fatal: true });
      const measure = (f) => { let best = Infinity; for (let i = 0; i < 15; i++) { const start = performance.now(); for (let n = 0; n < 5; n++) for (const bytes of inputs) if (f(bytes) === false) throw new Error(name); best = Math.min(best, ((performance.now() - start) * 1e6) / 5000); } return Math.round(best); };
      short.push([name, length, measure(isUtf8), simd ? measure((bytes) => decoder.decode(bytes)) : '']);
    }
  }
  return { rows, short };
}, mib);
const { rows: simd, short } = await run(page);
await page.goto(scalar.origin);
await page.waitForSelector('body[data-state=ready]');
const { rows: plain, short: plainShort } = await run(page);
console.log('| text | | isUtf8 | counts and errors | isUtf8, scalar | TextDecoder |\n|---|---|---:|---:|---:|---:|');
simd.forEach(([name, kind, , is, survey, native], i) => console.log(`| ${name} | ${kind} | ${is} | ${survey} | ${plain[i][3]} | ${native} |`));
console.log('| text | bytes | isUtf8 | isUtf8, scalar | TextDecoder |\n|---|---:|---:|---:|---:|');
short.forEach(([name, length, is, native], i) => console.log(`| ${name} | ${length} | ${is} | ${plainShort[i][2]} | ${native} |`));
const cpu = execFileSync(new URL('../../../tools/cpu.py', import.meta.url).pathname, { encoding: 'utf8' }).trim();
console.log(cpu, context.browser()?.version() ?? '', process.version);
await close();
server.close();
scalar.close();
