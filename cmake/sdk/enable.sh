# SPDX-License-Identifier: MIT
# Source this from bash or zsh, from any folder: compilers, linkers and loaders then find this SDK.
# Sourcing it again changes nothing; the folder may be moved before it is sourced.

if [ -n "${BASH_SOURCE:-}" ]; then
  _openipu_sdk=${BASH_SOURCE[0]}
elif [ -n "${ZSH_VERSION:-}" ]; then
  _openipu_sdk=${(%):-%x}
else
  echo "enable.sh: source this file from bash or zsh" >&2
  return 1
fi
_openipu_sdk=$(CDPATH= cd -- "$(dirname -- "$_openipu_sdk")" && pwd)

# _openipu_prepend VARIABLE DIR: puts DIR first unless it is there already. Never leaves an empty
# entry, which would mean the current folder.
_openipu_prepend() {
  eval "_openipu_old=\${$1:-}"
  case ":$_openipu_old:" in
    *":$2:"*) ;;
    *) export "$1=$2${_openipu_old:+:$_openipu_old}" ;;
  esac
}

_openipu_prepend PATH "$_openipu_sdk/bin"
_openipu_prepend CPATH "$_openipu_sdk/include"
_openipu_prepend LIBRARY_PATH "$_openipu_sdk/lib"
_openipu_prepend LD_LIBRARY_PATH "$_openipu_sdk/lib"
_openipu_prepend PYTHONPATH "$_openipu_sdk/python"
_openipu_prepend CMAKE_PREFIX_PATH "$_openipu_sdk"
export POPLAR_SDK_ENABLED="$_openipu_sdk"

unset -f _openipu_prepend
unset _openipu_sdk _openipu_old
