# SPDX-License-Identifier: MIT
# Source this from bash or zsh, from any folder: compilers, linkers, loaders and Python then find what is beside it.
# Sourcing it again changes nothing; the SDK may be moved as a whole. PopART's brings Poplar's with it. An SDK that is enabled
# already, elsewhere, is an error, and so is a C library that is older than a bundle needs.

if [ -n "${BASH_SOURCE:-}" ]; then
  _openipu_part=${BASH_SOURCE[0]}
elif [ -n "${ZSH_VERSION:-}" ]; then
  _openipu_part=${(%):-%x}
else
  echo "enable.sh: source this file from bash or zsh" >&2
  return 1
fi
_openipu_part=$(CDPATH= cd -- "$(dirname -- "$_openipu_part")" && pwd)

_openipu_poplar=$(dirname -- "$_openipu_part")/@OPENIPU_POPLAR_DIR@
if [ -n "${POPLAR_SDK_ENABLED:-}" ] && [ "$POPLAR_SDK_ENABLED" != "$_openipu_poplar" ] && [ -d "$POPLAR_SDK_ENABLED" ]; then
  echo "enable.sh: another SDK is enabled in this shell: $POPLAR_SDK_ENABLED. Open a new shell, and source this one alone." >&2
  unset _openipu_part _openipu_poplar
  return 1
fi
if [ -r "$_openipu_poplar/lib/bundled/needs" ]; then
  read -r _ _openipu_old <"$_openipu_poplar/lib/bundled/needs"
  _openipu_libc=$(getconf GNU_LIBC_VERSION 2>/dev/null || echo "another C library")
  _openipu_minor=${_openipu_libc#glibc 2.}
  if [ "$_openipu_minor" = "$_openipu_libc" ] || [ "${_openipu_minor%%.*}" -lt "${_openipu_old#2.}" ]; then
    echo "enable.sh: this SDK needs glibc $_openipu_old or newer, and this system has $_openipu_libc. Use a newer Linux or a" \
      "container, or build OpenIPU from its sources here (docs/install.md)." >&2
    unset _openipu_part _openipu_poplar _openipu_old _openipu_libc _openipu_minor
    return 1
  fi
  unset _openipu_libc _openipu_minor
fi

# _openipu_prepend VARIABLE DIR: puts DIR first if it is a folder, unless it is there already. Never leaves an empty
# entry, which would mean the current folder.
_openipu_prepend() {
  [ -d "$2" ] || return 0
  eval "_openipu_old=\${$1:-}"
  case ":$_openipu_old:" in
    *":$2:"*) ;;
    *) export "$1=$2${_openipu_old:+:$_openipu_old}" ;;
  esac
}

_openipu_enable() {
  _openipu_prepend PATH "$1/bin"
  _openipu_prepend CPATH "$1/include"
  _openipu_prepend LIBRARY_PATH "$1/lib"
  _openipu_prepend LD_LIBRARY_PATH "$1/lib"
  _openipu_prepend PYTHONPATH "$1/python"
  _openipu_prepend CMAKE_PREFIX_PATH "$1"
  _openipu_prepend PKG_CONFIG_PATH "$1/lib/pkgconfig"
  if [ -d "$1/share/man" ]; then # an empty entry means the system's own pages
    case ":${MANPATH:-}:" in
      *":$1/share/man:"*) ;;
      *) export MANPATH="$1/share/man:${MANPATH:-}" ;;
    esac
  fi
}

_openipu_enable "$_openipu_poplar"
[ "$_openipu_part" = "$_openipu_poplar" ] || _openipu_enable "$_openipu_part"
export POPLAR_SDK_ENABLED="$_openipu_poplar"
if [ -n "${BASH_VERSION:-}" ] && [ -n "${PS1:-}" ] && [ -r "$_openipu_poplar/share/bash-completion/openipu" ]; then
  . "$_openipu_poplar/share/bash-completion/openipu"
fi

unset -f _openipu_prepend _openipu_enable
unset _openipu_part _openipu_poplar
unset _openipu_old 2>/dev/null || true
