# SPDX-License-Identifier: MIT
"""Operations of tensorflow.python.ipu in programs of TensorFlow 1, against numpy."""
import importlib

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu
from tensorflow.python.ipu.scopes import ipu_scope

RNG = np.random.default_rng(3)


@pytest.fixture(autouse=True)
def graph():
    configured()
    with tf.Graph().as_default() as g:
        yield g


def configured(ipus=1):
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = ipus
    config.configure_ipu_system()


def on_ipu(function, *arrays):
    """What a compiled function gives for these arrays."""
    fed = [tf.placeholder(a.dtype, a.shape) for a in map(np.asarray, arrays)]
    with ipu_scope("/device:IPU:0"):
        made = ipu.ipu_compiler.compile(function, fed)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(made, dict(zip(fed, arrays)))


@pytest.mark.parametrize("dimension, factor", [("a_columns", 2), ("a_rows_b_columns", 3), ("b_rows", 4), ("b_rows", 1)])
@pytest.mark.parametrize("turn_a", [False, True])
@pytest.mark.parametrize("turn_b", [False, True])
def test_serialized_products_and_their_gradients(dimension, factor, turn_a, turn_b):
    a, b = RNG.normal(size=(2, 4, 6)).astype("float32"), RNG.normal(size=(2, 6, 8)).astype("float32")

    def product(x, y):
        z = ipu.math_ops.serialized_matmul(x, y, factor, dimension, turn_a, turn_b)
        return [z, *tf.gradients(tf.reduce_sum(z * z), [x, y])]
    turned = [v.swapaxes(1, 2) if turn else v for v, turn in ((a, turn_a), (b, turn_b))]
    z, da, db = on_ipu(product, *map(np.ascontiguousarray, turned))
    np.testing.assert_allclose(z, a @ b, rtol=1e-5, atol=1e-5)
    dz = 2 * a @ b
    for found, wanted, turn in ((da, dz @ b.swapaxes(1, 2), turn_a), (db, a.swapaxes(1, 2) @ dz, turn_b)):
        np.testing.assert_allclose(found.swapaxes(1, 2) if turn else found, wanted, rtol=1e-4, atol=1e-4)


def test_serialized_products_that_cannot_be_divided():
    a, b = tf.ones([4, 6]), tf.ones([6, 8])
    with pytest.raises(ValueError, match=r"serialization_factor \(3\) must divide the dimension a_columns"):
        ipu.math_ops.serialized_matmul(a, b, 3, "a_columns")
    with pytest.raises(ValueError, match="Must be one of: a_columns, a_rows_b_columns, b_rows"):
        ipu.math_ops.serialized_matmul(a, b, 2, "rows")


def test_segments_that_are_fed():
    data, rows = RNG.normal(size=(5, 2)).astype("float32"), np.array([0, 2, 0, 1, 2], "int32")
    found, = on_ipu(lambda d, i: ipu.math_ops.segment_sum(d, i, 4), data, rows)
    np.testing.assert_allclose(found, [data[rows == i].sum(0) for i in range(4)], rtol=1e-6)


@pytest.mark.parametrize("draw, low, high, mean", [
    (lambda s: tf.random.stateless_uniform([4000], s, -1, 3), -1, 3, 1.0),
    (lambda s: tf.random.stateless_normal([4000], s, 2.0, 0.5), -9, 9, 2.0),
    (lambda s: tf.random.stateless_truncated_normal([4000], s, 1.0, 0.5), 0, 2, 1.0),
    (lambda s: tf.random.stateless_uniform([4000], s, 0, 7, tf.int32), 0, 6, 3.0)])
def test_stateless_numbers_follow_from_their_seed(draw, low, high, mean):
    one, again, other = (on_ipu(lambda s: draw(s), np.array(seed, "int32"))[0] for seed in ([1, 2], [1, 2], [2, 1]))
    np.testing.assert_array_equal(one, again)
    assert (one != other).mean() > 0.5
    assert one.min() >= low and one.max() <= high and one.mean() == pytest.approx(mean, abs=0.15)
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(draw([1, 2])), one)


