# SPDX-License-Identifier: MIT
"""A layer, or any function, against a reference in torch's double precision: outputs, and gradients of inputs and weights;
at once, and traced as one program."""
import numpy as np
import tensorflow as tf
import torch
from tensorflow.framework import nest


def rng(seed=0):
    return np.random.default_rng(seed)


def normal(*shape, seed=0):
    return rng(seed).normal(size=shape).astype("float32")


def _loss(outputs):
    """A number that depends on every output in another way."""
    total = 0.0
    for i, y in enumerate(nest.flatten(outputs)):
        weights = np.cos(np.arange(int(np.prod(y.shape.as_list()))) + i).reshape(y.shape.as_list()).astype("float32")
        total = total + tf.reduce_sum(y * weights)
    return total


def _torch_loss(outputs):
    total = 0.0
    for i, y in enumerate(outputs):
        weights = np.cos(np.arange(y.numel()) + i).reshape(tuple(y.shape)).astype("float32")
        total = total + (y * torch.tensor(weights, dtype=torch.float64)).sum()
    return total


def perturb(layer, seed=5):
    """Weights that are all different, so that a wrong order is seen."""
    r = rng(seed)
    for w in layer.weights:
        w.assign(w.numpy() + r.uniform(0.1, 0.6, w.shape.as_list()).astype("float32"))


def check(layer, inputs, reference, call=None, weights=True, rtol=2e-4, atol=2e-5, gradients=True):
    """reference(inputs, weights by name) -> outputs, of torch."""
    inputs = [np.asarray(i) for i in inputs]
    call = call or (lambda *xs: layer(xs[0] if len(xs) == 1 else list(xs)))
    call(*[tf.constant(i) for i in inputs])
    if weights and hasattr(layer, "weights"):
        perturb(layer)
    floats = [i for i, a in enumerate(inputs) if a.dtype.kind == "f"]
    own = list(layer.trainable_weights) if hasattr(layer, "trainable_weights") else []

    def both(*xs):
        with tf.GradientTape() as tape:
            tape.watch([xs[i] for i in floats])
            y = call(*xs)
            loss = _loss(y)
        made = tape.gradient(loss, [xs[i] for i in floats] + own) if gradients else []
        return nest.flatten(y), made

    given = [torch.tensor(a, dtype=torch.float64 if a.dtype.kind == "f" else None, requires_grad=a.dtype.kind == "f")
             for a in inputs]
    named, torch_own = {}, []
    for w in getattr(layer, "weights", ()):
        t = torch.tensor(w.numpy(), dtype=torch.float64, requires_grad=True)
        named[w.name.split("/")[-1].split(":")[0]] = named[w.name.split(":")[0]] = t
        if any(w is v for v in own):
            torch_own.append(t)
    expected = reference(given, named)
    expected = list(expected) if isinstance(expected, (list, tuple)) else [expected]
    if gradients:
        _torch_loss(expected).backward()
    for how in (both, tf.function(both)):
        outputs, made = how(*[tf.constant(i) for i in inputs])
        assert len(outputs) == len(expected)
        for got, want in zip(outputs, expected):
            np.testing.assert_allclose(got.numpy(), want.detach().numpy(), rtol=rtol, atol=atol)
        if gradients:
            for got, want in zip(made, [given[i] for i in floats] + torch_own):
                grad = want.grad if want.grad is not None else torch.zeros_like(want)
                got = np.zeros(grad.shape) if got is None else got.numpy()
                np.testing.assert_allclose(got, grad.numpy(), rtol=10 * rtol, atol=20 * atol)
