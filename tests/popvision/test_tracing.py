# SPDX-License-Identifier: MIT
"""The stack traces itself, so that one screen says whether the host or the IPU is waited for."""
import json
import os

import pva
import pytest


@pytest.fixture(scope="module")
def traces(report):
    return [os.path.join(report, name) for name in os.listdir(report) if name.endswith(".pvti.json")]


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
    walk = lambda event: [event] + [inner for child in event.children() for inner in walk(child)]  # noqa: E731
    runs = [e for event in events for e in walk(event) if e.label == "Engine::run"]
    assert runs and all(e.channel == "poplar" and e.duration > 0 and e.metadata["cycles"] > 0 for e in runs)
