// SPDX-License-Identifier: MIT
// exported.mjs PROGRAM FILE: every view of an exported page, opened as a file.
import { Browser } from './browser.mjs';

const [, file] = process.argv.slice(2);
const browser = await Browser.start();
const seen = {};
try {
  await browser.size(1280, 800);
  await browser.open(`file://${file}`);
  await browser.until('document.body.dataset.ready', 'the first view');
  for (const view of await browser.run(`[...document.querySelectorAll('nav a')].map(a => a.dataset.view)`)) {
    await browser.view(view);
    seen[view] = await browser.numbers();
  }
  await browser.view('memory?at=7');
  await browser.until(`document.querySelector('[data-tile="7"]')`, 'tile 7');
  seen.tile = await browser.numbers();
  seen.problems = browser.problems;
  seen.elsewhere = browser.requests.filter(url => !/^(about|data|blob|file):/.test(url));
} finally {
  await browser.end();
}
console.log(JSON.stringify(seen));
