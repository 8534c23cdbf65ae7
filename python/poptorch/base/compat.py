# SPDX-License-Identifier: MIT
"""What is not torch's public interface, or differs between its versions: all such names stand here, each with the versions
that have it. PopTorch runs with torch 1.13 and later. Tried were 1.13 with Python 3.11, and 2.11.0 with Python 3.12.3 and
numpy 2.5.2.

Members of objects that torch hands out are the same in all of these and are used where they are needed: `_schema` of
operators, `_parameters`, `_buffers` and `_modules` of modules.
"""
import functools
import sys

import torch

version = tuple(int(part) for part in torch.__version__.split(".")[:2])
if version < (1, 13):  # before names that it may not have
    raise ImportError(f"poptorch needs torch 1.13 or later; this Python has torch {torch.__version__}. Install a newer one "
                      "with pip install --upgrade torch.")

from torch.autograd.function import FunctionCtx  # noqa: F401 (handed on; all)
from torch.utils import _python_dispatch as _modes  # all
from torch.utils import checkpoint as _checkpoint  # all
from torch.utils._python_dispatch import TorchDispatchMode  # all; public in all but its name

_C = torch._C

# ---- guards: context managers that say how operators of this thread find their kernels


def _scoped(kind):
    """2.0 and later: context managers. 1.13: what acts from when it is made until it goes."""
    if hasattr(kind, "__enter__"):
        return kind

    class Scoped:
        __slots__ = ("_guard",)

        def __enter__(self):
            self._guard = kind()
            return self

        def __exit__(self, *problem):
            self._guard = None

    return Scoped


undispatched = _scoped(_C._DisableTorchDispatch)  # all: operators on real tensors, whatever modes there are
below_autograd = _scoped(_C._AutoDispatchBelowAutograd)  # all
state_at_entry = _scoped(_C._RestorePythonTLSSnapshot)  # all: as before torch called a dispatch mode
# Functions on tensors of a subclass as on plain ones. 1.13: DisableTorchFunction, which later switches function modes off too.
plain_function = getattr(_C, "DisableTorchFunctionSubclass", _C.DisableTorchFunction)

# ---- subclasses of tensors

disabled_torch_function = _C._disabled_torch_function_impl  # all
make_wrapper = torch.Tensor._make_wrapper_subclass  # all: a tensor without data
make_subclass = torch.Tensor._make_subclass  # all: a tensor that sees another's data


def storage_address(tensor):
    """Where its memory begins. untyped_storage: 2.0; storage() warns there."""
    return (tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()).data_ptr()


def storage_identity(tensor):
    """The same number for tensors that see the same memory, also on the meta device, where it has no address."""
    return (tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage())._cdata


# ---- dispatch modes


class DispatchMode(TorchDispatchMode):
    """A mode that Ctrl-C cannot leave behind, wherever it comes."""

    def __init_subclass__(cls, **options):
        """New versions may put a function of torch.compile around this method, and its first call imports that."""
        own = vars(cls).get("__torch_dispatch__")
        super().__init_subclass__(**options)
        if own is not None:
            cls.__torch_dispatch__ = own

    @classmethod
    def _should_skip_dynamo(cls):
        """New versions ask it, to keep torch.compile out of modes: the first operator would import it, for seconds."""
        return False

    def leave(self):
        """The mode is off, wherever it was broken off. _get_current_dispatch_mode_stack, _pop_mode: all."""
        while self in _modes._get_current_dispatch_mode_stack():
            _modes._pop_mode()
        # 1.13: broken off between torch's two calls, it is set above nothing.
        if not _modes._get_current_dispatch_mode_stack() and hasattr(_modes, "_set_torch_dispatch_mode"):
            _modes._set_torch_dispatch_mode(None)

    def __exit__(self, *problem):
        """Torch's own takes for granted that the mode is on, and since 2.0 that nothing broke off a call before this one:
        it takes flags back before it takes the mode off."""
        try:
            if self in _modes._get_current_dispatch_mode_stack():
                super().__exit__(*problem or (None, None, None))
        except IndexError:  # there are no flags left to take back
            pass
        finally:
            self.leave()


