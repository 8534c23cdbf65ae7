# SPDX-License-Identifier: MIT
"""Runs a module's forward once on tensors without data and records what torch dispatches.

Autograd is left out, so operators arrive as the user wrote them (linear, layer_norm, lstm), in program order. Those
that have no converter but are made of others are taken apart by torch. Shapes and types come from torch's meta
tensors; nothing of the model is computed here.
"""
import sys
import weakref
from typing import Any

import torch

from poptorch import poptorch_core as core
from poptorch.autocasting import cast_operands
from poptorch.base import compat, notices
from poptorch.base.current import current, empty_meta, inner_name, nested_call, set_current
from poptorch.base.dtypes import device_type, unsupported_type
from poptorch.base.translate import failures
from poptorch.capture import complex_numbers, sharing, substitutes
from poptorch.capture.constants import Known, decided, derived, with_part
from poptorch.capture.tensors import IpuTensor, tensor_of
from poptorch.capture.unrecorded import unrecorded
from poptorch.errors import Error, unsupported
from poptorch.module import moving
from poptorch.operators.decompositions import decompositions
from poptorch.operators.shape_rules import shape_rules, value_rules


class _Operator:
    """What is known of an overload: how it is recorded."""

    def __init__(self, func):
        schema = func._schema
        self.name = schema.name
        self.supported = core.supports(_plain(schema.name))
        self.known = self.supported or schema.name.startswith("aten::")  # others come from extensions of torch
        self.composite = compat.is_composite(func)
        self.arguments = [a.name for a in schema.arguments]
        self.defaults = [a.default_value if a.has_default_value() else None for a in schema.arguments]
        self.written = [i for i, a in enumerate(schema.arguments) if a.alias_info and a.alias_info.is_write]
        self.returned = [_written_by(r, schema.arguments) for r in schema.returns]  # the argument that a result is
        self.overload = schema.overload_name
        self.scalars = [i for i, a in enumerate(schema.arguments) if str(a.type) == "number"]
        self.number = None  # in the recording
        self.makes_constant = not self.supported and self.known and not self.written and not any(
            "Tensor" in str(a.type) or a.name == "generator" for a in schema.arguments)
        self.decomposition = decompositions.get(_plain(schema.name))
        if self.decomposition is None and not self.supported and self.known:
            self.decomposition = _without_out(func) if self.composite else compat.decomposition(func)


def _without_out(func):
    """The overload that returns what this one writes to out=. Some that torch takes apart write to memory of their own
    accord, which tensors of a capture do not have."""
    arguments = [a.name for a in func._schema.arguments if not a.is_out]
    if len(arguments) == len(func._schema.arguments):
        return None
    packet = func.overloadpacket
    same = (getattr(packet, name) for name in packet.overloads())
    return next((f for f in same if [a.name for a in f._schema.arguments] == arguments), None)


def _written_by(result, arguments):
    """Which argument a result is, written: of in-place operators, and those with out=."""
    alias = result.alias_info
    if not alias or not alias.is_write:
        return None
    return next(i for i, a in enumerate(arguments) if a.alias_info and a.alias_info.before_set == alias.before_set)


def _plain(name):
    """In-place forms have the converter of the plain one."""
    if name.endswith("_") and not name.endswith("__") and not core.supports(name):
        return name[:-1]
    return name


_operators = {}


def _operator(func):
    found = _operators.get(func)
    if found is None:
        found = _operators[func] = _Operator(func)
    return found


# Layers with weights compute in the type of their activations; torch's meta kernels want one type.
_layers = {f"aten::{name}" for name in (
    "linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "layer_norm",
    "group_norm", "batch_norm", "instance_norm", "lstm", "gru", "rnn_tanh", "rnn_relu")}
# What gives its argument's values, if the type stays.
_copies = {f"aten::{name}" for name in ("to", "_to_copy", "clone", "contiguous", "alias", "detach", "view", "reshape")}
_meta_device = torch.device("meta")
# Arguments that say nothing of the meaning.
_ignored = (torch.device, torch.layout, torch.memory_format, torch.Generator)


