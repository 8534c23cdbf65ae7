#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# add_user.sh [NAME [UID]]: inside a container that was started --with-root, adds a user (you: $HOST_USER or "ipu", 1000).
set -euo pipefail
name=${1:-${HOST_USER:-ipu}} uid=${2:-${HOST_UID:-1000}}
case $name in -h | --help) sed -n '3s/^# //p' "$0"; exit ;; esac
[[ $name =~ ^[a-z_][a-z0-9_-]*$ ]] || { echo "add_user.sh: \"$name\" is not a user's name" >&2; exit 1; }
[[ $uid =~ ^[0-9]+$ ]] || { echo "add_user.sh: \"$uid\" is not a user's number" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || { echo "add_user.sh: only root can add users; start the container --with-root" >&2; exit 1; }
if id "$name" >/dev/null 2>&1; then
  echo "the user $name is there already"
else
  useradd --create-home --shell /bin/bash --uid "$uid" "$name"
  echo "added $name ($uid)"
fi