def test_dropout_with_a_seed():
    x = np.ones((50, 60), "float32")
    one, again, other = (on_ipu(lambda v, s: ipu.rand_ops.dropout(v, 0.25, seed=s), x, np.array(seed, "int32"))[0]
                         for seed in ([5, 6], [5, 6], [7, 8]))
    np.testing.assert_array_equal(one, again)
    assert (one != other).any()
    np.testing.assert_allclose(np.unique(one), [0, 4 / 3], rtol=1e-6)
    assert (one == 0).mean() == pytest.approx(0.25, abs=0.05)


def test_images_are_normalised_and_get_a_fourth_channel():
    image = RNG.integers(0, 255, (2, 4, 4, 3)).astype("uint8")
    offsets, scales = np.array([1, 2, 3], "float32"), np.array([0.5, 1, 2], "float32")
    found, = on_ipu(lambda i: ipu.image_ops.normalise_image(i, offsets, scales, 0.125), image)
    np.testing.assert_allclose(found[..., :3], (image * np.float32(0.125) - offsets) * scales, rtol=1e-6)
    assert found.shape == (2, 4, 4, 4) and not found[..., 3].any()


def test_histograms():
    x, levels = RNG.normal(size=100).astype("float32"), np.array([-1, 0, 0.5], "float32")
    counts, shares = on_ipu(lambda v: [h := ipu.statistics_ops.histogram(v, levels),
                                       ipu.statistics_ops.histogram_normalize(h)], x)
    wanted = np.histogram(x, [-np.inf, *levels, np.inf])[0]
    np.testing.assert_array_equal(counts, wanted)
    np.testing.assert_allclose(shares, wanted / 100, rtol=1e-6)


def test_collectives_within_a_replica():
    configured(2)
    a, b = np.arange(3, dtype="float32"), np.arange(3, 6, dtype="float32")

    def f(x, y):
        with ipu.scopes.ipu_shard(1):
            y = y + 0
        ops = ipu.within_replica_ops
        return [*ops.all_gather([x, y]), *ops.all_reduce([x, y], "COLLECTIVE_OP_MAX"),
                *ops.reduce_scatter([x, y], "COLLECTIVE_OP_ADD")]
    g0, g1, m0, m1, s0, s1 = on_ipu(f, a, b)
    for found, wanted in ((g0, np.r_[a, b]), (g1, np.r_[a, b]), (m0, b), (m1, b), (s0, [3, 5]), (s1, [7, 0])):
        np.testing.assert_array_equal(found, wanted)


def test_replicas_keep_parts_of_a_sum():
    configured(2)
    found, = on_ipu(lambda x: ipu.reduce_scatter_op.reduce_scatter(x, 2), np.arange(3, dtype="float32"))
    np.testing.assert_array_equal(found, [4, 0])  # of the last replica


@pytest.mark.parametrize("norm", [ipu.normalization_ops.group_norm, ipu.normalization_ops.layer_norm,
                                  ipu.normalization_ops.instance_norm])
def test_norms_refuse_what_does_not_fit(norm):
    with pytest.raises(ValueError, match="Axis is out of bounds"):
        norm(tf.ones([2, 3, 4]), channels_axis=5)
    with pytest.raises(ValueError, match="mutually exclusive"):
        norm(tf.ones([2, 3, 4]), channels_axis=-1, reduction_axes=[1, 2])
    with pytest.raises(ValueError, match="undefined channel dimension"):
        norm(tf.placeholder(tf.float32, [2, 3, None]))


def test_groups_must_fit_channels():
    with pytest.raises(ValueError, match="Invalid groups 10 for 4 channels"):
        ipu.normalization_ops.group_norm(tf.ones([2, 3, 4]), groups=10)
    with pytest.raises(ValueError, match="4 channels is not commensurate with 3 groups"):
        ipu.normalization_ops.group_norm(tf.ones([2, 3, 4]), groups=3)


