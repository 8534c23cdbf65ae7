#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# vipu_test.sh BIN: partitions on this machine and through a controller, with and without access keys. Any failure is fatal.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../checks.sh"
bin=$1
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work"
mkdir runtime
chmod 700 runtime
export OPENIPU_RUNTIME_DIR=$work/runtime HOME=$work PATH=$bin:$PATH
unset "${!IPUOF_@}" "${!VIPU_@}" OPENIPU_NUM_IPUS OPENIPU_IPU OPENIPU_CHIP


# With nothing set up there is the environment's partition; the first that is created takes its place.
has "$(vipu list partition)" " ipuof "
is "$(vipu create partition demo --size 4 --reconfigurable)" "create partition (demo): success."
is "$(vipu list partitions)" " Partition | Cluster | ILDs | GW Routing | ILD Routing | Size | GCDs | State
-----------------------------------------------------------------------------
 demo      |         | 1    | DEFAULT    | DNC         | 4    | 1    | ACTIVE
-----------------------------------------------------------------------------"
has "$(vipu -j list partitions)" '"Partition": "demo"'
has "$(vipu get partition demo)" " Reconfigurable | true"
mkdir -p .ipuof.conf.d
vipu get partition demo --gcd 0 --ipu-configs >.ipuof.conf.d/pod.conf
has "$(cat .ipuof.conf.d/pod.conf)" '"demo"'
refuses "There is a partition demo already" vipu create partition demo --size 4
refuses "power of two" vipu create partition odd --size 3
refuses "no 16 free IPUs" vipu create partition all --size 16
refuses "There is no partition demos. Did you mean \"demo\"" vipu get partition demos
refuses "--size is required" vipu create partition other
refuses "has no GCD 1" vipu get partition demo --gcd 1 --ipu-configs
is "$(vipu reset partition demo)" "reset partition (demo): success."
has "$(vipu list ipu-attrs)" "board serial number"
has "$(vipu-admin list agents)" "M2000"
has "$(vipu-admin get agent ag01)" " Num of IPUs          | 4"
has "$(vipu-admin get agent ag01)" " IPU | PCI | Device | Firmware | Architecture | Num Tiles"
status=0; vipu list partitions --wide >/dev/null 2>&1 || status=$?
is $status 2
is "$(vipu-admin create agent new1 --host 10.9.0.1 --port 8080)" "create agent (new1): success."
vipu-admin create cluster c1 --agents new1 --cluster-topology looped >/dev/null
vipu-admin create allocation a1 --cluster c1 >/dev/null
has "$(vipu list allocations)" " a1            | new1"
vipu create partition inside --size 4 --allocation a1 >/dev/null
refuses "has the partition inside" vipu-admin remove allocation a1
is "$(vipu remove partition inside)" "remove partition (inside): success."
has "$(vipu-admin list users)" " User "
has "$(vipu --server-version)" "version: "
vipu remove partition demo >/dev/null
refuses "There is no partition" vipu remove partition demo

# A record that is damaged is refused by name, and stays as it is.
printf '{"format"' >runtime/machine.json
refuses "machine.json" vipu list partitions
is "$(cat runtime/machine.json)" '{"format"'
rm runtime/machine.json

# Two at once lose nothing; one that is killed leaves the record whole.
for i in $(seq 16); do vipu create partition "p$i" --size 1 >/dev/null & done
wait
is "$(vipu -j list partitions | grep -c '"Partition"')" 16
for i in $(seq 16); do
  vipu remove partition "p$i" >/dev/null &
  { sleep "0.00$((RANDOM % 10))"; kill -9 $! 2>/dev/null; } || true
done
wait 2>/dev/null || true
vipu list partitions >/dev/null || fail "a killed command left a damaged record"

# A controller.
start() {
  serve --state "$work/controller.sqlite" "$@"
  export VIPU_CLI_API_HOST=127.0.0.1:$port
}
stop() { kill "$server"; wait "$server" || fail "vipu-server ended with an error: $(cat server.log)"; server=; }

start
is "$(vipu create partition far --size 8 --reconfigurable)" "create partition (far): success."
has "$(vipu list partitions)" " far "
has "$(vipu --server-version)" "host: "
vipu get partition far --gcd 0 --ipu-configs >far.conf
has "$(cat far.conf)" '"far"'
refuses "power of two" vipu create partition odd --size 5
# Programs ask it too, by vipu.
if command -v gc-info >/dev/null; then
  rm -rf .ipuof.conf.d
  api=(env IPUOF_VIPU_API_HOST=127.0.0.1 IPUOF_VIPU_API_PORT="$port" IPUOF_VIPU_API_TIMEOUT=5)
  has "$("${api[@]}" IPUOF_VIPU_API_PARTITION_ID=far gc-info -l)" "Partition: far [active]"
  is "$("${api[@]}" IPUOF_VIPU_API_PARTITION_ID=far gc-info --ipu-count)" 8
  refuses "There is no partition near" "${api[@]}" IPUOF_VIPU_API_PARTITION_ID=near gc-info -l
  refuses "no partition's name" "${api[@]}" IPUOF_VIPU_API_PARTITION_ID=--help gc-info -l
  refuses "no host's name" env IPUOF_VIPU_API_HOST=-x IPUOF_VIPU_API_PARTITION_ID=far gc-info -l
fi
refuses "cannot be listened on" vipu-server --port "$port" --state other.sqlite
is "$(vipu-server --port "$port" --state other.sqlite 2>&1 | wc -l)" 1
stop
refuses "cannot be reached" vipu --api-timeout 2 list partitions
start
has "$(vipu list partitions)" " far "   # it was kept
stop

key=$(vipu-server --state "$work/controller.sqlite" --create-admin root)
start --secure
refuses "secure mode" vipu list partitions
refuses "not known" vipu --api-user-id root --api-access-key wrong list partitions
refuses "not known" vipu --api-user-id nobody --api-access-key "$key" list partitions
export VIPU_CLI_API_USER_ID=root VIPU_CLI_API_ACCESS_KEY=$key
alice=$(vipu-admin create user alice | sed -n 's/.*Access key: //p')
has "$(vipu-admin list users)" " alice | user"
unset VIPU_CLI_API_USER_ID VIPU_CLI_API_ACCESS_KEY
printf '# mine\napi-user-id = "alice"\napi-access-key = "%s"\n' "$alice" >.vipu.hcl
has "$(vipu list partitions)" " far "
refuses "is no operator" vipu-admin create agent x --host 10.1.1.1
echo nonsense >wrong.hcl
refuses "wrong.hcl:1: not a line of the form" vipu --config wrong.hcl list partitions
strings -a controller.sqlite 2>/dev/null | grep -qF "$alice" && fail "the access key itself is in the file"
stop
printf 'no database' >broken.sqlite
refuses "broken.sqlite" vipu-server --state broken.sqlite --port 0
echo "ok: vipu"
