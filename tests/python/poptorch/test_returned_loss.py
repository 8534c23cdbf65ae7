# SPDX-License-Identifier: MIT
"""An output that is computed from the loss that was found is not what is minimised, and that is said."""
import re

import pytest
import torch
import torch.nn.functional as F

import poptorch

X, T = torch.rand(4, 3), torch.rand(4, 3).round()


class _Net(torch.nn.Module):
    def __init__(self, returns):
        super().__init__()
        self.layer, self.returns = torch.nn.Linear(3, 3), returns

    def forward(self, x, t):
        y = torch.sigmoid(self.layer(x))
        return self.returns(y, F.binary_cross_entropy(y, t))


def _said(returns, capfd):
    model = _Net(returns)
    training = poptorch.trainingModel(model, optimizer=torch.optim.SGD(model.parameters(), lr=0.1))
    training(X, T)
    training(X, T)
    return capfd.readouterr().err


def _in_place(y, loss):
    loss += y.mean()
    return loss


@pytest.mark.parametrize("returns", [lambda y, loss: 2 * loss, lambda y, loss: loss + (1 - y).mean(),
                                     lambda y, loss: (y, loss, torch.stack([loss, y.sum()]).sum()), _in_place],
                         ids=["twice", "sum", "beside", "in place"])
def test_another_value_is_returned(returns, capfd):
    text = _said(returns, capfd)
    assert text.count("The loss that is minimised") == 1
    assert re.search(r"minimised is aten::binary_cross_entropy \(at .*test_returned_loss.py:\d+\)", text)
    assert re.search(r"computed from it, by aten::\w+ \(at .*test_returned_loss.py:\d+\)", text)
    assert "poptorch.identity_loss" in text


@pytest.mark.parametrize("returns", [lambda y, loss: loss, lambda y, loss: (y, loss), lambda y, loss: y,
                                     lambda y, loss: loss.reshape(1).float(), lambda y, loss: loss.detach() * 2,
                                     lambda y, loss: poptorch.identity_loss(2 * loss, "none"),
                                     lambda y, loss: (y, poptorch.identity_loss(loss + y.mean(), "none"))],
                         ids=["loss", "both", "without", "shape", "detached", "identity", "identity and output"])
def test_the_loss_itself_is_returned(returns, capfd):
    assert "minimised" not in _said(returns, capfd)


def test_what_is_computed_without_gradients_may_be_anything(capfd):
    def perplexity(y, loss):
        with torch.no_grad():
            return loss, torch.exp(loss)

    assert "minimised" not in _said(perplexity, capfd)
