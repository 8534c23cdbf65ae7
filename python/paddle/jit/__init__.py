# SPDX-License-Identifier: MIT
"""paddle.jit: of the dynamic graph; a layer that is built under program_guard is static already."""
from .._names import refuse_unknown


def to_static(function=None, input_spec=None, build_strategy=None, property=False):
    """In a static program a layer is static already, so it is what it was. Called in the dynamic mode, its layers refuse."""
    return function if function is not None else (lambda f: f)


refuse_unknown(__name__)
