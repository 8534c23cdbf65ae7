# SPDX-License-Identifier: MIT
"""paddle.vision.ops: operators of pictures."""
from ..fluid.older import yolo_box  # noqa: F401
from .._names import refuse_unknown

refuse_unknown(__name__)
