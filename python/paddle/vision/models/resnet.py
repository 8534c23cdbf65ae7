# SPDX-License-Identifier: MIT
"""Residual networks."""
from __future__ import annotations

from typing import Any

from ... import nn, tensor
from ...typed import TensorLike

_DEPTHS = {18: (2, 2, 2, 2), 34: (3, 4, 6, 3), 50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3)}


def _convolution(inputs, outputs, kernel, stride=1):
    return nn.Conv2D(inputs, outputs, kernel, stride, kernel // 2, bias_attr=False)


class BasicBlock(nn.Layer):
    expansion = 1

    def __init__(self, inputs, width, stride, downsample):
        super().__init__()
        self.conv1, self.bn1 = _convolution(inputs, width, 3, stride), nn.BatchNorm2D(width)
        self.conv2, self.bn2 = _convolution(width, width, 3), nn.BatchNorm2D(width)
        self.relu, self._down = nn.ReLU(), downsample is not None
        if downsample is not None:
            self.downsample = downsample

    def _body(self, x):
        return self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))

    def forward(self, x):
        return self.relu(tensor.add(self._body(x), self.downsample(x) if self._down else x))


class BottleneckBlock(BasicBlock):
    expansion = 4

    def __init__(self, inputs, width, stride, downsample):
        nn.Layer.__init__(self)
        self.conv1, self.bn1 = _convolution(inputs, width, 1), nn.BatchNorm2D(width)
        self.conv2, self.bn2 = _convolution(width, width, 3, stride), nn.BatchNorm2D(width)
        self.conv3, self.bn3 = _convolution(width, 4 * width, 1), nn.BatchNorm2D(4 * width)
        self.relu, self._down = nn.ReLU(), downsample is not None
        if downsample is not None:
            self.downsample = downsample

    def _body(self, x):
        x = self.relu(self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x))))))
        return self.bn3(self.conv3(x))


class ResNet(nn.Layer):
    """A residual network of this depth."""
    def __init__(self, block: Any = BottleneckBlock, depth: int = 50, width: int = 64, num_classes: int = 1000,
                 with_pool: bool = True) -> None:
        super().__init__()
        self._classes, self._pools = num_classes, with_pool
        self.conv1, self.bn1, self.relu = _convolution(3, 64, 7, 2), nn.BatchNorm2D(64), nn.ReLU()
        self.maxpool = nn.MaxPool2D(kernel_size=3, stride=2, padding=1)
        self._inputs = 64
        for i, count in enumerate(_DEPTHS[depth]):
            setattr(self, f"layer{i + 1}", self._stage(block, 64 << i, count, 1 if i == 0 else 2))
        if with_pool:
            self.avgpool = nn.AdaptiveAvgPool2D((1, 1))
        if num_classes > 0:
            self.fc = nn.Linear(512 * block.expansion, num_classes)

    def _stage(self, block, width, count, stride):
        outputs, layers = width * block.expansion, []
        for i in range(count):
            first = i == 0 and (stride != 1 or self._inputs != outputs)
            down = nn.Sequential(_convolution(self._inputs, outputs, 1, stride), nn.BatchNorm2D(outputs)) if first else None
            layers.append(block(self._inputs, width, stride if i == 0 else 1, down))
            self._inputs = outputs
        return nn.Sequential(*layers)

    def forward(self, x: TensorLike) -> TensorLike:
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        if self._pools:
            x = self.avgpool(x)
        return self.fc(tensor.flatten(x, 1)) if self._classes > 0 else x


def _make(block, depth, pretrained, kwargs):
    if pretrained:
        raise NotImplementedError("(Unimplemented) pretrained=True: nothing is downloaded. Load a state with "
                                  "set_state_dict or paddle.static.load.")
    return ResNet(block, depth, **kwargs)


def resnet18(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNet with 18 layers."""
    return _make(BasicBlock, 18, pretrained, kwargs)


def resnet34(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNet with 34 layers."""
    return _make(BasicBlock, 34, pretrained, kwargs)


def resnet50(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNet with 50 layers."""
    return _make(BottleneckBlock, 50, pretrained, kwargs)


def resnet101(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNet with 101 layers."""
    return _make(BottleneckBlock, 101, pretrained, kwargs)


def resnet152(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNet with 152 layers."""
    return _make(BottleneckBlock, 152, pretrained, kwargs)
