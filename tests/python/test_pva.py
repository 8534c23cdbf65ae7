# SPDX-License-Identifier: MIT
"""Profiles in Python: what pva tells of a session beside the tables of its file, and debug information."""
import inspect
import json
import os
import sqlite3
import subprocess
import sys

import numpy as np
import popart
import pva
import pytest
from harness import device


def session_of(options=None, name="inference", steps=1):
    """A product whose profile is looked at; the session has run."""
    b = popart.Builder()
    x = b.addInputTensor("FLOAT", [4, 8], "x")
    w = b.addInitializedInputTensor(np.ones([8, 2], np.float32), "w")
    y = b.aiOnnx.matmul([x, w], "product")
    session = popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, {y: popart.AnchorReturnType("All")}), device(),
                                      userOptions=options or popart.SessionOptions(), name=name)
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    for _ in range(steps):
        session.run(popart.PyStepIO({x: np.ones([4, 8], np.float32)}, anchors), "turn")
    return session


def with_engine(**flags):
    options = popart.SessionOptions()
    options.engineOptions = {key.replace("_", "."): str(value) for key, value in flags.items()}
    return options


@pytest.fixture
def profile(tmp_path):
    session = session_of(with_engine(autoReport_all="true", autoReport_directory=tmp_path,
                                     debug_instrumentExternalExchange="true"))
    del session  # which writes it
    return str(tmp_path / "inference" / "profile.pop")


def test_reports_lie_in_a_folder_with_the_sessions_name(tmp_path):
    for name in ("inference", "second"):
        session = session_of(with_engine(autoReport_outputGraphProfile="true", autoReport_directory=tmp_path), name)
        del session
        assert pva.openReport(tmp_path / name / "profile.pop").compilation.target.tilesPerIpu == 4
    assert not (tmp_path / "profile.pop").exists()


def test_compilation_is_what_the_file_says(profile):
    report, file = pva.openReport(profile), sqlite3.connect(profile)
    compilation = report.compilation
    target = compilation.target
    assert (target.type, target.architecture) == (pva.Target.Type.IpuModel, pva.IPU.Architecture.Ipu2)
    assert (target.numTiles, target.numIPUs, target.numReplicas) == (4, 1, 1)
    assert target.totalMemory == 4 * target.bytesPerTile
    assert file.execute("SELECT num_vertices, num_vars FROM graph").fetchall() == [
        (compilation.graph.numVertices, compilation.graph.numVars)]
    totals = [t for (t,) in file.execute("SELECT total FROM memory_by_tile ORDER BY tile")]
    assert [t.memory.total.excludingGaps for t in compilation.tiles] == totals and sum(totals) > 0
    for tile in compilation.tiles:
        categories = tile.memory.category
        assert sum(categories.find(n).total for n in categories.names) == tile.memory.total.excludingGaps
        assert categories.variable.total == categories.find("variable").total
        assert categories.variable.nonInterleaved == categories.variable.total and categories.stack.interleaved == 0
        assert categories.variable.nonInterleaved.nonOverlapped == categories.variable.total
    kinds = {v.type.name: v.codeBytes for tile in compilation.tiles for v in tile.memory.vertices}
    assert kinds.items() <= {t.name: t.codeBytes for t in compilation.vertexTypes}.items()
    assert [t.id for t in compilation.ipus[0].tiles] == [0, 1, 2, 3]
    names = [n for (n,) in file.execute("SELECT name FROM vars WHERE always_live ORDER BY id")]
    assert [v.name for v in compilation.alwaysLiveVariables] == names
    assert sum(v.bytes for v in compilation.loweredVariables.forTile(0)) == sum(
        v.bytes for v in compilation.loweredVariables.allBriefVars if v.tileId == 0)
    peak = max(step.notAlwaysLiveMemory.bytes for step in compilation.livenessProgramSteps)
    assert (peak,) == file.execute("SELECT max(size_bytes) FROM liveness_steps").fetchone()


