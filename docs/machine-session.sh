#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A session at the machine, for the picture in machine.md. With an SDK enabled, or build/fast/bin first in PATH and
# build/fast/python in PYTHONPATH:
#   script -qec 'bash docs/machine-session.sh' /dev/null | LC_ALL=C awk -f docs/transcript.awk > docs/machine.svg
set -euo pipefail
folder=$(mktemp -d)
trap 'kill "$model" 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
export OPENIPU_RUNTIME_DIR=$folder HOME=$folder GCDA_MONITOR=1
say() { printf '\033[2m$\033[0m \033[1m%s\033[0m\n' "$*"; }
do_() { say "$*"; eval "$*"; }

do_ vipu create partition demo --size 4 --reconfigurable
do_ vipu list partitions
do_ 'gc-info -l | head -7'
cat >"$folder/train.py" <<'PYTHON'
import torch, poptorch
options = poptorch.Options()
options.replicationFactor(2)
options.deviceIterations(50)
options.showCompilationProgressBar(False)
model = torch.nn.Sequential(torch.nn.Linear(256, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 10))
model = poptorch.inferenceModel(model, options)
data = torch.randn(100 * 32, 256)
model(data)
open("ready", "w")
while True:
    model(data)
PYTHON
cd "$folder"
say 'python3 train.py &'
/usr/bin/python3 train.py >/dev/null 2>&1 &
model=$!
until [ -e ready ]; do kill -0 "$model"; sleep 0.1; done
sleep 3
do_ gc-monitor --usage
do_ 'gc-info -d 0 | grep -E "power|utilisation|user"'
do_ gc-reset -d 6 || true
kill -9 "$model"
wait "$model" 2>/dev/null || true
do_ gc-monitor --no-card-info
do_ gc-links -d 4
