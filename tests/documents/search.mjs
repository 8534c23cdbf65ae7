// SPDX-License-Identifier: MIT
// search.mjs FOLDER: the site's pages, opened as files, find words without any server; at the width of a phone none of
// several kinds of page is wider than the screen; and in both themes links can be told from the page behind them.
import assert from 'node:assert';
import { pathToFileURL } from 'node:url';
import { Browser } from '../popvision/browser.mjs';

const kinds = [
  'index.html',
  'readme.html',
  'lessons/04_stencil.html',
  'howto/ci.html',
  'engine-options.html',
  'supported.html',
  'timing.html',
  'design/poplar.html',
  'reference/cpp/poplar/poplar/Graph.hpp.html',
  'reference/python/tensorflow/tensorflow.nn.html',
  'reference/python/tensorflow/tensorflow.python.ipu.ops.within_replica_ops.html',
  'reference/commands.html',
];
const site = pathToFileURL(`${process.argv[2]}/`).href;
const browser = await Browser.start();

async function open(page) {
  await browser.open(site + page);
  await browser.until(`document.readyState === 'complete' && location.href === '${site + page}'`);
}

for (const page of ['index.html', 'reference/cpp/poplar/index.html']) {
  await browser.size(1280, 900);
  await open(page);
  await browser.run(`(() => {
    const query = document.querySelector('[data-md-component=search-query]');
    query.focus();
    query.value = 'identity_loss';
    query.dispatchEvent(new KeyboardEvent('keyup'));
  })()`);
  await browser.until(`document.querySelectorAll('.md-search-result__item').length >= 3`, `results of a search in ${page}`);
  const found = await browser.run(`[...document.querySelectorAll('.md-search-result__item a')].map(a => a.href).join(' ')`);
  assert.match(found, /howto\/pytorch-loop/, `a search for identity_loss in ${page}`);
}

// Brightness as the eye sees it, of a colour as the browser writes it.
const contrast = `(() => {
  const bright = colour => colour.match(/\\d+/g).slice(0, 3).map(c => c / 255)
    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const link = bright(getComputedStyle(document.querySelector('article a[href]:not(.headerlink)')).color);
  const page = bright(getComputedStyle(document.body).backgroundColor);
  return (Math.max(link, page) + 0.05) / (Math.min(link, page) + 0.05);
})()`;
for (const theme of ['light', 'dark']) {
  await browser.size(390, 800, theme);
  await open('index.html');
  await browser.run('localStorage.clear()');
  await open('index.html');
  const ratio = await browser.run(contrast);
  assert.ok(ratio >= 4.5, `links of the ${theme} page have a contrast of ${ratio.toFixed(1)}; 4.5 can be read`);
}
for (const page of kinds) {
  await open(page);
  const excess = await browser.run('document.documentElement.scrollWidth - innerWidth');
  assert.ok(excess <= 0, `${page} is ${excess} pixels wider than a phone`);
}
await browser.end();
