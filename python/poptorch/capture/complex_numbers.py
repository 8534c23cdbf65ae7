# SPDX-License-Identifier: MIT
"""Complex numbers as pairs of real ones, which the device has: of a complex tensor [...] it sees [..., 2], as
torch.view_as_real gives it. Enough for rotations, products and Fourier transforms; other operators are refused by name."""
import torch

from poptorch.base import compat
from poptorch.base.current import current, empty_meta
from poptorch.capture.tensors import IpuTensor, tensor_of
from poptorch.errors import Error
from poptorch.operators import fourier


def is_pair(value):
    """Whether it is a complex tensor; those that operators without a converter made, such as eigenvalues, are none."""
    complexes = isinstance(value, torch.Tensor) and value.dtype.is_complex
    return complexes and (not isinstance(value, IpuTensor) or hasattr(value, "pair"))


def _is_complex(value):
    return value.is_complex if isinstance(value, torch.dtype) else is_pair(value)


def concerns(name, args, kwargs):
    """Whether an operator makes or takes complex tensors."""
    transform = name.startswith("fft_") and isinstance(args[0], torch.Tensor)  # others make frequencies of numbers
    return (name in _makers or transform or _is_complex(kwargs.get("dtype"))
            or any(map(_is_complex, (v for a in args for v in (a if isinstance(a, (list, tuple)) else (a,))))))


def call(capture, func, args, kwargs):
    """The operator on pairs."""
    name = func._schema.name[len("aten::"):]
    rule = _makers.get(name) or _rules.get(name)
    if any(map(is_pair, kwargs.values())):
        rule = None
    elif rule is None and name in _written:
        rule = _in_place(_written[name])
    elif rule is None and name in ("transpose_", "squeeze_", "unsqueeze_"):
        rule = _reshaped_in_place(func, _rules[name[:-1]])
    elif rule is None and compat.is_composite(func):
        rule = _widened(func.decompose) if name.startswith("fft_") else func.decompose
    if rule is None:
        raise Error("this operator has no form for complex numbers. Keep real and imaginary parts in real tensors: "
                    "torch.view_as_real gives both, and x * (cos + i sin) is (a cos - b sin, a sin + b cos).")
    with capture:
        return rule(*args, **{key: value for key, value in kwargs.items() if value is not None})


def _widened(rule):
    """Torch has no transforms of half precision on the host."""
    def widened(*args, **keywords):
        return rule(*(v.float() if isinstance(v, IpuTensor) and v.dtype in (torch.half, torch.bfloat16) else v for v in args),
                    **keywords)
    return widened


def _complex(pair):
    """The complex tensor of a pair, also of one that is a parameter or a constant."""
    pair = current().wrap(pair)
    made = tensor_of(empty_meta(pair.shape[:-1], torch.complex64), pair.number)
    made.pair, made.capture = pair, pair.capture
    return made


def _pair(value):
    """Real and imaginary parts of a tensor, or of a number, in a last dimension."""
    if not isinstance(value, torch.Tensor):
        value = complex(value)
        return torch.tensor([value.real, value.imag])
    if isinstance(value, IpuTensor):
        return value.pair if value.dtype.is_complex else torch.stack([value, torch.zeros_like(value)], -1)
    if not value.dtype.is_complex:
        return _pair(current().wrap(value))
    if value.requires_grad:
        raise Error("Complex parameters are not trained on the device. Keep real and imaginary parts in a real parameter and "
                    "use torch.view_as_complex in forward().")
    known = current().state.setdefault("complex constants", {})  # the tensors too: their numbers stay theirs
    if id(value) not in known:
        with compat.undispatched():
            real = torch.view_as_real(value.detach().resolve_conj()).to(torch.float32).contiguous()
        known[id(value)] = value, current().wrap(real)
    return known[id(value)][1]


def _parts(value):
    return _pair(value).unbind(-1)


def _joined(real, imaginary):
    return _complex(torch.stack(torch.broadcast_tensors(real, imaginary), -1))


