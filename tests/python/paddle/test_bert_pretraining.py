# SPDX-License-Identifier: MIT
"""A BERT is pre-trained as scripts for IPUs do it: operators in C++, stages on IPUs, a pipeline with accumulation, float16,
weights that are set by name, checkpoints."""
import math
import pathlib

import numpy as np
import paddle
import pytest
import torch
import torch.nn.functional as F
from paddle import fluid, nn, static
from paddle.utils import cpp_extension

ROOT = pathlib.Path(__file__).resolve().parents[3]
HIDDEN, HEADS, LAYERS, WORDS, LENGTH, MASKED = 32, 2, 2, 24, 8, 2
MICRO, ACCUMULATION, STEPS = 2, 8, 35
layers = fluid.layers


@pytest.fixture(scope="module")
def ops(tmp_path_factory):
    return cpp_extension.load("custom_ops", [pathlib.Path(__file__).parent / "custom/bert.cpp"], ["-DONNX_NAMESPACE=onnx"],
                              extra_include_paths=[ROOT / "frontends/paddle/include"],
                              build_directory=tmp_path_factory.mktemp("ops"))


def parameter(shape, name):
    return paddle.create_parameter(shape, "float32", name=name, default_initializer=nn.initializer.TruncatedNormal(0, 0.02))


def dense(x, size, name):
    return layers.elementwise_add(layers.matmul(x, parameter([x.shape[-1], size], name + ".w")), parameter([size], name + ".b"))


