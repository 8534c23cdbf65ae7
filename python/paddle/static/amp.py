# SPDX-License-Identifier: MIT
"""paddle.static.amp: a program in float16. What an operator computes in float32 all the same gets casts around it."""
import numpy as np

from .. import guards, scopes, unique_name
from ..dtypes import VarType
from ..operator import Operator
from .._names import refuse_unknown

_GUARD = "__use_fp16__"
# Slots that stay what they are: statistics and parameters of norms.
_OF_NORMS = {"batch_norm": ({"X"}, {"Y"}), "layer_norm": ({"X"}, {"Y"})}


class AutoMixedPrecisionLists:
    """custom_black_list: operators that compute in float32 (unsupported_list is this set, and may be set);
    custom_black_varnames: variables whose readers do. Everything else is cast, so that white_list names nothing more."""

    def __init__(self, custom_white_list=None, custom_black_list=None, custom_black_varnames=None):
        self.white_list, self.unsupported_list = set(custom_white_list or ()), set(custom_black_list or ())
        self.black_varnames = set(custom_black_varnames or ())
        both = sorted(self.white_list & self.unsupported_list)
        if both:
            raise ValueError(f"Custom white list overlap custom black list: {', '.join(both)}.")

    black_list = property(lambda self: self.unsupported_list)


CustomOpLists = AutoMixedPrecisionLists


def fp16_guard():
    """Operators within are those that cast_model_to_fp16(use_fp16_guard=True) casts."""
    return guards.name_scope(_GUARD)


def cast_model_to_fp16(program, amp_lists=None, use_fp16_guard=True):
    """Makes float32 float16 in a program, before an optimizer is added; the names of the variables that changed.
    cast_parameters_to_fp16 does it with their values."""
    lists = AutoMixedPrecisionLists() if amp_lists is None else amp_lists
    changed = set()
    for block in program.blocks:
        changed |= _Casting(block, lists, use_fp16_guard).run()
    program._changed()
    return changed


class _Casting:
    def __init__(self, block, lists, guarded):
        self._block, self._lists, self._guarded = block, lists, guarded
        self._ops = []
        self._casts = {}  # (name, type) -> the name of its cast

    def run(self):
        kept = [self._stays(op) for op in self._block.ops]
        wide = {n for op, stays in zip(self._block.ops, kept) if stays for n in op.output_arg_names}
        half = {n for op, stays in zip(self._block.ops, kept) if not stays for n in self._floats(op) if n not in wide}
        for name in half:
            self._block.var(name).dtype = VarType.FP16
        for op, stays in zip(self._block.ops, kept):
            self._take(op, stays)
        self._block.ops = self._ops
        return half

    def _stays(self, op):
        if op.type in self._lists.unsupported_list or self._lists.black_varnames & set(op.input_arg_names):
            return True
        return self._guarded and (not op.has_attr("op_namescope") or _GUARD not in op.attr("op_namescope"))

    def _slots(self, op):
        """(slot, names, whether it is an input) of those that change with the operator."""
        ins, outs = _OF_NORMS.get(op.type, (op.input_names, op.output_names))
        yield from ((s, op.input(s), True) for s in op.input_names if s in ins)
        yield from ((s, op.output(s), False) for s in op.output_names if s in outs)

    def _floats(self, op):
        return [n for _, names, _ in self._slots(op) for n in names if self._type(n) == VarType.FP32]

    def _type(self, name):
        var = self._block.vars.get(name)
        return var.dtype if var is not None and var.type == VarType.LOD_TENSOR else None

    def _take(self, op, stays):
        other, own = (VarType.FP16, VarType.FP32) if stays else (VarType.FP32, VarType.FP16)
        for _, names, is_input in list(self._slots(op)):
            for name in names if is_input else ():
                if self._type(name) == other:
                    op._rename_input(name, self._cast(name, own, op))
        if not stays:
            for attr in ("dtype", "in_dtype", "out_dtype"):
                if op.has_attr(attr) and op.attr(attr) == int(VarType.FP32):
                    op._set_attr(attr, int(VarType.FP16))
        self._ops.append(op)

    def _cast(self, name, to, before):
        key = (name, to)
        if key not in self._casts:
            var = self._block.var(name)
            word = "fp16" if to == VarType.FP16 else "fp32"
            made = self._block.create_var(unique_name.generate(f"{name}.cast_{word}"), var.shape, to,
                                          stop_gradient=var.stop_gradient)
            placed = {a: before.attr(a) for a in ("op_role", "op_namescope", "op_device", "ipu_index", "ipu_stage")
                      if before.has_attr(a)}
            self._ops.append(Operator(self._block, "cast", {"X": [name]}, {"Out": [made.name]}, {
                "in_dtype": int(var.dtype), "out_dtype": int(to), **placed}))
            self._casts[key] = made.name
        return self._casts[key]


def cast_parameters_to_fp16(place, program, scope=None, to_fp16_var_names=None):
    """The values of a program's parameters become float16: those that are named, or all."""
    scope = scope or scopes.global_scope()
    for parameter in program.all_parameters():
        array = scope.array(parameter.name)
        if array is None or array.dtype != np.float32:
            continue
        if to_fp16_var_names is None or parameter.name in to_fp16_var_names:
            scope.find_var(parameter.name).get_tensor().set(array.astype(np.float16), place)


refuse_unknown(__name__)