class Capture(compat.DispatchMode):
    """One capture. Use run(); helper operations use record()."""

    def __init__(self, training, weights, module_names, compiling=False):
        super().__init__()
        self.training = training
        self.recorder = core.Recorder()
        self._weights = {id(w.tensor): w for w in weights}
        self._by_memory = {w.memory: w for w in weights}
        self._by_storage = sharing.by_storage(weights)
        self._inputs = 0
        self._known = {}  # id of a real tensor -> (the tensor, its IpuTensor)
        self._signatures = {}
        self._names = module_names  # id of a module -> name
        self._real = {}  # id of a tensor that stands for another -> that one
        self._scopes, self._sources = {}, {}  # numbers in the recording
        self.hidden_sources: "tuple[str, ...]" = notices.hidden
        self.used_weights = []
        # All tensors: where torch takes an operator apart, C++ alone holds some, and a garbage collection would take
        # their attributes.
        self._made = []
        self.unsupported_types = {}  # with the line that made the first tensor of each
        self.recorded = False  # whether there is an operator of torch
        # What torch.compiler.is_compiling() answers, and whether somebody asked.
        self.compiling, self.asked_for_compiling = compiling, False
        self.autocast = self.autocast_policy = None  # of the region that runs, and of regions
        self.state = {}  # what helper operations keep while this capture runs
        self.linearity = None  # of what a backward() of the user's makes of a gradient, while it runs
        self._undo = []
        self._reference = weakref.ref(self)
        self._below_autograd = None
        self.running, self.stray = True, None  # stray: what was done to tensors on other threads

    # ---- running

    def run(self, call, model):
        """call() on this thread, with the model's tensors as parts that can be indexed."""
        if current() is not None:
            raise Error(nested_call)
        twins = moving.Twins(model)
        self._real = twins.real
        try:
            self._undo += [lambda: substitutes.end(self), twins.remove, self._leave]
            substitutes.begin(self)
            twins.place()
            self._below_autograd = compat.below_autograd()
            self._below_autograd.__enter__()
            set_current(self)
            with torch.enable_grad(), self:
                result = call()
        except Exception as problem:
            if self.stray is None:
                raise
            raise self.stray from problem
        finally:
            self.running = False
            self.end()
        if self.stray:
            raise self.stray
        return result

    def said_to_compile(self):
        self.asked_for_compiling = True
        return self.compiling

    def _leave(self):
        self.__exit__()
        if current() is self:
            set_current(None)
        if self._below_autograd is not None:
            self._below_autograd.__exit__(None, None, None)
        self._below_autograd = None

    def end(self):
        """Everything is as before the capture. May be called again where it was broken off, and twice."""
        while self._undo:
            self._undo[-1]()
            self._undo.pop()

    def place(self, block, ipu):
        """Where a block is that the program enters, as arguments of its marker."""
        place = self.placer.place(block, ipu)
        return {"ipu": place.ipu, "stage": place.stage, "phase": place.phase}

    # ---- tensors

    def new(self, meta, value=None):
        """A new tensor of the model, like a meta tensor."""
        kind = meta.dtype
        if unsupported_type(kind):
            self.unsupported_types.setdefault(kind, self._line())
            kind = torch.float
        number = self.recorder.tensor(tuple(meta.size()), device_type(kind))
        made = tensor_of(meta, number, value)
        made.capture = self._reference
        self._made.append(made)
        return made

    def input(self, shape, dtype):
        """The next argument of forward(), by the vendor's name: input, input/1, ..."""
        tensor = self.new(empty_meta(shape, dtype))
        name = f"input/{self._inputs}" if self._inputs else "input"
        while any(weight.name == name for weight in self._weights.values()):
            name += "-"
        self._inputs += 1
        self.recorder.input(tensor.number, name)
        return tensor

    def wrap(self, tensor):
        """The model's tensor for any tensor: a parameter, a buffer, or a constant."""
        if isinstance(tensor, IpuTensor):
            return tensor
        known = self._known.get(id(tensor))
        if known is not None:
            return known[1]
        if id(tensor) in self._real:
            return self.wrap(self._real[id(tensor)])
        if tensor.layout is not torch.strided:
            raise Error("Sparse tensors are not supported.")
        weight = self._weights.get(id(tensor)) or self._by_memory.get(_memory(tensor))
        if weight is not None and id(weight.tensor) != id(tensor):
            wrapped = sharing.without_gradient(self, tensor, weight, self.wrap(weight.tensor))  # .data, or a detached member
        elif weight is not None:
            wrapped = self._wrap_weight(weight)
        elif tensor.device.type == "meta":
            raise Error("A tensor on the meta device has no values.")
        else:
            near = self._by_storage.get(compat.storage_address(tensor), ()) if tensor.numel() else ()
            wrapped = sharing.part_of(self, tensor, near)
            if wrapped is None:
                wrapped = self._wrap_constant(tensor)
        self._known[id(tensor)] = (tensor, wrapped)
        return wrapped

    def _wrap_constant(self, tensor):
        values = _values(tensor)
        wrapped = self.new(_meta(tensor), Known(values))
        self.recorder.constant(wrapped.number, values.data_ptr(), device_type(values.dtype, narrow=False), values)
        return wrapped

    def _wrap_weight(self, weight):
        tensor = weight.tensor
        wrapped = self.new(empty_meta(weight.shape, tensor.dtype))
        self.recorder.weight(wrapped.number, weight.name, weight.values.data_ptr(),
                             device_type(weight.values.dtype, narrow=False), weight.trained, weight.settings,
                             weight.values)
        self.used_weights.append(weight)
        return wrapped

    # ---- operators

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        notices.of_autocast(self)
        special = unrecorded.get(func._schema.name) or unrecorded.get(str(func))
        try:
            if complex_numbers.concerns(func._schema.name[len("aten::"):], args, kwargs):
                return complex_numbers.call(self, func, args, kwargs)
            if special is not None:
                return special(self, func, args, kwargs)
            return self.record_call(func, args, kwargs)
        except Error as problem:
            raise self.located(func._schema.name, problem)

    def located(self, name, problem):
        """The error, with the operator, its module and the user's line before what it says; once."""
        if problem.location:
            return problem
        where = self._where()
        text = f"{name} ({', '.join(where)}): {problem.message}" if where else f"{name}: {problem.message}"
        return type(problem)(text, problem.type, where or [name])

    def _where(self):
        """The module and the user's line that run."""
        line, scope = self._line(), self._module()
        return [f'in "{scope}"'] * bool(scope) + [f"at {line[0]}:{line[1]}"] * bool(line)

    def record_call(self, func, args, kwargs):
        operator = _operator(func)
        if self.autocast is not None:
            args, kwargs = cast_operands(self, operator.name.split("::")[1], args, kwargs)
        if operator.decomposition is not None:
            with self:
                return _decomposed(operator, args, kwargs)
        if not operator.supported and operator.composite:
            return self._taken_apart(func, operator, args, kwargs)
        if operator.makes_constant:
            with compat.undispatched():
                return self.wrap(func(*args, **{name: value for name, value in kwargs.items() if name != "device"}))
        originals = {}  # id of a meta tensor -> what the caller gave

        def to_meta(value):
            if isinstance(value, torch.Tensor):
                wrapped = self.wrap(value)
                originals[id(wrapped.meta)] = (value, wrapped)
                return wrapped.meta
            if isinstance(value, (list, tuple)):
                return type(value)(map(to_meta, value)) if not hasattr(value, "_fields") else value
            return _meta_device if isinstance(value, torch.device) else value

        metas = [to_meta(value) for value in args]
        keywords = {name: to_meta(value) for name, value in kwargs.items()}
        try:
            results = self._infer(func, operator, metas, keywords, originals)
        except Exception as problem:
            if operator.known:
                raise
            raise self._unsupported(operator) from problem
        return self._record(func, operator, args, kwargs, results, originals)

    def _taken_apart(self, func, operator, args, kwargs):
        """By torch, into operators that it is made of; kernels of extensions look at data, which there is not."""
        def on_device(value):
            if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
                return type(value)(map(on_device, value))
            return self.wrap(value) if isinstance(value, torch.Tensor) else value

        if compat.taken_apart_in_python(func):  # which may ask whether all is on one device
            args, kwargs = on_device(args), {name: on_device(value) for name, value in kwargs.items()}
        try:
            with self:
                return func.decompose(*args, **kwargs)
        except RuntimeError as problem:
            if operator.known:
                raise
            raise self._unsupported(operator) from problem

    def _unsupported(self, operator):
        where = self._where()
        problem = unsupported([f"{operator.name} ({', '.join(where)})" if where else operator.name])
        problem.location = where or [operator.name]
        return problem

    def cast(self, tensor, dtype):
        with self:
            return tensor.to(dtype)

    def _infer(self, func, operator, args, kwargs, originals):
        if "device" in kwargs:
            kwargs["device"] = _meta_device
        if "pin_memory" in kwargs:
            kwargs["pin_memory"] = None
        if kwargs.get("generator") is not None:
            notices.of_generator(self)
            kwargs["generator"] = None
        rule = shape_rules.get(operator.name)
        if rule is not None:
            return rule(*args, **kwargs)
        rule = value_rules.get(operator.name)
        if rule is not None:
            return rule(lambda meta: originals[id(meta)][1].value, *args, **kwargs)
        if operator.name in _layers:
            kind = args[0].dtype
            same = lambda v: v.to(kind) if isinstance(v, torch.Tensor) and v.is_floating_point() else v
            args = [[same(e) for e in v] if isinstance(v, (list, tuple)) else same(v) for v in args]
            kwargs = {name: same(value) for name, value in kwargs.items()}
        try:
            if any(isinstance(args[i], bool) for i in operator.scalars if i < len(args)):
                return _infer_with_bools(func, operator, args, kwargs)
            return func(*args, **kwargs)
        except (RuntimeError, IndexError, ValueError) as problem:  # some formulas of torch's own do not know every shape
            runs = isinstance(problem, RuntimeError) and not isinstance(problem, NotImplementedError)
            if runs and "Could not run" not in str(problem):
                raise
            return _infer_on_zeros(func, args, kwargs)

    def _record(self, func, operator, args, kwargs, results, originals):
        self.recorded = True
        number = self._signatures.get(func)
        if number is None:
            number = self._signatures[func] = self.recorder.signature(
                _plain(operator.name), operator.overload, operator.arguments)
        arguments = list(args) + operator.defaults[len(args):]
        for i in range(len(args), len(arguments)):
            name = operator.arguments[i]
            if name in kwargs:
                arguments[i] = kwargs[name]
        written = [self.wrap(arguments[i]) for i in operator.written if isinstance(arguments[i], torch.Tensor)]
        for tensor in written:  # constants no longer, but for those that are written with constants
            root, known = tensor.root, None
            if root.constant():
                known = derived(operator.name, func, args, kwargs, lambda t: self.wrap(t).constant(), writes=True)
            whole = with_part(root.constant(), root.meta, tensor.meta, known) if known and root is not tensor else known
            root.writes += 1
            if known:
                root.known = whole
                root.seen_writes = root.writes
                tensor.known, tensor.seen_writes = known, root.writes
        storages = {}
        for value, wrapped in originals.values():
            storages.setdefault(compat.storage_identity(wrapped.meta), wrapped)
        outputs, aliases = [], []

        def to_result(meta, argument=None):
            if isinstance(meta, (list, tuple)):
                known = operator.returned if meta is results else []
                made = [to_result(m, *known[i:i + 1]) for i, m in enumerate(meta)]
                return made if isinstance(meta, list) else tuple(made)
            if not isinstance(meta, torch.Tensor):
                return meta
            if argument is not None and isinstance(arguments[argument], torch.Tensor):
                given = self.wrap(arguments[argument])
                _require_shape(given, meta, operator.arguments[argument])
                outputs.append(given.number)
                aliases.append(given.number)
                return arguments[argument]
            made = self.new(meta)
            base = storages.get(compat.storage_identity(meta))
            if base is not None:
                made.see(base)
            if not written:
                made.known = derived(operator.name, func, args, kwargs, lambda t: self.wrap(t).constant(),
                                     part=None if results is meta else len(outputs))
            if not written and results is meta:
                if operator.name in _copies and (made.shape, made.dtype) == (args[0].shape, args[0].dtype):
                    made.copied = self.wrap(args[0]), self.wrap(args[0]).root.writes
                if operator.name == "aten::rand":
                    made.bounds = (0, 1)
                elif made.known is None:
                    made.known = decided(operator.name, args, lambda t: self.wrap(t).bounds)
                if made.known is None and meta.numel() == 1 and not meta.dtype.is_floating_point:
                    made.offset = moving.offset(operator.name, args, self.wrap)
            outputs.append(made.number)
            aliases.append(base.number if base is not None else core.no_tensor)
            return made

        returned = to_result(results, *operator.returned[:1])
        if written and not outputs:  # operators that return nothing
            outputs = aliases = [w.number for w in written]
        self.recorder.operation(number, [self._argument(v) for v in arguments], outputs, aliases, bool(written),
                                not torch.is_grad_enabled(), self._scope(), self._source())
        if self.linearity is not None:
            self.linearity.see(self, operator.name, args, returned)
        return returned

    def _argument(self, value):
        if isinstance(value, torch.Tensor):
            return self.wrap(value).ref
        if isinstance(value, (list, tuple)):
            return [self._argument(v) for v in value]
        if isinstance(value, torch.dtype):
            return None if unsupported_type(value) else device_type(value)
        if isinstance(value, _ignored):
            return None
        return value

    def _source(self):
        """The number of the user's line that runs."""
        key = self._line()
        number = self._sources.get(key)
        if number is None:
            number = self._sources[key] = self.recorder.source(f"{key[0]}:{key[1]}" if key else "")
        return number

    def _scope(self):
        """The number of the name of the module that runs."""
        name = self._module()
        number = self._scopes.get(name)
        if number is None:
            number = self._scopes[name] = self.recorder.scope(inner_name(name))
        return number

    def _module(self):
        """The name of the innermost module whose call is under way."""
        frame = sys._getframe(2) if self._names else None
        while frame is not None:
            if frame.f_code is compat.module_call:
                name = self._names.get(id(frame.f_locals["self"]))
                if name is not None:
                    return name
            frame = frame.f_back
        return ""

    def _line(self):
        """File and line of the user's program."""
        frame: Any = sys._getframe(2)
        while frame is not None:
            file = frame.f_code.co_filename
            if not any(part in file for part in self.hidden_sources):
                return file, frame.f_lineno
            frame = frame.f_back
        return None

    def record(self, name, arguments, results=()):
        """Appends an operator of our own. Results: meta tensors of its outputs. The model's tensors for them."""
        key = (name, tuple(arguments))
        number = self._signatures.get(key)
        if number is None:
            number = self._signatures[key] = self.recorder.signature(name, "", list(arguments))
        made = [self.new(meta) for meta in results]
        self.recorder.operation(number, [self._argument(v) for v in arguments.values()],
                                [t.number for t in made], [core.no_tensor] * len(made), False,
                                not torch.is_grad_enabled(), self._scope(), self._source())
        return made

    def result_shapes(self, name, arguments, results):
        """The shapes that PopART gives the results of an operator of our own; those of `results` where it cannot say."""
        recorder = core.Recorder()

        def given(value):
            if isinstance(value, (list, tuple)):
                return [given(v) for v in value]
            if not isinstance(value, torch.Tensor):
                return value
            wrapped = self.wrap(value)
            number = recorder.tensor(tuple(wrapped.meta.size()), device_type(wrapped.dtype))
            if wrapped.value is None:
                recorder.input(number, f"x{number}")
            else:
                values = _values(wrapped.value)
                recorder.constant(number, values.data_ptr(), device_type(values.dtype, narrow=False), values)
            return core.TensorRef(number)

        operands = [given(value) for value in arguments.values()]
        made = [recorder.tensor(tuple(meta.size()), device_type(meta.dtype)) for meta in results]
        recorder.operation(recorder.signature(name, "", list(arguments)), operands, made, [core.no_tensor] * len(made), False,
                           False, recorder.scope(""), recorder.source(""))
        try:
            return core.result_shapes(recorder)
        except failures:  # told of with the line when the model is converted
            return [tuple(meta.size()) for meta in results]

    def check_shared(self):
        sharing.check([(t, w) for t, w in self._known.values() if id(t) not in self._weights and w.known and t.numel()])

    def write_plain_tensors(self):
        """Tensors that are no parameters or buffers, and that forward() wrote with known values, have them on the host too:
        what else it does there happens once as well, when it is captured. They get other memory: the model has theirs."""
        for tensor, wrapped in self._known.values():
            if wrapped.writes and id(tensor) not in self._weights and wrapped.value is not None:
                tensor.data = wrapped.value.clone()

    def output(self, tensor):
        if complex_numbers.is_pair(tensor):
            raise Error("Complex results do not come back from the device: return torch.view_as_real() of them.")
        self.recorder.output(self.wrap(tensor).number)


