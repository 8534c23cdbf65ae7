#!/bin/sh
# SPDX-License-Identifier: MIT
# lint.sh OUT: checks the page's sources by the rules of eslint.config.js, in OUT. Ends with 77 where npm cannot get its packages.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
rm -rf src
cp -r "$here/../src" "$here/../tsconfig.json" "$here/eslint.config.js" "$here/package.json" "$here/.npmrc" .
node "$here/../types.mjs" "$here/../../server/views" src/records.ts
if ! cmp -s "$here/package-lock.json" node_modules/.installed; then
  cp "$here/package-lock.json" .
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >npm.log 2>&1 || { cat npm.log >&2; exit 77; }
  cp "$here/package-lock.json" node_modules/.installed
fi
node node_modules/eslint/bin/eslint.js src
