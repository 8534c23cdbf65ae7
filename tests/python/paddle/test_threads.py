# SPDX-License-Identifier: MIT
"""One program that several threads run: each gets its own results. Others may look for IPUs meanwhile."""
import os
import sys

import numpy as np
import paddle
import pytest
from paddle import static
from paddle.ipu.runner import IpuRunner

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from threads import together


@pytest.mark.parametrize("place", ["cpu", "ipu"])
def test_each_thread_gets_its_own_results(place):
    paddle.enable_static()
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        x = static.data("x", [1, 4])
        y = x * 2.0
    exe = static.Executor(paddle.CPUPlace() if place == "cpu" else paddle.IPUPlace())
    exe.run(startup)
    if place == "ipu":
        strategy = static.IpuStrategy()
        strategy.set_graph_config(num_ipus=1, is_training=False, micro_batch_size=1)
        main = static.IpuCompiledProgram(main, ipu_strategy=strategy).compile([x.name], [y.name])

    def work(first):
        for i in range(first, first + 60):
            result, = exe.run(main, feed={"x": np.full((1, 4), i, np.float32)}, fetch_list=[y])
            np.testing.assert_array_equal(result, np.full((1, 4), 2 * i))
    together(*[lambda n=n: work(1000 * n) for n in range(4)])


@pytest.mark.parametrize("attempt", range(3))  # chance is in who comes first
def test_what_several_threads_learn_is_not_lost(attempt):
    """Steps of other sizes are other sessions; an evaluation sees weights of one step."""
    paddle.enable_static()
    main, startup, scope = static.Program(), static.Program(), static.Scope()
    with static.program_guard(main, startup):
        x = static.data("x", [None, 1])
        weight = static.create_parameter([4096], "float32", default_initializer=paddle.nn.initializer.Constant(0.0))
        copy = weight * 1.0
        test = main.clone(for_test=True)
        loss = paddle.sum(weight) * paddle.mean(x)
        paddle.optimizer.SGD(1.0).minimize(loss)
    exe = static.Executor(paddle.CPUPlace())
    exe.run(startup, scope=scope)

    def train(rows):
        for _ in range(20):
            exe.run(main, feed={"x": np.full((rows, 1), -1, np.float32)}, fetch_list=[loss], scope=scope)

    def look():
        for _ in range(40):
            values, = exe.run(test, feed={"x": np.ones((1, 1), np.float32)}, fetch_list=[copy], scope=scope)
            assert len(np.unique(values)) == 1
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        together(lambda: train(1), lambda: train(2), lambda: train(2), look)
    finally:
        sys.setswitchinterval(interval)
    np.testing.assert_array_equal(scope.find_var(weight.name).get_tensor(), 60)


def test_a_program_that_is_being_compiled_keeps_its_ipus(monkeypatch):
    """Another thread looks for IPUs meanwhile."""
    prepare = IpuRunner._prepare

    def later(self):
        together(self.give_up)
        prepare(self)
    monkeypatch.setattr(IpuRunner, "_prepare", later)
    paddle.enable_static()
    main, scope = static.Program(), static.Scope()
    with static.program_guard(main):
        x = static.data("x", [1, 4])
        y = x * 2.0
    strategy = static.IpuStrategy()
    strategy.set_graph_config(num_ipus=1, is_training=False, micro_batch_size=1)
    program = static.IpuCompiledProgram(main, scope=scope, ipu_strategy=strategy).compile([x.name], [y.name])
    result, = static.Executor(paddle.IPUPlace()).run(program, feed={"x": np.ones((1, 4), np.float32)}, fetch_list=[y])
    np.testing.assert_array_equal(result, np.full((1, 4), 2))
