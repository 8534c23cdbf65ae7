# SPDX-License-Identifier: MIT
"""faults.py WHAT [FILE]: instances that differ, fail, leave, or begin again; faults.sh says what must happen."""
import os
import signal
import sys

import numpy as np
import popart
import popdist
import popdist.popart
import train

STEPS, HALF = 8, 4
what, rank = sys.argv[1], popdist.getInstanceIndex()


def rated(rate):
    return popart.SGD({"defaultLearningRate": (rate, False), "defaultMomentum": (0.9, False)})


def session_of(model, loss, options, rate=0.02):
    device = popdist.popart.getDevice()
    session = popart.TrainingSession(model, popart.DataFlow(1, [loss]), loss, rated(rate), device, userOptions=options)
    session.prepareDevice()
    session.weightsFromHost()
    return session


def steps(session, first, last, fault=None):
    anchors = session.initAnchorArrays()
    for step in range(first, last):
        if fault and rank == 1 and step == HALF:
            fault()
        session.run(popart.PyStepIO(train.data(step, 3), anchors))


def fails():
    raise RuntimeError("the data of this instance ended")


def whole(fault=None):
    builder, loss = train.build("sharded")
    session = session_of(builder.getModelProto(), loss, train.options_of("sharded"))
    session.setRandomSeed(7)
    steps(session, 0, STEPS, fault)
    return session


if what == "differ":
    train.HIDDEN += rank
    whole()
elif what == "rates":  # differ from the start
    builder, loss = train.build("sharded")
    steps(session_of(builder.getModelProto(), loss, train.options_of("sharded"), 0.02 * (1 + rank)), 0, STEPS)
elif what == "new_rate":  # of one instance
    builder, loss = train.build("sharded")
    session = session_of(builder.getModelProto(), loss, train.options_of("sharded"))
    steps(session, 0, STEPS, lambda: session.updateOptimizerFromHost(rated(0.5)))
elif what == "weights":  # begin as those of the first instance
    builder, loss = train.build("plain")
    session = session_of(builder.getModelProto(), loss, train.options_of("plain"))
    weights = {"first": np.full((train.INPUTS, train.HIDDEN), float(rank + 1), np.float32)}
    session.writeWeights(popart.PyWeightsIO(weights))
    session.weightsFromHost()
    session.weightsToHost()
    session.readWeights(popart.PyWeightsIO(weights))
    assert (weights["first"] == 1).all(), weights["first"]
elif what == "raise":
    whole(fails)
elif what == "leave":
    whole(lambda: sys.exit(0))
elif what == "kill":
    whole(lambda: os.kill(os.getpid(), signal.SIGKILL))
elif what == "skip":  # one more step than the others
    session = whole()
    if rank == 0:
        steps(session, STEPS, STEPS + 1)
elif what == "library":
    popdist.registerBackend("/nowhere/libnone.so")
    whole()
elif what == "save":
    session = whole()
    session.modelToHost(sys.argv[2])
elif what == "half":  # and its checkpoint, which instance 0 writes
    builder, loss = train.build("sharded")
    session = session_of(builder.getModelProto(), loss, train.options_of("sharded"))
    session.setRandomSeed(7)
    steps(session, 0, HALF)
    seed = session.getRandomSeed()
    session.modelToHost(sys.argv[2] if rank == 0 else f"of_instance_{rank}.onnx")  # all have shards to give
    if rank == 0:
        with open(sys.argv[2] + ".seed", "w", encoding="utf-8") as file:
            file.write(str(seed))
elif what == "rest":
    _, loss = train.build("sharded")
    session = session_of(sys.argv[2], loss, train.options_of("sharded"))
    with open(sys.argv[2] + ".seed", encoding="utf-8") as file:
        session.setRandomSeed(int(file.read()))
    steps(session, HALF, STEPS)
    session.modelToHost(sys.argv[2] + ".end")
