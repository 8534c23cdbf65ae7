# SPDX-License-Identifier: MIT
"""Files byte by byte, written here once more with nothing but struct; damaged ones are refused by name."""
import os
import struct

import numpy as np
import pytest

import paddle
from paddle import static


def varint(n):
    n &= 2**64 - 1
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def real(field, value):
    return varint(field << 3 | 5) + struct.pack("<f", value)


def tensor(kind, dims):
    return number(1, kind) + b"".join(number(2, d) for d in dims)


def variable(name, kind, dims, persistable, check, parameter, stop):
    inner = number(1, 7) + text(3, text(1, tensor(kind, dims)) + number(2, 0))
    return (text(1, name) + text(2, inner) + number(3, persistable) + number(4, check) + number(5, parameter)
            + number(6, stop))


def operator(kind, inputs, outputs, attrs):
    slots = b"".join(text(1, text(1, s) + b"".join(text(2, a) for a in names)) for s, names in inputs)
    slots += b"".join(text(2, text(1, s) + b"".join(text(2, a) for a in names)) for s, names in outputs)
    return slots + text(3, kind) + b"".join(text(4, a) for a in attrs)


def attribute(name, kind, value):
    return text(1, name) + number(2, kind) + value


def model(folder):
    x = static.data("x", [-1, 2])
    y = static.nn.fc(x, 1, weight_attr=paddle.ParamAttr(initializer=paddle.nn.initializer.Constant(2.0)))
    exe = static.Executor()
    exe.run(static.default_startup_program())
    static.save_inference_model(str(folder / "m"), [x], [y], exe)
    return exe


def test_a_program_has_the_bytes_of_the_format(tmp_path):
    model(tmp_path)
    plain = lambda name, value: attribute(name, 0, number(3, value))
    dims = variable("x", 5, [-1, 2], 0, 1, 0, 1)
    block = number(1, 0) + number(2, -1)
    block += text(3, dims)
    block += text(3, variable("fc_0.w_0", 5, [2, 1], 1, 0, 1, 0))
    block += text(3, variable("fc_0.tmp_0", 5, [-1, 1], 0, 0, 0, 0))
    block += text(3, variable("fc_0.b_0", 5, [1], 1, 0, 1, 0))
    block += text(3, variable("fc_0.tmp_1", 5, [-1, 1], 0, 0, 0, 0))
    block += text(3, variable("save_infer_model/scale_0.tmp_0", 5, [-1, 1], 0, 0, 0, 0))
    for name, kind in (("feed", 9), ("fetch", 10)):
        block += text(3, text(1, name) + text(2, number(1, kind)) + number(3, 1) + number(4, 0) + number(5, 0) + number(6, 0))
    block += text(4, operator("feed", [("X", ["feed"])], [("Out", ["x"])], [plain("col", 0)]))
    block += text(4, operator("mul", [("X", ["x"]), ("Y", ["fc_0.w_0"])], [("Out", ["fc_0.tmp_0"])],
                              [plain("x_num_col_dims", 1), plain("y_num_col_dims", 1)]))
    block += text(4, operator("elementwise_add", [("X", ["fc_0.tmp_0"]), ("Y", ["fc_0.b_0"])], [("Out", ["fc_0.tmp_1"])],
                              [plain("axis", 1)]))
    block += text(4, operator("scale", [("X", ["fc_0.tmp_1"])], [("Out", ["save_infer_model/scale_0.tmp_0"])],
                              [attribute("scale", 1, real(4, 1.0)), attribute("bias", 1, real(4, 0.0)),
                               attribute("bias_after_scale", 6, number(10, 1))]))
    block += text(4, operator("fetch", [("X", ["save_infer_model/scale_0.tmp_0"])], [("Out", ["fetch"])], [plain("col", 0)]))
    block += number(5, -1)
    assert (tmp_path / "m.pdmodel").read_bytes() == text(1, block) + text(4, number(1, 0))


def test_parameters_have_the_bytes_of_the_format(tmp_path):
    model(tmp_path)

    def stored(dims, values):
        desc = tensor(5, dims)
        return struct.pack("<IQIi", 0, 0, 0, len(desc)) + desc + np.float32(values).tobytes()
    assert (tmp_path / "m.pdiparams").read_bytes() == stored([1], [0]) + stored([2, 1], [2, 2])  # by name: b_0, w_0


