# SPDX-License-Identifier: MIT
"""Convolutions and pools against torch: outputs and the gradients of kernels, with "same" padding as TensorFlow has it."""
import numpy as np
import pytest
import tensorflow as tf
import torch
import torch.nn.functional as F
from tensorflow import keras


def padded(x, kernel, strides, value=0.0):
    """"same": the odd element is last."""
    pads = []
    for d, (k, s) in reversed(list(enumerate(zip(kernel, strides)))):
        n = x.shape[2 + d]
        total = max((-(-n // s) - 1) * s + k - n, 0)
        pads += [total // 2, total - total // 2]
    return F.pad(x, pads, value=value)


CONV = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
SHAPES = {1: (2, 9, 4), 2: (2, 7, 9, 4), 3: (2, 5, 6, 7, 4)}


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("padding", ["valid", "same"])
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("data_format", ["channels_last", "channels_first"])
def test_convolutions(dims, padding, stride, data_format):
    rng = np.random.default_rng(dims)
    x = rng.normal(size=SHAPES[dims]).astype("float32")
    layer = getattr(keras.layers, f"Conv{dims}D")(6, 3, strides=stride, padding=padding, data_format=data_format, groups=2)
    last = np.moveaxis(x, -1, 1)
    given = x if data_format == "channels_last" else np.ascontiguousarray(last)
    with tf.GradientTape() as tape:
        y = layer(given)
        loss = tf.reduce_sum(y ** 2.0)
    kernel = torch.tensor(np.moveaxis(layer.kernel.numpy(), (-1, -2), (0, 1)).copy(), requires_grad=True)
    t = torch.tensor(last.copy())
    t = padded(t, [3] * dims, [stride] * dims) if padding == "same" else t
    expected = CONV[dims](t, kernel, torch.tensor(layer.bias.numpy()), stride=stride, groups=2)
    expected.square().sum().backward()
    got = y.numpy() if data_format == "channels_first" else np.moveaxis(y.numpy(), -1, 1)
    np.testing.assert_allclose(got, expected.detach().numpy(), rtol=1e-4, atol=1e-4)
    gradient = tape.gradient(loss, layer.kernel).numpy()
    np.testing.assert_allclose(np.moveaxis(gradient, (-1, -2), (0, 1)), kernel.grad.numpy(), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("padding", ["valid", "same"])
@pytest.mark.parametrize("kind", ["Max", "Average"])
def test_pools(dims, padding, kind):
    rng = np.random.default_rng(dims)
    x = rng.normal(size=SHAPES[dims]).astype("float32")
    y = getattr(keras.layers, f"{kind}Pooling{dims}D")(2, 2, padding)(x).numpy()
    t = torch.tensor(np.moveaxis(x, -1, 1).copy())
    if kind == "Max":
        t = padded(t, [2] * dims, [2] * dims, -np.inf) if padding == "same" else t
        expected = (F.max_pool1d, F.max_pool2d, F.max_pool3d)[dims - 1](t, 2)
    else:
        pool = (F.avg_pool1d, F.avg_pool2d, F.avg_pool3d)[dims - 1]
        if padding == "same":  # padding does not count
            expected = pool(padded(t, [2] * dims, [2] * dims), 2) / pool(padded(torch.ones_like(t), [2] * dims, [2] * dims), 2)
        else:
            expected = pool(t, 2)
    np.testing.assert_allclose(np.moveaxis(y, -1, 1), expected.numpy(), rtol=1e-5, atol=1e-6)


def test_global_pools():
    x = np.random.default_rng(0).normal(size=(2, 4, 5, 3)).astype("float32")
    np.testing.assert_allclose(keras.layers.GlobalAveragePooling2D()(x), x.mean((1, 2)), rtol=1e-5)
    np.testing.assert_allclose(keras.layers.GlobalMaxPool2D()(x), x.max((1, 2)))


def test_biases_stay_in_the_order_of_the_convolution():
    import json

    import popart
    model = keras.Sequential([keras.Input((9, 8, 3)), keras.layers.Conv2D(5, 3, activation="relu"),
                              keras.layers.MaxPooling2D(2), keras.layers.Flatten(), keras.layers.Dense(2)])
    model.compile("sgd", "mse")
    model.fit(np.ones((4, 9, 8, 3), "float32"), np.ones((4, 2), "float32"), batch_size=4, verbose=0)
    session = next(iter(model._programs.values())).executable.session
    nodes = next(iter(json.loads(session._serializeIr(popart.IrSerializationFormat.JSON)).values()))
    types = [node["type"].replace("Inplace", "") for node in nodes]
    # What follows a convolution is moved behind the pool, where nothing has to be turned in between.
    assert types.index("Conv") < types.index("MaxPool") < types.index("Relu")
    assert types[types.index("Conv"):types.index("Relu")].count("Transpose") == 0
