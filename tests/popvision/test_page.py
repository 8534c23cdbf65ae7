# SPDX-License-Identifier: MIT
"""Every number on the page is the one that libpva gives."""
import os

import pva
import pytest


@pytest.fixture(scope="module")
def page(browse, report):
    pictures = os.environ.get("POPVISION_PICTURES", "-")
    return browse("read.mjs", pictures, report)


@pytest.fixture(scope="module")
def truth(report):
    return pva.openReport(f"{report}/training/profile.pop", f"{report}/debug.cbor")


def values(numbers, prefix):
    return {key[len(prefix):]: number["value"] for key, number in numbers.items() if key.startswith(prefix)}


def reads(number):
    """The whole number that a user reads."""
    return int(number["text"].replace(",", "").removesuffix(" B"))


def test_nothing_goes_wrong_and_nothing_is_fetched_from_elsewhere(page):
    assert page["problems"] == [] and page["elsewhere"] == []


def test_the_summary(page, truth):
    numbers, target, graph = page["summary"], truth.compilation.target, truth.compilation.graph
    for name in ("numIPUs", "numTiles", "tilesPerIpu", "bytesPerTile", "bytesPerIPU", "totalMemory", "clockFrequency", "numReplicas"):
        assert reads(numbers[f"target.{name}"]) == numbers[f"target.{name}"]["value"] == getattr(target, name)
    for name in ("numVertices", "numEdges", "numVars", "numComputeSets"):
        assert reads(numbers[f"graph.{name}"]) == getattr(graph, name)
    assert reads(numbers["memory.used"]) == sum(t.memory.total.excludingGaps for t in truth.compilation.tiles)
    assert reads(numbers["memory.alwaysLive"]) == sum(t.memory.alwaysLiveBytes for t in truth.compilation.tiles)
    assert reads(numbers["memory.fullestTileBytes"]) == max(t.memory.total.includingGaps for t in truth.compilation.tiles)
    assert reads(numbers["execution.totalCycles"]) == truth.execution.totalCycles
    assert reads(numbers["execution.steps"]) == len(truth.execution.steps)
    assert reads(numbers["execution.runs"]) == len(truth.execution.runs)


def test_cycles_by_kind_add_up(page, truth):
    kinds = ("compute", "exchange", "globalExchange", "host", "sync", "control")
    shown = {kind: reads(page["summary"][f"execution.{kind}"]) for kind in kinds}
    assert sum(shown.values()) == sum(total.cycles for total in truth.execution.totals)
    execute = sum(t.cycles for t in truth.execution.totals if t.program.type == pva.Program.Type.OnTileExecute)
    assert shown["compute"] == execute > 0


def test_memory_by_category(page, truth):
    shown = values(page["memory"], "all.category.")
    names = truth.compilation.tiles[0].memory.category.names
    names = names() if callable(names) else names
    sums = {name: sum(getattr(t.memory.category, name).total for t in truth.compilation.tiles) for name in names}
    assert shown == {name: total for name, total in sums.items() if total}
    assert page["memory"]["all.total"]["value"] == sum(t.memory.total.excludingGaps for t in truth.compilation.tiles)


def test_one_tile(page, truth):
    shown, memory = page["memory?at=7"], truth.compilation.tiles[7].memory
    assert reads(shown["tile.total"]) == memory.total.excludingGaps
    assert reads(shown["tile.withGaps"]) == memory.total.includingGaps
    assert reads(shown["tile.alwaysLive"]) == memory.alwaysLiveBytes
    largest = max(truth.compilation.loweredVariables.forTile(7), key=lambda v: v.bytes)
    assert max(values(shown, "tile.variable.").values()) == largest.bytes


def test_a_click_and_an_arrow_key_select_a_tile(page, truth):
    tile = int(page["clicked"]["tile.tile"]["value"])
    assert tile > 600 and reads(page["clicked"]["tile.total"]) == truth.compilation.tiles[tile].memory.total.excludingGaps


def test_a_report_compared_with_itself_has_no_changes(page):
    for numbers in (page["itself"], page["memoryItself"]):
        changes = {key: number["value"] for key, number in numbers.items() if key.endswith(".change")}
        assert len(changes) > 5 and set(changes.values()) == {0}
