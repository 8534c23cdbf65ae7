# SPDX-License-Identifier: MIT
"""Gradients of tensors within a model, besides those of its variables."""
from __future__ import annotations

from typing import Any

from tensorflow.framework.context import current
from tensorflow.framework.typed import TensorLike
from tensorflow.ops.marks import capture_upstream_gradients  # noqa: F401


class GradientCaptureContext:
    """`with GradientCaptureContext() as captured:` around a model's call and its gradients: captured_gradients has those of the
    tensors that capture_upstream_gradients was given, by tag."""

    def __init__(self):
        self._marked, self._gradients = [], {}

    def __enter__(self):
        current.captures = (*current.captures, self)
        return self

    def __exit__(self, *_):
        current.captures = tuple(c for c in current.captures if c is not self)

    @property
    def captured_gradients(self) -> dict:
        """{tag: gradient} of what ran so far."""
        return dict(self._gradients)

    def mark(self, tensor: TensorLike, tag: str) -> None:
        """Captures the gradient of a tensor under a tag. Raises ValueError for a tag that is taken."""
        graph = getattr(tensor, "graph", None)
        if any(tag == known and getattr(t, "graph", None) is graph for t, known in self._marked):
            raise ValueError(f"Two tensors have the tag '{tag}': their gradients could not be told apart.")
        self._marked.append((tensor, tag))

    def marked(self, graph: Any) -> list:
        """Tensors of this graph; None: those that have values."""
        return [t for t, _ in self._marked if getattr(t, "graph", None) is graph]

    def marked_by_tag(self, graph: Any) -> dict:
        """The same with their tags."""
        return {tag: t for t, tag in self._marked if getattr(t, "graph", None) is graph}

    def put(self, tensors: TensorLike, gradients: list) -> None:
        """Keeps gradients of marked tensors; the tape calls it."""
        tags = {id(t): tag for t, tag in self._marked}
        self._gradients.update((tags[id(t)], g) for t, g in zip(tensors, gradients) if g is not None)
