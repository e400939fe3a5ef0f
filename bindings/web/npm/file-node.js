// file.js for Node, which does not fetch files.
import { readFileSync } from 'node:fs';
import { profiles, start } from './core.js';

const compile = (url) => new WebAssembly.Module(readFileSync(url));
function compileBest() {
  try {
    return compile(new URL('./trust8.wasm', import.meta.url));
  } catch (error) {
    if (error instanceof WebAssembly.CompileError) return compile(new URL('./trust8-scalar.wasm', import.meta.url));
    throw error;
  }
}

export const simd = start(compileBest());
export const PROFILES = Object.freeze(profiles());
export * from './core.js';
