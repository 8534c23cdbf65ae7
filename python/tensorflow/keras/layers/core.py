# SPDX-License-Identifier: MIT
"""Input, Dense, Activation, Dropout, Flatten, Reshape and others that everything is made of."""
from __future__ import annotations

import inspect
from typing import Any, Callable

import numpy as np

from tensorflow.framework.shapes import TensorShape
from tensorflow.framework.typed import (ActivationLike, ConstraintLike, InitializerLike, NumberLike, RegularizerLike,
                                        ShapeLike, TensorLike)
from tensorflow.framework.tensors import Tensor
from tensorflow.keras import activations, backend, constraints, initializers, regularizers
from tensorflow.keras.engine.base_layer import InputSpec, Layer
from tensorflow.keras.engine.input_layer import Input, InputLayer  # noqa: F401
from tensorflow.keras.layers import parts
from tensorflow.ops import array_ops, math_ops, nn_ops

__all__ = ["Input", "InputLayer", "Dense", "Activation", "Dropout", "Flatten", "Reshape", "Permute", "RepeatVector", "Lambda"]


class Dense(Layer):
    """activation(x . kernel + bias)"""

    def __init__(self, units: int, activation: ActivationLike = None, use_bias: bool = True,
                 kernel_initializer: InitializerLike = "glorot_uniform", bias_initializer: InitializerLike = "zeros",
                 kernel_regularizer: RegularizerLike = None, bias_regularizer: RegularizerLike = None,
                 activity_regularizer: RegularizerLike = None, kernel_constraint: ConstraintLike = None,
                 bias_constraint: ConstraintLike = None, **kwargs: Any) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.units = int(units)
        if self.units < 0:
            raise ValueError(f"Received an invalid value for `units`, expected a positive integer, got {units}.")
        self.activation, self.use_bias = activations.get(activation), use_bias
        self.kernel_initializer, self.bias_initializer = map(initializers.get, (kernel_initializer, bias_initializer))
        self.kernel_regularizer, self.bias_regularizer = map(regularizers.get, (kernel_regularizer, bias_regularizer))
        self.kernel_constraint, self.bias_constraint = map(constraints.get, (kernel_constraint, bias_constraint))
        self.input_spec, self.supports_masking = InputSpec(min_ndim=2), True

    def build(self, input_shape: ShapeLike) -> None:
        last = TensorShape(input_shape)[-1]
        if last is None:
            raise ValueError("The last dimension of the inputs to `Dense` should be defined. Found `None`.")
        self.input_spec = InputSpec(min_ndim=2, axes={-1: last})
        self.kernel = self.add_weight("kernel", (last, self.units), initializer=self.kernel_initializer,
                                      regularizer=self.kernel_regularizer, constraint=self.kernel_constraint)
        self.bias = self.add_weight("bias", (self.units,), initializer=self.bias_initializer,
                                    regularizer=self.bias_regularizer, constraint=self.bias_constraint) \
            if self.use_bias else None

    def call(self, inputs: TensorLike) -> Tensor:
        inputs = parts.floating(self, inputs)
        kernel = math_ops.cast(self.kernel, inputs.dtype)
        out = math_ops.matmul(inputs, kernel)
        if self.use_bias:
            out = nn_ops.bias_add(out, math_ops.cast(self.bias, out.dtype))
        return self.activation(out)

    def get_config(self) -> dict:
        return {**super().get_config(), "units": self.units, "activation": activations.serialize(self.activation),
                "use_bias": self.use_bias, **parts.config(self, ("kernel", "bias"))}


