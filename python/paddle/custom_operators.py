# SPDX-License-Identifier: MIT
"""Operators of users' libraries (PD_BUILD_OP): what is known of each, the shapes and types of their results, and their
kernels."""
import contextlib
import ctypes
import warnings
from typing import Any

import numpy as np

from .dtypes import VarType, to_numpy
from .operator import TypedValue, kinds

# Numbers of paddle/extension.h's types.
_TYPES = {VarType.BOOL: 1, VarType.INT8: 2, VarType.UINT8: 3, VarType.INT16: 4, VarType.INT32: 5, VarType.INT64: 6,
          VarType.FP16: 7, VarType.FP32: 8, VarType.FP64: 9, VarType.BF16: 10}
_BACK = {number: kind for kind, number in _TYPES.items()}
# C++'s type of an attribute -> (the kind that it has in files, Python's, whether there are several)
_ATTRIBUTES = {"bool": (kinds.BOOLEAN, bool, False), "int": (kinds.INT, int, False), "float": (kinds.FLOAT, float, False),
               "int64_t": (kinds.LONG, int, False), "std::string": (kinds.STRING, str, False),
               "std::vector<int>": (kinds.INTS, int, True), "std::vector<float>": (kinds.FLOATS, float, True),
               "std::vector<int64_t>": (kinds.LONGS, int, True), "std::vector<std::string>": (kinds.STRINGS, str, True)}
_all: "dict[str, CustomOperator]" = {}


class CustomOperator:
    """One operator: `inputs`, `outputs` and `attributes` by name, in order; `gradient`: the (inputs, outputs) of its
    gradient. order: 1 of the gradient itself."""

    def __init__(self, library, path, name, order=0, has_kernel=False):
        self.library, self.path, self.name, self.order, self.has_kernel = library, path, name, order, has_kernel
        self.inputs, self.outputs, self.attributes, self.gradient = [], [], {}, None

    def form(self):
        gradient = self.gradient and (self.gradient.inputs, self.gradient.outputs)
        return self.inputs, self.outputs, self.attributes, gradient

    def add_attribute(self, text):
        name, _, kind = (part.strip() for part in text.partition(":"))
        kind = kind.replace(" ", "")
        if kind not in _ATTRIBUTES:
            raise ValueError(f"{self.name}: the attribute {text!r} should be \"name: type\" with one of the types "
                             f"{', '.join(_ATTRIBUTES)}.")
        self.attributes[name] = kind

    def typed(self, name, value):
        kind, python, several = _ATTRIBUTES[self.attributes[name]]
        number = python in (int, float)
        fits: Any = (int, float) if python is float else python
        for one in value if several and isinstance(value, (list, tuple)) else [value]:
            if not isinstance(one, fits) or number and isinstance(one, bool) or several != isinstance(value, (list, tuple)):
                raise TypeError(f"{self.name}: the attribute {name} is of type {self.attributes[name]}, not {value!r}.")
        return TypedValue(kind, [python(v) for v in value] if several else python(value))

    def infer(self, op, block):
        """[(name, type, shape)] of the operator's results."""
        inputs = [[(block.var(name).dtype, block.var(name).shape) for name in op.input(slot)] for slot in self.inputs]
        names = [name for slot in self.outputs for name in op.output(slot)[:1]]
        return [(name, *form) for name, form in zip(names, self.forms(op, inputs))]

    def forms(self, op, inputs):
        """(type, shape) of each result, for inputs of these: a list for every name. Nothing of a gradient whose library does
        not say."""
        with self._asked(op) as question:
            for i, slot in enumerate(inputs):
                for kind, shape in slot:
                    self._add(question, i, kind, shape)
            return self._answered(self.library.openipu_paddle_infer, question)

    def compute(self, op, inputs):
        """The kernel's results, for arrays in Paddle's types: a list for every name of an input."""
        with self._asked(op) as question:
            for i, slot in enumerate(inputs):
                for kind, array in slot:
                    self._add(question, i, kind, array.shape)
                    self.library.openipu_paddle_values(question, i, array.ctypes.data)
            made = []
            for at, (kind, shape) in enumerate(self._answered(self.library.openipu_paddle_compute, question)):
                made.append(np.empty(shape, to_numpy(kind)))
                self.library.openipu_paddle_result(question, at, made[-1].ctypes.data)
            return made

    @contextlib.contextmanager
    def _asked(self, op):
        question = self.library.openipu_paddle_begin(len(self.inputs), len(self.attributes))
        try:
            self._ask_with_attributes(question, op)
            yield question
        finally:
            self.library.openipu_paddle_end(question)

    def _add(self, question, i, kind, shape):
        self.library.openipu_paddle_input(question, i, _TYPES[kind], len(shape), (ctypes.c_int64 * len(shape))(*shape))

    def _answered(self, function, question):
        answer = function(question, self.name.encode(), self.order).decode()
        if answer.startswith("!"):
            raise ValueError(f"({self.name}) {answer[1:]}")
        lines = [[int(part) for part in line.split()] for line in answer.splitlines()]
        return [(_BACK[kind], shape) for kind, *shape in lines]

    def _ask_with_attributes(self, question, op):
        for i, (name, kind) in enumerate(self.attributes.items()):
            if not op.has_attr(name):
                raise ValueError(f"({self.name}) the attribute {name} is missing.")
            value = op.attr(name)
            for one in value if isinstance(value, list) else [value]:
                if "string" in kind:
                    self.library.openipu_paddle_text(question, i, one.encode())
                elif "float" in kind:
                    self.library.openipu_paddle_number(question, i, one)
                else:
                    self.library.openipu_paddle_integer(question, i, int(one))


