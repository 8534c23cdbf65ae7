# SPDX-License-Identifier: MIT
"""The machine around a program: the gc-* tools, partitions and containers, as the user documents have them."""
import json
import os
import re
import subprocess
import sys

import pytest

SOURCE = os.environ.get("OPENIPU_SOURCE_DIR", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
BIN = os.environ["OPENIPU_BIN"]
CONTAINERS = os.path.join(SOURCE, "containers")


@pytest.fixture(autouse=True)
def _machine(tmp_path, monkeypatch):
    """Four IPUs of a machine of the test's own."""
    for name in list(os.environ):
        if name.startswith(("IPUOF_", "VIPU_", "GCDA_", "OPENIPU_NUM", "OPENIPU_IPU", "OPENIPU_CHIP")):
            monkeypatch.delenv(name)
    runtime = tmp_path / "runtime"
    runtime.mkdir(mode=0o700)
    monkeypatch.setenv("OPENIPU_RUNTIME_DIR", str(runtime))
    monkeypatch.setenv("OPENIPU_NUM_IPUS", "4")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", BIN + os.pathsep + os.environ["PATH"])
    monkeypatch.chdir(tmp_path)


def sh(command, status=0):
    done = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == status, f"{command}: {done.returncode}\n{done.stdout}"
    return done.stdout


def widths(line):
    """Of the cells of a frame's line."""
    return [len(cell) for cell in re.split(r"[|+]", line)[1:-1]]


@pytest.fixture
def small_chip(tmp_path, monkeypatch):
    """Tools that run programs end sooner on a chip of few tiles."""
    chip = tmp_path / "small.chip"
    chip.write_text("base = ipu2\nname = small\ntiles = 12\n")
    monkeypatch.setenv("OPENIPU_CHIP", str(chip))


@pytest.fixture
def running_model():
    """A process that trains on IPUs 0 and 1 for as long as the test looks."""
    program = """
import torch, poptorch, sys
options = poptorch.Options()
options.replicationFactor(2)
model = poptorch.inferenceModel(torch.nn.Linear(2, 2), options)
data = torch.ones(2, 2)
model(data)
print("runs", flush=True)
while not sys.stdin.closed and model(data) is not None:
    pass
"""
    process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)
    assert process.stdout.readline() == "runs\n"
    yield process
    process.kill()
    process.wait()


def test_lists_the_devices():
    """S-15"""
    lines = sh("gc-info -l").splitlines()
    assert lines[0] == "Graphcore device listing:"
    singles = [line for line in lines if line.startswith("-+- Id:") and "Fabric" in line]
    assert len(singles) == 4
    for i, line in enumerate(singles):
        assert re.fullmatch(rf"-\+- Id: \[{i}\], target: \[Fabric\], IPU-M host: \[[\d.]+\], IPU#: \[{3 - i}\]", line), line
    groups = re.findall(r"-\+- Id: \[(\d)\], target: \[Multi IPU\]\n((?: \|---.*\n)+)", sh("gc-info -l"))
    assert [(number, len(members.splitlines())) for number, members in groups] == [("4", 2), ("5", 2), ("6", 4)]
    assert " |--- Id: [2], DNC Id: [0], IPU-M host: [" in groups[1][1]


def test_looks_at_an_idle_partition():
    """S-16"""
    lines = sh("gc-monitor").splitlines()
    assert lines[0] == "+---------------+--------------------------------------------------------------------------------+"
    assert lines[1] == "|  gc-monitor   |              Partition: ipuof [active] has 4 reconfigurable IPUs               |"
    assert widths(lines[1]) == [15, 80]
    for line in lines[2:10]:
        assert widths(line) == [13, 20, 8, 14, 10, 6, 4, 6, 7] and len(line) == 98, line
    assert [cell.strip() for cell in lines[3].split("|")[1:-1]] == [
        "IPU-M", "Serial", "IPU-M SW", "Server version", "ICU FW", "Type", "ID", "IPU#", "Routing"]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[5:9]]
    assert [row[5:] for row in rows] == [["M2000", str(i), str(3 - i), "DNC"] for i in range(4)]
    assert rows[0][1] == rows[1][1] != rows[2][1] == rows[3][1]
    assert [len(line) for line in lines[10:]] == [100] * 3
    assert lines[11].strip("|").strip() == "No attached processes in partition ipuof"


def test_lists_and_looks_in_one_line():
    """S-17"""
    out = sh("gc-info -l && gc-monitor")
    assert out.startswith("Graphcore device listing:") and "No attached processes" in out


def test_watches_while_a_model_runs(running_model):
    """S-18"""
    out = sh("gc-monitor --no-card-info")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in out.splitlines() if f" {running_model.pid} " in line]
    assert [row[4] for row in rows] == ["0", "1"], out
    assert all(row[1] == os.path.basename(sys.executable) and row[3] for row in rows)
    assert {widths(line)[0] for line in out.splitlines()[2:4]} == {8}
    running_model.kill()
    running_model.wait()
    assert "No attached processes" in sh("gc-monitor --no-card-info")


