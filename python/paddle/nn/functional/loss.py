# SPDX-License-Identifier: MIT
"""Losses."""
from __future__ import annotations

from ... import tensor
from ...helper import LayerHelper
from .activation import log_sigmoid, relu, sigmoid
from .common import cosine_similarity, one_hot
from ...typed import AxisLike, NumberLike, TensorLike

__all__ = ["cross_entropy", "softmax_with_cross_entropy", "binary_cross_entropy", "binary_cross_entropy_with_logits",
           "mse_loss", "l1_loss", "smooth_l1_loss", "kl_div", "nll_loss", "margin_ranking_loss", "ctc_loss",
           "square_error_cost", "log_loss", "dice_loss", "sigmoid_focal_loss", "hinge_embedding_loss",
           "cosine_embedding_loss"]


def _reduced(x, reduction):
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"The value of 'reduction' should be 'sum', 'mean' or 'none', but received {reduction!r}.")
    return x if reduction == "none" else tensor.mean(x) if reduction == "mean" else tensor.sum(x)


def softmax_with_cross_entropy(logits: TensorLike, label: TensorLike, soft_label: bool = False, ignore_index: int = -100,
                               numeric_stable_mode: bool = True, return_softmax: bool = False, axis: AxisLike = -1,
                               use_softmax: bool = True) -> TensorLike:
    """Of logits and classes, for each example."""
    softmax, loss = LayerHelper("softmax_with_cross_entropy").append(
        "softmax_with_cross_entropy", {"Logits": logits, "Label": label}, {
            "soft_label": bool(soft_label), "ignore_index": int(ignore_index), "axis": int(axis),
            "numeric_stable_mode": bool(numeric_stable_mode), "use_softmax": bool(use_softmax)},
        slot="Softmax", more=("Loss",))
    return (loss, softmax) if return_softmax else loss


def cross_entropy(input: TensorLike, label: TensorLike, weight: TensorLike | None = None, ignore_index: int = -100,
                  reduction: str = "mean", soft_label: bool = False, axis: AxisLike = -1, use_softmax: bool = True,
                  name: str | None = None) -> TensorLike:
    """Of logits, or of probabilities, and classes; weight: of each class."""
    if not soft_label and len(label.shape) == len(input.shape) - 1:
        label = tensor.unsqueeze(label, axis)
    loss = softmax_with_cross_entropy(input, label, soft_label, ignore_index, True, False, axis, use_softmax)
    if weight is not None:
        return _weighed(loss, _weights(label, weight, soft_label, ignore_index, axis), reduction)
    if reduction == "mean" and not soft_label:  # of the labels that count
        counted = tensor.cast(tensor.not_equal(label, tensor.full([1], ignore_index, label.dtype)), loss.dtype)
        total = tensor.clip(tensor.sum(counted), min=1.0)
        return tensor.divide(tensor.sum(loss), total)
    return _reduced(loss, reduction)


def _weights(label, weight, soft_label, ignore_index, axis):
    """The weight of each label, in the shape of the loss; 0 of one that is ignored."""
    if soft_label:
        last = len(label.shape) - 1
        order = [a for a in range(last + 1) if a != axis % (last + 1)]
        mixed = tensor.matmul(tensor.transpose(label, [*order, axis % (last + 1)]), tensor.reshape(weight, [-1, 1]))
        return tensor.moveaxis(mixed, -1, axis % (last + 1))
    counts = tensor.not_equal(label, tensor.full([1], ignore_index, label.dtype))
    known = tensor.multiply(label, tensor.cast(counts, label.dtype))
    found = tensor.reshape(tensor.gather(weight, tensor.reshape(known, [-1])), [d if d > 0 else -1 for d in label.shape])
    return tensor.multiply(found, tensor.cast(counts, weight.dtype))


def _weighed(loss, weights, reduction):
    loss = tensor.multiply(loss, weights)
    if reduction != "mean":
        return _reduced(loss, reduction)
    return tensor.divide(tensor.sum(loss), tensor.sum(weights))


