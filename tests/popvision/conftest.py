# SPDX-License-Identifier: MIT
"""Two recorded trainings, made once for all tests."""
import json
import os
import shutil
import subprocess
import sys

import pytest

HERE = os.path.dirname(__file__)


def recorded(batch):
    folder = os.path.abspath(f"report{batch}")
    shutil.rmtree(folder, ignore_errors=True)
    options = {"autoReport.all": "true", "autoReport.directory": folder, "profiler.includeFlopEstimates": "true"}
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
        return subprocess.run([os.environ["POPVISION"], *arguments], capture_output=True, text=True, timeout=120, **more)

    return run


@pytest.fixture(scope="session")
def browse():
    """Runs one of the browser scripts beside this file; what it prints."""
    if not os.environ.get("CHROMIUM"):
        pytest.skip("Chromium is not installed")

    def run(script, *arguments):
        command = ["node", os.path.join(HERE, script), os.environ["POPVISION"], *arguments]
        found = subprocess.run(command, capture_output=True, text=True, timeout=200)
        assert found.returncode == 0, found.stderr
        return json.loads(found.stdout)

    return run
