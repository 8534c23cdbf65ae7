#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sdk_test.sh SUBJECT BUILD: installs BUILD into a temporary folder, sources enable.sh twice and, from
# another folder, builds and runs a program with nothing but g++, popc or cmake. Any failure is fatal.
set -euo pipefail
subject=$1 build=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sdk=$work/sdk poplar='' popart=''  # folders; the last two are known after the installation
mkdir "$work/elsewhere" "$work/runtime"
cd "$work/elsewhere"
export OPENIPU_RUNTIME_DIR=$work/runtime

. "$here/../checks.sh"
expect() { # expect TEXT COMMAND...: the command succeeds and its output holds the text
  local text=$1 out
  shift
  out=$("$@" 2>&1) || fail "$* failed:
$out"
  [[ $out == *"$text"* ]] || fail "$* did not print \"$text\" but:
$out"
}
environment() { echo "$PATH|$CPATH|$LIBRARY_PATH|$LD_LIBRARY_PATH|$PYTHONPATH|$CMAKE_PREFIX_PATH|$PKG_CONFIG_PATH|$MANPATH"; }
enable() { # with set -eu, as scripts have it
  source "$1/enable.sh"
  local once
  once=$(environment)
  source "$1/enable.sh"
  source "$poplar/enable.sh"
  source "$popart/enable.sh"
  [ "$once" = "$(environment)" ] || fail "sourcing enable.sh twice changed the environment"
  [ "$POPLAR_SDK_ENABLED" = "$poplar" ] || fail "POPLAR_SDK_ENABLED is \"$POPLAR_SDK_ENABLED\", not $poplar"
  [[ ":$CPATH:$LIBRARY_PATH:$LD_LIBRARY_PATH:" != *::* ]] || fail "enable.sh left an empty path entry"
}
compile() { g++ -std=c++11 -Wall -Wextra -pedantic -Werror "$1" -o prog "${@:2}"; }

