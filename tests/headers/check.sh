#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles every public header alone, without warnings, and the call forms of the files beside this one.
# Usage: check.sh compiler standard source-folder build-folder
compiler=$1 standard=$2 root=$3 build=$4
here=$(cd "$(dirname "$0")" && pwd)
include=$root/poplar/include
flags="-std=$standard -Wall -Wextra -pedantic -Werror -fsyntax-only -I$include"
for folder in "$root/pva/include" "$root/pvti/include" "$root"/poplibs/*/include "$root/popart/include" "$build/popart/include"; do flags="$flags -I$folder"; done

# Headers that codelets include follow the codelet compiler's standard, not the program's.
codelet='Vertex|InOutTypes|FieldTypes|HalfFloat|QuarterFloat|IeeeHalf|VectorTypes|TileConstants|StackSizeDefs|VectorListTypes'
headers=$(cd "$include" && ls poplar/*.hpp gccs/*.hpp | grep -vE "poplar/($codelet)\.hpp")
operators=$(cd "$root/poplibs" && for folder in */include; do (cd "$folder" && find . -name '*.hpp' | sed 's|^./||'); done | sort)
models=$(cd "$root/popart/include" && find . -name '*.hpp' | sed 's|^./||' | sort)
headers="$headers
pvti/pvti.hpp
$operators
$models"
[ -n "$operators" ] || { echo "no headers below $include"; exit 1; }

echo "$headers" | xargs -P "$(nproc)" -I{} sh -c \
  "echo '#include <{}>' | $compiler $flags -x c++ - || { echo 'not complete or not clean under $standard: {}'; exit 1; }" || exit 1
$compiler $flags "$here/own_names.cpp" || exit 1

# What one header brings along for programs that include nothing else: header, then names it gives.
while read -r header names; do
  { printf '#include <%s>\n#ifndef assert\n#error\n#endif\n' "$header"
    [ "$standard" = c++11 ] || echo "using std::optional;"
    for name in $names; do echo "using $name;"; done; } |
    $compiler $flags -Wno-unused -x c++ - || { echo "$header does not bring: $names"; exit 1; }
done < "$here/brought.txt"
# The forms are evaluated for their types only, so unused results are no mistake.
$compiler $flags -Wno-unused-variable -Wno-unused-but-set-variable -Wno-redundant-move "$here/traps.cpp" &&
$compiler $flags -Wno-unused-variable -Wno-unused-but-set-variable "$here/operator_traps.cpp" &&
$compiler $flags -Wno-unused-variable "$here/model_traps.cpp" || exit 1
for file in surface operator_surface layer_surface pva_surface model_surface; do
  $compiler $flags -Wno-unused -Wno-unused-but-set-variable -Wno-parentheses "$here/$file.cpp" || exit 1
done