def mode_flags():
    """(object, attribute, value) of what says, for all threads together, that some mode is on. 2.0: each mode notes what it
    was before, so that modes of two threads that overlap would leave it on for good, and torch.compile off."""
    return [(_modes, name, True) for name, value in vars(_modes).items() if name.startswith("_is_in_") and value is False]


# ---- functions of torch that torch.compile leaves alone

# They import it when they are first called, which takes seconds. Since 2.7 those that work out shapes of elements are such.


def uncompiled():
    """(object, attribute, value) of what lets them do without, as long as nobody has imported torch.compile."""
    if "torch._dynamo" in sys.modules:
        return []
    return [(function, "__dynamo_disable", value) for function, value in _left_alone()]


@functools.lru_cache(maxsize=None)
def _left_alone():
    """(what such a function is made of, what it calls then). _disable_dynamo: 2.0; with an attribute that keeps it: 2.5."""
    disable = getattr(torch, "_disable_dynamo", None)
    code = disable(lambda: None).__code__ if disable else None
    if code is None or "__dynamo_disable" not in code.co_consts:
        return []
    modules = [sys.modules[name] for name in list(sys.modules)
               if name.startswith(("torch._refs", "torch._decomp", "torch._meta_registrations"))]
    found = {}
    for function in [value for module in modules for value in vars(module).values()]:
        while callable(function):
            if getattr(function, "__code__", None) is code:
                cells = dict(zip(code.co_freevars, (cell.cell_contents for cell in function.__closure__)))
                found[id(cells["fn"])] = cells["fn"], _until_compiling(cells["fn"], cells.get("recursive", True))
            function = getattr(function, "__wrapped__", None)
    return list(found.values())


def _until_compiling(fn, recursive):
    def called(*args, **kwargs):
        compiler = sys.modules.get("torch._dynamo")
        disable = getattr(compiler, "disable", None)  # none while another thread imports it
        return (disable(fn, recursive, wrapping=False) if disable else fn)(*args, **kwargs)

    called._torchdynamo_disable = True  # as torch marks what it puts there
    return called


# ---- operators

_composite = _C.DispatchKey.CompositeImplicitAutograd  # all


def is_composite(func):
    """Whether torch takes an operator apart into others. py_kernels, _dispatch_has_kernel_for_dispatch_key: all."""
    return _composite in func.py_kernels or _C._dispatch_has_kernel_for_dispatch_key(func.name(), _composite)


def taken_apart_in_python(func):
    """Whether that is a function in Python, which torch 2 has for some. py_kernels: all."""
    return _composite in func.py_kernels


def decomposition(func):
    """What torch.compile makes of an operator, written with others; None if it has no such function. All, each has more."""
    from torch._decomp import decomposition_table  # import time, for operators that nothing else knows
    return decomposition_table.get(func)


# ---- functions and modules of torch whose frames and names are looked at

module_call = torch.nn.Module._call_impl.__code__  # all: the frame in which a module's forward() runs
clipping_file = sys.modules[torch.nn.utils.clip_grad_norm_.__module__].__file__
BatchNorm = torch.nn.modules.batchnorm._BatchNorm  # all
adaptive_result = torch.nn.modules.adaptive._ASMoutput  # all
CheckpointFunction = _checkpoint.CheckpointFunction  # all


def compiled_module(module):
    """What torch.compile made a module of; None if it did not. OptimizedModule, with _orig_mod: 2.0."""
    compiler = sys.modules.get("torch._dynamo.eval_frame")
    kind = getattr(compiler, "OptimizedModule", None)
    return module.__dict__["_modules"]["_orig_mod"] if kind is not None and isinstance(module, kind) else None


# What Module.compile() leaves in a module, which runs that then. 2.2
compiled_call = "_compiled_call_impl"


_stance = []


def run_uncompiled():
    """Functions of torch.compile run as they were written, on all threads, until run_compiled(). set_stance: 2.6; nothing is
    done before. May be called several times."""
    compiler = getattr(torch, "compiler", None)
    if not _stance and "torch._dynamo" in sys.modules and hasattr(compiler, "set_stance"):
        _stance.append(compiler.set_stance("force_eager"))
        _stance[0].__enter__()


