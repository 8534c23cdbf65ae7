# SPDX-License-Identifier: MIT
"""Arguments of a model's calls. The first call fixes their form; later ones must have the same.

    signature = Signature(model.forward)                  once per wrapper
    call = signature.compile(args, kwargs)                at compilation: the form
    tensors = call.tensors(args, kwargs)                  at every call: checked, in order, as they are
    inputs = call.prepared(tensors)                       for the device: contiguous, detached
    args, kwargs = call.rebuild(other_tensors)            to call forward with others in their places
"""
import inspect

import torch

from poptorch._logging import logger
from poptorch.base.structure import _HINT, Leaf, is_array, structure_of
from poptorch.errors import createPoptorchError

_NARROW = {torch.int64: torch.int32, torch.float64: torch.float32, torch.bfloat16: torch.float32}
_PLAIN = {torch.float32, torch.float16, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool}
_Tensor = torch.Tensor
_detached = ("Input tensor has requires_grad=True set. This tensor will be detached because backward pass via inputs is not "
             "supported. (%s)")


def deviceType(dtype: torch.dtype, name: str = "") -> torch.dtype:
    """The type that values of a type have on the device."""
    if dtype in _PLAIN:
        return dtype
    if dtype not in _NARROW:
        raise createPoptorchError(f"Unsupported input type {dtype}{' of ' + name if name else ''}. Use "
                                  f"{', '.join(sorted(str(t)[6:] for t in _PLAIN | set(_NARROW)))}.")
    return _NARROW[dtype]


def _parameters(forward):
    """What a traced module takes stands in its schema alone."""
    try:
        return list(inspect.signature(forward).parameters.values())
    except ValueError:
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        return [inspect.Parameter(argument.name, kind) for argument in forward.schema.arguments[1:]]


class Signature:
    """The parameters of forward."""

    def __init__(self, forward):
        self._positional, self._keyword = [], {}
        self._rest = self._others = None
        for p in _parameters(forward):
            if p.kind is p.VAR_POSITIONAL:
                self._rest = p.name
            elif p.kind is p.VAR_KEYWORD:
                self._others = p.name
            elif p.kind is p.KEYWORD_ONLY:
                self._keyword[p.name] = p
            else:
                self._positional.append(p)

    def bind(self, args, kwargs):
        """(values, named): those of the positional parameters, without defaults at the end, and the others by name."""
        if len(args) > len(self._positional) and self._rest is None:
            names = ", ".join(p.name for p in self._positional)
            raise createPoptorchError(f"Number of positional arguments mismatch: forward takes {len(self._positional)}"
                                      f"{f' ({names})' if names else ''}, got {len(args)}.")
        self._check_names(kwargs)
        values, kwargs = list(args), dict(kwargs)
        used = len(values)
        for i, p in enumerate(self._positional):
            if p.name in kwargs and p.kind is not p.POSITIONAL_ONLY:
                if i < len(args):
                    raise createPoptorchError(f"The argument {p.name} is given twice.")
                values.append(kwargs.pop(p.name))
                used = i + 1
            elif i >= len(args):
                values.append(self._default(p))
                if isinstance(p.default, torch.Tensor):  # an input: later calls may give another
                    used = i + 1
        while used and used <= len(self._positional) and values[used - 1] is self._positional[used - 1].default \
                and not isinstance(values[used - 1], torch.Tensor):
            used -= 1
        for p in self._keyword.values():
            if p.name not in kwargs and not is_array(self._default(p)):  # which forward() takes itself
                kwargs[p.name] = self._default(p)
        return values[:used], kwargs

    def _check_names(self, kwargs):
        """Of arguments that are given by name."""
        known = [*(p.name for p in self._positional if p.kind is not p.POSITIONAL_ONLY), *self._keyword]
        unknown = [name for name in kwargs if name not in known]
        if unknown and self._others is None:
            raise createPoptorchError(f"forward has no parameter {unknown[0]}. "
                                      + (f"It has {', '.join(known)}." if known else "It has none with a name."))

    @staticmethod
    def _default(p):
        if p.default is p.empty:
            raise createPoptorchError(f"Mandatory parameter {p.name} missing. Missing arguments: {p.name}.")
        return p.default

    def names(self, count):
        """What positional values are called in messages."""
        fixed = [p.name for p in self._positional]
        return [fixed[i] if i < len(fixed) else f"{self._rest}[{i - len(fixed)}]" for i in range(count)]

    def compile(self, args, kwargs) -> "Call":
        """The form of a call."""
        return Call(self, *self.bind(args, kwargs))


