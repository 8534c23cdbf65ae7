# SPDX-License-Identifier: MIT
"""Indices on the CPU place: one that is not there is an error, as in Paddle."""
import numpy as np
import paddle
import pytest
from paddle import static

F = paddle.nn.functional
X = np.arange(6, dtype=np.float32).reshape(2, 3)
CASES = {
    "gather": (lambda x, i: paddle.gather(x, i), [1, 0], (2, -1)),
    "index_select": (lambda x, i: paddle.index_select(x, i, axis=1), [2, 0], (3, -1)),
    "embedding": (lambda x, i: F.embedding(i, x), [1, 0], (2, -1)),
    "cross_entropy": (lambda x, i: F.cross_entropy(x, i, ignore_index=-7), [2, -7], (3, -1)),
}


def made(function):
    """run(indices) of a program."""
    paddle.enable_static()
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        result = function(static.data("x", [2, 3]), static.data("i", [2], "int64"))
    exe = static.Executor(paddle.CPUPlace())
    exe.run(startup)
    return lambda i: exe.run(main, feed={"x": X, "i": np.array(i, np.int64)}, fetch_list=[result])[0]


@pytest.mark.parametrize("name", CASES)
def test_one_that_is_not_there_is_an_error(name):
    function, good, bad = CASES[name]
    run = made(function)
    expected = run(good)
    for i in bad:
        with pytest.raises(RuntimeError, match=rf"index {i} .*is out of range: it must be from 0 to {good[0]}\."):
            run([i, good[1]])
        np.testing.assert_array_equal(run(good), expected)


def test_one_hot_rows_of_what_is_not_there_are_empty():
    np.testing.assert_array_equal(made(lambda x, i: F.one_hot(i, 3))([2, -1]), [[0, 0, 1], [0, 0, 0]])
