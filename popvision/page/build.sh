#!/bin/sh
# SPDX-License-Identifier: MIT
# build.sh OUT: writes the types of what the server says, checks and builds the page in OUT/source, so that nothing is left in the source tree, and writes
# OUT/page.html and OUT/policy.txt. Where npm cannot get its packages both are empty: the page is left out.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$1
mkdir -p "$out/source"
cd "$out/source"
rm -rf src dist
cp -r "$here/src" "$here/index.html" "$here/tsconfig.json" "$here/vite.config.js" "$here/package.json" "$here/.npmrc" .
node "$here/types.mjs" "$here/../server/views" src/records.ts
if ! cmp -s "$here/package-lock.json" node_modules/.installed; then
  cp "$here/package-lock.json" .
  if ! npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >npm.log 2>&1; then
    echo "popvision's page is left out: npm could not install its packages ($out/source/npm.log)" >&2
    : >"$out/page.html"
    : >"$out/policy.txt"
    exit 0
  fi
  cp "$here/package-lock.json" node_modules/.installed
fi
node node_modules/typescript/bin/tsc
node node_modules/vite/bin/vite.js build --logLevel warn
node "$here/single.mjs" dist "$out" node_modules/uplot/LICENSE
