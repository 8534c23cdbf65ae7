# SPDX-License-Identifier: MIT
"""Parts that all front ends share: near names, nested structures, settings by name, IDX files, locks."""
import collections
import gzip
import struct
import threading

import numpy as np
import popart
import pytest
from popart import _idx, _locks, _nest, _rules, _settings, _spelling
from threads import together

Pair = collections.namedtuple("Pair", "first second")


def test_near_names():
    assert _spelling.hint("numIOTile", ["numIOTiles", "outline"], '"{}"') == ' Did you mean "numIOTiles"?'
    assert _spelling.hint("reul", ["relu", "elu"]) == " Did you mean 'relu'?"
    assert _spelling.hint("xyz", ["relu"]) == "" and _spelling.hint(7, []) == ""


def test_structures_keep_their_form():
    value = {"b": [1, (2, Pair(3, [4]))], "a": ()}
    found = _nest.mapped(lambda leaf: leaf * 10, value)
    assert found == {"b": [10, (20, Pair(30, [40]))], "a": ()} and list(found) == ["b", "a"]
    assert isinstance(found["b"][1][1], Pair)
    assert _nest.mapped(str, 5) == "5"


ARRAYS = _rules.Functions({
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "neg": np.negative, "sqrt": np.sqrt,
    "square": np.square, "abs": np.abs, "sign": np.sign, "max": np.maximum, "min": np.minimum, "pow": np.power,
    "norm": np.linalg.norm, "trust_ratio": lambda a, b, *largest: min(a, *largest) / b})


def test_formulas_correct_and_measure():
    lines = ["m = beta * m + (1 - beta) * g", "x = correction(beta) * m", "r = trust_ratio(norm(w), norm(x), most)",
             "w = w - -r * x"]
    rule = popart.OptimizerRule("Own", {"m": 0.0}, {"learning_rate": 0.1, "beta": 0.75, "most": 2.0}, lines)
    w, g = np.array([3.0, 4.0]), np.array([1.0, 0.0])
    made = _rules.after_step(rule, {"w": w, "g": g, "m": g, "beta": 0.75, "most": 2.0, "t": 2}, ARRAYS)
    np.testing.assert_allclose(made["m"], [1, 0])
    np.testing.assert_allclose(made["w"], [5, 4])
    assert _rules.names(tuple(lines)) == {"beta", "m", "g", "t", "w", "most"}


def test_changes_of_a_weight_are_told_as_such():
    assert list(_rules.changes(["x = 2 * g", "w -= x"], {"g": 3.0}, ARRAYS)) == [("x", "", 6.0), ("w", "sub", 6.0)]
    later = ["w += g", "m = w"]  # which reads what it has become
    assert list(_rules.changes(later, {"g": 3.0, "w": 1.0}, ARRAYS)) == [("w", "add", 3.0), ("m", "", 4.0)]
    assert _rules.names(("x = 2 * g", "w -= x")) == {"g"} and _rules.names(tuple(later)) == {"g", "w"}


def test_lines_are_for_modes():
    on = {"l2": True, "tf": False}.__getitem__
    assert [_rules.line_of(f"{modes}x = g", on) for modes in ("", "l2: ", "not l2: ", "l2, not tf: ", "l2, tf: ")] == [
        "x = g", "x = g", "", "x = g", ""]
    assert _rules.modes_of(["x = g", "l2, not tf: x = g"]) == ("l2", "tf")


def test_settings_by_name_and_number():
    options = popart.SessionOptions()
    for value in ("Pipeline", popart.RecomputationType.Pipeline, int(popart.RecomputationType.Pipeline),
                  str(int(popart.RecomputationType.Pipeline))):
        options.autoRecomputation = popart.RecomputationType.NoRecompute
        _settings.assign(options, "autoRecomputation", value)
        assert options.autoRecomputation == popart.RecomputationType.Pipeline
    _settings.assign(options, "engineOptions", {"a": 1, "b": "two"})
    assert dict(options.engineOptions) == {"a": "1", "b": "two"}
    _settings.assign(options, "dotChecks", {"0", "Final"})  # texts
    assert options.dotChecks == {"0", "Final"}
    _settings.assign(options, "enableOutlining", False)
    assert options.enableOutlining is False
    for value in (99, "Nothing", -1):
        with pytest.raises(ValueError, match="one of NoRecompute=0, .*Pipeline=.* is possible"):
            _settings.assign(options, "autoRecomputation", value)


@pytest.mark.parametrize("name", ["file.gz", "file"])
def test_idx_files(tmp_path, name):
    path, values = str(tmp_path / name), np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    whole = struct.pack(">I3i", 0x803, 2, 3, 4) + values.tobytes()

    def write(data):
        with (gzip.open if name.endswith(".gz") else open)(path, "wb") as file:
            file.write(data)
    write(whole)
    found = _idx.read(path)
    assert np.array_equal(found, values) and found.flags.writeable and np.array_equal(_idx.read(path, 3), values)
    with pytest.raises(ValueError, match=f"{path} is damaged: it should hold 1 dimensions"):
        _idx.read(path, 1)
    for damaged in (whole[:-1], whole + b"\0", struct.pack(">I3i", 0x803, -2, -3, 4) + values.tobytes(),
                    b"\1" + whole[1:], whole[:9], b""):
        write(damaged)
        with pytest.raises(ValueError, match=path):
            _idx.read(path)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(ValueError, match="is not an IDX file"):
        _idx.read(str(tmp_path / "none"))


def test_locks_are_taken_in_any_order():
    a, b, c = (threading.RLock() for _ in range(3))
    inside = []

    def work(*order):
        for _ in range(300):
            with _locks.holding(order):
                inside.append(1)
                assert len(inside) == 1
                inside.pop()
    together(lambda: work(a, b, c), lambda: work(c, b, a), lambda: work(b, a))


def test_locks_are_free_after_an_interrupt():
    class Interrupted:
        def acquire(self, blocking):
            raise KeyboardInterrupt

        def release(self):
            raise RuntimeError
    lock = threading.RLock()
    with pytest.raises(KeyboardInterrupt), _locks.holding([lock, Interrupted()]):
        raise AssertionError
    together(lambda: lock.acquire(timeout=10) or pytest.fail("it is not free"))
