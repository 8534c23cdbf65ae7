# SPDX-License-Identifier: MIT
"""The forward stages of a pipeline that trains, run by themselves."""
import numpy as np
import popart
import pytest
from harness import device

PROGRAM, BATCH, ACCUMULATION, BATCHES = "implicitPipeliningFwdOnly", (2, 4), 5, 2
W = [np.random.default_rng(k).uniform(-1, 1, [4, 4]).astype(np.float32) for k in range(3)]
X = np.random.default_rng(9).uniform(-1, 1, [BATCHES, ACCUMULATION, *BATCH]).astype(np.float32)


def forward(x, weights):
    for w in weights:
        x = np.tanh(x @ w)
    return x


class Trained:
    """Three stages on three IPUs."""

    def __init__(self, returned="All", recompute="NoRecompute", program=True, loss_stage=2):
        b = popart.Builder()
        self.x = h = b.addInputTensor(popart.TensorInfo("FLOAT", BATCH))
        self.w = []
        for stage, value in enumerate(W):
            with b.pipelineStage(stage), b.virtualGraph(stage):
                self.w.append(b.addInitializedInputTensor(value))
                h = b.aiOnnx.tanh([b.aiOnnx.matmul([h, self.w[-1]])])
        with b.pipelineStage(loss_stage), b.virtualGraph(loss_stage % 3):
            loss = b.aiGraphcore.identityloss([h], reduction=popart.ReductionType.Sum)
        self.y, self.gradient = h, popart.reservedGradientPrefix() + self.w[0]
        options = popart.SessionOptions()
        options.enablePipelining = options.enableGradientAccumulation = True
        options.accumulationFactor = ACCUMULATION
        options.virtualGraphMode = popart.VirtualGraphMode.Manual
        options.autoRecomputation = popart.RecomputationType.__members__[recompute]
        options.createImplicitPipeliningFwdOnlyProgram = program
        flow = popart.DataFlow(BATCHES, {a: popart.AnchorReturnType(returned) for a in (self.y, self.gradient)})
        self.session = popart.TrainingSession(b.getModelProto(), flow, loss, popart.ConstSGD(0.05), device(3),
                                              userOptions=options)
        self.session.prepareDevice()
        self.session.weightsFromHost()

    def train(self):
        anchors = self.session.initAnchorArrays()
        self.session.run(popart.PyStepIO({self.x: X}, anchors))
        return anchors

    def infer(self, anchors):
        self.session.run(PROGRAM, popart.PyStepIO({self.x: X}, anchors))
        return anchors[self.y]

    def weights(self):
        arrays = {w: np.empty([4, 4], np.float32) for w in self.w}
        self.session.weightsToHost()
        self.session.readWeights(popart.PyWeightsIO(arrays))
        return list(arrays.values())


@pytest.mark.parametrize("recompute", ["NoRecompute", "Pipeline", "RecomputeAll"])
@pytest.mark.parametrize("loss_stage", [2, 3])
def test_it_gives_what_the_model_computes_and_trains_nothing(recompute, loss_stage):
    model = Trained(recompute=recompute, loss_stage=loss_stage)
    shape = model.session.initAnchorArrays()[model.y].shape
    for _ in range(2):
        weights = model.weights()
        wanted = forward(X.astype(np.float64), weights)
        np.testing.assert_allclose(model.infer({model.y: np.zeros(shape, np.float32)}), wanted, rtol=1e-4, atol=1e-5)
        for before, after in zip(weights, model.weights()):
            np.testing.assert_array_equal(before, after)
        np.testing.assert_allclose(model.train()[model.y][0], wanted[0], rtol=1e-4, atol=1e-5)
        assert not np.array_equal(model.weights()[0], weights[0])


def test_training_is_the_same_with_it():
    plain, ours = Trained(program=False), Trained()
    for _ in range(2):
        a, b = plain.train(), ours.train()
        np.testing.assert_allclose(a[plain.gradient], b[ours.gradient], rtol=1e-5, atol=1e-6)
        ours.infer(ours.session.initAnchorArrays())
    for a, b in zip(plain.weights(), ours.weights()):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("returned", ["Final", "Sum"])
def test_anchors_of_the_whole_step(returned):
    model = Trained(returned)
    anchors = model.session.initAnchorArrays()
    anchors[model.gradient][...] = 7
    y = forward(X.astype(np.float64), W)
    wanted = y[-1, -1] if returned == "Final" else y.sum((0, 1))
    np.testing.assert_allclose(model.infer(anchors), wanted, rtol=1e-4, atol=1e-5)
    assert (anchors[model.gradient] == 7).all()  # of the backward pass


def test_it_is_there_if_it_was_asked_for():
    model = Trained(program=False)
    with pytest.raises(popart.popart_exception, match="createImplicitPipeliningFwdOnlyProgram before it is made"):
        model.infer(model.session.initAnchorArrays())
    with pytest.raises(popart.popart_exception, match='no program "other"'):
        model.session.run("other", popart.PyStepIO({}, {}))
    options = popart.SessionOptions()
    options.createImplicitPipeliningFwdOnlyProgram = True
    b = popart.Builder()
    y = b.aiOnnx.relu([b.addInputTensor(popart.TensorInfo("FLOAT", [2]))])
    with pytest.raises(popart.popart_exception, match="is for training in a pipeline that accumulates"):
        popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, [y]), device(), userOptions=options)
