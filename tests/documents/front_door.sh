#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# front_door.sh ROOT: ./run alone names six commands, and every command has its line in `./run help`; while it builds, one line
# says what is built and how long it will take, and errors stay whole.
set -euo pipefail
cd "$1"
. tests/checks.sh

commands() { sed -nE 's/^  ([a-z]+).*/\1/p' | sort -u; }
[ "$(./run | grep -cE '^  [a-z]+ ')" -eq 6 ] || fail "./run shows other than six commands: $(./run)"
all=$(sed -nE 's/^  (([a-z]+( \| )?)+)\).*"\$command".*/\1/p' run | tr -d ' ' | tr '|' '\n')
[ -n "$all" ] || fail "the list of commands in run was not found"
for command in $all; do
  ./run help | commands | grep -qx "$command" || fail "./run help does not tell of $command"
done

eval "$(sed -n '/^progress() {/,/^}/p' run)"
shown=$(progress <<'TEXT'
@1 200 2.0 Building CXX object base/CMakeFiles/base.dir/Text.cpp.o
@20 200 30.5 Building CXX object poplar/CMakeFiles/poplar.dir/Unity/unity_1.cxx.o
FAILED: poplar/CMakeFiles/poplar.dir/Unity/unity_2.cxx.o
Graph.cpp:7: error: expected ';'
@199 200 400.0 Linking CXX executable bin/openipu-demo
TEXT
)
is "$(sed 's/\r\x1b\[K/|/g' <<<"$shown")" "|[0 % done] base|[10 % done, about 5 min left] poplar|FAILED: poplar/CMakeFiles/poplar.dir/Unity/unity_2.cxx.o
Graph.cpp:7: error: expected ';'
|[99 % done, less than a minute left] openipu-demo|"