def nll_loss(input: TensorLike, label: TensorLike, weight: TensorLike | None = None, ignore_index: int = -100,
             reduction: str = "mean", name: str | None = None) -> TensorLike:
    """Of log probabilities; weight: of each class."""
    axis = 1 if len(input.shape) > 1 else 0
    return cross_entropy(tensor.exp(input), label, weight, ignore_index, reduction, False, axis, use_softmax=False)


def binary_cross_entropy(input: TensorLike, label: TensorLike, weight: TensorLike | None = None, reduction: str = "mean",
                         name: str | None = None) -> TensorLike:
    """Of probabilities and labels between 0 and 1."""
    loss = LayerHelper("bce_loss").append("bce_loss", {"X": input, "Label": label})
    return _reduced(loss if weight is None else tensor.multiply(loss, weight), reduction)


def binary_cross_entropy_with_logits(logit: TensorLike, label: TensorLike, weight: TensorLike | None = None,
                                     reduction: str = "mean", pos_weight: TensorLike | None = None,
                                     name: str | None = None) -> TensorLike:
    """Of logits and labels between 0 and 1; pos_weight: of the labels' part."""
    loss = LayerHelper("sigmoid_cross_entropy_with_logits").append(
        "sigmoid_cross_entropy_with_logits", {"X": logit, "Label": label}, {"ignore_index": -100, "normalize": False})
    if pos_weight is not None:
        more = tensor.multiply(label, tensor.scale(pos_weight, 1.0, -1.0))
        loss = tensor.subtract(loss, tensor.multiply(more, log_sigmoid(logit)))
    return _reduced(loss if weight is None else tensor.multiply(loss, weight), reduction)


def square_error_cost(input: TensorLike, label: TensorLike) -> TensorLike:
    """The squared difference of each element."""
    return tensor.square(tensor.subtract(input, label))


def mse_loss(input: TensorLike, label: TensorLike, reduction: str = "mean", name: str | None = None) -> TensorLike:
    """The squared difference."""
    return _reduced(square_error_cost(input, label), reduction)


def l1_loss(input: TensorLike, label: TensorLike, reduction: str = "mean", name: str | None = None) -> TensorLike:
    """The absolute difference."""
    return _reduced(tensor.abs(tensor.subtract(input, label)), reduction)


def smooth_l1_loss(input: TensorLike, label: TensorLike, reduction: str = "mean", delta: float = 1.0,
                   name: str | None = None) -> TensorLike:
    """Squared below `delta`, absolute above."""
    loss = LayerHelper("huber_loss").append("huber_loss", {"X": input, "Y": label}, {"delta": float(delta)},
                                            slot="Residual", more=("Out",))[1]
    return _reduced(loss, reduction)


def kl_div(input: TensorLike, label: TensorLike, reduction: str = "mean", name: str | None = None) -> TensorLike:
    """The Kullback-Leibler divergence; `input` are logarithms."""
    return LayerHelper("kldiv_loss").append("kldiv_loss", {"X": input, "Target": label}, {"reduction": reduction},
                                            slot="Loss")


def margin_ranking_loss(input: TensorLike, other: TensorLike, label: TensorLike, margin: float = 0.0, reduction: str = "mean",
                        name: str | None = None) -> TensorLike:
    """max(0, -label * (input - other) + margin)."""
    apart = tensor.multiply(tensor.subtract(other, input), label)
    apart = tensor.scale(apart, 1.0, margin) if margin else apart
    return _reduced(relu(apart), reduction)


def ctc_loss(log_probs: TensorLike, labels: TensorLike, input_lengths: TensorLike, label_lengths: TensorLike, blank: int = 0,
             reduction: str = "mean", norm_by_times: bool = False) -> TensorLike:
    """log_probs: scores [time, batch, classes]; Paddle's operator takes the softmax itself."""
    loss = LayerHelper("warpctc").append("warpctc", {
        "Logits": log_probs, "Label": labels, "LogitsLength": input_lengths, "LabelLength": label_lengths},
        {"blank": int(blank), "norm_by_times": bool(norm_by_times)}, slot="Loss", more=("WarpCTCGrad",))[0]
    loss = tensor.squeeze(loss, [-1])
    if reduction == "mean":
        return tensor.mean(tensor.divide(loss, tensor.cast(label_lengths, loss.dtype)))
    return _reduced(loss, reduction)


