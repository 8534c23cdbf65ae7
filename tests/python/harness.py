# SPDX-License-Identifier: MIT
"""What the tests share: run a graph once, and compare values and gradients with torch."""
import numpy as np
import popart
import torch

GRADIENT = popart.reservedGradientPrefix()


def device(ipus=1, tiles=4):
    return popart.DeviceManager().createIpuModelDevice({"numIPUs": ipus, "tilesPerIPU": tiles})


def infer(build, inputs, opset=None, options=None, batches=1, returned="All"):
    """Arrays of the tensors that build(builder, ids) names, in order."""
    builder = popart.Builder(opsets={"ai.onnx": opset or 10, "ai.graphcore": 1})
    ids = [builder.addInputTensor(popart.TensorInfo(x)) for x in inputs]
    outputs = build(builder, ids)
    outputs = [outputs] if isinstance(outputs, str) else list(outputs)
    flow = popart.DataFlow(batches, {o: popart.AnchorReturnType(returned) for o in outputs})
    session = popart.InferenceSession(builder.getModelProto(), flow, device(),
                                      userOptions=options or popart.SessionOptions())
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO(dict(zip(ids, inputs)), anchors))
    return [anchors[o] for o in outputs]


def differentiate(build, inputs, differentiable, opset=None, seed=7):
    """The output, and the gradients of sum(output * c), c fixed by the seed."""
    builder = popart.Builder(opsets={"ai.onnx": opset or 10, "ai.graphcore": 1})
    ids = [builder.addInputTensor(popart.TensorInfo(x)) for x in inputs]
    y = build(builder, ids)
    y = y if isinstance(y, str) else y[0]
    weights = np.random.default_rng(seed).uniform(0.5, 1.5, builder.getTensorShape(y)).astype(np.float32)
    product = builder.aiOnnx.mul([y, builder.aiOnnx.constant(weights)])
    loss = builder.aiGraphcore.identityloss([product], reduction=popart.ReductionType.Sum)
    anchored = [y] + [GRADIENT + ids[i] for i in differentiable]
    session = popart.TrainingSession(builder.getModelProto(), popart.DataFlow(1, anchored), loss,
                                     popart.ConstSGD(0.1), device())
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO(dict(zip(ids, inputs)), anchors))
    return weights, [anchors[a] for a in anchored]


def compare(build, reference, inputs, opset=None, rtol=1e-5, atol=1e-6):
    """Values and gradients of an operator against torch, which gets tensors and gives one."""
    reals = [i for i, x in enumerate(inputs) if x.dtype == np.float32]
    weights, ours = differentiate(build, inputs, reals, opset)
    tensors = [torch.tensor(x, requires_grad=i in reals) for i, x in enumerate(inputs)]
    y = reference(*tensors)
    (y * torch.tensor(weights)).sum().backward()
    np.testing.assert_allclose(ours[0], y.detach().numpy(), rtol=rtol, atol=atol)
    for gradient, i in zip(ours[1:], reals):
        np.testing.assert_allclose(gradient, tensors[i].grad.numpy(), rtol=rtol, atol=10 * atol)


class Trainer:
    """A training session over a model that build(builder, x, label) makes; steps give the loss."""

    def __init__(self, build, optimizer, shape, options=None, ipus=1, returned="All", labels=True, batches=1):
        self.builder = popart.Builder()
        self.x = self.builder.addInputTensor(popart.TensorInfo("FLOAT", shape))
        self.label = self.builder.addInputTensor(popart.TensorInfo("INT32", shape[:1])) if labels else None
        self.loss = build(self.builder, self.x, self.label)
        flow = popart.DataFlow(batches, {self.loss: popart.AnchorReturnType(returned)})
        self.session = popart.TrainingSession(self.builder.getModelProto(), flow, self.loss, optimizer,
                                              device(ipus), userOptions=options or popart.SessionOptions())
        self.session.prepareDevice()
        self.session.weightsFromHost()
        self.anchors = self.session.initAnchorArrays()

    def step(self, x, label=None):
        inputs = {self.x: x}
        if self.label:
            inputs[self.label] = label
        self.session.run(popart.PyStepIO(inputs, self.anchors))
        return self.anchors[self.loss]

    def weights(self):
        arrays = {id: np.empty(self.builder.getTensorShape(id), np.float32)
                  for id in self.builder.getTrainableTensorIds()}
        self.session.weightsToHost()
        self.session.readWeights(popart.PyWeightsIO(arrays))
        return arrays


def run_model(model, outputs, feeds):
    """Arrays of the outputs, by name, of one step of a model."""
    session = popart.InferenceSession(model, popart.DataFlow(1, outputs), device())
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO(feeds, anchors))
    return [anchors[output] for output in outputs]


def input_of(builder, array):
    """An input of the array's type and shape."""
    return builder.addInputTensor(popart.TensorInfo(array))


def builder_of(opset=11):
    """An empty Builder of that opset."""
    return popart.Builder(opsets={"ai.onnx": opset, "ai.graphcore": 1})
