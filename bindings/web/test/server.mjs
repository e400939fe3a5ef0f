// A file server for tests, and a browser with the page open.
import { createServer } from 'node:http';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { chromium } from 'playwright-core';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };
export const DIST = new URL('../dist/', import.meta.url).pathname;

/** Serves a folder. `replaced` has other content for some paths; a module of the page has no particular content type here. */
export async function serve(replaced = {}, root = DIST) {
  const requests = [];
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url, 'http://x').pathname);
    requests.push(path);
    try {
      const name = path === '/' ? '/index.html' : path;
      const body = replaced[name] ?? (await readFile(join(root, name)));
      response.writeHead(200, { 'content-type': TYPES[extname(name)] ?? 'application/octet-stream' }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { origin: `http://127.0.0.1:${server.address().port}`, requests, close: () => server.close() };
}

export async function launch(...more) {
  const folder = await mkdtemp(join(tmpdir(), 'trust8-web-'));
  const args = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', ...more];
  const context = await chromium.launchPersistentContext(folder, { executablePath: '/usr/bin/chromium', args, acceptDownloads: true });
  return { context, close: async () => { await context.close(); await rm(folder, { recursive: true, force: true }); } };
}
