# SPDX-License-Identifier: MIT
"""python -m paddle.distributed.launch --devices=N ipu --hosts=... script: the poprun command that starts the script."""
import argparse
import shlex
import shutil
import subprocess
import sys


def parse(arguments):
    parser = argparse.ArgumentParser(prog="python -m paddle.distributed.launch")
    parser.add_argument("--devices", type=int, required=True, help="IPUs of all processes together")
    parser.add_argument("kind", choices=["ipu"])
    parser.add_argument("--hosts", default="localhost", help="hosts, with commas")
    parser.add_argument("--nproc_per_host", type=int, default=1)
    parser.add_argument("--ipus_per_replica", type=int, default=1)
    parser.add_argument("--ipu_partition", default="pod16")
    parser.add_argument("--vipu_server", default="127.0.0.1")
    parser.add_argument("training_script")
    parser.add_argument("training_script_args", nargs=argparse.REMAINDER)
    out = parser.parse_args(arguments)
    if out.devices < 1 or out.ipus_per_replica < 1 or out.devices % out.ipus_per_replica:
        parser.error(f"--devices={out.devices} must be a multiple of --ipus_per_replica={out.ipus_per_replica}.")
    if out.nproc_per_host < 1:
        parser.error(f"--nproc_per_host={out.nproc_per_host} must be at least 1.")
    return out


def command(a):
    """poprun's command line."""
    hosts = a.hosts.split(",")
    replicas = a.devices // a.ipus_per_replica
    out = ["poprun", "--host", ",".join(hosts), "--num-instances", str(len(hosts) * a.nproc_per_host), "--num-replicas",
           str(replicas), "--ipus-per-replica", str(a.ipus_per_replica), "--vipu-partition", a.ipu_partition,
           "--vipu-server-host", a.vipu_server, "--update-partition=yes", "--reset-partition=no"]
    return [*out, sys.executable, a.training_script, *a.training_script_args]


def main():
    a = parse(sys.argv[1:])
    line = command(a)
    print(" ".join(map(shlex.quote, line)), flush=True)
    if shutil.which("poprun") is None:
        sys.exit("paddle.distributed.launch: there is no poprun here; the command above starts the script where there is.")
    sys.exit(subprocess.call(line))


if __name__ == "__main__":
    main()
