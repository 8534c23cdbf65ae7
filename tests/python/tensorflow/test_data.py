# SPDX-License-Identifier: MIT
"""tf.data, and data sets in Keras' cache layout."""
import gzip
import os
import struct

import numpy as np
import pytest
import tensorflow as tf
from tensorflow import keras
from tensorflow.data import Dataset


def listed(dataset):
    return [tf.nest.map_structure(lambda a: np.asarray(a).tolist(), e) for e in dataset.as_numpy_iterator()]


def test_slices_batches_and_their_shapes():
    x, y = np.arange(10, dtype="float32").reshape(5, 2), np.arange(5)
    slices = tf.data.Dataset.from_tensor_slices((x, y))
    assert len(slices) == 5 and slices.element_spec[0].shape == (2,)
    open_batches, whole = slices.batch(2), slices.batch(2, drop_remainder=True)
    assert open_batches.element_spec[0].shape == (None, 2) and whole.element_spec[1].shape == (2,)
    assert (len(open_batches), len(whole)) == (3, 2)
    assert listed(whole) == [([[0, 1], [2, 3]], [0, 1]), ([[4, 5], [6, 7]], [2, 3])]
    with pytest.raises(ValueError, match="not compatible"):
        tf.data.Dataset.from_tensor_slices((x, y[:3]))


def test_transformations():
    numbers = tf.data.Dataset.range(6)
    assert listed(numbers.map(lambda v: v * 2).filter(lambda v: v > 2)) == [4, 6, 8, 10]
    assert listed(numbers.skip(1).take(2).repeat(2)) == [1, 2, 1, 2]
    assert listed(numbers.batch(4).unbatch()) == list(range(6))
    assert listed(tf.data.Dataset.zip((numbers, numbers.skip(4)))) == [(0, 4), (1, 5)]
    assert listed(numbers.shard(3, 1).concatenate(numbers.take(1)).enumerate()) == [(0, 1), (1, 4), (2, 0)]
    assert numbers.reduce(np.int64(0), lambda a, b: a + b).numpy() == 15
    assert numbers.repeat().cardinality().numpy() == -1
    with pytest.raises(TypeError, match="infinite"):
        len(numbers.repeat())


@pytest.mark.parametrize("buffer", [3, 100])
def test_shuffling_keeps_everything_and_changes_every_epoch(buffer):
    shuffled = tf.data.Dataset.from_tensor_slices(np.arange(50)).shuffle(buffer, seed=1)
    first, second = (np.concatenate(listed(shuffled.batch(7))) for _ in range(2))
    assert sorted(first) == sorted(second) == list(range(50))
    assert list(first) != list(range(50)) and list(first) != list(second)
    fixed = tf.data.Dataset.range(20).shuffle(20, seed=1, reshuffle_each_iteration=False)
    assert listed(fixed) == listed(fixed)


def test_generators():
    def rows():
        for i in range(3):
            yield [i, i], i

    dataset = tf.data.Dataset.from_generator(rows, output_signature=(tf.TensorSpec([2], tf.float32),
                                                                     tf.TensorSpec([], tf.int32)))
    assert listed(dataset.batch(3)) == [([[0, 0], [1, 1], [2, 2]], [0, 1, 2])]
    assert dataset.cardinality().numpy() == -2
    for x, y in dataset.take(1):
        assert x.dtype == tf.float32 and y.numpy() == 0


def test_mnist_of_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    for name in ("mnist", "fashion_mnist", "cifar10", "cifar100"):
        with pytest.raises(FileNotFoundError, match=f"{tmp_path}/datasets/.* put it there"):
            getattr(keras.datasets, name).load_data()
    os.makedirs(tmp_path / "datasets" / "fashion-mnist")
    images, labels = np.arange(2 * 28 * 28, dtype="uint8").reshape(2, 28, 28), np.array([3, 4], "uint8")
    np.savez(tmp_path / "datasets" / "mnist.npz", x_train=images, y_train=labels, x_test=images[:1], y_test=labels[:1])
    (x, y), (xt, _) = keras.datasets.mnist.load_data()
    np.testing.assert_array_equal(x, images)
    assert y.tolist() == [3, 4] and len(xt) == 1
    for part in ("train", "t10k"):
        for name, data in (("images-idx3", images), ("labels-idx1", labels)):
            head = struct.pack(f">BBBB{data.ndim}i", 0, 0, 8, data.ndim, *data.shape)
            with gzip.open(tmp_path / "datasets" / "fashion-mnist" / f"{part}-{name}-ubyte.gz", "wb") as file:
                file.write(head + data.tobytes())
    (x, y), _ = keras.datasets.fashion_mnist.load_data()
    np.testing.assert_array_equal(x, images)
    assert y.tolist() == [3, 4]
    damaged = tmp_path / "datasets" / "fashion-mnist" / "t10k-labels-idx1-ubyte.gz"
    damaged.write_bytes(damaged.read_bytes()[:-9])
    with pytest.raises(ValueError, match=f"{damaged} is not an IDX file"):
        keras.datasets.fashion_mnist.load_data()


