# SPDX-License-Identifier: MIT
"""Two recorded trainings, made once for all tests."""
import json
import os
import shutil
import subprocess
import sys

import pva
import pytest

HERE = os.path.dirname(__file__)


def recorded(batch):
    folder = os.path.abspath(f"report{batch}")
    shutil.rmtree(folder, ignore_errors=True)
    options = {"autoReport.all": "true", "autoReport.directory": folder}
    trace = {"enable": "true", "directory": folder}
    environment = {**os.environ, "POPLAR_ENGINE_OPTIONS": json.dumps(options), "PVTI_OPTIONS": json.dumps(trace)}
    subprocess.run([sys.executable, os.path.join(HERE, "training.py"), str(batch)], env=environment, check=True)
    return folder


@pytest.fixture(scope="session")
def report():
    return recorded(4)


@pytest.fixture(scope="session")
def other_report():
    return recorded(8)


@pytest.fixture(scope="session")
def popvision():
    def run(*arguments, **more):
        command = [os.environ["POPVISION"], *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, **more)

    return run


@pytest.fixture(scope="session")
def browse():
    """Runs one of the browser scripts beside this file; what it prints."""
    if not os.environ.get("CHROMIUM") or not shutil.which("node") or not shutil.which("npm"):
        pytest.skip("the page needs node and npm, its tests Chromium")

    def run(script, *arguments):
        command = ["node", os.path.join(HERE, script), os.environ["POPVISION"], *arguments]
        found = subprocess.run(command, capture_output=True, text=True, timeout=200)
        assert found.returncode == 0, found.stderr
        return json.loads(found.stdout)

    return run


@pytest.fixture(scope="session")
def page(browse, report, program):
    return browse("read.mjs", os.environ.get("POPVISION_PICTURES", "-"), str(program.id), report)


@pytest.fixture(scope="session")
def both(browse, report, other_report):
    """Every view of the first report beside the second."""
    profiles = [f"{folder}/training/profile.pop" for folder in (report, other_report)]
    return browse("compared.mjs", os.environ.get("POPVISION_PICTURES", "-"), *profiles)


@pytest.fixture(scope="session")
def other_truth(other_report):
    return pva.openReport(f"{other_report}/training/profile.pop", f"{other_report}/debug.cbor")


@pytest.fixture(scope="session")
def truth(report):
    return pva.openReport(f"{report}/training/profile.pop", f"{report}/debug.cbor")


def kind_of(program):
    """What docs/profile.md says of programs, told once more."""
    if program.type == pva.Program.Type.OnTileExecute:
        vertices = [group.type.name for group in program.computeset.vertices]
        return "rearrange" if all(name.startswith("poplar_rt::") for name in vertices) else "compute"
    kinds = {"DoExchange": "exchange", "GlobalExchange": "globalExchange", "StreamCopyBegin": "host", "StreamCopyMid": "host",
             "StreamCopyEnd": "host", "Sync": "sync"}
    return kinds.get(program.type.name, "control")


@pytest.fixture(scope="session")
def program(truth):
    """The compute set that takes most of the time."""
    executed = [t for t in truth.execution.totals if t.program.type == pva.Program.Type.OnTileExecute]
    return max(executed, key=lambda total: total.cycles).program