class Activation(Layer):
    """A function of each element, by its name or as a function."""
    def __init__(self, activation: ActivationLike, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.activation, self.supports_masking = activations.get(activation), True

    def call(self, inputs: TensorLike) -> Tensor:
        return self.activation(inputs)

    def get_config(self) -> dict:
        return {**super().get_config(), "activation": activations.serialize(self.activation)}


class Dropout(Layer):
    """While training: x / (1 - rate), or 0 with probability rate."""
    _config = ("rate", "noise_shape", "seed")
    _in_both_modes = True

    def __init__(self, rate: NumberLike, noise_shape: ShapeLike | None = None, seed: int | None = None,
                 **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not 0 <= rate <= 1:
            raise ValueError(f"Invalid value {rate} received for `rate`, expected a value between 0 and 1.")
        self.rate, self.noise_shape, self.seed, self.supports_masking = rate, noise_shape, seed, True

    def call(self, inputs: TensorLike, training: bool | None = None) -> Tensor:
        if not training or self.rate == 0:
            return inputs
        return nn_ops.dropout(inputs, self.rate, self.noise_shape, self.seed)


class Flatten(Layer):
    """Makes one dimension of all but the first."""
    _config = ("data_format",)

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = data_format or backend.image_data_format()
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs: TensorLike) -> Tensor:
        rank = inputs.shape.rank
        if self.data_format == "channels_first" and rank > 2:
            inputs = array_ops.transpose(inputs, [0, *range(2, rank), 1])
        if rank == 1:
            return array_ops.expand_dims(inputs, 1)
        count = 1
        for d in inputs.shape[1:]:
            if d is None:
                raise ValueError(f"Flatten needs all dimensions but the batch; the input has shape {inputs.shape}.")
            count *= d
        return array_ops.reshape(inputs, [-1, count])


class Reshape(Layer):
    """Another shape, the batch left out; one size may be -1."""
    _config = ("target_shape",)

    def __init__(self, target_shape: ShapeLike, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)

    def call(self, inputs: TensorLike) -> Tensor:
        target = list(self.target_shape)
        if None in tuple(inputs.shape[1:]):
            return array_ops.reshape(inputs, [array_ops.dims(inputs)[0], *target])
        count = int(np.prod([d for d in inputs.shape[1:]], dtype=int))
        known = int(np.prod([d for d in target if d != -1], dtype=int))
        if -1 in target:
            target[target.index(-1)] = count // max(known, 1)
        if int(np.prod(target, dtype=int)) != count:
            raise ValueError(f"total size of new array must be unchanged, input_shape = {list(inputs.shape[1:])}, "
                             f"output_shape = {list(self.target_shape)}")
        return array_ops.reshape(inputs, [-1 if inputs.shape[0] is None else inputs.shape[0], *target])


class Permute(Layer):
    """Dimensions in another order, counted from 1 without the batch."""
    _config = ("dims",)

    def __init__(self, dims: ShapeLike, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dims = tuple(dims)
        if sorted(self.dims) != list(range(1, len(self.dims) + 1)):
            raise ValueError(f"Invalid permutation `dims` for Permute Layer: {dims}. The set of indices in `dims` must be "
                             "consecutive and start from 1.")
        self.input_spec = InputSpec(ndim=len(self.dims) + 1)

    def call(self, inputs: TensorLike) -> Tensor:
        return array_ops.transpose(inputs, [0, *self.dims])


class RepeatVector(Layer):
    """[batch, features] n times: [batch, n, features]."""
    _config = ("n",)

    def __init__(self, n: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.n, self.input_spec = int(n), InputSpec(ndim=2)

    def call(self, inputs: TensorLike) -> Tensor:
        return array_ops.tile(array_ops.expand_dims(inputs, 1), [1, self.n, 1])


class Lambda(Layer):
    """A function as a layer."""
    def __init__(self, function: Callable, output_shape: ShapeLike | None = None, mask: TensorLike | None = None,
                 arguments: dict | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.function, self.arguments, self._mask = function, arguments or {}, mask  # shapes follow from the function
        self.supports_masking = mask is not None

    def compute_mask(self, inputs: TensorLike, mask: TensorLike | None = None) -> Tensor | None:
        return self._mask(inputs, mask) if callable(self._mask) else self._mask

    def call(self, inputs: TensorLike, mask: TensorLike | None = None, training: bool | None = None) -> Tensor:
        more = dict(self.arguments)
        names = inspect.signature(self.function).parameters
        if "mask" in names:
            more["mask"] = mask
        if "training" in names:
            more["training"] = training
        return self.function(inputs, **more)
