# SPDX-License-Identifier: MIT
"""paddle.fluid.input: indices that are looked up, of any shape."""
from ..nn.functional.common import one_hot as _one_hot
from ..static.nn import embedding
from .._names import refuse_unknown


def one_hot(input, depth, allow_out_of_range=False):
    return _one_hot(input, depth)


refuse_unknown(__name__)
