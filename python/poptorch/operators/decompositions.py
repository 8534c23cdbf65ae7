# SPDX-License-Identifier: MIT
"""Operators of torch that have no converter and are made of others here, while a model is captured. Their gradients are
those of what they are made of."""
import math

import torch

from poptorch.errors import Error
from poptorch.operators import matrices, scatters, special_functions
from poptorch.ops import identity_loss

# ---- statistics


def _quantiles(x, q, dim, keepdim, interpolation, skip_nan):
    if dim is None:
        flat = _quantiles(x.flatten(), q, 0, False, interpolation, skip_nan)
        return flat.reshape(*flat.shape, *([1] * x.dim())) if keepdim else flat
    if x.dim() == 0:
        return _quantiles(x.unsqueeze(0), q, 0, False, interpolation, skip_nan)
    dim = dim % x.dim()
    x = x.movedim(dim, -1)
    q = q if isinstance(q, torch.Tensor) else torch.tensor(q, dtype=x.dtype)
    if q.dim() > 1:
        raise Error("quantile: q must be a number or a list of them.")
    missing = x.isnan()
    ordered = torch.where(missing, torch.full_like(x, math.inf), x).sort(-1)[0]
    count = (~missing).sum(-1, keepdim=True)
    last = (count if skip_nan else torch.full_like(count, x.size(-1))) - 1
    rank = last.clamp(min=0) * q.reshape(-1)  # [..., quantiles]
    low = rank.floor()
    part = rank - low
    if interpolation == "lower":
        part = torch.zeros_like(part)
    elif interpolation == "higher":
        part = (part > 0).to(x.dtype)
    elif interpolation == "nearest":
        low, part = rank.round(), torch.zeros_like(part)
    elif interpolation == "midpoint":
        part = torch.where(part > 0, torch.full_like(part, 0.5), part)
    below = low.long()
    above = torch.minimum(below + 1, last.clamp(min=0))
    a, b = torch.take_along_dim(ordered, below, -1), torch.take_along_dim(ordered, above, -1)
    y = torch.where(part == 0, a, a + part * (b - a))
    unknown = count == 0 if skip_nan else missing.any(-1, keepdim=True)
    y = torch.where(unknown, torch.full_like(y, math.nan), y)
    y = y.movedim(-1, 0)
    y = y.unsqueeze(dim + 1) if keepdim else y
    return y.squeeze(0) if q.dim() == 0 else y


def quantile(x, q, dim=None, keepdim=False, *, interpolation="linear"):
    return _quantiles(x, q, dim, keepdim, interpolation, False)


def nanquantile(x, q, dim=None, keepdim=False, *, interpolation="linear"):
    return _quantiles(x, q, dim, keepdim, interpolation, True)


def cov(x, *, correction=1, fweights=None, aweights=None):
    """Of variables in rows and observations in columns, which may be weighed."""
    x = x.float() if not x.is_floating_point() else x
    rows = x.reshape(1, -1) if x.dim() < 2 else x
    weights = fweights if aweights is None else aweights if fweights is None else fweights * aweights
    if weights is None:
        mean, total = rows.mean(1, keepdim=True), torch.tensor(float(rows.size(1)))
    else:
        weights = weights.to(rows.dtype)
        total = weights.sum()
        mean = (rows * weights).sum(1, keepdim=True) / total
    apart = rows - mean
    norm = total - correction
    if aweights is not None and correction:
        own = weights * aweights
        norm = total - correction * own.sum() / total
    product = apart @ ((apart if weights is None else apart * weights).t()) / norm.clamp(min=0)
    return product.reshape(()) if rows.size(0) == 1 else product


def corrcoef(x):
    c = cov(x)
    if c.dim() == 0:
        return c / c
    deviation = c.diagonal().sqrt()
    return (c / deviation.unsqueeze(1) / deviation.unsqueeze(0)).clamp(-1, 1)


def histc(x, bins=100, min=0, max=0):
    """How many elements lie in each of equal intervals; those outside of all are not counted."""
    x = x.flatten()
    low, high = (torch.tensor(float(v)) for v in (min, max))
    if min == max:
        low, high = x.amin(), x.amax()
        same = (low == high).to(x.dtype)
        low, high = low - same, high + same
    place = ((x - low) / (high - low) * bins).floor().clamp(max=bins - 1)
    inside = (x >= low) & (x <= high)
    index = torch.where(inside, place, torch.full_like(place, bins)).long()
    return torch.zeros(bins + 1, dtype=x.dtype).scatter_add(0, index, torch.ones_like(x))[:bins]


# ---- random numbers

