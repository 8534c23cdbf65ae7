# SPDX-License-Identifier: MIT
"""Helpers with Lightning's names."""
from pi_ml.hyperparameters import AttributeDict
from pi_ml.log import rank_zero_deprecation, rank_zero_info, rank_zero_only, rank_zero_warn
from pi_ml.seeding import isolate_rng, seed_everything
from pi_ml.summary import ModelSummary
from pi_ml.utilities import exceptions, imports
from pi_ml.utilities.apply_func import apply_to_collection, move_data_to_device
from pi_ml.utilities.exceptions import MisconfigurationException


def __getattr__(name):
    if name in ("_IPU_AVAILABLE", "_POPTORCH_AVAILABLE"):
        return getattr(imports, name)
    raise AttributeError(f"module 'pi_ml.utilities' has no attribute {name!r}")
