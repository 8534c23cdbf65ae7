#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# collectives.sh BUILD: every collective is right, and has the same bits for 1x4, 2x2, 4x1, for 1x6, 3x2 and for 1x3, 3x1.
. "$(dirname "$0")/common.sh"
program=$build/bin/distributed-collectives
[ -x "$program" ] || program=$(find "$build" -name distributed-collectives -type f | head -1)
for spread in '4 1' '4 2' '4 4' '6 1' '6 3' '3 1' '3 3'; do
  read -r replicas instances <<<"$spread"
  spread "$replicas" "$instances" "$program" "$replicas-$instances" >log 2>&1 || fail "$spread: $(cat log)"
  for r in $(seq 0 $((replicas - 1))); do
    first=$(ls "$replicas"-*."$r" | head -1)
    cmp "$first" "$replicas-$instances.$r" || fail "replica $r of $spread differs from $first"
  done
done
