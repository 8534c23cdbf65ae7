# SPDX-License-Identifier: MIT
# What tests in bash say: `. checks.sh`. The first failure ends the test, under the name of its script.
export python=${OPENIPU_PYTHON:-/usr/bin/python3}  # as in ./run
fail() { echo "$(basename "$0" .sh): $*" >&2; exit 1; }
skip() { echo "skipped: $*"; exit 0; }
is() { [ "$1" = "$2" ] || fail "expected:
$2
but it is:
$1"; }
has() { [[ $1 == *"$2"* ]] || fail "\"$2\" is missing in: $1"; }
refuses() { # refuses TEXT COMMAND...
  local text=$1 out
  shift
  if out=$("$@" 2>&1); then fail "$* was accepted: $out"; fi
  has "$out" "$text"
}

# serve OPTION...: a controller on a free port, which listens when this returns: $server is its process, $port where.
serve() {
  rm -f server.log  # what the last one said
  vipu-server --port 0 "$@" >server.log 2>&1 &
  server=$!
  until grep -q listens server.log 2>/dev/null; do
    kill -0 "$server" 2>/dev/null || fail "vipu-server: $(cat server.log)"
    sleep 0.02
  done
  port=$(sed -n 's/.*listens on [0-9.]*:\([0-9]*\).*/\1/p' server.log)
}
