# SPDX-License-Identifier: MIT
"""Options of IpuStrategy that are Paddle's own: what their rows say of values and of keys."""
import os

import pytest

import paddle
from paddle import static
from paddle.ipu import options

# What they are set to, with what they need; where another truth or number will not do.
SHARDED = {"num_ipus": 2, "need_avg_shard": True}
OTHERS = {"need_avg_shard": SHARDED, "num_ipus": SHARDED, "available_memory_proportion": {"available_memory_proportion": 0.3},
          "onnx_dump_path": {"onnx_dump_path": "model.onnx"}, "weight_decay_mode": {"weight_decay_mode": "l2_regularization"},
          "enable_manual_shard": {"num_ipus": 2, "enable_manual_shard": True}, "random_seed": {"random_seed": 3},
          **{name: {name: "FLOAT16"} for name in ("accl1_type", "accl2_type", "accl3_type")}}


def another(name):
    default = options.OWN[name].default
    return OTHERS.get(name) or {name: not default if isinstance(default, bool) else default + 1}


def test_values_are_checked_by_the_table():
    for name, row in options.OWN.items():
        for wrong in (object(), [1], 3 if isinstance(row.default, str) else "x"):
            with pytest.raises((TypeError, NotImplementedError), match=name):
                static.IpuStrategy().set_options({name: wrong})
    for name, wrong in (("num_ipus", 0), ("batches_per_step", -1), ("tiles_per_ipu", 0), ("replicated_graph_count", 0),
                        ("accumulation_factor", 0)):
        with pytest.raises(ValueError, match=f"The option {name} must be at least 1, not {wrong}."):
            static.IpuStrategy().set_options({name: wrong})
    for name, wrong, words in (("available_memory_proportion", 1.5, r"between 0 \(off\) and 1"),
                               ("accl2_type", "HALF", "'FLOAT' or"), ("weight_decay_mode", "none", "'decay' or")):
        with pytest.raises(ValueError, match=f"The option {name} must be {words}"):
            static.IpuStrategy().set_options({name: wrong})


def compiled(folder, values):
    """How many executables a program adds to the cache."""
    before = len(os.listdir(folder)) if folder.exists() else 0
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup), paddle.utils.unique_name.guard(), static.scope_guard(static.Scope()):
        strategy = static.IpuStrategy()
        strategy.set_options({"cache_path": str(folder), "enable_engine_caching": True, **values})
        x = static.data("x", [-1, 4])
        loss = paddle.mean(static.nn.fc(static.nn.fc(x, 4, activation="relu"), 4))
        if "accl3_type" in values:
            paddle.optimizer.RMSProp(0.1, momentum=0.9).minimize(loss)
        elif strategy.is_training:
            paddle.optimizer.Lamb(0.1).minimize(loss)
        static.Executor().run(startup)
        program = static.IpuCompiledProgram(main, ipu_strategy=strategy)
        program.compile(["x"], [loss.name])
        program._backend.reset()
    return len(os.listdir(folder)) - before


@pytest.mark.parametrize("name", [name for name, row in options.OWN.items() if row.use != "refused"
                                  and name != "enable_distribution"])  # which needs poprun
def test_keys_have_what_the_table_says(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first = {"accl3_type": "FLOAT"} if name == "accl3_type" else {}
    assert compiled(tmp_path / "cache", first) == 1 and compiled(tmp_path / "cache", first) == 0
    assert bool(compiled(tmp_path / "cache", another(name))) == options.OWN[name].in_key
