# SPDX-License-Identifier: MIT
"""Types and shapes of results that torch's meta tensors do not tell: of layers it has no meta kernels for, and of
operators that look at values. Rules get meta tensors; those that look at values a function before them: a meta
tensor's values, None if they are known only when the model runs."""
import torch

from poptorch.errors import Error
from poptorch.operators import loss_shapes


def _lstm(input, hx, params, has_biases, layers, dropout, train, bidirectional, batch_first):
    h, c = hx[0], hx[1]
    width = h.size(2) * (2 if bidirectional else 1)
    return (input.new_empty(*input.shape[:2], width), torch.empty_like(h), torch.empty_like(c))


def _rnn(input, hx, params, has_biases, layers, dropout, train, bidirectional, batch_first):
    width = hx.size(2) * (2 if bidirectional else 1)
    return input.new_empty(*input.shape[:2], width), torch.empty_like(hx)


def _col2im(self, output_size, kernel_size, dilation, padding, stride):
    """Its meta kernel mistakes dilations and paddings that differ by axis."""
    return self.new_empty((*self.shape[:-2], self.size(-2) // (kernel_size[0] * kernel_size[1]), *output_size))


def _same(input, *rest, **kwargs):
    return torch.empty_like(input)


def _full(size, fill_value, dtype=None, **kwargs):
    if dtype is None:  # torch's meta kernel does not look at the value
        dtype = {bool: torch.bool, int: torch.int64}.get(type(fill_value), torch.get_default_dtype())
    return torch.empty(size, dtype=dtype, device="meta")


def _arange(*bounds, dtype=None, **kwargs):
    if dtype is None:
        dtype = torch.get_default_dtype() if any(isinstance(b, float) for b in bounds) else torch.int64
    return torch.arange(*bounds, dtype=dtype, device="meta")


# ---- operators that look at values

def _unbounded(advice):
    def rule(*args, **kwargs):
        raise Error("The shape of a result depends on values, but shapes are fixed when a model is captured. " + advice)
    return rule


_masks = "Use torch.where(mask, a, b), or multiply with the mask."


def _index(value, self, indices):
    """Masks stand for the indices of their true elements."""
    parts = []
    for index in indices:
        if index is None or index.dtype not in (torch.bool, torch.uint8):
            parts.append(index)
        elif value(index) is None:
            _unbounded(_masks)()
        else:
            places = value(index).nonzero()
            parts += [torch.empty(len(places), dtype=torch.int64, device="meta")] * places.size(1)
    return torch.ops.aten.index.Tensor(self, parts)


def _masked_select(value, self, mask):
    if value(mask) is None:
        _unbounded(_masks)()
    shape = torch.broadcast_shapes(self.shape, mask.shape)
    return self.new_empty(int(value(mask).expand(shape).count_nonzero()))


def _narrow(self, dim, start, length):
    # Where a part begins may be known only when the model runs; it shares the tensor's memory all the same.
    return torch.narrow(self, dim, 0 if isinstance(start, torch.Tensor) else start, length)


def _repeat_interleave(value, self, repeats=None, dim=None, *, output_size=None):
    if repeats is None:  # the numbers of the entries themselves
        self, repeats, dim = torch.empty(self.shape, dtype=torch.int64, device="meta"), self, 0
    if dim is None:
        self, dim = self.flatten(), 0
    shape = list(self.shape) or [1]
    if not isinstance(repeats, torch.Tensor):
        shape[dim] *= repeats
    elif value(repeats) is None:
        _unbounded("Repeats must be a number, or a tensor made outside of forward().")()
    else:
        shape[dim] = int(value(repeats).expand(shape[dim]).sum())
    return self.new_empty(shape)


def _cdist(x1, x2, p=2.0, compute_mode=None):
    batch = torch.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
    return x1.new_empty((*batch, x1.size(-2), x2.size(-2)))


def _one_hot(self, num_classes=-1):
    if num_classes < 1:
        _unbounded("OneHot num classes must be specified and must be constant. Give num_classes.")()
    return self.new_empty((*self.shape, num_classes), dtype=torch.int64)


def _bincount(self, weights=None, minlength=0):
    if minlength < 1:
        _unbounded("Bincount `minlength` must be specified and must be a constant. On the IPU MK2 platform the minimum length "
                   "is also the maximum length: numbers at or above it are errors.")()
    kind = torch.int64 if weights is None else weights.dtype if weights.dtype is torch.float else torch.double
    return self.new_empty(minlength, dtype=kind)


shape_rules = {f"aten::{name}": rule for name, rule in {
    "lstm": _lstm, "gru": _rnn, "rnn_tanh": _rnn, "rnn_relu": _rnn,
    "dropout": _same, "feature_dropout": _same, "alpha_dropout": _same, "prelu": _same, "col2im": _col2im,
    "full": _full, "arange": _arange, **loss_shapes.rules,
    "cdist": _cdist, "_cdist_forward": _cdist, "narrow": _narrow, "one_hot": _one_hot, "bincount": _bincount,
    "nonzero": _unbounded(_masks), "argwhere": _unbounded(_masks),
    "_unique": _unbounded("Compute it on the host."), "_unique2": _unbounded("Compute it on the host."),
    "unique_dim": _unbounded("Compute it on the host."), "unique_consecutive": _unbounded("Compute it on the host."),
}.items()}
value_rules = {f"aten::{name}": rule for name, rule in {
    "index": _index, "masked_select": _masked_select, "repeat_interleave": _repeat_interleave,
}.items()}
