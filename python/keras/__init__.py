# SPDX-License-Identifier: MIT
"""Keras by its own name: tf.keras of OpenIPU's TensorFlow, with all its modules (tensorflow/_aliases.py)."""
import tensorflow.keras as _keras
from tensorflow.keras import __version__

__all__ = list(_keras.__all__)


def __getattr__(name):
    return getattr(_keras, name)


def __dir__():
    return dir(_keras)
