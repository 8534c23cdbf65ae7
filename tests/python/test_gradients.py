# SPDX-License-Identifier: MIT
"""The gradient of every differentiable operator against torch, in the newest ONNX form: a table by domain and type,
and a test that the table is complete. Recurrent layers and subgraphs have tests of their own."""
import numpy as np
import onnx
import popart
import pytest
import torch
import torch.nn.functional as F
from harness import GRADIENT, device
from onnx import helper, numpy_helper

rng = np.random.default_rng(11)


def real(*shape, low=-1.0, high=1.0):
    return rng.uniform(low, high, shape).astype(np.float32)


def apart(*shape):  # numbers apart from each other and from zero
    return (rng.permutation(int(np.prod(shape))).reshape(shape) * 0.11 - 1.03).astype(np.float32)


def ints(*values):
    return np.array(values, np.int64)


class Fixed:
    """An input whose values are part of the model."""

    def __init__(self, values):
        self.values = np.asarray(values)


def case(reference, inputs, outputs=1, tolerance=2e-5, **attributes):
    return reference, inputs, outputs, tolerance, attributes


def pointwise(reference, low=-1.0, high=1.0, **attributes):
    return case(reference, [real(3, 5, low=low, high=high)], **attributes)


def reduction(reference, low=-1.0, **attributes):
    return case(reference, [np.abs(apart(3, 5, 2)) + 0.05 if low > 0 else apart(3, 5, 2)], axes=[1], tolerance=5e-5,
                **attributes)


def pooled(kind, **settings):
    return lambda x: getattr(F, kind)(x, **settings)


def scattered(x, index, update):  # along the last axis
    return x.scatter(1, index.long(), update)


def labelled(**settings):
    return lambda x, l: F.cross_entropy(x, l.long(), **settings)


def upsampled(mode, **settings):
    return lambda x, *_: F.interpolate(x, scale_factor=2, mode=mode, **settings)


def batch_norm(x, scale, bias, mean, variance):
    return F.batch_norm(x, mean.detach().clone(), variance.detach().clone(), scale, bias, training=False, eps=1e-5)


def lrn(x):
    return F.local_response_norm(x, 3, alpha=0.3, beta=0.75, k=1.0)


def mean_variance(x):
    return (x - x.mean((0, 2, 3), keepdim=True)) / (x.var((0, 2, 3), unbiased=False, keepdim=True)).sqrt()


IMAGE = [apart(2, 3, 6, 6)]
COLUMNS = np.array([[0, 3], [2, 1], [3, 0]], np.int64)
LABELS = np.array([1, 0, 3, 2], np.int64)
BATCH_NORM = [real(4, 3, 2, 2), real(3, low=0.5), real(3), Fixed(real(3)), Fixed(real(3, low=0.5, high=1.5))]

