# SPDX-License-Identifier: MIT
"""Layers of the IPU's own: normalisation in groups of channels, checkpoints of recomputation; Embedding and Dropout are Keras'
with the arguments that those for IPUs have."""
from __future__ import annotations

import typing as _typing

from tensorflow import _names
from tensorflow.framework.dispatch import apply
from tensorflow.framework.logs import without_effect
from tensorflow.keras import initializers as _initializers
from tensorflow.keras.engine.base_layer import Layer as _Layer
from tensorflow.keras.engine.base_layer import registry as _registry
from tensorflow.keras.layers import Dropout as _Dropout
from tensorflow.keras.layers import Embedding as _Embedding
from tensorflow.ops import array_ops as _array
from tensorflow.ops import marks as _marks
if _typing.TYPE_CHECKING:  # of annotations
    from typing import Any
    from tensorflow.framework.tensors import Tensor
    from tensorflow.framework.typed import AxisLike, DTypeLike, InitializerLike, NumberLike, ShapeLike, TensorLike


class GroupNormalization(_Layer):
    """Mean and variance are of groups of channels of a sample. strided_channel_grouping: channel c is of group c mod groups."""

    def __init__(self, groups: int = 2, axis: AxisLike = -1, center: bool = True, scale: bool = True, epsilon: float = 1e-3,
                 beta_initializer: InitializerLike = "zeros", gamma_initializer: InitializerLike = "ones",
                 strided_channel_grouping: bool = True, trainable: bool = True, dtype: DTypeLike | None = None,
                 **kwargs: Any) -> None:
        super().__init__(trainable=trainable, dtype=dtype, **kwargs)
        self.groups, self.axis, self.center, self.scale, self.epsilon = groups, axis, center, scale, epsilon
        self.strided_channel_grouping = strided_channel_grouping
        self.beta_initializer = _initializers.get(beta_initializer)
        self.gamma_initializer = _initializers.get(gamma_initializer)

    def _group_count(self, channels):
        if self.groups < 1 or channels % self.groups:
            raise ValueError(f"{self.name}: {channels} channels cannot be split into {self.groups} groups.")
        return self.groups

    def build(self, input_shape: ShapeLike) -> None:
        """Makes gamma and beta for the channels of an input."""
        self._rank, axis = len(input_shape), self.axis % len(input_shape)
        if axis not in (1, self._rank - 1) or self._rank < 2:
            raise ValueError(f"{self.name}: the channels of an input of {self._rank} dimensions are dimension 1 or the last, "
                             f"not {self.axis}.")
        self._last = axis == self._rank - 1
        channels = input_shape[axis]
        self._groups = self._group_count(channels)
        self.gamma = self.add_weight("gamma", (channels,), initializer=self.gamma_initializer) if self.scale else None
        self.beta = self.add_weight("beta", (channels,), initializer=self.beta_initializer) if self.center else None
        self._channels = channels

    def call(self, inputs: TensorLike, training: bool | None = None) -> Tensor:
        """Each group of channels of each image, brought to mean 0 and variance 1; then gamma x + beta."""
        gamma = self.gamma if self.gamma is not None else _array.ones([self._channels], inputs.dtype)
        beta = self.beta if self.beta is not None else _array.zeros([self._channels], inputs.dtype)
        return apply("GroupNorm", [inputs, gamma, beta], {
            "num_groups": int(self._groups), "epsilon": float(self.epsilon), "data_format": "NHWC" if self._last else "NCHW",
            "contiguous": not self.strided_channel_grouping})

    def get_config(self) -> dict:
        """The arguments that make another like it."""
        return {**super().get_config(), "groups": self.groups, "axis": self.axis, "center": self.center, "scale": self.scale,
                "epsilon": self.epsilon, "beta_initializer": _initializers.serialize(self.beta_initializer),
                "gamma_initializer": _initializers.serialize(self.gamma_initializer),
                "strided_channel_grouping": self.strided_channel_grouping}


class InstanceNormalization(GroupNormalization):
    """Every channel is a group."""

    def __init__(self, axis: AxisLike = -1, **kwargs: Any) -> None:
        super().__init__(1, axis, **kwargs)

    def _group_count(self, channels):
        return channels

    def get_config(self) -> dict:
        """The arguments that make another like it."""
        return {k: v for k, v in super().get_config().items() if k != "groups"}


