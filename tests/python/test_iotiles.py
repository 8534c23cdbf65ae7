# SPDX-License-Identifier: MIT
"""Tiles for input and output alone: nothing computes on them, what is told to passes over them, numbers stay."""
import numpy as np
import popart
import pytest
from harness import device

IO, COMPUTE = popart.TileSet.IO, popart.TileSet.Compute
X = np.random.default_rng(3).normal(size=[4, 48, 64]).astype(np.float32)  # micro-batches, rows, columns
W = np.random.default_rng(4).normal(size=[64, 40]).astype(np.float32)


ALL_RUNS = {"autoReport.executionProfileProgramRunCount": "100"}


def elapsed(report):
    """Cycles of the step: from its begin to its end, whatever ran side by side."""
    (step,) = [run for run in report.execution.runs if run.name == "step"]
    return step.cycles


def run(io_tiles, tiles=64, ipus=1, inputs=IO, anchor=("All",), outputs=IO, strategy="JustInTime", x=X):
    b = popart.Builder()
    data = b.addInputTensor(popart.TensorInfo("FLOAT", [48, 64]),
                         popart.InputSettings(inputs, getattr(popart.ExchangeStrategy, strategy)), "x")
    w = b.addInitializedInputTensor(W, "w")
    with b.virtualGraph(0):
        y = b.aiOnnx.matmul([data, w])
    with b.virtualGraph(ipus - 1):
        z = b.aiOnnx.relu([y])
    options = popart.SessionOptions()
    options.numIOTiles = io_tiles
    if ipus > 1:
        options.virtualGraphMode = popart.VirtualGraphMode.Manual
    options.engineOptions = {"debug.instrument": "true", "autoReport.outputLoweredVars": "true", **ALL_RUNS}
    returned = popart.AnchorReturnType(*anchor, outputs, getattr(popart.ExchangeStrategy, strategy))
    flow = popart.DataFlow(len(x), {z: returned})
    session = popart.InferenceSession(b.getModelProto(), flow, device(ipus, tiles), userOptions=options)
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO({data: x}, anchors), "step")
    return anchors[z], session.getReport()


def host_tiles(report, name):
    """Tiles that bytes of a stream go to or come from."""
    out = set()
    for program in report.compilation.allPrograms:
        if program.type.name == "StreamCopyMid" and name(program):
            moved = np.array(program.bytesReceivedByTile) + np.array(program.bytesSentByTile)
            out |= set(np.flatnonzero(moved).tolist())
    return out


