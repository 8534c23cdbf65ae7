# SPDX-License-Identifier: MIT
"""The parameters and buffers of a module, in torch's memory, and who has their newest values.

A training leaves the newest values on the device. Whoever reads a parameter, a buffer or the module's state on the
host gets them first: while a module is wrapped, it and its tensors have classes that ask the training for them.
"""
import contextlib
import weakref

import popart_core
import torch
from popart import _locks, _spelling

from poptorch.base import compat, notices
from poptorch.base.current import inner_name
from poptorch.base.hooks import gradient_hooks
from poptorch.errors import createPoptorchError
from poptorch.module import moving


class Weight:
    """One parameter or buffer; `values` is the memory that the device reads from and writes to: torch's own, or a copy
    in float of a double that is trained, and of a bfloat16, which the device computes with in float."""

    __slots__ = ("name", "tensor", "values", "trained", "settings", "shape", "memory", "is_copy")

    def __init__(self, name, tensor, trained, replicas=1):
        self.name, self.tensor, self.trained = name, tensor, trained
        plain = plain_data(tensor)
        if plain.layout is not torch.strided:
            raise createPoptorchError(f"Sparse tensors are not supported: {name} has the layout {plain.layout}. Use "
                                      "to_dense().")
        if not plain.is_contiguous():
            plain = plain.contiguous()
            _set_data(tensor, plain)
        self.values = plain
        group = getattr_plain(tensor, "_poptorch_replica_grouping", None)
        self.settings = group.settings if group else popart_core.VariableSettings()
        grouped = group is not None and group.groups(replicas, name, plain.shape) > 1
        self.shape = tuple(plain.shape[1:]) if grouped else tuple(plain.shape)
        self.memory = (plain.data_ptr(), tuple(plain.shape), tuple(plain.stride()), plain.dtype)
        self.is_copy = plain.dtype is torch.bfloat16 or trained and plain.dtype is torch.float64
        if self.is_copy:
            self.values = plain.float()

    def read_host(self):
        """A copy gets torch's values."""
        if self.is_copy:
            self.values.copy_(plain_data(self.tensor))

    def write_host(self):
        """torch's values become those of a copy."""
        if self.is_copy:
            plain_data(self.tensor).copy_(self.values)


def getattr_plain(tensor, name, default=None):
    """An attribute of a tensor, without the values being fetched for it."""
    return object.__getattribute__(tensor, "__dict__").get(name, default)


def plain_data(tensor):
    with compat.plain_function():
        return torch.Tensor.data.__get__(tensor)


def byte_range(tensor):
    """Where its first element begins and its last one ends, in memory."""
    first, last = tensor.data_ptr(), sum((n - 1) * step for n, step in zip(tensor.shape, tensor.stride()))
    return first, first + (last + 1) * tensor.element_size()


def _set_data(tensor, values):
    with compat.plain_function():
        torch.Tensor.data.__set__(tensor, values)


def weights_of(module, training, replicas=1):
    """All parameters and buffers, each once, by the first name it has."""
    found, seen, names = [], set(), set()
    for name, parameter in _named(module, "_parameters", names):
        if id(parameter) in seen:
            continue
        if torch.nn.parameter.is_lazy(parameter):
            raise createPoptorchError(f"The parameter {name} of a lazy module has no shape yet. Run the module once on the "
                                      "host before it is wrapped.")
        seen.add(id(parameter))
        with compat.plain_function():
            trained = training and parameter.requires_grad and parameter.is_floating_point()
        found.append(Weight(name, parameter, trained, replicas))
    for name, buffer in _named(module, "_buffers", names):
        if id(buffer) not in seen:
            seen.add(id(buffer))
            found.append(Weight(name, buffer, False, replicas))
    return found


def check_named_buffers(module, names):
    """Error for names of Options.updatableNamedBuffers that no buffer has."""
    known = dict(torch.nn.Module.named_buffers(module))
    for name in names or ():
        if name not in known:
            raise createPoptorchError(f"Options.updatableNamedBuffers: the model has no buffer {name!r}."
                                      + _spelling.hint(name, known))


def _named(module, kind, taken):
    """Names as PopART gets them, none that is taken."""
    for prefix, part in torch.nn.Module.named_modules(module):
        for name, tensor in getattr(part, kind).items():
            if tensor is not None:
                name = inner_name((prefix + "." if prefix else "") + name)
                while name in taken:
                    name += "-"
                taken.add(name)
                yield name, tensor


