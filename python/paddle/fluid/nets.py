# SPDX-License-Identifier: MIT
"""Layers that often stand together."""
from .layers import conv2d, pool2d


def simple_img_conv_pool(input, num_filters, filter_size, pool_size, pool_stride, pool_padding=0, pool_type="max",
                         global_pooling=False, conv_stride=1, conv_padding=0, conv_dilation=1, conv_groups=1,
                         param_attr=None, bias_attr=None, act=None, use_cudnn=True):
    """A convolution with its activation, then a pool."""
    y = conv2d(input, num_filters, filter_size, conv_stride, conv_padding, conv_dilation, conv_groups, param_attr, bias_attr,
               use_cudnn, act)
    return pool2d(y, pool_size, pool_type, pool_stride, pool_padding, global_pooling, use_cudnn)