class Call:
    """A form of arguments. names, dtypes: of its tensors, in order."""

    def __init__(self, signature, values, named):
        self._signature = signature
        self._parts = [structure_of(v, name) for v, name in zip(values, signature.names(len(values)))]
        self._named = structure_of(named, "")
        leaves = [leaf for part in self._parts for leaf in part.leaves()] + self._named.leaves()
        self.names = [leaf.name for leaf in leaves]
        self.dtypes = [leaf.dtype for leaf in leaves]
        self.device_dtypes = [deviceType(leaf.dtype, leaf.name) for leaf in leaves]
        # What is 64 bits wide is converted on its way to the device.
        self._casts = tuple(torch.float32 if leaf.dtype is torch.bfloat16 else None for leaf in leaves)
        self._told = set()
        # Tensors alone, by position: these are compared without a function call for each.
        plain = not named and all(type(part) is Leaf for part in self._parts)
        self._plain = tuple((leaf.dtype, leaf.shape) for leaf in leaves) if plain else None

    def tensors(self, args, kwargs) -> list:
        """The tensors of a call, in order; an Error that says what differs from the first one."""
        plain = self._plain
        if plain is not None and not kwargs and len(args) == len(plain):
            for value, (dtype, shape) in zip(args, plain):
                if not isinstance(value, _Tensor) or value.dtype is not dtype or value.shape != shape:
                    break
            else:
                return list(args)
        return self._checked(args, kwargs)

    def _checked(self, args, kwargs):
        values, named = self._signature.bind(args, kwargs)
        if len(values) != len(self._parts):
            self._refuse_count(values, args, kwargs)
        out = []
        for part, value in zip(self._parts, values):
            part.flatten(value, out)
        self._named.flatten(named, out)
        return out

    def _refuse_count(self, values, args, kwargs):
        """Of positional values. Those that the first call had and that are missing now, or are defaults, are named."""
        names = self._signature.names(len(self._parts))
        given, missing = {**dict(zip(names, args)), **kwargs}, names[len(values):]
        for name, part in zip(missing, self._parts[len(values):]):
            if name in given:
                part.flatten(given[name], [])  # says what differs
        text = f" Missing arguments: {', '.join(missing)}." if missing else ""
        raise createPoptorchError(f"Number of positional arguments mismatch: expected {len(self._parts)}, "
                                  f"got {len(values)}.{text}{_HINT}")

    def prepared(self, tensors) -> list:
        """What the device gets: contiguous, without gradients. Gives the list itself, changed."""
        for i, cast in enumerate(self._casts):
            tensor = tensors[i]
            if tensor.requires_grad:
                self._tell("requires_grad", _detached, i)
                tensors[i] = tensor = tensor.detach()
            if tensor.is_meta:
                raise createPoptorchError(f"{self.names[i]} is on the meta device: it has no values.")
            if cast is not None:
                tensors[i] = tensor = tensor.to(cast)
            if not tensor.is_contiguous():
                self._tell("contiguous", "Inputs that are not contiguous are copied at every call, for one %s.", i)
                tensors[i] = tensor.contiguous()
        return tensors

    def _tell(self, what, text, i):
        if what not in self._told:
            self._told.add(what)
            logger.warning(text, self.names[i])

    def rebuild(self, tensors):
        """(args, kwargs) with these tensors in the places of the first ones."""
        source = iter(tensors)
        return [part.build(source) for part in self._parts], self._named.build(source)
