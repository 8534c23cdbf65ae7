# SPDX-License-Identifier: MIT
"""What programs of TensorFlow 1 have around their models: rates that decay, more optimizers, flags, files, layers as
classes."""
import subprocess
import sys

import numpy as np
import pytest
import tensorflow.compat.v1 as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


@pytest.mark.parametrize("make, rule", [
    (lambda s: tf.train.exponential_decay(0.5, s, 10, 0.9), lambda s: 0.5 * 0.9 ** (s / 10)),
    (lambda s: tf.train.exponential_decay(0.5, s, 10, 0.9, staircase=True), lambda s: 0.5 * 0.9 ** (s // 10)),
    (lambda s: tf.train.natural_exp_decay(0.5, s, 10, 0.9), lambda s: 0.5 * np.exp(-0.9 * s / 10)),
    (lambda s: tf.train.inverse_time_decay(0.5, s, 10, 0.9), lambda s: 0.5 / (1 + 0.9 * s / 10)),
    (lambda s: tf.train.polynomial_decay(0.5, s, 10, 0.1, 2.0), lambda s: 0.4 * (1 - min(s, 10) / 10) ** 2 + 0.1),
    (lambda s: tf.train.cosine_decay(0.5, s, 10, 0.2),
     lambda s: 0.5 * (0.8 * (1 + np.cos(np.pi * min(s, 10) / 10)) / 2 + 0.2)),
    (lambda s: tf.train.piecewise_constant(s, [3, 7], [0.5, 0.2, 0.1]), lambda s: 0.5 if s <= 3 else 0.2 if s <= 7 else 0.1)])
def test_rates_follow_the_global_step(make, rule):
    w, step = tf.get_variable("w", initializer=0.0), tf.train.get_or_create_global_step()
    rate = make(step)
    train = tf.train.GradientDescentOptimizer(rate).minimize(w * 1.0, global_step=step)
    wanted = 0.0
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for i in range(15):
            assert session.run(rate) == pytest.approx(rule(i), rel=1e-5)
            session.run(train)
            wanted -= rule(i)
        assert session.run(w) == pytest.approx(wanted, rel=1e-4)


def test_variables_are_fetched_by_their_names(graph):
    with tf.variable_scope("net", use_resource=True):
        w = tf.get_variable("w", initializer=2.0)
    tf.metrics.mean(w * 1.0, name="m")
    assert graph.get_tensor_by_name("net/w:0") is w
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        session.run(w.assign_add(1.0))
        assert session.run("net/w:0") == 3 and session.run(["net/w:0", tf.local_variables()[0].name]) == [3, 0]
        with pytest.raises(KeyError, match="'v:0' refers to a Tensor which does not exist"):
            session.run("v:0")


def test_a_finalized_graph_runs_and_gets_nothing_more(graph):
    x = tf.placeholder(tf.float32, [2], "x")
    w = tf.get_variable("w", initializer=[1.0, 2.0])
    step = tf.train.get_or_create_global_step()
    train = tf.train.MomentumOptimizer(0.5, 0.9).minimize(tf.reduce_sum(w * x), global_step=step)
    init = tf.global_variables_initializer()
    assert not graph.finalized
    graph.finalize()
    assert graph.finalized
    with tf.Session() as session:
        session.run(init)
        session.run(train, {x: [1.0, 2.0]})
        assert session.run(w).tolist() == [0.5, 1.0] and session.run([w, "w:0"])[1].tolist() == [0.5, 1.0]
        for add in (lambda: w * 2.0, lambda: tf.placeholder(tf.float32, [1]), lambda: w.assign([3.0, 3.0])):
            with pytest.raises(RuntimeError, match="Graph is finalized and cannot be modified"):
                add()


def test_adagrad_adadelta_and_ftrl():
    made = {"adagrad": tf.train.AdagradOptimizer(0.5), "adadelta": tf.train.AdadeltaOptimizer(0.5, 0.9, 1e-6),
            "ftrl": tf.train.FtrlOptimizer(0.5)}
    weights = {name: tf.get_variable(name, initializer=1.0) for name in made}
    steps = [o.minimize(weights[name] * 3.0, var_list=[weights[name]]) for name, o in made.items()]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(2):
            session.run(steps)
        found = session.run(weights)
    w, total = 1.0, 0.1
    for _ in range(2):
        total += 9
        w -= 0.5 * 3 / np.sqrt(total)
    assert found["adagrad"] == pytest.approx(w, rel=1e-5)
    w, squares, updates = 1.0, 0.0, 0.0
    for _ in range(2):
        squares = 0.9 * squares + 0.1 * 9
        change = np.sqrt(updates + 1e-6) / np.sqrt(squares + 1e-6) * 3
        updates = 0.9 * updates + 0.1 * change ** 2
        w -= 0.5 * change
    assert found["adadelta"] == pytest.approx(w, rel=1e-4)
    w, n, z = 1.0, 0.1, 0.0
    for _ in range(2):
        z += 3 - (np.sqrt(n + 9) - np.sqrt(n)) / 0.5 * w
        n += 9
        w = -z / (np.sqrt(n) / 0.5)
    assert found["ftrl"] == pytest.approx(w, rel=1e-4)


def test_layers_are_classes_too():
    y = tf.layers.Dense(2, kernel_initializer=tf.ones_initializer())(tf.layers.Flatten()(tf.ones([3, 2, 2])))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(y), np.full((3, 2), 4))
    assert len(tf.trainable_variables()) == 2


PROGRAM = """
import tensorflow.compat.v1 as tf
tf.app.flags.DEFINE_integer("steps", 10, "how many")
tf.flags.DEFINE_boolean("fast", False, "whether")
tf.flags.DEFINE_string("name", "a", "what")
FLAGS = tf.app.flags.FLAGS
def main(argv):
    print(FLAGS.steps + 1, FLAGS.fast, FLAGS.name, argv[1:])
if __name__ == "__main__":
    tf.app.run()
"""


def test_flags_are_read_from_the_command_line():
    def run(*words):
        return subprocess.run([sys.executable, "-c", PROGRAM, *words], capture_output=True, text=True)
    assert run().stdout == "11 False a []\n"
    assert run("--steps=3", "--fast", "--name", "b", "rest").stdout == "4 True b ['rest']\n"
    assert run("--nofast", "--fast=true").stdout == "11 True a []\n"
    assert "Unknown command line flag --slow" in run("--slow").stderr
    wrong = run("--steps=many")
    assert wrong.returncode and "invalid int value: 'many'" in wrong.stderr


def test_messages_have_levels(capfd):
    before = tf.logging.get_verbosity()
    try:
        for level, shown in ((tf.logging.DEBUG, 5), (tf.logging.WARN, 3), (tf.logging.FATAL, 1)):
            tf.logging.set_verbosity(level)
            assert tf.logging.get_verbosity() == level
            for say, name in ((tf.logging.debug, "DEBUG"), (tf.logging.info, "INFO"), (tf.logging.warn, "WARNING"),
                              (tf.logging.error, "ERROR"), (tf.logging.fatal, "CRITICAL")):
                say("loss %d", 7)
                tf.logging.log(tf.logging.DEBUG, "every %s", "step")
            lines = [line for line in capfd.readouterr().err.splitlines() if "every" not in line]
            assert lines == [f"{n}:tensorflow:loss 7" for n in ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")[-shown:]]
    finally:
        tf.logging.set_verbosity(before)


def test_files(tmp_path):
    folder = str(tmp_path / "a" / "b")
    tf.gfile.MakeDirs(folder)
    with tf.gfile.GFile(folder + "/x.txt", "w") as file:
        file.write("hello")
    assert tf.gfile.Exists(folder + "/x.txt") and tf.gfile.ListDirectory(folder) == ["x.txt"]
    assert tf.io.gfile.glob(folder + "/*.txt") == [folder + "/x.txt"]
    tf.gfile.DeleteRecursively(str(tmp_path / "a"))
    assert not tf.io.gfile.exists(folder)


def test_older_names(graph):
    x = np.arange(9, dtype="float32").reshape(3, 3)
    rows = [(tf.matrix_diag(x[0]), np.diag(x[0])), (tf.matrix_diag_part(x), np.diag(x)), (tf.matrix_transpose(x), x.T),
            (tf.matrix_band_part(x, 0, -1), np.triu(x)),
            (tf.matrix_set_diag(x, [7.0, 7.0, 7.0]), x - np.diag(np.diag(x)) + 7 * np.eye(3)),
            (tf.diag(x[1]), np.diag(x[1])), (tf.lin_space(0.0, 1.0, 3), [0, 0.5, 1]), (tf.reverse_v2(x, [0]), x[::-1]),
            (tf.accumulate_n([x, x]), 2 * x), (tf.floor_div(7, 2), 3), (tf.cumprod(x, 1), x.cumprod(1)),
            (tf.segment_sum(x, [0, 0, 1]), [x[0] + x[1], x[2]]), (tf.segment_mean(x, [0, 0, 1]), [(x[0] + x[1]) / 2, x[2]]),
            (tf.invert_permutation([2, 0, 1]), [1, 2, 0]), (tf.to_int64(1.5), 1), (tf.identity_n([x])[0], x),
            (tf.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]), [0, 0, 1])]
    with tf.Session() as session:
        session.run(tf.initialize_all_variables())
        for made, wanted in rows:
            np.testing.assert_allclose(session.run(made), wanted)
    tf.enable_resource_variables()
    tf.enable_control_flow_v2()
    tf.disable_control_flow_v2()
    assert tf.resource_variables_enabled() and tf.to_double(1.0).dtype is tf.float64
    with pytest.raises(NotImplementedError, match="there are no other variables"):
        tf.disable_resource_variables()


