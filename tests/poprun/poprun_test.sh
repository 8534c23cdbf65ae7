#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# poprun_test.sh BUILD: what poprun asks of mpirun, and what the instances see. Any failure is fatal.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../checks.sh"
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir -m 700 runtime fake
export OPENIPU_RUNTIME_DIR=$work/runtime HOME=$work TMPDIR=$work PATH=$build/bin:$PATH OPENIPU_NUM_IPUS=16
unset "${!IPUOF_@}" "${!VIPU_@}" "${!POPDIST_@}" "${!OMPI_@}" "${!SLURM_@}"


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
printf '#!/bin/bash\n' >fake/prog
chmod +x fake/prog
asked() { LOG=$work/log PATH=$work/fake:$PATH OMPI_ALLOW_RUN_AS_ROOT=1 poprun "$@" && tr '\n' ' ' <log; }
local_=$(asked --num-replicas 4 --num-instances 2 --ipus-per-replica 2 --executable-cache-path /cache --mpi-local-args '--one 1' --mpi-global-args '--all' prog --num-replicas 9)
has "$local_" "--tag-output --oversubscribe --bind-to none --all -np 1 -x POPDIST_NUM_TOTAL_REPLICAS=4"
has "$local_" "-x POPDIST_REPLICA_INDEX_OFFSET=2 -x POPDIST_LOCAL_INSTANCE_INDEX=1 -x POPDIST_UNIFORM_REPLICAS_PER_INSTANCE=1 -x POPART_CACHE_DIR=/cache"
has "$local_" "--mca orte_tmpdir_base $work/" # a folder for each run
[[ $(OMPI_MCA_orte_tmpdir_base=/tmp asked prog) != *tmpdir_base* ]] || fail "the folder that the user names is not taken"
has "$local_" "--one 1 $build/bin/poprun --watch-instance 0 $(hostname) 600 prog --num-replicas 9 : -np 1 "
printf '#!/bin/bash\n[[ $* != *--probe-host* ]] || { echo "poprun-probe: ok"; exit; }\nprintf "%%s\\n" "$@" >"$LOG"\n' >fake/mpirun
far=$(asked --num-replicas 4 --num-instances 4 -H a,b --host-subnet 10.1.0.0/16 --numa-aware prog)
has "$far" "--bind-to numa:overload-allowed --map-by numa --mca btl_tcp_if_include 10.1.0.0/16 --mca oob_tcp_if_include 10.1.0.0/16"
has "$far" "-x OPENIPU_NUM_IPUS "
has "$far" "--host b -x POPDIST_NUM_TOTAL_REPLICAS=4 -x POPDIST_NUM_LOCAL_REPLICAS=1 -x POPDIST_NUM_IPUS_PER_REPLICA=1 -x POPDIST_REPLICA_INDEX_OFFSET=3 -x POPDIST_LOCAL_INSTANCE_INDEX=1"
printf 'a\n# no host\nb\n' >hosts
has "$(asked --num-instances 2 --num-replicas 2 --hosts-file hosts prog)" "--host b "

# Options of an earlier call; those of this one come after them.
poprun --num-replicas 4 --num-instances 2 --numa-aware --export-config options.json
has "$(asked --import-config options.json prog)" "--bind-to numa"
has "$(asked --num-instances 8 --num-replicas 8 -H 'n[08-11]' prog)" "--host n09 "
has "$(SLURM_JOB_ID=1 SLURM_JOB_NODELIST='n[08-09],m' asked --num-instances 3 --num-replicas 3 prog)" "--host m "
offline=$(asked --offline-mode --num-replicas 4096 --num-instances 2 --executable-cache-path /cache --stuck-timeout 7 prog)
has "$offline" "-x IPU_CACHE_PATH=/cache -x POPDIST_OFFLINE_MODE=1 -x IPU_COMPILE_ONLY=1"
has "$offline" " 7 prog"
loud=$(asked --debug --mpi-global-args "--mca plm_rsh_agent 'ssh -p 7'" prog 2>&1)
has "$loud" "-x POPLAR_LOG_LEVEL=DEBUG"
has "$loud" "POPRUN [D] mpirun"
has "$(tr '\n' '|' <log)" "|plm_rsh_agent|ssh -p 7|"
has "$(poprun --import-config options.json --num-replicas 2 --print-topology)" "| replicas  |      0       |       1       |"
refuses "exists. Give --overwrite-config 1" poprun --export-config options.json
poprun --num-replicas 8 --export-config options.json --overwrite-config 1
echo '{"num-replicas": 3}' >wrong.json
refuses '"num-replicas" must be the name of an option with a text' poprun --import-config wrong.json prog
refuses "no file that --export-config has written" poprun --import-config nowhere.json prog

