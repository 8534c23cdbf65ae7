# SPDX-License-Identifier: MIT
"""Losses."""
from __future__ import annotations

from ... import tensor
from ...helper import LayerHelper
from .activation import relu
from ...typed import AxisLike, TensorLike

__all__ = ["cross_entropy", "softmax_with_cross_entropy", "binary_cross_entropy", "binary_cross_entropy_with_logits",
           "mse_loss", "l1_loss", "smooth_l1_loss", "kl_div", "nll_loss", "margin_ranking_loss", "ctc_loss",
           "square_error_cost"]


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
    """Of logits, or of probabilities, and classes."""
    if weight is not None:
        raise NotImplementedError("(Unimplemented) cross_entropy: weight. Weigh the loss of reduction='none'.")
    if not soft_label and len(label.shape) == len(input.shape) - 1:
        label = tensor.unsqueeze(label, axis)
    loss = softmax_with_cross_entropy(input, label, soft_label, ignore_index, True, False, axis, use_softmax)
    if reduction == "mean" and not soft_label:  # of the labels that count
        counted = tensor.cast(tensor.not_equal(label, tensor.full([1], ignore_index, label.dtype)), loss.dtype)
        total = tensor.clip(tensor.sum(counted), min=1.0)
        return tensor.divide(tensor.sum(loss), total)
    return _reduced(loss, reduction)


def nll_loss(input: TensorLike, label: TensorLike, weight: TensorLike | None = None, ignore_index: int = -100,
             reduction: str = "mean", name: str | None = None) -> TensorLike:
    """Of log probabilities."""
    if weight is not None:
        raise NotImplementedError("(Unimplemented) nll_loss: weight.")
    axis = 1 if len(input.shape) > 1 else 0
    return cross_entropy(tensor.exp(input), label, None, ignore_index, reduction, False, axis, use_softmax=False)


def binary_cross_entropy(input: TensorLike, label: TensorLike, weight: TensorLike | None = None, reduction: str = "mean",
                         name: str | None = None) -> TensorLike:
    """Of probabilities and labels between 0 and 1."""
    loss = LayerHelper("bce_loss").append("bce_loss", {"X": input, "Label": label})
    return _reduced(loss if weight is None else tensor.multiply(loss, weight), reduction)


def binary_cross_entropy_with_logits(logit: TensorLike, label: TensorLike, weight: TensorLike | None = None,
                                     reduction: str = "mean", pos_weight: TensorLike | None = None,
                                     name: str | None = None) -> TensorLike:
    """Of logits and labels between 0 and 1."""
    if pos_weight is not None:
        raise NotImplementedError("(Unimplemented) binary_cross_entropy_with_logits: pos_weight.")
    loss = LayerHelper("sigmoid_cross_entropy_with_logits").append(
        "sigmoid_cross_entropy_with_logits", {"X": logit, "Label": label}, {"ignore_index": -100, "normalize": False})
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
