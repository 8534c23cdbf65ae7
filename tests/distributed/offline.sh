#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# offline.sh BUILD: with --offline-mode programs of PopART and PopTorch compile into the cache, and no device is attached; the
# same program without it reads the cache.
. "$(dirname "$0")/common.sh"
export POPART_LOG_LEVEL=INFO
files() { find "$work/cache" -type f 2>/dev/null | wc -l; }
both() { # both SCRIPT...: first offline, then with devices
  rm -rf "$work/cache"
  # There is one IPU meanwhile, of the four that the replicas need.
  OPENIPU_NUM_IPUS=1 spread 4 2 --offline-mode --executable-cache-path "$work/cache" "$@" >log 2>&1 || fail "offline: $(cat log)"
  has "$(cat log)" 'compiled and no more'
  local stored
  stored=$(files)
  [ "$stored" -gt 0 ] || fail "nothing is in the cache: $(cat log)"
  spread 4 2 --executable-cache-path "$work/cache" "$@" >log 2>&1 || fail "online: $(cat log)"
  has "$(cat log)" 'Loading serialized PopART executable'
  has "$(cat log)" 'ran'
  [ "$(files)" = "$stored" ] || fail "the run compiled anew: $(cat log)"
}
both "$python" "$here/offline.py" popart
"$python" -c 'import torch' 2>/dev/null || exit 0
both "$python" "$here/offline.py" poptorch
