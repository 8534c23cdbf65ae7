# SPDX-License-Identifier: MIT
"""What calls of the Builder and sessions mean where other readings are possible, against numpy and torch."""
import itertools

import numpy as np
import onnx
import onnx.helper as oh
import popart
import pytest
import torch
from harness import compare, device, infer

F32 = np.float32


def rand(*shape, seed=3):
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(F32)


def training(build, optimizer, anchors, options=None, batches=1, ipus=1, tiles=4):
    """A session over the loss that build(builder) makes, with its arrays."""
    builder = popart.Builder()
    loss = build(builder)
    flow = popart.DataFlow(batches, {a: popart.AnchorReturnType("All") for a in anchors})
    session = popart.TrainingSession(builder.getModelProto(), flow, loss, optimizer, device(ipus, tiles),
                                     userOptions=options or popart.SessionOptions())
    session.prepareDevice()
    session.weightsFromHost()
    return session, session.initAnchorArrays()


def product(builder, weights, shape):
    """sum(x @ w), so that the gradient of w is known from x."""
    x = builder.addInputTensor(popart.TensorInfo("FLOAT", shape), "x")
    w = builder.addInitializedInputTensor(weights, "w")
    y = builder.aiOnnx.matmul([x, w])
    return builder.aiGraphcore.identityloss([y], reduction=popart.ReductionType.Sum)


# ---- optimisers


@pytest.mark.parametrize("centred,momentum,decay", itertools.product([False, True], [0.0, 0.7], [0.0, 0.3]))
def test_tensorflow_rmsprop_starts_at_one_and_decays_beside_the_momentum(centred, momentum, decay):
    lr, alpha, eps = 0.05, 0.9, 1e-3
    mode = popart.AdaptiveMode.CenteredRMSProp if centred else popart.AdaptiveMode.RMSProp
    optimizer = popart.Adaptive({"defaultLearningRate": (lr, True), "defaultAlpha": (alpha, True),
                                 "defaultMomentum": (momentum, True), "defaultEps": (eps, True),
                                 "defaultWeightDecay": (decay, True)}, mode=mode,
                                weight_decay_mode=popart.WeightDecayMode.Decay, rmsprop_tf_variant=True)
    w = rand(3, 2).astype(np.float64)
    session, anchors = training(lambda b: product(b, w.astype(F32), [4, 3]), optimizer, ["w"])
    square, mean, velocity = np.ones_like(w), np.zeros_like(w), np.zeros_like(w)
    for step in range(4):
        x = rand(4, 3, seed=step)
        session.run(popart.PyStepIO({"x": x}, anchors))
        g = np.repeat(x.sum(0, dtype=np.float64)[:, None], 2, 1)
        square = alpha * square + (1 - alpha) * g * g
        mean = alpha * mean + (1 - alpha) * g
        scaled = g / np.sqrt(square - (mean * mean if centred else 0) + eps)
        if momentum:
            velocity = momentum * velocity + lr * scaled
            w = w - velocity - decay * w
        else:
            w = w - lr * scaled - lr * decay * w
        np.testing.assert_allclose(anchors["w"], w, rtol=1e-4, atol=1e-5)


# ---- variables of replicas


@pytest.mark.parametrize("kind,size,groups,of", [("Consecutive", 2, 2, [0, 0, 1, 1]), ("Orthogonal", 2, 2, [0, 1, 0, 1]),
                                                 ("Ungrouped", 0, 4, [0, 1, 2, 3])])
def test_constants_of_an_inference_may_differ_between_replicas(kind, size, groups, of):
    kind = popart.CommGroupType.__members__[kind]
    settings = popart.VariableSettings(popart.CommGroup(kind, size))
    builder = popart.Builder()
    x = builder.addInputTensor(popart.TensorInfo("FLOAT", [2, 3]))
    values = rand(groups, 3, 5)
    w = builder.addInitializedInputTensor(values, settings, "w")
    assert builder.getTensorShape(w) == [3, 5]
    y = builder.aiOnnx.matmul([x, w])
    assert builder.getTensorShape(y) == [2, 5]
    options = popart.SessionOptions()
    options.enableReplicatedGraphs, options.replicatedGraphCount = True, 4
    session = popart.InferenceSession(builder.getModelProto(), popart.DataFlow(1, [y]), device(4), userOptions=options)
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    a = rand(4, 2, 3, seed=9)
    session.run(popart.PyStepIO({x: a}, anchors))
    np.testing.assert_allclose(anchors[y], np.stack([a[r] @ values[of[r]] for r in range(4)]), rtol=1e-5, atol=1e-6)
    read = np.full_like(values, -7)
    session.readWeights(popart.PyWeightsIO({w: read}))
    np.testing.assert_array_equal(read, values)
    for group in range(groups):
        assert settings.getGroupRepresentative(group) == of.index(group)


def test_weights_that_are_constants_can_be_read():
    builder = popart.Builder()
    x = builder.addInputTensor(popart.TensorInfo("FLOAT", [2, 3]))
    w = builder.addInitializedInputTensor(rand(3, 5))
    y = builder.aiOnnx.matmul([x, w])
    session = popart.InferenceSession(builder.getModelProto(), popart.DataFlow(1, [y]), device())
    session.prepareDevice()
    read = np.zeros((3, 5), F32)
    session.readWeights(popart.PyWeightsIO({w: read}))
    np.testing.assert_array_equal(read, rand(3, 5))


