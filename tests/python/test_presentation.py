# SPDX-License-Identifier: MIT
"""What newcomers see: docstrings, signatures, dir(), stubs, representations, errors in Python's words, the right Python."""
import decimal
import ast
import copy
import inspect
import os
import pickle
import shutil
import subprocess
import sys

import numpy as np
import popart
import popart_core
import pytest
from harness import device

MODULES = ("popart_core", "popart", "popart.builder", "popart.names", "popart.session", "popart.version", "pva")


def public_callables():
    """(name, object) of all functions, classes and methods."""
    for name, value in vars(popart).items():
        if name.startswith("_") or inspect.ismodule(value) or not callable(value):
            continue
        yield name, value
        if not isinstance(value, type) or issubclass(value, Exception):
            continue
        for member in dir(value):
            if not member.startswith("_") and callable(getattr(value, member)) and not isinstance(
                    getattr(value, member), value):
                yield f"{name}.{member}", getattr(value, member)


def test_everything_has_a_docstring_and_a_signature():
    without, unsigned, count = [], [], 0
    for name, value in public_callables():
        count += 1
        if not (value.__doc__ or "").strip():
            without.append(name)
        if isinstance(value, type) and issubclass(value, Exception):
            continue
        try:
            inspect.signature(value)
        except ValueError as e:
            unsigned.append((name, str(e)))
    assert not without and not unsigned and count > 1000


def test_properties_have_docstrings():
    for cls in (popart.SessionOptions, popart.DeviceInfo, popart.Patterns, popart.TensorLocation, popart.Builder):
        for name, member in inspect.getmembers(cls, lambda m: isinstance(m, property)):
            assert name.startswith("_") or member.__doc__, (cls, name)


def test_the_builder_shows_its_methods():
    b = popart.Builder()
    for name in ("aiOnnx", "aiGraphcore", "addInputTensor", "getModelProto", "nameScope", "virtualGraph",
                 *(f"aiOnnxOpset{n}" for n in range(6, 18))):
        assert name in dir(b), name
    assert "relu" in dir(b.aiOnnx) and "gelu" in dir(b.aiGraphcore) and "relu" in dir(popart.AiOnnxOpset17)
    assert "run" in dir(popart.InferenceSession) and "updateOptimizerFromHost" in dir(popart.TrainingSession)
    assert list(inspect.signature(b.aiOnnx.conv).parameters) == [
        "args", "dilations", "group", "kernel_shape", "pads", "strides", "debugContext"]
    assert inspect.signature(b.aiOnnx.conv).parameters["group"].default == 1
    assert list(inspect.signature(popart.Builder.addOutputTensor).parameters) == ["self", "outputName"]
    text = subprocess.run([sys.executable, "-c", "import popart; help(popart.Builder().aiOnnx)"], check=True,
                          capture_output=True, text=True).stdout
    assert "relu(self, args, debugContext='')" in text and "rectified linear" in text


def names_of(tree):
    """What a stub defines or imports."""
    out = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            out.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            out |= {a.asname for a in node.names if a.asname}
        elif isinstance(node, ast.AnnAssign):
            out.add(node.target.id)
    return out


