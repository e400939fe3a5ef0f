// Measures `isUtf8` beside the runtime's own function and TextDecoder, in Node, Bun or Deno: node measure-runtimes.mjs
import { isUtf8 as native } from 'node:buffer';
import { isUtf8 } from '../npm/index.js';

const TEXTS = { ASCII: ['the quick ', 'brown fox '], German: ['Größe ', 'über den ', 'Straße '], mixed: ['a', 'é', '語', '😀', ' word '] };
const decoder = new TextDecoder('utf-8', { fatal: true });
const FUNCTIONS = [isUtf8, native, (bytes) => { decoder.decode(bytes); return true; }];
let seed = 1;
const random = (n) => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0, (seed >>> 8) % n);
function text(words, length) {
  const parts = words.map((word) => new TextEncoder().encode(word));
  const bytes = new Uint8Array(length).fill(32);
  for (let at = 0; ;) {
    const part = parts[random(parts.length)];
    if (at + part.length > length) return bytes;
    bytes.set(part, at);
    at += part.length;
  }
}
function nanoseconds(f, inputs) {
  let best = Infinity;
  for (let round = 0; round < 21; round++) {
    const start = performance.now();
    for (let n = 0; n < 5; n++) for (const bytes of inputs) if (f(bytes) === false) throw new Error('valid text is refused');
    best = Math.min(best, ((performance.now() - start) * 1e6) / (5 * inputs.length));
  }
  return Math.round(best);
}
console.log('| text | bytes | isUtf8 | buffer.isUtf8 | TextDecoder |\n|---|---:|---:|---:|---:|');
for (const length of [1 << 10, 64 << 10]) {
  for (const [name, words] of Object.entries(TEXTS)) {
    const inputs = Array.from({ length: Math.min(1000, (4 << 20) / length) }, () => text(words, length));
    console.log(`| ${name} | ${length} | ${FUNCTIONS.map((f) => nanoseconds(f, inputs)).join(' | ')} |`);
  }
}
