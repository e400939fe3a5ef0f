// The package with its module as a file, which browsers fetch and bundlers put beside the script.
import { profiles, start } from './core.js';

async function compile(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return WebAssembly.compile(await response.arrayBuffer());
}

// An engine without SIMD refuses the first module. Bundlers find files by expressions of this form.
const module = await compile(new URL('./trust8.wasm', import.meta.url)).catch((error) => {
  if (error instanceof WebAssembly.CompileError) return compile(new URL('./trust8-scalar.wasm', import.meta.url));
  throw error;
});

export const simd = start(module);
export const PROFILES = Object.freeze(profiles());
export * from './core.js';
