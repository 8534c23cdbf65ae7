// SPDX-License-Identifier: MIT
// read.mjs PROGRAM PICTURES PATH...: visits the views as a user would and prints as JSON every number that was on the
// screen. PICTURES: a folder for screenshots, or "-".
import { Browser, serve } from './browser.mjs';

const [program, pictures, ...paths] = process.argv.slice(2);
const server = await serve(program, ...paths);
const browser = await Browser.start();
const seen = {};
try {
  await browser.size(1280, 800);
  await browser.open(server.url);
  await browser.until('document.body.dataset.ready', 'the first view');
  const views = await browser.run(`[...document.querySelectorAll('nav a')].map(a => a.dataset.view)`);
  for (const view of views) {
    await browser.view(view);
    seen[view] = await browser.numbers();
    if (pictures !== '-') await browser.picture(`${pictures}/${view}.png`);
  }

  await browser.view('memory?at=7');
  await browser.until(`document.querySelector('[data-tile="7"]')`, 'tile 7');
  seen['memory?at=7'] = await browser.numbers();
  const plot = await browser.box('.plot canvas');
  await browser.click(plot.x + plot.width / 2, plot.y + 150);
  await browser.key('ArrowRight');
  seen.clicked = await browser.numbers();
  await browser.mouse('mouseWheel', plot.x + plot.width / 2, plot.y + 150, { deltaX: 0, deltaY: -800 });
  await browser.frame();

  if (views.includes('summary')) {
    await browser.view('summary?other=0');
    seen.itself = await browser.numbers();
    await browser.view('memory?other=0');
    seen.memoryItself = await browser.numbers();
  }
  seen.problems = browser.problems;
  seen.elsewhere = browser.requests.filter(url => !url.startsWith(server.url) && !/^(about|data|blob):/.test(url));
} finally {
  await browser.end();
  server.end();
}
console.log(JSON.stringify(seen));
