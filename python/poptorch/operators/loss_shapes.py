# SPDX-License-Identifier: MIT
"""Shapes of losses whose kernels torch does not have for tensors without data, or only for int64 labels."""


def _reduced(like, reduction, shape):
    """0: one loss for each label."""
    return like.new_empty(shape if reduction == 0 else ())


def _classes(input, target, weight=None, reduction=1, ignore_index=-100, label_smoothing=0.0):
    shape = target.shape
    if target.is_floating_point() and target.shape == input.shape:  # probabilities of all classes
        shape = input.shape[:1] + input.shape[2:] if input.dim() > 1 else ()
    return _reduced(input, reduction, shape)


def _classes_with_total(input, target, weight, reduction, ignore_index):
    return _reduced(input, reduction, target.shape), input.new_empty(())


def _multi_margin(input, target, p=1, margin=1, weight=None, reduction=1):
    return _reduced(input, reduction, target.shape)


def _ctc(log_probs, targets, input_lengths, target_lengths, blank=0, reduction=1, zero_infinity=False):
    return _reduced(log_probs, reduction, log_probs.shape[1:2] if log_probs.dim() == 3 else ())


rules = {
    "cross_entropy_loss": _classes, "nll_loss": _classes, "nll_loss_nd": _classes, "nll_loss2d": _classes,
    "nll_loss_forward": _classes_with_total, "nll_loss2d_forward": _classes_with_total,
    "multi_margin_loss": _multi_margin, "ctc_loss": _ctc,
}
