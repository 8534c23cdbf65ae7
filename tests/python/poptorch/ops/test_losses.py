# SPDX-License-Identifier: MIT
"""Losses with all reductions, weights and targets; that they count as losses of a model."""
import pytest
import torch
import torch.nn.functional as F
from halves import check_halves
from harness import check, ints, rand

import poptorch

REDUCTIONS = ["none", "mean", "sum"]


def all_reductions(loss, *tensors, **keywords):
    gradient = keywords.pop("gradient", True)
    check(lambda *t: [loss(*t, reduction=r, **keywords) for r in REDUCTIONS], *tensors, gradient=gradient)


def test_distances():
    x, t = rand(3, 4, low=-2, high=2), rand(3, 4, low=-2, high=2)
    for loss in (F.l1_loss, F.mse_loss, F.smooth_l1_loss, F.huber_loss):
        all_reductions(loss, x, t)
    all_reductions(F.smooth_l1_loss, x, t, beta=0.3)
    all_reductions(F.smooth_l1_loss, x, t, beta=0.0)
    all_reductions(F.huber_loss, x, t, delta=0.4)
    all_reductions(F.mse_loss, torch.tensor(1.5), torch.tensor(0.5))
    check_halves(lambda x, t: [f(x, t) for f in (F.l1_loss, F.mse_loss, F.smooth_l1_loss, F.huber_loss)], x, t)


def test_divergences():
    x, t = F.log_softmax(rand(3, 4), 1), F.softmax(rand(3, 4), 1)
    all_reductions(F.kl_div, x, t)
    all_reductions(F.kl_div, x, t.log(), log_target=True)
    check(lambda x, t: F.kl_div(x, t, reduction="batchmean"), x, torch.tensor([[0.0, 1, 0, 0], [0.5, 0, 0.5, 0], [1, 0, 0, 0]]),
          gradient=[0])
    x, t = rand(3, 4, low=0.1, high=2), rand(3, 4, low=0, high=4)
    all_reductions(F.poisson_nll_loss, x, t)
    all_reductions(F.poisson_nll_loss, x, t, log_input=False, full=True)


def test_binary_losses():
    x, t, w = rand(3, 4, low=0.05, high=0.95), rand(3, 4, low=0, high=1), rand(4, low=0.5, high=2)
    all_reductions(F.binary_cross_entropy, x, t, gradient=[0])
    check(lambda x, t, w: F.binary_cross_entropy(x, t, w), x, t, w, gradient=[0])
    all_reductions(F.binary_cross_entropy_with_logits, x * 8 - 4, t, gradient=[0])
    check(lambda x, t, w, p: [F.binary_cross_entropy_with_logits(x, t, w, reduction=r, pos_weight=p)
                              for r in REDUCTIONS], x * 8 - 4, t, w, rand(4, low=0.5, high=2), gradient=[0])
    all_reductions(F.soft_margin_loss, x * 4 - 2, ints(3, 4, high=2) * 2.0 - 1, gradient=[0])
    all_reductions(F.multilabel_soft_margin_loss, x * 4 - 2, ints(3, 4, high=2).float(), gradient=[0])


def test_binary_losses_at_their_ends():
    x, t = torch.tensor([0.0, 1.0, 0.0, 1.0, 0.5]), torch.tensor([0.0, 1.0, 1.0, 0.0, 0.5])
    check(F.binary_cross_entropy, x, t, gradient=False, reduction="none")
    check(lambda x, t: F.binary_cross_entropy(x, t, reduction="none") * 1e-11, x, t, gradient=[0])
    check(F.binary_cross_entropy_with_logits, torch.tensor([100.0, -100, 100, -100]), torch.tensor([1.0, 0, 0, 1]),
          reduction="none", gradient=[0])


