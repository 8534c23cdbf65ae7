#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# build_docker.sh: builds the image $IMG (openipu:latest) of this repository.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
case ${1:-} in
  -h | --help) sed -n '3s/^# //p' "$0"; exit ;;
  '') ;;
  *) fail "unknown argument \"$1\". The image's name comes from the variable IMG." ;;
esac
needDocker
exec docker build -f "$ROOT/containers/Dockerfile" -t "$IMG" "$ROOT"
