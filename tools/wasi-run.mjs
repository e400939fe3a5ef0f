// Runs a WebAssembly program that was compiled for wasm32-wasip1. Cargo calls it as a runner (tools/cross.toml):
//
//     node --no-warnings --no-turbo-fast-api-calls tools/wasi-run.mjs PROGRAM.wasm [ARGUMENT...]
//
// The program sees the environment and the working directory, and nothing else. Its exit code becomes the exit code of
// this script.
import { readFile } from 'node:fs/promises';
import { argv, env, exit } from 'node:process';
import { WASI } from 'node:wasi';

const [program, ...rest] = argv.slice(2);
const wasi = new WASI({
    version: 'preview1',
    args: [program, ...rest],
    env,
    preopens: { '.': '.' },
    returnOnExit: true,
});
// Compiling fails if the engine lacks an instruction of the module.
const module = await WebAssembly.compile(await readFile(program));
// Debian's Node 18 has no `wasi.getImportObject`, which would return the same.
const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport });
exit(wasi.start(instance));
