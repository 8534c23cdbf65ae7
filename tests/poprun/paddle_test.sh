#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# paddle_test.sh BUILD: a Paddle program whose replicas are spread over processes ends with the same bits on 1, 2 and 4.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../checks.sh"
build=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
command -v mpirun >/dev/null || skip "there is no mpirun"
[ -e "$build/python/popdist/popart.py" ] || skip "replicas of several processes do not train one model here"
[ -e "$build/python/paddle/paddle_core"* ] || skip "paddle was not built"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir -m 700 runtime
export OPENIPU_RUNTIME_DIR=$work/runtime HOME=$work PATH=$build/bin:$PATH PYTHONPATH=$build/python OPENIPU_NUM_IPUS=16
export OPENIPU_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1
unset "${!IPUOF_@}" "${!VIPU_@}" "${!POPDIST_@}" "${!OMPI_@}" "${!SLURM_@}"
root=()
[ "$(id -u)" -ne 0 ] || root=(--allow-run-as-root)
for instances in 1 2 4; do
  poprun "${root[@]}" --num-replicas 4 --num-instances $instances "$python" "$here/paddle_train.py" out.$instances >log 2>&1 ||
    fail "$instances processes: $(cat log)"
  cmp out.1 out.$instances || fail "$instances processes end elsewhere than one"
done
echo "ok: paddle in several processes"
