#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# containers_test.sh CONTAINERS: what the scripts say, and what they ask of docker. Any failure is fatal.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../checks.sh"
scripts=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

mkdir bin
for tool in bash basename dirname id realpath sed cat; do ln -s "$(command -v $tool)" bin/; done
into=$scripts/docker_utils/into_docker.sh
help=$("$into" --help)
for word in start --with-root into stop IMG CONTAINER_ID; do has "$help" "$word"; done
refuses "usage" "$into"
refuses "unknown command \"enter\"" "$into" enter
refuses "docker is not installed" env PATH="$work/bin" "$into" start
refuses "docker is not installed" env PATH="$work/bin" "$scripts/docker_utils/build_docker.sh"
refuses "unknown argument" "$scripts/docker_utils/build_docker.sh" now
refuses "not a user's name" "$scripts/docker_utils/add_user.sh" '$(touch x)'
has "$("$scripts/installers/install_rdma.sh")" "need no RDMA"

cat >bin/docker <<'SCRIPT'
#!/bin/bash
printf '%s\n' "$*" >>"$DOCKER_LOG"
SCRIPT
chmod +x bin/docker
export PATH=$work/bin:$PATH DOCKER_LOG=$work/log IMG=some:image CONTAINER_ID=mine
"$scripts/docker_utils/build_docker.sh"
has "$(cat log)" "build -f $(dirname "$scripts")/containers/Dockerfile -t some:image"
refuses "cannot be read" env IPUOF_CONFIG_PATH=/nowhere.conf "$into" start
echo '{}' >pod.conf
IPUOF_CONFIG_PATH=pod.conf "$into" start >/dev/null
has "$(cat log)" "run -dit --name mine"
has "$(cat log)" "$work/pod.conf:/ipuof.conf:ro -e IPUOF_CONFIG_PATH=/ipuof.conf"
has "$(grep '^run' log | tail -1)" "--user"
"$into" start --with-root >/dev/null
[[ $(grep '^run' log | tail -1) != *--user* ]] || fail "--with-root runs as a user"
"$into" into
has "$(cat log)" "exec -it mine bash -l"

mkdir popsdk
echo 'echo enabled' >popsdk/enable.sh
has "$(POPSDK=$work/popsdk bash -euc "source '$scripts/envs.sh.template'")" enabled
if command -v shellcheck >/dev/null; then
  (cd "$scripts/docker_utils" && shellcheck -x ./*.sh ../installers/*.sh) || fail "shellcheck"
fi
echo "ok: containers"
