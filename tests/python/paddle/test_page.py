# SPDX-License-Identifier: MIT
"""docs/paddle.md says what is there: operators, options, and what each option does."""
import os
import re
import sys

import numpy as np
import popart
import pytest

import paddle
from paddle import static
from paddle.ipu import options
from paddle.paddle_core import operators

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
PAGE = os.path.join(ROOT, "docs/paddle.md")
sys.path.insert(0, os.path.join(ROOT, "python/tools"))
import optionpage

RULES = {rule.name.lower() for rule in popart.optimizerRules()}  # the page says it of all of them
# What v2.4.0's IPU backend has.
BACKEND = """abs acos asin atan brelu ceil cos cosh elu erf exp floor gelu hard_shrink hard_sigmoid hard_swish
leaky_relu log log10 log1p log2 log_softmax logsigmoid mish prelu reciprocal relu relu6 round rsqrt selu sigmoid sign
silu sin sinh softplus softshrink softsign sqrt square swish tan tanh tanh_shrink thresholded_relu elementwise_add
elementwise_div elementwise_max elementwise_min elementwise_mod elementwise_mul elementwise_pow elementwise_sub equal
greater_equal greater_than less_equal less_than logical_and logical_not logical_or not_equal bce_loss cross_entropy2
huber_loss identity_loss kldiv_loss margin_rank_loss rank_loss sigmoid_cross_entropy_with_logits
softmax_with_cross_entropy warpctc arg_max arg_min bmm cumsum matmul matmul_v2 mean mul pow scale softmax sum
affine_channel batch_norm bicubic_interp_v2 bilinear_interp_v2 conv2d conv2d_transpose data_norm depthwise_conv2d
depthwise_conv2d_transpose dropout group_norm instance_norm layer_norm linear_interp_v2 max_pool2d_with_index
nearest_interp_v2 pad3d pool2d trilinear_interp_v2 logsumexp reduce_all reduce_any reduce_max reduce_mean reduce_min
reduce_prod reduce_sum argsort top_k top_k_v2 yolo_box assign assign_value cast clip concat dist dot expand expand_as_v2
expand_v2 fill_any_like fill_constant flatten2 flatten_contiguous_range flip gather gaussian_random lookup_table
lookup_table_v2 meshgrid one_hot one_hot_v2 p_norm reshape2 shape share_data slice split squeeze2 stack strided_slice
tile transpose2 uniform_random unsqueeze2 unstack where checkpointoutput custom_nll_loss detach identity
print""".split()


def section(title):
    with open(PAGE) as page:
        return page.read().split(f"## {title}\n")[1].split("\n## ")[0]


def test_the_page_lists_every_operator():
    listed = [name for row in re.findall(r"^\| \w+ \| (.+) \|$", section("Operators"), re.M)
              for name in re.findall(r"`(\w+)`", row)]
    assert sorted(listed) == sorted(set(operators()) - RULES) and len(set(listed)) == len(listed)


def test_all_operators_of_the_backend_are_there():
    assert set(BACKEND) <= set(operators())


def test_every_operator_is_compared_with_torch():
    """Or is drawn at random, an optimiser's, or only prints: those have tests of their own."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ops")
    text = "".join(open(os.path.join(folder, f)).read() for f in os.listdir(folder) if f.endswith(".py"))
    mentioned = set(re.findall(r'"(\w+)"', text)) | {"reduce_" + n for n in ("sum", "mean", "max", "min", "prod")}
    others = {"uniform_random", "uniform_random_batch_size_like", "gaussian_random", "truncated_gaussian_random", "randint",
              "sgd", "momentum", "adam", "adamw", "lamb", "adamax", "adagrad", "adadelta", "rmsprop", "dropout_grad", "print",
              "range"}
    assert set(operators()) - mentioned - others - RULES == set()


def test_the_page_says_what_every_option_does():
    rows = dict(re.findall(r"^\| `([\w.]+)` \|.*?\| (.+) \|", section("Options of IpuStrategy"), re.M))
    assert list(rows) == options.all_names()
    for name, row in options.OWN.items():
        assert rows[name].startswith(f"{row.use}: {row.words}"), name
    with open(PAGE) as page:
        assert optionpage.written("paddle.md") == page.read(), "python/tools/optionpage.py writes the page anew"


def test_every_session_option_reaches_the_session():
    """Each is set to another value than its default, and PopART's options have it."""
    for name, field in options.SESSION.items():
        now = getattr(popart.SessionOptions(), field)
        if hasattr(type(now), "__members__"):
            value = next(int(m) for m in type(now).__members__.values() if m != now)
        elif isinstance(now, bool):
            value = not now
        elif isinstance(now, (int, float)):
            value = now + 2
        elif isinstance(now, str):
            value = "half" if "partials" in name else "other"
        elif isinstance(now, (set, list)):
            continue
        elif hasattr(now, "update"):
            value = {"a": "b"}
        else:
            continue  # groups of settings
        strategy = static.IpuStrategy()
        strategy.set_options({name: value})
        got = getattr(strategy.session_options(), field)
        assert (dict(got) if isinstance(value, dict) else got) == (type(now)(value) if hasattr(type(now), "__members__")
                                                                  else value), name
        assert strategy.get_option(name) == value and strategy.need_compile


@pytest.mark.parametrize("name", [name for name, row in options.OWN.items() if row.use == "refused"])
def test_refused_options_say_so(name):
    with pytest.raises(NotImplementedError, match=name):
        static.IpuStrategy().set_options({name: True})


def test_locations():
    strategy = static.IpuStrategy()
    strategy.set_options({"location_weight": {"on_chip": 0, "min_elements_for_off_chip": 7}})
    settings = strategy.session_options().weightTensorLocationSettings
    assert settings.location.storage == popart.TensorStorage.OffChip and settings.minElementsForOffChip == 7
    assert strategy.get_option("location_optimizer") == {"on_chip": 0, "use_replicated_tensor_sharding": 1}
    with pytest.raises(ValueError, match="no key 'chip'"):
        strategy.set_options({"location_weight": {"chip": 0}})


def test_drawn_numbers_have_their_distributions():
    exe = static.Executor()
    values = exe.run(fetch_list=[paddle.uniform([20000], min=-1.0, max=3.0), paddle.normal(1.0, 2.0, [20000]),
                                 paddle.randint(0, 5, [20000])])
    assert abs(values[0].mean() - 1) < 0.05 and -1 <= values[0].min() < -0.9 and 2.9 < values[0].max() <= 3
    assert abs(values[1].mean() - 1) < 0.08 and abs(values[1].std() - 2) < 0.08
    assert set(values[2].tolist()) == {0, 1, 2, 3, 4}


def test_truncated_normals_stay_within_two_deviations():
    w = paddle.create_parameter([5000], "float32", default_initializer=paddle.nn.initializer.TruncatedNormal(1.0, 0.5))
    static.Executor().run(static.default_startup_program())
    value = static.global_scope().array(w.name)
    assert value.min() >= 0 - 1e-4 and value.max() <= 2 + 1e-4 and abs(value.std() - 0.5 * 0.8796) < 0.02


def test_dropout_s_gradient_has_its_mask():
    x = static.data("x", [1000])
    x.stop_gradient = False
    y = paddle.nn.functional.dropout(x, 0.25)
    g, = static.gradients([y], [x])
    out, grad = static.Executor().run(feed={"x": np.ones(1000, np.float32)}, fetch_list=[y, g])
    assert np.array_equal(out, grad) and set(np.round(out, 4)) == {0.0, np.float32(1.3333)} and 0.68 < (out > 0).mean() < 0.82
