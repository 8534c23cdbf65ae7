// SPDX-License-Identifier: MIT
// live.mjs PROGRAM REPORT OTHER: what a page that watches shows when a report is written again, and when a trace
// appears.
import { copyFileSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Browser, serve } from './browser.mjs';

const [program, report, other] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'popvision-live-'));
const write = from => {
  copyFileSync(from, join(folder, 'next'));
  renameSync(join(folder, 'next'), join(folder, 'profile.pop'));
};
write(join(report, 'training', 'profile.pop'));
const server = await serve(program, folder);
const browser = await Browser.start();
const cycles = `document.querySelector('[data-key="execution.totalCycles"]').dataset.v`;
const seen = {};
try {
  await browser.open(server.url);
  await browser.until('document.body.dataset.ready', 'the first view');
  seen.before = Number(await browser.run(cycles));
  await browser.run(`[...document.querySelectorAll('header button')].find(b => b.textContent === 'Live').click()`);
  write(join(other, 'training', 'profile.pop'));
  await browser.until(`${cycles} !== '${seen.before}'`, 'the new report');
  seen.after = Number(await browser.run(cycles));
  // Zoom, selection and fields outlive newer data.
  await browser.view('memory');
  await browser.run(`document.querySelector('main canvas').focus()`);
  const press = key =>
    browser.run(`document.querySelector('main canvas').dispatchEvent(
      new KeyboardEvent('keydown', { key: '${key}', bubbles: true }))`);
  const tile = `document.querySelector('[data-key="tile.tile"]')?.dataset.v`;
  for (const key of ['+', '+', 'ArrowRight']) await press(key);
  await browser.until(tile, 'the tile');
  const first = await browser.run(tile);
  await press('ArrowRight');
  await browser.until(`${tile} && ${tile} !== '${first}'`, 'its neighbour');
  await browser.run(`{ const choice = document.querySelector('main select'); choice.value = 'liveness';
    choice.dispatchEvent(new Event('change', { bubbles: true })); }`);
  await browser.until(tile, 'the tile');
  const kept = () => browser.run('JSON.stringify(popvision.kept())');
  seen.kept = { before: JSON.parse(await kept()), tile: await browser.run(tile) };
  await browser.run(`window.old = document.querySelector('main').firstElementChild; 0`);
  write(join(report, 'training', 'profile.pop'));
  await browser.until(`document.querySelector('main').firstElementChild !== window.old`, 'the report again');
  await browser.until(tile, 'the tile again');
  seen.kept.after = JSON.parse(await kept());
  seen.kept.tileAfter = await browser.run(tile);
  const trace = readdirSync(report).find(name => name.endsWith('.pvti'));
  copyFileSync(join(report, trace), join(folder, trace));
  await browser.until(`document.querySelector('nav a[data-view=host]')`, 'the trace');
  await browser.view('host');
  seen.events = (await browser.numbers())['host.events'].value;
  seen.problems = browser.problems;
} finally {
  await browser.end();
  server.end();
  rmSync(folder, { recursive: true, force: true });
}
console.log(JSON.stringify(seen));
