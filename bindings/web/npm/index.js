// The package with both modules inlined, so that it works in every runtime and bundler without a file beside it.
import { profiles, start } from './core.js';
import { compile } from './inlined.js';

export const simd = start(compile());
export const PROFILES = Object.freeze(profiles());
export * from './core.js';