def test_parameters_of_norms_are_in_collections():
    for _ in range(2):
        ipu.normalization_ops.group_norm(tf.ones([2, 3, 4]), reduction_axes=[-2],
                                         variables_collections={"beta": ["of_beta"], "gamma": ["of_gamma", "mine"]})
    names = ["GroupNorm/beta:0", "GroupNorm/gamma:0", "GroupNorm_1/beta:0", "GroupNorm_1/gamma:0"]
    assert [v.name for v in tf.global_variables()] == [v.name for v in tf.trainable_variables()] == names
    assert [v.name for v in tf.get_collection("of_beta")] == names[::2]
    assert [v.name for v in tf.get_collection("mine")] == names[1::2]


@pytest.mark.parametrize("scoped", [False, True])
def test_xla_compiles(scoped):
    x = tf.placeholder(tf.float32, [2])
    with ipu_scope("/device:IPU:0") if scoped else tf.device("/cpu:0"):
        one = tf.xla.experimental.compile(lambda v: v + 1, [x])
        two = tf.xla.experimental.compile(lambda v: (v * 2, v * 3), [x])
    with tf.Session() as session:
        got = session.run([one, two], {x: [1, 2]})
    np.testing.assert_array_equal(got[0], [[2, 3]])
    np.testing.assert_array_equal(got[1], [[2, 4], [3, 6]])


def test_strided_slices_and_inverted_permutations():
    x = np.arange(24).reshape(2, 3, 4).astype("float32")
    found = on_ipu(lambda v: [tf.strided_slice(v, [0, 2, 0], [2, 0, 4], [1, -1, 2]),
                              tf.strided_slice(v, [1, 0, 1], [0, 0, 9], begin_mask=4, ellipsis_mask=2, shrink_axis_mask=1)], x)
    np.testing.assert_array_equal(found[0], x[0:2, 2:0:-1, 0:4:2])
    np.testing.assert_array_equal(found[1], x[1, ..., :9])
    order = np.array([3, 0, 2, 1], "int32")
    np.testing.assert_array_equal(on_ipu(lambda v: tf.math.invert_permutation(v), order)[0], np.argsort(order))


@pytest.mark.parametrize("name, what", [
    ("optimizers.cross_replica_optimizer", "CrossReplicaOptimizer"), ("cross_replica_optimizer", "CrossReplicaOptimizer"),
    ("optimizers.gradient_accumulation_optimizer", "GradientAccumulationOptimizerV2"),
    ("optimizers.map_gradient_optimizer", "MapGradientOptimizer"), ("optimizers.sharded_optimizer", "ShardedOptimizer")])
def test_optimizers_have_modules_of_their_own(name, what):
    module = importlib.import_module(f"tensorflow.python.ipu.{name}")
    assert getattr(module, what) is getattr(ipu.optimizers, what)
    found = ipu
    for part in name.split("."):
        found = getattr(found, part)
    assert found is module


def test_functions_and_convolutions_that_are_marked():
    @ipu.outlined_function
    def twice(v):
        return v * 2

    @ipu.nn_ops.multi_conv
    def both(v):
        return twice(v), twice(twice(v))
    one, two = on_ipu(both, np.ones(3, "float32"))
    np.testing.assert_array_equal([one, two], [[2] * 3, [4] * 3])


def sliced(dst, src, counts, begins, places, zero):
    out = np.zeros_like(dst) if zero else dst.copy()
    for n, begin, place in zip(counts, begins, places):
        n = min(n, len(src) - begin, len(dst) - place)
        out[place:place + n] = src[begin:begin + n]
    return out