def _is_real(value):
    return not value.dtype.is_complex if isinstance(value, torch.Tensor) else not isinstance(value, complex)


def _wide(value):
    """A real factor of pairs."""
    return value.unsqueeze(-1) if isinstance(value, torch.Tensor) else value


def _mul(a, b):
    if _is_real(a):
        a, b = b, a
    if _is_real(b):
        return _complex(_pair(a) * _wide(b))
    (ar, ai), (br, bi) = _parts(a), _parts(b)
    return _joined(ar * br - ai * bi, ar * bi + ai * br)


def _div(a, b):
    if _is_real(b):
        return _complex(_pair(a) / _wide(b))
    (ar, ai), (br, bi) = _parts(a), _parts(b)
    square = br * br + bi * bi
    return _joined((ar * br + ai * bi) / square, (ai * br - ar * bi) / square)


def _sum_of(sign):
    return lambda a, b, alpha=1: _complex(_pair(a) + sign * alpha * _pair(b))


def _matmul(a, b):
    (ar, ai), (br, bi) = _parts(a), _parts(b)
    return _joined(ar @ br - ai @ bi, ar @ bi + ai @ br)


def _conj(z):
    real, imaginary = _parts(z)
    return _joined(real, -imaginary)


def _exp(z):
    real, imaginary = _parts(z)
    return _joined(real.exp() * imaginary.cos(), real.exp() * imaginary.sin())


def _same(z, *rest, dtype=None, **keywords):
    kind = next((v for v in (dtype, *rest) if isinstance(v, torch.dtype)), None)
    if kind is not None and not kind.is_complex:
        raise Error("a cast to real numbers would drop imaginary parts: use .real or torch.view_as_real.")
    return z if is_pair(z) and isinstance(z, IpuTensor) else _complex(_pair(z))


def _copy(z, *rest, **keywords):
    return _complex(_pair(_same(z, *rest, **keywords)).clone())


def _zeros(size, **keywords):
    return _complex(torch.zeros((*size, 2)))


def _zeros_like(z, size=None, dtype=None, **keywords):
    size = z.shape if size is None else size
    return _zeros(size) if dtype is None or dtype.is_complex else torch.zeros(size, dtype=dtype)


def _in_place(rule):
    """Its result is written into the first argument's memory, which views share."""
    def written(z, *rest, **keywords):
        if not isinstance(z, IpuTensor) or not z.dtype.is_complex:
            raise Error("complex numbers are written into complex tensors that forward() made, not into real ones, "
                        "parameters, buffers or constants. Keep real and imaginary parts in real tensors.")
        z.pair.copy_(_pair(rule(z, *rest, **keywords)))
        return z
    return written


def _reshaped_in_place(func, rule):
    def reshaped(z, *rest):
        view = rule(z, *rest)
        with compat.undispatched():
            func(z, *rest)
        z.become(view.meta, view.number)
        z.pair = view.pair
        return z
    return reshaped


def _shaped(function):
    """A view whose second argument is a whole shape."""
    def rule(z, *size):
        shape = size[0] if len(size) == 1 and isinstance(size[0], (list, tuple)) else size
        return _complex(function(_pair(z), (*shape, 2)))
    return rule


def _along(function, places=1):
    """A function of dimensions that come as the first numbers behind the tensor."""
    def rule(z, *rest):
        shift = [d - 1 if isinstance(d, int) and d < 0 else d for d in rest[:places]]
        return _complex(function(_pair(z), *shift, *rest[places:]))
    return rule


def _cat(function):
    def rule(tensors, dim=0):
        return _complex(function([_pair(t) for t in tensors], dim - 1 if dim < 0 else dim))
    return rule


def _sum(function):
    def rule(z, dim=None, keepdim=False, dtype=None):
        dims = list(range(z.dim())) if dim is None or dim == [] else [d % z.dim() for d in dim]
        return _complex(function(_pair(z), dims, keepdim))
    return rule


def _all(pairs):
    return [_complex(pair) for pair in pairs]


def _dims(z, dims):
    return [d % z.dim() for d in dims]


