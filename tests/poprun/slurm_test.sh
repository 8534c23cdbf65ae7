#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# slurm_test.sh BUILD: poprun within Slurm: a cluster of one node in namespaces of its own. Where that cannot be it says so
# and ends well.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../checks.sh"
build=$1
PATH=$PATH:/usr/sbin
if [ -z "${INSIDE-}" ]; then
  for program in mpirun munged slurmctld slurmd srun sbatch ip; do
    command -v $program >/dev/null || skip "there is no $program (Debian: slurm-wlm, openmpi-bin, iproute2)"
  done
  [ "$(id -u)" -eq 0 ] || skip "a cluster of one's own needs root"
  own=(unshare --net --mount --uts --pid --fork --kill-child --mount-proc)
  "${own[@]}" true 2>/dev/null || skip "namespaces are not permitted here"
  INSIDE=1 exec "${own[@]}" bash "$0" "$@"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT  # processes end with the namespace
cd "$work"
chmod 755 .
mkdir -m 700 runtime state spool
mkdir -m 755 munge
export OPENIPU_RUNTIME_DIR=$work/runtime HOME=$work PATH=$build/bin:$PATH TMPDIR=$work SLURM_CONF=$work/slurm.conf OPENIPU_NUM_IPUS=16
unset "${!IPUOF_@}" "${!VIPU_@}" "${!POPDIST_@}" "${!OMPI_@}"
soon() { for _ in $(seq 200); do ! "$@" >/dev/null 2>&1 || return 0; sleep 0.1; done; return 1; }

hostname node1
printf '127.0.0.1 localhost\n10.77.0.1 node1\n' >hosts
mount --bind hosts /etc/hosts
ip link set lo up
# Slurm looks for addresses of a network beyond the machine itself.
for kind in dummy bridge; do ! ip link add wire0 type $kind 2>/dev/null || break; done
ip addr add 10.77.0.1/24 dev wire0 && ip link set wire0 up || skip "there is no network device to be had"
head -c 128 /dev/urandom >munge/key
chmod 400 munge/key
munged --force --key-file=munge/key --socket="$work/munge/socket" --pid-file="$work/munge/pid" --log-file="$work/munge/log" \
  --seed-file="$work/munge/seed" >munge/out 2>&1 || skip "munged does not start: $(cat munge/out munge/log)"
cat >slurm.conf <<CONF
ClusterName=test
SlurmctldHost=node1
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/linear
ReturnToService=2
PropagateResourceLimits=NONE
NodeName=node1 CPUs=$(nproc) State=UNKNOWN
PartitionName=main Nodes=node1 Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE
CONF
slurmctld >ctld.out 2>&1 || skip "slurmctld does not start: $(cat ctld.out slurmctld.log)"
slurmd -N node1 >slurmd.out 2>&1 || skip "slurmd does not start: $(cat slurmd.out slurmd.log)"
for _ in 1 2 3 4; do ! timeout 15 srun -N1 -n1 true >first.out 2>&1 || { runs=1; break; }; sleep 1; done
[ -n "${runs-}" ] || skip "Slurm runs no job here: $(tail -5 first.out slurmctld.log slurmd.log)"

show='echo $OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE on $(hostname) from $POPDIST_REPLICA_INDEX_OFFSET'
# In the script of sbatch, where poprun starts the instances.
printf '#!/bin/bash\npoprun --allow-run-as-root --num-replicas 4 --num-instances 2 sh -c %q\n' "$show" >job.sh
sbatch --wait -N1 -o job.out job.sh >/dev/null || fail "the job: $(cat job.out)"
is "$(sort job.out)" "[1,0]<stdout>:0 of 2 on node1 from 0
[1,1]<stdout>:1 of 2 on node1 from 2"
# srun starts poprun once, or as often as there are instances.
is "$(srun -N1 -n1 poprun --allow-run-as-root --num-replicas 4 --num-instances 2 sh -c "$show" | sort)" "[1,0]<stdout>:0 of 2 on node1 from 0
[1,1]<stdout>:1 of 2 on node1 from 2"
is "$(srun -N1 -n2 --overcommit poprun --num-replicas 4 sh -c "$show" | sort)" "0 of 2 on node1 from 0
1 of 2 on node1 from 2"
out=$(srun -N1 -n2 --overcommit poprun --num-replicas 4 --num-instances 4 true 2>&1) && fail "4 instances in 2 processes"
has "$out" "srun has started 2 processes, but --num-instances is 4. Start as many as there are instances, or start poprun once (srun -n 1, or in the script of sbatch)"
# MPI between the ranks of srun, where Slurm and Open MPI both speak PMIx.
if command -v mpicc >/dev/null && srun --mpi=list 2>&1 | grep -qw pmix; then
  printf '#include <mpi.h>\n#include <stdio.h>\nint main(int c, char **v) {\n  int rank, sum;\n  MPI_Init(&c, &v);\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  ++rank;\n  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);\n  printf("%%d of %%d\\n", rank, sum);\n  MPI_Finalize();\n}\n' >sum.c
  mpicc -o sum sum.c
  is "$(srun --mpi=pmix -N1 -n2 --overcommit poprun --num-replicas 2 ./sum | sort)" "1 of 3
2 of 3"
fi
# One that fails ends the job, which has its status; scancel reaches the instances.
status=0
out=$(srun -N1 -n1 poprun --allow-run-as-root --num-replicas 2 --num-instances 2 sh -c 'exit $((OMPI_COMM_WORLD_RANK * 5))' 2>&1) || status=$?
is $status 5
has "$out" "instance 1 (rank 1) on host node1 ended with status 5"
printf '#!/bin/bash\nexec poprun --allow-run-as-root --num-replicas 2 --num-instances 2 sh -c %q\n' 'echo $$ >pid.$OMPI_COMM_WORLD_RANK; exec sleep 600' >long.sh
job=$(sbatch --parsable -N1 -o long.out long.sh)
soon test -e pid.0 -a -e pid.1 || fail "the job did not start: $(cat long.out)"
scancel "$job"
for pid in $(cat pid.0 pid.1); do
  soon test ! -e "/proc/$pid" || fail "an instance goes on"
done
echo "ok: poprun within Slurm"
