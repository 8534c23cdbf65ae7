# SPDX-License-Identifier: MIT
"""What the examples share: data where there is none, and arguments."""
import argparse
import os
import sys
import tempfile

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "popart"))
import digits  # the drawn digits of the examples of PopART


def arguments(description, **defaults):
    """--samples, --check and numbers with these defaults."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--samples", type=int, default=59968, help="training images")
    parser.add_argument("--check", action="store_true", help="fail if the model does not learn")
    for name, value in defaults.items():
        if isinstance(value, bool):
            parser.add_argument(f"--{name.replace('_', '-')}", action="store_true")
        else:
            parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    return parser.parse_args()


def _kept(name):
    home = os.environ.get("KERAS_HOME") or os.path.join(os.path.expanduser("~"), ".keras")
    return os.path.exists(os.path.join(home, "datasets", name))


def draw_missing_mnist(samples):
    """Without ~/.keras/datasets/mnist.npz drawn digits take its place for this run; their accuracy means nothing."""
    if _kept("mnist.npz"):
        return
    print("There is no ~/.keras/datasets/mnist.npz: drawn digits are used.")
    home = tempfile.mkdtemp(prefix="keras-")
    os.makedirs(os.path.join(home, "datasets"))
    parts = {}
    for part, count, seed in (("train", samples, 1), ("test", max(samples // 6, min(samples, 2048)), 2)):
        images, labels = digits.draw(count, seed=seed, side=28)
        parts[f"x_{part}"] = (np.clip(images[:, 0], 0, 1) * 255).astype(np.uint8)
        parts[f"y_{part}"] = labels.astype(np.uint8)
    np.savez(os.path.join(home, "datasets", "mnist.npz"), **parts)
    os.environ["KERAS_HOME"] = home


def draw_missing_cifar10(samples):
    """The same for CIFAR-10: coloured stripes, whose direction is the class."""
    import pickle
    if _kept("cifar-10-batches-py") or _kept("cifar-10-python.tar.gz"):
        return
    print("There is no ~/.keras/datasets/cifar-10-batches-py: drawn images are used.")
    home = tempfile.mkdtemp(prefix="keras-")
    folder = os.path.join(home, "datasets", "cifar-10-batches-py")
    os.makedirs(folder)
    random = np.random.default_rng(3)
    y, x = np.meshgrid(*[np.linspace(-1, 1, 32)] * 2, indexing="ij")
    for name in (*[f"data_batch_{i}" for i in range(1, 6)], "test_batch"):
        labels = random.integers(0, 10, max(samples // 5, 64))
        angle = (labels * (np.pi / 10))[:, None, None]
        waves = np.sin((x * np.cos(angle) + y * np.sin(angle)) * 11 + random.uniform(0, 6.28, (len(labels), 1, 1)))
        colours = random.uniform(0.4, 1, (len(labels), 3, 1, 1))
        images = 127 + 110 * waves[:, None] * colours + random.normal(0, 15, (len(labels), 3, 32, 32))
        rows = np.clip(images, 0, 255).astype(np.uint8).reshape(len(labels), -1)
        with open(os.path.join(folder, name), "wb") as file:
            pickle.dump({b"data": rows, b"labels": labels.tolist()}, file)
    os.environ["KERAS_HOME"] = home


def check(args, learnt, what):
    if args.check and not learnt:
        raise SystemExit(f"The model did not learn: {what}")