def _require_shape(given, meta, name):
    """torch makes tensors that are given for results as large as these; here they are of their size already."""
    if tuple(given.size()) != tuple(meta.size()):
        raise Error(f"The tensor given as {name} has shape {list(given.size())}, the result {list(meta.size())}. Give a "
                    "tensor of the result's shape, or take the result without out=.")


def _memory(tensor):
    return tensor.data_ptr(), tuple(tensor.shape), tuple(tensor.stride()), tensor.dtype


def _values(tensor):
    """A constant's values as the device can read them."""
    with compat.undispatched():
        values = tensor.detach().contiguous()
        if values.dtype is torch.int64:  # the most and the least there is stay so in the device's 32 bits
            for bound in ("max", "min"):
                wide, narrow = (getattr(torch.iinfo(kind), bound) for kind in (torch.int64, torch.int32))
                if (values == wide).any():
                    values = values.masked_fill(values == wide, narrow)
        return values.float() if values.dtype is torch.bfloat16 else values


def _meta(tensor):
    return empty_meta(tensor.size(), tensor.dtype, tensor.stride())


def _infer_with_bools(func, operator, args, kwargs):
    """torch takes the number True for 1 on this way, but not a tensor without dimensions that is True."""
    if func._schema.name in ("aten::full", "aten::new_full", "aten::full_like") and kwargs.get("dtype") is None:
        return func(*args, **{**kwargs, "dtype": torch.bool if "like" not in func._schema.name else args[0].dtype})
    tensors = [torch.tensor(v) if isinstance(v, bool) and i in operator.scalars else v for i, v in enumerate(args)]
    try:
        return func._overloadpacket(*tensors, **kwargs)
    except (RuntimeError, TypeError):  # there is no such overload
        return func(*args, **kwargs)


