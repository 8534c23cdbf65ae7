# SPDX-License-Identifier: MIT
"""Keras in several threads: one model that all call, and models of their own."""
import itertools
import os
import sys
import threading
import time

import numpy as np
import pytest
import tensorflow as tf
from tensorflow import keras
from tensorflow.framework.devices import Device
from tensorflow.framework.execution import Executable
from tensorflow.framework.host_calls import host_call
from tensorflow.python import ipu

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from threads import together


def scaling(factor):
    layer = keras.layers.Dense(1, use_bias=False, kernel_initializer=keras.initializers.Constant(factor))
    model = keras.Sequential([keras.Input((1,)), layer])
    model.compile("sgd", "mse")
    return model


def test_each_thread_gets_its_own_results():
    model = scaling(2.0)

    def work(first):
        for i in range(first, first + 40):
            np.testing.assert_array_equal(model.predict(np.full((4, 1), i, np.float32), verbose=0), 2 * i)
    together(*[lambda n=n: work(1000 * n) for n in range(4)])


def test_models_are_built_and_trained_side_by_side():
    def work(factor):
        for _ in range(3):
            model = scaling(factor)
            x = np.ones((8, 1), np.float32)
            model.fit(x, 2 * factor * x, batch_size=8, epochs=1, verbose=0)
            expected = factor + 0.01 * 2 * factor
            np.testing.assert_allclose(model.get_weights()[0], expected, rtol=1e-5)
    together(*[lambda n=n: work(float(n + 1)) for n in range(4)])


def test_a_program_that_another_thread_loads_keeps_its_weights(monkeypatch):
    """Both threads find the program not loaded; the second one's load must not come between the first one's weights and run."""
    model = scaling(2.0)
    x = np.ones((4, 1), np.float32)
    model.predict(x, verbose=0)  # compiled
    for program in model._programs.values():
        program.executable._loaded = False
    load, send, both, sends = Device.load, Executable._send, threading.Barrier(2), itertools.count()

    def slow_load(self, executable):
        try:
            if both.wait(0.2):  # a second loader, if there can be one, comes behind the first
                time.sleep(0.1)
        except threading.BrokenBarrierError:
            pass
        load(self, executable)

    def slow_send(self):
        first = next(sends) == 0
        time.sleep(0 if first else 0.5)
        send(self)
        time.sleep(0.2 if first else 0)

    monkeypatch.setattr(Device, "load", slow_load)
    monkeypatch.setattr(Executable, "_send", slow_send)
    together(*[lambda: np.testing.assert_array_equal(model.predict(x, verbose=0), 2)] * 2)


def test_weights_are_read_while_another_thread_trains():
    """What each of several readers gets is of one step."""
    model = keras.Sequential([keras.Input((4096,)), keras.layers.Dense(1, use_bias=False, kernel_initializer="zeros")])
    model.compile(keras.optimizers.SGD(1.0), "mae")
    x, y = np.ones((1, 4096), np.float32), np.full((1, 1), 1e9, np.float32)

    def train():
        for _ in range(30):
            model.train_on_batch(x, y)

    def read():
        for _ in range(200):
            assert len(np.unique(model.weights[0].numpy())) == 1
    together(train, read, read, read)
    np.testing.assert_array_equal(model.get_weights()[0], 30)


def test_what_threads_add_to_a_variable_is_not_lost():
    counter, one = tf.Variable(np.zeros([100000], np.float32)), tf.ones([100000])

    def work():
        for _ in range(100):
            counter.assign_add(one)
            counter.assign_sub(one * 2)
    together(work, work, work, work)
    np.testing.assert_array_equal(counter.numpy(), -400)


def test_a_function_of_the_host_does_not_wait_for_who_waits_for_its_program(monkeypatch):
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 1
    config.configure_ipu_system()
    strategy, begun, readers, fetch = ipu.ipu_strategy.IPUStrategy(), threading.Event(), [], Executable._fetch
    with strategy.scope():
        weight = tf.Variable([1.0])

    def told(self):
        begun.set()
        fetch(self)
    monkeypatch.setattr(Executable, "_fetch", told)

    def called(arrays, replicas):
        if weight.newest is not None:  # the second time
            readers.append(threading.Thread(target=weight.numpy, daemon=True))
            readers[0].start()
            assert begun.wait(60)
            with pytest.raises(tf.errors.FailedPreconditionError, match="give it their values as arguments"):
                weight.numpy()
        return [np.float32([1])]

    @tf.function(experimental_compile=True)
    def step():
        weight.assign_add(host_call(called, [weight.read_value()], [(tf.float32, [1])], "called")[0])

    def work():
        with strategy.scope():
            for _ in range(2):
                strategy.run(step)
    try:
        together(work)
        readers[0].join(60)
        assert not readers[0].is_alive() and weight.numpy() == [3]
    finally:
        ipu.config.reset_ipu_configuration()


def test_a_handler_of_a_signal_reads_what_its_thread_is_reading():
    weight = tf.Variable(2.0)

    def work():
        with weight.lock:
            assert weight.numpy() == 2
    together(work)
