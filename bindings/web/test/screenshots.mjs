// Takes pictures of the page in both themes, for people to look at: node screenshots.mjs FOLDER
import { launch, serve } from './server.mjs';

const folder = process.argv[2] ?? '.';
const server = await serve();
const { context, close } = await launch();
const page = await context.newPage();
const CASES = {
  attack: '2F7372762FC0AEC0AE2F706173737764', emoji: '61C3A9E282ACF09F98800A48656C6C6F20E4B896E7958C', latin1: '4C612063616166E974E972696120656E20E974E9',
  hidden: '7061796C6F6164E280AE67706A2E657865E2808B', start: '',
};
for (const theme of ['light', 'dark']) {
  await page.emulateMedia({ colorScheme: theme });
  for (const [name, digits] of Object.entries(CASES)) {
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto('about:blank');
      await page.goto(`${server.origin}/${digits && `#hex=${digits}`}`);
      await page.waitForSelector(digits ? 'body[data-state^=done]' : 'body[data-state=ready]');
      await page.locator('#planes-card').evaluate((it) => { it.open = true; });
      await page.waitForTimeout(200);
      await page.screenshot({ path: `${folder}/${name}-${theme}-${width}.png`, fullPage: true });
    }
  }
}
await close();
server.close();
