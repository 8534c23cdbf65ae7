# SPDX-License-Identifier: MIT
"""The processes that poprun started for one training: this one's place, and what they tell each other.

Rank 0 writes files and speaks; decisions (what the best checkpoint is, whether to stop) are made of what all have."""
from __future__ import annotations

import os
import pickle
from typing import Tuple, Any


def started_by_poprun() -> bool:
    return bool(os.environ.get("POPDIST_NUM_TOTAL_REPLICAS"))


def _popdist():
    import popdist  # of poprun: only processes that it has started need it
    return popdist


def rank() -> int:
    return _popdist().getInstanceIndex() if started_by_poprun() else 0


def size() -> int:
    return _popdist().getNumInstances() if started_by_poprun() else 1


def local_rank() -> int:
    return _popdist().getLocalInstanceIndex() if started_by_poprun() else 0


def gathered(value: Any) -> Any:
    """Everybody's, by rank. All processes call it at the same place."""
    if size() == 1:
        return [value]
    return [pickle.loads(text) for text in _popdist()._gather(pickle.dumps(value))]


def of_first(value: Any) -> Any:
    """Rank 0's."""
    return gathered(value if rank() == 0 else None)[0]


def barrier() -> None:
    gathered(None)


def replicas() -> Tuple[int, int]:
    """Of this process, and of all."""
    return _popdist().getNumLocalReplicas(), _popdist().getNumTotalReplicas()
