# SPDX-License-Identifier: MIT
"""tf.summary: event files, read by a reader of the test's own."""
import os
import struct

import numpy as np
import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from popart import _events


def fields(data):
    """[(number, value)] of a message."""
    out, at = [], 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        key = varint()
        number, kind = key >> 3, key & 7
        if kind == 0:
            out.append((number, varint()))
        elif kind == 2:
            size = varint()
            out.append((number, data[at:at + size]))
            at += size
        else:
            size = {1: 8, 5: 4}[kind]
            out.append((number, struct.unpack("<d" if size == 8 else "<f", data[at:at + size])[0]))
            at += size
    return out


def events(folder):
    """[(step, tag, fields of the value)] of all files."""
    out = []
    for name in sorted(os.listdir(folder)):
        data, at = open(os.path.join(folder, name), "rb").read(), 0
        while at < len(data):
            size, = struct.unpack_from("<Q", data, at)
            message = dict(fields(data[at + 12:at + 12 + size]))
            at += 16 + size
            for number, value in fields(message.get(5, b"")):
                value = dict(fields(value))
                out.append((message.get(2, 0), value[1].decode(), value))
    return out


def test_the_checksum_is_castagnolis():
    crc = 0xe3069283  # of 123456789, as RFC 3720 has it
    assert _events.masked_crc(b"123456789") == (((crc >> 15) | (crc << 17)) + 0xa282ead8) & 0xffffffff


def test_numbers_and_distributions(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        for step in range(3):
            tf.summary.scalar("loss", tf.constant(0.5) * step, step=step)
        with tf.name_scope("layer"):
            tf.summary.histogram("w", [1.0, 2.0, 5.0], step=7, buckets=4)
    found = events(tmp_path)
    assert [(step, tag, v.get(2)) for step, tag, v in found[:3]] == [(0, "loss", 0), (1, "loss", 0.5), (2, "loss", 1)]
    step, tag, value = found[3]
    numbers = dict(fields(value[5]))
    assert (step, tag, numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]) == (7, "layer/w", 1, 5, 3, 8, 30)
    assert struct.unpack("<4d", numbers[7]) == (1, 1, 0, 1) and struct.unpack("<4d", numbers[6]) == (2, 3, 4, 5)


def test_a_step_is_needed_and_a_writer_is_not(tmp_path):
    assert tf.summary.scalar("a", 1.0, step=1) is False
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        with pytest.raises(ValueError, match="No step set"):
            tf.summary.scalar("a", 1.0)
        tf.summary.experimental.set_step(4)
        assert tf.summary.scalar("a", 1.0) is True
    assert [(step, tag) for step, tag, _ in events(tmp_path)] == [(4, "a")]
    with pytest.raises(ValueError, match="is of one number"):
        with tf.summary.create_file_writer(str(tmp_path)).as_default(step=1):
            tf.summary.scalar("a", [1.0, 2.0])


def test_summaries_of_a_session(tmp_path):
    with tf1.Graph().as_default():
        x = tf1.placeholder(tf1.float32, [2])
        tf1.summary.scalar("sum", tf1.reduce_sum(x))
        tf1.summary.histogram("x", x)
        merged = tf1.summary.merge_all()
        with tf1.Session() as session, tf1.summary.FileWriter(str(tmp_path)) as writer:
            for step in range(2):
                text, total = session.run([merged, tf1.reduce_sum(x)], {x: [step, 1]})
                assert total == step + 1
                writer.add_summary(text, step)
            writer.add_summary(tf1.Summary(value=[tf1.Summary.Value(tag="own", simple_value=2.5)]), 9)
    found = events(tmp_path)
    assert [(step, tag) for step, tag, _ in found] == [(0, "sum"), (0, "x"), (1, "sum"), (1, "x"), (9, "own")]
    np.testing.assert_allclose([found[0][2][2], found[2][2][2], found[4][2][2]], [1, 2, 2.5])
