# SPDX-License-Identifier: MIT
"""The tensors that forward() sees while a model is captured: without values, but for those that are known."""
import torch

from poptorch import poptorch_core as core
from poptorch.base import compat
from poptorch.base.current import current
from poptorch.base.hooks import gradient_hooks
from poptorch.capture.constants import part_of
from poptorch.errors import Error
from poptorch.module import moving

no_value = ("A value of a tensor is needed while the model is captured (item(), bool(), int() or float() of a tensor, "
            "or an if on one), but it is known only when the model runs. Use torch.where, poptorch.cond or "
            "poptorch.for_loop, or compute it outside of forward(); poptorch.ipu_print_tensor prints it.")


class IpuTensor(torch.Tensor):
    """A tensor of a model that is being captured: type and shape, and a number in the recording."""

    @staticmethod
    def __new__(cls, meta, number, value=None):
        self = compat.make_wrapper(
            cls, meta.size(), strides=meta.stride(), dtype=meta.dtype, device="cpu")
        self.root = self  # the tensor whose memory it sees
        self.known, self.writes, self.seen_writes = value, 0, 0
        self.offset = None  # (number, k): that tensor's integer plus k
        self._bounds = None
        self.copied = None  # (a tensor, how often it had been written): it had the same values then
        self.become(meta, number)
        return self

    def see(self, other):
        """Its memory is the other's."""
        self.root, self.seen_writes, self._bounds = other.root, other.root.writes, other.bounds

    def constant(self):
        """What is Known of its values; None if they are computed, or were written over with such."""
        root = self.root
        if self.seen_writes != root.writes and root.known and root.seen_writes == root.writes:  # written through another view
            self.known, self.seen_writes = part_of(root.known, root.meta, self.meta), root.writes
            self._bounds = self.copied = None
        return self.known if self.seen_writes == root.writes else None

    def is_still(self, other):
        """Whether it has the other's values: it sees the same memory, or is a copy and neither was written since."""
        tensor = self
        while not tensor._is_seen_by(other):
            before, writes = tensor.copied or (None, 0)
            if before is None or tensor.seen_writes != tensor.root.writes or writes != before.root.writes:
                return False
            tensor = before
        return True

    def _is_seen_by(self, other):
        mine, theirs = ((t.dtype, t.shape, t.meta.stride(), t.meta.storage_offset()) for t in (self, other))
        return self.root is other.root and mine == theirs

    @property
    def bounds(self):
        """(a, b) if all of it is known to be at least a and below b."""
        return self._bounds if self.seen_writes == self.root.writes else None

    @bounds.setter
    def bounds(self, bounds):
        self._bounds = bounds

    @property
    def value(self):
        known = self.constant()
        return known and known.get()

    def become(self, meta, number):
        self.meta, self.number = meta, number
        self.ref = core.TensorRef(number)

    __torch_function__ = compat.disabled_torch_function

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        flat = (v for a in args for v in (a if isinstance(a, (list, tuple)) else [a]))
        capture = next((v.capture() for v in flat if isinstance(v, IpuTensor)), None)
        if capture is not None and capture.running:
            capture.stray = Error(f"{func} is called on a tensor of the model by another thread than the one that runs "
                                  "forward(). Compute everything on that thread.")
            raise capture.stray
        raise Error(f"{func} is called on a tensor of a model after the model was captured. Return the tensor "
                    "from forward() to get its values.")

    @property
    def device(self):
        return torch.device("ipu:0")

    def storage_offset(self):
        return self.meta.storage_offset()

    def __repr__(self):
        return f"tensor(<unavailable>, size={tuple(self.size())}, dtype={self.dtype}, device='ipu:0')"

    def _located(self, name, problem):
        return current().located(name, problem) if current() else problem

    def _on_host(self, name, read):
        if self.value is None:
            raise self._located(name, Error(no_value))
        with compat.undispatched():
            return read(self.value)

    def numpy(self, **kwargs):
        return self._on_host("numpy()", lambda value: value.numpy(**kwargs))

    def tolist(self):
        return self._on_host("tolist()", lambda value: value.tolist())

    def __array__(self, *args, **kwargs):
        return self._on_host("numpy()", lambda value: value.__array__(*args, **kwargs))

    def register_hook(self, hook):
        raise self._located("register_hook()", Error(gradient_hooks))

    def __format__(self, how):
        return repr(self) if not how else self._on_host("format()", lambda value: format(value, how))

    __getitem__, __setitem__ = moving.getitem, moving.setitem

    def __deepcopy__(self, memo):
        raise Error("A tensor of a model that is being captured has no values to copy; use clone().")


class IpuNumber(moving.Indexed, IpuTensor):
    """One integer: torch asks an index what it makes of a tensor, also of one that the capture does not know."""


for _kind in (IpuTensor, IpuNumber):
    _kind.__name__ = _kind.__qualname__ = "Tensor"  # torch's errors name the types of arguments


def tensor_of(meta, number, value=None):
    one_integer = meta.numel() == 1 and not meta.dtype.is_floating_point and meta.dtype is not torch.bool
    return (IpuNumber if one_integer else IpuTensor)(meta, number, value)
