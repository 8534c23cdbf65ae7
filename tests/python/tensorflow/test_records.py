# SPDX-License-Identifier: MIT
"""Files of records, examples in them, lines of texts, and data sets of neighbouring elements."""
import gzip
import struct

import numpy as np
import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1


def example(i):
    return tf.train.Example(features=tf.train.Features(feature={
        "x": tf.train.Feature(float_list=tf.train.FloatList(value=[i, i + 0.5])),
        "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[-i])),
        "raw": tf.train.Feature(bytes_list=tf.train.BytesList(value=[np.array([i, 0], "<i4").tobytes()])),
        "rows": tf.train.Feature(int64_list=tf.train.Int64List(value=range(2 * i)))}))


WANTED = {"x": tf.io.FixedLenFeature([2], tf.float32), "label": tf.io.FixedLenFeature([], tf.int64),
          "raw": tf.io.FixedLenFeature([], tf.string)}


@pytest.fixture
def file(tmp_path):
    with tf.io.TFRecordWriter(str(tmp_path / "a.tfrecord")) as writer:
        for i in range(6):
            writer.write(example(i).SerializeToString())
    return str(tmp_path / "a.tfrecord")


def test_records_are_what_the_format_says(tmp_path, file):
    """A record that is made here by hand: CRC-32C of b"123456789" is 0xe3069283, a published value."""
    data, crc = b"123456789", 0xe3069283
    masked = ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff
    with tf.io.TFRecordWriter(str(tmp_path / "b")) as writer:
        writer.write(data)
    written = (tmp_path / "b").read_bytes()
    assert written[:8] == struct.pack("<Q", 9) and written[12:21] == data and written[21:] == struct.pack("<I", masked)
    (tmp_path / "c").write_bytes(gzip.compress(written * 2))
    assert [t.numpy() for t in tf.data.TFRecordDataset(str(tmp_path / "c"), "GZIP")] == [data, data]
    assert len(list(tf.data.TFRecordDataset([file, str(tmp_path / "b")]))) == 7
    assert list(tf1.python_io.tf_record_iterator(str(tmp_path / "b"))) == [data]
    for damaged in (written[:-1], written[:15] + b"x" + written[16:], b"\1" + written[1:]):
        (tmp_path / "d").write_bytes(damaged)
        with pytest.raises(tf.errors.DataLossError, match="corrupted record at 0"):
            list(tf.data.TFRecordDataset(str(tmp_path / "d")))
    with pytest.raises(tf.errors.NotFoundError):
        list(tf.data.TFRecordDataset(str(tmp_path / "nowhere")))


def test_examples_are_the_bytes_that_the_messages_say():
    """Written by hand from the field numbers: a = [300], packed."""
    feature = b"\x1a\x04\x0a\x02\xac\x02"
    entry = b"\x0a\x01a\x12" + bytes([len(feature)]) + feature
    features = b"\x0a" + bytes([len(entry)]) + entry
    by_hand = b"\x0a" + bytes([len(features)]) + features
    made = tf.train.Example(features=tf.train.Features(feature={
        "a": tf.train.Feature(int64_list=tf.train.Int64List(value=[300]))}))
    assert made.SerializeToString() == by_hand
    assert tf.train.Example.FromString(by_hand).features.feature["a"].int64_list.value == [300]
    unpacked = by_hand.replace(b"\x1a\x04\x0a\x02\xac\x02", b"\x1a\x04\x08\x05\x08\x06")
    assert tf.train.Example.FromString(unpacked).features.feature["a"].int64_list.value == [5, 6]


def test_a_model_is_trained_with_examples(file):
    def parse(record):
        found = tf.io.parse_single_example(record, WANTED)
        return found["x"], tf.cast(found["label"], tf.float32)
    data = tf.data.TFRecordDataset(file).map(parse).batch(2, drop_remainder=True)
    assert data.element_spec[0].shape == (2, 2)
    np.testing.assert_array_equal(np.concatenate([y for _, y in data.as_numpy_iterator()]), -np.arange(6))
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile("sgd", "mse")
    model.fit(data, epochs=2, verbose=0)
    batch = next(iter(tf.data.TFRecordDataset(file).batch(3)))
    found = tf.io.parse_example(batch, WANTED)
    np.testing.assert_array_equal(found["x"], [[0, 0.5], [1, 1.5], [2, 2.5]])
    np.testing.assert_array_equal(tf.io.decode_raw(found["raw"], tf.int32), [[0, 0], [1, 0], [2, 0]])