def _abs(z):
    """With derivative 0 at 0, as torch's."""
    square = _pair(z).square().sum(-1)
    nothing = square == 0
    return torch.where(nothing, 0.0, torch.where(nothing, 1.0, square).sqrt())


def _roll(z, shifts, dims=()):
    if dims:
        return _complex(_pair(z).roll(shifts, _dims(z, dims)))
    return _complex(_pair(z).reshape(-1, 2).roll(shifts, 0).reshape(*z.shape, 2))


def _pad(z, places, value=0):
    if value != 0:
        raise Error("complex tensors are padded with 0 alone.")
    return _complex(torch.nn.functional.pad(_pair(z), (0, 0, *places)))


_makers = {
    "view_as_complex": _complex, "complex": _joined, "polar": lambda r, angle: _joined(r * angle.cos(), r * angle.sin()),
    "_fft_r2c": lambda x, *how: _complex(fourier.real_to_complex(x.float(), *how)),
}
_rules = {
    "view_as_real": _pair, "real": lambda z: _parts(z)[0], "imag": lambda z: _parts(z)[1], "mul": _mul, "div": _div,
    "reciprocal": lambda z: _div(1, z), "abs": _abs, "angle": lambda z: torch.atan2(*reversed(_parts(z))),
    "add": _sum_of(1), "sub": _sum_of(-1), "rsub": lambda a, b, alpha=1: _sum_of(-1)(b, a, alpha), "matmul": _matmul,
    "mm": _matmul, "bmm": _matmul, "neg": lambda z: _complex(-_pair(z)), "exp": _exp,
    "_fft_c2c": lambda z, *how: _complex(fourier.complex_to_complex(_pair(z).float(), *how)),
    "_fft_c2r": lambda z, *how: fourier.complex_to_real(_pair(z).float(), *how),
    "reshape": _shaped(torch.Tensor.reshape), "view": _shaped(torch.Tensor.reshape), "expand": _shaped(torch.Tensor.expand),
    "unsqueeze": _along(torch.unsqueeze), "select": _along(torch.select), "narrow": _along(torch.narrow),
    "index_select": _along(torch.index_select), "transpose": _along(torch.transpose, 2), "cat": _cat(torch.cat),
    "slice": _along(lambda x, dim=0, *rest: torch.ops.aten.slice(x, dim, *rest)), "stack": _cat(torch.stack),
    "t": lambda z: _complex(_pair(z).transpose(0, z.dim() - 1)), "roll": _roll, "constant_pad_nd": _pad,
    "unbind": lambda z, dim=0: _all(_pair(z).unbind(dim % z.dim())),
    **{name: lambda z, sizes, dim=0: _all(_pair(z).split(sizes, dim % z.dim())) for name in ("split", "split_with_sizes")},
    "flip": lambda z, dims: _complex(_pair(z).flip(_dims(z, dims))),
    "flatten": lambda z, first=0, last=-1: _complex(_pair(z).flatten(first % z.dim(), last % z.dim())),
    "squeeze": lambda z, dim: _complex(_pair(z).squeeze(dim % z.dim())), "sum": _sum(torch.sum), "mean": _sum(torch.mean),
    "permute": lambda z, dims: _complex(_pair(z).permute(*_dims(z, dims), z.dim())),
    "index": lambda z, indices: _complex(torch.ops.aten.index(_pair(z), indices)),
    "zeros": _zeros, "empty": _zeros, "clone": _copy, "_to_copy": _copy,
    **{name: _zeros_like for name in ("zeros_like", "empty_like", "new_zeros", "new_empty")},
    **{name: _conj for name in ("conj", "_conj", "conj_physical", "_conj_physical")},
    **{name: _same for name in ("contiguous", "detach", "alias", "to", "resolve_conj", "resolve_neg", "lift_fresh")},
}
_written = {"copy_": lambda z, other, *rest: other, "zero_": lambda z: 0,
            **{f"{name}_": _rules[name] for name in ("mul", "div", "add", "sub", "neg")}}
