// The packed package in bundlers and runtimes, as a stranger installs it. Needs TRUST8_BUNDLERS, a folder in which
// bundlers/package.json is installed.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { launch, serve } from '../../test/server.mjs';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
const TOOLS = process.env.TRUST8_BUNDLERS;
/** What an application asks of the package, and the answer. */
const QUESTIONS = `async () => {
  const stream = new ReadableStream({ start(controller) { for (const byte of [0x61, 0xe2, 0x82, 0xac, 0xff]) controller.enqueue(Uint8Array.of(byte)); controller.close(); } });
  const reader = stream.pipeThrough(new trust8.DecoderStream({ invalid: 'replace' })).getReader();
  let decoded = '';
  for (let next; !(next = await reader.read()).done;) decoded += next.value;
  let refused = '';
  try { trust8.isUtf8('text'); } catch (error) { refused = error.name; }
  return JSON.stringify([trust8.simd, trust8.isUtf8(Uint8Array.of(0xc3, 0xa9)), trust8.isUtf8(new ArrayBuffer(5000)), trust8.validate(Uint8Array.of(0x61, 0xc0)).kind, decoded, refused, trust8.forbidden('prompt', Uint8Array.of(0)).total]);
}`;
const ANSWER = '[true,true,true,"overlong","a€\ufffd","TypeError",1]';

let folder, browser;
before(async () => {
  assert.ok(TOOLS, 'TRUST8_BUNDLERS is a folder with the bundlers');
  folder = await mkdtemp(join(tmpdir(), 'trust8-bundlers-'));
  const run = promisify(execFile);
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: PACKAGE });
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  await run('npm', ['install', '--no-audit', '--no-fund', '--offline', '--ignore-scripts', join(folder, JSON.parse(stdout)[0].filename)], { cwd: folder });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  if (folder) await rm(folder, { recursive: true });
});

/** Makes the folder of an application, with the package beside it. */
async function application(name, files) {
  const root = join(folder, name);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  await cp(join(folder, 'node_modules/trust8'), join(root, 'node_modules/trust8'), { recursive: true });
  return root;
}
const tool = async (name, args, cwd) => {
  const path = join(TOOLS, 'node_modules/.bin', name);
  try {
    return (await promisify(execFile)(path, args, { cwd, env: { ...process.env, NODE_PATH: join(TOOLS, 'node_modules'), NO_COLOR: '1', DO_NOT_TRACK: '1' }, timeout: 120_000 })).stdout;
  } catch (error) {
    throw new Error(`${name} ${args.join(' ')}: ${error.stdout}${error.stderr}`);
  }
};
const program = (entry) => `import * as trust8 from '${entry}';\n(${QUESTIONS})().then((answer) => console.log(answer));\n`;
const PAGE = '<!doctype html><meta charset="utf-8"><title></title>';
/** A page whose script asks in the page, and in a worker if there is one. */
const pageFiles = (entry) => ({
  'package.json': '{"private":true,"type":"module"}',
  'index.html': `${PAGE}<script type="module" src="./main.js"></script>`,
  'main.js': `import * as trust8 from '${entry}';
const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
worker.onmessage = async ({ data }) => { document.title = data + await (${QUESTIONS})(); };
worker.onerror = (event) => { document.title = 'worker: ' + event.message; };`,
  'worker.js': `import * as trust8 from '${entry}';\n(${QUESTIONS})().then((answer) => postMessage(answer));`,
});
/** Opens what a bundler has made, and returns the title. */
async function titleOf(root) {
  const server = await serve({}, root);
  try {
    return await titleAt(server.origin);
  } finally {
    server.close();
  }
}
async function titleAt(address) {
  const page = await browser.context.newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(error.message));
  try {
    await page.goto(address);
    await page.waitForFunction(() => document.title !== '', null, { timeout: 20_000 });
    return await page.title();
  } catch (error) {
    throw new Error(`${error.message} ${problems.join()}`);
  } finally {
    await page.close();
  }
}

