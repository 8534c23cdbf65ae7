// SPDX-License-Identifier: MIT
// single.mjs DIST OUT LICENCE...: from what Vite built to OUT/page.html, one file, with the licences of the libraries in
// it, and OUT/policy.txt, the content-security policy that allows exactly the script and the style in it.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [dist, out, ...licences] = process.argv.slice(2);
const hash = text => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const script = `\n${readFileSync(join(dist, 'page.js'), 'utf8').replaceAll('</script', '<\\/script')}`;
const style = `\n${readFileSync(join(dist, 'page.css'), 'utf8')}`;
const inside = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(style)}`,
  'img-src data: blob:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');
const notes = licences.map(path => `<!-- ${path}\n${readFileSync(path, 'utf8').trim().replaceAll('--', '- -')}\n-->\n`);
const page = `<!doctype html>
${notes.join('')}<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${inside}; connect-src 'self'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>PopVision</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<div id="app"></div>
<script type="text/plain" id="data"></script>
<script type="module">${script}</script>
</body>
</html>
`;
writeFileSync(join(out, 'page.html'), page);
writeFileSync(join(out, 'policy.txt'), `${inside}; connect-src 'self'; frame-ancestors 'none'`);
