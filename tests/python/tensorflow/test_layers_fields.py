# SPDX-License-Identifier: MIT
"""Transposed and separable convolutions, padding, cropping and upsampling, against torch."""
import numpy as np
import pytest
import torch
import torch.nn.functional as F
from agree import check, normal
from tensorflow import keras

L = keras.layers


def second(x):
    return x.movedim(-1, 1)


def last(x):
    return x.movedim(1, -1)


TRANSPOSED = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}
SHAPES = {1: (2, 5, 3), 2: (2, 4, 5, 3), 3: (2, 3, 4, 3, 3)}


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("padding", ["valid", "same"])
@pytest.mark.parametrize("stride", [1, 2])
def test_transposed_convolutions(dims, padding, stride):
    layer = getattr(L, f"Conv{dims}DTranspose")(4, 3, stride, padding)

    def reference(x, w):
        kernel = w["kernel"].movedim(-1, 0).movedim(-1, 1)  # [field, out, in] -> [in, out, field]
        full = TRANSPOSED[dims](second(x[0]), kernel, w["bias"], stride=stride)
        if padding == "same":  # as many as inputs times stride: what a convolution with "same" was made of
            for d in range(dims):
                n = x[0].shape[1 + d] * stride
                total = max((x[0].shape[1 + d] - 1) * stride + 3 - n, 0)
                full = full.narrow(2 + d, total // 2, n)
        return last(full)

    check(layer, [normal(*SHAPES[dims])], reference)
    assert layer.kernel.shape == (*[3] * dims, 4, 3)


def test_transposed_with_output_padding_and_channels_first():
    layer = L.Conv2DTranspose(4, 3, 2, "same", output_padding=1, data_format="channels_first")
    check(layer, [normal(2, 3, 4, 5)], lambda x, w: F.conv_transpose2d(
        x[0], w["kernel"].permute(3, 2, 0, 1), w["bias"], stride=2, padding=1, output_padding=1))
    with pytest.raises(ValueError, match="output padding"):
        L.Conv2DTranspose(4, 3, 2, output_padding=2)


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("data_format", ["channels_last", "channels_first"])
def test_depthwise(times, data_format):
    layer = L.DepthwiseConv2D(3, depth_multiplier=times, data_format=data_format)

    def reference(x, w):
        kernel = w["depthwise_kernel"].permute(2, 3, 0, 1).reshape(3 * times, 1, 3, 3)
        given = second(x[0]) if data_format == "channels_last" else x[0]
        y = F.conv2d(given, kernel, w["bias"], groups=3)
        return last(y) if data_format == "channels_last" else y

    check(layer, [normal(2, 6, 7, 3) if data_format == "channels_last" else normal(2, 3, 6, 7)], reference)


def test_separable():
    layer = L.SeparableConv2D(5, 3, depth_multiplier=2, padding="same", activation="tanh")

    def reference(x, w):
        deep = F.conv2d(second(x[0]), w["depthwise_kernel"].permute(2, 3, 0, 1).reshape(6, 1, 3, 3), groups=3, padding=1)
        return last(torch.tanh(F.conv2d(deep, w["pointwise_kernel"].permute(3, 2, 0, 1), w["bias"])))

    check(layer, [normal(2, 6, 7, 3)], reference)
    assert [tuple(w.shape) for w in layer.weights] == [(3, 3, 3, 2), (1, 1, 6, 5), (5,)]


@pytest.mark.parametrize("padding", ["valid", "causal"])
def test_separable_of_one_dimension(padding):
    layer = L.SeparableConv1D(5, 3, padding=padding, dilation_rate=2)

    def reference(x, w):
        given = F.pad(second(x[0]), (4, 0)) if padding == "causal" else second(x[0])
        deep = F.conv1d(given, w["depthwise_kernel"].permute(1, 2, 0).reshape(3, 1, 3), groups=3, dilation=2)
        return last(F.conv1d(deep, w["pointwise_kernel"].permute(2, 1, 0), w["bias"]))

    check(layer, [normal(2, 9, 3)], reference)


@pytest.mark.parametrize("layer,shape,pads", [
    (L.ZeroPadding1D(2), (2, 4, 3), (0, 0, 2, 2)), (L.ZeroPadding1D((1, 3)), (2, 4, 3), (0, 0, 1, 3)),
    (L.ZeroPadding2D((1, 2)), (2, 4, 5, 3), (0, 0, 2, 2, 1, 1)),
    (L.ZeroPadding2D(((1, 0), (0, 2))), (2, 4, 5, 3), (0, 0, 0, 2, 1, 0)),
    (L.ZeroPadding2D(1, data_format="channels_first"), (2, 3, 4, 5), (1, 1, 1, 1)),
    (L.ZeroPadding3D(), (2, 2, 3, 4, 3), (0, 0, 1, 1, 1, 1, 1, 1))])
def test_padding(layer, shape, pads):
    check(layer, [normal(*shape)], lambda x, w: F.pad(x[0], pads))


@pytest.mark.parametrize("layer,shape,keys", [
    (L.Cropping1D(1), (2, 4, 3), np.s_[:, 1:-1]), (L.Cropping2D(((1, 0), (2, 1))), (2, 4, 5, 3), np.s_[:, 1:, 2:-1]),
    (L.Cropping2D(1, data_format="channels_first"), (2, 3, 4, 5), np.s_[:, :, 1:-1, 1:-1]),
    (L.Cropping3D(), (2, 4, 3, 5, 3), np.s_[:, 1:-1, 1:-1, 1:-1])])
def test_cropping(layer, shape, keys):
    check(layer, [normal(*shape)], lambda x, w: x[0][keys])


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_upsampling(dims):
    check(getattr(L, f"UpSampling{dims}D")(), [normal(*SHAPES[dims])],
          lambda x, w: last(F.interpolate(second(x[0]), scale_factor=2, mode="nearest")))


def test_bilinear_upsampling():
    check(L.UpSampling2D((2, 3), interpolation="bilinear"), [normal(2, 4, 5, 3)],
          lambda x, w: last(F.interpolate(second(x[0]), scale_factor=(2, 3), mode="bilinear", align_corners=False)))


@pytest.mark.parametrize("padding", ["valid", "same"])
@pytest.mark.parametrize("kind", ["Max", "Average"])
def test_gradients_of_pools(kind, padding):
    def reference(x, w):
        t = second(x[0])
        if padding == "same":
            t = F.pad(t, (0, 1, 0, 1), value=-1e30 if kind == "Max" else 0)
        if kind == "Max":
            return last(F.max_pool2d(t, 3, 2))
        count = F.pad(torch.ones_like(second(x[0])), (0, 1, 0, 1)) if padding == "same" else torch.ones_like(t)
        return last(F.avg_pool2d(t, 3, 2) / F.avg_pool2d(count, 3, 2))

    check(getattr(L, f"{kind}Pooling2D")(3, 2, padding), [normal(2, 6, 8, 3)], reference)


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("keepdims", [False, True])
def test_global_pools(dims, keepdims):
    axes = tuple(range(1, dims + 1))
    x = normal(*SHAPES[dims])
    check(getattr(L, f"GlobalAveragePooling{dims}D")(keepdims=keepdims), [x], lambda t, w: t[0].mean(axes, keepdim=keepdims))
    check(getattr(L, f"GlobalMaxPooling{dims}D")(keepdims=keepdims), [x], lambda t, w: t[0].amax(axes, keepdim=keepdims))


def test_wrong_arguments_are_named():
    for make, text in ((lambda: L.Conv2D(4, 3, padding="full"), "padding"), (lambda: L.Conv2D(4, (3, 3, 3)), "kernel_size"),
                       (lambda: L.Conv2D(4, 3, data_format="last"), "data_format"),
                       (lambda: L.UpSampling2D(interpolation="cubic"), "interpolation"),
                       (lambda: L.Conv2D(4, 3, fancy=1), "fancy"), (lambda: L.Conv2D(5, 3, groups=2), "groups"),
                       (lambda: L.Cropping1D(3)(normal(1, 5, 2)), "cropping")):
        with pytest.raises((ValueError, TypeError), match=text):
            make()
