# SPDX-License-Identifier: MIT
"""Operators of torch that a capture does not record as they are: what is done instead, by name or overload."""
import torch

from poptorch.capture.tensors import IpuTensor, no_value
from poptorch.errors import Error
from poptorch.operators import packed


def _lift(capture, func, args, kwargs):
    return capture.wrap(args[0])


def _scalar(capture, func, args, kwargs):
    """item(), and what compares whole tensors."""
    values = [capture.wrap(v).value if isinstance(v, torch.Tensor) else v for v in args]
    if any(v is None for v in values):
        raise Error(no_value)
    return func(*values, **kwargs)


def _split_at(capture, func, args, kwargs):
    """tensor_split with places that are a tensor: it must be known."""
    places = capture.wrap(args[1]).value
    if places is None:
        raise Error("The shapes of results depend on values, but shapes are fixed when a model is captured. Give the "
                    "places to split at as numbers.")
    with capture:
        return torch.tensor_split(args[0], places.tolist(), *args[2:], **kwargs)


def _reshape_in_place(capture, func, args, kwargs):
    """t_, squeeze_ ...: the tensor becomes a view of what it was."""
    tensor = args[0]
    if not isinstance(tensor, IpuTensor):
        raise Error(f"{func} changes the shape of a parameter, a buffer or a constant. Use its result instead: "
                    f"{func.__name__.split('.')[0][:-1]}().")
    packet = getattr(torch.ops.aten, func._schema.name[len("aten::"):-1])
    overload = "int" if packet is torch.ops.aten.transpose else func._overloadname
    view = capture.record_call(getattr(packet, overload), args, kwargs)
    unseen = torch._C._DisableTorchDispatch()
    try:
        func(tensor, *args[1:], **kwargs)
    finally:
        del unseen
    tensor.become(view.meta, view.number)
    return tensor


def _as_strided(capture, func, args, kwargs):
    """Strides are those of memory, so this is a view of the tensor that has the memory."""
    tensor = capture.wrap(args[0])
    size, stride = args[1], args[2]
    offset = args[3] if len(args) > 3 else kwargs.get("storage_offset")
    offset = tensor.meta.storage_offset() if offset is None else offset
    if not tensor.root.meta.is_contiguous():  # a constant, or torch's layout of an element-wise result
        raise Error("as_strided needs a tensor whose elements lie in order: call contiguous() first.")
    return capture.record_call(func, (tensor.root, size, stride, offset), {})


def _resize(capture, func, args, kwargs):
    size = args[1].shape if isinstance(args[1], torch.Tensor) else args[1]
    if tuple(size) == tuple(args[0].shape):
        return args[0]
    raise Error("Tensors of a model have one size: resize_ is not supported. Make a new tensor, or slice.")


def _dropout(capture, func, args, kwargs):
    """One that drops nothing returns its input itself, as torch's does: a write to one is a write to both."""
    given = {**dict(zip(("input", "p", "train"), args)), **kwargs}
    if not 0 <= given["p"] <= 1 or (capture.training and given["train"] and given["p"] > 0):
        return capture.record_call(func, args, kwargs)
    return args[0]


def _spaced(capture, func, args, kwargs):
    """linspace and logspace: constants, which torch computes to the last bit as it does on this machine."""
    out = kwargs.get("out")
    kind = out.dtype if out is not None else kwargs.get("dtype") or torch.get_default_dtype()
    unseen = torch._C._DisableTorchDispatch()
    try:
        made = func.overloadpacket(*args, dtype=torch.float64 if kind is torch.float16 else kind).to(kind)
    finally:
        del unseen
    if out is None:
        return capture.wrap(made)
    with capture:
        return out.copy_(made)


def _nothing(capture, func, args, kwargs):
    return args[0]


def _not_left_aligned(capture, func, args, kwargs):
    """What padding a mask has is known only when the model runs: batches are not nested."""
    return False


unrecorded = {
    "aten::lift_fresh": _lift,
    "aten::lift": _lift,
    "aten::_local_scalar_dense": _scalar,
    "aten::item": _scalar,
    "aten::equal": _scalar,
    "aten::allclose": _scalar,
    "aten::linspace": _spaced,
    "aten::logspace": _spaced,
    "aten::detach_": _nothing,
    "aten::requires_grad_": _nothing,
    "aten::set_.source_Tensor": _nothing,
    "aten::as_strided": _as_strided,
    "aten.tensor_split.tensor_indices_or_sections": _split_at,
    "aten::_nested_tensor_from_mask_left_aligned": _not_left_aligned,
    "aten::_pack_padded_sequence": packed.pack,
    "aten::_pad_packed_sequence": packed.pad,
    **{f"aten::{name}": packed.recurrent for name in ("lstm", "gru", "rnn_tanh", "rnn_relu")},
    **{f"aten::{name}{form}": _dropout for form in ("", "_")
       for name in ("dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout")},
    "aten::resize_": _resize,
    "aten::resize_as_": _resize,
    **{f"aten::{name}_": _reshape_in_place for name in ("t", "transpose", "squeeze", "unsqueeze")},
}