ONNX = {
    "Abs": pointwise(torch.abs), "Acos": pointwise(torch.acos, -0.9, 0.9), "Acosh": pointwise(torch.acosh, 1.2, 4),
    "Asin": pointwise(torch.asin, -0.9, 0.9), "Asinh": pointwise(torch.asinh), "Atan": pointwise(torch.atan),
    "Atanh": pointwise(torch.atanh, -0.8, 0.8), "Ceil": pointwise(torch.ceil),
    "Celu": pointwise(lambda x: F.celu(x, 0.7), alpha=0.7), "Cos": pointwise(torch.cos), "Cosh": pointwise(torch.cosh),
    "Elu": pointwise(lambda x: F.elu(x, 0.7), alpha=0.7), "Erf": pointwise(torch.erf), "Exp": pointwise(torch.exp),
    "Floor": pointwise(torch.floor), "HardSigmoid": pointwise(lambda x: (0.3 * x + 0.5).clamp(0, 1), alpha=0.3, beta=0.5),
    "HardSwish": pointwise(F.hardswish, -4, 4), "Identity": pointwise(lambda x: x),
    "LeakyRelu": pointwise(lambda x: F.leaky_relu(x, 0.2), alpha=0.2), "Log": pointwise(torch.log, 0.2, 3),
    "Neg": pointwise(torch.neg), "Reciprocal": pointwise(torch.reciprocal, 0.3, 2), "Relu": pointwise(F.relu),
    "Round": pointwise(torch.round, -3, 3), "Selu": pointwise(F.selu), "Sigmoid": pointwise(torch.sigmoid),
    "Shrink": pointwise(lambda x: F.softshrink(x, 0.3), lambd=0.3, bias=0.3), "Sign": pointwise(torch.sign),
    "Sin": pointwise(torch.sin), "Sinh": pointwise(torch.sinh), "Softplus": pointwise(F.softplus),
    "Softsign": pointwise(F.softsign), "Sqrt": pointwise(torch.sqrt, 0.2, 3), "Tan": pointwise(torch.tan),
    "Tanh": pointwise(torch.tanh), "ThresholdedRelu": pointwise(lambda x: F.threshold(x, 0.2, 0), alpha=0.2),
    "Cast": pointwise(lambda x: x, to=onnx.TensorProto.FLOAT),
    "CastLike": case(lambda x, y: x, [real(3, 5), Fixed(real(2))]),
    "Clip": case(lambda x, lo, hi: x.clamp(-0.4, 0.5),
                 [apart(3, 5), Fixed(np.float32(-0.4)), Fixed(np.float32(0.5))]),
    "Add": case(torch.add, [real(2, 3, 4), real(3, 1)]), "Sub": case(torch.sub, [real(2, 1, 4), real(3, 4)]),
    "Mul": case(torch.mul, [real(2, 3, 4), real(4)]), "Div": case(torch.div, [real(3, 4), real(3, 1, low=0.5, high=2)]),
    "Pow": case(torch.pow, [real(3, 4, low=0.5, high=2), real(4, low=0.5, high=2)]),
    "PRelu": case(lambda x, s: torch.where(x > 0, x, s * x), [real(2, 3, 4), real(3, 1)]),
    "Mod": case(torch.fmod, [real(3, 4, low=2, high=5), real(3, 1, low=0.7, high=1.4)], fmod=1),
    "Max": case(lambda a, b, c: torch.maximum(torch.maximum(a, b), c), [real(3, 4), real(3, 4), real(4)]),
    "Min": case(lambda a, b: torch.minimum(a, b), [real(3, 4), real(3, 1)]),
    "Sum": case(lambda a, b, c: a + b + c, [real(3, 4), real(4), real(3, 1)]),
    "Mean": case(lambda a, b: (a + b) / 2, [real(3, 4), real(4)]),
    "Where": case(torch.where, [np.arange(12).reshape(3, 4) % 3 == 0, real(3, 4), real(4)]),
    "MatMul": case(torch.matmul, [real(2, 3, 4), real(4, 5)]),
    "Gemm": case(lambda a, b, c: 0.5 * a.T @ b + 2 * c, [real(4, 3), real(4, 5), real(3, 1)], alpha=0.5, beta=2.0, transA=1),
    "Einsum": case(lambda a, b: torch.einsum("bij,bkj->bik", a, b), [real(2, 3, 4), real(2, 5, 4)],
                   equation="bij,bkj->bik"),
    "Det": case(torch.linalg.det, [real(2, 3, 3)], tolerance=1e-4),
    "Conv": case(lambda x, w, b: F.conv2d(x, w, b, 2, 1, 1, 2), [real(2, 4, 7, 6), real(6, 2, 3, 3), real(6)],
                 strides=[2, 2], pads=[1, 1, 1, 1], group=2),
    "ConvTranspose": case(lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1, output_padding=1),
                          [real(2, 3, 4, 5), real(3, 2, 3, 3)], strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 1]),
    "AveragePool": case(pooled("avg_pool2d", kernel_size=3, stride=2, padding=1, count_include_pad=False), IMAGE,
                        kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
    "MaxPool": case(pooled("max_pool2d", kernel_size=3, stride=2, padding=1), IMAGE, kernel_shape=[3, 3],
                    strides=[2, 2], pads=[1, 1, 1, 1]),
    "LpPool": case(pooled("lp_pool2d", norm_type=2, kernel_size=2), [real(2, 3, 6, 6, low=0.2)], kernel_shape=[2, 2],
                   strides=[2, 2], p=2),
    "GlobalAveragePool": case(lambda x: x.mean((2, 3), keepdim=True), IMAGE),
    "GlobalMaxPool": case(lambda x: x.amax((2, 3), keepdim=True), IMAGE),
    "GlobalLpPool": case(lambda x: x.square().sum((2, 3), keepdim=True).sqrt(), IMAGE, p=2),
    "LRN": case(lrn, [real(2, 4, 3, 3)], size=3, alpha=0.3, beta=0.75, bias=1.0),
    "BatchNormalization": case(batch_norm, BATCH_NORM),
    "InstanceNormalization": case(lambda x, g, b: F.instance_norm(x, None, None, g, b),
                                  [real(2, 3, 4, 4), real(3, low=0.5), real(3)], tolerance=2e-4),
    "LayerNormalization": case(lambda x, g, b: F.layer_norm(x, (6,), g, b), [real(4, 6), real(6, low=0.5), real(6)],
                               tolerance=2e-4),
    "LpNormalization": case(lambda x: F.normalize(x, 2, 1), [real(3, 4)], axis=1, p=2),
    "MeanVarianceNormalization": case(mean_variance, [real(2, 3, 4, 4)], axes=[0, 2, 3], tolerance=3e-4),
    "Softmax": case(lambda x: F.softmax(x, 1), [real(3, 4, 2)], axis=1),
    "LogSoftmax": case(lambda x: F.log_softmax(x, 1), [real(3, 4, 2)], axis=1),
    "NegativeLogLikelihoodLoss": case(lambda x, l, w: F.nll_loss(x, l.long(), w, ignore_index=3),
                                      [-real(4, 5, low=0.2, high=2), LABELS, Fixed(real(5, low=0.5, high=2))],
                                      ignore_index=3),
    "SoftmaxCrossEntropyLoss": case(labelled(reduction="sum", ignore_index=3), [real(4, 5), LABELS],
                                    reduction="sum", ignore_index=3),
    "ReduceL1": reduction(lambda x: x.abs().sum(1, keepdim=True)),
    "ReduceL2": reduction(lambda x: x.norm(dim=1, keepdim=True)),
    "ReduceLogSum": reduction(lambda x: x.sum(1, keepdim=True).log(), low=0.1),
    "ReduceLogSumExp": reduction(lambda x: torch.logsumexp(x, 1, keepdim=True)),
    "ReduceMax": reduction(lambda x: x.amax(1, keepdim=True)), "ReduceMin": reduction(lambda x: x.amin(1, keepdim=True)),
    "ReduceMean": reduction(lambda x: x.mean(1, keepdim=True)), "ReduceProd": reduction(lambda x: x.prod(1, keepdim=True)),
    "ReduceSumSquare": reduction(lambda x: x.square().sum(1, keepdim=True)),
    "ReduceSum": case(lambda x, a: x.sum(1), [real(3, 4, 2), Fixed(ints(1))], keepdims=0),
    "CumSum": case(lambda x, a: x.cumsum(1), [real(3, 4), Fixed(np.int64(1))]),
    "Concat": case(lambda a, b: torch.cat([a, b], 1), [real(2, 3), real(2, 4)], axis=1),
    "Split": case(lambda x, s: x[:, :1], [real(3, 4), Fixed(ints(1, 3))], outputs=2, axis=1),
    "Slice": case(lambda x, *_: x[:, 1:4:2], [real(3, 5), Fixed(ints(1)), Fixed(ints(4)), Fixed(ints(1)), Fixed(ints(2))]),
    "Reshape": case(lambda x, s: x.reshape(4, 6), [real(2, 3, 4), Fixed(ints(4, -1))]),
    "Flatten": case(lambda x: x.reshape(6, 4), [real(2, 3, 4)], axis=2),
    "Squeeze": case(lambda x, a: x[:, 0], [real(3, 1, 4), Fixed(ints(1))]),
    "Unsqueeze": case(lambda x, a: x[:, None], [real(3, 4), Fixed(ints(1))]),
    "Transpose": case(lambda x: x.permute(2, 0, 1), [real(2, 3, 4)], perm=[2, 0, 1]),
    "Expand": case(lambda x, s: x.expand(2, 3, 4), [real(3, 1), Fixed(ints(2, 3, 4))]),
    "Tile": case(lambda x, r: x.repeat(2, 3), [real(2, 3), Fixed(ints(2, 3))]),
    "Pad": case(lambda x, p, v: F.pad(x, (1, 2, 0, 1), value=0.5),
                [real(3, 4), Fixed(ints(0, 1, 1, 2)), Fixed(np.float32(0.5))]),
    "DepthToSpace": case(lambda x: F.pixel_shuffle(x, 2), [real(2, 8, 3, 3)], blocksize=2, mode="CRD"),
    "SpaceToDepth": case(lambda x: x.reshape(2, 3, 2, 2, 2, 2).permute(0, 3, 5, 1, 2, 4).reshape(2, 12, 2, 2),
                         [real(2, 3, 4, 4)], blocksize=2),
    "Trilu": case(torch.tril, [real(4, 4)], upper=0),
    "Resize": case(upsampled("bilinear", align_corners=False), [real(1, 2, 3, 3), None, Fixed(np.float32([1, 1, 2, 2]))],
                   mode="linear", coordinate_transformation_mode="half_pixel"),
    "Gather": case(lambda x, i: x[:, [2, 0, 2]], [real(3, 4), ints(2, 0, 2)], axis=1),
    "GatherElements": case(lambda x, i: torch.gather(x, 1, i.long()), [real(3, 4), COLUMNS], axis=1),
    "GatherND": case(lambda x, i: x[[0, 2], [1, 3]], [real(3, 4), Fixed(np.array([[0, 1], [2, 3]]))]),
    "ScatterElements": case(scattered, [real(3, 4), COLUMNS, real(3, 2)], axis=1),
    "ScatterND": case(lambda x, i, u: torch.stack([u[0], x[1], u[1]]), [real(3, 4), Fixed(np.array([[0], [2]])), real(2, 4)]),
    "OneHot": case(lambda i, d, v: F.one_hot(i.long(), 4) * (v[1] - v[0]) + v[0],
                   [ints(1, 3, 0), Fixed(np.int64(4)), real(2)]),
    "TopK": case(lambda x, k: torch.topk(x, 2, 1)[0], [apart(3, 5), Fixed(ints(2))], outputs=2, axis=1),
    "Compress": case(lambda x, c: x[:, [0, 2]], [real(3, 3), Fixed([True, False, True])], axis=1),
    "ReverseSequence": case(lambda x, l: torch.cat([x[:2].flip(0), x[2:]]), [real(4, 1, 3), Fixed(ints(2))],
                            batch_axis=1, time_axis=0),
    "GridSample": case(lambda x, g: F.grid_sample(x, g, align_corners=False),
                       [real(1, 2, 4, 4), real(1, 3, 3, 2, low=-0.9, high=0.9)],
                       align_corners=0, tolerance=2e-4),
    "DFT": case(lambda x: torch.view_as_real(torch.fft.ifft(torch.view_as_complex(x), dim=1)), [real(2, 6, 3, 2)], inverse=1),
    "STFT": case(lambda x, step, w: torch.view_as_real(torch.stft(x[..., 0], 8, 4, 8, w, center=False, return_complex=True))
                 .transpose(1, 2), [real(2, 40, 1), Fixed(np.int64(4)), real(8, low=0.2)], tolerance=1e-4),
    "Dropout": case(lambda x, *_: x, [real(3, 4), Fixed(np.float32(0.5)), Fixed(False)]),
}

