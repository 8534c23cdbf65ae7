# SPDX-License-Identifier: MIT
"""Every session option of PopART can be set by its name in every front end, and reaches the session."""
import popart
import pytest

NAMES = sorted(name for name in dir(popart.SessionOptions) if not name.startswith("_"))


def poptorch_with(name, value):
    import poptorch
    from poptorch.options.popart import sessionOptions
    options = poptorch.Options()
    options._Popart.set(name, value)
    return sessionOptions(options, True)[0]


def keras_with(name, value):
    from tensorflow.python import ipu
    from tensorflow.python.ipu import system
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 1
    config.experimental.session_options = {name: value}
    config.configure_ipu_system()
    try:
        return system.device().adapt(popart.SessionOptions())
    finally:
        ipu.config.reset_ipu_configuration()


def paddle_with(name, value):
    from paddle import static
    strategy = static.IpuStrategy()
    strategy.set_options({name: value})
    return strategy.session_options()


WITH = {"poptorch": poptorch_with, "keras": keras_with, "paddle": paddle_with}


@pytest.mark.parametrize("front_end", WITH)
def test_numbers_and_flags_reach_the_session(front_end, monkeypatch):
    monkeypatch.setenv("OPENIPU_NUM_IPUS", "1")
    plain = popart.SessionOptions()
    count = 0
    for name in NAMES:
        now = getattr(plain, name)
        if not isinstance(now, (bool, int, float)) or hasattr(type(now), "__members__"):
            continue
        value = not now if isinstance(now, bool) else now + 2
        assert getattr(WITH[front_end](name, value), name) == value, name
        count += 1
    assert count > 60


@pytest.mark.parametrize("front_end", WITH)
def test_a_name_that_is_none_is_told_with_the_nearest(front_end, monkeypatch):
    monkeypatch.setenv("OPENIPU_NUM_IPUS", "1")
    with pytest.raises(Exception, match="numIOTile") as problem:
        WITH[front_end]("numIOTile", 32)
    assert front_end == "paddle" or 'Did you mean "numIOTiles"?' in str(problem.value)


@pytest.mark.parametrize("name", ["__class__.numIOTiles", "engineOptions.update", "numIOTiles.real", "numIOTiles.__class__"])
def test_what_is_no_option_is_not_reached_by_its_name(name):
    """Files of options give names."""
    kind = vars(popart.SessionOptions)["numIOTiles"]
    with pytest.raises(Exception, match="popart option"):
        poptorch_with(name, 1)
    assert vars(popart.SessionOptions)["numIOTiles"] is kind
