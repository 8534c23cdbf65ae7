# SPDX-License-Identifier: MIT
"""paddle.vision.ops: operators of pictures."""
from ..fluid.older import yolo_box
from .._names import refuse_unknown

refuse_unknown(__name__)