GRAPHCORE = {
    "Atan2": case(torch.atan2, [real(3, 4, low=0.3), real(4, low=0.3)]), "Expm1": pointwise(torch.expm1),
    "Log1p": pointwise(torch.log1p, -0.6), "Fmod": ONNX["Mod"][:4] + ({},),
    "Remainder": case(torch.remainder, [real(3, 4, low=-5, high=-2), real(3, 4, low=0.7, high=1.4)]),
    "Gelu": pointwise(lambda x: F.gelu(x, approximate="tanh")), "GeluErf": pointwise(F.gelu), "Swish": pointwise(F.silu),
    "NearbyInt": pointwise(torch.round, -3, 3), "Round": pointwise(torch.round, -3.4, 3.4),
    "Scale": pointwise(lambda x: 1.5 * x, scale=1.5),
    "ScaledAdd": case(lambda a, b: 2 * a + 0.5 * b, [real(3, 4), real(3, 4)], scale0=2.0, scale1=0.5),
    "GroupNormalization": case(lambda x, g, b: F.group_norm(x, 3, g, b), [real(2, 6, 3, 3), real(6, low=0.5), real(6)],
                               outputs=3, num_groups=3, epsilon=1e-5, tolerance=2e-4),
    "BatchNormalization": case(lambda x, g, b, *_: F.batch_norm(x, None, None, g, b, training=True), BATCH_NORM,
                               outputs=5, tolerance=2e-4),
    "Nll": case(lambda x, l: F.nll_loss(x, l.long(), reduction="sum"), [-real(4, 5, low=0.2, high=2), LABELS.astype(np.int32)],
                reduction="Sum", inputIsLogProbability=1),
    "L1": case(lambda x: 0.3 * x.abs().sum(), [real(3, 4)], reduction="Sum", **{"lambda": 0.3}),
    "IdentityLoss": case(torch.mean, [real(3, 4)], reduction=1),
    "ReduceMedian": case(lambda x: x.median(1, keepdim=True)[0], [apart(3, 5)], outputs=2, axes=[1]),
    "Reverse": case(lambda x: x.flip(0), [real(3, 4)], dimensions=[0]),
    "Reshape": case(lambda x: x.reshape(4, 3), [real(3, 4)], shape=[4, 3]),
    "Slice": case(lambda x: x[:, 1:3], [real(3, 4)], starts=[1], ends=[3], axes=[1]),
    "Subsample": case(lambda x: x[::2, ::3], [real(4, 6)], strides=[2, 3]),
    "DepthToSpace": ONNX["DepthToSpace"],
    "TensorRemap": pointwise(lambda x: x, remap_type=0),
    "DynamicSlice": case(lambda x, i: x[:, 1:3], [real(3, 4), np.array([1], np.uint32)], axes=[1], sizes=[2]),
    "DynamicUpdate": case(lambda x, i, y: torch.cat([x[:, :1], y, x[:, 3:]], 1),
                          [real(3, 4), np.array([1], np.uint32), real(3, 2)], axes=[1], sizes=[2]),
    "DynamicAdd": case(lambda x, i, y: x + F.pad(y, (1, 1)), [real(3, 4), np.array([1], np.uint32), real(3, 2)],
                       axes=[1], sizes=[2]),
    "DynamicZero": case(lambda x, i: torch.cat([x[:, :1], 0 * x[:, 1:3], x[:, 3:]], 1),
                        [real(3, 4), np.array([1], np.uint32)], axes=[1], sizes=[2]),
    "ScatterReduce": case(lambda x, i: torch.zeros(4, 3).index_add(0, i.long()[:, 0], x),
                          [real(5, 3), np.repeat(np.array([[0], [2], [2], [3], [0]], np.int32), 3, 1)], axis=0,
                          axis_size=4, reduction=0),
    "PrintTensor": pointwise(lambda x: x, print_gradient=0, title="x"),
}

