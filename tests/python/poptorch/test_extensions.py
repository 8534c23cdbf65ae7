# SPDX-License-Identifier: MIT
"""Operators of extensions of torch: those of torch_scatter are followed, others are refused by name.

The package is not needed: its operators are declared here as it declares them, and computed by plain loops on the host."""
import poptorch
import pytest
import torch

_scatter = torch.library.Library("torch_scatter", "DEF")
_other = torch.library.Library("openipu_extension", "DEF")
_NAMES = ("sum", "mul", "mean", "max", "min")


def _loops(how):
    """src [rows, columns] along rows, one element after the other."""
    def kernel(src, index, dim, out, size):
        index = index.reshape(-1, 1).expand(src.shape) if index.dim() == 1 else index
        first = {"mul": 1.0}.get(how, 0.0)
        result = torch.full((size, src.size(1)), first, dtype=src.dtype) if out is None else out.clone()
        place, count = torch.full(result.shape, src.size(0)), torch.zeros(result.shape)
        for row in range(src.size(0)):
            for column in range(src.size(1)):
                at, value = (int(index[row, column]), column), src[row, column]
                count[at] += 1
                if how in ("max", "min"):
                    fresh = out is None and place[at] == src.size(0)
                    if fresh or (value > result[at] if how == "max" else value < result[at]):
                        result[at], place[at] = value, row
                else:
                    result[at] = result[at] * value if how == "mul" else result[at] + value
        if how == "mean":
            result = result / count.clamp(min=1)
        return (result, place) if how in ("max", "min") else result

    return kernel


for _how in _NAMES:
    _scatter.define(f"scatter_{_how}(Tensor _0, Tensor _1, int _2, Tensor? _3, int? _4) -> "
                    + ("(Tensor, Tensor)" if _how in ("max", "min") else "Tensor"))
    _scatter.impl(f"scatter_{_how}", _loops(_how), "CPU")
_scatter.define("segment_sum_csr(Tensor _0, Tensor _1, Tensor? _2) -> Tensor")
_scatter.impl("segment_sum_csr", lambda src, places, out: src[:1] + float(src.numpy().sum()), "CPU")


def _looks_at_data(x):
    raise RuntimeError("The tensor has a non-zero number of elements, but its data is not allocated yet.")


_other.define("whole(Tensor x) -> Tensor")
_other.impl("whole", _looks_at_data, "CompositeImplicitAutograd")
_other.define("made_of_others(Tensor x) -> Tensor")
_other.impl("made_of_others", lambda x: torch.relu(x) + 1, "CompositeImplicitAutograd")
_other.define("on_data(Tensor x) -> Tensor")
_other.impl("on_data", lambda x: x * 2, "CPU")


class Calls(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


def run(function, *args):
    return poptorch.inferenceModel(Calls(function))(*args)


def _data(whole):
    generator = torch.Generator().manual_seed(3)
    src = torch.randint(-3, 4, (7, 4), generator=generator).float()
    index = torch.randint(0, 4, (7, 4) if whole else (7,), generator=generator)
    return src, index  # of 6 groups, so that some are empty


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("how", _NAMES)
def test_scattered_elements_are_reduced_as_on_the_host(how, whole):
    operator, (src, index) = getattr(torch.ops.torch_scatter, "scatter_" + how), _data(whole)
    for dim in (0, -2):
        ours = run(lambda s, i: operator(s, i, dim, None, 6), src, index)
        host = operator(src, index, 0, None, 6)
        for a, b in zip(*((v if isinstance(v, tuple) else (v,)) for v in (ours, host))):
            assert torch.equal(a, b.to(a.dtype)) if how != "mean" else torch.allclose(a, b)


@pytest.mark.parametrize("how", ["sum", "mul", "max", "min"])
def test_a_given_tensor_is_reduced_too(how):
    operator, (src, index) = getattr(torch.ops.torch_scatter, "scatter_" + how), _data(False)
    before = torch.arange(24.).reshape(6, 4) % 5 - 2
    ours = run(lambda s, i, o: operator(s, i, 0, o.clone(), None), src, index, before)
    host = operator(src, index, 0, before, None)
    for a, b in zip(*((v if isinstance(v, tuple) else (v,)) for v in (ours, host))):
        assert torch.equal(a, b.to(a.dtype))


def test_a_size_that_is_known_may_be_left_out():
    src, index = _data(False)
    ours, _ = run(lambda s: torch.ops.torch_scatter.scatter_max(s, index, 0, None, None), src)
    size = int(index.max()) + 1
    assert torch.equal(ours, torch.ops.torch_scatter.scatter_max(src, index, 0, None, size)[0])
    with pytest.raises(poptorch.Error, match=r"torch_scatter::scatter_max .*known only when the model runs. Give dim_size."):
        run(lambda s, i: torch.ops.torch_scatter.scatter_max(s, i, 0, None, None), src, index)


def test_gradients_go_to_the_first_extremum():
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Parameter(torch.tensor([[1.], [3.], [3.], [2.], [5.]]))

        def forward(self, index):
            largest, _ = torch.ops.torch_scatter.scatter_max(self.w, index, 0, None, 3)
            return poptorch.identity_loss(largest * torch.tensor([[1.], [10.], [100.]]), "sum")

    model = Model()
    training = poptorch.trainingModel(model, optimizer=torch.optim.SGD(model.parameters(), lr=1.0))
    training(torch.tensor([0, 0, 0, 1, 1]))
    assert model.w.detach().flatten().tolist() == [1., 2., 3., 2., -5.]


def test_operators_of_extensions_are_refused_by_name():
    x = torch.ones(3, 2)
    for call, name in ((lambda x: torch.ops.openipu_extension.whole(x), "openipu_extension::whole"),
                       (lambda x: torch.ops.openipu_extension.on_data(x), "openipu_extension::on_data"),
                       (lambda x: torch.ops.torch_scatter.segment_sum_csr(x, torch.tensor([0, 2]), None),
                        "torch_scatter::segment_sum_csr")):
        with pytest.raises(poptorch.Error) as caught:
            run(call, x)
        assert f"Unsupported ops found in compiled model: [{name}]" in str(caught.value)
        assert "test_extensions.py:" in str(caught.value)
    assert torch.equal(run(lambda x: torch.ops.openipu_extension.made_of_others(x), x), torch.full((3, 2), 2.))
