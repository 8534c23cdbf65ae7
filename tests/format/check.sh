#!/bin/sh
# SPDX-License-Identifier: MIT
# check.sh CLANG-FORMAT ROOT: names the lines that `./run format` would change.
set -eu
cd "$2"
find . \( -path ./build -o -name node_modules -o -name .git \) -prune -o \( -name '*.cpp' -o -name '*.hpp' -o -name '*.h' \) -print0 |
  xargs -0 -n 50 -P 2 "$1" --dry-run --Werror --ferror-limit=5