# Partitions: looked at, made for a run, and removed after it.
unset OPENIPU_NUM_IPUS
refuses "partition pod is not there. --update-partition 1" asked --vipu-partition pod --num-replicas 4 --num-instances 2 prog
made=$(asked --vipu-partition pod --update-partition 1 --num-replicas 4 --num-instances 2 prog)
has "$made" "-x IPUOF_VIPU_API_PARTITION_ID=pod -x IPUOF_VIPU_API_GCD_ID=1 -x IPUOF_VIPU_API_TIMEOUT=120 -x IPUOF_LOG_LEVEL=WARN"
has "$made" '"ipuLinkConfiguration":"slidingWindow"'
[[ $(vipu list partitions) != *pod* ]] || fail "the partition was not removed"
vipu create partition pod --size 4 --num-gcds 2 >/dev/null
refuses "has 4 IPUs, but 8 replicas of 1 need 8" asked --vipu-partition pod --num-replicas 8 --num-instances 2 prog
refuses "has 2 GCDs, but there are 4 instances" asked --vipu-partition pod --num-replicas 4 --num-instances 4 prog
asked --vipu-partition pod --num-replicas 4 --num-instances 2 prog >/dev/null
has "$(vipu list partitions)" " pod "
vipu remove partition pod >/dev/null
refuses "cannot be reached" asked --vipu-server-host 127.0.0.1 --vipu-server-port 1 --vipu-server-timeout 2 --vipu-partition pod prog
export OPENIPU_NUM_IPUS=16

refuses "3 replicas (--num-replicas) cannot be spread evenly over 2 instances" poprun --num-replicas 3 --num-instances 2 prog
refuses "cannot be spread evenly over 2 hosts" poprun --num-replicas 3 --num-instances 3 -H a,b prog
refuses "over 3 IPU-Link domains" poprun --num-replicas 2 --num-instances 2 --num-ilds 3 prog
refuses "has 16 IPUs, but 64 replicas of 1 need 64" asked --num-replicas 64 prog
refuses "the instances are 0 to 1" poprun --num-replicas 2 --num-instances 2 --only-output-from-instance 2 prog
refuses "is no host's name" poprun -H 'a b' prog
refuses "brackets come in pairs" poprun -H 'a[1-' prog
refuses '"2-1" is no range' poprun -H 'a[2-1]' prog
refuses "there is no program" poprun --num-replicas 2
refuses 'argument of the program is ":"' asked prog :
refuses 'there is no program "nowhere"' asked nowhere
refuses "a quote is not closed" asked --mpi-global-args "'x" prog
refuses "name the controller with --vipu-server-host" asked -H a --vipu-partition pod prog
[ "$(id -u)" -ne 0 ] || refuses "--allow-run-as-root" poprun prog
LOG=$work/log PATH=$work/fake:$PATH poprun --mpi-global-args=--allow-run-as-root prog # root or not
has "$(tr '\n' ' ' <log)" "--allow-run-as-root -np 1 "
refuses "--nonsense" poprun --nonsense prog
mkdir empty
refuses "there is no mpirun. Install Open MPI" env PATH="$work/empty" "$build/bin/poprun" prog

command -v mpirun >/dev/null || { echo "ok: poprun, without mpirun"; exit 0; }
root=()
[ "$(id -u)" -ne 0 ] || root=(--allow-run-as-root)
out=$(poprun "${root[@]}" --num-replicas 4 --num-instances 2 sh -c 'echo $OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE from $POPDIST_REPLICA_INDEX_OFFSET' | sort)
is "$out" "[1,0]<stdout>:0 of 2 from 0
[1,1]<stdout>:1 of 2 from 2"
is "$(poprun "${root[@]}" --num-replicas 4 --num-instances 4 --only-output-from-instance 2 sh -c 'echo $OMPI_COMM_WORLD_RANK' 2>&1)" "[1,2]<stdout>:2"
# Lines that come in pieces come out whole.
cat >pieces.py <<'END'
import os
for i in range(100):
    for word in f"line {i} of {os.environ['OMPI_COMM_WORLD_RANK']}\n".partition(" of "):
        os.write(1, word.encode())
