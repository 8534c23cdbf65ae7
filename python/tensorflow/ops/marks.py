# SPDX-License-Identifier: MIT
"""Tensors as they are, with something said of them: kept for the backward pass, equal on all replicas, gradients wanted."""
from __future__ import annotations

from tensorflow.framework import nest
from tensorflow.framework.context import current
from tensorflow.framework.dispatch import apply
from tensorflow.framework.facts import operation
from tensorflow.framework.tensors import Tensor, convert_to_tensor
from tensorflow.framework.typed import TensorLike

operation("UpstreamGradient", lambda x: x)


def recomputation_checkpoint(tensors: TensorLike, name: str | None = None) -> Tensor:
    """The tensors, which are kept for the backward pass where others are computed again (allow_recompute)."""
    return nest.map_structure(lambda t: apply("RecomputationCheckpoint", [convert_to_tensor(t)], name=name), tensors)


def assume_equal_across_replicas(tensors, inplace=False):
    """The tensors, which are the same on all replicas: programs of replicas may differ in nothing else, so that this says
    nothing new here."""
    return nest.map_structure(lambda t: apply("Identity", [convert_to_tensor(t)]), tensors)


def capture_upstream_gradients(a: TensorLike, tag: str | None = None, name: str | None = None) -> Tensor:
    """`a` itself. The gradient that comes back to it is kept by the GradientCaptureContext around, if there is one."""
    out = apply("UpstreamGradient", [convert_to_tensor(a)], name=name)
    for context in current.captures[-1:]:
        context.mark(out, tag or name or f"gradient_{len(context._marked)}")
    return out
