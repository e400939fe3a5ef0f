export * from './core.js';

/** Whether this engine runs the module with SIMD. */
export const simd: boolean;

/** What `profiles` returns. */
export const PROFILES: readonly string[];