def test_code_by_program_adds_up_to_the_memory_of_tiles(profile):
    compilation = pva.openReport(profile).compilation
    tiles, programs = compilation.tiles, compilation.allPrograms

    def sums(by_tile, *types):
        chosen = [by_tile(p) for p in programs if not types or p.type.name in types]
        return [sum(column) for column in zip(*chosen)]

    # The runtime's own code (docs/timing.md) lies on every tile and belongs to no program.
    runtime = {"controlCode": 624, "internalExchangeCode": 0, "hostExchangeCode": 243}
    category = {name: [getattr(t.memory.category, name).total - own for t in tiles] for name, own in runtime.items()}
    assert sums(lambda p: p.controlCodeByTile) == category["controlCode"] and any(category["controlCode"])
    assert sums(lambda p: p.codeBytesByTile, "DoExchange", "StreamCopyEnd") == category["internalExchangeCode"]
    assert sums(lambda p: p.codeBytesByTile, "StreamCopyMid") == category["hostExchangeCode"]
    assert any(category["hostExchangeCode"])
    assert sum(p.codeBytes for p in programs) == sum(map(sum, category.values()))


def test_what_is_always_live_by_category(profile):
    compilation = pva.openReport(profile).compilation
    for tile in compilation.tiles:
        categories = [tile.memory.category.find(n) for n in tile.memory.category.names]
        assert sum(c.alwaysLiveBytes for c in categories) == tile.memory.alwaysLiveBytes
        assert sum(c.notAlwaysLiveBytes for c in categories) == tile.memory.notAlwaysLiveBytes
        variables = sum(v.bytes for v in compilation.loweredVariables.forTile(tile.id)
                        if v.hasUnloweredVar and v.unloweredVar.alwaysLive and v.category == "variable")
        assert tile.memory.category.variable.alwaysLiveBytes == variables


def test_every_lowered_variable_says_when_it_is_in_use(profile):
    compilation = pva.openReport(profile).compilation
    last = len(compilation.livenessProgramSteps) - 1
    for part in compilation.loweredVariables.allBriefVars:
        steps = part.equivalenceClass.steps
        assert all(0 <= first <= end <= last for first, end in steps)
        if part.category in ("stack", "controlCode") or part.hasUnloweredVar and part.unloweredVar.alwaysLive:
            assert steps == [(0, last)], part.category
    classes = {part.equivalenceClass.id: part.category for part in compilation.loweredVariables.allBriefVars
               if not part.hasUnloweredVar}
    assert len(classes) == len(set(classes.values())) > 3  # one for each category


def test_a_report_prints_lists_of_the_wanted_length(profile):
    report = pva.openReport(profile)
    line = {text.split(":")[0]: text for text in str(report).splitlines()}["memory by tile"]
    totals = [str(t.memory.total.excludingGaps) for t in report.compilation.tiles]
    assert line == "memory by tile: 4: " + ", ".join(totals)
    report.listPrintLength(2)
    assert f"memory by tile: 4: {totals[0]}, {totals[1]}, ...\n" in str(report)
    report.listPrintLength(0)
    assert "memory by tile: 4: ...\n" in str(report)


def test_execution_is_what_the_file_says(profile):
    execution, file = pva.openReport(profile).execution, sqlite3.connect(profile)
    assert "turn" in [run.name for run in execution.runs]
    rows = file.execute("SELECT programs.name, programs.type FROM steps JOIN programs ON steps.program = programs.id "
                        "ORDER BY steps.id").fetchall()
    assert [(s.program.name, s.program.type.name) for s in execution.steps] == rows and rows
    cycles = file.execute("SELECT cycles, active_cycles_to_max FROM steps_by_ipu ORDER BY step_id").fetchall()
    assert [(s.ipus[0].cycles, s.ipus[0].activeCycles.cyclesTo.max) for s in execution.steps] == cycles
    assert sum(len(run.steps) for run in execution.runs) == len(execution.steps)
    assert execution.totalCycles >= sum(run.cycles for run in execution.runs) > 0
    assert execution.totalCycles.total == execution.totalCycles and isinstance(execution.totalCycles, int)
    blocks = [b for tile in range(4) for b in execution.blocks(tile)]
    assert len(blocks) == len(execution.blocks()) > 0
    assert all(b.isStreamCopy and not b.isCommon and b.cyclesTo >= b.cyclesFrom for b in blocks)
    assert {b.program.type.name for b in blocks} == {"StreamCopyBegin", "StreamCopyMid", "StreamCopyEnd"}


