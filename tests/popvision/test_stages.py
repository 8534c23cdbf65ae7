# SPDX-License-Identifier: MIT
"""Stages of a pipeline: who is busy, who waits, what goes between them; side by side, the longest counts."""
import csv
import json
import os
import subprocess
import sys

import pva
import pytest


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pipeline")
    script = os.path.join(os.path.dirname(__file__), "pipeline.py")
    done = subprocess.run([sys.executable, script, str(folder)], capture_output=True, text=True,
                          env={**os.environ, "OPENIPU_NUM_IPUS": "2"})
    assert done.returncode == 0, done.stderr
    return {"profile": f"{folder}/training/profile.pop", **json.loads(done.stdout.splitlines()[-1])}


@pytest.fixture(scope="module")
def step(pipeline, popvision):
    return json.loads(popvision("summary", "--json", pipeline["profile"]).stdout)["summary"]["step"]


def test_stages_side_by_side_take_as_long_as_the_longest(pipeline, step):
    kinds = {kind: cycles for kind, cycles in step["cyclesByKind"].items() if cycles}
    assert sum(kinds.values()) == step["cycles"] == sum(step["parts"].values())
    assert (step["cycles"], kinds) == (pipeline["cycles"], pipeline["kinds"])  # as it was known before the run
    steps = pva.openReport(pipeline["profile"]).execution.runs[step["run"]].steps
    assert sum(max(ipu.cycles for ipu in each.ipus) for each in steps) > step["cycles"]


def test_what_each_ipu_does(pipeline, step):
    steps = pva.openReport(pipeline["profile"]).execution.runs[step["run"]].steps
    assert [ipu["ipu"] for ipu in step["ipus"]] == [0, 1]
    for i, told in enumerate(step["ipus"]):
        busy = sum(each.ipus[i].cycles for each in steps if each.ipus[i].activeTiles)
        sent = sum(each.ipus[i].dataOut for each in steps if each.program.type == pva.Program.Type.GlobalExchange)
        assert told["busy"] == busy == sum(told["parts"].values()) and told["bubble"] == step["cycles"] - busy > 0
        assert told["share"] == pytest.approx(busy / step["cycles"])
        assert told["bytesSent"] == sent > 0
    assert "second" in step["ipus"][1]["parts"] and "second" not in step["ipus"][0]["parts"]
    assert sum(crossing["cycles"] for crossing in step["crossings"]) == step["cyclesByKind"]["globalExchange"]


def test_stages_in_the_terminal(pipeline, step, popvision):
    text = popvision("summary", pipeline["profile"]).stdout
    longest = max(step["ipus"], key=lambda ipu: ipu["busy"])
    assert f"the longest is IPU {longest['ipu']}:\n" in text and f"what limits scaling: {step['limit']}\n" in text
    table = popvision("summary", "--csv", "--table", "ipus", pipeline["profile"]).stdout.splitlines()
    assert [(int(row["busy"]), int(row["bubble"])) for row in csv.DictReader(table)] == [
        (ipu["busy"], ipu["bubble"]) for ipu in step["ipus"]]
    table = popvision("summary", "--csv", "--table", "crossings", pipeline["profile"]).stdout.splitlines()
    assert [row["name"] for row in csv.DictReader(table)] == [crossing["name"] for crossing in step["crossings"]]


def test_one_ipu_has_no_stages(popvision, report):
    told = json.loads(popvision("summary", "--json", f"{report}/training").stdout)["summary"]["step"]
    assert told["ipus"] == [] and told["crossings"] == [] and told["limit"] == ""
