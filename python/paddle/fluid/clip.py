# SPDX-License-Identifier: MIT
"""paddle.fluid.clip: limits of gradients by their older names."""
from ..nn.clip import ClipGradByGlobalNorm as GradientClipByGlobalNorm
from ..nn.clip import ClipGradByNorm as GradientClipByNorm
from ..nn.clip import ClipGradByValue as GradientClipByValue
from .._names import refuse_unknown

refuse_unknown(__name__)
