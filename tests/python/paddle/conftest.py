# SPDX-License-Identifier: MIT
"""Every test has programs, names and a scope of its own."""
import numpy as np
import pytest

import paddle
from paddle import guards, unique_name


@pytest.fixture(autouse=True)
def fresh():
    paddle.enable_static()
    paddle.seed(7)
    np.random.seed(7)
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup), unique_name.guard(), \
            paddle.static.scope_guard(paddle.static.Scope()):
        yield
    assert guards._shard == (-1, -1)
