# SPDX-License-Identifier: MIT
"""Summaries as messages: a number, a distribution, a text."""
import struct

import numpy as np
from popart._events import double, field


def _value(tag, plugin, content):
    metadata = field(1, field(1, plugin))
    return field(1, field(1, tag) + content + field(9, metadata))


def scalar(tag, value):
    number = np.asarray(value)
    if number.size != 1:
        raise ValueError(f"The summary {tag!r} is of one number; the shape is {number.shape}.")
    return field(1, field(1, tag) + field(2, float(number.reshape(()))))


def histogram(tag, values, buckets=30):
    """HistogramProto: extremes, number, sums, and counts below limits."""
    x = np.asarray(values, np.float64).reshape(-1)
    x = x if x.size else np.zeros(1)
    counts, edges = np.histogram(x, buckets)
    message = b"".join(double(i, float(v)) for i, v in enumerate(
        (x.min(), x.max(), x.size, x.sum(), np.square(x).sum()), 1))
    message += field(6, struct.pack(f"<{buckets}d", *edges[1:])) + field(7, struct.pack(f"<{buckets}d", *counts))
    return field(1, field(1, tag) + field(5, message))


def text(tag, value):
    """TensorProto of strings, for the plugin of texts."""
    lines = [v if isinstance(v, bytes) else str(v).encode() for v in np.asarray(value, object).reshape(-1)]
    shape = field(2, field(2, field(1, len(lines))) if np.ndim(value) else b"")
    tensor = field(1, 7) + shape + b"".join(field(8, line) for line in lines)
    return _value(tag, "text", field(8, tensor))
