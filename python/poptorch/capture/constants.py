# SPDX-License-Identifier: MIT
"""Values that are known while a model is captured: constants, and what masks and indices are made of them with.

They are computed when somebody asks: a mask that selects elements, an if, int() of a tensor.
"""
import torch

from poptorch.base import compat

# Operators that such values may go through. They give the same every time.
_names = """arange eye full linspace ones scalar_tensor zeros full_like ones_like zeros_like new_full new_ones new_zeros abs add
all amax amin any argmax argmin argsort bitwise_and bitwise_not bitwise_or bitwise_xor bucketize cat ceil clamp
clamp_max clamp_min clone constant_pad_nd copy cos count_nonzero cumprod cumsum diag diag_embed diagonal div eq exp
expand fill flip floor floor_divide fmod gather ge gt index index_add index_copy index_fill index_put index_select
isin isinf isnan le lift_fresh lift_fresh_copy log log2 logical_and logical_not logical_or logical_xor lt masked_fill
masked_select matmul max maximum mean min minimum mm mul ne neg nonzero one_hot outer permute pow prod reciprocal
remainder repeat repeat_interleave roll round rsqrt rsub scatter scatter_add searchsorted select sign sin slice sort
split split_with_sizes sqrt square squeeze stack sub sum t to topk transpose tril tril_indices triu triu_indices trunc
unbind unfold unsqueeze view where zero _reshape_alias _to_copy _unsafe_view alias contiguous detach narrow
""".split()
_foldable = {f"aten::{name}" for name in _names}
_orders = {"lt": torch.lt, "le": torch.le, "gt": torch.gt, "ge": torch.ge}


class Known:
    """The value of a constant, or how it is made of others."""

    def __init__(self, value=None, make=None):
        self._value, self._make = value, make

    def get(self):
        if self._value is None:
            with compat.undispatched():
                self._value = self._make()
        return self._value


def decided(name, args, bounds):
    """A comparison with a number that comes out the same for all that a tensor can be: torch.rand(()) < 0 is False. None
    if it does not, and for everything else. bounds(tensor): (the least, what it stays below), or None."""
    compare = _orders.get(name[len("aten::"):])
    if compare is None or len(args) != 2 or not isinstance(args[0], torch.Tensor) or isinstance(args[1], torch.Tensor):
        return None
    between = bounds(args[0])
    if between is None:
        return None
    low, high = between
    least, most = torch.tensor(low, dtype=torch.double), torch.nextafter(torch.tensor(high, dtype=torch.double), torch.tensor(
        low, dtype=torch.double))
    answers = [bool(compare(value, args[1])) for value in (least, most)]
    return Known(torch.full(args[0].shape, answers[0])) if answers[0] == answers[1] else None


def derived(name, func, args, kwargs, known, writes=False, part=None):
    """What an operator makes of known values; None if one is unknown. known: a tensor's Known, or None. part: which one
    of several results. An operator that writes does so on a copy."""
    if (name[:-1] if writes else name) not in _foldable:
        return None
    unknown = []

    def of(value):
        if isinstance(value, torch.Tensor):
            value = known(value)
            if value is None:
                unknown.append(True)
        elif isinstance(value, (list, tuple)):
            return [of(v) for v in value]
        return value

    args, kwargs = of(args), {key: of(value) for key, value in kwargs.items() if key not in ("device", "pin_memory")}
    if unknown:
        return None

    def real(value):
        if isinstance(value, Known):
            return value.get()
        return [real(v) for v in value] if isinstance(value, list) else value

    def make():
        values = real(args)
        if writes:
            values[0] = values[0].clone()
        result = func(*values, **{key: real(value) for key, value in kwargs.items()})
        return result if part is None else result[part]

    return Known(make=make)


def _laid_out(whole, meta):
    """A copy that lies in memory as the meta tensor says."""
    return torch.empty_strided(meta.size(), meta.stride(), dtype=meta.dtype).copy_(whole.get())


def part_of(whole, meta, part_meta):
    """A view of a tensor. meta, part_meta: how both lie in the memory that they share."""
    begin = part_meta.storage_offset() - meta.storage_offset()
    return Known(make=lambda: _laid_out(whole, meta).as_strided(part_meta.size(), part_meta.stride(), begin))


def with_part(whole, meta, part_meta, part):
    """What a tensor is once a view of it has other values."""
    begin = part_meta.storage_offset() - meta.storage_offset()

    def make():
        made = _laid_out(whole, meta)
        made.as_strided(part_meta.size(), part_meta.stride(), begin).copy_(part.get())
        return made

    return Known(make=make)