@pytest.mark.parametrize("zero", [False, True])
def test_runs_of_rows_are_moved(zero):
    dst, src = RNG.normal(size=(9, 2)).astype("float32"), RNG.normal(size=(7, 2)).astype("float32")
    counts, begins, places = (np.array(v, "int32") for v in ([2, 3, 0, 5], [1, 0, 2, 4], [0, 3, 1, 6]))
    ops = ipu.slicing_ops

    def f(d, s, n, b, p):
        moved = ops.sequence_slice(d, s, n, b, p, zero)
        by_d, by_s = tf.gradients(moved * moved + 0 * d, [d, s])
        packed = ops.sequence_slice_pack(d, s, n[:2], p[:2], zero)
        return moved, packed, ops.sequence_slice_unpack(s, n[:2], b[:2], 6), by_d, by_s
    moved, packed, unpacked, by_d, by_s = on_ipu(f, dst, src, counts, begins, places)
    np.testing.assert_array_equal(moved, sliced(dst, src, counts, begins, places, zero))
    np.testing.assert_array_equal(packed, sliced(dst, src, [2, 3], [0, 2], [0, 3], zero))
    np.testing.assert_array_equal(unpacked, sliced(np.zeros((6, 2)), src, [2, 3], [1, 0], [0, 2], True))
    uses = np.zeros((7, 1))
    np.add.at(uses, [1, 2, 0, 1, 2, 4, 5, 6], 1)
    np.testing.assert_allclose(by_s, 2 * src * uses, rtol=1e-6)
    np.testing.assert_allclose(by_d, 2 * dst * (not zero) * np.isin(np.arange(9), [2])[:, None], rtol=1e-6)


def test_runs_that_do_not_fit():
    with pytest.raises(ValueError, match=r"Rows of src, of shape \(3, 4\), do not fit into dst, of shape \(3, 5\)"):
        ipu.slicing_ops.sequence_slice(tf.ones([3, 5]), tf.ones([3, 4]), [1], [0], [0], True)
    with pytest.raises(ValueError, match="num_elems must be a list"):
        ipu.slicing_ops.sequence_slice(tf.ones([3, 4]), tf.ones([3, 4]), 1, [0], [0], True)


def test_a_queue_gives_what_came_before():
    def f(x):
        def body(i, total):
            late = ipu.internal_ops.fifo(x + tf.cast(i, tf.float32), 3)
            return i + 1, total * 10 + late
        return ipu.loops.repeat(6, body, [0, tf.zeros(2)])
    i, total = on_ipu(f, np.array([1, 2], "float32"))
    assert i == 6
    np.testing.assert_array_equal(total, [123, 234])  # 0, 0, 0, then 1, 2, 3 more than i
    with pytest.raises(ValueError, match=r"the depth \(0\) is at least 1"):
        on_ipu(lambda v: ipu.internal_ops.fifo(v, 0), np.ones(2, "float32"))
    with pytest.raises(RuntimeError, match="fifo belongs into a program"):
        ipu.internal_ops.fifo(tf.ones(2), 1)


def test_an_outfeed_gives_no_rounds_before_a_run():
    queue = ipu.ipu_outfeed_queue.IPUOutfeedQueue()
    infeed = ipu.ipu_infeed_queue.IPUInfeedQueue(tf.data.Dataset.from_tensors(np.ones((2, 3), "float32")).repeat())
    with ipu_scope("/device:IPU:0"):
        run = ipu.ipu_compiler.compile(lambda: ipu.loops.repeat(
            4, lambda x: queue.enqueue({"x": x, "sum": tf.reduce_sum(x)}), [], infeed))
    dequeued = queue.dequeue()
    with tf.Session() as session:
        session.run(infeed.initializer)
        shapes = []
        for _ in range(2):
            shapes.append({k: v.shape for k, v in session.run(dequeued).items()})
            session.run(run)
            shapes.append({k: v.shape for k, v in session.run(dequeued).items()})
        shapes.append({k: v.shape for k, v in session.run(dequeued).items()})
    nothing, rounds = {"x": (0, 2, 3), "sum": (0,)}, {"x": (4, 2, 3), "sum": (4,)}
    assert shapes == [nothing, rounds, nothing, rounds, nothing]


def test_fields_of_session_options_can_be_set():
    options = tf.ConfigProto(graph_options=tf.GraphOptions(), allow_soft_placement=True)
    options.graph_options.rewrite_options.memory_optimization = 1
    options.graph_options.optimizer_options.global_jit_level = tf.OptimizerOptions.ON_1
    with tf.Session(config=options) as session:
        assert session.run(tf.constant(1) + 1) == 2