# Compared with torch elsewhere, not differentiable, or their gradient is fixed by definition.
ELSEWHERE = {
    "recurrent layers, subgraphs, random draws and collectives have tests of their own":
        "LSTM GRU RNN If Call Loop Scan ShapedDropout Dropout ReplicatedReduceScatter ReplicatedAllGather "
        "ReplicatedAllReduce ReplicatedAllReduceInplace Ctc MultiConv",
    "torch has no such operator; checked against differences":
        "MaxUnpool RoiAlign MaxRoiPool GroupedGather GroupedScatterReduce Upsample Scatter Sort",
    "integers, booleans and shapes":
        "And Or Xor Not Equal Greater GreaterOrEqual Less LessOrEqual BitShift BitwiseAnd BitwiseNot BitwiseOr "
        "BitwiseXnor BitwiseXor IsInf IsNaN ArgMax ArgMin Bucketize Histogram Hardmax NonZero Shape Size Range "
        "Constant ConstantOfShape EyeLike IncrementMod Init ConvInteger MatMulInteger QLinearConv QLinearMatMul "
        "QuantizeLinear DequantizeLinear DynamicQuantizeLinear CtcBeamSearchDecoder NonMaxSuppression Unique",
    "steps of optimisers": "Adagrad Adam Momentum",
    "the chain ends here by definition":
        "Abort Detach Nop CopyVarUpdate Bernoulli Multinomial RandomNormal RandomNormalLike RandomUniform "
        "RandomUniformLike NormalizeImage SequenceSlice SplineBasis SplineWeighting TfIdfVectorizer "
        "MelWeightMatrix HannWindow HammingWindow BlackmanWindow",
}