layout() {
  local file
  for file in enable.sh version.json LICENSE $poplar/enable.sh $popart/enable.sh $poplar/bin/popc $poplar/bin/gc-{info,monitor,inventory,reset} \
              $poplar/lib/lib{poplar,gcipuinfo,pva,pvti,poputil,popops,poplin,popnn,poprand,popsparse,popfloat,gcl}.so \
              $poplar/include/{pvti/pvti,poplar/Graph,poplar/Vertex,pva/pva,popops/ElementWise,gcl/Collectives}.hpp \
              $poplar/lib/cmake/poplar/poplarConfig.cmake $poplar/lib/cmake/poplibs/poplibsConfig.cmake \
              $poplar/lib/pkgconfig/{poplar,poplibs}.pc $popart/lib/pkgconfig/popart.pc \
              $popart/lib/libpopart.so $popart/include/popart/{session,aionnx}.hpp \
              $popart/lib/cmake/popart/popartConfig.cmake $poplar/share/openipu/docs/profile.md \
              $poplar/share/openipu/examples/CMakeLists.txt $poplar/share/man/man1/popc.1; do
    [[ $file == /* ]] || file=$sdk/$file
    [ -e "$file" ] || fail "$file was not installed"
  done
  [ "$(command -v popc)" = "$poplar/bin/popc" ] || fail "popc is not the installed one"
  # Nothing installed may point back at the build or source folder.
  local runpaths
  runpaths=$(for file in "$sdk"/*/lib/*.so "$poplar"/bin/* "$popart"/python/*.so "$popart"/python/*/*.so; do readelf -d "$file" 2>/dev/null; done | grep -E 'R(UN)?PATH' || true)
  [[ $runpaths != *"$build"* ]] || fail "a library is tied to the build folder: $runpaths"
  expect "popc" popc --help
  expect "popvision training        the profile" openipu-demo  # what to try next is there
  machine
  links "$poplar/share/openipu"
  [ -z "$(man -l "$poplar/share/man/man1/popc.1" 2>&1 >/dev/null || true)" ] || fail "popc's man page has errors"
  bash -c "PS1=x; source '$sdk/enable.sh'; complete -p popc" | grep -q -- --help || fail "popc has no completions"
}

# Programs of users that ask pkg-config.
pkg_config() {
  command -v pkg-config >/dev/null || return 0
  cp "$here/operators.cpp" .
  unset CPATH LIBRARY_PATH LD_LIBRARY_PATH
  local flags
  flags=$(pkg-config --cflags --libs poplibs)
  # shellcheck disable=SC2086  (words)
  compile operators.cpp $flags "-Wl,-rpath,$poplar/lib"
  expect "4 5 10 11 sum 30" ./prog
}

# Shells other than this one, a profile file, one part alone, and nothing at all.
shells() {
  printf '#include <poplar/Engine.hpp>\nint main() {}\n' >empty.cpp
  cat >shells.sh <<'SCRIPT'
set -eu
if g++ empty.cpp -lpoplar 2>err; then echo "found before it was enabled"; exit 1; fi
grep -q "poplar/Engine.hpp" err
source "$1/enable.sh"
g++ empty.cpp -lpoplar && ./a.out && popc --help >/dev/null
SCRIPT
  local shell part
  for shell in bash zsh; do
    command -v $shell >/dev/null || continue
    for part in "$sdk" "$poplar" "$popart"; do
      env -i PATH=/usr/bin:/bin HOME="$work" $shell shells.sh "$part" || fail "$shell with $part/enable.sh"
    done
  done
  printf 'cd "%s"\nsource %s/enable.sh\nsource %s/enable.sh\n' "$sdk" "${poplar##*/}" "${popart##*/}" >"$work/.bash_profile"
  env -i PATH=/usr/bin:/bin HOME="$work" OPENIPU_RUNTIME_DIR="$OPENIPU_RUNTIME_DIR" bash -lc 'popc --help >/dev/null && ls "$POPLAR_SDK_ENABLED/bin" >/dev/null' ||
    fail "a login shell with the enable lines in its profile file"
}

# TensorFlow's wheel in an environment of its own: it says what it is, and the ipu package works.
tensorflow_wheel() {
  "$python" -c "import ensurepip" 2>/dev/null && [ -d "$popart/python/tensorflow" ] || return 0
  "$python" -m venv --system-site-packages venv_tf2
  venv_tf2/bin/pip install --quiet --no-index --no-deps "$sdk"/tensorflow-*.whl
  expect "OpenIPU" venv_tf2/bin/pip show -v tensorflow
  local others=$work/others script="from tensorflow.python import ipu; import tensorflow as tf; print(tf.__version__, tf.__file__)"
  mkdir "$others" && cp -r "$popart"/python/{popart*,pva,openipu} "$others"
  expect "2.6.3+openipu $PWD/venv_tf2" env PYTHONPATH="$others" venv_tf2/bin/python -c "$script"
  expect "2.6.3+openipu" venv_tf2/bin/python -c "$script"
  local out
  if out=$(env -u PYTHONPATH -u LD_LIBRARY_PATH venv_tf2/bin/python -c "$script" 2>&1); then fail "tensorflow without the SDK: $out"; fi
  [[ $out == *ImportError*enable.sh* ]] || fail "tensorflow without the SDK says: $out"
}

# The wheels, in a virtual environment that sees Debian's torch; nothing is fetched.
wheels() {
  "$python" -c "import ensurepip, torch" 2>/dev/null && [ -d "$popart/python/poptorch" ] || return 0
  "$python" -m venv --system-site-packages venv
  venv/bin/pip install --quiet --no-index "$sdk"/poptorch-*.whl "$sdk"/pi_ml-*.whl
  expect "OpenIPU" venv/bin/pip show -v poptorch pi_ml
  local others=$work/others
  mkdir "$others" && cp -r "$popart"/python/{popart*,pva,openipu} "$others"
  expect "venv" env PYTHONPATH="$others" venv/bin/python -c "import poptorch, pi_ml; print(poptorch.__file__, pi_ml.__file__)"
  cat >train.py <<'SCRIPT'
import poptorch, torch
model = torch.nn.Linear(2, 2)
print(poptorch.inferenceModel(model)(torch.ones(1, 2)).shape)
SCRIPT
  expect "[1, 2]" env PYTHONPATH="$others" venv/bin/python train.py
  local out
  if out=$(env -u PYTHONPATH -u LD_LIBRARY_PATH venv/bin/python train.py 2>&1); then fail "poptorch without the SDK: $out"; fi
  [[ $out == *ImportError*enable.sh* ]] || fail "poptorch without the SDK says: $out"
}

# The tools see the machine that programs use.
machine() {
  OPENIPU_NUM_IPUS=4 expect "-+- Id: [6], target: [Multi IPU]" gc-info -l
  expect "No attached processes in partition ipuof" gc-monitor
  [ ! -d "$sdk/python/gcipuinfo" ] || expect "1330MHz" "$python" -c \
    "import gcipuinfo; print(gcipuinfo.gcipuinfo().getDevices()[0]['clock'])"
}

# links FOLDER: whatever its pages refer to is there.
links() {
  local page target
  while IFS=: read -r page target; do
    target=${target#*](} target=${target%)}
    [[ $target == http* || $target == \#* ]] || [ -e "$(dirname "$page")/${target%%#*}" ] ||
      fail "$page refers to $target, which was not installed"
  done < <(grep -roE --include='*.md' '\]\([^) ]+\)' "$1")
}

# What the pages tell a newcomer to type, as it stands there. Python's examples need the packages that CI has.
readme() {
  [ -d "$popart/python/popart" ] && "$python" -c "import torch" 2>/dev/null || return 0
  cd "$poplar/share/openipu"
  "$python" -B "$here/../documents/newcomer.py" README.md docs/index.md docs/install.md
}
howto() {
  [ -d "$popart/python/popart" ] && "$python" -c "import torch" 2>/dev/null || return 0
  cd "$poplar/share/openipu"
  "$python" -B "$here/../documents/newcomer.py" docs/howto/*.md
}

# Every lesson prints what its page says, as a script and as a notebook in Jupyter, as it is installed.
lessons() {
  [ -d "$popart/python/popart" ] && "$python" -c "import torch, matplotlib" 2>/dev/null || return 0
  "$python" -B "$here/../../cmake/docs/lessons.py" check
  cp -r "$poplar/share/openipu/docs/lessons" .
  [ "$(ls lessons/*.ipynb | wc -l)" -eq 12 ] || fail "there are not twelve notebooks"
  [ -x /usr/bin/jupyter-nbconvert ] || return 0
  HOME=$work /usr/bin/jupyter-nbconvert --to notebook --execute --ExecutePreprocessor.timeout=120 --output-dir done lessons/*.ipynb \
    >out 2>&1 || fail "Jupyter: $(cat out)"
  "$python" -B "$here/../../cmake/docs/lessons.py" notebooks done
}

# The examples build with their own build file and find what they need from their folder.
examples() {
  cp -r "$poplar/share/openipu/examples" .
  unset CPATH LIBRARY_PATH LD_LIBRARY_PATH
  cmake -S examples -B out >/dev/null
  cmake --build out --target 02_operators 14_onnx_inference >/dev/null
  cd examples
  ../out/02_operators >/dev/null || fail "02_operators failed"
  ../out/14_onnx_inference >/dev/null || fail "14_onnx_inference failed"
}

plain() {
  cp "$here/plain.cpp" .
  compile plain.cpp -lpoplar
  expect "sum 10" ./prog
}

operators() {
  cp "$here/operators.cpp" .
  compile operators.cpp -lpopnn -lpoplin -lpoprand -lpopops -lpoputil -lpoplar
  expect "4 5 10 11 sum 30" ./prog
  POPLAR_ENGINE_OPTIONS='{"autoReport.all":"true","autoReport.directory":"report"}' ./prog >/dev/null
  grep -q stringTable report/debug.cbor || fail "no debug.cbor, or not a whole one"
}

models() {
  cp "$here/models.cpp" .
  compile models.cpp -lpopart -lpoplar
  expect "0 3 0 1" ./prog
  [ ! -d "$popart/python/popart" ] || expect "0.0 3.0 0.0 1.0" "$python" "$here/models.py"
}

# Operators and patterns of users: libraries of their own, loaded by Python and by a program.
custom_operators() {
  local name libraries=()
  for name in polynomial shift leakypattern; do
    g++ -std=c++14 -Wall -Wextra -Werror -shared -fPIC -DONNX_NAMESPACE=onnx "$here/custom/$name.cpp" -o "lib$name.so" \
      -lpopart -lpopops -lpoplar
    libraries+=("$PWD/lib$name.so")
  done
  compile "$here/custom/infer.cpp" -lpopart -lpoplar -ldl
  expect "in place and not" ./prog "${libraries[@]}"
  [ ! -d "$popart/python/popart" ] || expect "trained 4" "$python" "$here/custom/train.py" "${libraries[@]}"
}

codelet_in_source() {
  cp "$here/codelet_in_source.cpp" .
  compile codelet_in_source.cpp -lpoplar
  expect "2 4 6 8" ./prog
}

popc_archive() {
  cp "$here/archive_codelet.cpp" "$here/archive.cpp" .
  popc -O2 archive_codelet.cpp -o archive.gp
  rm archive_codelet.cpp # the archive stands alone
  compile archive.cpp -lpoplar
  expect "1 4 9 16" ./prog
}

pva_reader() {
  cp "$here/codelet_in_source.cpp" "$here/pva_reader.cpp" .
  compile codelet_in_source.cpp -lpoplar
  POPLAR_ENGINE_OPTIONS='{"autoReport.all":"true","autoReport.directory":"report"}' ./prog >/dev/null
  compile pva_reader.cpp -lpva
  expect "vertices 1 tiles 1472" ./prog report/profile.pop
  [ ! -d "$popart/python/pva" ] || expect "1 1472" "$python" -c \
    "import pva; c = pva.openReport('report/profile.pop').compilation; print(c.graph.numVertices, c.target.numTiles)"
}

# The package files alone are enough: nothing else of the environment helps.
cmake_package() {
  cp -r "$here/project" "$here/custom" "$here/operators.cpp" "$here/archive.cpp" "$here/archive_codelet.cpp" .
  unset CPATH LIBRARY_PATH LD_LIBRARY_PATH
  cmake -S project -B out >/dev/null
  cmake --build out >/dev/null
  expect "1 4 9 16" out/prog out/archive.gp
  expect "4 5 10 11 sum 30" out/operators
  readelf -d out/libshift.so | grep -q 'NEEDED.*libpopart\.so' || fail "popart-only does not link libpopart.so"
}

# What a build of Paddle looks for in POPLAR_DIR and POPART_DIR, Paddle's wheel, and a deployment in C++.
paddle() {
  [ -d "$popart/python/paddle" ] || return 0
  local file
  for file in "$sdk"/paddlepaddle_ipu-0.0.0-py3-none-linux_x86_64.whl "$popart/include/paddle_inference_api.h" \
              "$popart/include/paddle/extension.h"; do
    [ -f "$file" ] || fail "there is no $file"
  done
  mkdir external
  cat >external/CMakeLists.txt <<'SCRIPT'
cmake_minimum_required(VERSION 3.16)
project(external CXX)
foreach(name POPLAR POPART)
  string(TOLOWER ${name} library)
  find_library(${name}_LIB NAMES ${library} PATHS ${${name}_DIR}/lib NO_DEFAULT_PATH REQUIRED)
  include_directories(${${name}_DIR}/include)
endforeach()
add_executable(uses uses.cpp)
target_link_libraries(uses ${POPART_LIB} ${POPLAR_LIB})
SCRIPT
  cat >external/uses.cpp <<'SCRIPT'
#include <iostream>
#include <poplar/DeviceManager.hpp>
#include <popart/builder.hpp>
int main() { std::cout << popart::Builder::create()->getModelProto().size() + poplar::DeviceManager().getDevices().size() << " found"; }
SCRIPT
  (unset CPATH LIBRARY_PATH; cmake -S external -B out -DPOPLAR_DIR="$poplar" -DPOPART_DIR="$popart" >/dev/null; cmake --build out >/dev/null)
  expect "found" out/uses
  "$python" - <<'SCRIPT'
import paddle
paddle.enable_static()
x = paddle.static.data("x", [-1, 4])
y = paddle.sum(x, 1)
paddle.static.save_inference_model("sum", [x], [y], paddle.static.Executor())
SCRIPT
  g++ -std=c++17 "$poplar"/share/openipu/examples/paddle/predict.cpp -o predict -lpaddle_inference -lpopart -lpoplar
  expect "save_infer_model/scale_0.tmp_0: 1 sum 4" ./predict sum.pdmodel sum.pdiparams
}

# The folder may be moved after it was installed.
moved() {
  mv "$sdk" "$work/other place"
  cp "$here/codelet_in_source.cpp" .
  cat >moved.sh <<'SCRIPT'
set -e
source "$1/enable.sh"
g++ -std=c++11 codelet_in_source.cpp -o prog -lpoplar
./prog
SCRIPT
  expect "2 4 6 8" bash moved.sh "$work/other place"
}

cmake --install "$build" --prefix "$sdk" >/dev/null
poplar=$(echo "$sdk"/poplar-*) popart=$(echo "$sdk"/popart-*)
[ "$subject" = moved ] || enable "$sdk"
"$subject"
echo "ok: $subject"