def test_asks_for_the_information_of_a_device(running_model):
    """S-19"""
    out = sh("gc-info")
    assert out == sh("gc-info -d 0 -i") or "utilisation" in out  # utilisation goes on
    assert out.startswith("Device Info:\n")
    for key, value in (("id", "0"), ("target", "Fabric"), ("board type", "M2000"), ("ipu architecture", "ipu2"),
                       ("clock", "1330MHz"), ("remote buffers supported", "1"), ("user process id", str(running_model.pid))):
        assert f"\n  {key}: {value}\n" in out, key
    assert re.search(r"\n  ipu utilisation: [\d.]+%\n", out)
    assert "user executable: " in out and "user process id" not in sh("gc-info -d 3")


def test_takes_stock_of_all_ipus():
    """S-20"""
    out = sh("gc-inventory")
    assert out.count("Device:\n") == 7 and out.count("  firmware version: ") == 7
    assert [device["id"] for device in json.loads(sh("gc-inventory -j"))["devices"]] == [str(i) for i in range(7)]


def test_resets_a_device_that_is_free(running_model):
    """S-21"""
    assert "was reset" in sh("gc-reset -d 2")
    assert f"device 0 is in use by process {running_model.pid}" in sh("gc-reset -d 0", status=1)
    assert f"in use by process {running_model.pid}" in sh("gc-reset -d 6", status=1)


def test_tests_memory_and_exchange(small_chip):
    """S-22"""
    assert "o No tile failed\no Result - Pass\n" in sh("gc-memorytest")
    assert "o Result - Pass\n" in sh("gc-exchangetest") and "o Result - Pass\n" in sh("gc-exchangewritetest -d 4")
    broken = """GCDA_OPTIONS='{"simulateSOCError.errorList":"IPUSOFTERR","simulateSOCError.triggerCount":"1"}' """
    assert "o Result - Fail\n" in sh(broken + "gc-memorytest", status=1)


def test_looks_at_every_link(small_chip):
    """S-23"""
    out = sh("gc-links")
    assert out.count(": passed, gen 4, 8 lanes\n") == 8 and out.endswith("o Training fails: 0\no Result - Pass\n")
    assert json.loads(sh("gc-links -j --arrays"))["overall result"] == "passed"


def test_loads_an_ipu_and_reads_its_power(small_chip):
    """S-24"""
    out = sh("gc-powertest -n 2 --interval 0.05 --size 64")
    assert "simulated [sim]" in out
    assert len(re.findall(r"^ \| \d{4}: \d{3}\.\d\dW  \d{3}\.\d\dW  T\d{3}\.\d\dW  \|( \d{3}C){5} \|( \d{3}\.\dC){4} 1330MHz \|$", out, re.M)) == 2, out


def test_measures_traffic_with_host_and_between_ipus(small_chip):
    """S-25"""
    host = json.loads(sh("gc-hosttraffictest -i 50 -j"))["repeat_0"]
    assert set(host) == {"host_from_buffer_from_tile", "host_to_buffer_to_tile", "host_to_buffer_from_tile",
                         "host_from_buffer_to_tile"}
    for pattern in host.values():
        assert float(pattern["host_transfer_speed_gbps"]) > 0 and float(pattern["tile_transfer_speed_gbps"]) > 0
    ipus = json.loads(sh("gc-iputraffictest --device0 0 --device1 1 -i 10 -j"))["tile_to_tile"]
    assert float(ipus["gbps"]) > 0 and ipus["errors"] == "0"


def test_runs_docker_with_the_ipus():
    """S-26"""
    line = sh("gc-docker --echo -- -it image bash")
    assert line.startswith("docker run ") and line.endswith(" -it image bash\n")
    for option in ("--network=host", "--ipc=host", "--ulimit memlock=-1:-1", "--cap-add=IPC_LOCK", "-e OPENIPU_NUM_IPUS=4"):
        assert option in line, option
    os.mkdir("empty")
    assert "docker cannot be started" in sh("env PATH=$PWD/empty " + BIN + "/gc-docker -- image", status=1)


def test_takes_a_configuration_into_a_container():
    """S-28"""
    sh("env -u OPENIPU_NUM_IPUS vipu create partition pod --size 2 --reconfigurable")
    sh("env -u OPENIPU_NUM_IPUS vipu get partition pod --gcd 0 --ipu-configs > ipuof.conf")
    # As in a container: another home and runtime folder, and nothing but the file.
    os.mkdir("inside", 0o700)
    inside = "env -i PATH=$PATH HOME=/ OPENIPU_RUNTIME_DIR=$PWD/inside IPUOF_CONFIG_PATH=$PWD/ipuof.conf "
    assert sh(inside + "gc-info --ipu-count") == "2\n"
    assert "Partition: pod [active] has 2 reconfigurable IPUs" in sh(inside + "gc-monitor")
    assert sh("env -i PATH=$PATH HOME=/ OPENIPU_RUNTIME_DIR=$PWD/inside gc-info --ipu-count") == "16\n"


