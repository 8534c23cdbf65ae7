# SPDX-License-Identifier: MIT
"""Which IPU, stage and phase blocks get, and what strategies refuse."""
import poptorch
import pytest
from poptorch import AutoStage, Phase, Stage
from poptorch.options.strategies import ipusToReserve


def placed(strategy, *blocks):
    return [tuple(place) for place in strategy.place([b if isinstance(b, tuple) else (b, None) for b in blocks])]


def test_automatic_stages():
    for strategy in (poptorch.PipelinedExecution(), poptorch.PipelinedExecution(AutoStage.SameAsIpu)):
        assert placed(strategy, ("0", 0), ("1", 2), ("1", 2)) == [(0, 0, None), (2, 2, None), (2, 2, None)]
        assert placed(strategy, "0", "1") == [(0, 0, None)] * 2
    each = poptorch.PipelinedExecution(AutoStage.AutoIncrement)
    assert placed(each, ("a", 0), ("b", 1), ("b", 1), ("c", 0)) == [(0, 0, None), (1, 1, None), (1, 1, None), (0, 2, None)]
    assert placed(each, "a", "b") == [(0, 0, None), (1, 1, None)]


def test_stages_of_the_user():
    strategy = poptorch.PipelinedExecution(Stage("a", "b"), "c", ["d", "e"])
    assert placed(strategy, "a", "b", ("c", 3), "d", "e") == [
        (0, 0, None), (0, 0, None), (3, 1, None), (2, 2, None), (2, 2, None)]
    strategy.stage("c").ipu(1)
    strategy.stage(2).ipu(0)
    assert placed(strategy, ("c", 3), ("d", 3)) == [(1, 1, None), (0, 2, None)]
    assert strategy.stage("a").blocks == ["a", "b"]
    sharded = poptorch.ShardedExecution(Stage("a").ipu(1), "b")
    assert placed(sharded, "a", "b", "a") == [(1, None, None), (1, None, None), (1, None, None)]


def test_what_stages_refuse():
    with pytest.raises(AssertionError, match="Unknown Block 'x'"):
        placed(poptorch.PipelinedExecution("a"), "x")
    with pytest.raises(AssertionError, match="'a' is associated with more than one stage"):
        poptorch.PipelinedExecution("a", ["b", "a"])
    with pytest.raises(poptorch.Error, match="'a' is in stage 0, but comes after stage 1. Stages must ascend"):
        placed(poptorch.PipelinedExecution("a", "b"), "a", "b", "a")
    with pytest.raises(poptorch.Error, match="IPU -1"):
        placed(poptorch.PipelinedExecution(), ("a", -1))
    for wrong in (lambda: Stage(), lambda: Stage(None), lambda: Stage("a").ipu(-1), lambda: poptorch.PipelinedExecution([]),
                  lambda: Phase(), lambda: Phase("a", Stage("b")), lambda: Phase("a").ipus(0, 1), lambda: Phase("a").stage(1)):
        with pytest.raises(AssertionError):
            wrong()


def test_serial_phases():
    strategy = poptorch.SerialPhasedExecution(Phase(Stage("a"), Stage("b")), "c", [Stage("d"), Stage("e")], ["f", "g"])
    assert placed(strategy, *"abcdefg") == [(0, None, 0), (1, None, 0), (0, None, 1), (0, None, 2), (1, None, 2),
                                            (0, None, 3), (0, None, 3)]
    strategy.phase(0).ipus(2, 3)
    assert placed(strategy, "a", "b") == [(2, None, 0), (3, None, 0)] and strategy.phases == 4
    assert strategy.setTensorsLiveness(poptorch.Liveness.OffChipAfterFwd).liveness == poptorch.Liveness.OffChipAfterFwd
    assert strategy.useSeparateBackwardPhase().separate_backward_phase


def test_parallel_phases():
    strategy = poptorch.ParallelPhasedExecution("a", "b", Phase(Stage("c"), Stage("d")))
    assert placed(strategy, *"abcd") == [(0, None, 0), (1, None, 1), (0, None, 2), (2, None, 2)]
    strategy.phase(0).ipus(1)
    with pytest.raises(AssertionError, match="even phases must run on even IPUs"):
        placed(strategy, "a")
    with pytest.raises(AssertionError, match="odd phases must run on odd IPUs"):
        placed(strategy, ("b", 2))


def test_phases_must_be_given():
    for kind in (poptorch.SerialPhasedExecution, poptorch.ParallelPhasedExecution):
        for args in ((), (AutoStage.SameAsIpu,)):
            with pytest.raises(AssertionError, match="no AutoStage for PhasedExecution"):
                kind(*args)


def test_pipelines_need_enough_batches():
    def check(training, blocks=(("0", 0), ("1", 1), ("2", 2), ("3", 3)), strategy=None, before=False, **given):
        options = poptorch.Options().deviceIterations(given.get("D", 1))
        options.Training.gradientAccumulation(given.get("A", 1))
        placer = (strategy or poptorch.PipelinedExecution()).placer()
        if before:
            placer.beforeBlocks()
        for block, ipu in blocks:
            placer.place(block, ipu)
        placer.check(options, training)
    check(True, A=7)
    check(False, D=4)
    check(True, (("0", 0), ("1", 0)))  # one IPU is no pipeline
    check(True, strategy=poptorch.ShardedExecution())
    check(True, (("0", 0), ("1", 1)), before=True, A=3)
    with pytest.raises(poptorch.Error, match=r"pipeline stages \(3\) when using poptorch.PipelinedExecution. Please note that "
                       r"a model with 2 pipeline stages in PopTorch will have an additional 1 stages when training. It is 1,.* "
                       r"Use Training.gradientAccumulation\(3\) or more \(an inferenceModel of it needs "
                       r"deviceIterations\(2\)\)"):
        check(True, (("1", 1),), before=True)  # what has no block is on IPU 0
    with pytest.raises(poptorch.Error, match=r"gradientAccumulation must be greater than or equal to the number of "
                       r"pipeline stages \(7\) when using poptorch.PipelinedExecution. Please note that a model with 4 "
                       r"pipeline stages in PopTorch will have an additional 3 stages when training. It is 6"):
        check(True, A=6, D=20)
    with pytest.raises(poptorch.Error, match=r"deviceIterations must be greater than or equal to the number of "
                       r"pipeline stages \(4\).* 4 times.* Use deviceIterations\(4\) or more"):
        check(False, D=3)


def test_ipus_come_in_powers_of_two():
    options = poptorch.Options().replicationFactor(3)
    assert ipusToReserve(1, poptorch.Options()) == 1
    with pytest.raises(poptorch.Error, match="PopTorch must reserve a minimum of 4"):
        ipusToReserve(1, options)
    assert ipusToReserve(2, options.autoRoundNumIPUs()) == 8
    with pytest.raises(poptorch.Error, match=r"Too many IPUs requested \(66\). Experiments that need more than 64"):
        ipusToReserve(22, options)
    offline = poptorch.Options().replicationFactor(3).useOfflineIpuTarget()
    assert ipusToReserve(1, offline) == 3  # nothing is reserved
