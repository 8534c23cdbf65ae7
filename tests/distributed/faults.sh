#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# faults.sh BUILD: what is wrong is said, names instance, host and step, and ends the job; a job that begins again from a
# checkpoint goes on with the same numbers.
. "$(dirname "$0")/common.sh"
export PYTHONPATH=$PYTHONPATH:$here
run() { timeout 120 poprun --allow-run-as-root --num-replicas 4 --num-instances 2 "$python" "$here/faults.py" "$@" 2>&1; }
ends() { # ends WHAT TEXT...
  local what=$1 out
  shift
  if out=$(run "$what"); then fail "$what: the job ended well: $out"; fi
  for text; do has "$out" "$text"; done
}
ends differ "Instance 1 on host $(hostname) has another model or other options than instance 0"
ends rates "Instance 1 on host $(hostname) trains with another optimizer than instance 0" \
  "learningRate is 0.04, and learningRate is 0.02 there"
ends new_rate "Instance 1 on host $(hostname) trains with another optimizer than instance 0" "learningRate is 0.5"
ends raise "the data of this instance ended" "Instance 1 on host $(hostname) is gone after step 4"
ends leave "Instance 1 on host $(hostname) is gone after step 4: its program ended while this one waits for it"
ends skip "Instance 1 on host $(hostname) is gone after step 8"
ends library "need the library /nowhere/libnone.so, which cannot be loaded"
ends kill "signal 9"
run weights || fail "instances did not begin with the weights of the first"

alone=$(OMPI_COMM_WORLD_SIZE=1 POPDIST_NUM_TOTAL_REPLICAS=2 POPDIST_NUM_LOCAL_REPLICAS=1 "$python" "$here/faults.py" save none 2>&1) &&
  fail "a process alone has the replicas of two"
has "$alone" "this one was started alone. Start it with poprun or mpirun."

run save whole.onnx || fail "save"
run half checkpoint.onnx || fail "half"
run rest checkpoint.onnx || fail "rest"
"$python" - <<'END'
import onnx
from onnx import numpy_helper
def values(file):
    return {t.name: numpy_helper.to_array(t) for t in onnx.load(file).graph.initializer}
whole, again = values("whole.onnx"), values("checkpoint.onnx.end")
for name, value in whole.items():
    if not (again[name] == value).all():
        raise SystemExit(f"{name} differs after the job began again")
END
