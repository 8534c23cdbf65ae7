# SPDX-License-Identifier: MIT
"""Complex numbers as pairs of real ones, which the device has: of a complex tensor [...] it sees [..., 2], as
torch.view_as_real gives it. Enough for rotations and products; other operators are refused by name."""
import torch

from poptorch.base import compat
from poptorch.base.current import current, empty_meta
from poptorch.capture.tensors import IpuTensor, tensor_of
from poptorch.errors import Error


def is_pair(value):
    """Whether it is a complex tensor; those that operators without a converter made, such as FFTs, are none."""
    complexes = isinstance(value, torch.Tensor) and value.dtype.is_complex
    return complexes and (not isinstance(value, IpuTensor) or hasattr(value, "pair"))


def concerns(name, args):
    """Whether an operator makes or takes complex tensors."""
    return name in _makers or any(map(is_pair, (v for a in args for v in (a if isinstance(a, (list, tuple)) else (a,)))))


def call(capture, func, args, kwargs):
    """The operator on pairs."""
    name = func._schema.name[len("aten::"):]
    rule = _makers.get(name) or _rules.get(name)
    if rule is None or any(map(is_pair, kwargs.values())):
        raise Error("this operator has no form for complex numbers. Keep real and imaginary parts in real tensors: "
                    "torch.view_as_real gives both, and x * (cos + i sin) is (a cos - b sin, a sin + b cos).")
    with capture:
        return rule(*args, **{key: value for key, value in kwargs.items() if value is not None})


def _complex(pair):
    """The complex tensor of a pair."""
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
    return z if isinstance(z, IpuTensor) else _complex(_pair(z))


def _shaped(function):
    """A view whose second argument is a whole shape."""
    def rule(z, *size):
        size = size[0] if len(size) == 1 and isinstance(size[0], (list, tuple)) else size
        return _complex(function(_pair(z), (*size, 2)))
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


_makers = {"view_as_complex": _complex, "complex": _joined, "polar": lambda r, angle: _joined(r * angle.cos(), r * angle.sin())}
_rules = {
    "view_as_real": _pair, "real": lambda z: _parts(z)[0], "imag": lambda z: _parts(z)[1], "mul": _mul, "div": _div,
    "add": _sum_of(1), "sub": _sum_of(-1), "rsub": lambda a, b, alpha=1: _sum_of(-1)(b, a, alpha), "matmul": _matmul,
    "mm": _matmul, "bmm": _matmul, "neg": lambda z: _complex(-_pair(z)), "exp": _exp,
    "abs": lambda z: _pair(z).square().sum(-1).sqrt(), "angle": lambda z: torch.atan2(*reversed(_parts(z))),
    "reshape": _shaped(torch.Tensor.reshape), "view": _shaped(torch.Tensor.reshape), "expand": _shaped(torch.Tensor.expand),
    "unsqueeze": _along(torch.unsqueeze), "select": _along(torch.select), "narrow": _along(torch.narrow),
    "index_select": _along(torch.index_select), "transpose": _along(torch.transpose, 2), "cat": _cat(torch.cat),
    "slice": _along(lambda x, dim=0, *rest: torch.ops.aten.slice(x, dim, *rest)), "stack": _cat(torch.stack),
    "flatten": lambda z, first=0, last=-1: _complex(_pair(z).flatten(first % z.dim(), last % z.dim())),
    "squeeze": lambda z, dim: _complex(_pair(z).squeeze(dim % z.dim())), "sum": _sum(torch.sum), "mean": _sum(torch.mean),
    "permute": lambda z, dims: _complex(_pair(z).permute(*(d % z.dim() for d in dims), z.dim())),
    "index": lambda z, indices: _complex(torch.ops.aten.index(_pair(z), indices)),
    **{name: _conj for name in ("conj", "_conj", "conj_physical", "_conj_physical")},
    **{name: _same for name in ("clone", "contiguous", "detach", "alias", "to", "_to_copy", "resolve_conj", "resolve_neg",
                                "lift_fresh")},
}
