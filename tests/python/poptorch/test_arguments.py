# SPDX-License-Identifier: MIT
"""Arguments of calls: how they are bound, taken apart, checked and put together."""
import array
import collections
import dataclasses
import inspect

import numpy
import poptorch
import pytest
import torch
from poptorch.run.arguments import Signature, deviceType
from poptorch.base.structure import structure_of

Point = collections.namedtuple("Point", "x y")
a, b, c = torch.zeros(2, 3), torch.ones(4), torch.full((1,), 2.0)


def call(forward, *args, **kwargs):
    return Signature(forward).compile(args, kwargs)


def same(left, right):
    return len(left) == len(right) and all(x is y for x, y in zip(left, right))


def test_values_come_back_as_they_were():
    def forward(x, pair, named, *rest, flag=False, **others):
        pass
    first = ([a, (b, 3)], Point(a, None), {"k": c, "j": [b]}, b, [a])
    form = call(forward, *first, flag=True, extra=c)
    assert form.names == ["x[0]", "x[1][0]", "pair.x", "named['k']", "named['j'][0]", "rest[0]", "rest[1][0]", "extra"]
    tensors = form.tensors(first, {"flag": True, "extra": c})
    assert same(tensors, [a, b, a, c, b, b, a, c])
    args, kwargs = form.rebuild(tensors)
    assert args == list(first) and isinstance(args[1], Point) and kwargs == {"flag": True, "extra": c}


def test_keywords_defaults_and_order():
    def forward(x, y=None, z=5):
        pass
    form = call(forward, a, z=5, y=b)
    assert form.names == ["x", "y"] and same(form.tensors((a, b), {}), [a, b])
    assert same(form.tensors((), {"y": b, "x": a}), [a, b])
    assert same(form.tensors((a, b, 5), {}), [a, b])
    assert form.rebuild([b, a]) == ([b, a], {})
    middle = call(forward, a, z=c)
    assert middle.names == ["x", "z"] and middle.rebuild([a, c]) == ([a, None, c], {})


@pytest.mark.parametrize("first, later, words", [
    ((a, b), (a,), "Number of positional arguments mismatch: expected 2, got 1. Missing arguments: y."),
    ((a, b, c), (a,), "Number of positional arguments mismatch: expected 3, got 1. Missing arguments: y, z."),
    ((a, b), (a, None), "Type mismatch for y: expected Tensor but got NoneType"),
    ((a,), (a, b), "Number of positional arguments mismatch: expected 1, got 2"),
    ((a,), ([a],), "Type mismatch for x: expected Tensor but got list"),
    (([a],), ((a,),), "Type mismatch for x: expected list but got tuple"),
    ((Point(a, b),), ((a, b),), "Type mismatch for x: expected Point but got tuple"),
    ((a, 1), (a, 1.0), "Type mismatch for y: expected int but got float"),
    (([a, b],), ([a],), "Length mismatch for x: expected 2 but got 1"),
    (({"k": a},), ({"j": a},), "Keys mismatch for x: Missing arguments: k. Unexpected arguments: j."),
    ((a,), (a.half(),), "Data type mismatch for x: expected torch.float32 but got torch.float16"),
    (([a, (b,)],), ([a, (c,)],), "Shape mismatch for x[1][0]: expected torch.Size([4]) but got torch.Size([1])"),
    ((a, 1), (a, 2), "Value mismatch for y: expected 1 but got 2"),
    ((a, {"mode": "fast"}), (a, {"mode": "slow"}), "Value mismatch for y['mode']: expected 'fast' but got 'slow'"),
])
def test_later_calls_must_match(first, later, words):
    def forward(x, y=None, z=None):
        pass
    form = call(forward, *first)
    with pytest.raises(poptorch.Error) as error:
        form.tensors(later, {})
    assert words in str(error.value) and "destroy()" in str(error.value)


def test_keywords_must_match():
    form = call(lambda x, **others: None, a, k=b)
    with pytest.raises(poptorch.Error, match="Keys mismatch for"):
        form.tensors((a,), {"j": b})


def test_what_forward_does_not_take():
    def forward(x, y, *, z=None):
        pass
    for args, kwargs, words in (((a,), {}, "Mandatory parameter y missing"), ((a, b), {"x": c}, "x is given twice"),
                                ((), {"q": c}, "no parameter q. It has x, y, z"),
                                ((a, b, c), {}, r"arguments mismatch: forward takes 2 \(x, y\), got 3\.$")):
        with pytest.raises(poptorch.Error, match=words):
            call(forward, *args, **kwargs)
    assert call(forward, a, b, z=c).names == ["x", "y", "z"]


class Holder:
    def __init__(self, value):
        self.value = value


Record = dataclasses.make_dataclass("Record", ["value"])


