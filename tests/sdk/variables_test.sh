#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# variables_test.sh SOURCE: docs/variables.md names every environment variable that the libraries, packages and tools read, and
# none of ours or PopTorch's that they do not. Names are the literals that look like one of our variables, and those in getenv("...").
# And no program says where Python is: OPENIPU_PYTHON, or python3 on PATH.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../checks.sh"
cd "$1"

mapfile -t files < <(find base arch machine gcipuinfo popdist vipu pva pvti poplar poplibs popart frontends python tools \
  \( -name '*.cpp' -o -name '*.hpp' -o -name '*.inc' -o -name '*.py' \) ! -name '*_test.cpp')
[ ${#files[@]} -gt 100 ] || fail "found only ${#files[@]} source files"
read_=$({ grep -hoE '"(OPENIPU|POPLAR|POPLIBS|POPART|POPTORCH|POPXL|GCL|IPUOF|GCDA|POPDIST|VIPU_CLI)_[A-Z0-9_]+"' "${files[@]}"
          grep -hoE '(getenv\(|FromEnvironment\(|\b(isOn|is_on)\(|environ(\.get\(|\[))["'\''][A-Za-z_0-9]+' "${files[@]}" | sed 's/.*[("'\'']/"/; s/$/"/'; } |
        tr -d '"' | sort -u)
for name in $read_; do
  grep -q "\`$name\`" docs/variables.md || fail "$name is read, but docs/variables.md does not name it"
done

# Where the name is put together or passed in, the log's and the options', docs/variables.md has all of them by hand; numbers are
# asked for by a literal, and what g++ reads for itself (Toolchain.cpp) is not ours.
strangers=$(grep -lE 'getenv\([^")]' "${files[@]}" |
            grep -vE '^(base/src/(Log|Environment)|poplar/src/codelet/Toolchain|poplar/src/options/(OptionFlags|EngineOptions)|machine/src/Runtime|frontends/runtime/runtime/Devices)\.cpp$' || true)
[ -z "$strangers" ] || fail "getenv without a literal, whose name docs/variables.md must have, in: $strangers"
for layer in POPLAR POPLIBS GCL POPART; do
  for kind in LEVEL DEST FORMAT; do
    grep -q "\`${layer}_LOG_$kind\`" docs/variables.md || fail "docs/variables.md does not name ${layer}_LOG_$kind"
  done
done

for name in $(grep -oE '`(OPENIPU|POPTORCH)_[A-Z_0-9]+`' docs/variables.md | tr -d '`' | sort -u); do
  grep -qx "$name" <<<"$read_" || fail "docs/variables.md names $name, which nothing reads"
done

# The default stands in ./run and checks.sh.
placed=$(grep -rlF --include=*.{cpp,hpp,py,sh,txt,cmake} --exclude=checks.sh /usr/bin/'python3' base arch machine gcipuinfo popdist vipu pva pvti \
  poplar poplibs popart frontends python tools popvision/server bench calibration cmake examples tests || true)
[ -z "$placed" ] || fail "these name the place of a Python: $placed"
echo "ok: $(wc -w <<<"$read_") variables"
