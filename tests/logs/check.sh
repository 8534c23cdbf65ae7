#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check.sh PROGRAM: runs it with the variables of the logs and compares lines. Formats without times make them the same
# in every run.
set -euo pipefail
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OPENIPU_RUNTIME_DIR=$work
for variable in $(compgen -e | grep '_LOG_' || true); do unset "$variable"; done
plain='%n %L %v'

fail() { echo "check.sh: $*" >&2; exit 1; }
lines() { # lines WHAT VARIABLE=VALUE...: what the program writes
  env POPLAR_LOG_FORMAT="$plain" POPLIBS_LOG_FORMAT="$plain" POPART_LOG_FORMAT="$plain" "${@:2}" "$program" "$1" 2>&1
}
has() { # has OUTPUT TEXT...: every text is a whole line, in this order
  local rest=$'\n'$1$'\n' line
  for line in "${@:2}"; do
    [[ $rest == *$'\n'"$line"$'\n'* ]] || fail "no line \"$line\", or not in its place, in:
$1"
    rest=$'\n'${rest#*$'\n'"$line"$'\n'}
  done
}

[ -z "$(lines operators)" ] || fail "something is logged that nobody asked for"

# PopLibs: calls with shapes and options, then plans.
params='{ "inputType": "float", "outputType": "float", "batchSize": 1, "inputFieldShape": [5], "kernelShape": [3],'
calls=$(lines operators POPLIBS_LOG_LEVEL=INFO)
has "$calls" \
  'PL:POPLIN I poplin::matMul(A: float[4,6], B: float[6,2], outputType: float, options: {partialsType: float}) "layer/product"' \
  'PL:POPOPS I popops::mapInPlace(expr: ADD(_1,_2), ts: [float[4,2],float[4,2]], options: {}) "twice"' \
  'PL:POPOPS I popops::reduce(in: float[4,2], outType: float, dims: [0], params.op: MAX, flags: {}) "most"'
[[ $calls == *"PL:POPLIN I poplin::createInput(params: $params"*'}, options: {availableMemoryProportion: 0.5}) "image"'* ]] ||
  fail "createInput is not there, with parameters and options on one line: $calls"
[[ $calls != *" D "* ]] || fail "INFO shows lines of DEBUG"
plans=$(lines operators POPLIBS_LOG_LEVEL=DEBUG)
has "$plans" \
  'PL:POPOPS D plan of popops.map "twice": supersteps 1, estimated cycles 395' \
  'PL:POPOPS D   ADD (popops::BinaryOp1DInPlace<popops::expr::BinaryOpType::ADD,float>): tiles 4; at most 377 cycles, 0 B in, 0 B out, 0 B temporary per tile' \
  'PL:POPLIN D Planning convolution with a per-tile memory limit of 319488 bytes across 4 tiles.' \
  '    outChanSplit         1 serial, 2 parallel' \
  'PL:POPLIN D -> output: float[1,2,5] "image"'
one=$(lines operators POPLIBS_POPLIN_LOG_LEVEL=INFO)
[[ $one == *PL:POPLIN* && $one != *PL:POPOPS* ]] || fail "POPLIBS_POPLIN_LOG_LEVEL is not poplin's alone: $one"

# Poplar: passes and runs, then steps, then tiles.
passes=$(lines operators POPLAR_LOG_LEVEL=INFO)
has "$passes" 'PO:ENGINE I binding 4 steps and 0 vertices' 'PO:ENGINE I program 0 "all of it" ran: 1377 cycles'
[[ $passes == *'PO:GRAPH I pass "lay out memory": '*' ms'* && $passes != *" D "* ]] || fail "INFO of Poplar is: $passes"
steps=$(lines operators POPLAR_LOG_LEVEL=DEBUG)
has "$steps" 'PO:GRAPH D compiled: 4 variables, 0 vertices, 0 compute sets, 4 steps' \
  'PO:GRAPH D step 2 "most/Reduce": 515 cycles' 'PO:GRAPH D   exchange "ReduceFinalStage/exchange-in": 98 cycles, 32 B'
[[ $steps != *" T "* ]] || fail "DEBUG shows lines of TRACE"
has "$(lines operators POPLAR_LOG_LEVEL=TRACE)" 'PO:GRAPH T     tiles 1-3: 2 cycles, 0 B in, 8 B out' \
  'PO:GRAPH T variable 2 "layer/product/out" float[1,4,2]' 'PO:GRAPH T   tile 1: elements 2 to 3' \
  'PO:GRAPH T memory of tiles 1-3: 4,745 of 638,976 B, variable 8, stack 3,168, vertexInstanceState 24, controlCode 652, vertexCode 640, internalExchangeCode 10, hostExchangeCode 243'

# PopART: its modules have levels of their own.
echo '{"transform": "INFO", "ir": "OFF"}' >"$work/levels.json"
model=$(lines model POPART_LOG_CONFIG="$work/levels.json" POPART_LOG_LEVEL=WARN)
[[ $model == *'popart:transform I pass "schedule": 1 nodes, '* && $model != *popart:session* ]] || fail "POPART_LOG_CONFIG gives: $model"
[[ $(lines model POPART_LOG_LEVEL=DEBUG) == *popart:ir\ D*popart:session\ I* ]] || fail "POPART_LOG_LEVEL=DEBUG shows no graph"

# Forms and destinations, and what is wrong with them, once.
line=$(env POPLIBS_LOG_LEVEL=INFO "$program" operators 2>&1)
[[ $line =~ ^[0-9-]{10}T[0-9:]{8}\.[0-9]{6}Z\ PL:POPLIN\ {4}[0-9]+\.[0-9]+\ I:\ poplin:: ]] || fail "a line of PopLibs is: $line"
line=$(env POPLAR_LOG_LEVEL=INFO "$program" operators 2>&1)
[[ $line =~ ^[0-9:]{8}\.[0-9]{3}\ [0-9]+\ PO:[A-Z]+\ +\[I\]\  ]] || fail "a line of Poplar is: $line"
[ -z "$(lines operators POPLIBS_LOG_LEVEL=INFO POPLIBS_LOG_DEST="$work/log")" ] || fail "a log for a file is printed"
has "$(cat "$work/log")" 'PL:POPOPS I popops::mapInPlace(expr: ADD(_1,_2), ts: [float[4,2],float[4,2]], options: {}) "twice"'
[ "$(lines operators POPLIBS_LOG_LEVEL=BANANA | grep -c 'POPLIBS_LOG_LEVEL: Unknown log level "BANANA"')" = 1 ] ||
  fail "an unknown level is not said once"
[ "$(lines operators POPLIBS_LOG_LEVEL=INFO POPLIBS_LOG_DEST=/no/such/log | grep -c 'The file "/no/such/log" cannot be written')" = 1 ] ||
  fail "an unwritable destination is not said once"
[[ $(lines model POPART_LOG_CONFIG=/no/such/file) == *'POPART_LOG_CONFIG is "/no/such/file", which is not used'* ]] ||
  fail "a missing POPART_LOG_CONFIG is not said"
echo "ok"
