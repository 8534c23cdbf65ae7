#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# poprun_test.sh BUILD: what poprun asks of mpirun, and what the instances see. Any failure is fatal.
set -euo pipefail
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir -m 700 runtime fake
export OPENIPU_RUNTIME_DIR=$work/runtime HOME=$work PATH=$build/bin:$PATH OPENIPU_NUM_IPUS=16
unset "${!IPUOF_@}" "${!VIPU_@}" "${!POPDIST_@}" "${!OMPI_@}"

fail() { echo "poprun_test: $*" >&2; exit 1; }
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

is "$(poprun --num-replicas 4 --num-instances 2 --host hostA --print-topology)" " ==========================================
|             poprun topology              |
|==========================================|
| hosts     |            hostA             |
|-----------|------------------------------|
| ILDs      |              0               |
|-----------|------------------------------|
| instances |      0       |       1       |
|-----------|--------------|---------------|
| replicas  |  0   |   1   |   2   |   3   |
 ------------------------------------------"
has "$(poprun --num-replicas 4 --num-instances 4 --host 'h[0-2,4]' --num-ilds 2 --print-topology)" "|  h0  |  h1   |  h2   |  h4   |"

# The command, as a stand-in for mpirun sees it.
printf '#!/bin/bash\nprintf "%%s\\n" "$@" >"$LOG"\n' >fake/mpirun
chmod +x fake/mpirun
asked() { LOG=$work/log PATH=$work/fake:$PATH poprun "$@" && tr '\n' ' ' <log; }
local_=$(asked --num-replicas 4 --num-instances 2 --ipus-per-replica 2 --executable-cache-path /cache --mpi-local-args '--one 1' --mpi-global-args '--all' prog --num-replicas 9)
has "$local_" "--tag-output --bind-to none --oversubscribe --all -np 1 -x POPDIST_NUM_TOTAL_REPLICAS=4"
has "$local_" "-x POPDIST_REPLICA_INDEX_OFFSET=2 -x POPDIST_LOCAL_INSTANCE_INDEX=1 -x POPDIST_UNIFORM_REPLICAS_PER_INSTANCE=1 -x POPART_CACHE_DIR=/cache"
has "$local_" "--one 1 prog --num-replicas 9 : -np 1 "
far=$(asked --num-replicas 4 --num-instances 4 -H a,b --host-subnet 10.1.0.0/16 --numa-aware prog)
has "$far" "--bind-to numa --mca btl_tcp_if_include 10.1.0.0/16 --mca oob_tcp_if_include 10.1.0.0/16"
has "$far" "-x OPENIPU_NUM_IPUS "
has "$far" "--host b -x POPDIST_NUM_TOTAL_REPLICAS=4 -x POPDIST_NUM_LOCAL_REPLICAS=1 -x POPDIST_NUM_IPUS_PER_REPLICA=1 -x POPDIST_REPLICA_INDEX_OFFSET=3 -x POPDIST_LOCAL_INSTANCE_INDEX=1"
printf 'a\n# no host\nb\n' >hosts
has "$(asked --num-instances 2 --num-replicas 2 --hosts-file hosts prog)" "--host b "

# Options of an earlier call; those of this one come after them.
poprun --num-replicas 4 --num-instances 2 --numa-aware --export-config options.json
has "$(asked --import-config options.json prog)" "--bind-to numa"
has "$(poprun --import-config options.json --num-replicas 2 --print-topology)" "| replicas  |      0       |       1       |"
refuses "exists. Give --overwrite-config 1" poprun --export-config options.json
poprun --num-replicas 8 --export-config options.json --overwrite-config 1
echo '{"num-replicas": 3}' >wrong.json
refuses '"num-replicas" must be the name of an option with a text' poprun --import-config wrong.json prog
refuses "no file that --export-config has written" poprun --import-config nowhere.json prog

