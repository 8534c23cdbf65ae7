# SPDX-License-Identifier: MIT
"""Operators in C++: paddle.utils.cpp_extension.load."""
import os
import pathlib
import shutil
import time

import numpy as np
import paddle
import popart_core
import pytest
import torch
from paddle import static
from paddle.utils import cpp_extension

ROOT = pathlib.Path(__file__).resolve().parents[3]
HEADERS = [ROOT / "popart/include", ROOT / "poplar/include", ROOT / "frontends/paddle/include",
           *sorted(ROOT.glob("poplibs/*/include"))]
HERE = pathlib.Path(__file__).resolve().parent / "custom"
SOURCES = [HERE / "description.cpp", ROOT / "tests/sdk/custom/polynomial.cpp"]


def load(folder, sources=SOURCES, **kwargs):
    return cpp_extension.load("custom_jit_ops", [str(s) for s in sources], ["-DONNX_NAMESPACE=onnx"],
                              build_directory=str(folder),
                              extra_include_paths=[str(h) for h in HEADERS], extra_ldflags=["-lpopfloat"], **kwargs)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("extensions")


@pytest.fixture(scope="module")
def ops(folder):
    return load(folder)


def strategy(**config):
    out = static.IpuStrategy()
    out.set_graph_config(**config)
    out.add_custom_op(paddle_op="custom_polynomial", popart_op="Polynomial", domain="custom.ops", version=1)
    return out


def compiled(feeds, fetches, strategy):
    return static.IpuCompiledProgram(ipu_strategy=strategy).compile(feeds, fetches)


def test_an_operator_of_a_library_runs_on_an_ipu(ops):
    x = static.data("x", [2, 3])
    y = ops.custom_polynomial(x, coefficients=[1.0, 2.0, 3.0])
    assert y.shape == (2, 3) and y.dtype == paddle.float32
    program = compiled(["x"], [y.name], strategy(is_training=False))
    given = np.arange(6, dtype=np.float32).reshape(2, 3) / 3
    found, = static.Executor(paddle.IPUPlace()).run(program, {"x": given}, [y])
    np.testing.assert_allclose(found, 1 + 2 * given + 3 * given**2, rtol=1e-6)


def test_what_stands_before_it_is_trained(ops):
    given = np.random.RandomState(0).randn(4, 3).astype(np.float32)
    x = static.data("x", [4, 3])
    y = static.nn.fc(x, 2, weight_attr=paddle.ParamAttr(name="w", initializer=paddle.nn.initializer.Constant(0.3)),
                     bias_attr=False)
    loss = paddle.mean(ops.custom_polynomial(y, [1.0, 2.0, 3.0]))
    paddle.optimizer.SGD(0.1).minimize(loss)
    exe = static.Executor(paddle.IPUPlace())
    exe.run(static.default_startup_program())
    program = compiled(["x"], [loss.name], strategy(is_training=True, micro_batch_size=4))
    w = torch.full((3, 2), 0.3, requires_grad=True)
    optimizer = torch.optim.SGD([w], 0.1)
    for _ in range(3):
        found, = exe.run(program, {"x": given}, [loss])
        z = torch.from_numpy(given) @ w
        expected = (1 + 2 * z + 3 * z * z).mean()
        np.testing.assert_allclose(float(np.ravel(found)[0]), float(expected), rtol=1e-5)
        optimizer.zero_grad()
        expected.backward()
        optimizer.step()
    program._ipu_runner.weights_to_host()
    np.testing.assert_allclose(np.array(static.global_scope().find_var("w").get_tensor()), w.detach(), rtol=1e-5)


