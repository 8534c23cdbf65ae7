# SPDX-License-Identifier: MIT
"""Every number on the page is the one that libpva gives."""
import base64
import json
import re
import zlib

import pva
import pytest
from conftest import kind_of


def values(numbers, prefix):
    return {key[len(prefix):]: number["value"] for key, number in numbers.items() if key.startswith(prefix)}


UNITS = {"KiB": 1024, "MiB": 1024**2, "GiB": 1024**3}


HERTZ = {"MHz": 1e6, "GHz": 1e9}


def reads(number):
    """The number that a user reads: the whole one, or of memory and clocks its digits, which have to be right."""
    text, _, unit = number["text"].replace(",", "").partition(" ")
    if unit in HERTZ:
        assert float(text) == float(f"{number['value'] / HERTZ[unit]:.3g}") >= 1
        return number["value"]
    if unit not in UNITS:
        return int(text)
    assert text == f"{number['value'] / UNITS[unit]:.{1 if unit == 'KiB' else 2}f}" and float(text) >= 1
    return number["value"]


def test_nothing_goes_wrong_and_nothing_is_fetched_from_elsewhere(page):
    assert page["problems"] == [] and page["elsewhere"] == []


def test_the_summary(page, truth):
    numbers, target, graph = page["summary"], truth.compilation.target, truth.compilation.graph
    for name in ("numIPUs", "numTiles", "tilesPerIpu", "bytesPerTile", "bytesPerIPU", "totalMemory",
                 "clockFrequency", "numReplicas"):
        assert reads(numbers[f"target.{name}"]) == numbers[f"target.{name}"]["value"] == getattr(target, name)
    for name in ("numVertices", "numEdges", "numVars", "numComputeSets"):
        assert reads(numbers[f"graph.{name}"]) == getattr(graph, name)
    assert reads(numbers["memory.used"]) == sum(t.memory.total.excludingGaps for t in truth.compilation.tiles)
    assert reads(numbers["memory.alwaysLive"]) == sum(t.memory.alwaysLiveBytes for t in truth.compilation.tiles)
    most = max(t.memory.total.includingGaps for t in truth.compilation.tiles)
    assert reads(numbers["memory.fullestTileBytes"]) == most
    assert reads(numbers["execution.totalCycles"]) == truth.execution.totalCycles
    assert reads(numbers["execution.steps"]) == len(truth.execution.steps)
    assert reads(numbers["execution.runs"]) == len(truth.execution.runs)


def test_cycles_by_kind_add_up(page, truth):
    kinds = ("compute", "rearrange", "exchange", "globalExchange", "host", "sync", "control")
    shown = {kind: reads(page["summary"][f"execution.{kind}"]) for kind in kinds}
    assert sum(shown.values()) == sum(total.cycles for total in truth.execution.totals)
    execute = sum(t.cycles for t in truth.execution.totals if t.program.type == pva.Program.Type.OnTileExecute)
    assert shown["compute"] + shown["rearrange"] == execute and all(shown[kind] > 0 for kind in ("compute", "rearrange"))


def test_the_page_begins_with_a_step(page, truth):
    run = [run for run in truth.execution.runs if not run.name][0]  # each of them takes as long
    want = dict.fromkeys(("compute", "rearrange", "exchange", "host", "sync"), 0)
    for step in run.steps:
        if kind_of(step.program) in want:
            want[kind_of(step.program)] += step.ipus[0].cycles
    assert reads(page["summary"]["step.cycles"]) == run.cycles
    assert {kind: reads(page["summary"][f"step.{kind}"]) for kind in want} == want
    assert page["summary"]["top.bound"]["value"] == pytest.approx(want["host"] / run.cycles)


def test_memory_by_category(page, truth):
    always = values(page["memory"], "all.always.")
    assert sum(always.values()) == sum(t.memory.alwaysLiveBytes for t in truth.compilation.tiles) > 0
    assert all(value == sum(t.memory.category.find(name).alwaysLiveBytes for t in truth.compilation.tiles)
               for name, value in always.items())
    shown = values(page["memory"], "all.category.")
    names = truth.compilation.tiles[0].memory.category.names
    names = names() if callable(names) else names
    sums = {name: sum(getattr(t.memory.category, name).total for t in truth.compilation.tiles) for name in names}
    assert shown == {name: total for name, total in sums.items() if total}
    assert page["memory"]["all.total"]["value"] == sum(t.memory.total.excludingGaps for t in truth.compilation.tiles)


