#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# agent.sh [-x] HOST COMMAND...: what ssh would be: the command on a host of network.py, whose folder is $NETWORK.
[ "$1" != -x ] || shift
host=$1
shift
[ -e "$NETWORK/$host" ] || { echo "agent: $host: no route to host" >&2; exit 255; }
[ ! -e "$NETWORK/$host.down" ] || exec sleep 600
exec nsenter -t "$(cat "$NETWORK/$host")" -n -u -- sh -c "$*"