def find(name):
    """What is known of an operator; None if no library has it."""
    return _all.get(name)


def of(op):
    """The same of an operator in a program, unless its inputs are called otherwise: names that the front end knows may be
    both."""
    own = _all.get(op.type)
    return own if own is not None and op.input_names == own.inputs else None


def known_as(op_type):
    """The operator that a type is of, itself or its gradient."""
    return _all.get(op_type) or (_all.get(op_type[:-len("_grad")]) if op_type.endswith("_grad") else None)


def register(path):
    """Loads a library; its operators by name."""
    library = _loaded(path)
    made: "dict[str, CustomOperator]" = {}
    now: Any = None
    for line in library.openipu_paddle_operators().decode().splitlines():
        what, *rest = line.split("\t")
        if what == "operator":
            name, order = rest[0], int(rest[1])
            now = CustomOperator(library, path, name, order, rest[2] == "1")
            if order == 0:
                made[name] = now
            elif order == 1 and name in made:  # gradients of gradients have no use here
                made[name].gradient = now
        elif what == "attribute":
            now.add_attribute(rest[0])
        else:
            {"input": now.inputs, "output": now.outputs}[what].append(rest[0])
    return {name: _added(op) for name, op in made.items()}


def _added(op):
    """The first of a name stays; one with other inputs, outputs or attributes is refused."""
    known = _all.setdefault(op.name, op)
    if known.path == op.path:
        return known
    text = f"The operator {op.name} is there already, from {known.path}; {op.path} has it too"
    if known.form() != op.form():
        raise RuntimeError(f"{text}, with other arguments. Give it another name, or restart Python.")
    warnings.warn(f"{text}. The first one stays until Python is restarted.")
    return known


def _loaded(path):
    library = ctypes.CDLL(path)
    if not hasattr(library, "openipu_paddle_operators"):
        raise RuntimeError(f"{path} describes no operator: none of its sources includes paddle/extension.h and has a "
                           "PD_BUILD_OP.")
    size, pointer = ctypes.c_size_t, ctypes.c_void_p
    for name, result, arguments in (
            ("operators", ctypes.c_char_p, []), ("begin", pointer, [size, size]), ("end", None, [pointer]),
            ("input", None, [pointer, size, ctypes.c_int, size, ctypes.POINTER(ctypes.c_int64)]),
            ("integer", None, [pointer, size, ctypes.c_int64]), ("number", None, [pointer, size, ctypes.c_double]),
            ("text", None, [pointer, size, ctypes.c_char_p]), ("values", None, [pointer, size, pointer]),
            ("infer", ctypes.c_char_p, [pointer, ctypes.c_char_p, ctypes.c_int]),
            ("compute", ctypes.c_char_p, [pointer, ctypes.c_char_p, ctypes.c_int]),
            ("result", None, [pointer, size, pointer])):
        function = getattr(library, "openipu_paddle_" + name)
        function.restype, function.argtypes = result, arguments
    return library