def test_code_of_programs_is_what_lies_on_the_tiles(truth):
    tiles = truth.compilation.tiles

    def sums(by_tile, wanted):
        total = [0] * len(tiles)
        for program in truth.compilation.allPrograms:
            if program.codeBytes and wanted(program.type):
                total = [a + b for a, b in zip(total, by_tile(program))]
        return total

    # The runtime's own code (docs/timing.md) lies on every tile and belongs to no program.
    for category, runtime, by_tile, wanted in (
            ("controlCode", 624, lambda p: p.controlCodeByTile, lambda t: True),
            ("internalExchangeCode", 0, lambda p: p.codeBytesByTile, lambda t: t == pva.Program.Type.DoExchange),
            ("hostExchangeCode", 243, lambda p: p.codeBytesByTile, lambda t: t == pva.Program.Type.StreamCopyMid)):
        expected = [tile.memory.category.find(category).total - runtime for tile in tiles]
        assert sums(by_tile, wanted) == expected and any(expected), category


def test_one_tile(page, truth):
    shown, memory = page["memory?at=7"], truth.compilation.tiles[7].memory
    assert reads(shown["tile.total"]) == memory.total.excludingGaps
    assert reads(shown["tile.withGaps"]) == memory.total.includingGaps
    assert reads(shown["tile.alwaysLive"]) == memory.alwaysLiveBytes
    largest = max(truth.compilation.loweredVariables.forTile(7), key=lambda v: v.bytes)
    assert max(values(shown, "tile.variable.").values()) == largest.bytes


def test_a_click_and_an_arrow_key_select_a_tile(page, truth):
    tile = int(page["clicked"]["tile.tile"]["value"])
    memory = truth.compilation.tiles[tile].memory
    assert tile > 600 and reads(page["clicked"]["tile.total"]) == memory.total.excludingGaps


@pytest.mark.parametrize("view", ["summary", "insights", "memory", "liveness", "programs", "operations", "trace",
                                  "roofline", "layers"])
def test_a_report_compared_with_itself_has_no_changes(page, view):
    shown = page["itself"][view]
    changes = {key: number for key, number in shown.items() if key.endswith(".change")}
    assert len(changes) >= 5 and {number["value"] for number in changes.values()} == {0}
    for key, number in shown.items():
        if key.endswith(".other"):
            assert number["value"] == shown[key.removesuffix(".other")]["value"], key


def test_two_reports_beside_each_other(both, truth, other_truth):
    assert both["problems"] == []
    for view in ("summary", "insights", "memory", "liveness", "programs", "operations", "trace", "roofline", "layers"):
        changes = {key: number["value"] for key, number in both[view].items() if key.endswith(".change")}
        assert any(changes.values()), view
    first, second = (sum(s.ipus[0].cycles for s in r.execution.steps if kind_of(s.program) == "compute")
                     for r in (truth, other_truth))
    assert both["trace"]["visible.compute"]["value"] == first
    assert both["trace"]["visible.compute.other"]["value"] == second
    assert both["trace"]["visible.compute.change"]["value"] == second - first


def test_the_peak_of_liveness_and_its_variables(page, truth):
    shown, steps = page["liveness"], truth.compilation.livenessProgramSteps
    peak = max(range(len(steps)), key=lambda i: (steps[i].notAlwaysLiveMemory.bytes, -i))
    assert shown["step.index"]["value"] == peak and reads(shown["step.bytes"]) == steps[peak].notAlwaysLiveMemory.bytes
    variables = {v.id if hasattr(v, "id") else v._id: v.bytes for v in steps[peak].notAlwaysLiveMemory.variables}
    assert shown["step.variables"]["value"] == len(variables)
    listed = {int(key): value for key, value in values(shown, "live.").items()}
    assert listed and all(variables[key] == value for key, value in listed.items())


