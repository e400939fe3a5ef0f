// Writes the files of the package that repeat others: the modules as text, and all of it as one script for `require`.
import { readFileSync, writeFileSync } from 'node:fs';

const read = (name, encoding) => readFileSync(new URL(name, import.meta.url), encoding);
const write = (name, content) => writeFileSync(new URL(name, import.meta.url), content);
const base64 = (name) => JSON.stringify(read(name).toString('base64'));

const inlined = `// Made by generate.mjs: both modules as text.
const bytesOf = (text) => Uint8Array.fromBase64?.(text) ?? Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

/** Compiles the module with SIMD, or the other one if this engine has no SIMD. */
export function compile() {
  try {
    return new WebAssembly.Module(bytesOf(SIMD));
  } catch (error) {
    if (error instanceof WebAssembly.CompileError) return new WebAssembly.Module(bytesOf(SCALAR));
    throw error;
  }
}

const SIMD = ${base64('trust8.wasm')};
const SCALAR = ${base64('trust8-scalar.wasm')};
`;
write('inlined.js', inlined);

const script = (text) => text.replaceAll(/^export (?=const|class|function)/gm, '');
const core = read('core.js', 'utf8');
const names = Array.from(core.matchAll(/^export (?:const|class|function) (\w+)/gm), ([, name]) => name);
write('index.cjs', `// Made by generate.mjs: index.js, core.js and inlined.js as one script for \`require\`.
'use strict';
${script(core)}
${script(inlined)}
const simd = start(compile());
const PROFILES = Object.freeze(profiles());
module.exports = { ${['simd', 'PROFILES', ...names].join(', ')} };
`);
write('index.d.cts', read('index.d.ts', 'utf8').replace("export * from './core.js';", read('core.d.ts', 'utf8')));