@pytest.mark.parametrize("anchor", [("All",), ("Final",), ("Sum",), ("EveryN", 2)])
def test_results_are_those_without_io_tiles(anchor):
    plain, _ = run(0, anchor=anchor)
    y = np.maximum(X.astype(np.float64) @ W, 0)
    expected = {"All": y, "Final": y[-1], "Sum": y.sum(0), "EveryN": y[1::2]}[anchor[0]]
    np.testing.assert_allclose(plain, expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(run(32, anchor=anchor)[0], plain)
    np.testing.assert_array_equal(run(32, anchor=anchor, inputs=COMPUTE, outputs=COMPUTE)[0], plain)
    np.testing.assert_array_equal(run(32, ipus=2, anchor=anchor)[0], plain)


@pytest.mark.parametrize("ipus", [1, 2])
def test_io_tiles_hold_what_passes_and_compute_nothing(ipus):
    _, report = run(32, ipus=ipus)
    passed = {v.tileId for v in report.compilation.loweredVariables.allBriefVars
              if v.hasUnloweredVar and v.unloweredVar.name.startswith("ioTiles/")}
    assert passed
    busy = {tile for step in report.execution.steps if step.computeSets
            and not step.program.name.startswith("ioTileCopy") for tile, cycles in enumerate(step.cyclesByTile) if cycles}
    others = {v.tileId for v in report.compilation.loweredVariables.allBriefVars
              if v.hasUnloweredVar and not v.unloweredVar.name.startswith("ioTiles/")}
    assert busy and not passed & busy and not passed & others
    assert len(others | busy) <= ipus * 32
    streamed = host_tiles(report, lambda p: any(v.name.startswith("ioTiles/") for v in p.vars))
    assert streamed == passed
    # Without them the same tiles would be shared.
    _, plain = run(0, ipus=ipus)
    assert not [v for v in plain.compilation.variables if v.name.startswith("ioTiles/")]


def test_numbers_of_io_tiles_that_cannot_be():
    for number in (2, 33, -2):
        with pytest.raises(popart.popart_exception, match=f"numIOTiles is {number}"):
            run(number)
    with pytest.raises(popart.popart_exception, match="none would be left to compute"):
        run(64)


@pytest.mark.parametrize("strategy", ["OverlapInnerLoop", "OverlapLoops"])
def test_overlapped_transfers_cost_only_what_is_longer(strategy):
    for count in (1, 2, 3, 4):
        for anchor in (("All",), ("Sum",), ("Final",)):
            plain, in_turn = run(32, anchor=anchor, x=X[:count])
            ours, overlapped = run(32, anchor=anchor, x=X[:count], strategy=strategy)
            np.testing.assert_array_equal(ours, plain)
            if count == 1:
                assert elapsed(overlapped) >= elapsed(in_turn)
            else:
                assert elapsed(overlapped) < elapsed(in_turn)
    # A longer loop saves the shorter of transfer and computation in every turn.
    saved = [elapsed(run(32, x=x)[1]) - elapsed(run(32, x=x, strategy=strategy)[1])
             for x in (np.tile(X, [n, 1, 1]) for n in (1, 2, 3))]
    assert saved[1] - saved[0] == saved[2] - saved[1] > 0


def test_other_traffic_forbids_overlap():
    plain, in_turn = run(32, outputs=COMPUTE)
    ours, same = run(32, outputs=COMPUTE, strategy="OverlapLoops")
    np.testing.assert_array_equal(ours, plain)
    assert elapsed(same) == elapsed(in_turn)
    every = [run(32, anchor=("EveryN", 2), strategy=s)[1] for s in ("OverlapLoops", "JustInTime")]
    assert elapsed(every[0]) == elapsed(every[1])


def trained(strategy, accumulation):
    b = popart.Builder()
    x = b.addInputTensor(popart.TensorInfo("FLOAT", [48, 64]),
                         popart.InputSettings(IO, getattr(popart.ExchangeStrategy, strategy)), "x")
    w = b.addInitializedInputTensor(W, "w")
    y = b.aiOnnx.matmul([x, w])
    loss = b.aiGraphcore.l1loss([y], 0.1)
    options = popart.SessionOptions()
    options.numIOTiles = 32
    options.engineOptions = ALL_RUNS
    options.enableGradientAccumulation = accumulation > 1
    options.accumulationFactor = accumulation
    flow = popart.DataFlow(4 // accumulation,
                           {loss: popart.AnchorReturnType("All", IO, getattr(popart.ExchangeStrategy, strategy))})
    session = popart.TrainingSession(b.getModelProto(), flow, loss, popart.ConstSGD(0.01), device(1, 64), userOptions=options)
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO({x: X}, anchors), "step")
    session.weightsToHost()
    weights = {w: np.empty_like(W)}
    session.readWeights(popart.PyWeightsIO(weights))
    return anchors[loss], weights[w], elapsed(session.getReport())


@pytest.mark.parametrize("accumulation", [1, 2, 4])
def test_training_gives_the_same_weights_overlapped(accumulation):
    losses, weights, cycles = trained("JustInTime", accumulation)
    others, same, fewer = trained("OverlapInnerLoop", accumulation)
    np.testing.assert_array_equal(losses, others)
    np.testing.assert_array_equal(weights, same)
    assert not np.array_equal(weights, W) and fewer < cycles