def test_a_visitor_is_called_by_type(profile):
    class Names(pva.ProgramVisitor):
        def __init__(self):
            self.sets, self.others = [], 0

        def visitOnTileExecute(self, program):
            self.sets.append(program.computeset.name)

        def visitDoExchange(self, program):
            self.others += 1

    report, names, seen = pva.openReport(profile), Names(), []

    def walk(program):
        seen.append(program.type)
        program.accept(names)
        for child in program.children:
            walk(child)

    for program in report.compilation.programs:
        walk(program)
    assert len(names.sets) == seen.count(pva.Program.Type.OnTileExecute) > 0
    assert names.others == seen.count(pva.Program.Type.DoExchange)
    methods = {m[len("visit"):] for m in dir(pva.ProgramVisitor) if m.startswith("visit")}
    assert methods == set(pva.Program.Type.__members__)


def test_a_session_gives_its_report():
    session = session_of(with_engine(debug_instrument="true"), steps=2)
    report = session.getReport()
    assert isinstance(report, pva.Report)
    assert [run.name for run in report.execution.runs].count("turn") == 2
    assert report.compilation.target.tilesPerIpu == 4
    steps = report.execution.steps
    del session, report  # what was taken from it stays
    assert any(step.computeSets and step.cyclesByTile for step in steps)
    with pytest.raises(popart.popart_exception):
        b = popart.Builder()
        y = b.aiOnnx.add([b.addInputTensor("FLOAT", [2])] * 2)
        popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, [y]), device()).getReport()


def test_files_that_are_no_profiles(tmp_path):
    with pytest.raises(pva.Error, match="nowhere.pop"):
        pva.openReport(str(tmp_path / "nowhere.pop"))
    (tmp_path / "text.pop").write_text("hello")
    with pytest.raises(pva.Error, match="is not a profile"):
        pva.openReport(tmp_path / "text.pop")
    with pytest.raises(TypeError):
        pva.openReport(7)


def test_all_of_it_says_what_it_is():
    for name, value in vars(pva).items():
        if name.startswith("_") or not isinstance(value, type):
            continue
        assert value.__module__ == "pva" and value.__doc__, name
        for member, attribute in vars(value).items():
            if not member.startswith("_") and (callable(attribute) or isinstance(attribute, property)):
                assert inspect.getdoc(attribute), f"{name}.{member}"


def test_pva_needs_no_popart():
    code = "import sys, pva; print('popart' in sys.modules, 'popart_core' in sys.modules, 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True,
                          text=True).stdout.split() == ["False"] * 3


def test_programs_belong_to_the_operations_that_made_them(tmp_path):
    popart.initializePoplarDebugInfo(str(tmp_path / "debug.cbor"), "cbor")
    session = session_of(with_engine(autoReport_all="true", autoReport_directory=tmp_path))
    popart.closePoplarDebugInfo()
    del session
    profile = tmp_path / "inference" / "profile.pop"
    report = pva.openReport(profile, tmp_path / "debug.cbor")
    operations = pva.OperationAnalysis(report).operations
    steps = report.execution.steps
    assert operations and any(o.firstStepIndex >= 0 for o in operations)
    for operation in operations:
        ids = {p.id for p in operation.programs()}
        own = [i for i, s in enumerate(steps) if s.program.id in ids]
        assert (operation.firstStepIndex, operation.lastStepIndex) == ((own[0], own[-1]) if own else (-1, -1))
        assert operation.debugContext.parent is None  # nothing is above the libraries' outermost call here
    assert pva.OperationAnalysis(pva.openReport(profile)).operations == []


@pytest.mark.parametrize("form", ["json", "cbor"])
def test_debug_information_goes_to_a_file(tmp_path, profile, form):
    path = tmp_path / f"debug.{form}"
    popart.initializePoplarDebugInfo(str(path), form)
    session_of()
    popart.closePoplarDebugInfo()
    contexts = pva.openReport(profile, path).debugContexts
    assert any(c.layer == "poplibs" for c in contexts)
    if form == "json":
        tree = json.loads(path.read_text())
        assert len(tree["contexts"]) == len(contexts)
    size = os.path.getsize(path)
    session_of()
    assert os.path.getsize(path) == size  # it is closed
    with pytest.raises(ValueError, match='"xml" is neither'):
        popart.initializePoplarDebugInfo(str(path), "xml")
