// SPDX-License-Identifier: MIT
// shot.mjs PROGRAM OUT VIEW THEME WIDTH HEIGHT PATH...: one picture of one view.
import { Browser, serve } from './browser.mjs';
const [program, out, view, theme, width, height, ...paths] = process.argv.slice(2);
const server = await serve(program, ...paths);
const browser = await Browser.start();
await browser.size(Number(width), Number(height), theme);
await browser.open(server.url);
await browser.until('document.body.dataset.ready');
await browser.view(view);
await new Promise(r => setTimeout(r, 300));
await browser.picture(out);
console.log(browser.problems);
await browser.end();
server.end();
