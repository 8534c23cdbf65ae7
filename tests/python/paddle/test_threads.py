# SPDX-License-Identifier: MIT
"""One program that several threads run: each gets its own results."""
import threading

import numpy as np
import paddle
import pytest
from paddle import static


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
    failures = []

    def work(first):
        try:
            for i in range(first, first + 60):
                result, = exe.run(main, feed={"x": np.full((1, 4), i, np.float32)}, fetch_list=[y])
                np.testing.assert_array_equal(result, np.full((1, 4), 2 * i))
        except BaseException as e:
            failures.append(e)
    threads = [threading.Thread(target=work, args=(1000 * n,), daemon=True) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive(), "a thread waits for ever"
    assert not failures, failures[0]