def model(domain, kind, inputs, outputs, attributes):
    """The operator on named inputs, and the sum of its first output times constant weights."""
    graph_inputs, constants, names = [], [], []
    for i, x in enumerate(inputs):
        names.append("" if x is None else "x%d" % i)
        if isinstance(x, Fixed):
            constants.append(helper.make_node("Constant", [], [names[-1]], value=numpy_helper.from_array(x.values)))
        elif x is not None:
            kind_of = numpy_helper.from_array(np.empty(0, x.dtype)).data_type
            graph_inputs.append(helper.make_tensor_value_info(names[-1], kind_of, x.shape))
    node = helper.make_node(kind, names, ["y"] + ["y%d" % i for i in range(1, outputs)], domain=domain, **attributes)
    return graph_inputs, constants + [node]


def run(graph_inputs, nodes, feeds, weights):
    nodes = nodes + [
        helper.make_node("Constant", [], ["c"], value=numpy_helper.from_array(weights)),
        helper.make_node("Mul", ["y", "c"], ["product"]),
        helper.make_node("IdentityLoss", ["product"], ["loss"], domain="ai.graphcore", reduction=0)]
    graph = helper.make_graph(nodes, "g", graph_inputs, [helper.make_tensor_value_info("loss", 1, [])])
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("ai.graphcore", 1)])
    anchors = ["y"] + [GRADIENT + n for n, x in feeds.items() if x.dtype == np.float32]
    session = popart.TrainingSession(proto.SerializeToString(), popart.DataFlow(1, anchors), "loss",
                                     popart.ConstSGD(0.1), device())
    session.prepareDevice()
    session.weightsFromHost()
    arrays = session.initAnchorArrays()
    session.run(popart.PyStepIO(feeds, arrays))
    return arrays


