# SPDX-License-Identifier: MIT
"""Loads an ONNX file and runs it. Without an argument it writes a small file to load first.

usage: load_onnx.py [MODEL.onnx]    inputs are random; unknown dimensions become 1
"""
import os
import sys
import tempfile

import numpy as np
import onnx
import popart
from onnx import TensorProto, helper, numpy_helper


def write_sample(file):
    """Two dense layers, exported with a batch size that is left open."""
    random = np.random.default_rng(0)
    weights = [numpy_helper.from_array(random.normal(0, 0.5, shape).astype(np.float32), name)
               for name, shape in (("w1", (4, 8)), ("b1", (8,)), ("w2", (8, 3)), ("b2", (3,)))]
    nodes = [helper.make_node("Gemm", ["x", "w1", "b1"], ["h"]), helper.make_node("Relu", ["h"], ["r"]),
             helper.make_node("Gemm", ["r", "w2", "b2"], ["s"]), helper.make_node("Softmax", ["s"], ["y"], axis=-1)]
    graph = helper.make_graph(nodes, "sample", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 4])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 3])], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), file)


def inputs_of(model):
    """Name -> TensorInfo of what the caller must give: the inputs that have no initial value."""
    initial = {tensor.name for tensor in model.graph.initializer}
    out = {}
    for given in model.graph.input:
        if given.name not in initial:
            kind = given.type.tensor_type
            shape = [d.dim_value or 1 for d in kind.shape.dim]
            out[given.name] = popart.TensorInfo(onnx.mapping.TENSOR_TYPE_TO_NP_TYPE[kind.elem_type], shape)
    return out


def run(file):
    model = onnx.load(file, load_external_data=False)
    infos, shapes = inputs_of(model), popart.InputShapeInfo()
    for name, info in infos.items():
        shapes.add(name, info)
    outputs = [output.name for output in model.graph.output]
    device = popart.DeviceManager().createIpuModelDevice({"numIPUs": 1, "tilesPerIPU": 64})
    session = popart.InferenceSession(file, popart.DataFlow(1, outputs), device, shapes)
    session.prepareDevice()

    random = np.random.default_rng(1)
    data = {name: random.uniform(0, 1, i.shape()).astype(i.data_type_lcase()) for name, i in infos.items()}
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO(data, anchors))
    for name, values in anchors.items():
        print(f"{name}: {values.dtype} {list(values.shape)}, first values {values.ravel()[:4]}")
    return data, anchors


if __name__ == "__main__":
    if len(sys.argv) > 1:
        run(sys.argv[1])
    else:
        with tempfile.TemporaryDirectory() as folder:
            sample = os.path.join(folder, "sample.onnx")
            write_sample(sample)
            _, result = run(sample)
            np.testing.assert_allclose(result["y"].sum(), 1, rtol=1e-5)