def test_a_saved_model_with_it_is_predicted(ops, tmp_path):
    x = static.data("x", [2, 3])
    y = ops.custom_polynomial(x, [1.0, 2.0, 3.0])
    static.save_inference_model(str(tmp_path / "model"), [x], [y], static.Executor(paddle.CPUPlace()))
    config = paddle.inference.Config(str(tmp_path / "model.pdmodel"), str(tmp_path / "model.pdiparams"))
    config.disable_glog_info()
    config.enable_ipu(ipu_micro_batch_size=2)
    config.set_ipu_custom_info([["custom_polynomial", "Polynomial", "custom.ops", "1"]], {})
    predictor = paddle.inference.create_predictor(config)
    given = np.arange(6, dtype=np.float32).reshape(2, 3) / 3
    predictor.get_input_handle("x").copy_from_cpu(given)
    predictor.run()
    found = predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
    np.testing.assert_allclose(found, 1 + 2 * given + 3 * given**2, rtol=1e-6)


def test_shapes_and_types_follow_from_functions_in_cpp(ops):
    x, a, b = static.data("x", [-1, 2]), static.data("a", [-1, 3]), static.data("b", [-1, 4], "int32")
    attributes = dict(flag=True, axis=1, factor=1, long=2**40, text="four", shape=[7], factors=[1.5], longs=[5, 6],
                      texts=["a", "b"])
    joined, second = ops.custom_joined(x, [a, b], **attributes)
    assert joined.shape == (-1, 9) and joined.dtype == paddle.float32
    assert second.shape == (7, 6, 7) and second.dtype == paddle.int32
    same = ops.custom_same(b)
    assert same.shape == (-1, 4) and same.dtype == paddle.int32
    assert joined.op.attr("long") == 2**40 and joined.op.desc.type() == "custom_joined"
    again = static.Program.parse_from_string(static.default_main_program().serialize_to_string())
    assert again.global_block().ops[0].attr("texts") == ["a", "b"]


def test_an_operator_that_the_front_end_knows_has_the_names_of_the_library(ops):
    rows = np.random.RandomState(1).rand(4, 5).astype(np.float32)
    labels = np.array([1, 0, 4, 2], np.int32)
    x, y = static.data("x", [4, 5]), static.data("y", [4], "int32")
    loss = ops.custom_nll_loss(x, y, 1, "0", False)
    assert loss.shape == (1,) and loss.op.input_names == ["X", "Y"]
    program = compiled(["x", "y"], [loss.name], strategy(is_training=False, micro_batch_size=4))
    expected = torch.nn.functional.nll_loss(torch.from_numpy(rows).log(), torch.from_numpy(labels).long(), ignore_index=0)
    for runs in (program, static.default_main_program()):
        found, = static.Executor(paddle.IPUPlace()).run(runs, {"x": rows, "y": labels}, [loss])
        np.testing.assert_allclose(found, [float(expected)], rtol=1e-5)
    block = static.default_main_program().global_block()
    other = block.create_var("other")
    block.append_op("custom_nll_loss", {"X": x, "Label": y}, {"Out": other}, {"reduction": 2, "ignoreIndex": "None",
                                                                             "inputIsLogProbability": False})
    assert other.shape == (4,)  # by the names of the front end


@pytest.mark.parametrize("call,kind,text", [
    (lambda o, x: o.custom_polynomial(x), TypeError, "needs coefficients too"),
    (lambda o, x: o.custom_polynomial(x, [1.0], [2.0]), TypeError, r"takes 2 arguments \(X, coefficients\), and got 3"),
    (lambda o, x: o.custom_polynomial(x, degree=2), TypeError, "'degree'.*It takes: X, coefficients"),
    (lambda o, x: o.custom_polynomial(x, 1.0), TypeError, "coefficients is of type std::vector<float>, not 1.0"),
    (lambda o, x: o.custom_polynomial(x, ["1"]), TypeError, "not \\['1'\\]"),
    (lambda o, x: o.custom_polynomial(3, [1.0]), TypeError, "must be Variable"),
    (lambda o, x: o.custom_polynomial(x, [1.0] * 5), ValueError, "custom_polynomial.*It is for 3 at most"),
])
def test_calls_that_do_not_fit(ops, call, kind, text):
    with pytest.raises(kind, match=text):
        call(ops, static.data("x", [2]))