# Partitions: looked at, made for a run, and removed after it.
unset OPENIPU_NUM_IPUS
refuses "partition pod is not there. --update-partition 1" poprun --vipu-partition pod --num-replicas 4 --num-instances 2 prog
made=$(asked --vipu-partition pod --update-partition 1 --num-replicas 4 --num-instances 2 prog)
has "$made" "-x IPUOF_VIPU_API_PARTITION_ID=pod -x IPUOF_VIPU_API_GCD_ID=1 -x IPUOF_VIPU_API_TIMEOUT=120 -x IPUOF_LOG_LEVEL=WARN"
has "$made" '"ipuLinkConfiguration":"slidingWindow"'
[[ $(vipu list partitions) != *pod* ]] || fail "the partition was not removed"
vipu create partition pod --size 4 --num-gcds 2 >/dev/null
refuses "has 4 IPUs, but 8 replicas of 1 need 8" poprun --vipu-partition pod --num-replicas 8 --num-instances 2 prog
refuses "has 2 GCDs, but there are 4 instances" poprun --vipu-partition pod --num-replicas 4 --num-instances 4 prog
asked --vipu-partition pod --num-replicas 4 --num-instances 2 prog >/dev/null
has "$(vipu list partitions)" " pod "
vipu remove partition pod >/dev/null
refuses "cannot be reached" poprun --vipu-server-host 127.0.0.1 --vipu-server-port 1 --vipu-server-timeout 2 --vipu-partition pod prog
export OPENIPU_NUM_IPUS=16

refuses "3 replicas (--num-replicas) cannot be spread evenly over 2 instances" poprun --num-replicas 3 --num-instances 2 prog
refuses "cannot be spread evenly over 2 hosts" poprun --num-replicas 3 --num-instances 3 -H a,b prog
refuses "over 3 IPU-Link domains" poprun --num-replicas 2 --num-instances 2 --num-ilds 3 prog
refuses "has 16 IPUs, but 64 replicas of 1 need 64" poprun --num-replicas 64 prog
refuses "the instances are 0 to 1" poprun --num-replicas 2 --num-instances 2 --only-output-from-instance 2 prog
refuses "is no host's name" poprun -H 'a b' prog
refuses "brackets come in pairs" poprun -H 'a[1-' prog
refuses '"2-1" is no range' poprun -H 'a[2-1]' prog
refuses "there is no program" poprun --num-replicas 2
refuses 'argument of the program is ":"' poprun prog :
refuses "--nonsense" poprun --nonsense prog
mkdir empty
refuses "mpirun cannot be started: No such file or directory. Install Open MPI" env PATH="$work/empty" "$build/bin/poprun" prog

command -v mpirun >/dev/null || { echo "ok: poprun, without mpirun"; exit 0; }
root=()
[ "$(id -u)" -ne 0 ] || root=(--allow-run-as-root)
out=$(poprun "${root[@]}" --num-replicas 4 --num-instances 2 sh -c 'echo $OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE from $POPDIST_REPLICA_INDEX_OFFSET' | sort)
is "$out" "[1,0]<stdout>:0 of 2 from 0
[1,1]<stdout>:1 of 2 from 2"
is "$(poprun "${root[@]}" --num-replicas 4 --num-instances 4 --only-output-from-instance 2 sh -c 'echo $OMPI_COMM_WORLD_RANK' 2>&1)" "[1,2]<stdout>:2"
status=0
poprun "${root[@]}" --num-replicas 2 --num-instances 2 sh -c 'exit 7' >/dev/null 2>&1 || status=$?
is $status 7
# A signal for poprun reaches the instances.
poprun "${root[@]}" --num-replicas 2 --num-instances 2 sh -c 'echo $$ >>pids; exec sleep 60' >/dev/null 2>&1 &
started=$!
until [ -e pids ] && [ "$(wc -l <pids)" = 2 ]; do kill -0 $started || fail "poprun ended"; sleep 0.05; done
kill -TERM $started
wait $started 2>/dev/null && fail "a job that was ended is no success"
runs() { [ -e "/proc/$1" ] && ! grep -qs '^State:.Z' "/proc/$1/status"; }
while read -r process; do
  for _ in $(seq 200); do runs "$process" || break; sleep 0.05; done
  ! runs "$process" || fail "an instance goes on"
done <pids
# Every instance has a device of its own.
if [ -d "$build/python/popdist" ]; then
  cat >instance.py <<'PYTHON'
import sys
import popart
import popdist
popdist.init()
device = popart.DeviceManager().acquireDeviceById(popdist.getDeviceId())
line = f"{popdist.getInstanceIndex()} {popdist.getReplicaIndexOffset()} {device.id} {device.numIpus}\n"
sys.stdout.write(line)  # at once, or mpirun puts its mark before every piece
PYTHON
  out=$(PYTHONPATH=$build/python poprun "${root[@]}" --num-replicas 4 --num-instances 2 --ipus-per-replica 2 /usr/bin/python3 instance.py | sort)
  is "$out" "[1,0]<stdout>:0 0 24 4
[1,1]<stdout>:1 2 25 4"
fi
echo "ok: poprun"
