# SPDX-License-Identifier: MIT
"""Group, instance and layer normalisation with parameters of their own."""
from tensorflow.compat.v1.variable_scope import get_variable, variable_scope
from tensorflow.framework.dispatch import apply
from tensorflow.framework.tensors import convert_to_tensor
from tensorflow.keras import initializers
from tensorflow.ops import array_ops


def group_norm(inputs, groups=2, channels_axis=-1, reduction_axes=None, center=True, scale=True, epsilon=1.53e-5,
               param_initializers=None, reuse=None, variables_collections=None, training=True, trainable=True, scope=None,
               strided_channel_grouping=True):
    """variables_collections: names of collections for both parameters, or {"beta": [...], "gamma": [...]}."""
    x = convert_to_tensor(inputs)
    axis, groups = _checked(x, int(groups), channels_axis, reduction_axes)
    with variable_scope(scope, "GroupNorm", reuse=reuse):
        def parameter(name, first):
            initializer = (param_initializers or {}).get(name, first)
            return get_variable(name, (x.shape[axis],), x.dtype, initializer, trainable=trainable,
                                collections=_collections(variables_collections, name))
        beta = parameter("beta", initializers.Zeros()) if center else array_ops.zeros([x.shape[axis]], x.dtype)
        gamma = parameter("gamma", initializers.Ones()) if scale else array_ops.ones([x.shape[axis]], x.dtype)
    return apply("GroupNorm", [x, gamma, beta], {
        "num_groups": groups, "epsilon": float(epsilon), "data_format": "NHWC" if axis == x.shape.rank - 1 else "NCHW",
        "contiguous": not strided_channel_grouping})


def _checked(x, groups, channels_axis, reduction_axes):
    """The axis of the channels from 0, and the groups."""
    rank = x.shape.rank
    if rank is None:
        raise ValueError(f"Inputs {x.name} has undefined rank.")
    for each in (channels_axis, *(reduction_axes or ())):
        if not -rank <= each < rank:
            raise ValueError(f"Axis is out of bounds: {each}, of inputs of shape {x.shape}.")
    axis = channels_axis % rank
    if axis not in (1, rank - 1):
        raise ValueError(f"channels_axis must be 1 or the last dimension of shape {x.shape}, not {channels_axis}.")
    if reduction_axes is not None:
        _check_reduced(sorted(a % rank for a in reduction_axes), axis, rank)
    channels = x.shape[axis]
    if channels is None:
        raise ValueError(f"Inputs {x.name} has undefined channel dimension: {x.shape}.")
    if groups < 1 or groups > channels:
        raise ValueError(f"Invalid groups {groups} for {channels} channels.")
    if channels % groups:
        raise ValueError(f"{channels} channels is not commensurate with {groups} groups.")
    return axis, groups


def _check_reduced(axes, channels_axis, rank):
    if channels_axis in axes:
        raise ValueError("reduction_axes must be mutually exclusive with channels_axis: both have axis "
                         f"{channels_axis}.")
    if axes != [d for d in range(1, rank) if d != channels_axis]:
        raise NotImplementedError(f"reduction_axes {axes}: they must be all but those of batch and channels.")


def _collections(given, name):
    return given.get(name) if isinstance(given, dict) else given


def instance_norm(inputs, channels_axis=-1, reduction_axes=None, center=True, scale=True, epsilon=1.53e-5,
                  param_initializers=None, reuse=None, variables_collections=None, training=True, trainable=True, scope=None):
    """Every channel is a group of its own."""
    x = convert_to_tensor(inputs)
    axis, _ = _checked(x, 1, channels_axis, reduction_axes)
    return group_norm(x, x.shape[axis], channels_axis, reduction_axes, center, scale, epsilon, param_initializers, reuse,
                      variables_collections, training, trainable, scope)


def layer_norm(inputs, channels_axis=-1, reduction_axes=None, center=True, scale=True, epsilon=1.53e-5,
               param_initializers=None, reuse=None, variables_collections=None, training=True, trainable=True, scope=None):
    """All channels are one group."""
    return group_norm(inputs, 1, channels_axis, reduction_axes, center, scale, epsilon, param_initializers, reuse,
                      variables_collections, training, trainable, scope)
