# SPDX-License-Identifier: MIT
"""Pickled arrays are read whichever numpy wrote them; nothing else is made of a file."""
import io
import pickle
from collections import OrderedDict

import numpy as np
import popart  # noqa: F401
import pytest
from popart import _pickles

CONTENT = OrderedDict(w=np.arange(6, dtype="f").reshape(2, 3), n=np.float64(2.5), texts=["a"],
                      whole=np.array([[1], [2, 3]], object))


def same(found):
    assert list(found) == list(CONTENT) and found["texts"] == ["a"] and found["n"] == 2.5
    assert np.array_equal(found["w"], CONTENT["w"]) and found["whole"].tolist() == [[1], [2, 3]]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_all_protocols(protocol):
    same(_pickles.load(io.BytesIO(pickle.dumps(CONTENT, protocol))))


@pytest.mark.parametrize("name", [b"cnumpy.core.", b"cnumpy._core."])
def test_names_of_numpy_1_and_2(name):
    written = pickle.dumps(CONTENT, 2)
    for known in (b"cnumpy.core.", b"cnumpy._core."):
        written = written.replace(known, name)
    assert name in written
    same(_pickles.load(io.BytesIO(written)))


class Evil:
    def __reduce__(self):
        return print, ("hello",)


def test_what_is_no_array():
    with pytest.raises(pickle.UnpicklingError, match="it holds builtins.print, and arrays are expected"):
        _pickles.load(io.BytesIO(pickle.dumps({"w": Evil()}, 4)))
