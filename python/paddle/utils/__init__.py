# SPDX-License-Identifier: MIT
"""paddle.utils."""
from .. import unique_name
from .install_check import run_check
from .._names import refuse_unknown

refuse_unknown(__name__)
