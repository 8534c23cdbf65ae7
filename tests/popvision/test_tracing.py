# SPDX-License-Identifier: MIT
"""The stack traces itself, so that one screen says whether the host or the IPU is waited for."""
import json
import os
import subprocess
import sys

import pva
import pytest


@pytest.fixture(scope="module")
def traces(report):
    return [os.path.join(report, name) for name in os.listdir(report) if name.endswith(".pvti")]


def test_who_waits_for_whom(page, truth):
    shown = page["host"]
    assert shown["verdict.runs"]["value"] == sum(r.runs for r in truth.execution.programsRun)
    seconds = truth.execution.totalCycles / truth.compilation.target.clockFrequency
    assert shown["verdict.ipu"]["value"] == pytest.approx(seconds)
    assert shown["verdict"]["text"].startswith(("Host-bound", "IPU-bound"))
    names = "".join(shown)
    for event in ("Engine::run", "compileGraph", "next batch", "Session::run", "PoplarExecutor._run"):
        assert event in names, event


def test_the_training_itself_is_traced(truth):
    kinds = {str(step.program.type) for step in truth.execution.steps}
    assert str(pva.Program.Type.OnTileExecute) in kinds, "not only the loading of weights"


def test_layers_have_the_names_of_the_model(truth):
    operations = pva.OperationAnalysis(truth).operations
    named = {o.name.split("/")[0] for o in operations if o.debugContext.layer == "popart"}
    assert {"features.0", "features.2", "classifier", "loss"} <= named


def test_the_verdict_in_the_terminal(popvision, traces):
    assert "bound:" in popvision("trace", *traces).stdout


def test_perfetto_gets_the_runs(popvision, traces):
    done = popvision("trace", "--json", *traces)
    assert done.returncode == 0, done.stderr
    runs = [e for e in json.loads(done.stdout) if e["ph"] == "X" and e["name"] == "Engine::run"]
    assert runs and all(e["args"]["metadata"]["ipuSeconds"] > 0 for e in runs)


def test_traces_in_python(traces):
    events = [e for path in traces for p in pva.openTrace(path).processes for t in p.threads for e in t.events]
    walk = lambda event: [event] + [inner for child in event.children() for inner in walk(child)]
    runs = [e for event in events for e in walk(event) if e.label == "Engine::run"]
    assert runs and all(e.channel == "poplar" and e.duration > 0 and e.metadata["cycles"] > 0 for e in runs)


KILLED = """
import os, poptorch, signal, torch
model = poptorch.inferenceModel(torch.nn.Linear(20, 40))
model(torch.ones(4, 20))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_program_leaves_can_be_looked_at(popvision, tmp_path):
    options = {"autoReport.all": "true", "autoReport.directory": str(tmp_path)}
    trace = {"enable": "true", "directory": str(tmp_path)}
    environment = {**os.environ, "POPLAR_ENGINE_OPTIONS": json.dumps(options), "PVTI_OPTIONS": json.dumps(trace)}
    subprocess.run([sys.executable, "-c", KILLED], env=environment, stderr=subprocess.DEVNULL)
    assert popvision("summary", str(tmp_path / "inference")).returncode == 0
    report = pva.openReport(str(tmp_path / "inference/profile.pop"), str(tmp_path / "debug.cbor"))
    assert any(o.debugContext.layer == "popart" for o in pva.OperationAnalysis(report).operations)
    done = popvision("trace", *(str(path) for path in tmp_path.glob("*.pvti")))
    assert done.returncode == 0 and "Engine::run" in done.stdout


def test_several_processes_write_side_by_side(popvision, tmp_path):
    """Each has a file of its own; all are on one axis of time."""
    script = "import libpvti as p, os\nc = p.createTraceChannel('c')\nif os.fork(): os.wait()\n" \
             "with p.Tracepoint(c, f'process {os.getpid()}'): pass"
    environment = {**os.environ, "PVTI_OPTIONS": json.dumps({"enable": "true", "directory": str(tmp_path)})}
    running = [subprocess.Popen([sys.executable, "-c", script], env=environment) for _ in range(3)]
    assert all(process.wait() == 0 for process in running)
    files = [str(path) for path in tmp_path.glob("*.pvti")]
    events = [e for e in json.loads(popvision("trace", "--json", *files).stdout) if e["ph"] == "X"]
    assert len(files) == len(events) == 6
    assert {e["name"] for e in events} == {f"process {e['pid']}" for e in events} and len({e["pid"] for e in events}) == 6
