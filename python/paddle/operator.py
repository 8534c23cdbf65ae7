# SPDX-License-Identifier: MIT
"""Operator: a type, variables by slot, and attributes whose types are those of Paddle's files."""
import types

import numpy as np

from .variable import Variable

_INT, _FLOAT, _STRING, _INTS, _FLOATS, _STRINGS, _BOOLEAN, _BOOLEANS, _BLOCK, _LONG, _BLOCKS, _LONGS = range(12)
kinds = types.SimpleNamespace(INT=_INT, FLOAT=_FLOAT, STRING=_STRING, INTS=_INTS, FLOATS=_FLOATS, STRINGS=_STRINGS,
                              BOOLEAN=_BOOLEAN, LONG=_LONG, LONGS=_LONGS)
_narrow = range(-2**31, 2**31)
# Attributes that Paddle keeps in 64 bits whatever their value.
_LONG_NAMES = {("arg_max", "axis"), ("arg_min", "axis"), ("reduce_sum", "none")}


class TypedValue:
    """An attribute's value that was read from a file, with the type that it has there."""

    def __init__(self, kind, value):
        self.kind, self.value = kind, value


def attributes_from(described):
    return {name: TypedValue(kind, value) for name, kind, value in described}


def _kind_of(op, name, value):
    if isinstance(value, (bool, np.bool_)):
        return _BOOLEAN, bool(value)
    if isinstance(value, (int, np.integer)):
        wide = int(value) not in _narrow or (op, name) in _LONG_NAMES
        return (_LONG if wide else _INT), int(value)
    if isinstance(value, (float, np.floating)):
        return _FLOAT, float(value)
    if isinstance(value, str):
        return _STRING, value
    if isinstance(value, (list, tuple, np.ndarray)):
        return _kind_of_list(op, name, list(value))
    raise TypeError(f"The attribute {name} of {op} cannot be {value!r}: numbers, texts and lists of them are possible.")


def _kind_of_list(op, name, values):
    kinds = {_kind_of(op, name, v)[0] for v in values}
    if not kinds:
        return _INTS, []
    if kinds <= {_BOOLEAN}:
        return _BOOLEANS, [bool(v) for v in values]
    if kinds <= {_INT, _BOOLEAN}:
        return _INTS, [int(v) for v in values]
    if kinds <= {_INT, _LONG}:
        return _LONGS, [int(v) for v in values]
    if kinds <= {_INT, _LONG, _FLOAT}:
        return _FLOATS, [float(v) for v in values]
    if kinds == {_STRING}:
        return _STRINGS, values
    raise TypeError(f"The attribute {name} of {op} cannot be the mixed list {values!r}.")


def _names(slots):
    out = {}
    for slot, variables in (slots or {}).items():
        if variables is None:
            continue
        if not isinstance(variables, (list, tuple)):
            variables = [variables]
        out[slot] = [v.name if isinstance(v, Variable) else str(v) for v in variables]
    return out


class Operator:
    """Made by Block.append_op."""

    def __init__(self, block, type, inputs=None, outputs=None, attrs=None, is_target=None):
        self.block, self.type, self.is_target = block, type, is_target
        self._inputs, self._outputs = _names(inputs), _names(outputs)
        self._attrs = {}
        for name, value in (attrs or {}).items():
            if value is not None:
                self._attrs[name] = (value.kind, value.value) if isinstance(value, TypedValue) \
                    else _kind_of(type, name, value)

    @property
    def desc(self):
        return Description(self)

    # ---- variables

    @property
    def input_names(self):
        return list(self._inputs)

    @property
    def output_names(self):
        return list(self._outputs)

    @property
    def input_arg_names(self):
        return [n for names in self._inputs.values() for n in names]

    @property
    def output_arg_names(self):
        return [n for names in self._outputs.values() for n in names]

    def input(self, slot):
        return list(self._inputs.get(slot, []))

    def output(self, slot):
        return list(self._outputs.get(slot, []))

    def _rename_input(self, old, new):
        self._inputs = {s: [new if n == old else n for n in names] for s, names in self._inputs.items()}
        self.block.program._changed()

    def _rename_output(self, old, new):
        self._outputs = {s: [new if n == old else n for n in names] for s, names in self._outputs.items()}
        self.block.program._changed()

    # ---- attributes

    @property
    def attr_names(self):
        return list(self._attrs)

    def has_attr(self, name):
        return name in self._attrs

    def attr(self, name):
        if name not in self._attrs:
            raise ValueError(f"The operator {self.type} has no attribute {name!r}. It has: {', '.join(self._attrs)}.")
        return self._attrs[name][1]

    def all_attrs(self):
        return {name: value for name, (_, value) in self._attrs.items()}

    def _set_attr(self, name, value):
        self._attrs[name] = _kind_of(self.type, name, value)
        self.block.program._changed()

    def _remove_attr(self, name):
        self._attrs.pop(name, None)
        self.block.program._changed()

    @property
    def role(self):
        return self._attrs.get("op_role", (0, 0))[1]

    # ---- as data

    def described(self):
        out = {"type": self.type, "inputs": list(self._inputs.items()), "outputs": list(self._outputs.items()),
               "attrs": [(name, kind, value) for name, (kind, value) in self._attrs.items()]}
        if self.is_target is not None:
            out["is_target"] = self.is_target
        return out

    def _copied(self, block):
        out = Operator(block, self.type, self._inputs, self._outputs, None, self.is_target)
        out._attrs = dict(self._attrs)
        return out

    def __repr__(self):
        def show(slots):
            return ", ".join(f"{slot}={names}" for slot, names in slots.items())
        attrs = ", ".join(f"{name}={value}" for name, (_, value) in self._attrs.items())
        return f"{{{show(self._outputs)}}} = {self.type}(inputs={{{show(self._inputs)}}}, {attrs})"


class Description:
    """What Paddle's own part in C++ knows of an operator, by its names: op.desc.type(), op.desc.attr("ipu_index")."""

    def __init__(self, op):
        self._op = op
        self.has_attr, self.attr, self.input, self.output = op.has_attr, op.attr, op.input, op.output
        self._set_attr, self.remove_attr = op._set_attr, op._remove_attr
        self._rename_input, self._rename_output = op._rename_input, op._rename_output

    def type(self):
        return self._op.type

    def set_type(self, type):
        self._op.type = type
        self._op.block.program._changed()

    def attr_names(self):
        return self._op.attr_names

    def get_attr_map(self):
        return self._op.all_attrs()

    def input_names(self):
        return self._op.input_names

    def output_names(self):
        return self._op.output_names

    def input_arg_names(self):
        return self._op.input_arg_names

    def output_arg_names(self):
        return self._op.output_arg_names

    def set_input(self, slot, names):
        self._op._inputs[slot] = list(names)
        self._op.block.program._changed()

    def set_output(self, slot, names):
        self._op._outputs[slot] = list(names)
        self._op.block.program._changed()
