#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# torch.sh BUILD: the example of examples/poprun ends with the same weights on 1, 2 and 4 instances; options that poprun
# decides are refused; plain poptorch.Options takes mpirun's variables.
. "$(dirname "$0")/common.sh"
"$python" -c 'import torch' 2>/dev/null || exit 0
example=$here/../../examples/poprun/train.py
for instances in 1 2 4; do
  spread 4 $instances "$python" "$example" >log 2>&1 || fail "$instances instances: $(cat log)"
  grep -o 'weights [0-9a-f]*' log >weights-$instances
  cmp weights-1 weights-$instances || fail "$instances instances end elsewhere: $(cat log)"
done
spread 4 2 "$python" "$here/torch_options.py" >log 2>&1 || fail "$(cat log)"
cmp popdist.0 popdist.1 || fail "instances have different weights"
mpirun --allow-run-as-root --oversubscribe -np 2 "$python" "$here/torch_options.py" plain >log 2>&1 || fail "$(cat log)"
cmp plain.0 plain.1 || fail "processes of mpirun have different weights"
