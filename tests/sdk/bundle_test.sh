#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# bundle_test.sh BUILD: makes the bundle and the wheels of a build folder, and uses them as a stranger would: where there is
# nothing but glibc, libstdc++ and libgcc (a root of its own, for which this must run as root), in a virtual environment, with
# another Python, and wrongly.
set -euo pipefail
build=$(realpath "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../checks.sh"
for tool in patchelf readelf xz dpkg-query; do
  command -v $tool >/dev/null || skip "$tool is missing (apt install patchelf binutils xz-utils)"
done
python=$(sed -n 's/^OPENIPU_PYTHON_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OPENIPU_RUNTIME_DIR=$work/runtime HOME=$work PYTHONDONTWRITEBYTECODE=1
mkdir runtime
unset POPLAR_SDK_ENABLED LD_LIBRARY_PATH PYTHONPATH CPATH LIBRARY_PATH

"$python" "$here/../../cmake/sdk/bundle.py" "$build" made
archive=$(echo made/openipu-*-linux-x86_64.tar.xz)
[ "$(stat -c %s "$archive")" -lt 25000000 ] || fail "the bundle has $(stat -c %s "$archive") bytes"
tar xJf "$archive"
sdk=$work/$(basename "$archive" .tar.xz)
poplar=$(echo "$sdk"/poplar-*) popart=$(echo "$sdk"/popart-*)

# What each file needs is there, or glibc's, libstdc++ or libgcc; what is loaded on demand needs Open MPI too.
needs_nothing_else() {
  local file name
  while read -r file; do
    for name in $(readelf -dW "$file" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
      case "$name" in
        ld-linux-x86-64.so.2 | libc.so.6 | libm.so.6 | libmvec.so.1 | libstdc++.so.6 | libgcc_s.so.1) continue ;;
        libmpi*.so.*) [ "$(basename "$file")" = libpopdist_mpi.so ] && continue ;;
      esac
      [ -f "$poplar/lib/$name" ] || [ -f "$popart/lib/$name" ] || [ -f "$poplar/lib/bundled/$name" ] || fail "$file needs $name"
    done
  done < <(find "$1" -type f \( -name '*.so*' -o -path '*/bin/*' \))
  [ -z "$(find "$1" -name '*.so*' -exec readelf -dW {} + | grep -E 'R(UN)?PATH' | grep -vF '[$ORIGIN')" ] || fail "a search path leaves $1"
}
needs_nothing_else "$sdk"
for file in "$poplar"/lib/bundled/*.so*; do
  [ -s "$poplar/share/openipu/licences/README" ] && grep -qF "${file##*/}" "$poplar/share/openipu/licences/README" ||
    fail "the licence of $file is not there"
  [[ $file == *-openipu.so* ]] && [ "$(readelf -W --dyn-syms "$file" | grep -c ' UNIQUE ')" -eq 0 ] ||
    fail "$file would mix with another of its name in a process"
done

# A program of a user, built on this machine against the bundle alone.
cp "$here/operators.cpp" "$here/codelet_in_source.cpp" .
# shellcheck disable=SC2016  (the other shell's)
bash -euc 'source "$0/enable.sh"; g++ -std=c++11 operators.cpp -o operators -lpopnn -lpoplin -lpoprand -lpopops -lpoputil -lpoplar
  g++ -std=c++11 codelet_in_source.cpp -o codelets -lpoplar; g++ -std=c++11 "$1" -o models -lpopart -lpoplar' "$sdk" "$here/models.cpp" 2>err ||
  fail "programs do not build against the bundle: $(cat err)"
[ ! -s err ] || fail "building against the bundle says: $(cat err)"

