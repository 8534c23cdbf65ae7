# SPDX-License-Identifier: MIT
"""Infeeds and outfeeds of loops wherever they are: within others, with computed first values or rounds, while a condition
holds."""
import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu
from tensorflow.python.ipu.scopes import ipu_scope


@pytest.fixture(autouse=True)
def graph():
    configured()
    with tf.Graph().as_default() as g:
        yield g


def configured(ipus=1):
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = ipus
    config.configure_ipu_system()


def counting():
    """An infeed of 0, 1, 2 ..."""
    return ipu.ipu_infeed_queue.IPUInfeedQueue(tf.data.Dataset.range(100).map(lambda v: tf.cast(v, tf.float32)))


def run(function, inputs=(), feed=None, infeed=None, outfeed=None, times=1):
    with ipu_scope("/device:IPU:0"):
        made = ipu.ipu_compiler.compile(function, list(inputs))
    out = None if outfeed is None else outfeed.dequeue()
    with tf.Session() as session:
        if infeed is not None:
            session.run(infeed.initializer)
        results = [session.run(made, feed or {}) for _ in range(times)]
        return results[-1] if out is None else (results[-1], session.run(out))


def test_an_outfeed_in_an_inner_loop_has_every_round():
    queue = ipu.ipu_outfeed_queue.IPUOutfeedQueue()

    def inner(v):
        v = v + 1
        queue.enqueue({"value": v, "double": v * 2})
        return v
    last, out = run(lambda: ipu.loops.repeat(3, lambda v: ipu.loops.repeat(2, inner, [v]), [0.0]), outfeed=queue, times=2)
    assert last == [6.0]
    np.testing.assert_array_equal(out["value"], [1, 2, 3, 4, 5, 6] * 2)
    np.testing.assert_array_equal(out["double"], [2, 4, 6, 8, 10, 12] * 2)


def test_an_outfeed_of_the_last_round_alone():
    queue = ipu.ipu_outfeed_queue.IPUOutfeedQueue(outfeed_mode=ipu.ipu_outfeed_queue.IPUOutfeedMode.LAST)
    x = tf.placeholder(tf.float32, [2])

    def body(v):
        queue.enqueue(v)
        return v * 2
    last, out = run(lambda v: ipu.loops.repeat(3, body, [v + 1]), [x], {x: [0, 1]}, outfeed=queue)
    np.testing.assert_array_equal(last[0], [8, 16])
    np.testing.assert_array_equal(out, [4, 8])


def test_a_loop_with_an_infeed_may_begin_with_computed_values():
    x, queue = tf.placeholder(tf.float32, []), counting()
    assert run(lambda v: ipu.loops.repeat(4, lambda s, e: s + e, [v * 10], queue), [x], {x: 2.0}, queue) == [26.0]


def test_the_number_of_rounds_may_be_an_input():
    n, queue = tf.placeholder(tf.int32, []), counting()
    assert run(lambda n: ipu.loops.repeat(n, lambda s, e: s + e, [0.0], queue), [n], {n: 5}, queue) == [10.0]


def test_while_loops_have_infeeds():
    queue = counting()
    made = run(lambda: ipu.loops.while_loop(lambda i, s: s < 12.0, lambda i, s, e: [i + 1, s + e], [0, 0.0], queue),
               infeed=queue)
    assert made == [6, 15.0]  # 0 + 1 + ... + 5


def test_every_run_goes_on_with_the_infeed():
    queue = counting()
    made = run(lambda: ipu.loops.repeat(2, lambda v: ipu.loops.repeat(2, lambda s, e: s + e, [v], queue), [0.0]),
               infeed=queue, times=2)
    assert made == [4.0 + 5 + 6 + 7]


def test_an_infeed_that_ends_is_an_error():
    queue = ipu.ipu_infeed_queue.IPUInfeedQueue(tf.data.Dataset.from_tensor_slices(np.ones(3, "float32")))
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        run(lambda: ipu.loops.repeat(2, lambda v: ipu.loops.repeat(2, lambda s, e: s + e, [v], queue), [0.0]), infeed=queue)


def test_what_cannot_be_fed_says_so():
    configured(2)
    n, queue = tf.placeholder(tf.int32, []), counting()
    with pytest.raises(NotImplementedError, match="are of one replica; the device has 2"):
        run(lambda n: ipu.loops.repeat(n, lambda s, e: s + e, [0.0], queue), [n], {n: 5}, queue)

    def two():
        first, = ipu.loops.repeat(3, lambda v: v + 1, [0.0])
        return ipu.loops.repeat(2, lambda s, e: s + e, [first], counting())
    with pytest.raises(NotImplementedError, match="compile the two loops as two functions"):
        run(two)