def test_margins():
    x, y = rand(6, low=-2, high=2), rand(6, low=-2, high=2)
    t = torch.tensor([1.0, -1, 1, -1, 1, -1])
    all_reductions(F.hinge_embedding_loss, x, t, gradient=[0])
    all_reductions(F.hinge_embedding_loss, x, t.int(), margin=0.5)
    all_reductions(F.margin_ranking_loss, x, y, t, margin=0.3, gradient=[0, 1])
    all_reductions(F.cosine_embedding_loss, rand(6, 5), rand(6, 5), t, margin=0.1, gradient=[0, 1])
    all_reductions(F.cosine_embedding_loss, rand(5), rand(5), torch.tensor(1.0), gradient=[0, 1])
    all_reductions(F.multi_margin_loss, rand(4, 5), ints(4, high=5, dtype=torch.long))
    check(lambda x, t, w: F.multi_margin_loss(x, t, p=2, margin=0.5, weight=w), rand(4, 5),
          ints(4, high=5, dtype=torch.long), rand(5, low=0.5), gradient=[0])


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0])
def test_triplets(p):
    triplets = [rand(4, 5) for _ in range(3)]
    all_reductions(F.triplet_margin_loss, *triplets, p=p, margin=0.7)
    check(F.triplet_margin_loss, *triplets, p=p, swap=True)


SHAPES = [((6, 5), (6,)), ((5,), ()), ((2, 5, 3), (2, 3)), ((2, 5, 3, 2), (2, 3, 2))]


@pytest.mark.parametrize("scores,labels", SHAPES)
def test_cross_entropy(scores, labels):
    x, t = rand(*scores, low=-3, high=3), ints(*labels, high=5, dtype=torch.long)
    all_reductions(F.cross_entropy, x, t)
    all_reductions(F.nll_loss, F.log_softmax(x, 0 if x.dim() == 1 else 1), t)
    all_reductions(F.cross_entropy, x, t, label_smoothing=0.2)


def test_cross_entropy_ignores_and_weighs():
    x, w = rand(6, 5, low=-3, high=3), rand(5, low=0.5, high=2)
    for ignore in (-100, 2):
        t = torch.tensor([0, 2, ignore, 4, 1, ignore])
        for smoothing in (0.0, 0.3):
            check(lambda x, t, w: [F.cross_entropy(x, t, weight, ignore_index=ignore, reduction=r,
                                                   label_smoothing=smoothing)
                                   for r in REDUCTIONS for weight in (None, w)], x, t, w, gradient=[0])
        check(lambda x, t, w: [F.nll_loss(x, t, weight, ignore_index=ignore, reduction=r)
                               for r in REDUCTIONS for weight in (None, w)], x, t, w, gradient=[0])
    check(F.cross_entropy, x, torch.full((6,), -100), gradient=False)


def test_cross_entropy_of_probabilities():
    x, w = rand(4, 5, 3, low=-3, high=3), rand(5, low=0.5, high=2)
    t = F.softmax(rand(4, 5, 3), 1)
    all_reductions(F.cross_entropy, x, t)
    all_reductions(F.cross_entropy, x[:, :, 0].contiguous(), t[:, :, 0].contiguous(), label_smoothing=0.1)
    check(lambda x, t, w: [F.cross_entropy(x, t, w, reduction=r) for r in REDUCTIONS], x, t, w, gradient=[0])
    check(F.cross_entropy, rand(5), F.softmax(rand(5), 0))


def test_nll_with_its_total():
    x, t, w = F.log_softmax(rand(4, 5), 1), torch.tensor([0, 3, -100, 2]), rand(5, low=0.5)
    check(lambda x, t, w: [torch.ops.aten.nll_loss_forward(x, t, weight, 1, -100) for weight in (None, w)], x, t, w,
          gradient=[0])


