#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes ONNX's own node test cases to a folder: one folder per case with model.onnx, input_<i>.pb
and output_<i>.pb.

usage: generate.py FOLDER
"""
import pathlib
import sys

import numpy as np

# The cases use names that numpy 1.24 no longer has.
for name, kind in {"bool": bool, "object": object, "int": int, "float": float, "str": str}.items():
    if name not in np.__dict__:
        setattr(np, name, kind)

import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases


def message(value, info):
    """A value as the message that its type in the model asks for."""
    kind = info.type.WhichOneof("value")
    if kind == "sequence_type":
        return numpy_helper.from_list(value, info.name)
    if kind == "optional_type":
        return numpy_helper.from_optional(value, info.name)
    if isinstance(value, onnx.TensorProto):
        return value
    tensor = numpy_helper.from_array(np.asarray(value), info.name)
    if info.type.tensor_type.elem_type == onnx.TensorProto.BFLOAT16:
        tensor.data_type = onnx.TensorProto.BFLOAT16  # numpy has none: given as bits
    return tensor


def settle(case):
    """Shapes are those of the values. One case computes with an epsilon that its node does not have."""
    if case.name == "test_adam_multiple" and not any(a.name == "epsilon" for a in case.model.graph.node[0].attribute):
        case.model.graph.node[0].attribute.append(onnx.helper.make_attribute("epsilon", 1e-2))
    for value, info in zip(case.data_sets[0][0], case.model.graph.input):
        if isinstance(value, np.ndarray) and info.type.HasField("tensor_type"):
            shape = info.type.tensor_type.shape
            del shape.dim[:]
            for size in value.shape:
                shape.dim.add().dim_value = size


def write(case, folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(case.model.SerializeToString())
    graph = case.model.graph
    inputs, outputs = case.data_sets[0]
    for word, values, infos in ("input", inputs, graph.input), ("output", outputs, graph.output):
        for i, (value, info) in enumerate(zip(values, infos)):
            (folder / f"{word}_{i}.pb").write_bytes(message(value, info).SerializeToString())


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    target = pathlib.Path(sys.argv[1])
    cases = collect_testcases(None)
    for case in cases:
        settle(case)
        write(case, target / case.name)
    (target / "complete").write_text(f"{onnx.__version__} {len(cases)}\n")


if __name__ == "__main__":
    main()