def multinomial(p, num_samples, replacement=False, *, generator=None):
    """Indices with these chances: the largest of log(p) plus noise of Gumbel's distribution."""
    def noisy(shape):
        return p.log().unsqueeze(-2) - (-torch.rand(shape).clamp(min=1e-30).log()).log()
    if replacement:
        return noisy((*p.shape[:-1], num_samples, p.size(-1))).argmax(-1)
    return noisy((*p.shape[:-1], 1, p.size(-1))).squeeze(-2).topk(num_samples, -1)[1]


# ---- losses

def multilabel_margin_loss(x, target, reduction=1):
    """sum over labels j and others i of max(0, 1 - x[j] + x[i]) / classes; labels end at the first -1."""
    rows, labels = (x, target) if x.dim() == 2 else (x.reshape(1, -1), target.reshape(1, -1))
    valid = (labels >= 0).long().cumprod(1)
    at = torch.where(valid > 0, labels, torch.zeros_like(labels))
    is_label = torch.zeros_like(labels).scatter_add(1, at, valid) > 0
    margin = (1 - rows.gather(1, at).unsqueeze(2) + rows.unsqueeze(1)).clamp(min=0)
    counted = (valid > 0).unsqueeze(2) & ~is_label.unsqueeze(1)
    each = torch.where(counted, margin, torch.zeros_like(margin)).sum((1, 2)) / rows.size(1)
    if reduction == 0:
        return each if x.dim() == 2 else each.squeeze(0)
    return identity_loss(each.mean() if reduction == 1 else each.sum(), "none")


# ---- products

def grouped_products(a, b, offs=None, bias=None, out_dtype=None):
    """Products of groups of rows, of columns or of what is summed over: group i is [offs[i - 1], offs[i]). All groups compute
    all rows, for shapes are fixed, and what is not theirs counts 0."""
    if offs is None:
        y = a @ b
    else:
        along = torch.arange(a.size(-2) if b.dim() == 3 else b.size(-1) if a.dim() == 3 else a.size(-1))
        ends = offs.unsqueeze(-1)
        begins = torch.cat([torch.zeros_like(ends[:1]), ends[:-1]])
        inside = (along >= begins) & (along < ends)  # [groups, n]
        zero = torch.zeros((), dtype=a.dtype)
        if a.dim() == b.dim() == 2:
            y = torch.where(inside.unsqueeze(1), a, zero) @ b
        else:
            inside = inside.unsqueeze(-1 if b.dim() == 3 else -2)
            y = torch.where(inside, torch.matmul(a, b), zero).sum(0)
    y = y if bias is None else y + bias
    return y if out_dtype is None else y.to(out_dtype)


def safe_softmax(x, dim, dtype=None):
    """0 where all of a row is minus infinity."""
    x = x if dtype is None else x.to(dtype)
    hidden = (x == -math.inf).all(dim, keepdim=True)
    zero = torch.zeros((), dtype=x.dtype)
    return torch.where(hidden, zero, torch.where(hidden, zero, x).softmax(dim))


# ---- numbers rounded as if they were small integers; the gradient passes where nothing was cut off

def _fake_quantized(x, scale, zero_point, quant_min, quant_max):
    fixed = x.detach()
    steps = (fixed / scale).round() + zero_point
    inside = (steps >= quant_min) & (steps <= quant_max)
    y = (steps.clamp(quant_min, quant_max) - zero_point) * scale
    return y + (x - fixed) * inside.to(x.dtype), inside


def fake_quantize_channels(x, scale, zero_point, axis, quant_min, quant_max):
    shape = [-1 if i == axis % x.dim() else 1 for i in range(x.dim())]
    return _fake_quantized(x, scale.reshape(shape), zero_point.reshape(shape), quant_min, quant_max)


# ---- pictures and volumes sampled at coordinates

def _bilinear(flat, field, ys, xs):
    """flat [..., h * w] at ys [..., n] and xs; 0 more than one element outside, the edge's element nearer."""
    h, w = field
    inside = (ys >= -1) & (ys <= h) & (xs >= -1) & (xs <= w)
    ys, xs = ys.clamp(0, h - 1), xs.clamp(0, w - 1)
    y0, x0 = ys.floor().clamp(max=max(h - 2, 0)), xs.floor().clamp(max=max(w - 2, 0))
    total = 0
    for dy in range(min(h, 2)):
        for dx in range(min(w, 2)):
            weight = (1 - (ys - y0 - dy).abs()) * (1 - (xs - x0 - dx).abs())
            total = total + flat.gather(-1, ((y0 + dy) * w + x0 + dx).long()) * weight
    return torch.where(inside, total, torch.zeros_like(total))