def test_what_is_read_is_written_as_the_same_bytes(tmp_path):
    model(tmp_path)
    content = (tmp_path / "m.pdmodel").read_bytes()
    assert static.Program.parse_from_string(content).serialize_to_string() == content


@pytest.mark.parametrize("name, change, words", [
    ("m.pdmodel", lambda b: b[:len(b) // 2], "damaged"),
    ("m.pdmodel", lambda b: b"", "empty"),
    ("m.pdmodel", lambda b: b"\xff" * 64, "no ProgramDesc"),
    ("m.pdiparams", lambda b: b[:-3], r"\"fc_0.w_0\": its shape needs more than the 5 bytes that are left"),
    ("m.pdiparams", lambda b: b + b"x", "1 bytes follow the last"),
    ("m.pdiparams", lambda b: b"\1" + b[1:], r"\"fc_0.b_0\": its version is 1"),
    ("m.pdiparams", lambda b: b[:16] + b"\xff\xff\xff\x7f" + b[20:], "the description needs"),
])
def test_damaged_files_are_refused_by_name(tmp_path, name, change, words):
    exe = model(tmp_path)
    path = tmp_path / name
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(ValueError, match=words) as problem:
        static.load_inference_model(str(tmp_path / "m"), exe)
    assert name in str(problem.value)
    with pytest.raises(ValueError, match="damaged|empty"):
        config = paddle.inference.Config(str(tmp_path / "m.pdmodel"), str(tmp_path / "m.pdiparams"))
        paddle.inference.create_predictor(config)


def test_files_of_another_model_do_not_fit(tmp_path):
    exe = model(tmp_path)
    content = bytearray((tmp_path / "m.pdmodel").read_bytes())
    at = content.index(tensor(5, [2, 1]))
    content[at + 3], content[at + 5] = 1, 2
    (tmp_path / "m.pdmodel").write_bytes(content)
    with pytest.raises(ValueError, match=r"\"fc_0.w_0\" is float32\[2,1\] there, and float32\[1,2\] in the program"):
        static.load_inference_model(str(tmp_path / "m"), exe)


def test_missing_files_are_named(tmp_path):
    with pytest.raises(ValueError, match="nowhere.pdmodel"):
        static.load_inference_model(str(tmp_path / "nowhere"), static.Executor())
    with pytest.raises(ValueError, match="nowhere.pdmodel"):
        paddle.inference.create_predictor(paddle.inference.Config(str(tmp_path / "nowhere.pdmodel"), "x"))


def test_saved_files_leave_links_and_are_whole(tmp_path):
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "state").symlink_to("target")
    paddle.save({"w": np.ones(3)}, str(tmp_path / "state"))
    assert (tmp_path / "state").is_symlink() and np.array_equal(paddle.load(str(tmp_path / "target"))["w"], np.ones(3))
    with pytest.raises(Exception, match="pickle"):
        paddle.save({"w": np.array([lambda: 1])}, str(tmp_path / "state"))
    assert np.array_equal(paddle.load(str(tmp_path / "state"))["w"], np.ones(3))
    paddle.save({"w": np.ones(3)}, str(tmp_path / "made/too/state"))
    if os.geteuid() == 0:
        os.chown(tmp_path / "state", 65534, 65534, follow_symlinks=False)
        with pytest.raises(PermissionError, match="user 65534 made"):
            paddle.save({"w": np.zeros(3)}, str(tmp_path / "state"))


def test_a_training_state_is_saved_and_loaded(tmp_path):
    x = static.data("x", [-1, 2])
    loss = paddle.mean(static.nn.fc(x, 1))
    paddle.optimizer.Adam(0.1).minimize(loss)
    exe = static.Executor()
    exe.run(static.default_startup_program())
    feed = {"x": np.ones((3, 2), np.float32)}
    exe.run(feed=feed, fetch_list=[loss])
    static.save(static.default_main_program(), str(tmp_path / "state"))
    expected = exe.run(feed=feed, fetch_list=[loss])
    static.load(static.default_main_program(), str(tmp_path / "state"))
    assert np.array_equal(exe.run(feed=feed, fetch_list=[loss])[0], expected[0])
