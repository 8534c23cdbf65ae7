# SPDX-License-Identifier: MIT
"""A model through the installed Python package."""
import numpy as np
import popart

builder = popart.Builder()
x = builder.addInputTensor("FLOAT", [4], "x")
y = builder.aiOnnx.relu([x])
device = popart.DeviceManager().createIpuModelDevice({"tilesPerIPU": 8})
session = popart.InferenceSession(builder.getModelProto(), popart.DataFlow(1, {y: popart.AnchorReturnType("All")}), device)
session.prepareDevice()
anchors = session.initAnchorArrays()
session.run(popart.PyStepIO({x: np.array([-2, 3, 0, 1], dtype=np.float32)}, anchors))
print(*anchors[y])
