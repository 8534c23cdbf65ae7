# SPDX-License-Identifier: MIT
"""Rules of TensorFlow 1 that TensorFlow 2 has otherwise, and what sessions run and are fed."""
import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from on_ipus import strategy
from tensorflow.python import ipu

X = np.arange(12, dtype="float32").reshape(4, 3)


@pytest.fixture(autouse=True)
def session():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


def test_whole_numbers_are_divided_to_whole_numbers(session):
    found = session.run([tf.div(7, 2), tf.div(-7, 2), tf.div(7.0, 2.0), tf.constant(7) / tf.constant(2)])
    assert found == [3, -4, 3.5, 3.5] and tf.div(7, 2).dtype is tf.int32


def test_a_vector_of_conditions_chooses_rows(session):
    chosen = session.run(tf.where([True, False, True, False], tf.constant(X), -tf.constant(X)))
    np.testing.assert_array_equal(chosen, X * [[1], [-1], [1], [-1]])
    same = session.run(tf.where(X > 5, tf.constant(X), tf.zeros([4, 3])))
    np.testing.assert_array_equal(same, np.where(X > 5, X, 0))


def test_constants_are_fed_too(session):
    c, x = tf.constant(1.0), tf.placeholder(tf.float32, [])
    y, z = c + 1.0, c * x
    assert session.run([y, z], {c: 5.0, x: 2.0}) == [6, 10] and session.run(y) == 2


@pytest.mark.parametrize("device", [None, "/device:IPU:0"])
def test_assignments_in_branches_and_loops_are_made_when_they_are_run(session, device):
    strategy()
    p, n = tf.placeholder(tf.bool, []), tf.placeholder(tf.int32, [])
    v = tf.get_variable("v", initializer=0.0)
    with tf.device(device):
        either = tf.cond(p, lambda: tf.assign_add(v, 1.0), lambda: tf.constant(-1.0))

        def body(i):
            with tf.control_dependencies([tf.assign_add(v, 10.0)]):
                return i + 1
        rounds = tf.while_loop(lambda i: i < n, body, [tf.constant(0)])
    session.run(tf.global_variables_initializer())
    assert session.run(either, {p: False}) == -1 and session.run(v) == 0
    assert session.run(either, {p: True}) == 1 and session.run(v) == 1
    session.run(rounds, {n: 3})
    assert session.run(v) == 31


def test_moving_statistics_are_operations_of_a_collection(session):
    x = tf.placeholder(tf.float32, [4, 3])
    y = tf.layers.batch_normalization(x, training=True, momentum=0.5)
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    moving = [v for v in tf.global_variables() if "moving_mean" in v.name]
    session.run(tf.global_variables_initializer())
    session.run(y, {x: X})
    np.testing.assert_array_equal(session.run(moving[0]), [0, 0, 0])
    session.run(updates, {x: X})
    np.testing.assert_allclose(session.run(moving[0]), X.mean(0) / 2)
    with tf.control_dependencies(updates):
        step = tf.identity(1.0)
    session.run(step, {x: X})
    np.testing.assert_allclose(session.run(moving[0]), X.mean(0) * 0.75)


@pytest.mark.parametrize("on_ipu", [False, True])
def test_what_is_dropped_is_fed(session, on_ipu):
    keep, training = tf.placeholder(tf.float32, []), tf.placeholder(tf.bool, [])

    def model(keep, training):
        x = tf.ones([100, 50])
        return tf.nn.dropout(x, keep), tf.nn.dropout(x, rate=1.0 - keep), tf.layers.dropout(x, 0.5, training=training)
    if on_ipu:
        strategy()
        with ipu.scopes.ipu_scope("/device:IPU:0"):
            made = ipu.ipu_compiler.compile(model, [keep, training])
    else:
        made = model(keep, training)
    first, second, third = session.run(made, {keep: 0.8, training: False})
    for found in (first, second):
        assert 0.75 < (found != 0).mean() < 0.85 and found.max() == pytest.approx(1.25)
    assert (third == 1).all()
    assert 0.4 < (session.run(made, {keep: 1.0, training: True})[2] == 0).mean() < 0.6
    assert (session.run(made, {keep: 1.0, training: True})[0] == 1).all()


