# SPDX-License-Identifier: MIT
# Source this from bash or zsh: the whole SDK, as if the enable.sh of each of its parts had been sourced.
if [ -n "${BASH_SOURCE:-}" ]; then
  _openipu_all=${BASH_SOURCE[0]}
elif [ -n "${ZSH_VERSION:-}" ]; then
  _openipu_all=${(%):-%x}
else
  echo "enable.sh: source this file from bash or zsh" >&2
  return 1
fi
_openipu_all=$(CDPATH= cd -- "$(dirname -- "$_openipu_all")" && pwd)
. "$_openipu_all/@OPENIPU_POPART_DIR@/enable.sh" || { unset _openipu_all; return 1; }
unset _openipu_all