def test_chooses_a_partition(monkeypatch):
    """S-29"""
    monkeypatch.delenv("OPENIPU_NUM_IPUS")
    sh("vipu create partition one --size 1 && vipu create partition four --size 4 --reconfigurable")
    sh("vipu get partition four --gcd 0 --ipu-configs > four.conf")
    for choice in ("IPUOF_CONFIG_PATH=four.conf", "IPUOF_VIPU_API_PARTITION_ID=four"):
        assert "Partition: four [active]\n" in sh(choice + " gc-info -l")
        assert "Partition: four [active] has 4 reconfigurable IPUs" in sh(choice + " gc-monitor")
    assert "nowhere.conf" in sh("IPUOF_CONFIG_PATH=nowhere.conf gc-info -l", status=1)


def test_lists_partitions(monkeypatch):
    """S-30"""
    monkeypatch.delenv("OPENIPU_NUM_IPUS")
    sh("vipu create partition demo --size 4 --reconfigurable")
    lines = sh("vipu list partition").splitlines()
    assert lines[0] == " Partition | Cluster | ILDs | GW Routing | ILD Routing | Size | GCDs | State"
    assert lines[2] == " demo      |         | 1    | DEFAULT    | DNC         | 4    | 1    | ACTIVE"


def test_writes_a_configuration_into_the_users_folder(monkeypatch):
    """S-31"""
    monkeypatch.delenv("OPENIPU_NUM_IPUS")
    server = subprocess.Popen(["vipu-server", "--port", "0", "--state", "state.sqlite"], stdout=subprocess.PIPE, text=True)
    try:
        host = re.search(r"127\.0\.0\.1:\d+", server.stdout.readline()).group()
        sh(f"vipu -H {host} create partition pod --size 8 --reconfigurable")
        sh(f"mkdir -p ~/.ipuof.conf.d && vipu get partition pod -H {host} --gcd 0 --ipu-configs > ~/.ipuof.conf.d/your_pod.conf")
    finally:
        server.terminate()
        assert server.wait() == 0
    assert "Partition: pod [active]" in sh("gc-info -l") and sh("gc-info --ipu-count") == "8\n"


def test_fills_in_the_template_of_the_environment():
    """S-32"""
    os.mkdir("sdk")
    with open("sdk/enable.sh", "w") as file:
        file.write("echo the SDK is enabled\n")
    sh(f"cp {CONTAINERS}/envs.sh.template envs.sh.template && mv envs.sh.template envs.sh")
    sh("sed -i 's/^# export IPUOF_VIPU_API_\\(PARTITION_ID\\|HOST\\)=.*/export IPUOF_VIPU_API_\\1=mine/' envs.sh")
    out = sh("set -eu; POPSDK=$PWD/sdk; source envs.sh; echo $IPUOF_VIPU_API_PARTITION_ID $IPUOF_VIPU_API_HOST")
    assert out == "the SDK is enabled\nmine mine\n"


def pretend_docker():
    """A docker that writes down what it is asked."""
    os.mkdir("fake")
    with open("fake/docker", "w") as file:
        file.write('#!/bin/bash\necho "$*" >> docker.log\n')
    os.chmod("fake/docker", 0o755)
    return "PATH=$PWD/fake:$PATH "


def test_builds_an_image():
    """S-33"""
    sh(pretend_docker() + f"IMG=paddlepaddle/paddle:latest-ipu-dev bash {CONTAINERS}/docker_utils/build_docker.sh")
    assert "-t paddlepaddle/paddle:latest-ipu-dev" in open("docker.log").read()
    assert os.path.exists(f"{CONTAINERS}/Dockerfile.ipu.18.04")
    os.mkdir("tools")
    sh("for tool in bash dirname basename id; do ln -s $(command -v $tool) tools/; done")
    assert "docker is not installed" in sh(f"PATH=$PWD/tools bash {CONTAINERS}/docker_utils/build_docker.sh", status=1)


def test_starts_and_enters_a_container():
    """S-34"""
    script = f"{CONTAINERS}/docker_utils/into_docker.sh"
    for word in ("start", "--with-root", "into", "IMG", "CONTAINER_ID"):
        assert word in sh(f"{script} --help")
    docker = pretend_docker() + "IMG=image CONTAINER_ID=mine "
    sh(docker + script + " start --with-root")
    assert "run -dit --name mine" in open("docker.log").read()
    sh(docker + script + " into")
    assert open("docker.log").read().endswith("exec -it mine bash -l\n")
    assert "need no RDMA" in sh(f"{CONTAINERS}/installers/install_rdma.sh")
    assert "not a user's name" in sh(f"{CONTAINERS}/docker_utils/add_user.sh 'A B'", status=1)
