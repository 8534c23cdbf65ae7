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
    files = [name for name in os.listdir(folder) if name.endswith(".pvti")]
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


NAMED = """
import threading
import libpvti as pvti
pvti.Client("loader")
channel = pvti.createTraceChannel("mine")
def work():
    pvti.ThreadName("reader")
    pvti.Tracepoint.event(channel, "here")
thread = threading.Thread(target=work)
thread.start()
thread.join()
heat = pvti.HeatmapDouble("Latency", [0, 1, 10], "ms")
heat.add([0.5, 0.5, 3])
heat.add([20])
pvti.Graph("Loss").addSeries("train").add(0.5)
for wrong in ([], [1], [2, 1]):
    try:
        pvti.HeatmapDouble("bad", wrong)
    except ValueError as e:
        assert "edges" in str(e)
    else:
        raise AssertionError(wrong)
"""


def test_names_and_heat_maps_are_read_back(tmp_path):
    import pva
    done = run(NAMED, tmp_path)
    assert done.returncode == 0, done.stderr
    (process,) = pva.openTrace(next(tmp_path.glob("*.pvti"))).processes
    assert process.name == "loader"
    assert [t.name for t in process.threads if t.events] == ["reader"]
    (heat,) = process.heatmaps
    assert heat.name == "Latency [ms]"
    assert heat.bins == [(0, 1), (1, 10), (10, float("inf"))]
    assert [counts for _, counts in heat.columns] == [[2, 1, 0], [0, 0, 1]]
    assert [[v for _, v in g.series["train"]] for g in process.graphs] == [[0.5]]


def test_databases_of_the_vendor_are_named(tmp_path):
    import pva
    (tmp_path / "x.pvti").write_bytes(b"SQLite format 3\0more")
    with pytest.raises(ValueError, match="vendor"):
        pva.openTrace(tmp_path / "x.pvti")
