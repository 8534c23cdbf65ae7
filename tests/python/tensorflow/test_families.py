# SPDX-License-Identifier: MIT
"""The table of families in docs/tensorflow.md: what it names is there or is not, as it says. Shapes that are not known yet."""
import pathlib
import re

import numpy as np
import pytest
from agree import normal
from tensorflow import keras

L = keras.layers
PAGE = pathlib.Path(__file__).parents[3] / "docs" / "tensorflow.md"
PLACES = (keras.layers, keras.optimizers, keras.metrics, keras.constraints)


def names(column):
    rows = PAGE.read_text().split("## Keras and the operations")[1].split("\n## ")[0].splitlines()
    rows = [[c.strip() for c in row.strip("|").split(" | ")] for row in rows if row.startswith("| ") and "---" not in row][1:]
    return [n for row in rows for n in re.findall(r"`([A-Z]\w+)`", row[column] if column < len(row) else "")]


def test_the_table():
    there, not_there = names(1), set(names(2))
    assert len(there) > 30 and len(not_there) > 4
    for name in there:
        assert any(name in vars(place) for place in PLACES), name
    for name in not_there:
        for place in PLACES:
            with pytest.raises(AttributeError, match="docs/tensorflow.md"):
                getattr(place, name)


@pytest.mark.parametrize("layer,shape,known", [
    (L.UpSampling2D(), (None, None, 3), (5, 6, 3)), (L.Conv2DTranspose(4, 3, 2), (None, None, 3), (5, 6, 3)),
    (L.Cropping2D(((1, 0), (0, 2))), (None, None, 3), (5, 6, 3)), (L.ZeroPadding2D(), (None, None, 3), (5, 6, 3)),
    (L.BatchNormalization(), (None, None, 3), (5, 6, 3)), (L.AveragePooling2D(), (None, None, 3), (4, 6, 3)),
    (L.TimeDistributed(L.Dense(4)), (None, 3), (5, 3)), (L.Reshape((-1, 2)), (None, 4), (3, 4)),
    (L.SeparableConv1D(4, 3), (None, 4), (6, 4)), (L.GRU(3, recurrent_dropout=0.1), (None, 4), (6, 4))],
    ids=lambda v: type(v).__name__)
def test_sizes_that_are_not_known_yet(layer, shape, known):
    inputs = keras.Input(shape)
    model = keras.Model(inputs, layer(inputs))
    x = normal(2, *known)
    wanted = np.asarray(layer(x))
    assert all(a in (None, b) for a, b in zip(model.output.shape, (None, *wanted.shape[1:])))
    np.testing.assert_allclose(model.predict(x), wanted, rtol=1e-4, atol=1e-6)
