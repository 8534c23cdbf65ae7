#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
  cat <<TEXT
usage: into_docker.sh COMMAND

  start [--with-root]   start the container $CONTAINER_ID from the image $IMG, with the current folder as /workspace;
                        as you, or as root (to add a user with add_user.sh)
  into                  a shell in the started container
  stop                  stop and remove it
  --help                this text

Variables: IMG, the image (now $IMG); CONTAINER_ID, the container (now $CONTAINER_ID);
IPUOF_CONFIG_PATH, a configuration of IPUs that programs in the container see.
TEXT
}

start() {
  local user=(--user "$(id -u):$(id -g)") config=()
  case ${1:-} in
    --with-root) user=() ;;
    '') ;;
    *) fail "start: unknown argument \"$1\"; there is --with-root" ;;
  esac
  needDocker
  docker image inspect "$IMG" >/dev/null 2>&1 || fail "there is no image $IMG: docker_utils/build_docker.sh builds it"
  if [ -n "$(docker ps -aq --filter "name=^$CONTAINER_ID$")" ]; then
    fail "the container $CONTAINER_ID exists: \"into\" enters it, \"stop\" removes it, CONTAINER_ID gives another name"
  fi
  if [ -n "${IPUOF_CONFIG_PATH:-}" ]; then
    [ -r "$IPUOF_CONFIG_PATH" ] || fail "IPUOF_CONFIG_PATH: $IPUOF_CONFIG_PATH cannot be read"
    config=(-v "$(realpath "$IPUOF_CONFIG_PATH"):/ipuof.conf:ro" -e IPUOF_CONFIG_PATH=/ipuof.conf)
  fi
  docker run -dit --name "$CONTAINER_ID" --network=host --ipc=host "${user[@]}" "${config[@]}" \
    -v "$PWD:/workspace" "$IMG" >/dev/null
  echo "started $CONTAINER_ID; to enter it: $0 into"
}

case ${1:-} in
  start) start "${@:2}" ;;
  into) needDocker; exec docker exec -it "$CONTAINER_ID" bash -l ;;
  stop) needDocker; docker rm -f "$CONTAINER_ID" >/dev/null; echo "removed $CONTAINER_ID" ;;
  -h | --help) usage ;;
  '') usage >&2; exit 1 ;;
  *) fail "unknown command \"$1\"; there are start, into, stop and --help" ;;
esac
