# SPDX-License-Identifier: MIT
"""poptorch.custom_op: operators of a library of the user's own, in C++."""
import ctypes
import pathlib
import subprocess
import sys

import popart_core  # noqa: F401 (the library needs what it loads)
import pytest
import torch
from openipu import places

import poptorch

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The operator Polynomial, compiled against the public headers."""
    made = tmp_path_factory.mktemp("custom") / "libpolynomial.so"
    libraries = [f"-L{part}/lib" for part in places.parts()]
    headers = [f"-I{path}" for path in (ROOT / "popart/include", ROOT / "poplar/include",
                                        *sorted(ROOT.glob("poplibs/*/include")))]
    subprocess.run(["g++", "-std=c++14", "-shared", "-fPIC", "-DONNX_NAMESPACE=onnx", *headers, "-o", made,
                    ROOT / "tests/sdk/custom/polynomial.cpp", *libraries, "-lpopart", "-lpopops", "-lpoplar"],
                   check=True)
    return ctypes.cdll.LoadLibrary(str(made))


class Model(torch.nn.Module):
    def __init__(self, coefficients=(1.0, 2.0, 3.0)):
        super().__init__()
        torch.manual_seed(4)
        self.fc = torch.nn.Linear(3, 2)
        self.coefficients = list(coefficients)

    def forward(self, x):
        x = self.fc(x)
        if poptorch.isRunningOnIpu():
            (y,) = poptorch.custom_op([x], "Polynomial", "custom.ops", 1, example_outputs=[x],
                                      attributes={"coefficients": self.coefficients})
        else:
            y = sum(c * x ** i for i, c in enumerate(self.coefficients))
        return y, poptorch.identity_loss(y, "mean")


def test_custom_operators_run_and_learn(library):
    x = torch.randn(4, 3)
    torch.testing.assert_close(poptorch.inferenceModel(Model())(x)[0], Model()(x)[0].detach(), rtol=1e-4, atol=1e-5)
    ours, torchs = Model((1, 2, 3)), Model()
    model = poptorch.trainingModel(ours, optimizer=torch.optim.SGD(ours.parameters(), lr=0.01))
    optimizer = torch.optim.SGD(torchs.parameters(), lr=0.01)
    for _ in range(3):
        _, loss = model(x)
        _, expected = torchs(x)
        optimizer.zero_grad()
        expected.backward()
        optimizer.step()
        torch.testing.assert_close(loss, expected.detach(), rtol=1e-4, atol=1e-5)
    assert poptorch.accessAttributes("custom.ops.Polynomial") == {"coefficients": [1, 2, 3]}


def test_programs_with_custom_operators_end(library):
    """Operators outlive Python; what Python gave them must not."""
    program = f"""
import ctypes, popart, torch, poptorch
ctypes.cdll.LoadLibrary({library._name!r})
class Model(torch.nn.Module):
    def forward(self, x):
        return poptorch.custom_op([x], "Polynomial", "custom.ops", 1, [x], {{"coefficients": [1.0, 2.0]}})[0]
print(poptorch.inferenceModel(Model())(torch.ones(2)).tolist())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100)
    assert done.stdout == "[3.0, 3.0]\n" and done.returncode == 0


def test_custom_operators_that_cannot_be(library):
    def call(**changes):
        wanted = dict(name="Polynomial", domain="custom.ops", domain_version=1,
                      attributes={"coefficients": [1.0]}, **{})
        wanted.update(changes)

        class Wrong(torch.nn.Module):
            def forward(self, x):
                return poptorch.custom_op([x], example_outputs=[x], **wanted)[0]

        return poptorch.inferenceModel(Wrong())(torch.ones(2))

    assert call().tolist() == [1.0, 1.0]
    with pytest.raises(poptorch.Error, match="Polynom"):
        call(name="Polynom")
    with pytest.raises(poptorch.Error, match="coefficients"):
        call(attributes={})
    with pytest.raises(ValueError, match="ASCII"):
        call(attributes={"coefficients": "größer"})
    with pytest.raises(ValueError, match="coefficients"):
        call(attributes={"coefficients": [1.0, "2"]})
    with pytest.raises(ValueError, match="must be a float, int or str"):
        call(attributes={"coefficients": {"a": 1}})
    assert poptorch.custom_op([torch.ones(1)], "Polynomial", "custom.ops", 1, [torch.zeros(1)])[0] == 0  # on the CPU


class Calls(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


def test_results_have_the_shape_of_the_operator():
    """Examples say how many there are, and of which type."""
    def forward(x, y):
        (total,) = poptorch.custom_op([x], "ReduceSum", "ai.onnx", 9, [x], {"axes": [0], "keepdims": 0})
        (turned,) = poptorch.custom_op([y], "Transpose", "ai.onnx", 9, [torch.zeros(1)], {"perm": [1, 0]})
        return total * 2, turned @ torch.ones(2, 4), total.shape == ()

    total, product, scalar = poptorch.inferenceModel(Calls(forward))(torch.arange(3.), torch.arange(6.).reshape(2, 3))
    assert total == 6 and scalar
    assert torch.equal(product, torch.tensor([[3.] * 4, [5.] * 4, [7.] * 4]))


def test_attributes_that_the_operator_does_not_declare_are_told_of(library, capfd):
    def forward(x):
        given = {"coefficients": [1.0, 2.0], "coefficient": 3.0, "bias": 1}
        return poptorch.custom_op([x], "Polynomial", "custom.ops", 1, [x], given)[0]

    assert poptorch.inferenceModel(Calls(forward))(torch.ones(2)).tolist() == [3.0, 3.0]
    told = capfd.readouterr().err
    assert told.count("the operator custom.ops.Polynomial has no attribute bias, coefficient; it declares coefficients.") == 1
    assert "test_custom.py:" in told


@pytest.mark.parametrize("name, attributes, text", (
    ("LeakyRelu", {"alpha": 0.5}, None), ("ReduceSum", {"axes": [0], "keepdims": 0}, None),  # of an older one
    ("LeakyRelu", {"alfa": 0.5}, "the operator ai.onnx.LeakyRelu has no attribute alfa; it declares alpha."),
    ("Relu", {"slope": 0.5}, "the operator ai.onnx.Relu has no attribute slope; it declares none.")))
def test_attributes_that_onnx_does_not_have_are_told_of(name, attributes, text, capfd):
    poptorch.inferenceModel(Calls(lambda x: poptorch.custom_op([x], name, "ai.onnx", 9, [x], attributes)[0]))(torch.ones(2))
    told = capfd.readouterr().err
    assert ("no attribute" in told) == (text is not None) and (text or "") in told
