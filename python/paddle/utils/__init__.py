# SPDX-License-Identifier: MIT
"""paddle.utils."""
import sys as _sys

from . import cpp_extension
from .. import unique_name
from .install_check import run_check
from .._names import refuse_unknown

_sys.modules[__name__ + ".unique_name"] = unique_name
refuse_unknown(__name__)
