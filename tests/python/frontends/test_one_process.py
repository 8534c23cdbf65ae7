# SPDX-License-Identifier: MIT
"""All front ends in one process: they train beside each other on the IPUs that there are."""
import numpy as np
import pytest
from models import FRONT_ENDS, first

X = np.array([0.5, 1.0, -0.5, 0.25], np.float32)


@pytest.mark.parametrize("order", [list(FRONT_ENDS), list(FRONT_ENDS)[::-1]], ids=["one", "other"])
def test_all_train_in_turn(order, monkeypatch):
    monkeypatch.setenv("OPENIPU_NUM_IPUS", "4")
    models = {name: FRONT_ENDS[name]() for name in order}
    for _ in range(2):
        for model in models.values():
            model.step(X)
    want = first(4) * (1 - np.float32(0.2) * X)**2
    for name, model in models.items():
        np.testing.assert_allclose(model.weights(), want, rtol=1e-6, err_msg=name)
        model.close()


def test_a_program_of_paddle_makes_room_for_the_others(monkeypatch):
    monkeypatch.setenv("OPENIPU_NUM_IPUS", "1")
    paddle = FRONT_ENDS["paddle"]()
    for name in ("poptorch", "pi_ml", "keras"):
        paddle.step(X)
        other = FRONT_ENDS[name]()
        other.step(X)
        np.testing.assert_allclose(other.weights(), first(4) * (1 - np.float32(0.2) * X), rtol=1e-6)
        other.close()
    paddle.step(X)
    np.testing.assert_allclose(paddle.weights(), first(4) * (1 - np.float32(0.2) * X)**4, rtol=1e-6)
    paddle.close()
