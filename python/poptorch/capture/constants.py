# SPDX-License-Identifier: MIT
"""Values that are known while a model is captured: constants, and what masks and indices are made of them with.

They are computed when somebody asks: a mask that selects elements, an if, int() of a tensor.
"""
import torch

# Operators that such values may go through. They give the same every time.
_names = """arange eye full linspace ones scalar_tensor zeros full_like ones_like zeros_like
abs add all amax amin any argmax argmin argsort bitwise_and bitwise_not bitwise_or bitwise_xor cat clamp clone cumsum
diagonal div eq expand flip floor_divide ge gt index index_select isin le logical_and logical_not logical_or logical_xor
lt masked_fill max maximum mean min minimum mul ne neg permute pow remainder repeat roll round rsub select slice sort
squeeze stack sub sum t to transpose tril triu unsqueeze view where _reshape_alias _to_copy _unsafe_view alias contiguous detach
""".split()
_foldable = {f"aten::{name}" for name in _names}


class Known:
    """The value of a constant, or how it is made of others."""

    def __init__(self, value=None, make=None):
        self._value, self._make = value, make

    def get(self):
        if self._value is None:
            unseen = torch._C._DisableTorchDispatch()  # noqa: F841 (it counts as long as it lives)
            try:
                self._value = self._make()
            finally:
                del unseen
        return self._value


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
