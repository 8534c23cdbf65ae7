# SPDX-License-Identifier: MIT
"""The same situation in every front end has the same outcome: a table of situations by front ends."""
import json
import os
import resource
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from models import FRONT_ENDS, MODELS, first

GOOD = np.array([0.5, 1.0, -0.5, 0.25], np.float32)
BAD = np.full(4, 3e38, np.float32)  # overflows in the loss

every = pytest.mark.parametrize("name", MODELS)
trained = pytest.mark.parametrize("name", FRONT_ENDS)


def learnt(name, steps):
    """The weights after so many steps."""
    w = first(4)
    for _ in range(steps if name in FRONT_ENDS else 0):
        w = w - np.float32(0.2) * w * GOOD
    return w


@pytest.fixture
def make(monkeypatch):
    """make(name, ...) is a model, whose IPUs are free after the test."""
    monkeypatch.setenv("OPENIPU_NUM_IPUS", "1")
    made = []

    def make(name, **settings):
        made.append(MODELS[name](**settings))
        return made[-1]
    yield make
    for model in made:
        model.close()


def text_of(name, make):
    with pytest.raises(Exception) as problem:
        make(name).step(GOOD)
    return str(problem.value)


@every
@pytest.mark.parametrize("variable,value,words", [
    ("POPLAR_TARGET_OPTIONS", '{"backend": "nope"}', 'Target option "backend" cannot be "nope". Use one of [cpu].'),
    ("POPLAR_ENGINE_OPTIONS", '{"nonsense": "1"}', 'Unknown option "nonsense".'),
    ("POPLAR_ENGINE_OPTIONS", "{nonsense", "environment variable POPLAR_ENGINE_OPTIONS is not a JSON object of strings: {non"),
    ("OPENIPU_NUM_IPUS", "none", 'OPENIPU_NUM_IPUS must be a number from 1 to 4096, not "none".')],
    ids=["target", "engine", "json", "ipus"])
def test_a_wrong_environment_is_named(name, make, monkeypatch, variable, value, words):
    monkeypatch.setenv(variable, value)
    assert words in text_of(name, make)


@every
def test_who_has_the_ipus_is_shown_by_gc_monitor(name, make):
    import popart
    held = popart.DeviceManager().acquireAvailableDevice(1)
    try:
        assert "in use: gc-monitor shows by whom." in text_of(name, make).replace("in use. gc", "in use: gc")
    finally:
        held.detach()


@every
def test_it_goes_on_after_a_failed_step(name, make, monkeypatch):
    if name == "predictor":  # it has no setting for that
        monkeypatch.setenv("POPLAR_ENGINE_OPTIONS", '{"debug.floatPointOpException": "true"}')
    model = make(name)
    for i in range(4):
        if i in (0, 2):
            with pytest.raises(Exception, match="Floating point exception"):
                model.step(BAD)
        loss = model.step(GOOD)
    np.testing.assert_allclose(model.weights(), learnt(name, 4), rtol=1e-6)
    np.testing.assert_allclose(loss, np.sum(learnt(name, 3)**2 * GOOD), rtol=1e-6)


# Steps of 0.25. The momentum overflows where a gradient is above 1.1, and in every second step: within the update.
FAILING = {"rule": "Lion", "learning_rate": 0.25, "beta_1": 0.5, "beta_2": -3e38}
SMALL = np.full(4, 0.05, np.float32)


@trained
def test_it_goes_on_after_a_step_that_failed_in_its_update(name, make):
    model = make(name, **FAILING)
    with pytest.raises(Exception, match='Floating point exception.*Update/'):
        model.step(np.ones(4, np.float32))
    model.step(SMALL)
    np.testing.assert_array_equal(model.weights(), first(4) - 0.25)


