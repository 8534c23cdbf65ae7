// SPDX-License-Identifier: MIT
// read.mjs PROGRAM PICTURES PROGRAM_ID PATH...: visits the views as a user would and prints as JSON every number that
// was on the screen. PICTURES: a folder for screenshots, or "-".
import { Browser, serve } from './browser.mjs';

const [program, pictures, id, ...paths] = process.argv.slice(2);
const server = await serve(program, ...paths);
const browser = await Browser.start();
const seen = {};
const picture = async name => {
  if (pictures !== '-') await browser.picture(`${pictures}/${name}.png`);
};
try {
  await browser.size(1280, 800);
  await browser.open(server.url);
  await browser.until('document.body.dataset.ready', 'the first view');
  const views = await browser.run(`[...document.querySelectorAll('nav a')].map(a => a.dataset.view)`);
  seen.tables = {}; // how much wider than their room
  for (const view of views) {
    await browser.view(view);
    await new Promise(done => setTimeout(done, 200)); // what is fetched while it is drawn
    seen[view] = await browser.numbers();
    seen.tables[view] = await browser.run(
      `Math.max(0, ...[...document.querySelectorAll('.grid')].map(e => e.scrollWidth - e.clientWidth))`,
    );
    await picture(view);
  }

  await browser.view('memory?at=7');
  await browser.until(`document.querySelector('[data-tile="7"]')`, 'tile 7');
  seen['memory?at=7'] = await browser.numbers();
  const plot = await browser.box('.plot canvas');
  await browser.click(plot.x + plot.width / 2, plot.y + 150);
  await browser.until(`document.querySelector('[data-tile]').dataset.tile !== '7'`, 'another tile');
  await browser.key('ArrowRight');
  await browser.until(
    `document.querySelector('[data-tile]').dataset.tile === /^#.memory.at=(\\d+)$/.exec(location.hash)?.[1]`,
    'the selected tile in the address',
  );
  seen.address = await browser.run('location.hash');
  seen.clicked = await browser.numbers();
  await browser.mouse('mouseWheel', plot.x + plot.width / 2, plot.y + 150, { deltaX: 0, deltaY: -800 });
  await browser.frame();

  await browser.view(`programs?at=${id}`);
  await browser.until(`document.querySelector('.panel[data-program="${id}"]')`, `program ${id}`);
  seen.program = await browser.numbers();
  await picture('program');

  // Typed into the search field of the tree, with the keyboard alone.
  await browser.key('/');
  for (const letter of 'sync') await browser.key(letter);
  await browser.key('Enter');
  seen.found = await browser.run(`document.querySelectorAll('.grid mark').length`);

  // Beside itself, every view.
  seen.itself = {};
  for (const view of views.filter(view => view !== 'host')) {
    await browser.view(`${view}?other=0${view === 'programs' ? `&at=${id}` : ''}`);
    if (view === 'programs') await browser.until(`document.querySelector('.panel[data-program="${id}"]')`, id);
    seen.itself[view] = await browser.numbers();
  }

  for (const [theme, width] of [
    ['dark', 3840],
    ['dark', 1280],
  ]) {
    await browser.size(width, 900, theme);
    await browser.run(`document.documentElement.dataset.theme = '${theme}'`);
    await browser.view('memory');
    seen[`overflow${width}`] = await browser.run('document.documentElement.scrollWidth - innerWidth');
    await picture(`memory-${theme}-${width}`);
  }
  // On a telephone: no view is wider than the screen, and the link to it is on the screen.
  await browser.size(400, 900);
  seen.telephone = {};
  for (const view of [...views, 'summary?other=0', 'memory?other=0']) {
    await browser.view(view);
    await browser.frame();
    const wider = `(e => e.scrollWidth - e.clientWidth)(document.querySelector('main'))`;
    const link = `(r => r.left > -1 && r.right < innerWidth + 1)(document.querySelector('nav [aria-current]').getBoundingClientRect())`;
    seen.telephone[view] = [await browser.run(wider), await browser.run(link)];
    await picture(`${view}-400`);
  }
  seen.problems = browser.problems;
  seen.elsewhere = browser.requests.filter(url => !url.startsWith(server.origin) && !/^(about|data|blob):/.test(url));
} finally {
  await browser.end();
  server.end();
}
console.log(JSON.stringify(seen));
