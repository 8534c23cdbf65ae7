# SPDX-License-Identifier: MIT
"""pytorch_lightning and its modules as other names of pi_ml's, the same objects."""
import sys

import pi_ml
from pi_ml.paths import Finder


def install():
    sys.meta_path.insert(0, Finder("pytorch_lightning", every=True))  # before others, which would load modules twice
    sys.modules["pytorch_lightning"] = pi_ml
