#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# lightning.sh BUILD: pi_ml's trainer on 1, 2 and 4 instances ends with the same weights, also when it goes on from a checkpoint;
# files are written once; a trainer on the CPU says that it cannot.
. "$(dirname "$0")/common.sh"
"$python" -c 'import torch' 2>/dev/null || exit 0
for instances in 1 2 4; do
  spread 4 $instances "$python" "$here/lightning.py" "$work/runs-$instances" >log 2>&1 || fail "$instances instances: $(cat log)"
  cmp runs-1/weights runs-$instances/weights || fail "$instances instances end elsewhere: $(cat log)"
  [ "$(grep -c 'IPU available: True, using' log)" = 2 ] || fail "not every trainer spoke once: $(cat log)"
done
! spread 2 2 "$python" -c 'import pi_ml; pi_ml.Trainer(accelerator="cpu")' >log 2>&1 || fail "a trainer on the CPU started"
has "$(cat log)" 'which train one model on IPUs only'
