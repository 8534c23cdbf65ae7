#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# keras.sh BUILD: weights, losses and metrics of Keras models are the same bits on 1, 2 and 4 instances, and in every instance.
. "$(dirname "$0")/common.sh"
/usr/bin/python3 -c 'import numpy' 2>/dev/null || exit 0
for mode in ${MODES:-plain accumulated pipelined written custom norm function}; do
  ipus=1
  [ $mode = pipelined ] && ipus=2
  for instances in 1 2 4; do
    spread 4 $instances --ipus-per-replica $ipus /usr/bin/python3 "$here/keras.py" $mode $mode-$instances >log 2>&1 ||
      fail "$mode on $instances instances: $(cat log)"
    for ((i = 0; i < instances; ++i)); do
      cmp $mode-1.0 $mode-$instances.$i || fail "$mode: instance $i of $instances ends elsewhere than one: $(cat log)"
    done
  done
done