def attention(x, bias, name):
    query, key, value = layers.split(dense(x, 3 * HIDDEN, name + ".qkv"), 3, dim=-1)
    heads = [layers.transpose(layers.reshape(part, [MICRO, LENGTH, HEADS, HIDDEN // HEADS], inplace=True), [0, 2, 1, 3])
             for part in (query, key, value)]
    scores = layers.matmul(heads[0], heads[1], transpose_y=True, alpha=1 / math.sqrt(HIDDEN // HEADS))
    chances = nn.functional.softmax(layers.elementwise_add(scores, bias))
    mixed = layers.transpose(layers.matmul(chances, heads[2]), [0, 2, 1, 3])
    return dense(layers.reshape(mixed, [MICRO, LENGTH, HIDDEN]), HIDDEN, name + ".out")


def normed(x, name):
    return layers.layer_norm(x, begin_norm_axis=2, param_attr=paddle.ParamAttr(name + ".scale"),
                             bias_attr=paddle.ParamAttr(name + ".bias"))


def encoder(ops, words, segments, mask):
    with static.ipu_shard_guard(0, 0):
        table = parameter([WORDS, HIDDEN], "word_table")
        x = nn.functional.embedding(words, table)
        kinds = layers.matmul(fluid.input.one_hot(segments, depth=2), parameter([2, HIDDEN], "segment_table"))
        x = normed(layers.elementwise_add(layers.elementwise_add(x, kinds), parameter([LENGTH, HIDDEN], "places")), "embedded")
        bias = layers.unsqueeze(layers.scale(layers.cast(mask, "float32"), 1000.0, -1.0, bias_after_scale=False), [1, 2])
    for i in range(LAYERS):
        with static.ipu_shard_guard(i, i):
            x = normed(layers.elementwise_add(x, attention(x, bias, f"layer{i}")), f"layer{i}.first")
            wide = ops.custom_gelu(dense(x, 4 * HIDDEN, f"layer{i}.wide"))
            x = normed(layers.elementwise_add(x, dense(wide, HIDDEN, f"layer{i}.narrow")), f"layer{i}.second")
            x = ops.checkpointoutput(x)
    return x


def network(ops):
    words, segments, mask = (static.data(name, [MICRO, LENGTH], "int32") for name in ("words", "segments", "mask"))
    labels, follows = static.data("labels", [MICRO, MASKED], "int32"), static.data("follows", [MICRO], "int32")
    x = encoder(ops, words, segments, mask)
    with static.ipu_shard_guard(LAYERS - 1, LAYERS - 1):
        masked = nn.functional.softmax(dense(layers.slice(x, [1], [1], [1 + MASKED]), WORDS, "masked"))
        one = nn.functional.softmax(dense(layers.squeeze(layers.slice(x, [1], [0], [1]), [1]), 2, "next"))
        losses = [ops.custom_nll_loss(masked, labels, 1, "0", False), ops.custom_nll_loss(one, follows, 1, "None", False)]
        total = paddle.incubate.identity_loss(layers.sum(losses), reduction="none")
    return total, losses


class WarmUp(paddle.optimizer.lr.LambdaDecay):
    """Up in a straight line, and down again."""

    def __init__(self, rate, total, first):
        super().__init__(rate, lambda step: (step + 1) / first if step < first else max(0.0, (total - step) / (total - first)))


def strategy(half):
    out = static.IpuStrategy()
    out.set_graph_config(num_ipus=LAYERS, is_training=True, enable_manual_shard=True)
    out.set_pipelining_config(enable_pipelining=True, batches_per_step=1, enable_gradient_accumulation=True,
                              accumulation_factor=ACCUMULATION)
    out.set_precision_config(enable_fp16=half)
    out.set_options({
        "loss_scaling": 64.0 if half else 1.0, "max_weight_norm": 65504.0, "accl1_type": "FLOAT", "accl2_type": "FLOAT",
        "weight_decay_mode": "decay", "use_no_bias_optimizer": False, "auto_recomputation": 3,
        "enable_stochastic_rounding": half,
        "accumulate_outer_fragment": {3: [0]}, "schedule_non_weight_update_gradient_consumers_early": True,
        "partials_type_matmuls": "half" if half else "float", "convolution_options": {"partialsType": "half"},
        "engine_options": {"opt.useAutoloader": "true", "target.syncReplicasIndependently": "true"},
        "enable_outlining": True, "outline_threshold": 10.0, "compilation_progress_logger": lambda done, total: None,
        "location_optimizer": {"on_chip": 1}, "available_memory_proportion": 0.2, "random_seed": 42})
    out.enable_pattern("TiedGather")
    out.add_custom_op(paddle_op="custom_gelu", popart_op="Gelu", domain="ai.graphcore", version=1)
    return out


def text(random):
    """Words count upwards; the first two after the beginning are hidden, their successors tell which they were."""
    rows = MICRO * ACCUMULATION
    follows = random.randint(0, 2, rows)
    words = 2 + (random.randint(0, 20, (rows, 1)) + np.arange(LENGTH)) % (WORDS - 2)
    words[:, LENGTH // 2:] = np.where(follows[:, None], words[:, LENGTH // 2:], 2)
    labels = words[:, 1:1 + MASKED].copy()
    words[:, 1:1 + MASKED], words[:, 0] = 1, 0
    feed = {"words": words, "segments": np.arange(LENGTH) // (LENGTH // 2) + 0 * words, "mask": words >= 0, "labels": labels,
            "follows": follows}
    return {name: np.ascontiguousarray(value).astype(np.int32) for name, value in feed.items()}


def first_weights(program):
    """By name, as scripts do it: drawn anew of the type and shape that each has."""
    random, made = np.random.RandomState(5), {}
    for name, value in program.state_dict("param").items():
        assert value._dtype() == paddle.float32
        drawn = random.normal(0, 0.08, value.shape()).astype(np.float32)
        made[name] = (np.ones_like(drawn) if name.endswith(".scale") else
                      np.zeros_like(drawn) if name.endswith("bias") else drawn)
    static.set_program_state(program, made)


def by_torch(weights, feed):
    """The two losses of the first step."""
    w = {name: torch.from_numpy(np.array(value)).double() for name, value in weights.items()}
    words, segments, labels, follows = (torch.from_numpy(feed[n]).long() for n in ("words", "segments", "labels", "follows"))

    def dense(x, name):
        return x @ w[name + ".w"] + w[name + ".b"]

    def normed(x, name):
        return F.layer_norm(x, (HIDDEN,), w[name + ".scale"], w[name + ".bias"])

    x = normed(w["word_table"][words] + w["segment_table"][segments] + w["places"], "embedded")
    for i in range(LAYERS):
        name = f"layer{i}"
        query, key, value = (part.reshape(-1, LENGTH, HEADS, HIDDEN // HEADS).transpose(1, 2)
                             for part in dense(x, name + ".qkv").split(HIDDEN, -1))
        mixed = (query @ key.transpose(2, 3) / math.sqrt(HIDDEN // HEADS)).softmax(-1) @ value
        x = normed(x + dense(mixed.transpose(1, 2).reshape(x.shape), name + ".out"), name + ".first")
        x = normed(x + dense(F.gelu(dense(x, name + ".wide"), approximate="tanh"), name + ".narrow"), name + ".second")
    return (F.cross_entropy(dense(x[:, 1:1 + MASKED], "masked").reshape(-1, WORDS), labels.reshape(-1)).item(),
            F.cross_entropy(dense(x[:, 0], "next"), follows).item())


@pytest.mark.parametrize("half", [False, True])
def test_a_bert_is_pretrained_in_a_pipeline(ops, half, tmp_path):
    loss, parts = network(ops)
    if half:
        lists = static.amp.CustomOpLists()
        lists.unsupported_list = {"layer_norm"}
        changed = static.amp.cast_model_to_fp16(static.default_main_program(), lists, use_fp16_guard=False)
    main, startup = static.default_main_program(), static.default_startup_program()
    rate = WarmUp(0.02, STEPS + 10, 5)
    decayed = [p.name for p in main.all_parameters() if not p.name.endswith((".b", "bias", "scale"))]
    paddle.optimizer.Lamb(rate, lamb_weight_decay=0.01,
                          exclude_from_weight_decay_fn=lambda p: p.name not in decayed).minimize(loss)
    exe = static.Executor(paddle.IPUPlace())
    exe.run(startup)
    first_weights(main)
    expected = by_torch(main.state_dict("param"), text(np.random.RandomState(0)))
    if half:
        static.amp.cast_parameters_to_fp16(paddle.CPUPlace(), main, to_fp16_var_names=changed)
    fetches = [loss.name, *[p.name for p in parts]]
    compiler = static.IpuCompiledProgram(main, ipu_strategy=strategy(half))
    program = compiler.compile(["words", "segments", "mask", "labels", "follows"], fetches)
    assert {op.desc.attr("ipu_stage") for op in main.global_block().ops if op.desc.type() == "checkpointoutput"} == {0, 1}
    random, losses = np.random.RandomState(0), []
    for _ in range(STEPS):
        losses.append([float(np.mean(r)) for r in exe.run(program, feed=text(random), fetch_list=[fetches])])
        rate.step()
    total = np.array(losses)
    np.testing.assert_allclose(total[:, 0], total[:, 1] + total[:, 2], rtol=2e-2 if half else 1e-5)
    np.testing.assert_allclose(total[0, 1:], expected, rtol=5e-3 if half else 1e-4)
    assert total[-3:, 2].mean() < 0.5 * total[0, 2] and total[-3:, 1].mean() < 0.97 * total[0, 1]
    compiler._backend.weights_to_host()
    static.save(program.org_program, str(tmp_path / "step"))
    kept = static.load_program_state(str(tmp_path / "step"))
    now = main.state_dict()
    assert all(np.array_equal(kept[name], np.array(now[name])) for name in ("word_table", "layer0.qkv.w", "masked.b"))
