# SPDX-License-Identifier: MIT
"""Models on several IPUs learn what they learn on one; long trainings follow torch's."""
import pytest
import torch

import poptorch
from poptorch import Phase, Stage, TensorLocationSettings


class Blocks(torch.nn.Module):
    """Four layers, each a block of its own; a weight that is used twice."""

    def __init__(self, ipus=(None,) * 4):
        super().__init__()
        torch.manual_seed(5)
        self.layers = torch.nn.ModuleList(torch.nn.Linear(6, 6) for _ in range(4))
        self.ipus = ipus

    def forward(self, x, y=None):
        for i, layer in enumerate(self.layers):
            with poptorch.Block(f"b{i}", ipu_id=self.ipus[i]):
                x = torch.tanh(poptorch.recomputationCheckpoint(layer(x)) @ layer.weight)
                if i == 3 and y is not None:
                    return x, torch.nn.functional.mse_loss(x, y)
        return x


class Plain(Blocks):
    """The same without blocks."""

    def forward(self, x, y=None):
        for layer in self.layers:
            x = torch.tanh(layer(x) @ layer.weight)
        return x if y is None else (x, torch.nn.functional.mse_loss(x, y))


def data(rows):
    made = torch.Generator().manual_seed(3)
    return torch.randn(rows, 6, generator=made), torch.randn(rows, 6, generator=made)


def train(net, options, steps=3, rows=32, make=lambda p: torch.optim.SGD(p, lr=0.2, momentum=0.9)):
    model = poptorch.trainingModel(net, options, make(net.parameters()))
    losses = [model(*data(rows))[1].clone() for _ in range(steps)]
    return losses, [w.detach().clone() for w in net.parameters()], model


def options(accumulation=8, replicas=1, iterations=1):
    made = poptorch.Options().replicationFactor(replicas).deviceIterations(iterations)
    made.Training.gradientAccumulation(accumulation)
    return made


def pipelined():
    return poptorch.PipelinedExecution(*(Stage(f"b{i}").ipu(i) for i in range(4)))


def two_stages():
    return poptorch.PipelinedExecution(Stage("b0", "b1"), Stage("b2", "b3"))


def sharded():
    return poptorch.ShardedExecution(Stage("b0").ipu(0), Stage("b1").ipu(1), Stage("b2").ipu(0), Stage("b3").ipu(1))


def serial():
    return poptorch.SerialPhasedExecution(*(Phase(f"b{i}") for i in range(4)))


def parallel():
    return poptorch.ParallelPhasedExecution(*(Phase(f"b{i}").ipus(i % 2) for i in range(4)))


def serial_on_two():
    strategy = poptorch.SerialPhasedExecution(Phase(Stage("b0"), Stage("b1")), [Stage("b2"), Stage("b3")])
    strategy.phase(0).ipus(0, 1)
    return strategy.useSeparateBackwardPhase()


def parallel_on_four():
    return poptorch.ParallelPhasedExecution(Phase(Stage("b0"), Stage("b1")).ipus(0, 2),
                                            Phase(Stage("b2"), Stage("b3")).ipus(1, 3))


def one_phase():
    return poptorch.SerialPhasedExecution(Phase("b0", "b1", "b2", "b3"))


STRATEGIES = {"pipelined": pipelined, "two stages": two_stages, "sharded": sharded, "serial": serial,
              "parallel": parallel, "serial on two": serial_on_two, "parallel on four": parallel_on_four,
              "one phase": one_phase}


