# SPDX-License-Identifier: MIT
"""Whoever says where the cycles of a run went says the same in the same words: PopVision's page and command, the printed
summary, and what is known of a step before it runs."""
import csv
import json
import os
import re
import subprocess
import sys

import pva
import pytest
from conftest import kind_of


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kinds")
    script = os.path.join(os.path.dirname(__file__), "kinds.py")
    done = subprocess.run([sys.executable, script, str(folder)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {"profile": f"{folder}/training/profile.pop", **json.loads(done.stdout.splitlines()[-1])}


def counted(steps):
    found = {}
    for step in steps:
        kind = kind_of(step.program)
        cycles = max((ipu.cycles for ipu in step.ipus), default=0)
        if cycles:
            found[kind] = found.get(kind, 0) + cycles
    return found


def rows(text):
    """{kind: (cycles, percent)} of lines such as `host: 1,234 (5.6% of total)` and `host  1,234  5.6 %`."""
    found = re.findall(r"^ +(\w+):? +([\d,]+) +\(?([\d.]+) ?%", text, re.M)
    return {kind: (int(cycles.replace(",", "")), float(percent)) for kind, cycles, percent in found}


def test_summary_and_popvision_say_the_same(said, popvision):
    report = pva.openReport(said["profile"])
    want = counted(report.execution.steps)
    assert len(want) > 4 and sum(want.values()) == report.execution.totalCycles
    told = json.loads(popvision("summary", "--json", said["profile"]).stdout)["summary"]["execution"]["cyclesByKind"]
    assert {kind: cycles for kind, cycles in told.items() if cycles} == want
    waits = [step.program.type.name for step in report.execution.steps if step.program.name.startswith("wait for first data")]
    assert waits and set(waits) == {"StreamCopyBegin"}  # for the host, and for nobody else
    total = sum(want.values())
    texts = {"command": popvision("summary", said["profile"]).stdout,
             "printed summary": said["summary"].partition("Cycles by kind:\n")[2].partition("\n\n")[0]}
    for where, text in texts.items():
        shown = {kind: row for kind, row in rows(text).items() if kind in want}
        assert {kind: cycles for kind, (cycles, _) in shown.items()} == want, where
        for kind, (cycles, percent) in shown.items():
            assert percent == pytest.approx(100 * cycles / total, abs=0.051), (where, kind)


def test_a_step_is_told_alike_before_it_runs(said):
    run = max(pva.openReport(said["profile"]).execution.runs, key=lambda run: len(run.steps))
    want, modelled = counted(run.steps), said["modelled"]
    kinds = ("compute", "rearrange", "exchange", "globalExchange", "host", "sync", "control")
    assert list(modelled) == [kind for kind in kinds if kind in want] and "rearrange" in want
    for kind, cycles in modelled.items():
        assert cycles == pytest.approx(want[kind], rel=0.02), kind


def test_all_begin_with_the_same_step(said, popvision):
    """The printed summary, PopVision, and what is known before a run."""
    told = json.loads(popvision("summary", "--json", said["profile"]).stdout)["summary"]["step"]
    run = pva.openReport(said["profile"]).execution.runs[told["run"]]
    want = counted(run.steps)
    assert {kind: cycles for kind, cycles in told["cyclesByKind"].items() if cycles} == want
    assert told["cycles"] == sum(want.values()) == run.cycles and told["traced"]
    assert told["bound"] == max(want, key=want.get) == max(said["modelled"], key=said["modelled"].get)
    assert sum(told["parts"].values()) == told["cycles"]
    assert sum(part["waiting"] + part["moving"] for part in told["host"]) == want["host"]
    assert {"h2d_input", "h2d_input/1"} <= {part["name"] for part in told["host"]}  # the streams, by name
    assert {other["name"] for other in told["others"]} >= {"WeightsFromHost", "WeightsToHost"}
    printed = said["summary"].partition("One step")[2].partition("\n\n")[0]
    command = popvision("summary", said["profile"]).stdout.partition("one step")[2].partition("apart from steps")[0]
    for text in (printed, command):
        assert {kind: cycles for kind, (cycles, _) in rows(text).items() if kind in want} == want, text
        assert f"ost goes to {told['words']}" in text


def test_streams_and_parts_as_csv(said, popvision):
    told = json.loads(popvision("summary", "--json", said["profile"]).stdout)["summary"]["step"]
    parts = list(csv.DictReader(popvision("summary", "--csv", "--table", "step", said["profile"]).stdout.splitlines()))
    assert {row["part"]: int(row["cycles"]) for row in parts} == told["parts"]
    streams = list(csv.DictReader(popvision("summary", "--csv", "--table", "streams", said["profile"]).stdout.splitlines()))
    assert [(row["stream"], int(row["waiting"])) for row in streams] == [(s["name"], s["waiting"]) for s in told["host"]]


def test_all_are_as_sure_of_a_step(said, popvision):
    told = json.loads(popvision("summary", "--json", said["profile"]).stdout)["summary"]["step"]
    assert sum(part["cycles"] for part in told["spread"]) == told["cycles"]
    accuracy = open(os.path.join(os.path.dirname(__file__), "../../docs/accuracy.md")).read().replace("**", "")
    table = {(int(rows), float(mean)) for rows, mean in re.findall(r"\| (\d+) \| ([\d.]+) %", accuracy)}
    for part in told["spread"]:
        assert ("mean" in part) == (part["rows"] > 0)
        assert not part["rows"] or (part["rows"], round(100 * part["mean"], 1)) in table
    assert any(part["rows"] for part in told["spread"]) and 0 < told["measured"] < 1
    assert f"How sure: {told['howSure']}." in said["summary"]
    assert f"how sure: {told['howSure']}\n" in popvision("summary", said["profile"]).stdout
    assert [part["kind"] for part in told["spread"]][0] in said["sure"]
    shares = {kind: share for kind, share, error, rows in said["spread"]}
    assert sum(shares.values()) == pytest.approx(1)
    for part in told["spread"]:
        assert part["cycles"] / told["cycles"] == pytest.approx(shares[part["kind"]], abs=0.01), part
