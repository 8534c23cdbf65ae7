# SPDX-License-Identifier: MIT
"""Operators of torch that a capture does not record as they are: what is done instead, by name or overload."""
import torch

from poptorch.base import compat
from poptorch.capture import attention
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


def _folded(capture, func, args, kwargs):
    """What has as many elements as values say: of known ones a constant."""
    values = [capture.wrap(v).value if isinstance(v, torch.Tensor) else v for v in args]
    if any(v is None and isinstance(a, torch.Tensor) for v, a in zip(values, args)):
        return capture.record_call(func, args, kwargs)  # which says what is wrong
    with compat.undispatched():
        results = func(*values, **kwargs)
    wrapped = tuple(map(capture.wrap, results)) if isinstance(results, (list, tuple)) else capture.wrap(results)
    return list(wrapped) if isinstance(results, list) else wrapped


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
    with compat.undispatched():
        func(tensor, *args[1:], **kwargs)
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
    """linspace, logspace and frequencies: constants, which torch computes to the last bit as it does on this machine."""
    out = kwargs.get("out")
    kind = out.dtype if out is not None else kwargs.get("dtype") or torch.get_default_dtype()
    with compat.undispatched():
        made = func.overloadpacket(*args, dtype=torch.float64 if kind is torch.float16 else kind).to(kind)
    if out is None:
        return capture.wrap(made)
    with capture:
        return out.copy_(made)


def _to(capture, func, args, kwargs):
    """The tensor itself where nothing is to change, as in torch: a write to one is a write to both."""
    given = {**dict(zip([a.name for a in func._schema.arguments], args)), **kwargs}
    other, kind = given.get("other"), given.get("dtype")
    kind = kind if other is None else other.dtype
    if kind in (None, args[0].dtype) and not given.get("copy"):
        return args[0]
    return capture.record_call(func, args, kwargs)


def _checked(capture, func, args, kwargs):
    """Nobody looks at values on the device. One that is known now is."""
    value = capture.wrap(args[0]).value if args and isinstance(args[0], torch.Tensor) else None
    if value is not None and "async" in func._schema.name and not value.all():
        raise Error("This assertion does not hold: " + next((a for a in args if isinstance(a, str)), "the tensor has a zero."))
    return args[-1] if func._schema.returns else None  # a token that orders them


def _sizes(capture, func, args, kwargs):
    """Sizes and strides are numbers while a model is captured."""
    tensor, what = args[0], func._schema.name[len("aten::sym_"):]
    return {"size": tensor.size, "stride": tensor.stride, "numel": tensor.numel,
            "storage_offset": tensor.storage_offset}[what](*args[1:])


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
    **{f"aten::{name}": _folded for name in (
        "nonzero", "argwhere", "_unique", "_unique2", "unique_dim", "unique_consecutive")},
    "aten.where.default": _folded,
    "aten::equal": _scalar,
    "aten::allclose": _scalar,
    "aten::linspace": _spaced,
    "aten::logspace": _spaced,
    "aten::fft_fftfreq": _spaced,
    "aten::fft_rfftfreq": _spaced,
    **attention.unrecorded,
    "aten::to": _to,
    **{f"aten::{name}": _checked for name in (
        "_assert_async", "_functional_assert_async", "_assert_scalar", "_functional_assert_scalar", "_assert_tensor_metadata",
        "sym_constrain_range", "sym_constrain_range_for_size", "_functional_sym_constrain_range")},
    **{f"aten::sym_{name}": _sizes for name in ("size", "stride", "numel", "storage_offset")},
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
