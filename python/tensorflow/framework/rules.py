# SPDX-License-Identifier: MIT
"""An optimiser's update as the graph's own rule, with TensorFlow's operations: it runs once for all batches whose gradients are
accumulated, after replicas have added theirs up."""
import popart

from tensorflow.framework.context import placed
from tensorflow.framework.logs import warning


def write_rule(graph, loss, optimizer, variables):
    """loss: of one batch, as optimizer.to_minimize gave it; variables: those that are trained."""
    depends = graph.recorder.depends(loss.number, [graph.declare(v) for v in variables])
    missing = [v.name for v, d in zip(variables, depends) if not d]
    if missing:
        warning(f"Gradients do not exist for variables {missing} when minimizing the loss.")
    before = set(graph.variables)
    with placed(update=True):
        optimizer.apply_minimized([(graph.record("WeightGradient", [v])[0], v) for v, d in zip(variables, depends) if d])
    for key in set(graph.variables) - before:
        variable, number, *_ = graph.variables[key]
        if variable.shape.rank and key in {id(slot) for slot in optimizer.weights}:
            graph.recorder.state(number)


def unused_optimizer(accum):
    """What a training session of such a graph is given: it only says what type gradients are gathered in."""
    return popart.SGD({"defaultLearningRate": (1.0, True)}, [], popart.SGDAccumulatorAndMomentum.Separate, accum)
