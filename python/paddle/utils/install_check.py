# SPDX-License-Identifier: MIT
"""run_check: small programs whose results are compared with numbers that are computed here once more."""
from __future__ import annotations

from typing import Any

import numpy as np

from .. import current, modes, nn, optimizer, scopes, static, tensor, unique_name
from ..places import CPUPlace


def _layer(batch):
    """A program with one layer, a loss and an update; what is fed."""
    x = static.data("inp", [-1, 2], "float32")
    layer = nn.Linear(2, 4)
    out = layer(x)
    loss = tensor.mean(out)
    return layer, out, loss, {"inp": np.arange(batch * 2, dtype=np.float32).reshape(batch, 2)}


def _expect(what, result, expected):
    if not np.allclose(result, expected, rtol=1e-4, atol=1e-5):
        raise RuntimeError(f"run_check: {what} is {result}, and should be {expected}.")


def _values(layer):
    return [np.array(p.get_value()) for p in (layer.weight, layer.bias)]


def _check_static():
    layer, out, _, feed = _layer(3)
    exe = static.Executor(CPUPlace())
    exe.run(current.default_startup_program())
    weight, bias = _values(layer)
    _expect("the result of a layer", exe.run(feed=feed, fetch_list=[out])[0], feed["inp"] @ weight + bias)


def _check_update(parallel):
    """One step of Adam, of 0.1 in the direction of each gradient; two places share the batch."""
    layer, _, loss, feed = _layer(4)
    optimizer.Adam(learning_rate=0.1).minimize(loss)
    exe = static.Executor(CPUPlace())
    exe.run(current.default_startup_program())
    weight, bias = _values(layer)
    program: Any = current.default_main_program()
    if parallel:
        program = static.CompiledProgram(program).with_data_parallel(loss.name, places=[CPUPlace(), CPUPlace()])
    result, = exe.run(program, feed=feed, fetch_list=[loss])
    _expect("the loss", result[0], np.mean(feed["inp"] @ weight + bias))
    moved, shifted = _values(layer)
    _expect("the weights after a step", moved, weight - 0.1)
    _expect("the bias after a step", shifted, bias - 0.1)


def _alone(check, *args):
    with static.scope_guard(scopes.Scope()), unique_name.guard(), \
            static.program_guard(static.Program(), static.Program()):
        check(*args)


def run_check() -> None:
    """Says whether this installation computes."""
    before = modes.in_dynamic_mode()
    print("Running verify PaddlePaddle program ... ")
    modes.enable_static()
    try:
        _alone(_check_static)
        _alone(_check_update, False)
        print("PaddlePaddle works well on 1 CPU.")
        try:
            _alone(_check_update, True)
        except Exception as problem:
            print(f"PaddlePaddle meets some problem with 2 CPUs: {problem}")
            print("PaddlePaddle is installed successfully ONLY for single CPU! Let's start deep learning with PaddlePaddle "
                  "now.")
            return
        print("PaddlePaddle works well on 2 CPUs.")
        print("PaddlePaddle is installed successfully! Let's start deep learning with PaddlePaddle now.")
    finally:
        if before:
            modes.disable_static()
