# SPDX-License-Identifier: MIT
"""What the user documents do with PopVision."""
import json
import os
import subprocess
import sys

import pva
import pytest

poptorch = pytest.importorskip("poptorch")
POPVISION = os.path.abspath(os.path.join(os.path.dirname(pva.__file__), "../../bin/popvision"))
SCRIPT = """
import poptorch, torch
model = poptorch.inferenceModel(torch.nn.Sequential(torch.nn.Linear(20, 40), torch.nn.ReLU(), torch.nn.Linear(40, 5)))
for _ in range(3):
    model(torch.ones(4, 20))
"""


def run_with(folder, **variables):
    env = {**os.environ, **{name: json.dumps(value) for name, value in variables.items()}}
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_traces_the_host(tmp_path):
    """S-59"""
    run_with(tmp_path, PVTI_OPTIONS={"enable": "true"})
    files = [name for name in os.listdir(tmp_path) if name.endswith(".pvti")]
    assert len(files) == 1
    events = [e for p in pva.openTrace(tmp_path / files[0]).processes for t in p.threads for e in t.events]
    channels, todo = set(), list(events)
    while todo:
        event = todo.pop()
        channels.add(event.channel)
        todo += event.children()
    assert {"poplar", "popart", "graphConstruction/poplin", "drivers", "poptorch.inferenceModel"} <= channels


@pytest.mark.skipif(not os.path.exists(POPVISION), reason="popvision is not built")
def test_opens_reports_in_the_analyser(tmp_path):
    """S-58, S-104"""
    run_with(tmp_path, POPLAR_ENGINE_OPTIONS={"autoReport.all": "true", "autoReport.directory": "./tommyFlowers"})
    report = tmp_path / "tommyFlowers" / "inference"

    def view(*arguments):
        done = subprocess.run([POPVISION, *arguments, "--json", str(report)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    summary = view("summary")["summary"]
    assert summary["target"]["numTiles"] == 1472 and summary["target"]["bytesPerTile"] == 624 * 1024
    assert len(view("memory")["total"]) == 1472 and max(view("memory")["total"]) < 624 * 1024
    assert max(view("liveness")["liveness"]["bytes"]) > 0
    assert sum(view("trace")["ipus"][0]["cycles"]) > 0
