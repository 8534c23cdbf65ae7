# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: MIT
# Sourced by the scripts beside it: what image and container they mean, and where docker is.
IMG=${IMG:-openipu:latest}                 # the image to build and to run
CONTAINER_ID=${CONTAINER_ID:-openipu-$(id -un)}   # the container to start and to enter
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)   # of the repository

fail() { echo "$(basename "$0"): $*" >&2; exit 1; }

needDocker() {
  command -v docker >/dev/null ||
    fail "docker is not installed (Debian: apt install docker.io). Without it: ./run install PREFIX makes the same SDK."
  docker info >/dev/null 2>&1 ||
    fail "the docker daemon does not answer. Is it running, and are you in the group docker?"
}
