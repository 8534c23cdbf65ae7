# SPDX-License-Identifier: MIT
"""Traces of Python programs, in processes of their own: PVTI_OPTIONS is read once."""
import json
import os
import subprocess
import sys

import pytest


def run(code, folder, options='{"enable":"true"}'):
    env = {**os.environ, "PVTI_OPTIONS": options}
    return subprocess.run([sys.executable, "-c", code], cwd=folder, env=env, capture_output=True, text=True)


def events(folder):
    files = [name for name in os.listdir(folder) if name.endswith(".pvti.json")]
    assert len(files) == 1
    return json.loads((folder / files[0]).read_text())


POINTS = """
import libpvti as pvti
channel = pvti.createTraceChannel("mine")
with pvti.Tracepoint(channel, "within", {"step": 3}):
    pvti.Tracepoint.event(channel, "now", "a text")
class Thing:
    def work(self, x): return x + 1
thing = Thing()
pvti.instrument(thing, ["work"], channel)
assert thing.work(1) == 2
pvti.Graph("Loss", "1").addSeries("train").add(0.5)
assert "mine" in pvti.listTraceChannels() and pvti.checkTraceChannel("mine")
pvti.disableTraceChannel(channel)
with pvti.Tracepoint(channel, "unseen"): pass
"""


def test_points_and_graphs(tmp_path):
    done = run(POINTS, tmp_path)
    assert done.returncode == 0, done.stderr
    found = [(e["ph"], e["name"]) for e in events(tmp_path) if e["ph"] in "BEi"]
    assert found == [("B", "within"), ("i", "now"), ("E", "within"), ("B", "Thing.work"), ("E", "Thing.work")]
    assert any(e["ph"] == "C" for e in events(tmp_path))


def test_nothing_is_written_unless_asked_for(tmp_path):
    done = run(POINTS.replace(' and pvti.checkTraceChannel("mine")', ""), tmp_path, "")
    assert done.returncode == 0, done.stderr
    assert not os.listdir(tmp_path)


def test_models_leave_marks(tmp_path):
    pytest.importorskip("torch")
    done = run("""
import torch, poptorch
model = poptorch.inferenceModel(torch.nn.Linear(2, 2))
mine = poptorch.profiling.Channel("mine")
with mine.tracepoint("all"):
    for _ in range(3):
        model(torch.ones(1, 2))
mine.instrument(model, "detachFromDevice")
model.detachFromDevice()
""", tmp_path)
    assert done.returncode == 0, done.stderr
    begun = [e["name"] for e in events(tmp_path) if e["ph"] == "B"]
    assert begun.count("PoplarExecutor._run") == 3 and begun.count("PoplarExecutor._compile") == 1
    assert begun[0] == "all" and begun.count("PoplarExecutor.detachFromDevice") == 2