# An empty root: the bundle, the program, the C and C++ libraries, and a shell.
inside() { # inside COMMAND: bash runs it there, with the SDK enabled
  unshare -m chroot "$work/root" /bin/bash -euc "export HOME=/tmp OPENIPU_RUNTIME_DIR=/tmp/runtime PATH=/bin; cd /tmp
    . /opt/openipu/enable.sh; $1" 2>&1
}
empty_root() {
  local file
  mkdir -p root/{bin,lib64,lib/x86_64-linux-gnu,opt,tmp/runtime,proc,dev,etc}
  cp -a "$sdk" root/opt/openipu
  for file in ld-linux-x86-64.so.2 lib{c,m,mvec,pthread,dl,rt}.so.? libstdc++.so.6 libgcc_s.so.1 libtinfo.so.6; do # the last is bash's
    for file in /lib/x86_64-linux-gnu/$file; do [ ! -e "$file" ] || cp -L "$file" root/lib/x86_64-linux-gnu; done
  done
  cp -L /lib64/ld-linux-x86-64.so.2 root/lib64
  cp -L /bin/bash /usr/bin/{dirname,getconf} root/bin
  cp operators codelets codelet_in_source.cpp models root/tmp
  mknod -m 666 root/dev/null c 1 3
  mount -t proc proc root/proc 2>/dev/null || return 1
}
if [ "$(id -u)" -ne 0 ] || ! unshare -m true 2>/dev/null || ! unshare -m --propagation private bash -c "mkdir -p try && mount -t tmpfs none try" 2>/dev/null; then
  echo "skipped: the empty root, which root alone can make"
else
  trap 'umount "$work/root/proc" 2>/dev/null || true; cd /; rm -rf "$work"' EXIT
  empty_root || fail "an empty root cannot be made: $(ls -l root)"
  has "$(inside 'gc-info -l')" "Partition: ipuof [active]"
  has "$(inside 'popvision --help')" "popvision"
  has "$(inside 'vipu --version; poprun --version; openipu')" "OpenIPU"
  has "$(inside './operators')" "4 5 10 11 sum 30"
  has "$(inside './models')" "0 3 0 1"
  has "$(inside 'openipu-demo && popvision summary training/profile.pop')" "digits/s on a GC200, as modelled"
  if out=$(inside './codelets'); then fail "a codelet was compiled without g++: $out"; fi
  has "$out" "Compiling codelets needs g++, and there is none on PATH. Install it"
  umount "$work/root/proc"
fi

# Moved as a whole it works, with PopTorch too; a program that was running has to be started again.
mv "$sdk" "$work/elsewhere"
was=$sdk sdk=$work/elsewhere poplar=$(echo "$sdk"/poplar-*) popart=$(echo "$sdk"/popart-*)
has "$(bash -euc 'source "$0/enable.sh"; gc-info -l; ./operators' "$sdk")" "4 5 10 11 sum 30"
cat >train.py <<'SCRIPT'
import os, sys
import poptorch, torch
if len(sys.argv) > 1:
    os.rename(sys.argv[1], sys.argv[2])
print(poptorch.inferenceModel(torch.nn.Linear(2, 2))(torch.ones(1, 2)).shape)
SCRIPT
if [ -d "$popart/python/poptorch" ] && "$python" -c "import torch" 2>/dev/null; then
  has "$(bash -euc 'source "$0/enable.sh"; "$1" train.py' "$sdk" "$python" 2>&1)" "torch.Size([1, 2])"
  refuses "It was moved or removed meanwhile. Source its enable.sh where it is now, and start the program again." \
    bash -euc 'source "$0/enable.sh"; "$1" train.py "$0" "$2"' "$sdk" "$python" "$was"
  mv "$was" "$sdk"
fi