@pytest.mark.parametrize("name", ["poptorch", "keras", "paddle"])  # PiMl's host has the weights of every step
def test_what_a_failed_update_lost_is_told(name, make, capfd):
    model = make(name, **FAILING)
    model.step(SMALL)
    with pytest.raises(Exception, match='Floating point exception.*Update/'):
        model.step(SMALL)
    assert "The model goes on from the weights that the host has" in capfd.readouterr().err
    model.step(SMALL)
    np.testing.assert_array_equal(model.weights(), first(4) - 0.25)


@every
def test_it_goes_on_after_ctrl_c(name, make):
    """It comes within a step, or between two of them, which learn nothing. The host has the weights, should one be lost."""
    model = make(name)
    model.step(GOOD)
    model.weights()
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        while True:
            model.step(np.zeros(4, np.float32))
    model.step(GOOD)
    np.testing.assert_allclose(model.weights(), learnt(name, 2), rtol=1e-6)


@trained
def test_a_checkpoint_is_gone_on_from(name, make, tmp_path):
    path = str(tmp_path / FRONT_ENDS[name].saved)
    one = make(name)
    for _ in range(2):
        one.step(GOOD)
    one.save(path)
    one.close()
    other = make(name)
    other.load(path)
    other.step(GOOD)
    np.testing.assert_allclose(other.weights(), learnt(name, 3), rtol=1e-6)


def child(name, situation, *arguments, **environment):
    return subprocess.run([sys.executable, __file__, name, situation, *map(str, arguments)], capture_output=True, text=True,
                          timeout=120, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment})


@every
@pytest.mark.parametrize("allowed", [None, "false"])
def test_a_model_that_does_not_fit(name, allowed, tmp_path):
    """Front ends warn and run, but where an engine option says otherwise; PopART is as Poplar is."""
    (tmp_path / "small.chip").write_text("base = ipu2\nname = small\ntiles = 4\n")
    given = {} if allowed is None else {"debug.allowOutOfMemory": allowed}
    done = child(name, "large", OPENIPU_CHIP=str(tmp_path / "small.chip"), POPLAR_ENGINE_OPTIONS=json.dumps(given))
    if allowed is None and name != "popart":
        assert done.returncode == 0, done.stderr
        assert done.stderr.count("The model does not fit the IPU's memory: the fullest tile needs ") == 1, done.stderr
    else:
        assert done.returncode == 1 and "memory" in done.stderr, done.stderr
        assert "It runs here all the same" not in done.stderr


@every
def test_a_program_that_is_killed_in_its_steps_leaves_its_ipus(name, make):
    with subprocess.Popen([sys.executable, __file__, name, "steps"], stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}) as process:
        assert process.stdout.readline() == "goes\n"
        process.kill()
    assert process.returncode == -signal.SIGKILL
    model = make(name)
    model.step(GOOD)
    np.testing.assert_allclose(model.weights(), learnt(name, 1), rtol=1e-6)


@trained
def test_a_program_that_is_killed_while_it_saves_leaves_the_file_before(name, make, tmp_path):
    path = tmp_path / FRONT_ENDS[name].saved
    done = child(name, "killed", path)
    assert done.returncode == -signal.SIGXFSZ, done.stderr
    model = make(name)
    model.load(str(path))
    model.step(GOOD)
    np.testing.assert_allclose(model.weights(), learnt(name, 2), rtol=1e-6)


def large(name):
    n = 1_000_000
    MODELS[name](n).step(np.ones(n, np.float32))


def steps(name):
    model = MODELS[name]()
    model.step(GOOD)
    print("goes", flush=True)
    while True:
        model.step(GOOD)


def killed(name, path):
    """The second save is killed by the system, once it has written half of what the first one did."""
    model = FRONT_ENDS[name]()
    model.step(GOOD)
    model.save(path)
    model.step(GOOD)
    model.weights()
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    half = os.stat(path).st_size // 2
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (half, half))
    model.save(path)


if __name__ == "__main__":
    {"large": large, "steps": steps, "killed": killed}[sys.argv[2]](sys.argv[1], *sys.argv[3:])
