// SPDX-License-Identifier: MIT
// broken.mjs PROGRAM PATH: what the page says of a report that cannot be read.
import { Browser, serve } from './browser.mjs';

const [program, path] = process.argv.slice(2);
const server = await serve(program, path);
const browser = await Browser.start();
browser.tolerate = /422/;
try {
  await browser.open(server.url);
  await browser.until(`document.querySelector('[role=alert]')`, 'an error');
  const text = await browser.run(`document.querySelector('[role=alert]').textContent`);
  console.log(JSON.stringify({ text, problems: browser.problems }));
} finally {
  await browser.end();
  server.end();
}
