// Runs a WebAssembly program that was compiled for wasm32-wasip1, as cargo's runner (.cargo/config.toml):
//
//     node --no-warnings scripts/wasi-run.mjs PROGRAM.wasm [ARGUMENT...]
//
// It sees the environment, the working directory and nothing else, and its exit code is this program's.
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
// An engine that lacks an instruction of the module refuses it here.
const module = await WebAssembly.compile(await readFile(program));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
exit(wasi.start(instance));
