// Takes pictures of the page's states in both themes and two widths, for people to look at: node screenshots.mjs FOLDER
import { launch, serve } from './server.mjs';

const folder = process.argv[2] ?? '.';
const bytes = (text) => Buffer.from(text, 'latin1');
const log = 'The quick brown fox jumps over the lazy dog.\n';
/** The files of twelve states, by what is to be seen. `null` is the page before anything is opened. */
const STATES = {
  start: null,
  valid: Buffer.from('Größe: 12 €\n日本語 😀\n'),
  ascii: bytes(log.repeat(20)),
  empty: bytes(''),
  hidden: Buffer.from('payload\u202egpj.exe\u200b'),
  mojibake: Buffer.from('cafÃ© naÃ¯ve, 5 â‚¬'),
  'damaged-byte': bytes(`${log.repeat(20)}a bad \xff byte\n${log}`),
  'cut-off': Buffer.concat([Buffer.from(log.repeat(3)), Buffer.from('that is it 😀').subarray(0, -1)]),
  older: bytes('La \xe9t\xe9 \xe0 Besan\xe7on, o\xf9 le caf\xe9 est bon'),
  attack: bytes('/srv/\xc0\xae\xc0\xae/passwd'),
  utf16: Buffer.from('\ufeffGröße und Straße', 'utf16le'),
  'long-name': bytes('caf\xe9'),
};
const server = await serve();
const { context, close } = await launch();
const page = await context.newPage();
for (const colorScheme of ['light', 'dark']) {
  await page.emulateMedia({ colorScheme });
  for (const [name, content] of Object.entries(STATES)) {
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(server.origin);
      await page.waitForSelector('body[data-state=ready]');
      if (content) {
        await page.setInputFiles('#files', { name: name === 'long-name' ? `${'very-long-name-'.repeat(16)}.txt` : `${name}.txt`, mimeType: 'text/plain', buffer: content });
        await page.waitForSelector('body[data-state^=done]');
      }
      await page.waitForTimeout(200);
      await page.screenshot({ path: `${folder}/${name}-${colorScheme}-${width}.png`, fullPage: true });
    }
  }
}
await close();
server.close();