def test_arguments_are_those_of_tensorflow_1(graph):
    x = np.arange(6, dtype="float32").reshape(2, 3)
    more = lambda i: i + 1  # noqa: E731
    rows = [(tf.count_nonzero(input_tensor=x, reduction_indices=1, keep_dims=True), [[2], [3]]),
            (tf.norm(x, axis=1, keep_dims=True), np.linalg.norm(x, axis=1, keepdims=True)),
            (tf.gather(x, [2, 0], None, "columns", 1), x[:, [2, 0]]),
            (tf.pad(x, [[0, 1], [0, 0]], "CONSTANT", "padded", 7.0), np.vstack([x, [7, 7, 7]])),
            (tf.boolean_mask(x, [True, False, True], "some", 1), x[:, [0, 2]]),
            (tf.cond(tf.constant(False), fn1=lambda: x, fn2=lambda: -x), -x),
            (tf.cond(tf.constant(True), lambda: [1.5], lambda: [2.5]), 1.5),
            (tf.cond(tf.reduce_sum(x) > 0, lambda: [1.5], lambda: [2.5], strict=True)[0], 1.5),
            (tf.argmax(x, 1, "largest", None, tf.int32), [2, 2]), (tf.argmin(x, dimension=0, name="least"), [0, 0, 0]),
            (tf.zeros_like(tensor=x), 0 * x), (tf.ones_like(tensor=x), 0 * x + 1), (tf.shape(x, "of_x", tf.int64), [2, 3]),
            (tf.size(x, "of_x"), 6),
            (tf.while_loop(lambda i: i < 3, more, [tf.constant(0)]), 3),
            (tf.while_loop(lambda i: i < 3, more, [tf.constant(0)], return_same_structure=True)[0], 3),
            (tf.while_loop(lambda i: i < 9, more, [0], None, 10, True, False, "rounds", 2), 2),
            (tf.trace(x[:, :2]), 4), (tf.floormod(7, 3), 1)]
    with tf.Session() as session:
        for made, wanted in rows:
            got = session.run(made)
            assert np.shape(got) == np.shape(wanted), made
            np.testing.assert_allclose(got, wanted)
    with pytest.raises(ValueError, match="Cannot specify both 'keep_dims' and 'keepdims'"):
        tf.norm(x, keepdims=True, keep_dims=True)
    with pytest.raises(ValueError, match="The argument 'true_fn' is missing"):
        tf.cond(tf.constant(True))