os.write(2, b"no end")
END
pieces() { poprun "${root[@]}" --num-replicas 2 --num-instances 2 "$@" "$python" pieces.py; }
lines() { for i in $(seq 0 99); do echo "[1,$1]<stdout>:line $i of $1"; done; }
out=$(pieces 2>/dev/null)
for i in 0 1; do is "$(grep "^\[1,$i\]" <<<"$out")" "$(lines $i)"; done
is "$(wc -l <<<"$out")" 200
is "$(pieces --only-output-from-instance 1 2>/dev/null)" "$(lines 1)"
is "$(pieces --only-output-from-instance 1 2>&1 >/dev/null)" "[1,1]<stderr>:no end"
status=0
poprun "${root[@]}" --num-replicas 2 --num-instances 2 sh -c 'exit 7' >/dev/null 2>&1 || status=$?
is $status 7
# A signal for poprun reaches the instances, and so does Ctrl-C in a terminal.
runs() { [ -e "/proc/$1" ] && ! grep -qs '^State:.Z' "/proc/$1/status"; }
gone() {
  while read -r process; do
    for _ in $(seq 200); do runs "$process" || break; sleep 0.05; done
    ! runs "$process" || fail "an instance goes on"
  done <pids
  rm pids
}
for signal in TERM INT HUP; do
  # Background jobs of a script ignore SIGINT, unless somebody says otherwise.
  env --default-signal=INT poprun "${root[@]}" --num-replicas 2 --num-instances 2 sh -c 'echo $$ >>pids; exec sleep 60' >/dev/null 2>&1 &
  started=$!
  until [ -e pids ] && [ "$(wc -l <pids)" = 2 ]; do kill -0 $started || fail "poprun ended"; sleep 0.05; done
  kill -$signal $started
  wait $started 2>/dev/null && fail "a job that was ended is no success"
  gone
done
"$python" - poprun "${root[@]}" --num-replicas 2 --num-instances 2 sh -c 'echo $$ >>pids; exec sleep 60' <<'PYTHON'
import os, pty, sys, time
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
while not os.path.exists("pids") or len(open("pids").readlines()) < 2:
    time.sleep(0.05)
os.write(terminal, b"\3")
try:
    while os.read(terminal, 1024):
        pass
except OSError:
    pass  # the terminal is closed at the end
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0)
PYTHON
gone
# Those that are killed, fail or are stuck are named, with the last step that they have told of.
cat >steps.sh <<'SH'
[ "$OMPI_COMM_WORLD_RANK" = 1 ] || phase=waiting
for step in 1 2 3; do
  echo "$step $(date +%s.%N) ${phase-}" >"$POPDIST_HEARTBEAT_FILE.new" && mv "$POPDIST_HEARTBEAT_FILE.new" "$POPDIST_HEARTBEAT_FILE"
  sleep 0.15
done
[ "$OMPI_COMM_WORLD_RANK" != 1 ] || eval "$1"
exec sleep 60
SH
ends() { # ends STATUS TEXT COMMAND [OPTION...]
  local status=0 wanted=$1 text=$2 how=$3 out
  shift 3
  out=$(poprun "${root[@]}" "$@" --num-replicas 2 --num-instances 2 bash steps.sh "$how" 2>&1) || status=$?
  is "$status" "$wanted"
  has "$out" "[1,1]<stderr>:poprun: instance 1 (rank 1) on host $(hostname) $text"
  [[ $out != *"instance 0 "* ]] || fail "instance 0 was only ended: $out"
}
ends 137 "was killed by signal 9 (Killed), last step 3" 'kill -9 $$'
ends 139 "was killed by signal 11 (Segmentation fault), last step 3" 'kill -SEGV $$' --only-output-from-instance 0
ends 5 "ended with status 5, last step 3" 'exit 5'
ends 1 "is stuck: no sign of life for 3 s (--stuck-timeout), last step 3, " 'kill -STOP $$' --stuck-timeout 3
[ -z "$(find . -maxdepth 1 -name 'poprun.*')" ] || fail "heartbeats were left: $(find . -name 'poprun.*' -exec ls -la {} +)"

# Within mpirun every process prepares its own rank.
inner=$(mpirun "${root[@]}" --oversubscribe -np 2 poprun --num-replicas 4 sh -c 'echo $OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE from $POPDIST_REPLICA_INDEX_OFFSET' | sort)
is "$inner" "0 of 2 from 0
1 of 2 from 2"
refuses "mpirun has started 2 processes, but --num-instances is 4" mpirun "${root[@]}" --oversubscribe -np 2 poprun --num-replicas 4 --num-instances 4 true
refuses "are for the one process that starts the others" mpirun "${root[@]}" --oversubscribe -np 1 poprun --vipu-partition pod --update-partition 1 true

# One NUMA node after the other, on a machine with two of them that hwloc makes up.
map=$(HWLOC_SYNTHETIC="node:2 core:4 pu:1" poprun "${root[@]}" --numa-aware --num-replicas 3 --num-instances 3 --mpi-global-args '--display-map --do-not-launch' true 2>&1) || true
is "$(grep -o 'rank: . Bound: socket 0.core .' <<<"$map")" "rank: 0 Bound: socket 0[core 0
rank: 1 Bound: socket 0[core 4
rank: 2 Bound: socket 0[core 0"

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
  out=$(PYTHONPATH=$build/python poprun "${root[@]}" --num-replicas 4 --num-instances 2 --ipus-per-replica 2 "$python" instance.py | sort)
  is "$out" "[1,0]<stdout>:0 0 24 4
[1,1]<stdout>:1 2 25 4"
fi
echo "ok: poprun"
