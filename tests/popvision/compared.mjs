// SPDX-License-Identifier: MIT
// compared.mjs PROGRAM PICTURES REPORT REPORT: every view of the first report beside the second.
import { Browser, serve } from './browser.mjs';

const [program, pictures, ...paths] = process.argv.slice(2);
const server = await serve(program, ...paths);
const browser = await Browser.start();
const seen = {};
try {
  await browser.size(1280, 800);
  await browser.open(server.url);
  await browser.until('document.body.dataset.ready', 'the first view');
  for (const view of await browser.run(`[...document.querySelectorAll('nav a')].map(a => a.dataset.view)`)) {
    await browser.view(`${view}?other=1`);
    await new Promise(done => setTimeout(done, 200)); // what is fetched while it is drawn
    seen[view] = await browser.numbers();
    if (pictures !== '-') await browser.picture(`${pictures}/compared-${view}.png`);
  }
  seen.problems = browser.problems;
} finally {
  await browser.end();
  server.end();
}
console.log(JSON.stringify(seen));