# ---- losses and random numbers


@pytest.mark.parametrize("softmax", [True, False])
def test_a_mean_over_no_labels_is_zero(softmax):
    builder = popart.Builder()
    x = builder.addInputTensor(popart.TensorInfo("FLOAT", [4, 3]))
    labels = builder.addInputTensor(popart.TensorInfo("INT32", [4]))
    p = builder.aiOnnx.softmax([x]) if softmax else builder.aiOnnx.sigmoid([x])
    loss = builder.aiGraphcore.nllloss([p, labels], reduction=popart.ReductionType.Mean, ignoreIndex=1)
    wanted = [loss, popart.reservedGradientPrefix() + x]
    session = popart.TrainingSession(builder.getModelProto(), popart.DataFlow(1, wanted), loss, popart.ConstSGD(0.1),
                                     device())
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO({x: rand(4, 3), labels: np.ones(4, np.int32)}, anchors))
    assert anchors[loss] == 0
    np.testing.assert_array_equal(anchors[wanted[1]], 0)


def draws(kind, seed):
    """Six rows of random numbers: two by each of three runs of a body."""
    builder = popart.Builder()
    x = builder.addInputTensor(popart.TensorInfo("FLOAT", [2, 8]))
    body = builder.createSubgraphBuilder()
    if kind == "Call":
        inner = body.addInputTensor(popart.TensorInfo("FLOAT", [2, 8]))
        body.addOutputTensor(body.aiOnnx.add([inner, body.aiOnnx.randomuniform(shape=[2, 8])]))
        made = [builder.aiGraphcore.call([x], 1, body)[0] for _ in range(3)]
    else:
        body.addInputTensor(popart.TensorInfo("INT64", []))
        go = body.addInputTensor(popart.TensorInfo("BOOL", []))
        inner = body.addInputTensor(popart.TensorInfo("FLOAT", [2, 8]))
        one = body.aiOnnx.add([inner, body.aiOnnx.randomuniform(shape=[2, 8])])
        for out in (go, inner, one):
            body.addOutputTensor(out)
        trips, yes = builder.aiOnnx.constant(np.array(3, np.int64)), builder.aiOnnx.constant(np.array(True))
        made = [builder.aiOnnx.loop([trips, yes, x], 2, body)[1]]
    session = popart.InferenceSession(builder.getModelProto(), popart.DataFlow(1, made), device())
    session.prepareDevice()
    session.setRandomSeed(seed)
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO({x: np.zeros((2, 8), F32)}, anchors))
    return np.concatenate([anchors[m].reshape(-1, 8) for m in made])


@pytest.mark.parametrize("kind", ["Call", "Loop"])
def test_every_run_of_a_body_draws_anew(kind):
    first = draws(kind, 11)
    assert first.shape == (6, 8) and len({row.tobytes() for row in first}) == 6
    np.testing.assert_array_equal(first, draws(kind, 11))
    assert not np.array_equal(first, draws(kind, 12))


def test_dropout_in_a_call_has_the_gradient_of_what_it_dropped():
    builder = popart.Builder()
    w = builder.addInitializedInputTensor(np.ones((64, ), F32), "w")
    body = builder.createSubgraphBuilder()
    inner = body.addInputTensor(popart.TensorInfo("FLOAT", [64]))
    body.addOutputTensor(body.aiOnnx.dropout([inner], 1, 0.5)[0])
    called = [builder.aiGraphcore.call([w], 1, body)[0] for _ in range(2)]
    y = builder.aiOnnx.add(called)
    loss = builder.aiGraphcore.identityloss([y], reduction=popart.ReductionType.Sum)
    wanted = called + [popart.reservedGradientPrefix() + w]
    session = popart.TrainingSession(builder.getModelProto(), popart.DataFlow(1, wanted), loss, popart.ConstSGD(0.1),
                                     device())
    session.prepareDevice()
    session.setRandomSeed(5)
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO({}, anchors))
    a, b = anchors[called[0]], anchors[called[1]]
    assert set(np.unique(a)) == {0, 2} and not np.array_equal(a, b)
    np.testing.assert_array_equal(anchors[wanted[2]], a + b)


def test_dropout_in_a_loop_has_the_gradient_of_what_it_dropped():
    builder = popart.Builder()
    w = builder.addInitializedInputTensor(np.ones((64, ), F32), "w")
    body = builder.createSubgraphBuilder()
    body.addInputTensor(popart.TensorInfo("INT64", []))
    go = body.addInputTensor(popart.TensorInfo("BOOL", []))
    state = body.addInputTensor(popart.TensorInfo("FLOAT", [64]))
    dropped = body.aiOnnx.dropout([state], 1, 0.5)[0]
    for out in (go, body.aiOnnx.add([state, dropped]), dropped):
        body.addOutputTensor(out)
    trips, yes = builder.aiOnnx.constant(np.array(3, np.int64)), builder.aiOnnx.constant(np.array(True))
    last, each = builder.aiOnnx.loop([trips, yes, w], 2, body)
    loss = builder.aiGraphcore.identityloss([last], reduction=popart.ReductionType.Sum)
    gradient = popart.reservedGradientPrefix() + w
    session = popart.TrainingSession(builder.getModelProto(), popart.DataFlow(1, [each, gradient]), loss,
                                     popart.ConstSGD(0.1), device())
    session.prepareDevice()
    session.setRandomSeed(5)
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO({}, anchors))
    factors, value = np.ones(64), np.ones(64)
    for row in anchors[each]:  # 0, or twice what the state was
        factors *= 1 + row / value
        value = value + row
    assert len({(row > 0).tobytes() for row in anchors[each]}) == 3
    np.testing.assert_allclose(anchors[gradient], factors, rtol=1e-5)