def test_fit_takes_all_kinds_of_data():
    x, y = np.random.default_rng(0).normal(size=(24, 3)).astype("float32"), np.zeros((24, 1), "float32")

    class Rows(keras.utils.Sequence):
        def __len__(self):
            return 3

        def __getitem__(self, i):
            return x[i * 8:i * 8 + 8], y[i * 8:i * 8 + 8]

    def endless():
        while True:
            yield x[:8], y[:8]

    model = keras.Sequential([keras.layers.Dense(1, input_shape=(3,))])
    model.compile("sgd", "mse")
    slices = tf.data.Dataset.from_tensor_slices((x, y))
    for data, steps in (((x, y), None), (slices.batch(8), None), (slices.batch(7), None), (Rows(), None), (endless(), 3),
                        (slices.batch(8).repeat(), 3)):
        before = model.get_weights()[0]
        args = data if isinstance(data, tuple) else (data,)
        history = model.fit(*args, steps_per_epoch=steps, epochs=2, verbose=0)
        assert len(history.history["loss"]) == 2 and not np.allclose(before, model.get_weights()[0])
    assert model.predict(slices.batch(8)).shape == (24, 1)
    with pytest.raises(ValueError, match="cardinality is ambiguous"):
        model.fit(x, y[:5])


def test_lists_are_tensors_wherever_they_stand():
    pairs = tf.data.Dataset.from_tensor_slices(([0.0, 1.0], [2.0, 3.0]))
    assert [(a.numpy(), b.numpy()) for a, b in pairs] == [(0, 2), (1, 3)]
    named = tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": ([3, 4], [5.0, 6.0])})
    assert [e["b"][1].numpy() for e in named] == [5, 6] and named.element_spec["a"].dtype is tf.int32
    assert tf.data.Dataset.from_tensors(([1, 2], 3)).element_spec[0].shape.as_list() == [2]


def test_constants_of_a_graph_are_data():
    with tf.Graph().as_default():
        whole = tf.compat.v1.constant(1.0, shape=[2, 2])
        assert [e.tolist() for e in tf.data.Dataset.from_tensors(whole).as_numpy_iterator()] == [[[1, 1], [1, 1]]]
        with pytest.raises(ValueError, match="computed when a graph runs"):
            tf.data.Dataset.from_tensors(tf.compat.v1.placeholder(tf.float32, [2]))


def test_numbers_of_elements_may_be_tensors():
    data = tf.data.Dataset.range(25)
    assert len(data.take(data.cardinality() // 10 * 10)) == 20 and len(data.skip(tf.constant(5))) == 20


def values(dataset):
    return [tf.nest.map_structure(lambda t: t.numpy().tolist(), e) for e in dataset]


def test_lists_are_tensors():
    """Of arrays too: two arrays are two elements."""
    rows = [np.array([1, 2, 3]), np.array([4, 5, 6])]
    assert values(Dataset.from_tensor_slices(rows)) == [[1, 2, 3], [4, 5, 6]]
    assert values(Dataset.from_tensor_slices([tf.constant([1, 2]), tf.constant([3, 4])])) == [[1, 2], [3, 4]]
    assert values(Dataset.from_tensor_slices((rows, [7, 8]))) == [([1, 2, 3], 7), ([4, 5, 6], 8)]


def test_a_cache_keeps_the_order_of_the_first_pass():
    dataset = Dataset.range(20).shuffle(20).cache().batch(5)
    first = values(dataset)
    assert values(dataset) == first and sorted(sum(first, [])) == list(range(20))


def test_ends_of_data_sets():
    assert values(Dataset.range(3).skip(-1)) == [] and len(Dataset.range(3).skip(-1)) == 0
    assert values(Dataset.range(6).take_while(lambda x: x < 3)) == [0, 1, 2]
    for number, index, text in ((3, 3, "index must be"), (3, -1, "index must be"), (0, 0, "num_shards must be")):
        with pytest.raises(ValueError, match=text):
            Dataset.range(9).shard(number, index)


def test_padded_batches():
    def lines():
        return Dataset.from_generator(lambda: iter([([1], 5), ([2, 3], 6), ([4, 5, 6], 7)]),
                                      output_signature=(tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.float32)))
    words = lines().map(lambda w, n: w)
    assert values(words.padded_batch(2)) == [[[1, 0], [2, 3]], [[4, 5, 6]]]
    assert values(words.padded_batch(2, [None], drop_remainder=True)) == [[[1, 0], [2, 3]]]
    fixed = lines().padded_batch(2, ([4], []), (9, 0.0), drop_remainder=True)
    assert values(fixed) == [([[1, 9, 9, 9], [2, 3, 9, 9]], [5, 6])]
    assert [s.shape.as_list() for s in fixed.element_spec] == [[2, 4], [2]]
    named = lines().map(lambda w, n: {"w": w, "n": n}).padded_batch(3, {"w": [-1], "n": []})
    assert values(named) == [{"n": [5, 6, 7], "w": [[1, 0, 0], [2, 3, 0], [4, 5, 6]]}]
    with pytest.raises(tf.errors.InvalidArgumentError, match="larger than the padded shape"):
        values(words.padded_batch(3, [2]))
    with pytest.raises(ValueError, match="rank"):
        words.padded_batch(3, [2, 2])