def roi_align(x, rois, spatial_scale, pooled_height, pooled_width, sampling_ratio, aligned):
    """Means of sampling_ratio^2 points in each part of each box (picture, x1, y1, x2, y2)."""
    if sampling_ratio <= 0:
        raise Error("roi_align takes as many points as boxes are large, which is not known here: give sampling_ratio.")
    (_, c, h, w), boxes = x.shape, rois.size(0)
    shift = 0.5 if aligned else 0.0
    corners = rois[:, 1:] * spatial_scale - shift
    size = corners[:, 2:] - corners[:, :2]
    size = size if aligned else size.clamp(min=1)

    def points(axis, parts):
        steps = parts * sampling_ratio
        return corners[:, axis, None] + size[:, axis, None] * ((torch.arange(steps) + 0.5) / steps)

    ys, xs = points(1, pooled_height), points(0, pooled_width)
    places = (boxes, 1, ys.size(1), xs.size(1))
    ys, xs = ys[:, None, :, None].expand(places), xs[:, None, None, :].expand(places)
    own = x.index_select(0, rois[:, 0].detach().long()).reshape(boxes, c, h * w)
    every = (boxes, c, places[2] * places[3])
    values = _bilinear(own, (h, w), ys.reshape(boxes, 1, -1).expand(every), xs.reshape(boxes, 1, -1).expand(every))
    values = values.reshape(boxes, c, pooled_height, sampling_ratio, pooled_width, sampling_ratio)
    return values.mean((3, 5))


def nms(boxes, scores, iou_threshold):
    raise Error("How many boxes remain depends on values, but shapes are fixed when a model is captured. Select boxes "
                "on the host.")


def _unnormalised(g, n, corners):
    return (g + 1) / 2 * (n - 1) if corners else ((g + 1) * n - 1) / 2


def _reflected(at, n, corners):
    low, span = (0.0, n - 1) if corners else (-0.5, n)
    if span <= 0:
        return torch.zeros_like(at)
    away = (at - low).abs()
    turns = (away / span).floor()
    rest = away - turns * span
    return torch.where(turns % 2 == 0, rest, span - rest) + low


def grid_sampler_3d(x, grid, interpolation_mode, padding_mode, align_corners):
    """x [n, c, d, h, w], grid [n, d', h', w', (x, y, z)]"""
    if interpolation_mode > 1:
        raise Error("grid_sample of volumes is supported with mode bilinear or nearest.")
    n, c, *field = x.shape
    places = []
    for axis, extent in enumerate(field):
        at = _unnormalised(grid[..., 2 - axis], extent, align_corners)
        if padding_mode == 2:
            at = _reflected(at, extent, align_corners)
        places.append(at.clamp(0, extent - 1) if padding_mode else at)
    flat, shape = x.reshape(n, c, -1), grid.shape[1:4]

    def taken(corner):
        index, inside = 0, True
        for at, extent in zip(corner, field):
            index = index * extent + at.clamp(0, extent - 1)
            inside = (at >= 0) & (at < extent) & inside
        values = flat.gather(2, index.reshape(n, 1, -1).expand(n, c, -1).long()).reshape(n, c, *shape)
        return torch.where(inside.unsqueeze(1), values, torch.zeros_like(values))

    if interpolation_mode == 1:
        return taken([at.round() for at in places])
    total = 0
    for corner in range(8):
        ends = [at.detach().floor() + (corner >> axis & 1) for axis, at in enumerate(places)]
        weight = 1
        for at, end in zip(places, ends):
            weight = weight * (1 - (at - end).abs())
        total = total + taken(ends) * weight.unsqueeze(1)
    return total


def _grid_sampler(x, grid, interpolation_mode, padding_mode, align_corners):
    sample = grid_sampler_3d if x.dim() == 5 else torch.ops.aten.grid_sampler_2d
    return sample(x, grid, interpolation_mode, padding_mode, align_corners)


decompositions = {f"aten::{name}": function for name, function in {
    **special_functions.functions, **matrices.functions, "quantile": quantile, "nanquantile": nanquantile, "cov": cov,
    "corrcoef": corrcoef, "histc": histc, "multinomial": multinomial, "multilabel_margin_loss": multilabel_margin_loss,
    "fake_quantize_per_tensor_affine_cachemask": _fake_quantized,
    "fake_quantize_per_channel_affine_cachemask": fake_quantize_channels, "grid_sampler": _grid_sampler,
    "grid_sampler_3d": grid_sampler_3d, "_grouped_mm": grouped_products, "_safe_softmax": safe_softmax,
}.items()}
decompositions["transformers::grouped_mm_fallback"] = grouped_products
decompositions.update({"torchvision::roi_align": roi_align, "torchvision::nms": nms, **scatters.functions})