def log_loss(input: TensorLike, label: TensorLike, epsilon: float = 1e-4, name: str | None = None) -> TensorLike:
    """Of probabilities and labels between 0 and 1, element by element; epsilon keeps logarithms finite."""
    hit = tensor.multiply(label, tensor.log(tensor.scale(input, 1.0, float(epsilon))))
    miss = tensor.multiply(tensor.scale(label, -1.0, 1.0), tensor.log(tensor.scale(input, -1.0, 1.0 + epsilon)))
    return tensor.scale(tensor.add(hit, miss), -1.0)


def dice_loss(input: TensorLike, label: TensorLike, epsilon: float = 1e-5, name: str | None = None) -> TensorLike:
    """1 less how much probabilities [..., classes] and classes [..., 1] overlap, of the batch the mean."""
    if len(input.shape) < 2 or label.shape[-1] != 1 or len(label.shape) != len(input.shape):
        raise ValueError(f"dice_loss needs [..., classes] and [..., 1], not {list(input.shape)} and {list(label.shape)}.")
    wanted = tensor.cast(one_hot(tensor.squeeze(label, [-1]), input.shape[-1]), input.dtype)
    axes = list(range(1, len(input.shape)))
    both = tensor.sum(tensor.multiply(input, wanted), axes)
    total = tensor.scale(tensor.add(tensor.sum(input, axes), tensor.sum(wanted, axes)), 1.0, float(epsilon))
    return tensor.mean(tensor.scale(tensor.divide(both, total), -2.0, 1.0))


def sigmoid_focal_loss(logit: TensorLike, label: TensorLike, normalizer: TensorLike | None = None, alpha: NumberLike = 0.25,
                       gamma: float = 2.0, reduction: str = "sum", name: str | None = None) -> TensorLike:
    """That of logits, less the easier a label is to see."""
    loss = binary_cross_entropy_with_logits(logit, label, reduction="none")
    chance, other = sigmoid(logit), tensor.scale(label, -1.0, 1.0)
    hit = tensor.add(tensor.multiply(chance, label), tensor.multiply(tensor.scale(chance, -1.0, 1.0), other))
    share = tensor.add(tensor.scale(label, float(alpha)), tensor.scale(other, 1.0 - alpha))
    loss = tensor.multiply(tensor.multiply(share, tensor.pow(tensor.scale(hit, -1.0, 1.0), float(gamma))), loss)
    return _reduced(loss if normalizer is None else tensor.divide(loss, normalizer), reduction)


def hinge_embedding_loss(input: TensorLike, label: TensorLike, margin: float = 1.0, reduction: str = "mean",
                         name: str | None = None) -> TensorLike:
    """Distances where the label is 1, what they lack of a margin where it is -1."""
    near = tensor.cast(tensor.equal(label, tensor.full([1], 1, label.dtype)), input.dtype)
    far = tensor.cast(tensor.equal(label, tensor.full([1], -1, label.dtype)), input.dtype)
    lack = relu(tensor.scale(input, -1.0, float(margin)))
    return _reduced(tensor.add(tensor.multiply(near, input), tensor.multiply(far, lack)), reduction)


def cosine_embedding_loss(input1: TensorLike, input2: TensorLike, label: TensorLike, margin: float = 0, reduction: str = "mean",
                          name: str | None = None) -> TensorLike:
    """1 less the cosine where the label is 1, what the cosine is above a margin where it is -1."""
    cosine = cosine_similarity(input1, input2, axis=-1)
    near = tensor.cast(tensor.equal(label, tensor.full([1], 1, label.dtype)), cosine.dtype)
    far = tensor.cast(tensor.equal(label, tensor.full([1], -1, label.dtype)), cosine.dtype)
    above = relu(tensor.scale(cosine, 1.0, -float(margin)))
    return _reduced(tensor.add(tensor.multiply(near, tensor.scale(cosine, -1.0, 1.0)), tensor.multiply(far, above)), reduction)
