# SPDX-License-Identifier: MIT
"""Calls everything public with wrong things: sweep.py SEED ROUNDS. An exception or success is right; a crash, an internal
error or a SystemError is not. The file "last" holds the call under way."""
import inspect
import random
import sys

import numpy as np
import popart
from harness import device

WAITS = {"DeviceManager.setOnDemandAttachTimeout"}  # as long as it is told to


def things(r):
    """Values of every kind that somebody may pass by mistake."""
    readonly = np.zeros(3, np.float32)
    readonly.flags.writeable = False
    numbers = [0, 1, -1, 2, 3, 7, 2**31, -2**31, 2**32, 2**63 - 1, -2**63, 2**63, 2**70, True, 0.0, 0.5, -1.5, 1e300,
               float("nan"), float("inf"), np.int32(1), np.float32(0.5), np.uint64(2**63), np.bool_(True)]
    texts = ["", "x", "input", "Relu:0", "FLOAT", "All", "\0", "é" * 3, "\udc80", "y" * 5000, b"", b"\xff\x00", b"x" * 99]
    arrays = [np.zeros((2, 3), np.float32), np.zeros(0), np.array(1.5), np.array([True]), np.array([None]), readonly,
              np.arange(12.0)[::3], np.zeros(3, ">f4"), np.zeros(2, "U3"), np.zeros((2, 0, 3), np.int64)]
    lists = [[], [1], [-1], [2**70], ["x"], ["x", "x"], [""], [None], [[]], [[1, 2]], (1, 2), (), {}, {"x": 1}, {1: 2},
             {"x": np.zeros(2, np.float32)}, set(), {"x"}, {1}, range(3), iter([1])]
    objects = [None, object(), int, len, lambda *a: None, Ellipsis, NotImplemented, 1j, popart.DataType.FLOAT,
               popart.TensorInfo("FLOAT", [2, 3]), popart.SessionOptions(), popart.DataFlow(1, ["x"]), popart.Builder(),
               popart.CommGroup(), popart.AnchorReturnType("All"), popart.SGD({}), popart.PyStepIO({}, {}),
               popart.TensorInfo.__new__(popart.TensorInfo), popart.TileSet.IO]
    return r.choice(r.choice([numbers, texts, arrays, lists, objects]))


def likely(r, name):
    """Sometimes what the parameter is for, so that calls go deep."""
    fitting = {"args": [["input"], ["input", "input"], ["input"] * 3, [""], ["input", ""], ["scalar"], ["whole", "input"]],
               "num_outputs": [1, 2, 3, 0, 1000], "axis": [0, 1, -1, 5, 2**40], "axes": [[0], [1, 0], [-5], [0, 0]],
               "shape": [[1], [2, 3], [-1], [0], [2**40, 2**40], [2**62, 4]], "info": [popart.TensorInfo("INT32", [1])],
               "debugContext": ["name", ""], "id": ["input", "Relu:0"], "dataType": ["FLOAT", "INT32", "no"]}
    return r.choice(fitting[name]) if name in fitting and r.random() < 0.7 else things(r)


def sessions():
    b = popart.Builder()
    x = b.addInputTensor("FLOAT", [2], "x")
    w = b.addInitializedInputTensor(np.ones(2, np.float32), "w")
    loss = b.aiGraphcore.identityloss([b.aiOnnx.mul([x, w])])
    flow = popart.DataFlow(1, [loss])
    yield popart.InferenceSession(b.getModelProto(), flow, device())
    yield popart.TrainingSession(b.getModelProto(), flow, loss, popart.ConstSGD(0.1), device())


def builder(opset=None):
    b = popart.Builder(opsets={"ai.onnx": opset or 11, "ai.graphcore": 1})
    b.addInputTensor("FLOAT", [2, 3], "input")
    b.addInputTensor("FLOAT", [], "scalar")
    b.addInputTensor("INT32", [2], "whole")
    b.aiOnnx.relu(["input"])
    return b


def instances(r):
    """Objects whose methods are called, made anew for every round."""
    opset = r.randint(6, 17)
    b = builder(opset)
    yield from (b, b.aiOnnx, b.aiGraphcore, builder().createSubgraphBuilder(), device(), popart.DeviceManager())
    yield from (popart.SessionOptions(), popart.DataFlow(1, ["x"]), popart.AnchorReturnType("All"), popart.Patterns())
    yield from (popart.TensorInfo("FLOAT", [2, 3]), popart.InputShapeInfo(), popart.VariableSettings(), popart.CommGroup())
    yield from (popart.TensorLocation(), popart.SGD({}), popart.Adam({}), popart.Adaptive({}), popart.PyStepIO({}, {}))
    yield from (popart.GraphTransformer(b.getModelProto()), popart.getLogger("x"), popart.SessionOptions().engineOptions)
    yield from sessions()


def targets(r):
    for name in dir(popart):
        if not name.startswith("_") and callable(getattr(popart, name)):
            yield name, getattr(popart, name)
    for thing in instances(r):
        for name in dir(type(thing)):
            called = name in ("__getitem__", "__setitem__", "__delitem__", "__contains__", "__eq__", "__repr__")
            if name.startswith("_") and not called or f"{type(thing).__name__}.{name}" in WAITS:
                continue
            if isinstance(getattr(type(thing), name, None), property):
                yield f"{type(thing).__name__}.{name}=", lambda value, t=thing, n=name: setattr(t, n, value)
            elif callable(getattr(type(thing), name)):
                yield f"{type(thing).__name__}.{name}", getattr(thing, name)


def arguments(r, function):
    try:
        parameters = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
    except (ValueError, TypeError):
        parameters = []
    required = [p for p in parameters if p.default is p.empty and p.kind == p.POSITIONAL_OR_KEYWORD]
    optional = [p for p in parameters if p.default is not p.empty]
    if not parameters or any(p.kind == p.VAR_POSITIONAL for p in parameters) or r.random() < 0.1:
        return [things(r) for _ in range(r.randint(0, 4))], {}
    named = {p.name: likely(r, p.name) for p in optional if r.random() < 0.3}
    return [likely(r, p.name) for p in required], named


def shown(name, args, kwargs):
    try:
        return f"{name}(*{args!r:.500}, **{kwargs!r:.500})"
    except TypeError:  # of an object that was never made
        return name


def main(seed, rounds):
    r = random.Random(seed)
    bad, count = [], 0
    with open("last", "w", encoding="utf-8", errors="backslashreplace") as last:
        for _ in range(rounds):
            for name, function in targets(r):
                args, kwargs = arguments(r, function)
                text = shown(name, args, kwargs)
                last.seek(0)
                last.truncate()
                last.write(text)
                last.flush()
                count += 1
                try:
                    result = function(*args, **kwargs)
                    repr(result)
                    if hasattr(result, "__enter__") and name.startswith("Builder."):
                        with result:
                            pass
                except (SystemError, popart.popart_internal_exception) as e:
                    bad.append(f"{text}: {type(e).__name__}: {e}")
                except Exception as e:
                    str(e)
    print(count, "calls")
    sys.exit("\n".join(bad) if bad else 0)


main(int(sys.argv[1]), int(sys.argv[2]))
