# SPDX-License-Identifier: MIT
"""tf.xla.experimental.compile: on an IPU it is ipu_compiler.compile."""
import types

from tensorflow import _names
from tensorflow.framework import nest as _nest
from tensorflow.framework.operations import Operation as _Operation
from tensorflow.framework.scopes import group as _group
from tensorflow.framework.tensors import convert_to_tensor as _convert_to_tensor


def _compile(computation, inputs=None):
    """The results as a list; of operations alone one that runs them. Outside of a scope of an IPU the graph has them as they
    are, since everything is compiled anyway."""
    from tensorflow.python.ipu import ipu_compiler, scopes  # takes the IPU package, when it is used
    if scopes.device_index() is not None:
        return ipu_compiler.compile(computation, inputs)
    if inputs is not None and not isinstance(inputs, (list, tuple)):
        raise TypeError("inputs must be a list")
    made = computation(*[_convert_to_tensor(t) for t in inputs or ()])
    flat = [t for t in _nest.flatten(made) if t is not None]
    if all(isinstance(t, _Operation) for t in flat):
        return _group(*flat)
    if isinstance(made, dict):
        return made
    return [t for t in (made if isinstance(made, (list, tuple)) else [made]) if t is not None and not isinstance(t, _Operation)]


experimental = types.SimpleNamespace(compile=_compile)
_names.explain_missing(globals())
