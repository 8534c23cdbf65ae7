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
    if reduction_axes is not None:
        raise NotImplementedError("group_norm: reduction_axes cannot be chosen: they are all but those of batch and channels.")
    x = convert_to_tensor(inputs)
    channels = x.shape[channels_axis]
    own = param_initializers or {}
    with variable_scope(scope, "GroupNorm", reuse=reuse):
        beta = get_variable("beta", (channels,), initializer=own.get("beta", initializers.Zeros()), trainable=trainable) \
            if center else array_ops.zeros([channels], x.dtype)
        gamma = get_variable("gamma", (channels,), initializer=own.get("gamma", initializers.Ones()), trainable=trainable) \
            if scale else array_ops.ones([channels], x.dtype)
    last = channels_axis % x.shape.rank == x.shape.rank - 1
    return apply("GroupNorm", [x, gamma, beta], {"num_groups": int(groups), "epsilon": float(epsilon),
                                                 "data_format": "NHWC" if last else "NCHW",
                                                 "contiguous": not strided_channel_grouping})


def instance_norm(inputs, channels_axis=-1, **kwargs):
    kwargs.pop("strided_channel_grouping", None)
    return group_norm(inputs, convert_to_tensor(inputs).shape[channels_axis], channels_axis, **kwargs)


def layer_norm(inputs, channels_axis=-1, **kwargs):
    return group_norm(inputs, 1, channels_axis, **kwargs)
