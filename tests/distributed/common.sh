# SPDX-License-Identifier: MIT
# What the tests of several instances share: `. common.sh BUILD`, then spread N I COMMAND.
set -euo pipefail
build=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir -m 700 runtime
export OPENIPU_RUNTIME_DIR=$work/runtime HOME=$work PATH=$build/bin:$PATH PYTHONPATH=$build/python OPENIPU_NUM_IPUS=16
export OPENIPU_NUM_THREADS=1
unset "${!IPUOF_@}" "${!VIPU_@}" "${!POPDIST_@}" "${!OMPI_@}"
. "$here/../checks.sh"
spread() { # spread REPLICAS INSTANCES COMMAND...
  local replicas=$1 instances=$2
  shift 2
  poprun --allow-run-as-root --num-replicas "$replicas" --num-instances "$instances" "$@"
}