def same(ours, theirs, tolerance=1e-4):
    for a, b in zip(ours[1], theirs[1]):
        torch.testing.assert_close(a, b, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("replicas", [1, 2])
def test_strategies_learn_the_same(name, replicas):
    plain = train(Plain(), options(replicas=replicas))
    placed = train(Blocks(), options(replicas=replicas).setExecutionStrategy(STRATEGIES[name]()))
    same(plain, placed)
    ipus = {"pipelined": 4, "parallel on four": 4, "serial": 1, "one phase": 1}.get(name, 2)
    assert placed[2]._device.numIpus == ipus * replicas


@pytest.mark.parametrize("name", STRATEGIES)
def test_strategies_infer_the_same(name):
    made = poptorch.Options().deviceIterations(8).setExecutionStrategy(STRATEGIES[name]())
    x = data(16)[0]
    ours = poptorch.inferenceModel(Blocks(), made)(x)
    torch.testing.assert_close(ours, Plain()(x).detach(), rtol=1e-4, atol=1e-4)


def off_chip(o):
    o.TensorLocations.setOptimizerLocation(TensorLocationSettings().useOnChipStorage(False).minElementsForOffChip(1))


def sharded_state(o):
    o.TensorLocations.setOptimizerLocation(
        TensorLocationSettings().useReplicatedTensorSharding().minElementsForReplicatedTensorSharding(1))


def stored(o):
    o._Popart.set("autoRecomputation", 0)


def recomputed(o):
    o._Popart.set("autoRecomputation", 3 if o.execution_strategy.pipelines else 1)


def summed(o):
    o.Training.accumulationAndReplicationReductionType(poptorch.ReductionType.Sum)


@pytest.mark.parametrize("name", ["pipelined", "sharded", "serial"])
@pytest.mark.parametrize("change", [off_chip, sharded_state, stored, recomputed, summed])
def test_strategies_with_other_options(name, change):
    make = lambda p: poptorch.optim.AdamW(p, lr=0.01)
    base = options(replicas=2)
    if change is summed:
        change(base)
    placed = options(replicas=2).setExecutionStrategy(STRATEGIES[name]())
    change(placed)
    same(train(Plain(), base, make=make), train(Blocks(), placed, make=make))


def transfers(strategy):
    """How often weights come from memory beside the chip in a step of training."""
    made = options(1).setExecutionStrategy(strategy)
    made.TensorLocations.setWeightLocation(TensorLocationSettings().minElementsForOffChip(1))
    model = train(Blocks(), made, steps=1)[2]
    return model._debugGetPopartIR().count('"name":"remoteLoad/layers')


def test_phases_say_what_waits_beside_the_chip():
    off_chip = transfers(serial())
    assert off_chip > 0
    assert transfers(serial().setTensorsLiveness(poptorch.Liveness.OffChipAfterEachPhase)) == off_chip
    assert transfers(serial().setTensorsLiveness(poptorch.Liveness.AlwaysLive)) == 0
    assert transfers(parallel().sendTensorsOffChipAfterFwd(False)) == 0
    separate = train(Blocks(), options(1).setExecutionStrategy(serial().useSeparateBackwardPhase()), steps=1)[2]
    assert separate._compiled.session_options.executionPhaseSettings.phases == 5  # 0 1 2 3, then 5 6 7 8


def test_blocks_of_modules_and_automatic_stages():
    plain = train(Plain(), options())
    for stage in poptorch.AutoStage:
        net = Plain()
        for i, layer in enumerate(net.layers):
            poptorch.BeginBlock(layer, ipu_id=i // 2)
        same(plain, train(net, options().setExecutionStrategy(poptorch.PipelinedExecution(stage))))
        assert "BeginBlock" in poptorch.module_repr(net)
        poptorch.removeBlocks(net)


def test_checks_of_strategies():
    two = lambda: Blocks((0, 0, 1, 1))
    x, y = data(4)
    with pytest.raises(poptorch.Error, match=r"must be greater than or equal to the number of pipeline stages \(3\)"):
        poptorch.trainingModel(two(), options(2))(x, y)
    with pytest.raises(poptorch.Error, match=r"must be greater than or equal to the number of pipeline stages \(2\)"):
        poptorch.inferenceModel(two())(x)
    with pytest.raises(poptorch.Error, match="PopTorch must reserve a minimum of 4"):
        poptorch.inferenceModel(Blocks((0, 1, 2, 2)), poptorch.Options().deviceIterations(4))(x)
    with pytest.raises(poptorch.Error, match="Too many IPUs requested"):
        poptorch.inferenceModel(Blocks((0, 1, 2, 99)), poptorch.Options().deviceIterations(4))(x)
    with pytest.raises((poptorch.Error, AssertionError), match="Unknown Block"):
        poptorch.inferenceModel(two(), poptorch.Options().setExecutionStrategy(
            poptorch.PipelinedExecution(Stage("b0"), Stage("b1"))))(x)
    with pytest.raises(poptorch.Error, match="Stages must ascend"):
        poptorch.inferenceModel(Blocks((1, 0, 1, 1)), poptorch.Options().deviceIterations(4).setExecutionStrategy(
            poptorch.PipelinedExecution(poptorch.AutoStage.SameAsIpu)))(x)
    with pytest.raises(AssertionError, match="more than one stage"):
        poptorch.PipelinedExecution(Stage("a"), Stage("a"))
    with pytest.raises(AssertionError, match="no AutoStage for PhasedExecution"):
        poptorch.SerialPhasedExecution()
    with pytest.raises(AssertionError, match="even phases must run on even IPUs"):
        poptorch.inferenceModel(Blocks(), poptorch.Options().setExecutionStrategy(
            poptorch.ParallelPhasedExecution(*(Phase(f"b{i}").ipus(1) for i in range(4)))))(x)


@pytest.mark.parametrize("ipu", [-1, 0.5, True, "0"])
def test_numbers_of_ipus_that_cannot_be(ipu):
    for make in (lambda: poptorch.BeginBlock(torch.nn.Linear(1, 1), "a", ipu_id=ipu), lambda: poptorch.Block("a", ipu_id=ipu),
                 lambda: poptorch.Block.start("a", ipu_id=ipu), lambda: poptorch.BlockFunction("a", ipu)(abs)(1)):
        with pytest.raises(poptorch.Error, match="a number from 0 on"):
            make()


def test_operators_without_a_block():
    class Loose(torch.nn.Module):
        def forward(self, x):
            with poptorch.Block("a", ipu_id=0):
                x = x + 1
            return x * 2

    with pytest.raises(poptorch.Error, match="No active Block"):
        poptorch.inferenceModel(Loose())(torch.ones(2))
    assert Loose()(torch.ones(1)) == 4  # on the CPU


def test_options_of_popdist_in_a_process_alone(monkeypatch):
    import popdist.poptorch
    monkeypatch.delenv("POPDIST_NUM_TOTAL_REPLICAS", raising=False)
    options = popdist.poptorch.Options(ipus_per_replica=2)
    assert options.replication_factor == 1 and options.Distributed.numProcesses == 1 and options.ipu_id is None


def test_a_model_waits_for_the_ipu_that_it_names(monkeypatch):
    import threading
    first = poptorch.inferenceModel(torch.nn.ReLU(), poptorch.Options().useIpuId(0))
    first(torch.ones(2))
    second = poptorch.inferenceModel(torch.nn.ReLU(), poptorch.Options().useIpuId(0))
    with pytest.raises(poptorch.Error, match="Failed to acquire device with id 0"):
        second(torch.ones(2))
    monkeypatch.setenv("POPTORCH_WAIT_FOR_IPU", "1")
    later = threading.Timer(0.3, first.detachFromDevice)
    later.start()
    assert torch.equal(second(torch.ones(2)), torch.ones(2))
    later.join()
    with pytest.raises(poptorch.Error, match="Failed to acquire device with id 4711"):
        poptorch.inferenceModel(torch.nn.ReLU(), poptorch.Options().useIpuId(4711))(torch.ones(2))
