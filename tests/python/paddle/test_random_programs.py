# SPDX-License-Identifier: MIT
"""Random static programs: their results and what one step of SGD makes of their parameters, on the CPU place and on an IPU,
against torch. A program is wrong if it is wrong on three sets of data: where sums are rounded, equal values may part."""
import os
import sys

import numpy as np
import pytest
from programs import RandomProgram

import paddle
from paddle import static

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from random_seeds import check_thrice, seeds

RATE = 0.125


def parameters():
    return {p.name: np.array(static.global_scope().array(p.name)) for p in static.default_main_program().all_parameters()
            if p.trainable}


def restore(values):
    for name, value in values.items():
        static.global_scope().find_var(name).get_tensor().set(value)


def on_ipu(program):
    strategy = static.IpuStrategy()
    strategy.set_graph_config(is_training=True, micro_batch_size=program.batch)
    ipu = static.IpuCompiledProgram(ipu_strategy=strategy)
    return ipu, ipu.compile(["x", "label"], [program.y.name, program.loss.name])


def off(found, expected):
    """How far, in parts of what is tolerated: sums that cancel out are as rough as what is summed."""
    worst, largest = 0.0, max(float(np.abs(b).max(initial=0)) for b in expected)
    for a, b in zip(found, expected):
        size = max(float(np.abs(b).max(initial=0)), 1e-3)
        worst = max(worst, float(np.abs(a - b).max(initial=0)) / (2e-4 * size + 1e-5 * largest + 1e-6))
    return worst if np.isfinite(worst) else np.inf


def wrong(program, exe, first):
    """What differs on one set of data; "" if nothing does."""
    x, label = program.data()
    result, gradients = program.torch(first, x, label)
    steps = [-RATE * gradients[name] for name in first]
    if not all(np.isfinite(a).all() and np.abs(a).max(initial=0) < 1e6 for a in (result, *steps)):
        return ""
    said, found = [], {}
    for place in ("CPU", "IPU"):
        restore(first)
        ipu, compiled = on_ipu(program) if place == "IPU" else (None, static.default_main_program())
        y, _ = exe.run(compiled, feed={"x": x, "label": label}, fetch_list=[program.y, program.loss])
        if ipu is not None:
            ipu._backend.weights_to_host()
            ipu._backend.reset()
        now = parameters()
        found[place] = [y, *[now[name] - first[name] for name in first]]
        if (by := off(found[place], [result, *steps])) > 1:
            said.append(f"{place} is {by:.1f} tolerances off")
    if (by := off(found["IPU"], found["CPU"])) > 1:
        said.append(f"IPU and CPU are {by:.1f} tolerances apart")
    return "; ".join(said)


@pytest.mark.parametrize("seed", seeds(80))
def test_cpu_and_ipu_compute_what_torch_does(seed):
    program = RandomProgram(seed)
    paddle.optimizer.SGD(RATE).minimize(program.loss)
    exe = static.Executor(paddle.CPUPlace())
    exe.run(static.default_startup_program())
    program.start(static.global_scope())
    first = parameters()
    check_thrice(seed, program, lambda: wrong(program, exe, first))