def test_what_an_example_does_not_have(file):
    record = list(tf.data.TFRecordDataset(file))[2]
    rows = {"rows": tf.io.FixedLenSequenceFeature([2], tf.int64, allow_missing=True),
            "none": tf.io.FixedLenSequenceFeature([], tf.float32, allow_missing=True),
            "other": tf.io.FixedLenFeature([2], tf.float32, default_value=[1.0, 2.0])}
    found = tf1.parse_single_example(record, rows)
    np.testing.assert_array_equal(found["rows"], [[0, 1], [2, 3]])
    assert found["none"].shape == (0,)
    np.testing.assert_array_equal(found["other"], [1, 2])
    for features, message in (({"y": tf.io.FixedLenFeature([], tf.int64)}, "required but could not be found"),
                              ({"x": tf.io.FixedLenFeature([2], tf.int64)}, "Data types don't match"),
                              ({"x": tf.io.FixedLenFeature([3], tf.float32)}, "2 values for the shape")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            tf.io.parse_single_example(record, features)
    with pytest.raises(tf.errors.InvalidArgumentError, match="no tf.train.Example"):
        tf.io.parse_single_example(tf.constant(b"\x0a\x7f"), WANTED)


def test_lines_bytes_and_names_of_files(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"one\r\ntwo\n\nfour")
    (tmp_path / "b.bin").write_bytes(b"Habcdef\0\0F")
    lines = tf.data.TextLineDataset(str(tmp_path / "a.txt"))
    assert [t.numpy() for t in lines] == [b"one", b"two", b"", b"four"]
    parts = tf.data.FixedLengthRecordDataset(str(tmp_path / "b.bin"), 4, 1, 1)
    assert [t.numpy() for t in parts] == [b"abcd", b"ef\0\0"]
    assert tf.io.read_file(str(tmp_path / "b.bin")).numpy() == b"Habcdef\0\0F"
    found = tf.data.Dataset.list_files(str(tmp_path / "*"), shuffle=False)
    assert [t.numpy().decode() for t in found] == [str(tmp_path / "a.txt"), str(tmp_path / "b.bin")]
    texts = tf.data.Dataset.list_files(str(tmp_path / "*.txt")).interleave(tf.data.TextLineDataset, cycle_length=1)
    assert len(list(texts)) == 4
    with pytest.raises(tf.errors.NotFoundError, match="No files matched"):
        tf.data.Dataset.list_files(str(tmp_path / "*.png"))


def test_older_transformations():
    experimental, data = tf.data.experimental, tf.data.Dataset.range(6)
    made = data.apply(experimental.map_and_batch(lambda x: x * 2, 4, drop_remainder=True))
    np.testing.assert_array_equal(list(made), [[0, 2, 4, 6]])
    twice = [int(x) for x in data.apply(experimental.shuffle_and_repeat(6, 2, seed=1))]
    assert sorted(twice[:6]) == sorted(twice[6:]) == list(range(6)) and twice != sorted(twice)
    made = data.apply(experimental.parallel_interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(2), 3))
    np.testing.assert_array_equal(list(made), [0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5])
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = experimental.AutoShardPolicy.OFF
    assert len(list(data.with_options(options))) == 6


@pytest.mark.parametrize("size, shift, stride, drop", [(3, 1, 1, True), (3, None, 1, False), (2, 1, 3, False), (2, 4, 1, True),
                                                       (2, 7, 2, False), (9, 2, 1, False)])
def test_windows_of_neighbours(size, shift, stride, drop):
    made = [list(w.as_numpy_iterator()) for w in tf.data.Dataset.range(8).window(size, shift, stride, drop)]
    expected = [list(range(8))[i:i + (size - 1) * stride + 1:stride] for i in range(0, 8, shift or size)]
    assert made == [w for w in expected if not drop or len(w) == size]


def test_windows_become_batches():
    x = np.arange(6.0, dtype="f4")
    data = tf.data.Dataset.from_tensor_slices((x, -x)).window(2, 1, drop_remainder=True)
    data = data.flat_map(lambda a, b: tf.data.Dataset.zip((a.batch(2), b.batch(2)))).batch(5, drop_remainder=True)
    a, b = next(iter(data))
    np.testing.assert_array_equal(a, np.stack([x[:-1], x[1:]], 1))
    np.testing.assert_array_equal(b, -a.numpy())
    with pytest.raises(ValueError, match="must be positive"):
        data.window(0)
