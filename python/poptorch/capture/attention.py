# SPDX-License-Identifier: MIT
"""Attention in all forms that torch has: one operator of the recording.

    softmax(query * key transposed * scale + mask) * value

A mask whose values are known while the model is captured is looked at: one that hides nothing goes, one that lets row i see
columns up to i becomes the flag for that, and one that is the same for all of a batch is kept once.
"""
import math
import os

import torch

from poptorch.autocasting import cast_operands
from poptorch.base import compat
from poptorch.base.current import current, empty_meta
from poptorch.errors import Error
from poptorch.operators.decompositions import safe_softmax


def attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False):
    """torch.nn.functional.scaled_dot_product_attention, while a model is captured."""
    capture = current()
    shape = _shape(query, key, value, enable_gqa)
    if not 0 <= dropout_p <= 1:
        raise Error(f"dropout_p is {dropout_p}; it must be between 0 and 1.")
    if attn_mask is not None:
        if is_causal:
            raise Error("Give attn_mask or is_causal, not both: a mask can hide what comes later too.")
        attn_mask, is_causal = _simplified(capture, attn_mask, query.size(-2), key.size(-2))
    dropout = float(dropout_p) if capture.training else 0.0
    return capture.record("aten::scaled_dot_product_attention", {
        "query": query, "key": key, "value": value, "attn_mask": attn_mask, "dropout_p": dropout, "is_causal": bool(is_causal),
        "scale": None if scale is None else float(scale), "enable_gqa": bool(enable_gqa)}, [empty_meta(shape, query.dtype)])[0]


def _shape(query, key, value, grouped):
    if min(t.dim() for t in (query, key, value)) < 2 or query.size(-1) != key.size(-1) or key.size(-2) != value.size(-2):
        raise Error(f"Queries {list(query.shape)}, keys {list(key.shape)} and values {list(value.shape)} do not fit together: "
                    "queries and keys must be equally wide, and there must be a value for every key.")
    batches = [list(t.shape[:-2]) for t in (query, key, value)]
    if grouped:
        heads = [batch[-1] if batch else 0 for batch in batches]
        if not all(heads) or heads[0] % heads[1] or heads[1] != heads[2]:
            raise Error(f"enable_gqa: {heads[0]} heads of queries cannot share {heads[1]} heads of keys and {heads[2]} of "
                        "values; their number must be a multiple of that of keys, and as many of values as of keys.")
        batches = [[*batch[:-1], heads[0]] for batch in batches]
    try:
        batch = torch.broadcast_shapes(*batches)
    except RuntimeError as problem:
        raise Error(f"Queries {list(query.shape)}, keys {list(key.shape)} and values {list(value.shape)} do not fit together: "
                    "their first dimensions must be the same.") from problem
    return (*batch, query.size(-2), value.size(-1))


def _simplified(capture, mask, rows, columns):
    """(the mask, whether it is the causal one)"""
    known = capture.wrap(mask).value
    if known is None:
        return mask, False
    with compat.undispatched():
        if known.dtype is torch.bool:
            seen = known
        else:  # 0 lets through, the lowest number hides; others are added
            seen = known == 0
            if not (seen | (known <= torch.finfo(known.dtype).min)).all():
                return _once(known), False
            if not seen.any(-1).all():  # where all is hidden equally, the lowest number hides nothing
                return _once(known), False
        if seen.all():
            return None, False
        if known.shape[-2:] == (rows, columns) and rows == columns and (seen == seen.new_ones(rows, columns).tril()).all():
            return None, True
        return _once(known), False


def _once(mask):
    """Only one of those that are the same."""
    for d in range(mask.dim() - 2):
        if mask.size(d) > 1 and (mask == mask.narrow(d, 0, 1)).all():
            mask = mask.narrow(d, 0, 1)
    return mask.clone(memory_format=torch.contiguous_format)


def in_parts(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False):
    """The same by operators that ONNX has."""
    if enable_gqa:
        key, value = (t.repeat_interleave(query.size(-3) // t.size(-3), -3) for t in (key, value))
    scores = query @ key.transpose(-2, -1) * (1 / math.sqrt(query.size(-1)) if scale is None else scale)
    if is_causal:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1), -math.inf)
    if attn_mask is not None:
        bools = attn_mask.dtype is torch.bool
        scores = scores.masked_fill(~attn_mask, -math.inf) if bools else scores + attn_mask
    weights = scores.softmax(-1) if attn_mask is None else safe_softmax(scores, -1)
    return torch.dropout(weights, dropout_p, dropout_p > 0) @ value


def recorded(capture, func, args, kwargs):
    """aten::scaled_dot_product_attention. In a model that is written as ONNX: its parts."""
    if capture.autocast is not None:
        args, kwargs = cast_operands(capture, "scaled_dot_product_attention", args, kwargs)
    if os.environ.get("POPTORCH_EXPORT_PROTO_FILE"):
        with capture:
            return in_parts(*args, **kwargs)
    return attention(*args, **kwargs)


unrecorded = {"aten::scaled_dot_product_attention": recorded}
