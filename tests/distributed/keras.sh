#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# keras.sh BUILD: weights, losses and metrics of Keras models are the same bits on 1, 2 and 4 instances, and in every instance.
# Executables that are kept are those of all instances.
. "$(dirname "$0")/common.sh"
"$python" -c 'import numpy' 2>/dev/null || exit 0
for mode in ${MODES:-plain accumulated pipelined written custom norm function}; do
  ipus=1
  [ $mode = pipelined ] && ipus=2
  for instances in 1 2 4; do
    spread 4 $instances --ipus-per-replica $ipus "$python" "$here/keras.py" $mode $mode-$instances >log 2>&1 ||
      fail "$mode on $instances instances: $(cat log)"
    for ((i = 0; i < instances; ++i)); do
      cmp $mode-1.0 $mode-$instances.$i || fail "$mode: instance $i of $instances ends elsewhere than one: $(cat log)"
    done
  done
done
kept() { find "cache-$1" -name '*.poplar_exec' | wc -l; }
for instances in 1 2 2; do # the third run reads what the second wrote
  TF_POPLAR_FLAGS=--executable_cache_path=$work/cache-$instances spread 4 $instances "$python" "$here/keras.py" plain \
    kept-$instances >log 2>&1 || fail "plain on $instances instances, with a cache: $(cat log)"
  [ "$(kept $instances)" -gt 0 ] && [ "$(kept $instances)" = "$(kept 1)" ] ||
    fail "$instances instances keep $(kept $instances) executables, one keeps $(kept 1)"
  cmp kept-1.0 kept-$instances.0 || fail "plain on $instances instances with a cache ends elsewhere"
done
# Each with a cache of its own, and an entry that is damaged in one of them: all compile again.
own() { # own RESULT
  spread 4 2 bash -c 'TF_POPLAR_FLAGS=--executable_cache_path=$1/own-$OMPI_COMM_WORLD_RANK exec "$python" "${@:2}"' - \
    "$work" "$here/keras.py" plain "$1" >log 2>&1 || fail "plain with two caches: $(cat log)"
  cmp kept-1.0 "$1.0" && cmp kept-1.0 "$1.1" || fail "plain with two caches ends elsewhere: $(cat log)"
}
own first
truncate -s 1000 own-1/*.poplar_exec
own second
grep -q "own-1/.* is not used: .* compiled again" log || fail "nothing is said of a damaged executable: $(cat log)"