# ---- anchors


def test_an_anchored_weight_has_been_updated():
    w = rand(3, 2)
    session, anchors = training(lambda b: product(b, w, [4, 3]), popart.ConstSGD(0.1), ["w"], batches=3)
    x = rand(3, 4, 3, seed=8)
    session.run(popart.PyStepIO({"x": x}, anchors))
    for batch in range(3):
        w = w - F32(0.1) * x[batch].sum(0)[:, None]
        np.testing.assert_allclose(anchors["w"][batch], w, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("pipelined", [False, True])
def test_anchored_accumulators_are_those_of_their_step(pipelined):
    def build(b):
        x = b.addInputTensor(popart.TensorInfo("FLOAT", [4, 3]), "x")
        w = [b.addInitializedInputTensor(rand(3, 3, seed=s), "w%d" % s) for s in range(2)]
        h = b.aiOnnx.matmul([x, w[0]])
        y = b.aiOnnx.matmul([h, w[1]])
        loss = b.aiGraphcore.identityloss([y], reduction=popart.ReductionType.Sum)
        for stage, t in enumerate([h, y, loss]):
            b.virtualGraph(t, min(stage, 1))
            b.pipelineStage(t, 3 * min(stage, 1))  # a gap is no stage
        return loss

    options = popart.SessionOptions()
    options.enableGradientAccumulation, options.accumulationFactor = True, 4
    options.virtualGraphMode, options.enablePipelining = popart.VirtualGraphMode.Manual, pipelined
    builder = popart.Builder()
    loss = build(builder)
    flow = popart.DataFlow(2, {"Accum___w0": popart.AnchorReturnType("All"), "Accum___w1": popart.AnchorReturnType("Final")})
    session = popart.TrainingSession(builder.getModelProto(), flow, loss, popart.ConstSGD(0.01), device(2),
                                     userOptions=options)
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    w = [rand(3, 3, seed=s).astype(np.float64) for s in range(2)]
    for step in range(2):
        x = rand(2, 4, 4, 3, seed=20 + step)
        session.run(popart.PyStepIO({"x": x}, anchors))
        for batch in range(2):
            sums = [np.zeros((3, 3)), np.zeros((3, 3))]
            for k in range(4):
                a = x[batch, k].astype(np.float64)
                sums[0] += a.T @ np.ones((4, 3)) @ w[1].T
                sums[1] += (a @ w[0]).T @ np.ones((4, 3))
                np.testing.assert_allclose(anchors["Accum___w0"][batch, k], sums[0], rtol=1e-4, atol=1e-5)
            w = [w[i] - 0.01 * sums[i] for i in range(2)]
        np.testing.assert_allclose(anchors["Accum___w1"], sums[1], rtol=1e-4, atol=1e-5)


def test_automatic_loss_scaling_can_be_watched():
    def build(b):
        x = b.addInputTensor(popart.TensorInfo("FLOAT16", [4, 3]), "x")
        w = b.addInitializedInputTensor(rand(3, 2).astype(np.float16), "w")
        y = b.aiOnnx.matmul([x, w])
        return b.aiGraphcore.identityloss([y], reduction=popart.ReductionType.Sum)

    options = popart.SessionOptions()
    options.automaticLossScalingSettings.enabled = True
    options.automaticLossScalingSettings.binEdgeLocation = 0.5
    options.automaticLossScalingSettings.thresholdUpperCountProportion = 0.2
    settings = options.automaticLossScalingSettings
    settings.gradientTensorTrackingMethod = popart.GradientTensorTrackingMethod.ConvAndMatmulGradients
    options.enableGradientAccumulation, options.accumulationFactor = True, 2
    optimizer = popart.SGD({"lossScaling": (4.0, False), "defaultLearningRate": (1e-9, False)})
    session, anchors = training(build, optimizer, ["finalLossScale", "Accum___autoLossScaleStats"], options, batches=3)
    x = np.abs(rand(3, 2, 4, 3)).astype(np.float16)
    session.run(popart.PyStepIO({"x": x}, anchors))
    np.testing.assert_array_equal(anchors["finalLossScale"], [[4, 4], [8, 8], [16, 16]])
    np.testing.assert_array_equal(anchors["Accum___autoLossScaleStats"], [[[6, 0], [12, 0]]] * 3)


@pytest.mark.parametrize("scale", [1000, 100000, 150000])
def test_loss_scales_beyond_halves_train_models_of_halves(scale):
    start, label, x = (0.1 * rand(4, 4)).astype(np.float16), np.array([0, 1], np.int32), (0.05 * rand(2, 4)).astype(np.float16)

    def build(b):
        data = b.addInputTensor(popart.TensorInfo("FLOAT16", [2, 4]), "x")
        labels = b.addInputTensor(popart.TensorInfo("INT32", [2]), "label")
        likely = b.aiOnnx.softmax([b.aiOnnx.matmul([data, b.addInitializedInputTensor(start, "w")])])
        return b.aiGraphcore.nllloss([likely, labels])

    optimizer = popart.SGD({"lossScaling": (scale, False), "defaultLearningRate": (4, False)})
    session, anchors = training(build, optimizer, [], popart.SessionOptions(), batches=1)
    session.run(popart.PyStepIO({"x": x, "label": label}, anchors))
    w = np.empty((4, 4), np.float16)
    session.weightsToHost()
    session.readWeights(popart.PyWeightsIO({"w": w}))
    a, before = x.astype(np.float64), start.astype(np.float64)
    likely = np.exp(a @ before)
    likely /= likely.sum(1, keepdims=True)
    likely[[0, 1], label] -= 1
    np.testing.assert_allclose(w, before - 4 * a.T @ likely / 2, atol=5e-4)


def test_an_automatic_loss_scale_may_begin_beyond_halves():
    def build(b):
        x = b.addInputTensor(popart.TensorInfo("FLOAT16", [4, 3]), "x")
        y = b.aiOnnx.matmul([x, b.addInitializedInputTensor(rand(3, 2).astype(np.float16), "w")])
        return b.aiGraphcore.identityloss([y], reduction=popart.ReductionType.Sum)

    options = popart.SessionOptions()
    options.automaticLossScalingSettings.enabled = True
    optimizer = popart.SGD({"lossScaling": (1e20, False), "defaultLearningRate": (1e-9, False)})
    session, anchors = training(build, optimizer, ["finalLossScale"], options, batches=3)
    session.run(popart.PyStepIO({"x": np.abs(rand(3, 4, 3)).astype(np.float16)}, anchors))
    assert anchors["finalLossScale"].dtype == np.float32
    np.testing.assert_allclose(anchors["finalLossScale"], [1e20, 5e19, 2.5e19], rtol=1e-6)


# ---- operators


@pytest.mark.parametrize("low, high", [(np.nan, 1), (0, np.nan), (np.nan, np.nan), (2, 1)])
def test_a_bound_that_is_no_number_clips_nothing(low, high):
    x, bounds = np.array([-2, 0, 0.5, 3, np.nan], F32), [np.array(low, F32), np.array(high, F32)]

    def known(builder, ids, x=None):
        return builder.aiOnnx.clip([x or ids[0]] + [builder.aiOnnx.constant(b) for b in bounds])

    def folded(builder, ids):
        return builder.aiOnnx.add([known(builder, ids, builder.aiOnnx.constant(x)), ids[0]])

    wanted = np.fmin(np.where(np.isnan(x), x, np.fmax(x, bounds[0])), np.where(np.isnan(x), x, bounds[1]))
    for build, inputs, opset in [(lambda n, i: n.aiOnnx.clip(i, min=low, max=high), [x], 10), (known, [x], 11),
                                 (folded, [np.zeros(5, F32)], 11),
                                 (lambda n, i: n.aiOnnx.clip(i), [x] + bounds, 11)]:
        np.testing.assert_array_equal(infer(build, inputs, opset=opset)[0], wanted)


@pytest.mark.parametrize("name", ["reducesum", "reducemean", "reducemax", "reducel2", "reducesumsquare"])
def test_no_axes_reduce_nothing(name):
    x = rand(2, 3)
    got, = infer(lambda b, ids: getattr(b.aiOnnx, name)(ids, axes=[], keepdims=0), [x])
    each = {"reducel2": np.abs, "reducesumsquare": np.square}.get(name, lambda v: v)
    np.testing.assert_allclose(got, each(x), rtol=1e-6)


@pytest.mark.parametrize("right", [0, 1])
def test_bucketize_searches_from_the_first_boundary(right):
    x = np.array([-2, 0.5, 1, np.nan, 3, 9, -np.inf, np.inf], F32)
    bounds = np.array([0, 1, 0.5, 4, 2], F32)
    got, = infer(lambda b, ids: b.aiGraphcore.bucketize(ids, right=right), [x, bounds])

    def search(v):
        for i, b in enumerate(bounds):
            if (v < b) if right else (v <= b):
                return i
        return len(bounds)

    np.testing.assert_array_equal(got, [search(v) for v in x])


def test_subsample_begins_with_the_first_and_rounds_up():
    x = rand(5, 7)
    got, = infer(lambda b, ids: b.aiGraphcore.subsample(ids, strides=[2, 3]), [x])
    np.testing.assert_array_equal(got, x[::2, ::3])


@pytest.mark.parametrize("size,scale,out", [(6, 5 / 6, 5), (10, 0.7, 7), (3, 2.4, 7)])
def test_resize_multiplies_in_float(size, scale, out):
    x = rand(1, 1, size)
    got, = infer(lambda b, ids: b.aiOnnxOpset10.resize([ids[0], b.aiOnnxOpset10.constant(np.array([1, 1, scale], F32))]),
                 [x])
    assert got.shape == (1, 1, out)


@pytest.mark.parametrize("scale", [0.4, 0.5, 1.3, 2.0, 3.0])
def test_resize_has_the_nearest_of_torch(scale):
    x = rand(1, 2, 7, 9)

    def build(b, ids):
        ai = b.aiOnnxOpset11
        none = ai.constant(np.array([], F32))
        return ai.resize([ids[0], none, ai.constant(np.array([1, 1, scale, scale], F32))], nearest_mode="pytorch")

    got, = infer(build, [x], opset=11)
    want = torch.nn.functional.interpolate(torch.tensor(x), scale_factor=scale, mode="nearest")
    np.testing.assert_array_equal(got, want.numpy())


def transposed(x, w, stride, begin, size):
    """Every element of x adds the kernel where it stands; `begin` elements are cut off in front."""
    whole = np.zeros(stride * (len(x) - 1) + len(w) + size + begin)
    for i, v in enumerate(x):
        whole[i * stride:i * stride + len(w)] += v * w
    return whole[begin:begin + size]


def test_convtranspose_puts_the_odd_padding_where_its_caller_means_it():
    x, w = rand(1, 1, 4), rand(1, 1, 4)
    attributes = {"strides": [2], "output_shape": [7]}  # of 10 elements: 3 are too many
    got, = infer(lambda b, ids: b.aiOnnxOpset11.convtranspose(ids, **attributes), [x, w], opset=11)
    np.testing.assert_allclose(got[0, 0], transposed(x[0, 0], w[0, 0], 2, 1, 7), rtol=1e-5, atol=1e-6)

    node = oh.make_node("ConvTranspose", ["x", "w"], ["y"], **attributes)
    infos = [oh.make_tensor_value_info(n, onnx.TensorProto.FLOAT, s)
             for n, s in (("x", [1, 1, 4]), ("w", [1, 1, 4]), ("y", [1, 1, 7]))]
    for version, begin in ((1, 1), (11, 2)):
        graph = oh.make_graph([node], "g", infos[:2], infos[2:])
        model = oh.make_model(graph, opset_imports=[oh.make_opsetid("", max(version, 9))], ir_version=6)
        session = popart.InferenceSession(model.SerializeToString(), popart.DataFlow(1, ["y"]), device())
        session.prepareDevice()
        anchors = session.initAnchorArrays()
        session.run(popart.PyStepIO({"x": x, "w": w}, anchors))
        np.testing.assert_allclose(anchors["y"][0, 0], transposed(x[0, 0], w[0, 0], 2, begin, 7), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("axis,reverse", [(0, 0), (1, 0), (1, 1)])
def test_scan_of_a_builder_keeps_the_axis(axis, reverse):
    x = rand(3, 4)
    one = list(x.shape)
    one[axis] = 1

    def build(b, ids):
        start = b.aiOnnx.constant(np.zeros(one, F32))
        body = b.createSubgraphBuilder()
        state, part = body.addUntypedInputTensor(), body.addUntypedInputTensor()
        total = body.aiOnnx.add([state, part])
        body.addOutputTensor(total)
        body.addOutputTensor(body.aiOnnx.concat([total, part], axis=axis))
        return b.aiOnnx.scan([start, ids[0]], 2, body, num_scan_inputs=1, scan_input_axes=[axis],
                             scan_output_axes=[axis], scan_input_directions=[reverse])

    final, stacked = infer(build, [x])
    parts, total = [], np.zeros(one, F32)
    for k in range(x.shape[axis])[::-1 if reverse else 1]:
        part = np.take(x, [k], axis)
        total = total + part
        parts += [total, part]
    np.testing.assert_allclose(final, total, rtol=1e-6)
    np.testing.assert_allclose(stacked, np.concatenate(parts, axis), rtol=1e-6)


def test_scan_of_a_builder_has_a_gradient():
    def build(b):
        x = b.addInitializedInputTensor(rand(3, 4), "x")
        body = b.createSubgraphBuilder()
        state, part = body.addUntypedInputTensor(), body.addUntypedInputTensor()
        total = body.aiOnnx.add([state, part])
        body.addOutputTensor(total)
        body.addOutputTensor(body.aiOnnx.concat([total, part], axis=1))
        start = b.aiOnnx.constant(np.zeros((3, 1), F32))
        made = b.aiOnnx.scan([start, x], 2, body, num_scan_inputs=1, scan_input_axes=[1], scan_output_axes=[1])[1]
        return b.aiGraphcore.identityloss([made], reduction=popart.ReductionType.Sum)

    gradient = popart.reservedGradientPrefix() + "x"
    session, anchors = training(build, popart.ConstSGD(0.1), [gradient])
    session.run(popart.PyStepIO({}, anchors))
    # Column j is in the totals of 4 - j iterations, and once by itself.
    np.testing.assert_array_equal(anchors[gradient], np.broadcast_to([5, 4, 3, 2], (3, 4)))


def test_scan_of_a_file_means_onnx():
    add = oh.make_node("Add", ["s", "p"], ["t"])
    same = oh.make_node("Identity", ["t"], ["o"])
    value = lambda n, s: oh.make_tensor_value_info(n, onnx.TensorProto.FLOAT, s)
    body = oh.make_graph([add, same], "body", [value("s", [4]), value("p", [4])], [value("t", [4]), value("o", [4])])
    node = oh.make_node("Scan", ["i", "x"], ["f", "y"], body=body, num_scan_inputs=1)
    graph = oh.make_graph([node], "g", [value("i", [4]), value("x", [3, 4])], [value("f", [4]), value("y", [3, 4])])
    model = oh.make_model(graph, opset_imports=[oh.make_opsetid("", 11)], ir_version=6)
    session = popart.InferenceSession(model.SerializeToString(), popart.DataFlow(1, ["y"]), device())
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    x = rand(3, 4)
    session.run(popart.PyStepIO({"x": x, "i": np.zeros(4, F32)}, anchors))
    np.testing.assert_allclose(anchors["y"], np.cumsum(x, 0), rtol=1e-6)


REDUCTIONS = {"Sum": "sum", "Max": "amax", "Min": "amin", "Mul": "prod"}


@pytest.mark.parametrize("reduction,shape,axis,initial", [(r, s, a, i) for r in REDUCTIONS for s, a in
                         (((3, 2), 0), ((2, 4), 1), ((4, 3), 0)) for i in (None, "same", "larger")])
def test_scatterreduce_takes_an_index_smaller_than_the_source(reduction, shape, axis, initial):
    src, size = np.abs(rand(4, 5)) + F32(0.5), 6
    index = np.stack([np.random.default_rng(k).permutation(size)[:shape[axis]] for k in range(shape[1 - axis])])
    index = (index.T if axis == 0 else index).astype(np.int32)
    out = list(src.shape if initial else shape)
    out[axis] = size
    if initial == "larger":
        out[1 - axis] += 2
    start = np.abs(rand(*out, seed=5)) + F32(0.1)
    zero = (np.ones if reduction == "Mul" else np.zeros)(out, F32)

    def build(b, ids):
        inputs = [ids[0], b.aiOnnx.constant(index)] + (ids[1:] if initial else [])
        return b.aiGraphcore.scatterreduce(inputs, axis_size=size, axis=axis, enable_index_broadcast=0,
                                           reduction=popart.ScatterReduction.__members__[reduction])

    def reference(x, *given):
        data = given[0] if given else torch.tensor(zero)
        width = shape[1 - axis]
        inside, beyond = data.split([width, data.shape[1 - axis] - width], 1 - axis)
        made = inside.scatter_reduce(axis, torch.tensor(index.astype(np.int64)), x[:shape[0], :shape[1]],
                                     REDUCTIONS[reduction], include_self=bool(given))
        return torch.cat([made, beyond], 1 - axis)

    compare(build, reference, [src] + ([start] if initial else []), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("start", [(10, 7), (10, 5), (6, 7)])
@pytest.mark.parametrize("rows", [True, False])
def test_scatterreduce_keeps_what_it_does_not_reach_of_initial_values(reduction, start, rows):
    src, size = np.abs(rand(4, 5)) + F32(0.5), 6
    index = np.array([5, 0, 2, 4] if rows else [[5, 0, 2, 4, 1]] * 4, np.int32)
    if not rows:
        index = (index + np.arange(4, dtype=np.int32)[:, None]) % size

    def build(b, ids):
        return b.aiGraphcore.scatterreduce([ids[0], b.aiOnnx.constant(index), ids[1]], axis_size=size, axis=0,
                                           reduction=popart.ScatterReduction.__members__[reduction])

    def reference(x, data):
        inside, beyond = data.split([5, data.shape[1] - 5], 1)
        at = torch.tensor(index.astype(np.int64))
        at = at[:, None].expand(4, 5) if rows else at
        return torch.cat([inside.scatter_reduce(0, at, x, REDUCTIONS[reduction], include_self=True), beyond], 1)

    compare(build, reference, [src, np.abs(rand(*start, seed=5)) + F32(0.1)], rtol=1e-4, atol=1e-5)


def test_scatterreduce_is_no_larger_than_its_index():
    src, index = rand(8, 16, 7), np.array([[[3, 0]], [[1, 7]], [[2, 5]], [[0, 4]]], np.int32)

    def build(b, ids):
        return b.aiGraphcore.scatterreduce([ids[0], b.aiOnnx.constant(index)], axis_size=8, axis=0,
                                           enable_index_broadcast=0)

    def reference(x):
        return torch.zeros(8, 1, 2).scatter_reduce(0, torch.tensor(index.astype(np.int64)), x[:4, :1, :2], "sum")

    compare(build, reference, [src], rtol=1e-5, atol=1e-6)


def test_scatterreduce_spreads_initial_values():
    src, index = rand(4, 3), np.array([1, 0, 1, 2], np.int32)

    def build(b, ids):
        return b.aiGraphcore.scatterreduce([ids[0], b.aiOnnx.constant(index), ids[1]], axis_size=3, axis=0)

    compare(build, lambda x, s: s.expand(3, 3).index_add(0, torch.tensor(index), x), [src, rand(1, 3, seed=6)])


def test_batchnorm_per_position():
    x, parameters = rand(4, 3, 2), [np.abs(rand(3, 2, seed=k)) + F32(0.5) for k in range(4)]
    got, = infer(lambda b, ids: b.aiOnnxOpset6.batchnormalization(ids, 1, spatial=0, is_test=1)[0], [x] + parameters,
                 opset=6)
    scale, bias, mean, variance = parameters
    np.testing.assert_allclose(got, (x - mean) / np.sqrt(variance + 1e-5) * scale + bias, rtol=1e-4, atol=1e-5)


def test_an_update_may_leave_out_the_dimension_it_fills_one_place_of():
    x, update = rand(4, 3), rand(3, seed=5)
    at = np.array([2], np.uint32)
    got, = infer(lambda b, ids: b.aiGraphcore.dynamicupdate(ids, axes=[0], sizes=[1], noOverlap=1), [x, at, update])
    x[2] = update
    np.testing.assert_array_equal(got, x)


def test_a_reduce_scatter_waits_for_the_replicas():
    builder = popart.Builder()
    x = builder.addInputTensor(popart.TensorInfo("FLOAT", [6]))
    y = builder.aiGraphcore.replicatedreducescatter([x])
    options = popart.SessionOptions()
    options.enableReplicatedGraphs, options.replicatedGraphCount = True, 2
    session = popart.InferenceSession(builder.getModelProto(), popart.DataFlow(1, [y]), device(2), userOptions=options)
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    a = rand(2, 6)
    session.run(popart.PyStepIO({x: a}, anchors))
    np.testing.assert_allclose(anchors[y], a.sum(0).reshape(2, 3), rtol=1e-6)


# ---- bodies


@pytest.mark.parametrize("kind", ["call", "captured", "if", "loop"])
def test_outputs_whose_types_the_builder_does_not_know(kind):
    x = rand(2, 3)
    inputs = [x] + ([np.array(True)] if kind == "if" else [])

    def build(b, ids):
        bodies = [b.createSubgraphBuilder() for _ in range(2)]
        body = bodies[0]
        if kind == "loop":
            body.addInputTensor(popart.TensorInfo("INT64", []))
            go = body.addInputTensor(popart.TensorInfo("BOOL", []))
            state = body.addUntypedInputTensor()
            body.addInputTensorFromParentGraph(ids[0])
            body.addOutputTensor(go)
            body.addOutputTensor(body.aiOnnx.add([state, ids[0]]))
            trips, yes = b.aiOnnx.constant(np.array(3, np.int64)), b.aiOnnx.constant(np.array(True))
            out = b.aiOnnx.loop([trips, yes, ids[0]], 1, body)[0]
        elif kind == "if":
            for k, one in enumerate(bodies):
                one.addInputTensorFromParentGraph(ids[0])
                one.addOutputTensor(one.aiOnnx.neg([ids[0]]) if k else one.aiOnnx.add([ids[0], ids[0]]))
            out = b.aiOnnx.logical_if([ids[1]], 1, bodies[1], bodies[0])[0]
        else:
            body.addInputTensorFromParentGraph(ids[0])
            body.addOutputTensor(body.aiOnnx.add([ids[0], ids[0]]))
            out = b.aiGraphcore.call([ids[0]] if kind == "call" else [], 1, body)[0]
        b.addOutputTensor(out)
        return out

    got, = infer(build, inputs)
    np.testing.assert_allclose(got, x * (4 if kind == "loop" else 2), rtol=1e-6)


# ---- sessions


@pytest.mark.parametrize("mode", ["RandomNormal", "RandomUniform"])
def test_synthetic_data_of_every_type_vary(mode):
    options = popart.SessionOptions()
    options.syntheticDataMode = popart.SyntheticDataMode.__members__[mode]
    builder = popart.Builder()
    ids = {t: builder.addInputTensor(popart.TensorInfo(t, [200]))
           for t in ("INT32", "UINT32", "INT8", "UINT8", "BOOL", "FLOAT16")}
    # Anchors stay at home too, so that what does not vary is told by an operator that stops the run.
    for x in ids.values():
        real = builder.aiOnnx.cast([x], "FLOAT")
        ends = [builder.aiOnnx.reducemax([real], axes=[0], keepdims=0),
                builder.aiOnnx.reducemin([real], axes=[0], keepdims=0)]
        builder.aiGraphcore.abort([builder.aiOnnx.equal(ends)])
    session = popart.InferenceSession(builder.getModelProto(), popart.DataFlow(1, ends), device(), userOptions=options)
    session.prepareDevice()
    session.run(popart.PyStepIO({}, session.initAnchorArrays()))


@pytest.mark.parametrize("dtype,low,high", [("INT8", -120, 120), ("UINT8", 8, 248)])
@pytest.mark.parametrize("factor", [1, 1.1])  # beyond what the type can hold: the check itself works
def test_uniform_synthetic_bytes_have_the_range_of_their_type(dtype, low, high, factor):
    options = popart.SessionOptions()
    options.syntheticDataMode = popart.SyntheticDataMode.RandomUniform
    builder = popart.Builder()
    ai = builder.aiOnnx
    x = ai.cast([builder.addInputTensor(popart.TensorInfo(dtype, [4000]))], "FLOAT")
    middle, half = (low + high) / 2, (high - low) / 2
    beyond = lambda sign: ai.greater([ai.reducemax([ai.mul([ai.sub([x, ai.constant(F32(middle))]), ai.constant(F32(sign))])],
                                                   axes=[0], keepdims=0), ai.constant(F32(half * factor))])
    both = ai.logical_and([beyond(1), beyond(-1)])
    builder.aiGraphcore.abort([ai.logical_not([both])])
    session = popart.InferenceSession(builder.getModelProto(), popart.DataFlow(1, [both]), device(), userOptions=options)
    session.prepareDevice()
    run = lambda: session.run(popart.PyStepIO({}, session.initAnchorArrays()))
    if factor == 1:
        run()
    else:
        with pytest.raises(Exception, match="[Aa]bort"):
            run()


def convnet(b, x, whole):
    ai = b.aiOnnx
    weights = lambda *s: b.addInitializedInputTensor(rand(*s, seed=sum(s)) * F32(0.5), "w%d" % sum(s))
    h = ai.relu([ai.conv([x, weights(4, 2, 3, 3)], pads=[1, 1, 1, 1])])
    h = ai.maxpool([h], 1, kernel_shape=[2, 2], strides=[2, 2])[0]
    if whole:  # needs all of a batch at once
        h = ai.sub([h, ai.reducemean([h], axes=[0, 2, 3])])
    h = b.reshape_const(ai, [h], [8, 16])
    h = ai.tanh([ai.matmul([h, weights(16, 6)])])
    return ai.softmax([ai.add([ai.matmul([h, weights(6, 3)]), weights(3)])])


def train(settings, whole, options=None):
    builder = popart.Builder()
    x = builder.addInputTensor(popart.TensorInfo("FLOAT", [8, 2, 4, 4]))
    labels = builder.addInputTensor(popart.TensorInfo("INT32", [8]))
    y = convnet(builder, x, whole)
    loss = builder.aiGraphcore.nllloss([y, labels], reduction=popart.ReductionType.Mean)
    options = options or popart.SessionOptions()
    for name, value in settings.items():
        setattr(options.batchSerializationSettings, name, value)
    session = popart.TrainingSession(builder.getModelProto(), popart.DataFlow(1, [loss, y]), loss, popart.ConstSGD(0.5),
                                     device(), userOptions=options)
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    out = []
    for step in range(3):
        session.run(popart.PyStepIO({x: rand(8, 2, 4, 4, seed=step), labels: (np.arange(8) % 3).astype(np.int32)}, anchors))
        out += [anchors[loss].copy(), anchors[y].copy()]
    return out, session


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("method,context,schedule",
                         [("UnrollDynamic", "Fwd", "Isomorphic"), ("UnrollStatic", "Fwd", "Scheduler"),
                                                     ("UnrollStatic", "Bwd", "Isomorphic"),
                          ("Loop", "Bwd", "OverlapOnCompute")])
def test_batches_in_parts_give_what_whole_batches_give(method, context, schedule, whole):
    wanted, _ = train({}, whole)
    got, _ = train({"factor": 4, "method": popart.BatchSerializationMethod.__members__[method],
                    "transformContext": popart.BatchSerializationTransformContext.__members__[context],
                    "batchSchedule": popart.BatchSerializationBatchSchedule.__members__[schedule]}, whole)
    for a, b in zip(got, wanted):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("method", ["UnrollDynamic", "UnrollStatic"])
def test_batches_in_parts_need_less_memory(method, tmp_path):
    x, weights = rand(64, 128), [rand(*s) for s in ((128, 4096), (4096, 16))]

    def model(factor):
        builder = popart.Builder()
        data = builder.addInputTensor(popart.TensorInfo("FLOAT", x.shape))
        w = [builder.addInitializedInputTensor(array) for array in weights]
        h = builder.aiOnnx.softmax([builder.aiOnnx.matmul([data, w[0]])])
        y = builder.aiOnnx.matmul([h, w[1]])
        options = popart.SessionOptions()
        options.engineOptions = {"autoReport.outputGraphProfile": "true", "autoReport.directory": f"{tmp_path}/{factor}"}
        options.batchSerializationSettings.factor = factor
        options.batchSerializationSettings.method = popart.BatchSerializationMethod.__members__[method]
        session = popart.InferenceSession(builder.getModelProto(), popart.DataFlow(1, [y]), device(), userOptions=options)
        session.prepareDevice()
        anchors = session.initAnchorArrays()
        session.run(popart.PyStepIO({data: x}, anchors))
        return anchors[y], session

    whole, plain = model(0)
    parts, cut = model(8)
    np.testing.assert_allclose(parts, whole, rtol=1e-4, atol=1e-6)
    assert plain._serializeIr(popart.IrSerializationFormat.JSON).count('"MatMul"') == 2
    assert cut._serializeIr(popart.IrSerializationFormat.JSON).count('"MatMul"') == 16
    used = [sum(tile.memory.total.includingGaps for tile in session.getReport().compilation.tiles)
            for session in (plain, cut)]
    assert used[1] < 0.9 * used[0]


def test_batches_that_cannot_be_cut_are_refused():
    with pytest.raises(popart.popart_exception, match="factor is 3, but no input has a first dimension"):
        train({"factor": 3}, False)
    with pytest.raises(popart.popart_exception, match="method Loop needs transformContext Bwd"):
        train({"factor": 2, "method": popart.BatchSerializationMethod.Loop}, False)


def test_stochastic_rounding_follows_the_seed():
    options = popart.SessionOptions()
    options.enableStochasticRounding = options.enableLoadAndOffloadRNGState = True
    builder = popart.Builder()
    x = builder.addInputTensor(popart.TensorInfo("FLOAT", [4096]))
    y = builder.aiOnnx.cast([x], "FLOAT16")
    session = popart.InferenceSession(builder.getModelProto(), popart.DataFlow(1, [y]), device(), userOptions=options)
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    a = np.full(4096, 1 + 2.0**-12, F32)  # a quarter of the way to the next half

    def step():
        session.run(popart.PyStepIO({x: a}, anchors))
        return anchors[y].copy()

    session.setRandomSeed(4)
    first, second = step(), step()
    state = session.getRNGState()
    third = step()
    assert set(np.unique(first)) == {np.float16(1), np.float16(1 + 2.0**-10)}
    assert abs((first > 1).mean() - 0.25) < 0.05
    assert not np.array_equal(first, second)
    session.setRandomSeed(4)
    np.testing.assert_array_equal(step(), first)
    session.setRNGState(state)
    np.testing.assert_array_equal(step(), third)
