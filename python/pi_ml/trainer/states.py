# SPDX-License-Identifier: MIT
"""Where a trainer stands, by Lightning's path."""
from pi_ml.states import RunningStage, TrainerFn, TrainerState, TrainerStatus

__all__ = ["RunningStage", "TrainerFn", "TrainerState", "TrainerStatus"]
