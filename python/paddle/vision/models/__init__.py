# SPDX-License-Identifier: MIT
"""Networks for pictures."""
from .lenet import LeNet
from .resnet import ResNet, resnet18, resnet34, resnet50, resnet101, resnet152
from ..._names import refuse_unknown

refuse_unknown(__name__)