def test_averages_that_move(session):
    v = tf.get_variable("v", initializer=1.0)
    mean = tf.train.ExponentialMovingAverage(0.75)
    with tf.control_dependencies([v.assign_add(1.0)]):
        step = mean.apply([v])
    assert mean.average(v).name == "v/ExponentialMovingAverage:0" and mean.average(tf.constant(1.0)) is None
    session.run(tf.global_variables_initializer())
    session.run(step)
    assert session.run(mean.average(v)) == pytest.approx(0.75 * 1 + 0.25 * 2)
    session.run(step)
    assert session.run(mean.average(v)) == pytest.approx(0.75 * 1.25 + 0.25 * 3)
    early = tf.train.ExponentialMovingAverage(0.99, num_updates=0)
    session.run(tf.global_variables_initializer())
    slow = early.apply([v])
    session.run(tf.global_variables_initializer())
    session.run([v.assign(11.0)])
    session.run(slow)
    assert session.run(early.average(v)) == pytest.approx(0.1 * 1 + 0.9 * 11)
    with pytest.raises(NotImplementedError, match="zero_debias"):
        tf.train.ExponentialMovingAverage(0.5, zero_debias=True)


def test_savers_take_names(session, tmp_path):
    v, step = tf.get_variable("v", initializer=3.0), tf.train.get_or_create_global_step()
    session.run(tf.global_variables_initializer())
    assert tf.train.global_step(session, step) == 0
    path = tf.train.Saver({"other": v}).save(session, str(tmp_path / "model"))
    session.run(v.assign(0.0))
    tf.train.Saver({"other": v}).restore(session, path)
    assert session.run(v) == 3
    with pytest.raises(tf.errors.NotFoundError, match="Key v not found in checkpoint"):
        tf.train.Saver([v]).restore(session, path)


RULES = {  # of a variable w with gradient w: what is left after two steps from 2
    "RMSProp": (lambda: tf.train.RMSPropOptimizer(0.1, 0.9, epsilon=1e-3), lambda w, s, t: (
        s.update(v=0.9 * s.get("v", 1.0) + 0.1 * w * w), w - 0.1 * w / np.sqrt(s["v"] + 1e-3))[-1]),
    "momentum": (lambda: tf.train.RMSPropOptimizer(0.1, 0.8, 0.5, 1e-3), lambda w, s, t: (
        s.update(v=0.8 * s.get("v", 1.0) + 0.2 * w * w), s.update(u=0.5 * s.get("u", 0) + 0.1 * w / np.sqrt(s["v"] + 1e-3)),
        w - s["u"])[-1]),
    "centered": (lambda: tf.train.RMSPropOptimizer(0.1, 0.9, epsilon=1e-3, centered=True), lambda w, s, t: (
        s.update(v=0.9 * s.get("v", 1.0) + 0.1 * w * w, m=0.9 * s.get("m", 0.0) + 0.1 * w),
        w - 0.1 * w / np.sqrt(s["v"] - s["m"] ** 2 + 1e-3))[-1]),
    "Adam": (lambda: tf.train.AdamOptimizer(0.1, epsilon=1e-3), lambda w, s, t: (
        s.update(m=0.9 * s.get("m", 0) + 0.1 * w, v=0.999 * s.get("v", 0) + 0.001 * w * w),
        w - 0.1 * np.sqrt(1 - 0.999 ** t) / (1 - 0.9 ** t) * s["m"] / (np.sqrt(s["v"]) + 1e-3))[-1]),
    "Adagrad": (lambda: tf.train.AdagradOptimizer(0.1), lambda w, s, t: (
        s.update(v=s.get("v", 0.1) + w * w), w - 0.1 * w / np.sqrt(s["v"]))[-1]),
    "Momentum": (lambda: tf.train.MomentumOptimizer(0.1, 0.9), lambda w, s, t: (
        s.update(v=0.9 * s.get("v", 0) + w), w - 0.1 * s["v"])[-1])}


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("on_ipu", [False, True])
def test_optimisers_begin_and_begin_anew(session, name, on_ipu):
    """By their formulas; what they keep is initialised and saved with the variables."""
    make, rule = RULES[name]
    w = tf.get_variable("w", initializer=2.0)

    def step():
        return make().minimize(w * w / 2.0)
    if on_ipu:
        strategy()
        with ipu.scopes.ipu_scope("/device:IPU:0"):
            train = ipu.ipu_compiler.compile(step)
    else:
        train = step()
    assert len(tf.global_variables()) > 1 and tf.trainable_variables() == [w]
    for _ in range(2):
        session.run(tf.global_variables_initializer())
        wanted, state = 2.0, {}
        for t in (1, 2, 3):
            session.run(train)
            wanted = rule(wanted, state, t)
        assert session.run(w) == pytest.approx(wanted, rel=1e-5)


def lines(n, size, corners):
    """Of every new row: the rows around it and the share of the second."""
    for i in range(size):
        at = i * (n - 1) / (size - 1) if corners and size > 1 else i * n / size
        yield int(at), min(int(at) + 1, n - 1), at - int(at), int(at + 0.5) if corners else int(at)