CASES = [("", name, c) for name, c in ONNX.items()] + [("ai.graphcore", name, c) for name, c in GRAPHCORE.items()]


@pytest.mark.parametrize("domain,kind,given", CASES, ids=["%s.%s" % c[:2] for c in CASES])
def test_gradient(domain, kind, given):
    check_case(domain, kind, given)


def check_case(domain, kind, given):
    reference, inputs, outputs, tolerance, attributes = given
    tensors = [None if x is None else torch.tensor(x.values) if isinstance(x, Fixed)
               else torch.tensor(x.astype(np.int64) if x.dtype == np.uint32 else x, requires_grad=x.dtype == np.float32)
               for x in inputs]
    wanted = reference(*tensors)
    weights = np.random.default_rng(5).uniform(0.5, 1.5, wanted.shape).astype(np.float32)
    (wanted * torch.tensor(weights)).sum().backward()
    graph_inputs, nodes = model(domain, kind, inputs, outputs, attributes)
    feeds = {"x%d" % i: x for i, x in enumerate(inputs) if isinstance(x, np.ndarray)}
    ours = run(graph_inputs, nodes, feeds, weights)
    np.testing.assert_allclose(ours["y"], wanted.detach().numpy(), rtol=tolerance, atol=tolerance)
    for i, t in enumerate(tensors):
        if t is not None and t.requires_grad:
            np.testing.assert_allclose(ours[GRADIENT + "x%d" % i], t.grad.numpy(), rtol=tolerance, atol=5 * tolerance)