def test_halves_of_classifiers():
    x, t = rand(6, 5, low=-3, high=3), ints(6, high=5, dtype=torch.long)
    check_halves(lambda x, t: [F.cross_entropy(x, t), F.cross_entropy(x, t, reduction="none"),
                               F.cross_entropy(x, t, label_smoothing=0.1)], x, t)
    check_halves(lambda x, t: [F.binary_cross_entropy(x, t), F.binary_cross_entropy_with_logits(x, t)],
                 rand(4, low=0.1, high=0.9), rand(4, low=0, high=1))


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_ctc(reduction):
    t = torch.tensor([[1, 2, 2, 3], [4, 1, 0, 0], [2, 2, 0, 0]])
    inputs, targets = torch.tensor([9, 7, 8]), torch.tensor([4, 2, 2])

    def loss(x, t, inputs, targets):
        return F.ctc_loss(F.log_softmax(x, 2), t, inputs, targets, reduction=reduction)
    check(loss, rand(9, 3, 5), t, inputs, targets)


def test_ctc_forms():
    x, t = rand(9, 2, 5), torch.tensor([[1, 2, 2], [0, 1, 0]])
    check(lambda x, t: F.ctc_loss(F.log_softmax(x, 2), t, (9, 8), (3, 2), blank=4), x, t)
    check(lambda x, t: F.ctc_loss(F.log_softmax(x, 1), t, torch.tensor(9), torch.tensor(3)), rand(9, 5),
          torch.tensor([1, 2, 3]))
    check(lambda x, t: F.ctc_loss(F.log_softmax(x, 2), t, (2, 8), (3, 2), zero_infinity=True, blank=4), x, t)
    with pytest.raises(poptorch.Error, match="padded"):
        check(lambda x, t: F.ctc_loss(F.log_softmax(x, 2), t, (9, 8), (3, 2)), x, torch.tensor([1, 2, 2, 3, 1]))


class _Loss(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.weight, self.loss = torch.nn.Parameter(torch.eye(3)), loss

    def forward(self, x, t):
        y = F.linear(x, self.weight)
        return y, self.loss(y, t)


@pytest.mark.parametrize("loss,t", [
    (F.l1_loss, rand(4, 3)), (F.mse_loss, rand(4, 3)), (F.cross_entropy, torch.tensor([0, 2, 1, 1])),
    (lambda y, t: F.nll_loss(F.log_softmax(y, 1), t), torch.tensor([0, 2, 1, 1])),
    (lambda y, t: F.binary_cross_entropy(torch.sigmoid(y), t), rand(4, 3, low=0.0)),
    (F.binary_cross_entropy_with_logits, rand(4, 3, low=0.0)), (F.poisson_nll_loss, rand(4, 3, low=0.0)),
    (F.smooth_l1_loss, rand(4, 3)), (F.huber_loss, rand(4, 3)), (F.soft_margin_loss, rand(4, 3).sign()),
    (F.hinge_embedding_loss, rand(4, 3).sign()), (F.kl_div, rand(4, 3, low=0.1)),
    (lambda y, t: F.kl_div(y, t, reduction="batchmean"), rand(4, 3, low=0.1))])
def test_a_loss_of_torch_is_the_loss_of_the_model(loss, t):
    x = rand(4, 3)
    reference, module = _Loss(loss), _Loss(loss)
    y, value = reference(x, t)
    value.backward()
    model = poptorch.trainingModel(module, optimizer=torch.optim.SGD(module.parameters(), lr=1.0))
    result, actual = model(x, t)
    model.copyWeightsToHost()
    torch.testing.assert_close(result, y.detach(), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(actual, value.detach(), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(torch.eye(3) - module.weight.detach(), reference.weight.grad, rtol=1e-4, atol=1e-5)


def test_targets_must_fit():
    for t, words in ((torch.tensor([0, 1]), r"needs? \[4\]"), (rand(4), "class indices")):
        module = _Loss(F.cross_entropy)
        with pytest.raises(poptorch.Error, match=words):
            poptorch.inferenceModel(module)(rand(4, 3), t)


def test_integers():
    check(lambda x, y: (F.poisson_nll_loss(x, y), F.margin_ranking_loss(x, y, torch.ones(5)),
                        F.margin_ranking_loss(x, y, -torch.ones(5).int())), ints(5), ints(5))
