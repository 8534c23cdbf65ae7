#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles every public header alone, without warnings, and the call forms of traps.cpp.
# Usage: check.sh compiler standard include-folder
compiler=$1 standard=$2 include=$3
here=$(cd "$(dirname "$0")" && pwd)
flags="-std=$standard -Wall -Wextra -pedantic -Werror -fsyntax-only -I$include"

# Headers that codelets include follow the codelet compiler's standard, not the program's.
codelet='Vertex|InOutTypes|FieldTypes|HalfFloat|QuarterFloat|IeeeHalf|VectorTypes|TileConstants|StackSizeDefs'
headers=$(cd "$include" && ls poplar/*.hpp gccs/*.hpp | grep -vE "poplar/($codelet)\.hpp")
[ -n "$headers" ] || { echo "no headers below $include"; exit 1; }

echo "$headers" | xargs -P "$(nproc)" -I{} sh -c \
  "echo '#include <{}>' | $compiler $flags -x c++ - || { echo 'not complete or not clean under $standard: {}'; exit 1; }" || exit 1
# The forms are evaluated for their types only, so unused results are no mistake.
$compiler $flags -Wno-unused-variable -Wno-unused-but-set-variable -Wno-redundant-move "$here/traps.cpp"