def run_compiled():
    while _stance:
        _stance[-1].__exit__(None, None, None)
        _stance.pop()


# What operators that take functions are: while_loop, scan, cond (which torch.cond, 2.0, would compile first). 2.0
HigherOrderOperator = getattr(torch._ops, "HigherOrderOperator", None)


def nothing_to_keep(*args, **kwargs):
    """In the place of what torch.utils.checkpoint does around a function: until that has run, and afterwards."""
    yield


def substitutes(is_compiling):
    """(object, attribute, value) of functions of torch that do not run on tensors without values, or not on "ipu:0".

    _checkpoint_without_reentrant: 1.13, and _generator: 2.1, keep what a function needs to be called again in the backward
    pass (on the device, options and recomputationCheckpoint do). is_compiling: 2.1, what libraries ask before they look at
    values of tensors. _detect_is_causal_mask: 2.1, compares a mask with the causal one. _check_tensor_all_with: 2.1, an
    assertion on values. autocast: knows "ipu" since 2.1.
    """
    found = [(_checkpoint, "_checkpoint_without_reentrant_generator", nothing_to_keep),
             (_checkpoint, "_checkpoint_without_reentrant", lambda function, preserve, *args: function(*args)),
             (getattr(torch, "compiler", None), "is_compiling", is_compiling),
             (torch.nn.modules.transformer, "_detect_is_causal_mask", lambda mask, causal=None, size=None: causal is True)]
    if _check_all is not None:
        found.append((torch, "_check_tensor_all_with", _check_if_known))
    if version < (2, 4) and not hasattr(torch, "get_autocast_ipu_dtype"):
        found.append((torch.autocast, "__init__", _autocast_on_ipu))
    return [(where, name, value) for where, name, value in found if hasattr(where, name)]


_check_all = getattr(torch, "_check_tensor_all_with", None)
_autocast = torch.autocast.__init__


def _check_if_known(error_type, cond, message=None):
    """value: of tensors of a capture, None if it is known only when the model runs."""
    value = getattr(cond, "value", cond)
    if value is not None:
        with undispatched():
            _check_all(error_type, value, message)


def _autocast_on_ipu(self, device_type, *args, **kwargs):
    if device_type == "ipu":  # which has no operators that torch would cast
        return _autocast(self, "cpu", dtype=torch.bfloat16, enabled=False)
    return _autocast(self, device_type, *args, **kwargs)


# ---- automatic mixed precision


def autocasting():
    """Whether the program is in an enabled region of torch.autocast. Arguments: 2.4, where is_autocast_cpu_enabled warns."""
    if version >= (2, 4):
        return torch.is_autocast_enabled("cpu") or torch.is_autocast_enabled("cuda")
    return torch.is_autocast_cpu_enabled() or torch.is_autocast_enabled()


# ---- optimizers


@functools.lru_cache(maxsize=None)
def first_state(kind):
    """What an optimizer of torch.optim, made with a learning rate alone, has for a weight after a step with gradient 0: SGD has
    momentum_buffer None or nothing, RMSprop counts steps in an int or a tensor; later versions have the latter."""
    with torch.inference_mode(False), torch.no_grad(), undispatched():
        weight = torch.nn.Parameter(torch.zeros(1, device="cpu"))
        weight.grad = torch.zeros(1, device="cpu")
        optimizer = kind([weight], lr=0.1)
        step = kind.step
        getattr(step, "__wrapped__", step)(optimizer)  # without the hooks that a program has for all optimizers
        return dict(optimizer.state.get(weight, {}))


def has_setup_context(function):
    """Whether a torch.autograd.Function has it, 2.0, so that forward() gets no context."""
    common = getattr(torch.autograd.Function, "setup_context", None)
    return common is not None and function.setup_context is not common


def count_step(optimizer):
    """Learning rate schedulers look whether the optimizer made a step: _step_count before 2.4, _opt_called since then."""
    if hasattr(optimizer, "_step_count"):
        optimizer._step_count += 1
    optimizer._opt_called = True


# ---- files


def load(file, **options):
    """torch.load of a file that may hold anything. weights_only: 1.13; True unless told otherwise since 2.6."""
    return torch.load(file, weights_only=False, **options)
