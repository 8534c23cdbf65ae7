# SPDX-License-Identifier: MIT
"""x[i], x[i:i + k] and writes to them where i is known only when the model runs: parts whose place moves.

torch asks for the value of such an i at once. While a model is captured these become torch.narrow with a tensor.
"""
import torch

from poptorch.base import compat
from poptorch.base.current import current
from poptorch.base.hooks import gradient_hooks
from poptorch.errors import Error


def _moves(index):
    """Whether it is an integer that is only known when the model runs."""
    return (getattr(index, "number", None) is not None and index.numel() == 1 and not index.dtype.is_floating_point
            and index.dtype is not torch.bool and index.value is None)


def _length(part):
    """Of a slice that moves, to the last element that its steps meet: its bounds are the same tensor and numbers."""
    if not _moves(part.start) or not _moves(part.stop):
        return None
    start, stop = (bound.offset or (bound.number, 0) for bound in (part.start, part.stop))
    if start[0] != stop[0]:
        return None
    length = stop[1] - start[1]
    return length - (length - 1) % (part.step or 1) if length > 0 else length


def _is_moving(part):
    if isinstance(part, slice):
        return _length(part) is not None
    return _moves(part) and part.dim() == 0


def _width(part):
    """How many dimensions an index is for."""
    if part is None or part is Ellipsis:
        return 0
    return part.dim() if isinstance(part, torch.Tensor) and part.dtype in (torch.bool, torch.uint8) else 1


def _fixed(tensor, index):
    """The tensor narrowed to the parts that move, and an index without them."""
    parts = index if isinstance(index, tuple) else (index,)
    if not any(map(_is_moving, parts)):
        return tensor, index
    dim, rest, out = 0, tensor.dim() - sum(map(_width, parts)), []
    for part in parts:
        if not _is_moving(part):
            out.append(part)
        elif isinstance(part, slice):
            tensor = torch.narrow(tensor, dim, part.start.reshape(()), _length(part))
            out.append(slice(None, None, part.step))
        else:
            tensor = torch.narrow(tensor, dim, part, 1)
            out.append(0)
        dim += rest if part is Ellipsis else _width(part)
    return tensor, tuple(out)


def offset(name, args, wrap):
    """(number of a tensor, k) for what an operator makes that is this tensor plus k; None for everything else."""
    if name not in ("aten::add", "aten::sub") or len(args) != 2:
        return None
    a, b = (wrap(v) if isinstance(v, torch.Tensor) else v for v in args)
    if not _moves(a) and _moves(b) and name == "aten::add":
        a, b = b, a
    k = b.value if isinstance(b, torch.Tensor) else b
    if not _moves(a) or k is None or int(k) != k:
        return None
    start = a.offset or (a.number, 0)
    return start[0], start[1] + (int(k) if name == "aten::add" else -int(k))


class Indexed:
    """What a class adds to tensors with data that may be indexed so, as those of a capture may."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func in _item_functions:
            return _item_functions[func](*args)
        with compat.plain_function():
            return func(*args, **(kwargs or {}))

    def register_hook(self, hook):
        problem = Error(gradient_hooks)
        raise current().located("register_hook()", problem) if current() else problem

    @property
    def device(self):
        """All that a model computes with is in one place: what is made with device=self.weight.device too."""
        return torch.device("ipu:0")


def getitem(tensor, index):
    tensor, index = _fixed(tensor, index)
    with compat.plain_function():
        return torch.Tensor.__getitem__(tensor, index)


def setitem(tensor, index, value):
    tensor, index = _fixed(tensor, index)
    with compat.plain_function():
        return torch.Tensor.__setitem__(tensor, index, value)


_item_functions = {torch.Tensor.__getitem__: getitem, torch.Tensor.__setitem__: setitem}


class IndexedTensor(Indexed, torch.Tensor):
    pass


class IndexedParameter(Indexed, torch.nn.Parameter):
    pass


indexed = {torch.Tensor: IndexedTensor, torch.nn.Parameter: IndexedParameter}


def _twin(tensor, kind):
    with torch.inference_mode(tensor.is_inference()):  # a parameter that was made in it needs a gradient only there
        made = compat.make_subclass(kind, tensor.data, tensor.requires_grad)
    made.__dict__.update(tensor.__dict__)
    return made


class Twins:
    """Tensors that the modules of a model have as members, each with a twin in its place that sees the same memory. The
    modules are an executor's own copies: nobody else meets a twin. real: id of a twin -> the tensor."""

    def __init__(self, model):
        self._made, self.real, self._places = {}, {}, []
        for module in torch.nn.Module.modules(model):
            if not isinstance(module, torch.jit.ScriptModule):
                self._places += [module.__dict__[kind] for kind in ("_parameters", "_buffers")] + [module.__dict__]

    def place(self):
        for place in self._places:
            for name, tensor in place.items():
                if type(tensor) in indexed and tensor.layout is torch.strided:
                    place[name] = self._twin_of(tensor)

    def _twin_of(self, tensor):
        twin = self._made.get(id(tensor))
        if twin is None:
            twin = self._made[id(tensor)] = _twin(tensor, indexed[type(tensor)])
            self.real[id(twin)] = tensor
        return twin

    def remove(self):
        for place in self._places:
            for name, tensor in place.items():
                if id(tensor) in self.real:
                    place[name] = self.real[id(tensor)]