@pytest.mark.parametrize("value, words", [
    (numpy.ones(3), r"numpy.ndarray of x. Use torch.from_numpy"), (array.array("f", [1.0]), "array.array of x"),
    ([1, {"k": numpy.ones(3)}], r"numpy.ndarray of x\[1\]\['k'\]"), (memoryview(b"1"), "memoryview of x"),
    (Holder(a), "Holder of x: it holds tensors"),
    (Record([numpy.ones(2)]), "Record of x: it holds tensors"), ({a}, "set of x: it holds tensors"),
    (torch.empty(2, device="meta"), "x is on the meta device")], ids=str)
def test_data_that_is_no_tensor_is_refused(value, words):
    with pytest.raises(poptorch.Error, match=words):
        call(lambda x: None, value)


@pytest.mark.parametrize("value, change", [({1, 2}, lambda v: v.add(3)), (bytearray(b"a"), lambda v: v.append(1)),
                                           (Record(3), lambda v: setattr(v, "value", 4))], ids=["set", "bytes", "record"])
def test_constants_that_change_are_noticed(value, change):
    form = call(lambda x, y: None, a, value)
    assert same(form.tensors((a, value), {}), [a])
    change(value)
    with pytest.raises(poptorch.Error, match="Value mismatch for y"):
        form.tensors((a, value), {})


def test_arrays_may_be_defaults():
    assert call(lambda x, *, table=numpy.ones(3): None, a).rebuild([b]) == ([b], {})


def test_what_is_compared_by_identity_stays_the_same():
    holder = Holder(3)
    form = call(lambda *values: None, holder, holder.__init__, len, numpy.float32(2), torch.nn.Linear(1, 1).forward)
    values = [part.value for part in form._parts]
    holder.value = 4
    assert form.tensors(values, {}) == []


def test_equal_values_that_are_no_numbers():
    form = call(lambda *values: None, a, float("nan"), None, "text", torch.float32)
    assert same(form.tensors((a, float("nan"), None, "te" + "xt", torch.float32), {}), [a])


def test_modules_have_signatures():
    class Model(torch.nn.Module):
        def forward(self, x, scale=2):
            return x * scale
    model = Model()
    assert list(inspect.signature(model.forward).parameters) == ["x", "scale"]
    assert call(model.forward, a).names == ["x"]


def test_types_on_the_device(capsys):
    form = call(lambda *v: None, b.long(), b.double(), b.bfloat16(), b, b > 0)
    assert form.device_dtypes == [torch.int32, torch.float32, torch.float32, torch.float32, torch.bool]
    made = form.prepared(form.tensors((b.long(), b.double(), b.bfloat16(), b, b > 0), {}))
    assert [t.dtype for t in made] == [torch.int64, torch.float64, torch.float32, torch.float32, torch.bool]
    assert made[3] is b  # what is 64 bits wide is converted on its way to the device
    with pytest.raises(poptorch.Error, match="Unsupported input type torch.complex64"):
        call(lambda v: None, torch.zeros(1, dtype=torch.complex64))
    assert deviceType(torch.int8) is torch.int8 and capsys.readouterr().err == ""


def test_inputs_that_must_be_copied(capsys):
    wide = torch.zeros(3, 2, requires_grad=True).t()
    form = call(lambda v: None, wide)
    for _ in range(3):
        made = form.prepared([wide])[0]
    assert made.is_contiguous() and not made.requires_grad and torch.equal(made, wide)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2 and "requires_grad" in lines[0] and "contiguous" in lines[1]


class Pair:
    def __init__(self, left, right, label):
        self.left, self.right, self.label = left, right, label


class PairParser(poptorch.ICustomArgParser):
    def yieldTensors(self, struct):
        yield struct.left
        yield struct.right

    def reconstruct(self, original_structure, tensor_iterator):
        return Pair(next(tensor_iterator), next(tensor_iterator), original_structure.label)


def test_types_of_the_user():
    poptorch.registerCustomArgParser(Pair, PairParser())
    try:
        form = call(lambda x: None, [Pair(a, b, "first"), c])
        assert same(form.tensors(([Pair(a, b, "other"), c],), {}), [a, b, c])
        (pair, last), = form.rebuild([b, c, a])[0]
        assert (pair.left, pair.right, pair.label) == (b, c, "first") and last is a
        with pytest.raises(poptorch.Error, match="Shape mismatch for x"):
            form.tensors(([Pair(a, a, ""), c],), {})
        with pytest.raises(poptorch.Error, match="ICustomArgParser"):
            poptorch.registerCustomArgParser(Pair, 3)
    finally:
        poptorch.registerCustomArgParser(Pair, None)
    with pytest.raises(poptorch.Error, match="Pair of x: it holds tensors"):
        call(lambda x: None, Pair(a, b, ""))
    with pytest.raises(TypeError):
        poptorch.ICustomArgParser()


def test_results_have_structures_too():
    form = structure_of((a, {"loss": c}), "output")
    assert [leaf.name for leaf in form.leaves()] == ["output[0]", "output[1]['loss']"]
    assert form.build(iter([b, a])) == (b, {"loss": a})
    assert structure_of(None).build(iter([])) is None
