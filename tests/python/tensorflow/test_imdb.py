# SPDX-License-Identifier: MIT
"""Reviews of keras.datasets.imdb, by Keras' rules, and sequences of one length."""
import numpy as np
import pytest
from tensorflow import keras


def objects(lists):
    out = np.empty(len(lists), object)
    out[:] = lists
    return out


@pytest.fixture
def reviews(tmp_path, monkeypatch):
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    (tmp_path / "datasets").mkdir()
    train, test = [[1, 5, 9], [2, 2], [7, 1, 1, 4]], [[3], [8, 6]]
    np.savez(tmp_path / "datasets" / "imdb.npz", x_train=objects(train), y_train=np.array([0, 1, 0]), x_test=objects(test),
             y_test=np.array([1, 0]))
    return train, test, tmp_path / "datasets"


def test_reviews_are_shuffled_numbered_and_cut(reviews):
    train, test, _ = reviews
    random = np.random.RandomState(113)
    first, second = np.arange(3), np.arange(2)
    random.shuffle(first), random.shuffle(second)
    (x, y), (u, v) = keras.datasets.imdb.load_data()
    assert list(x) == [[1] + [w + 3 for w in train[i]] for i in first] and y.tolist() == [[0, 1, 0][i] for i in first]
    assert list(u) == [[1] + [w + 3 for w in test[i]] for i in second] and v.tolist() == [[1, 0][i] for i in second]
    (x, _), _ = keras.datasets.imdb.load_data(num_words=8)
    assert list(x) == [[1] + [w + 3 if w < 5 else 2 for w in train[i]] for i in first]
    (x, _), (u, _) = keras.datasets.imdb.load_data(start_char=None, index_from=0, oov_char=None, skip_top=2, maxlen=4)
    assert sorted(map(len, x)) == [2, 2] and sorted(map(len, u)) == [1, 2]
    with pytest.raises(ValueError, match="Increase maxlen"):
        keras.datasets.imdb.load_data(maxlen=1)


def test_a_file_of_reviews_cannot_run_anything(reviews):
    class Evil:
        def __reduce__(self):
            return print, ("hello",)
    np.savez(reviews[2] / "imdb.npz", x_train=objects([Evil()]), y_train=[0], x_test=objects([[1]]), y_test=[0])
    with pytest.raises(ValueError, match="is no file of reviews: it holds builtins.print"):
        keras.datasets.imdb.load_data()
    (reviews[2] / "imdb.npz").unlink()
    with pytest.raises(FileNotFoundError, match="imdb.npz is not there"):
        keras.datasets.imdb.load_data()
    (reviews[2] / "imdb_word_index.json").write_text('{"film": 1}')
    assert keras.datasets.imdb.get_word_index() == {"film": 1}


def test_sequences_of_one_length():
    pad = keras.preprocessing.sequence.pad_sequences
    assert pad([[1, 2, 3], [4]]).tolist() == [[1, 2, 3], [0, 0, 4]]
    assert pad([[1, 2, 3], [4]], 2).tolist() == [[2, 3], [0, 4]]
    assert pad([[1, 2, 3], [4]], 2, "float32", "post", "post", 9).tolist() == [[1, 2], [4, 9]]
    assert pad([[], [[1, 2]]], 2).shape == (2, 2, 2)
    with pytest.raises(ValueError, match="padding must be"):
        pad([[1]], padding="around")