def test_a_program_and_its_place_in_the_tree(page, truth, program):
    shown = page["program"]
    total = next(t for t in truth.execution.totals if t.program.id == program.id)
    assert reads(shown["program.cycles"]) == program.cycles and reads(shown["program.totalCycles"]) == total.cycles
    assert reads(shown["program.executions"]) == total.executions
    assert reads(shown["program.activeTiles"]) == program.activeTiles
    assert shown["program.tileBalance"]["value"] == pytest.approx(program.tileBalance)
    assert reads(shown[f"tree.{program.id}"]) == total.cycles
    assert page["found"] > 0


def test_operations_and_that_they_add_up(page, truth):
    totals = {t.program.id: t.cycles for t in truth.execution.totals}
    operations = pva.OperationAnalysis(truth).operations
    expected = [sum(totals.get(p.id, 0) for p in o.programs()) for o in operations]
    shown = {int(key.split(".")[0]): value for key, value in values(page["operations"], "op.").items()
             if key.endswith(".cycles")}
    assert len(shown) > 10
    assert all(value == expected[i] for i, value in shown.items() if i < len(expected))
    assert reads(page["operations"]["operations.total"]) == sum(totals.values())


def test_the_trace_by_kind(page, truth):
    sums = dict.fromkeys(("compute", "rearrange", "exchange", "host", "sync"), 0)
    for step in truth.execution.steps:
        if kind_of(step.program) in sums:
            sums[kind_of(step.program)] += step.ipus[0].cycles
    assert {kind: reads(page["trace"][f"visible.{kind}"]) for kind in sums} == sums
    assert reads(page["trace"]["visible.steps"]) == len(truth.execution.steps)


def test_the_address_names_what_is_selected(page, truth):
    tile = int(re.fullmatch(r"#/memory\?at=(\d+)", page["address"]).group(1))
    assert tile != 7 and page["clicked"]["tile.total"]["value"] == truth.compilation.tiles[tile].memory.total.excludingGaps


def test_wide_and_narrow_screens(page):
    assert page["overflow3840"] <= 0 and page["overflow1280"] <= 0
    many = {"operations", "host"}  # columns: these tables are scrolled
    assert {view for view, wider in page["tables"].items() if wider} <= many
    assert page["telephone"] and all(seen == [0, True] for seen in page["telephone"].values()), page["telephone"]


def test_an_exported_page_shows_the_same(page, browse, popvision, report, tmp_path):
    file = str(tmp_path / "report.html")
    done = popvision("--export", file, report)
    assert done.returncode == 0, done.stderr
    shown = browse("exported.mjs", file)
    assert shown["problems"] == [] and shown["elsewhere"] == []
    for view in ("summary", "insights", "memory", "liveness", "operations", "trace", "layers", "host"):
        assert shown[view] == page[view], view
    assert shown["tile"]["tile.total"] == page["memory?at=7"]["tile.total"]


def test_an_exported_page_has_its_data_compressed(popvision, report, tmp_path):
    file = tmp_path / "report.html"
    assert popvision("--export", str(file), report).returncode == 0
    inside = re.search(r'<script type="text/plain" id="data">([^<]+)</script>', file.read_text()).group(1)
    data = zlib.decompress(base64.b64decode(inside, validate=True))
    assert "/api/site" in json.loads(data) and len(inside) < len(data) / 4


def test_a_page_that_watches_shows_what_is_written(browse, report, other_report, truth, other_truth):
    seen = browse("live.mjs", report, other_report)
    assert seen["before"] == truth.execution.totalCycles
    assert seen["after"] == other_truth.execution.totalCycles != seen["before"]
    assert seen["events"] > 50 and seen["problems"] == []
    kept = seen["kept"]  # what the user did to the view outlives newer data
    assert int(kept["tile"]) > 0 and kept["tileAfter"] == kept["tile"]
    ranges = [part["state"] for part in kept["before"]["parts"] if part["kind"] == "range"]
    assert any(ranges)
    for what in ("parts", "focus"):
        assert kept["after"][what] == kept["before"][what], what
    changed = {name for name, field in kept["before"]["fields"].items() if field["value"] == "liveness"}
    assert changed and all(kept["after"]["fields"][name]["value"] == "liveness" for name in changed)
