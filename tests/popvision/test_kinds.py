# SPDX-License-Identifier: MIT
"""Whoever says where the cycles of a run went says the same in the same words: PopVision's page and command, the printed
summary, and what is known of a step before it runs."""
import json
import os
import re
import subprocess
import sys

import pva
import pytest

# What docs/profile.md says of the types of programs, told once more.
KINDS = {"OnTileExecute": "compute", "DoExchange": "exchange", "GlobalExchange": "globalExchange", "StreamCopyBegin": "host",
         "StreamCopyMid": "host", "StreamCopyEnd": "host", "Sync": "sync"}


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
        kind = KINDS.get(step.program.type.name, "control")
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
    assert list(modelled) == [kind for kind in ("compute", "exchange", "globalExchange", "host", "sync", "control")
                              if kind in want]
    for kind, cycles in modelled.items():
        assert cycles == pytest.approx(want[kind], rel=0.02), kind
