# SPDX-License-Identifier: MIT
"""torch's segment_reduce, and the operators of the package torch_scatter, made of torch's: elements of src with the same index
along an axis are reduced to one. Where an index does not occur stands 0 (of products 1), and size(dim) as the place of the
extremum."""
import math
from typing import Any

import torch

from poptorch.errors import Error


def _broadcast(index, src, dim):
    """The index of every element; one of one axis is that of dim."""
    if index.dim() == 1:
        index = index.reshape([-1 if d == dim else 1 for d in range(src.dim())])
    while index.dim() < src.dim():
        index = index.unsqueeze(-1)
    return index.expand(src.shape)


def _target(src, index, dim, size, fill):
    """What the result is before there is anything in it."""
    shape = list(src.shape)
    if size is None and index.numel():
        largest = index.max()
        if getattr(largest, "value", largest) is None:
            raise Error("The shape of the result depends on the index, which is known only when the model runs. Give dim_size.")
        size = int(largest) + 1
    shape[dim] = size or 0
    return torch.full(shape, fill, dtype=src.dtype)


def _written(out, result):
    return result if out is None else out.copy_(result)


def scatter_sum(src, index, dim=-1, out=None, dim_size=None):
    dim %= src.dim()
    index = _broadcast(index, src, dim)
    before = _target(src, index, dim, dim_size, 0) if out is None else out
    return _written(out, before.scatter_add(dim, index, src))


def scatter_mul(src, index, dim=-1, out=None, dim_size=None):
    dim %= src.dim()
    index = _broadcast(index, src, dim)
    before = _target(src, index, dim, dim_size, 1) if out is None else out
    return _written(out, torch.scatter_reduce(before, dim, index, src, "prod"))


def scatter_mean(src, index, dim=-1, out=None, dim_size=None):
    dim %= src.dim()
    index = _broadcast(index, src, dim)
    total = scatter_sum(src, index, dim, out, dim_size)
    count = torch.zeros_like(total).scatter_add(dim, index, torch.ones_like(src)).clamp(min=1)
    mean = total / count if src.is_floating_point() else torch.div(total, count, rounding_mode="floor")
    return _written(out, mean)


def _extreme(how, src, index, dim, out, dim_size):
    """The values, and the first places in src where they stand. Gradients go to those places alone."""
    dim %= src.dim()
    index, places = _broadcast(index, src, dim), src.size(dim)
    with torch.no_grad():
        before = _target(src, index, dim, dim_size, 0) if out is None else out.clone()
        found = torch.scatter_reduce(before, dim, index, src, how, include_self=out is not None)
        order = torch.arange(places).reshape([-1 if d == dim else 1 for d in range(src.dim())]).expand(src.shape)
        wins = src == found.gather(dim, index)
        if out is not None:  # what was there before stays unless it is passed
            wins = wins & (src != before.gather(dim, index))
        first = torch.where(wins, order, torch.full_like(order, places))
        place = torch.full(found.shape, places, dtype=order.dtype).scatter_reduce(dim, index, first, "amin")
    rest = list(src.shape)
    rest[dim] = 1
    values = torch.cat([src, torch.zeros(rest, dtype=src.dtype)], dim).gather(dim, place)
    if out is not None:
        values = torch.where(place == places, before, values)
    return _written(out, values), place


def scatter_max(src, index, dim=-1, out=None, dim_size=None):
    return _extreme("amax", src, index, dim, out, dim_size)


def scatter_min(src, index, dim=-1, out=None, dim_size=None):
    return _extreme("amin", src, index, dim, out, dim_size)


_reductions = {"sum": ("sum", 0), "mean": ("sum", 0), "prod": ("prod", 1), "max": ("amax", -math.inf),
               "min": ("amin", math.inf)}


def segment_reduce(data, reduce, *, lengths=None, indices=None, offsets=None, axis=0, unsafe=False, initial=None):
    """Rows that follow each other reduced to one for every segment, of which the lengths or the places are given."""
    if reduce not in _reductions:
        raise Error(f"segment_reduce: reduce is {reduce!r}; it must be one of {', '.join(_reductions)}.")
    if lengths is None and offsets is None:
        raise Error("segment_reduce: give lengths or offsets.")
    axis %= data.dim()
    ends = lengths.cumsum(-1) if lengths is not None else offsets.narrow(-1, 1, offsets.size(-1) - 1)
    count = lengths if lengths is not None else ends - offsets.narrow(-1, 0, offsets.size(-1) - 1)
    how, neutral = _reductions[reduce]
    shape, segments = list(data.shape), ends.size(-1)
    shape[axis] = segments + 1  # the last one takes rows behind all segments
    number = (torch.arange(data.size(axis)) >= ends.unsqueeze(-1)).sum(-2)
    beside = [1] * (data.dim() - axis - 1)
    index = number.reshape(*number.shape, *beside).expand(data.shape)
    begin = torch.full(shape, float(neutral if initial is None else initial), dtype=data.dtype)
    result = begin.scatter_reduce(axis, index, data, how).narrow(axis, 0, segments)
    if reduce != "mean":
        return result
    count = count.reshape(*count.shape, *beside).to(data.dtype)
    return result / (count if initial is None else count.clamp(min=1))


functions: "dict[str, Any]" = {f"torch_scatter::{f.__name__}": f
                               for f in (scatter_sum, scatter_mul, scatter_mean, scatter_max, scatter_min)}
functions["aten::segment_reduce"] = segment_reduce
