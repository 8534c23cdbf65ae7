# SPDX-License-Identifier: MIT
"""Rows of calls and of results: the worked examples of the user guide's arithmetic."""
import poptorch
import pytest
from poptorch import OutputMode
from poptorch.options import batching


def options(D=1, A=1, R=1, mode=None, period=None):
    out = poptorch.Options().deviceIterations(D).replicationFactor(R)
    out.Training.gradientAccumulation(A)
    return out.outputMode(mode, period) if mode is not None else out


@pytest.mark.parametrize("batch, given, training, rows, prediction, loss", [
    (16, {}, True, 16, (16, 10), ()),
    (32, {}, False, 32, (32, 10), ()),
    (8, {"D": 50}, True, 400, (8, 10), ()),
    (8, {"D": 50, "mode": OutputMode.All}, True, 400, (400, 10), (50,)),
    (1, {"D": 1000, "mode": OutputMode.EveryN, "period": 20}, True, 1000, (50, 10), (50,)),
    (2, {"D": 100, "R": 4}, True, 800, (8, 10), (4,)),
    (5, {"D": 5, "A": 10, "mode": OutputMode.Sum}, True, 250, (5, 10), ()),
    (1, {"D": 10}, False, 10, (10, 10), (10,)),
    (3, {"D": 4, "A": 2, "R": 2, "mode": OutputMode.EveryN, "period": 2}, True, 48, (24, 10), (8,)),
])
def test_rows(batch, given, training, rows, prediction, loss):
    o = options(**given)
    assert batch * batching.microBatches(o, training) == rows
    assert batching.checkBatch(o, (rows, 3), training=training) == batch
    multiplier = batching.outputMultiplier(o, training)
    assert batching.outputShape((batch, 10), multiplier) == prediction
    assert batching.outputShape((), multiplier) == loss


def test_rows_that_do_not_come_out_even():
    o = options(D=2, A=3, R=2)
    with pytest.raises(AssertionError, match=r"Invalid batch dimension.*x has 13 rows.*multiple of 12.*deviceIterations "
                       r"\(2\).*replicationFactor \(2.*gradientAccumulation \(3\)"):
        batching.checkBatch(o, (13, 4), "x")
    assert batching.checkBatch(o, ()) == 1
    with pytest.raises(AssertionError, match="Invalid batch dimension"):
        batching.checkBatch(o, (1,))


def test_groups_of_replicas():
    o = options(R=4).inputReplicaGrouping(2, poptorch.CommGroupType.Consecutive)
    assert batching.microBatches(o) == 2 and batching.outputMultiplier(o, False) == 4
    assert [batching.inputRows(o, 3, 0, 0, r).first for r in range(4)] == [0, 0, 3, 3]
    o.inputReplicaGrouping(2, poptorch.CommGroupType.Orthogonal)
    assert [batching.inputRows(o, 3, 0, 0, r).first for r in range(4)] == [0, 3, 0, 3]
    o.inputReplicaGrouping(4, poptorch.CommGroupType.NoGrouping)
    assert batching.inputGroups(o) == 4
    with pytest.raises(ValueError, match="groups of 3 do not divide"):
        batching.inputGroups(o.inputReplicaGrouping(3, poptorch.CommGroupType.Consecutive))


def test_the_order_of_rows():
    o = options(D=2, A=2, R=2)
    order = [batching.inputRows(o, 5, d, a, r).first for d in range(2) for a in range(2) for r in range(2)]
    assert order == list(range(0, 40, 5))


def test_every_n_divides():
    with pytest.raises(AssertionError, match="period 3 does not divide deviceIterations"):
        batching.outputMultiplier(options(D=4, mode=OutputMode.EveryN, period=3), True)