@pytest.mark.parametrize("name", MODULES)
def test_stubs_say_what_modules_have(name):
    __import__(name)
    module, root = sys.modules[name], os.path.dirname(popart_core.__file__)
    path = os.path.join(root, *name.split(".")) + ("/__init__.pyi" if hasattr(module, "__path__") else ".pyi")
    tree = ast.parse(open(path, encoding="utf-8").read())
    shown = {n for n in dir(module) if not n.startswith("__") or n == "__version__"}
    assert names_of(tree) == shown
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            methods = {n.name for n in node.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
            own = {m for m, v in vars(getattr(module, node.name)).items() if not m.startswith("_")
                   and (callable(v) or isinstance(v, (property, staticmethod)))}
            own = {m for m in own if not isinstance(getattr(getattr(module, node.name), m), getattr(module, node.name))}
            assert own <= methods, node.name
    assert os.path.exists(os.path.join(root, "popart", "py.typed"))


def test_representations():
    options = popart.SessionOptions()
    assert repr(options) == "SessionOptions()"
    options.enablePipelining = True
    options.engineOptions["a"] = "b"
    options.weightTensorLocationSettings.location.storage = popart.TensorStorage.OffChip
    assert repr(options) == ("SessionOptions(enablePipelining=True, weightTensorLocationSettings=TensorLocationSettings("
                             "location=TensorLocation(storage=TensorStorage.OffChip), minElementsForOffChip=2, "
                             "minElementsForReplicatedTensorSharding=8192), engineOptions={'a': 'b'})")
    assert repr(popart.DataFlow(2, {"y": popart.AnchorReturnType("EveryN", 2)})) == (
        "DataFlow(2, {'y': AnchorReturnType('EveryN', 2)})")
    assert repr(popart.TensorInfo(np.float16, [2, 3])) == "TensorInfo('FLOAT16', [2, 3])"
    sgd = popart.SGD({"defaultLearningRate": (0.1, False)})
    sgd.insertSpecific("w", {"momentum": (0.5, True)})
    assert repr(sgd).startswith("SGD({'defaultLearningRate': (0.1, False), ") and "momentum of w: (0.5, True)" in repr(sgd)
    assert repr(popart.Adam({})).startswith("Adam({'default") and "RMS" not in repr(popart.Adaptive({}))
    assert repr(popart.VariableSettings()) == "VariableSettings(CommGroup(CommGroupType.All, 0), VariableRetrievalMode.OnePerGroup)"
    assert "ipu-model" in repr(device()).lower() and repr(device()).startswith("DeviceInfo(")
    b = popart.Builder()
    b.aiOnnx.relu([b.addInputTensor("FLOAT", [2])])
    assert repr(b) == "<Builder: 1 inputs, 0 weights, 1 other tensors, 0 outputs; opset 10>"
    assert repr(b.aiOnnx) == "<operators of ai.onnx, opset 10>"
    for name, value in public_callables():  # none is <popart_core.X object at 0x...>
        if isinstance(value, type) and not issubclass(value, Exception) and not hasattr(value, "__members__"):
            try:
                shown = repr(value())
            except (TypeError, popart.popart_exception):
                continue
            assert "object at" not in shown or name in ("DeviceManager",), shown


def test_copies():
    options = popart.SessionOptions()
    options.engineOptions["a"] = "b"
    for made in (copy.copy(options), copy.deepcopy(options)):
        made.engineOptions["a"] = "c"
        assert options.engineOptions["a"] == "b"
    flow = popart.DataFlow(1, ["y"])
    assert copy.deepcopy({"f": flow})["f"].anchors() == ["y"]
    b = popart.Builder()
    y = b.aiOnnx.relu([b.addInputTensor("FLOAT", [1])])
    session = popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, [y]), device())
    for thing in (b, session, device(), popart.PyStepIO({}, {}), popart.DeviceManager()):
        for how in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match=f"{type(thing).__name__} objects cannot be copied or pickled"):
                how(thing)
    with pytest.raises(TypeError, match="SessionOptions objects cannot be pickled"):
        pickle.dumps(options)
    assert pickle.loads(pickle.dumps(popart.DataType.FLOAT)) == popart.DataType.FLOAT


def test_objects_that_were_never_made():
    for cls in (popart.Builder, popart.TensorInfo, popart.SessionOptions):
        thing = cls.__new__(cls)
        with pytest.raises(TypeError, match="never made"):
            repr(thing) if cls is not popart.Builder else thing.getModelProto()
    with pytest.raises(TypeError, match="never made"):
        popart.SessionOptions.__new__(popart.SessionOptions).enablePipelining
    with pytest.raises(TypeError, match="never made"):
        popart.Builder().addInputTensor(popart.TensorInfo.__new__(popart.TensorInfo))