def test_a_library_is_kept_until_a_source_or_header_changes(ops, folder):
    assert load(folder).__file__ == ops.__file__
    here = folder / "changed"
    here.mkdir()
    for file in ("description.cpp", "degree.h"):
        shutil.copy(HERE / file, here)
    text = (here / "description.cpp").read_text()
    (here / "description.cpp").write_text(text.replace("custom_", "other_"))
    flags = dict(build_directory=str(folder), extra_include_paths=[str(h) for h in HEADERS])
    made = cpp_extension.load("others", [here / "description.cpp"], **flags)
    before = os.stat(made.__file__).st_mtime_ns
    time.sleep(0.01)
    assert cpp_extension.load("others", [here / "description.cpp"], **flags).__file__ == made.__file__
    assert os.stat(made.__file__).st_mtime_ns == before
    (here / "degree.h").write_text("#define LARGEST_DEGREE 4\n")
    with pytest.warns(UserWarning, match="other_polynomial is there already.*until Python is restarted"):
        assert cpp_extension.load("others", [here / "description.cpp"], **flags).__file__ != made.__file__
    text = (here / "description.cpp").read_text()
    text = text.replace('"flag: bool", ', "").replace("bool flag, int", "int").replace(" + flag", "")
    (here / "description.cpp").write_text(text)
    with pytest.raises(RuntimeError, match="other_joined is there already.*with other arguments"), pytest.warns(UserWarning):
        cpp_extension.load("others", [here / "description.cpp"], **flags)


def test_sources_that_cannot_be(folder, tmp_path):
    with pytest.raises(FileNotFoundError, match="no source .*nowhere.cc"):
        cpp_extension.load("none", [tmp_path / "nowhere.cc"], build_directory=folder)
    (tmp_path / "wrong.cc").write_text("int wrong(")
    with pytest.raises(RuntimeError, match="not compiled.*enable.sh(.|\n)*wrong.cc"):
        cpp_extension.load("wrong", [tmp_path / "wrong.cc"], build_directory=folder)
    (tmp_path / "plain.cc").write_text("int plain() { return 1; }")
    with pytest.raises(RuntimeError, match="describes no operator.*PD_BUILD_OP"):
        cpp_extension.load("plain", [tmp_path / "plain.cc"], build_directory=folder)
    with pytest.raises(NotImplementedError, match="cpp_extension.load"):
        cpp_extension.setup(name="x")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make another user's folder")
def test_a_folder_of_another_user_is_not_believed(tmp_path):
    (tmp_path / "custom_jit_ops").mkdir()
    os.chown(tmp_path / "custom_jit_ops", 65534, 65534)
    with pytest.raises(OSError, match="belongs to user .*choose another build_directory, or set PADDLE_EXTENSION_DIR"):
        load(tmp_path)


def test_a_pattern_of_a_library_may_be_enabled(folder):
    """It makes relu leaky, by a tenth."""
    made = pathlib.Path(popart_core.__file__).parents[1] / "popart/include"
    (folder / "alone.cc").write_text('#include <paddle/extension.h>\nstd::vector<paddle::Tensor> none() { return {}; }\n'
                                     'PD_BUILD_OP(custom_alone).Inputs({"X"}).Outputs({"Out"}).SetKernelFn(PD_KERNEL(none));\n')
    cpp_extension.load("patterns", [folder / "alone.cc", ROOT / "tests/sdk/custom/leakypattern.cpp"], ["-DONNX_NAMESPACE=onnx"],
                       build_directory=str(folder), extra_include_paths=[str(h) for h in [*HEADERS, made]])
    y = paddle.nn.functional.relu(static.data("x", [2]))
    leaky = static.IpuStrategy()
    leaky.set_graph_config(is_training=False)
    for switch, on in ((leaky.disable_pattern, False), (leaky.enable_pattern, True)):
        switch("ReluToLeaky")
        assert leaky.is_pattern_enabled("ReluToLeaky") is on
        found, = static.Executor().run(compiled(["x"], [y.name], leaky), {"x": np.array([1, -1], np.float32)}, [y])
        np.testing.assert_allclose(found, [1, -0.1 if on else 0], rtol=1e-6)
