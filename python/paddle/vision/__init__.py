# SPDX-License-Identifier: MIT
"""paddle.vision."""
from . import datasets, models, ops, transforms
from .._names import refuse_unknown

refuse_unknown(__name__)
