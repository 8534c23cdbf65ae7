#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# training.sh BUILD: weights, loss and modelled cycles after 20 steps are the same bits on 1, 2 and 4 instances.
. "$(dirname "$0")/common.sh"
for mode in plain accumulated pipelined sharded; do
  ipus=1
  [ $mode = pipelined ] && ipus=2
  for instances in 1 2 4; do
    spread 4 $instances --ipus-per-replica $ipus "$python" "$here/train.py" $mode $mode-$instances >log 2>&1 ||
      fail "$mode on $instances instances: $(cat log)"
    cmp $mode-1 $mode-$instances || fail "$mode: $instances instances end elsewhere than one: $(cat log)"
  done
done
# Replicas that no power of two divides.
for instances in 1 3; do
  spread 3 $instances "$python" "$here/train.py" sharded odd-$instances model >log 2>&1 || fail "$(cat log)"
done
cmp odd-1 odd-3 || fail "three instances end elsewhere than one"
# Weights of another instance than the first.
spread 4 2 "$python" "$here/broadcast.py" >log 2>&1 || fail "$(cat log)"
# As large as it gets here: 64 replicas.
export OPENIPU_NUM_IPUS=64
for instances in 1 8; do
  spread 64 $instances "$python" "$here/train.py" plain many-$instances >log 2>&1 || fail "$(cat log)"
done
cmp many-1 many-8 || fail "eight instances of eight replicas end elsewhere than one"