def test_the_table_is_complete():
    listed = {name for names in ELSEWHERE.values() for name in names.split()}
    known = {("ai.onnx", n) for n in ONNX} | {("ai.graphcore", n) for n in GRAPHCORE}
    missing = sorted({(op.domain, op.type) for op in popart.getSupportedOperations(False)
                      if (op.domain, op.type) not in known and op.type not in listed})
    assert not missing


def check(nodes, feeds, reference, tolerance=5e-5):
    """Output "y" and the gradients of all feeds of a model of a few nodes, against torch."""
    tensors = {n: torch.tensor(x, requires_grad=True) for n, x in feeds.items()}
    wanted = reference(**tensors)
    weights = np.random.default_rng(5).uniform(0.5, 1.5, wanted.shape).astype(np.float32)
    (wanted * torch.tensor(weights)).sum().backward()
    ours = run([helper.make_tensor_value_info(n, 1, x.shape) for n, x in feeds.items()], nodes, feeds, weights)
    np.testing.assert_allclose(ours["y"], wanted.detach().numpy(), rtol=tolerance, atol=tolerance)
    for n, x in tensors.items():
        np.testing.assert_allclose(ours[GRADIENT + n], x.grad.numpy(), rtol=tolerance, atol=5 * tolerance)


@pytest.mark.parametrize("coupled", [0, 1])
def test_lstm_with_peepholes(coupled):
    t, n, i, h = 5, 2, 3, 4

    def reference(x, w, r, b, p):
        state = cell = torch.zeros(n, h)
        pi, po, pf = p[0].split(h)
        out = []
        for step in x:
            gates = step @ w[0].T + state @ r[0].T + b[0, :4 * h] + b[0, 4 * h:]
            gi, go, gf, gc = gates.split(h, 1)
            gi = (gi + pi * cell).sigmoid()
            gf = 1 - gi if coupled else (gf + pf * cell).sigmoid()
            cell = gf * cell + gi * gc.tanh()
            state = (go + po * cell).sigmoid() * cell.tanh()
            out.append(state)
        return torch.stack(out)[:, None]

    check([helper.make_node("LSTM", ["x", "w", "r", "b", "", "", "", "p"], ["y"], hidden_size=h, input_forget=coupled)],
          {"x": real(t, n, i), "w": real(1, 4 * h, i), "r": real(1, 4 * h, h), "b": real(1, 8 * h), "p": real(1, 3 * h)},
          reference)


def test_loop():
    info = helper.make_tensor_value_info
    body = helper.make_graph(
        [helper.make_node("MatMul", ["state", "w"], ["product"]), helper.make_node("Tanh", ["product"], ["next"]),
         helper.make_node("Identity", ["condition"], ["goes_on"])], "body",
        [info("i", 7, []), info("condition", 9, []), info("state", 1, [2, 3])],
        [info("goes_on", 9, []), info("next", 1, [2, 3])])
    count = helper.make_node("Constant", [], ["count"], value=numpy_helper.from_array(np.int64(4)))

    def reference(x, w):
        for _ in range(4):
            x = (x @ w).tanh()
        return x

    check([count, helper.make_node("Loop", ["count", "", "x"], ["y"], body=body)], {"x": real(2, 3), "w": real(3, 3)},
          reference)


def test_scan():
    info = helper.make_tensor_value_info
    body = helper.make_graph(
        [helper.make_node("Mul", ["state", "slice"], ["product"]), helper.make_node("Add", ["product", "w"], ["next"]),
         helper.make_node("Sin", ["next"], ["out"])], "body",
        [info("state", 1, [3]), info("slice", 1, [3])], [info("next", 1, [3]), info("out", 1, [3])])

    def reference(s, x, w):
        out = []
        for k in range(5):
            s = s * x[:, 4 - k] + w
            out.append(s.sin())
        return torch.stack(out, 1)

    check([helper.make_node("Scan", ["s", "x"], ["last", "y"], body=body, num_scan_inputs=1, scan_input_axes=[1],
                            scan_input_directions=[1], scan_output_axes=[1])],
          {"s": real(3), "x": real(3, 5), "w": real(3)}, reference)