# Two SDKs in one shell, and a C library that is too old.
cp -r "$sdk" "$work/second"
refuses "another SDK is enabled in this shell: $poplar. Open a new shell" bash -euc 'source "$0/enable.sh"; source "$1/enable.sh"' "$sdk" "$work/second"
sed -i 's/^glibc .*/glibc 2.99/' "$work"/second/poplar-*/lib/bundled/needs
refuses "this SDK needs glibc 2.99 or newer, and this system has glibc 2." bash -euc 'source "$0/enable.sh"' "$work/second"
refuses "pva needs glibc 2.99 or newer, and this system has glibc 2." env PYTHONPATH="$(echo "$work"/second/popart-*/python)" "$python" -c "import pva"
refuses "LD_LIBRARY_PATH names the libraries of another OpenIPU, in $(echo "$work"/second/poplar-*)/lib. Keep one" \
  env LD_LIBRARY_PATH="$(echo "$work"/second/poplar-*)/lib" PYTHONPATH="$popart/python" "$python" -c "import pva"
rm -rf "$work/second"

# A module that this Python lacks is made from the sources that came along.
if [ -d "$popart/python/pva" ]; then
  export PYTHONPATH=$popart/python
  rm "$popart"/python/pva/_core.*.so
  refuses "pva's module of C++ is missing" "$python" -c "import pva"
  refuses "there is no package nothing. These have modules: libpvti, pva, " "$python" -m openipu build nothing
  has "$("$python" -m openipu build pva)" "Made, in $popart/python"
  has "$("$python" -c "import pva; print(pva.openReport)")" openReport
  # Other Pythons that are on this machine have theirs beside it; new ones need a newer pybind11 than came along.
  for other in python3.{9,10,11,12,13}; do
    "$other" -c "import sys, os, sysconfig; sys.exit(not os.path.isfile(sysconfig.get_path('include') + '/Python.h'))" 2>/dev/null || continue
    "$other" -c "import sys; sys.exit(sys.version_info[:2] == tuple(map(int, sys.argv[1].split('.'))))" \
      "$("$python" -c 'import platform; print(platform.python_version().rpartition(".")[0])')" || continue
    refuses "pva is built for Python " "$other" -c "import pva"
    if made=$("$other" -m openipu build pva 2>&1); then
      has "$("$other" -c "import pva, sys; print(pva.openReport, sys.version)")" "${other#python}"
    else
      has "$made" "needs pybind11 2.11 or newer"
      [[ $other == python3.1[23] ]] || fail "$other: $made"
    fi
  done
  has "$("$python" -c "import pva; print(pva.openReport)")" openReport
  unset PYTHONPATH
fi

# The wheels, in a virtual environment that sees numpy and torch; no SDK and no variable.
if "$python" -c "import ensurepip, numpy, torch" 2>/dev/null && [ -d "$popart/python/poptorch" ]; then
  "$python" -m venv --system-site-packages venv
  refuses "openipu==" venv/bin/pip install --no-index made/poptorch-*.whl
  refuses "tensorflow==" venv/bin/pip install --no-index made/openipu-*.whl made/keras-*.whl
  venv/bin/pip install --quiet --no-index made/openipu-*.whl made/poptorch-*.whl
  inner=$(echo "$work"/venv/lib/python3*/site-packages/openipu)
  poplar=$inner popart=$inner needs_nothing_else "$inner"
  has "$(venv/bin/pip show openipu)" "Requires: numpy"
  has "$(venv/bin/gc-info -l)" "Partition: ipuof [active]"
  has "$(venv/bin/python -m openipu --version)" "openipu "
  has "$(venv/bin/python -m openipu demo)" "digits/s on a GC200, as modelled"
  has "$(venv/bin/python train.py 2>&1)" "torch.Size([1, 2])"
  has "$(venv/bin/python -c 'import popart, pva, popdist, libpvti, gcipuinfo; print("all")')" "all"
  # An SDK beside them: one is used, and that is said.
  has "$(PYTHONPATH=$popart/python venv/bin/python -c "import pva" 2>&1)" "Two OpenIPUs are on Python's path. This program uses the one in $popart/python"
  venv/bin/pip uninstall --quiet --yes openipu
  refuses "poptorch needs OpenIPU's libraries. Source the enable.sh of an SDK" venv/bin/python -c "import poptorch"
fi

echo "ok: bundle, $(stat -c %s "$archive") bytes"