# ---- who has the newest values

_owners = weakref.WeakValueDictionary()  # id of a tensor -> the training that has it
_changes = 0  # of owners, counted


class OwnerOf:
    """The training that has any of some weights, other than `reader`. Asked at every call: it looks again only after
    changes."""

    def __init__(self, weights, reader):
        self._weights, self._reader = weights, weakref.ref(reader)
        self._seen, self._found = -1, None

    def get(self):
        if self._seen == _changes:
            if self._found is None:
                return None
            owner = self._found()
            if owner is not None:
                return owner
        reader, self._seen, self._found = self._reader(), _changes, None
        for weight in self._weights:
            owner = _owners.get(id(weight.tensor))
            if owner is not None and owner is not reader:
                self._found = weakref.ref(owner)
                return owner
        return None


def set_owner(weights, executor):
    global _changes
    _changes += 1
    for weight in weights:
        fetch(weight.tensor)  # from who had it
        _owners[id(weight.tensor)] = executor


def is_owned(weight):
    return _owners.get(id(weight.tensor)) is not None


def fetch(tensor):
    """Brings the newest values to the host if a device has them."""
    owner = _owners.get(id(tensor))
    if owner is not None and owner._weights.newer_on_device:
        owner.copyWeightsToHostIfNeeded()


@contextlib.contextmanager
def _reading(tensors):
    """The newest values of these are on the host, and nobody fetches newer ones meanwhile."""
    owners = {id(owner): owner for owner in (_owners.get(id(t)) for t in tensors) if owner is not None}
    with _locks.holding(owner._lock for owner in owners.values()):
        for tensor in tensors:
            fetch(tensor)
        yield


class _Fetching:
    """What a wrapped tensor's class adds: any look at it fetches its values, and a function of it has those of one step."""

    def __getattribute__(self, name):
        if not name.startswith("__"):
            fetch(self)
        value = super().__getattribute__(name)
        if name == "grad" and value is None and id(self) in _owners:
            notices.of_gradient(_owners[id(self)])
        return value

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        found = []
        for value in (*args, *kwargs.values()):
            if isinstance(value, _Fetching):
                found.append(value)
            elif isinstance(value, (list, tuple)):
                found += [entry for entry in value if isinstance(entry, _Fetching)]
        with _reading(found), compat.plain_function():
            return func(*args, **kwargs)

    def register_hook(self, hook):
        raise createPoptorchError(gradient_hooks)

    register_post_accumulate_grad_hook = register_hook

    def __repr__(self, **how):
        with _reading([self]):
            plain = plain_data(self)
            return repr(torch.nn.Parameter(plain, self.requires_grad) if isinstance(self, torch.nn.Parameter) else plain)

    def __reduce_ex__(self, protocol):
        fetch(self)
        if isinstance(self, torch.nn.Parameter):
            return torch.nn.Parameter.__reduce_ex__(self, protocol)
        return plain_data(self).__reduce_ex__(protocol)

    def __deepcopy__(self, memo):
        with _reading([self]):
            copied = plain_data(self).clone()
        if isinstance(self, torch.nn.Parameter):
            copied = torch.nn.Parameter(copied, self.requires_grad)
        memo[id(self)] = copied
        return copied


class WrappedParameter(_Fetching, torch.nn.Parameter):
    pass


class WrappedBuffer(_Fetching, torch.Tensor):
    pass


moving.indexed.update({WrappedParameter: moving.IndexedParameter, WrappedBuffer: moving.IndexedTensor})


def plain_class(tensor):
    return torch.nn.Parameter if isinstance(tensor, WrappedParameter) else torch.Tensor


def wrap_tensors(weights):
    for weight in weights:
        if type(weight.tensor) is torch.nn.Parameter:
            weight.tensor.__class__ = WrappedParameter
        elif type(weight.tensor) is torch.Tensor:
            weight.tensor.__class__ = WrappedBuffer


def unwrap_tensors(weights, executor):
    """Those that no other executor has taken over."""
    global _changes
    _changes += 1
    for weight in weights:
        if _owners.get(id(weight.tensor), executor) is not executor:
            continue
        if isinstance(weight.tensor, _Fetching):
            object.__setattr__(weight.tensor, "__class__", plain_class(weight.tensor))
        _owners.pop(id(weight.tensor), None)
