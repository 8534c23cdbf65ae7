#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# hosts_test.sh BUILD: poprun over three simulated hosts. Where namespaces are not permitted it says so and ends well.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../checks.sh"
build=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ -z "${INSIDE-}" ]; then
  command -v mpirun >/dev/null || skip "there is no mpirun"
  command -v ip >/dev/null && command -v nsenter >/dev/null || skip "there is no ip (iproute2) or nsenter (util-linux)"
  [ -e /dev/net/tun ] || skip "there is no /dev/net/tun"
  own=(unshare --net --mount --uts --pid --fork --kill-child --mount-proc)
  [ "$(id -u)" -eq 0 ] || own+=(--user --map-root-user)
  "${own[@]}" ip tuntap add dev wire0 mode tap 2>/dev/null || skip "network namespaces with TAP devices are not permitted here"
  INSIDE=1 exec "${own[@]}" bash "$0" "$@"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT  # processes end with the namespace
cd "$work"
mkdir -m 700 runtime network
export OPENIPU_RUNTIME_DIR=$work/runtime HOME=$work PATH=$build/bin:$PATH TMPDIR=$work NETWORK=$work/network
unset "${!IPUOF_@}" "${!VIPU_@}" "${!POPDIST_@}" "${!OMPI_@}" "${!SLURM_@}"

hostname boss
printf '127.0.0.1 localhost\n10.77.0.1 boss\n10.77.0.2 hostA\n10.77.0.3 hostB\n' >hosts
mount --bind hosts /etc/hosts
"$python" "$here/network.py" network 2 0.5 boss hostA hostB &
network=$!
until [ -e network/ready ]; do kill -0 $network 2>/dev/null || fail "there is no network"; sleep 0.05; done
far() { poprun --allow-run-as-root --host-subnet 10.77.0.0/24 --mpi-global-args "--mca plm_rsh_agent $here/agent.sh" "$@"; }
refuses() {
  local text=$1 out
  shift
  if out=$("$@" 2>&1); then fail "$* was accepted: $out"; fi
  has "$out" "$text"
}

# Instances on two other hosts, in order, each with its own number on its host.
out=$(far -H hostA,hostB --num-replicas 8 --num-instances 4 sh -c 'echo $OMPI_COMM_WORLD_RANK on $(hostname): $POPDIST_LOCAL_INSTANCE_INDEX from $POPDIST_REPLICA_INDEX_OFFSET' | sort)
is "$out" "[1,0]<stdout>:0 on hostA: 0 from 0
[1,1]<stdout>:1 on hostA: 1 from 2
[1,2]<stdout>:2 on hostB: 0 from 4
[1,3]<stdout>:3 on hostB: 1 from 6"

# MPI itself, through delay and loss.
if command -v mpicc >/dev/null; then
  cat >sum.c <<'C'
#include <mpi.h>
#include <stdio.h>
static double x[100000], y[100000];
int main(int argc, char **argv) {
  int rank, size, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 100000; ++i)
    x[i] = rank + i;
  MPI_Allreduce(x, y, 100000, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < 100000; ++i)
    wrong += y[i] != size * (double)i + size * (size - 1) / 2;
  printf("%d wrong of %d ranks\n", wrong, size);
  MPI_Finalize();
}
C
  mpicc -o sum sum.c
  is "$(far -H hostA,hostB --num-replicas 2 --num-instances 2 ./sum | sort -u | cut -d: -f2)" "0 wrong of 2 ranks
0 wrong of 2 ranks"
fi

# A partition of a controller that all hosts see, made for the run; each instance has a GCD of its own.
vipu-server --address 10.77.0.1 --port 0 --state controller.sqlite >server.log 2>&1 &
until grep -q listens server.log; do kill -0 $! 2>/dev/null || fail "vipu-server: $(cat server.log)"; sleep 0.05; done
port=$(sed -n 's/.*listens on [0-9.]*:\([0-9]*\).*/\1/p' server.log)
controller=(--vipu-server-host 10.77.0.1 --vipu-server-port "$port" --vipu-partition pod)
refuses "partition pod is not there" far "${controller[@]}" -H hostA,hostB --num-replicas 4 --num-instances 2 true
out=$(far "${controller[@]}" --update-partition 1 -H hostA,hostB --num-replicas 4 --num-instances 2 sh -c 'echo $(hostname) GCD $IPUOF_VIPU_API_GCD_ID: $(gc-info -l | sed -n "s/^Partition: //p; s/.*DNC Id:.*IPU#: //p")' | sort)
is "$out" "[1,0]<stdout>:hostA GCD 0: pod [active] [3] [2]
[1,1]<stdout>:hostB GCD 1: pod [active] [1] [0]"
[[ $(VIPU_CLI_API_HOST=10.77.0.1:$port vipu list partitions) != *pod* ]] || fail "the partition was not removed"

# Hosts that cannot be used are named before anything starts, and no partition is made for them.
refuses "hostC: agent: hostC: no route to host" far "${controller[@]}" --update-partition 1 -H hostA,hostC --num-replicas 4 --num-instances 2 true
refuses 'hostB: there is no program "nowhere"' far -H hostA,hostB --num-replicas 2 --num-instances 2 nowhere
touch network/hostB.down
refuses "hostB: it does not answer within 2 s" far --host-timeout 2 -H hostA,hostB --num-replicas 2 --num-instances 2 true
rm network/hostB.down

# One that dies on another host; and a host that vanishes while the program runs.
out=$(far -H hostA,hostB --num-replicas 2 --num-instances 2 sh -c '[ $OMPI_COMM_WORLD_RANK = 0 ] || kill -9 $$; exec sleep 60' 2>&1) && fail "a killed instance is no success"
has "$out" "instance 1 (rank 1) on host hostB was killed by signal 9 (Killed), before its first step."
far -H hostA,hostB --num-replicas 2 --num-instances 2 sh -c 'touch started.$OMPI_COMM_WORLD_RANK; exec sleep 600' >vanished.log 2>&1 &
job=$!
until [ -e started.0 ] && [ -e started.1 ]; do kill -0 $job || fail "$(cat vanished.log)"; sleep 0.05; done
touch network/hostB.down
wait $job && fail "a vanished host is no success"
has "$(cat vanished.log)" "poprun: host hostB is lost, and with it the instances (ranks) 1."
rm network/hostB.down
echo "ok: poprun over hosts"
