# SPDX-License-Identifier: MIT
"""Layers that are called, or made, in `with PipelineStage(n)` are in stage n."""
from __future__ import annotations

from tensorflow.framework.context import active, current
from tensorflow.keras import backend


class PipelineStage:
    """Layers called while it is open belong to this stage."""
    def __init__(self, stage: int) -> None:
        if not isinstance(stage, int) or isinstance(stage, bool) or stage < 0:
            raise ValueError(f"A pipeline stage is a number from 0 on, not {stage!r}.")
        self._stage = stage

    def __enter__(self):
        if current.strategy is None:
            raise RuntimeError("PipelineStage may only be used from within an IPUStrategy's scope.")
        if backend.call.stage is not None:
            raise RuntimeError("PipelineStage scope cannot be nested inside another one.")
        backend.call.stage = self._stage
        for model in backend.call.models:
            model._stages_called.add(self._stage)
        if active() is not None:
            current.stage = self._stage  # until the next one: what is computed between stages belongs to the one before
        return self

    def __exit__(self, *_):
        backend.call.stage = None