class LayerNormalization(GroupNormalization):
    """All channels are one group: of all dimensions but the first."""

    def __init__(self, axis: AxisLike = -1, **kwargs: Any) -> None:
        super().__init__(1, axis, **kwargs)

    def get_config(self) -> dict:
        """The arguments that make another like it."""
        return {k: v for k, v in super().get_config().items() if k != "groups"}


class RecomputationCheckpoint(_Layer):
    """What passes here is kept for the backward pass; without a checkpoint it may be computed again."""

    def call(self, inputs: TensorLike, **kwargs: Any) -> Tensor:
        """The inputs, kept for the backward pass."""
        return _marks.recomputation_checkpoint(inputs)


class AssumeEqualAcrossReplicas(_Layer):
    """What passes here is the same on all replicas."""

    def __init__(self, inplace: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.inplace = inplace

    def call(self, inputs: TensorLike, **kwargs: Any) -> Tensor:
        """The inputs, taken to be the same in all replicas."""
        return _marks.assume_equal_across_replicas(inputs, self.inplace)

    def get_config(self) -> dict:
        """The arguments that make another like it."""
        return {**super().get_config(), "inplace": self.inplace}


class CaptureUpstreamGradients(_Layer):
    """A layer whose gradient of its outputs a GradientCaptureContext (ipu.grad_util_ops) keeps, by tag or the layer's name."""

    def __init__(self, layer: Any, tag: str | None = None, **kwargs: Any) -> None:
        if not isinstance(layer, _Layer):
            raise ValueError(f"{type(self).__name__} goes around a layer, not {layer!r}.")
        super().__init__(**kwargs)
        self.layer, self.tag = layer, tag or layer.name

    def call(self, inputs: TensorLike, **kwargs: Any) -> Tensor:
        """The wrapped layer's output, whose gradient is captured."""
        return self._captured(self.layer(inputs, **kwargs))

    def _captured(self, tensor):
        return _marks.capture_upstream_gradients(tensor, self.tag)

    def get_config(self) -> dict:
        """The arguments that make another like it, with the wrapped layer's."""
        return {**super().get_config(), "layer": _registry.serialize(self.layer), "tag": self.tag}

    @classmethod
    def from_config(cls, config: dict, custom_objects: dict | None = None) -> CaptureUpstreamGradients:
        """Makes the wrapped layer, then this one."""
        config = dict(config)
        return cls(_registry.deserialize(config.pop("layer"), custom_objects), **config)


class CaptureActivationGradients(CaptureUpstreamGradients):
    """The same of what goes into the layer's activation function."""

    def __init__(self, layer: Any, tag: str | None = None, **kwargs: Any) -> None:
        super().__init__(layer, tag, **kwargs)
        if not callable(getattr(layer, "activation", None)):
            raise ValueError(f"CaptureActivationGradients goes around a layer with an activation, which {layer.name} does not "
                             "have.")

    def call(self, inputs: TensorLike, **kwargs: Any) -> Any:
        """The wrapped layer's output; what is captured is the gradient before its activation."""
        activation = self.layer.activation
        self.layer.activation = lambda x: activation(self._captured(x))
        try:
            return self.layer(inputs, **kwargs)
        finally:
            self.layer.activation = activation


class Embedding(_Embedding):
    """Rows of a table by index, for tables on the IPU."""
    def __init__(self, input_dim: int, output_dim: int, embeddings_initializer: InitializerLike = "uniform",
                 serialization_factor: int = 1, **kwargs: Any) -> None:
        without_effect(serialization_factor=serialization_factor if serialization_factor != 1 else None)
        super().__init__(input_dim, output_dim, embeddings_initializer, **kwargs)


class Dropout(_Dropout):
    """Sets elements to zero at random on the IPU, with a seed if one is given."""
    def __init__(self, rate: NumberLike = 0.5, noise_shape: ShapeLike | None = None, seed: int | None = None,
                 **kwargs: Any) -> None:
        super().__init__(rate, noise_shape, seed, **kwargs)


GroupNorm, InstanceNorm, LayerNorm = GroupNormalization, InstanceNormalization, LayerNormalization
_names.explain_missing(globals())