@pytest.mark.parametrize("call,message", [
    (lambda b: b.addInputTensor("FLOAT", "x"),
     "addInputTensor(): incompatible function arguments. The argument 'shape' must be a list of int, not str ('x')."),
    (lambda b: b.aiOnnx.relu("x"),
     "relu(): incompatible function arguments. The argument 'args' must be a list of str, not str ('x')."),
    (lambda b: b.aiOnnx.relu([1]),
     "relu(): incompatible function arguments. The argument 'args' has an item 0 that must be a str, not int (1)."),
    (lambda b: b.aiOnnx.relu(), "relu(): incompatible function arguments. The argument 'args' is missing."),
    (lambda b: b.aiOnnx.relu(["x"], nam="y"),
     "relu(): incompatible function arguments. The argument 'nam' is not an argument of it."),
    (lambda b: b.aiOnnx.flatten(["x"], 1.5),
     "flatten(): incompatible function arguments. The argument 'axis' must be an int, not float (1.5)."),
    (lambda b: b.aiOnnx.flatten(["x"], 2**70),
     "flatten(): incompatible function arguments. The argument 'axis' is out of range: int (1180591620717411303424)."),
    (lambda b: b.aiOnnx.flatten(["x"], np.float32(1.5)),
     "flatten(): incompatible function arguments. The argument 'axis' must be an int, not float32 (1.5)."),
    (lambda b: b.addInputTensor("FLOAT", [np.float32(2.5)]),
     "addInputTensor(): incompatible function arguments. The argument 'shape' has an item 0 that must be an int, not float32 (2.5)."),
    (lambda b: popart.DataFlow(decimal.Decimal("1.5"), ["a"]),
     "DataFlow(): incompatible constructor arguments. The argument 'batchesPerStep' must be an int, not Decimal (Decimal('1.5'))."),
    (lambda b: setattr(popart.SessionOptions(), "accumulationFactor", np.float32(2.5)),
     "The attribute's value must be an int, not float32 (2.5)."),
    (lambda b: setattr(popart.SessionOptions(), "defaultBufferingDepth", 2**40),
     "The attribute's value is out of range: int (1099511627776)."),
    (lambda b: popart.TensorInfo("FLOAT", [2, 2**63]),
     "TensorInfo(): incompatible constructor arguments. The argument 'shape' has an item 1 that is out of range: int (9223372036854775808)."),
    (lambda b: b.addOutputTensor(None),
     "addOutputTensor(): incompatible function arguments. The argument 'outputName' must be a str, not None."),
    (lambda b: popart.DataFlow("1", ["a"]),
     "DataFlow(): incompatible constructor arguments. The argument 'batchesPerStep' must be an int, not str ('1')."),
    (lambda b: popart.PyStepIO({"x": [1]}, {}),
     "PyStepIO(): incompatible constructor arguments. The argument 'inputs' has an item at 'x' that must be a numpy array, not list ([1])."),
    (lambda b: popart.PyStepIO({1: np.zeros(1)}, {}),
     "PyStepIO(): incompatible constructor arguments. The argument 'inputs' has a key that must be a str, not int (1)."),
    (lambda b: setattr(popart.SessionOptions(), "replicatedGraphCount", "two"),
     "The attribute's value must be an int, not str ('two')."),
    (lambda b: popart.InferenceSession(b.getModelProto(), None, None),
     "InferenceSession(): incompatible constructor arguments. The argument 'dataFlow' must be a DataFlow, not None."),
    (lambda b: popart.InferenceSession(7, None, None),
     "fnModel must be the bytes of an ONNX model or the name of a file, not int."),
])
def test_wrong_arguments_are_named(call, message):
    with pytest.raises(TypeError) as e:
        call(popart.Builder())
    assert str(e.value).startswith(message), str(e.value)


def test_the_models_opset_is_the_builders():
    for opset in (7, 11, 17):
        first = popart.Builder(opsets={"ai.onnx": opset, "ai.graphcore": 1})
        x = first.addInputTensor("FLOAT", [2, 3])
        y = first.aiOnnx.relu([x])
        b = popart.Builder(first.getModelProto())
        assert repr(b.aiOnnx) == f"<operators of ai.onnx, opset {opset}>"
        b.addOutputTensor(b.aiOnnx.add([y, y]))
        assert repr(getattr(b, f"aiOnnxOpset{opset}")) == repr(b.aiOnnx)
        with pytest.raises(RuntimeError, match=f"already defined as {opset}"):
            b.aiOnnxOpset9
        child = b.createSubgraphBuilder()
        assert repr(child.aiOnnx) == repr(b.aiOnnx)


def test_the_module_is_found_in_both_places():
    code = "import popart_core; import popart.popart_core as other; from popart import popart_core as third; " \
           "assert popart_core is other is third"
    subprocess.run([sys.executable, "-c", code], check=True)


def message_of(python, folder, module="popart"):
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([*python, "-c", f"import {module}"], capture_output=True, text=True, env=environment)
    assert done.returncode == 1
    return done.stderr.strip().splitlines()[-1]


def test_the_wrong_python_is_told_which_to_use(tmp_path):
    root = os.path.dirname(popart_core.__file__)
    isolated = [sys.executable, "-S"]  # without Debian's packages: no numpy
    for module in ("popart", "popart_core"):
        text = message_of(isolated, root, module)
        assert "popart_core needs numpy" in text and "Install it: python3 -m pip install numpy" in text, text
    for package in ("popart", "openipu"):
        shutil.copytree(os.path.join(root, package), tmp_path / package)
    os.symlink(popart_core.__file__, tmp_path / "popart_core.cpython-39-x86_64-linux-gnu.so")
    text = message_of([sys.executable], str(tmp_path))
    this = f"{sys.executable} is Python {sys.version_info.major}.{sys.version_info.minor}"
    assert f"popart is built for Python 3.9, and {this}. Build it for this one, once: " in text, text