const WEBPACK = `module.exports = { mode: 'production', entry: './main.js', output: { path: __dirname + '/out', clean: true }, performance: { hints: false } };`;
const ROLLUP = `import { createRequire } from 'node:module';
const require = createRequire(${JSON.stringify(`${TOOLS}/package.json`)});
const { nodeResolve } = require('@rollup/plugin-node-resolve');
const { importMetaAssets } = require('@web/rollup-plugin-import-meta-assets');
const plugins = [nodeResolve({ browser: true }), importMetaAssets({ include: '**/trust8/*.js' })];
export default ['main', 'worker'].map((name) => ({ input: name + '.js', output: { dir: 'out', format: 'es' }, plugins }));`;
const copyPage = (root) => writeFile(join(root, 'out/index.html'), `${PAGE}<script type="module" src="./main.js"></script>`);

/** How each bundler makes a page in `out`. */
const BUNDLERS = {
  vite: async (root) => {
    await writeFile(join(root, 'vite.config.js'), 'export default { worker: { format: "es" }, build: { outDir: "out", target: "es2022" } };');
    await tool('vite', ['build', '--logLevel', 'warn'], root);
  },
  webpack: async (root) => {
    await writeFile(join(root, 'webpack.config.cjs'), WEBPACK);
    await tool('webpack', ['--no-stats'], root);
    await copyPage(root);
  },
  esbuild: async (root) => {
    await tool('esbuild', ['main.js', 'worker.js', '--bundle', '--format=esm', '--outdir=out', '--log-level=warning', '--loader:.wasm=file'], root);
    await copyPage(root);
  },
  rollup: async (root) => {
    await writeFile(join(root, 'rollup.config.mjs'), ROLLUP);
    await tool('rollup', ['-c', 'rollup.config.mjs', '--silent'], root);
    await copyPage(root);
  },
  parcel: async (root) => { await tool('parcel', ['build', 'index.html', '--dist-dir', 'out', '--no-cache', '--no-source-maps', '--log-level', 'error'], root); },
  bun: async (root) => {
    await tool('bun', ['build', './main.js', './worker.js', '--target=browser', '--outdir=out'], root);
    await copyPage(root);
  },
};
for (const [name, build] of Object.entries(BUNDLERS)) {
  test(`${name}: the module inlined, in a page and a worker`, async () => {
    const root = await application(name, pageFiles('trust8'));
    await build(root);
    assert.equal(await titleOf(join(root, 'out/')), ANSWER + ANSWER);
  });
}
for (const name of ['vite', 'webpack', 'rollup']) {
  test(`${name}: the module as a file`, async () => {
    const root = await application(`${name}-file`, pageFiles('trust8/file'));
    await BUNDLERS[name](root);
    assert.equal(await titleOf(join(root, 'out/')), ANSWER + ANSWER);
  });
}
for (const entry of ['trust8', 'trust8/file']) {
  test(`vite's server for development: ${entry}`, async () => {
    const root = await application(`vite-dev-${entry.replace('/', '-')}`, pageFiles(entry));
    const server = spawn(join(TOOLS, 'node_modules/.bin/vite'), ['--host', '127.0.0.1', '--port', '0', '--clearScreen', 'false'], { cwd: root, env: { ...process.env, NO_COLOR: '1' }, stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      let log = '';
      while (!/http:\S+/.test(log)) log += String((await once(server.stdout, 'data'))[0]);
      assert.equal(await titleAt(log.match(/http:\S+/)[0]), ANSWER + ANSWER);
    } finally {
      server.kill();
      await once(server, 'exit');
    }
  });
}

/** Bundlers without files for modules that wait. The application says where the module is, and waits. */
const CORE = {
  esbuild: "import url from 'trust8/trust8.wasm';",
  parcel: "const url = new URL('npm:trust8/trust8.wasm', import.meta.url);",
};
for (const [name, url] of Object.entries(CORE)) {
  test(`${name}: the module as a file that the application names`, async () => {
    const script = `import * as core from 'trust8/core';\n${url}
fetch(url).then((response) => response.arrayBuffer()).then(WebAssembly.compile).then(async (module) => {
  const trust8 = { ...core, simd: core.start(module) };
  document.title = await (${QUESTIONS})();
});`;
    const root = await application(`${name}-file`, { ...pageFiles(''), 'main.js': script, 'worker.js': '' });
    await BUNDLERS[name](root);
    assert.equal(await titleOf(join(root, 'out/')), ANSWER);
  });
}

const REQUIRE = `const trust8 = require('trust8');\n(${QUESTIONS})().then((answer) => console.log(answer));\n`;
test('Node: import and require, of the package and of bundles for Node', async () => {
  const root = await application('node', { 'package.json': '{"private":true}', 'main.mjs': program('trust8'), 'file.mjs': program('trust8/file'), 'main.cjs': REQUIRE, 'both.cjs': "import('trust8').then((it) => console.log(it.Utf8Error === require('trust8').Utf8Error));" });
  const node = async (...args) => (await promisify(execFile)(process.execPath, args, { cwd: root })).stdout.trim();
  for (const name of ['main.mjs', 'file.mjs', 'main.cjs']) assert.equal(await node(name), ANSWER, name);
  // What has no require of modules gets the script.
  assert.equal(await node('--no-experimental-require-module', 'main.cjs'), ANSWER);
  assert.equal(await node('both.cjs'), 'true');
  await tool('esbuild', ['main.mjs', '--bundle', '--platform=node', '--format=esm', '--outfile=out/esbuild.mjs', '--log-level=warning'], root);
  await tool('esbuild', ['main.cjs', '--bundle', '--platform=node', '--outfile=out/esbuild.cjs', '--log-level=warning'], root);
  await tool('bun', ['build', './main.mjs', '--target=node', '--outfile=out/bun.mjs'], root);
  await writeFile(join(root, 'webpack.config.cjs'), "module.exports = ['mjs', 'cjs'].map((kind) => ({ mode: 'production', target: 'node', entry: './main.' + kind, output: { path: __dirname + '/out', filename: 'webpack-' + kind + '.cjs' }, performance: { hints: false } }));");
  await tool('webpack', ['--no-stats'], root);
  // The bundles stand alone.
  await rm(join(root, 'node_modules'), { recursive: true });
  for (const name of ['esbuild.mjs', 'esbuild.cjs', 'bun.mjs', 'webpack-mjs.cjs', 'webpack-cjs.cjs']) assert.equal(await node(`out/${name}`), ANSWER, name);
});
test('Bun and Deno: import, require and the module as a file', async () => {
  const root = await application('runtimes', { 'package.json': '{"private":true}', 'main.mjs': program('trust8'), 'file.mjs': program('trust8/file'), 'main.cjs': REQUIRE });
  for (const name of ['main.mjs', 'file.mjs', 'main.cjs']) {
    assert.equal((await tool('bun', ['run', name], root)).trim(), ANSWER, `bun ${name}`);
    assert.equal((await tool('deno', ['run', '--allow-read', name], root)).trim(), ANSWER, `deno ${name}`);
  }
});
test('the example of README prints what it says, in Node, Bun and Deno', async () => {
  const [example] = (await readFile(join(PACKAGE, 'README.md'), 'utf8')).match(/(?<=```js\n).*?(?=```)/s);
  const expected = example.split('\n').filter((line) => /^console\.log.*;\s*\/\/ |^\/\/ /.test(line)).map((line) => line.replace(/^.*?\/\/ /, ''));
  assert.equal(expected.length, 5);
  const root = await application('readme', { 'package.json': '{"private":true}', 'main.mjs': example });
  for (const output of [
    (await promisify(execFile)(process.execPath, ['main.mjs'], { cwd: root })).stdout, await tool('bun', ['run', 'main.mjs'], root), await tool('deno', ['run', 'main.mjs'], root),
  ]) assert.deepEqual(output.trim().split('\n'), expected);
});