def _infer_on_zeros(func, args, kwargs):
    """For the few operators without a meta kernel: type and shape from a run on zeros."""
    def real(value):
        if isinstance(value, torch.Tensor):
            zeros = torch.zeros(value.shape, dtype=value.dtype)
            return zeros.float() if value.dtype in (torch.half, torch.bfloat16) else zeros
        if isinstance(value, (list, tuple)):
            return type(value)(map(real, value))
        return value

    half = any(isinstance(v, torch.Tensor) and v.dtype is torch.half for v in args)
    kwargs = {name: real(value) for name, value in kwargs.items()}
    kwargs.pop("device", None)
    results = func(*map(real, args), **kwargs)

    def meta(value):
        if isinstance(value, torch.Tensor):
            kind = torch.half if half and value.dtype is torch.float else value.dtype
            return torch.empty(value.shape, dtype=kind, device="meta")
        return type(value)(map(meta, value)) if isinstance(value, (list, tuple)) else value

    return meta(results)


def _decomposed(operator, args, kwargs):
    """An operator by our own decomposition; what it writes is written with the results."""
    outs = [operator.arguments[i] for i in operator.written if i >= len(args)]
    targets = [args[i] for i in operator.written if i < len(args)]
    targets += [kwargs.pop(name) for name in outs if name in kwargs]
    results = operator.decomposition(*args, **kwargs)
    for target, result in zip(targets, results if isinstance(results, tuple) else [results]):
        _require_shape(target, result, "out")
        target.copy_(result)
    return results if not targets else targets[0] if len(targets) == 1 else tuple(targets)
