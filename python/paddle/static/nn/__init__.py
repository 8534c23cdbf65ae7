# SPDX-License-Identifier: MIT
"""paddle.static.nn: layers as functions; their parameters are named after them (fc_0.w_0)."""
from .common import (batch_norm, conv2d, conv2d_transpose, conv3d, data_norm, embedding, fc, group_norm, instance_norm,
                     layer_norm, prelu)
from ..._names import refuse_unknown

refuse_unknown(__name__)