@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("size", [(7, 5), (2, 3), (1, 8)])
def test_images_are_resized_from_their_corner(session, corners, size):
    x = np.random.default_rng(0).normal(size=(2, 4, 4, 3)).astype("float32")
    rows, nearest = x, x
    for axis in (1, 2):
        places = list(lines(4, size[axis - 1], corners))
        rows = np.stack([(1 - s) * rows.take(a, axis) + s * rows.take(b, axis) for a, b, s, _ in places], axis)
        nearest = np.stack([nearest.take(c, axis) for *_, c in places], axis)
    image = tf.constant(x)
    for made, wanted in ((tf.image.resize_images(image, size, align_corners=corners), rows),
                         (tf.image.resize_bilinear(image, size, corners), rows),
                         (tf.image.resize_nearest_neighbor(image, size, corners), nearest)):
        np.testing.assert_allclose(session.run(made), wanted, rtol=1e-5, atol=1e-6)
    with pytest.raises(NotImplementedError, match="method 2 is not there"):
        tf.image.resize_images(image, size, tf.image.ResizeMethod.BICUBIC)


def test_constants_of_a_compiled_function_are_first_values(session):
    strategy()
    with ipu.scopes.ipu_scope("/device:IPU:0"):
        run = ipu.ipu_compiler.compile(lambda: tf.get_variable("v", initializer=tf.constant([1.0, 2.0], tf.float16)) * 2.0)
    session.run(tf.global_variables_initializer())
    found = session.run(run)[0]
    assert found.dtype == np.float16 and found.tolist() == [2, 4]


def test_gradients_of_losses_and_of_what_is_not_connected(session):
    w, v = tf.get_variable("w", initializer=[1.0, 2.0]), tf.get_variable("v", initializer=3.0)
    loss = w * w
    sgd = tf.train.GradientDescentOptimizer(0.5)
    (gradient, _), = sgd.compute_gradients(loss, [w], grad_loss=[1.0, 10.0])
    (by_v,) = tf.gradients(loss, [v], unconnected_gradients="zero")
    train = sgd.minimize(loss, var_list=[w], grad_loss=tf.constant([0.0, 1.0]))
    session.run(tf.global_variables_initializer())
    assert session.run(gradient).tolist() == [2, 40] and session.run(by_v) == 0 and tf.gradients(loss, [v]) == [None]
    session.run(train)
    assert session.run(w).tolist() == [1, 0]
    with pytest.raises(NotImplementedError, match="stop_gradients"):
        tf.gradients(loss, [w], stop_gradients=[w])
    with pytest.raises(TypeError, match="no_such"):
        sgd.minimize(loss, no_such=1)


def test_constraints_of_variables_are_kept(session):
    w = tf.get_variable("w", initializer=[1.0, -1.0], constraint=lambda v: tf.clip_by_value(v, -0.25, 0.25))
    train = tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(w))
    session.run(tf.global_variables_initializer())
    session.run(train)
    assert session.run(w).tolist() == [0.25, -0.25]


def test_savers_keep_the_newest(session, tmp_path):
    step = tf.train.get_or_create_global_step()
    session.run(tf.global_variables_initializer())
    saver = tf.train.Saver(max_to_keep=2)
    for i in range(4):
        session.run(step.assign(i))
        saver.save(session, str(tmp_path / "m"), global_step=step)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["checkpoint", "m-2.npz", "m-3.npz"]
    with pytest.raises(NotImplementedError, match="pad_step_number"):
        tf.train.Saver(pad_step_number=True)


def test_scans_from_the_end(session):
    made = tf.scan(lambda a, x: a + x, tf.constant([1.0, 2.0, 3.0]), initializer=tf.constant(0.0), reverse=True)
    assert session.run(made).tolist() == [6, 5, 3]


def test_one_iterator_of_several_data_sets(session):
    def rows(first, count):
        return tf.data.Dataset.from_tensor_slices((np.arange(first, first + count, dtype="float32"),
                                                   np.ones((count, 2), "int32")))
    train, test = rows(0, 3), rows(10, 2)
    iterator = tf.data.Iterator.from_structure(tf.data.get_output_types(train), tf.data.get_output_shapes(train))
    x, y = iterator.get_next()
    total = x + tf.cast(tf.reduce_sum(y), tf.float32)
    with pytest.raises(tf.errors.FailedPreconditionError, match="not been initialized"):
        session.run(total)
    starts = [iterator.make_initializer(d) for d in (train, test)]
    for start, wanted in zip([*starts, starts[0]], ([2, 3, 4], [12, 13], [2, 3, 4])):
        session.run(start)
        assert [session.run(total) for _ in wanted] == wanted
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(total)
    with pytest.raises(TypeError, match="The iterator has elements"):
        iterator.make_initializer(tf.data.Dataset.range(3))
    with pytest.raises(ValueError, match="call make_initializer"):
        iterator.initializer
    with pytest.raises(NotImplementedError, match="give output_shapes"):
        tf.data.Iterator.from_structure(tf.float32)
