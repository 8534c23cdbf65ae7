# SPDX-License-Identifier: MIT
"""The trainer, and the words for where it stands."""
from pi_ml.trainer import states
from pi_ml.trainer.trainer import Trainer
