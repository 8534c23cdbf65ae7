// SPDX-License-Identifier: MIT
// popvision.mjs PROGRAM REPORT TRACE: how long PopVision takes with large inputs, as measured in the page, and the
// processor time and memory of its server. Make the inputs with popvision_files.py.
import { readFileSync } from 'node:fs';
import { Browser, serve } from '../tests/popvision/browser.mjs';

const [program, report, trace] = process.argv.slice(2);
const rows = [];
const line = (what, ms, goal) => rows.push({ what, ms, goal });
const memory = server =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.process.pid}/status`, 'utf8'))[1]) / 1024;

// Milliseconds that all threads of the server have computed; the clock of the file ticks a hundred times a second.
const computed = server => {
  const fields = readFileSync(`/proc/${server.process.pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
};

// The time from the start of a view until it is drawn.
async function view(browser, address) {
  const begin = Date.now();
  await browser.view(address);
  return Date.now() - begin;
}
// The slowest of a number of reactions to the user, from the event to the drawn picture.
async function react(browser, what, work) {
  await browser.run('popvision.reactions.length = 0');
  for (let i = 0; i < 8; ++i) {
    await work(i);
    await browser.frame();
  }
  const found = await browser.run('popvision.reactions');
  line(what, Math.max(0, ...found.map(r => r.ms)), 50);
}

const browser = await Browser.start();
await browser.size(1600, 1000);
try {
  const begin = Date.now();
  const server = await serve(program, report);
  await browser.open(server.url);
  await browser.until('document.body.dataset.ready', 'the first view');
  line('report: from the command to the first view', Date.now() - begin, 1000);
  line('  processor time of the server', computed(server));
  line('  in the page, from opening it', await browser.run('performance.now()'));
  for (const name of ['insights', 'memory', 'liveness', 'programs', 'operations', 'trace', 'layers'])
    line(`report: ${name}`, await view(browser, name));
  for (const name of ['memory', 'liveness', 'trace']) {
    await browser.view(name);
    const box = await browser.box('.plot canvas');
    const [x, y] = [box.x + box.width * 0.6, box.y + Math.min(120, box.height / 2)];
    await react(browser, `${name}: zoom`, i =>
      browser.mouse('mouseWheel', x, y, { deltaX: 0, deltaY: i % 4 === 3 ? 600 : -300 }),
    );
    await react(browser, `${name}: hover`, i => browser.mouse('mouseMoved', x + 9 * i, y));
    await react(browser, `${name}: select`, i => browser.click(x + 17 * i, y));
  }
  await browser.view('programs');
  await react(browser, 'programs: search', async () => {
    await browser.run(
      `(() => {
        const field = document.querySelector('input[type=search]');
        field.value = 'op77';
        field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }));
      })()`,
    );
  });
  line('report: memory of the server (MB)', memory(server), 500);
  server.end();

  if (trace) {
    const start = Date.now();
    const host = await serve(program, trace);
    await browser.open(host.url);
    await browser.until('document.body.dataset.ready', 'the time line', 60);
    line('trace: from the command to the time line', Date.now() - start, 2000);
    line('  processor time of the server', computed(host));
    const box = await browser.box('.plot canvas');
    await react(browser, 'trace: zoom', i =>
      browser.mouse('mouseWheel', box.x + 700, box.y + 200, { deltaX: 0, deltaY: i % 4 === 3 ? 600 : -300 }),
    );
    await react(browser, 'trace: hover', i => browser.mouse('mouseMoved', box.x + 500 + 9 * i, box.y + 200));
    line('trace: memory of the server (MB)', memory(host), 500);
    host.end();
  }
} finally {
  await browser.end();
}
for (const { what, ms, goal } of rows)
  console.log(`${what.padEnd(48)} ${ms.toFixed(1).padStart(9)} ${goal ? `of ${goal}` : ''}`);
if (browser.problems.length) console.log('problems:', browser.problems);
