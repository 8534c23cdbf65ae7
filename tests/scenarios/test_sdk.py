# SPDX-License-Identifier: MIT
"""The SDK folder and the logs, as the user documents have them. The SDK is installed once, into a temporary folder."""
import glob
import os
import re
import subprocess
import sys

import pytest

BUILD = os.path.dirname(os.environ["OPENIPU_BIN"])
PYTHON = sys.executable


@pytest.fixture(scope="module")
def sdk(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sdk") / open(os.path.join(BUILD, "sdk/name")).read()
    subprocess.run(["cmake", "--install", BUILD, "--prefix", folder], check=True, stdout=subprocess.DEVNULL)
    return str(folder)


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with open("hello.cpp", "w") as file:
        file.write("""#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <cstdio>
int main() {
  auto device = poplar::IPUModel().createDevice();
  std::printf("%u tiles\\n", device.getTarget().getNumTiles());
}
""")
    with open("model.py", "w") as file:
        file.write("""import torch, poptorch
options = poptorch.Options()
options.showCompilationProgressBar(False)
print("shape", list(poptorch.inferenceModel(torch.nn.Linear(2, 2), options)(torch.ones(1, 2)).shape))
""")


def sh(script, status=0, **variables):
    """In a shell with nothing of ours in its environment."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": os.getcwd(), "OPENIPU_RUNTIME_DIR": os.getcwd(), **variables}
    done = subprocess.run(["bash", "-euc", script], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    assert done.returncode == status, f"{script}: {done.returncode}\n{done.stdout}"
    return done.stdout


def sourced(sdk):
    parts = " ".join(f"source {os.path.basename(part)}/enable.sh;" for name in ("poplar-*", "popart-*")
                     for part in glob.glob(f"{sdk}/{name}") if os.path.isdir(part))
    return f"here=$PWD; cd {sdk}; {parts} cd $here; "


def test_sources_both_parts_again_and_again(sdk):
    """S-01"""
    assert sourced(sdk).count("enable.sh") == 2
    assert sh(sourced(sdk)) == ""
    once, twice = sh(sourced(sdk) + "echo $PATH $PYTHONPATH"), sh(2 * sourced(sdk) + "echo $PATH $PYTHONPATH")
    assert once == twice
    out = sh(sourced(sdk) + f"command -v gc-info gc-monitor popc vipu; {PYTHON} -c 'import popart, pva; print(popart.__file__)'")
    assert len(out.splitlines()) == 5 and all(line.startswith(sdk) for line in out.splitlines())


def test_builds_without_the_sdk():
    """S-02"""
    assert re.search("fatal error: '?poplar/Engine.hpp'?", sh("g++ hello.cpp -lpoplar", status=1))


def test_builds_with_the_sdk(sdk):
    """S-03"""
    assert sh(sourced(sdk) + "g++ -std=c++11 hello.cpp -lpoplar -o hello && ./hello") == "1472 tiles\n"


def levels(sdk, variable, level, **others):
    return sh(sourced(sdk) + f"{PYTHON} model.py", **{variable: level, **others})


def test_sees_calls_of_the_libraries_at_info(sdk):
    """S-05"""
    out = levels(sdk, "POPLAR_LOG_LEVEL", "INFO", POPLIBS_LOG_LEVEL="INFO")
    assert re.search(r"PO:ENGINE +\[I\] ", out) and re.search(r" PL:POPLIN +\d+\.\d+ I: poplin::\w+\(", out)
    assert "shape [1, 2]" in out


def test_each_level_adds_detail(sdk):
    """S-06"""
    default, *lines = [levels(sdk, "POPLAR_LOG_LEVEL", level) for level in ("OFF", "ERR", "WARN", "INFO", "DEBUG", "TRACE")]
    assert default == sh(sourced(sdk) + f"{PYTHON} model.py") == "shape [1, 2]\n"
    counts = [len(out.splitlines()) for out in lines]
    assert counts[0] == counts[1] == 1 < counts[2] < counts[3] < counts[4]
    assert re.search(r"\[T\].*tiles? \d+", lines[-1]) and not re.search(r"\[T\]", lines[-2])
    assert 'Unknown log level "LOUD"' in levels(sdk, "POPLAR_LOG_LEVEL", "LOUD")


def test_sends_the_log_elsewhere(sdk):
    """S-07"""
    run = sourced(sdk) + f"{PYTHON} model.py 2>err"
    assert "PO:" in sh(run, POPLAR_LOG_LEVEL="INFO", POPLAR_LOG_DEST="stdout") and not os.path.getsize("err")
    assert "PO:" not in sh(run, POPLAR_LOG_LEVEL="INFO", POPLAR_LOG_DEST="stderr") and "PO:" in open("err").read()
    assert "PO:" not in sh(run, POPLAR_LOG_LEVEL="INFO", POPLAR_LOG_DEST="log.txt") and "PO:" in open("log.txt").read()


def test_has_the_lines_in_the_profile_file(sdk):
    """S-08"""
    with open(".bash_profile", "w") as file:
        file.write(sourced(sdk).replace("; ", "\n"))
    assert sdk in sh("bash -lc 'command -v gc-info && echo $POPLAR_SDK_ENABLED'")


@pytest.fixture(scope="module")
def environment(sdk, tmp_path_factory):
    """A virtual environment with the wheel; Debian's torch is seen from inside. Nothing is fetched."""
    pytest.importorskip("ensurepip")
    folder = str(tmp_path_factory.mktemp("venv") / "poptorch_test")
    subprocess.run([PYTHON, "-m", "venv", "--system-site-packages", folder], check=True)
    wheel, = glob.glob(f"{sdk}/poptorch-3.3.0*.whl")
    enabled = dict(os.environ, PYTHONPATH=glob.glob(f"{sdk}/popart-*/python")[0])  # an SDK stands for the wheel openipu
    subprocess.run([f"{folder}/bin/pip", "install", "--quiet", "--no-index", wheel], check=True, env=enabled)
    return folder


def test_installs_the_wheel_into_an_environment(sdk, environment):
    """S-10"""
    out = sh(sourced(sdk) + f"source {environment}/bin/activate; python model.py; pip show poptorch")
    assert "shape [1, 2]" in out and "Name: poptorch" in out and "OpenIPU" in out and "Requires: numpy, openipu, torch" in out


def test_leaves_the_environment(environment):
    """S-11"""
    out = sh(f"source {environment}/bin/activate; command -v python3; deactivate; command -v python3").split()
    assert out == [f"{environment}/bin/python3", PYTHON]


def test_imports_poptorch_without_the_sdk(environment):
    """S-12"""
    out = sh(f"source {environment}/bin/activate; python model.py", status=1)
    assert "ImportError" in out and "enable.sh" in out


def test_installs_requirements_and_keeps_the_torch(environment):
    """S-13"""
    with open("requirements.txt", "w") as file:
        file.write("torchvision\ntqdm\n")
    out = sh(f"source {environment}/bin/activate; pip install --no-index -r requirements.txt; python -c 'import torch; print(torch.__file__)'")
    assert out.count("Requirement already satisfied") >= 2 and out.splitlines()[-1].startswith("/usr/lib/python3/")
