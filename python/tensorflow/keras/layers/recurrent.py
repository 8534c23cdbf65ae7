# SPDX-License-Identifier: MIT
"""RNN: a cell over the steps of a sequence [batch, time, ...]; SimpleRNN, LSTM and GRU, which popnn's fused kernels run
where their settings allow it. Others are written out step by step."""
from __future__ import annotations

import inspect
from typing import Any, Sequence
import numpy as np

from tensorflow.framework import nest
from tensorflow.framework.context import active
from tensorflow.framework.dispatch import apply
from tensorflow.framework.scopes import name_scope
from tensorflow.framework.shapes import TensorShape
from tensorflow.framework.tensors import EagerTensor, Tensor
from tensorflow.framework.typed import ActivationLike, ConstraintLike, InitializerLike, RegularizerLike, ShapeLike, TensorLike
from tensorflow.framework.variables import Variable
from tensorflow.keras.engine.base_layer import InputSpec, Layer, registry
from tensorflow.keras.layers import parts
from tensorflow.keras.layers.cells import GRUCell, LSTMCell, SimpleRNNCell, StackedRNNCells, zeros_like_rows
from tensorflow.ops import array_ops, math_ops

__all__ = ["RNN", "SimpleRNN", "LSTM", "GRU"]


class RNN(Layer):
    """A recurrent layer of any cell."""
    def __init__(self, cell: Any, return_sequences: bool = False, return_state: bool = False, go_backwards: bool = False,
                 stateful: bool = False, unroll: bool = False, time_major: bool = False, **kwargs: Any) -> None:
        if isinstance(cell, (list, tuple)):
            cell = StackedRNNCells(cell)
        if not hasattr(cell, "call"):
            raise ValueError(f"`cell` should have a `call` method. The RNN was passed: {cell}")
        if not hasattr(cell, "state_size"):
            raise ValueError("The RNN cell should have an attribute `state_size` (tuple of integers, one integer per RNN "
                             "state).")
        super().__init__(**kwargs)
        self.cell = cell
        self.return_sequences, self.return_state, self.go_backwards = return_sequences, return_state, go_backwards
        self.stateful, self.unroll, self.time_major = stateful, unroll, time_major
        self.supports_masking, self.input_spec = True, InputSpec(ndim=3)
        self._kept: Any = None

    def __call__(self, inputs: TensorLike, initial_state: TensorLike | None = None, *args: Any, **kwargs: Any) -> Any:
        if isinstance(inputs, (list, tuple)) and initial_state is None and len(inputs) > 1:
            inputs, initial_state = inputs[0], list(inputs[1:])
        if initial_state is not None:
            kwargs["initial_state"] = initial_state if isinstance(initial_state, (list, tuple)) else [initial_state]
        return super().__call__(inputs, *args, **kwargs)

    @property
    def _sizes(self):
        size = self.cell.state_size
        return list(size) if isinstance(size, (list, tuple)) else [size]

    @property
    def states(self) -> Any:
        """The states that a stateful layer keeps."""
        return [None] * len(self._sizes) if self._kept is None else self._kept

    def reset_states(self, states: Sequence | None = None) -> None:
        """Sets the states of a stateful layer, to zero if none are given."""
        if not self.stateful:
            raise AttributeError("Layer must be stateful.")
        if self._kept is None:
            raise ValueError("If a RNN is stateful, it needs to know its batch size: it must have been called once.")
        values: Sequence = [np.zeros(v.shape.as_list(), np.float32) for v in self._kept] if states is None else \
            states if isinstance(states, (list, tuple)) else [states]
        for variable, value in zip(self._kept, values):
            variable.set(np.asarray(value))

    def build(self, input_shape: ShapeLike) -> None:
        shape, cell = TensorShape(input_shape), self.cell
        if isinstance(cell, Layer) and not cell.built:
            with name_scope(cell.name):
                cell.build(TensorShape([shape[1 if self.time_major else 0], *shape[2:]]))
            cell.built = True

    def _initial(self, rows, given):
        if given is not None:
            return [math_ops.cast(s, rows.dtype) for s in nest.flatten(given)]
        if self.stateful:
            if self._kept is None:
                if rows.shape[0] is None:
                    raise ValueError("If a RNN is stateful, it needs to know its batch size. Specify the batch size of your "
                                     "input tensors: `batch_input_shape` in the first layer, or `batch_shape` of Input().")
                self._states([(rows.shape[0], n) for n in self._sizes])
            return [math_ops.cast(v, rows.dtype) for v in self._kept]
        return [zeros_like_rows(rows, n, rows.dtype) for n in self._sizes]

    def _states(self, shapes):
        made = [Variable(np.zeros(s, np.float32), False, name=f"{self.name}/state{i}") for i, s in enumerate(shapes)]
        self.__dict__["_kept"] = made  # no weights of the layer

    def call(self, inputs: TensorLike, mask: TensorLike | None = None, training: bool | None = None,
             initial_state: TensorLike | None = None) -> Tensor | list:
        inputs = parts.floating(self, inputs)
        x = inputs if self.time_major else array_ops.transpose(inputs, [1, 0, *range(2, inputs.shape.rank)])
        if x.shape[0] is None and getattr(active(), "name", "") != "shapes":
            raise ValueError(f"{type(self).__name__} needs the number of steps of its input, of shape {inputs.shape}: the "
                             "IPU's programs have fixed shapes.")
        mask = nest.flatten(mask)[0] if mask is not None else None
        states = self._initial(x[0] if x.shape.rank > 2 else x, initial_state)
        fused = self._fused(training, mask)
        if hasattr(self.cell, "reset_masks"):
            self.cell.reset_masks()
        sequence, last, states = (self._at_once if fused else self._by_steps)(x, states, mask, training)
        if self.stateful:
            for variable, value in zip(self._kept, states):
                variable.assign(math_ops.cast(value, "float32"))
        out = last
        if self.return_sequences:
            out = sequence() if self.time_major else array_ops.transpose(
                sequence(), [1, 0, *range(2, last.shape.rank + 1)])
        return [out, *states] if self.return_state else out

    def _fused(self, training, mask):
        return False

    def _by_one_step(self, x, states, training):
        """What comes out of a number of steps that is not known yet, when only shapes are asked for."""
        out, states = self._step(x[:1][0], states, not isinstance(self.cell.state_size, (list, tuple)), training)
        first = math_ops.multiply(math_ops.reduce_sum(x, list(range(2, x.shape.rank)), keepdims=True), 0.0)
        return lambda: math_ops.add(first, out), out, states

    def _by_steps(self, x, states, mask, training):
        if x.shape[0] is None:
            return self._by_one_step(x, states, training)
        steps = array_ops.unstack(x)
        masks = None
        if mask is not None:
            turned = mask if self.time_major else array_ops.transpose(mask, [1, 0])
            masks = [array_ops.expand_dims(m, -1) for m in array_ops.unstack(turned)]
        order = range(len(steps))[::-1] if self.go_backwards else range(len(steps))
        outputs, out = [], None
        alone = not isinstance(self.cell.state_size, (list, tuple))
        for t in order:
            made, new = self._step(steps[t], states, alone, training)
            if masks is not None:
                before = array_ops.zeros_like(made) if out is None else out
                made = math_ops.where(masks[t], made, before)
                new = [math_ops.where(masks[t], n, s) for n, s in zip(new, states)]
            states, out = new, made
            outputs.append(out)
        return lambda: array_ops.stack(outputs), out, states

    def _step(self, x, states, alone, training):
        given = states[0] if alone and not isinstance(self.cell, (SimpleRNNCell, GRUCell)) else states
        arguments = {"training": training} if self._cell_takes_training else {}
        out, new = self.cell(x, given, **arguments)
        return out, nest.flatten(new)

    @property
    def _cell_takes_training(self):
        return "training" in inspect.signature(self.cell.call).parameters

    def compute_mask(self, inputs: TensorLike, mask: TensorLike | None = None) -> Tensor | list | None:
        mask = None if mask is None else nest.flatten(mask)[0]
        first = mask if self.return_sequences else None
        return [first, *[None] * len(self._sizes)] if self.return_state else first

    def get_config(self) -> dict:
        return {**super().get_config(), "return_sequences": self.return_sequences, "return_state": self.return_state,
                "go_backwards": self.go_backwards, "stateful": self.stateful, "unroll": self.unroll,
                "time_major": self.time_major, "cell": registry.serialize(self.cell)}

    @classmethod
    def from_config(cls, config: dict, custom_objects: dict | None = None) -> RNN:
        config = dict(config)
        return cls(registry.deserialize(config.pop("cell"), custom_objects), **config)


_OF_RNN = ("return_sequences", "return_state", "go_backwards", "stateful", "unroll", "time_major")


class _Known(RNN):
    """A layer of one kind of cell."""
    _functions = {"tanh"}

    def __init__(self, kind, cell_arguments, of_rnn, kwargs):
        cell_kwargs = {k: kwargs[k] for k in ("dtype", "trainable") if k in kwargs}
        kwargs.pop("implementation", None)
        super().__init__(kind(**cell_arguments, **cell_kwargs), **of_rnn, **kwargs)

    def __getattr__(self, name):
        cell = self.__dict__.get("cell")
        if cell is None or name.startswith("_"):
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        return getattr(cell, name)

    def _fused(self, training, mask):
        cell = self.cell
        gates = getattr(cell, "recurrent_activation", None)
        return (mask is None and not (training and cell.recurrent_dropout) and
                cell.activation.__name__ in self._functions and (gates is None or gates.__name__ == "sigmoid"))

    def _at_once(self, x, states, mask, training):
        cell = self.cell
        kernel, recurrent, bias = cell._weights_in(x.dtype)
        if bias is None:
            shape = [kernel.shape[1]]
            shape = [2, *shape] if getattr(cell, "reset_after", False) else shape
            bias = EagerTensor(np.zeros(shape, x.dtype.as_numpy_dtype))
        if training and cell.dropout:
            x = math_ops.multiply(x, array_ops.expand_dims(cell._dropped("dropout", array_ops.ones_like(x[0]), True), 0))
        out, *last = apply(self._op, [x, kernel, recurrent, bias, *states],
                           {"activation": cell.activation.__name__, "reverse": bool(self.go_backwards)},
                           outputs=1 + len(states))
        # Keras' outputs are in the order of the steps that were made.
        return (lambda: array_ops.reverse(out, [0]) if self.go_backwards else out), last[0], last

    def get_config(self):
        out = RNN.get_config(self)
        out.pop("cell")
        own = self.cell.get_config()
        return {**{k: v for k, v in own.items() if k not in ("name", "trainable", "dtype")}, **out}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        return cls(**config)


def _split(given):
    """Arguments of a constructor: (of the cell, of the RNN)."""
    given = {k: v for k, v in given.items() if k not in ("self", "kwargs", "__class__", "activity_regularizer")}
    return {k: v for k, v in given.items() if k not in _OF_RNN}, {k: v for k, v in given.items() if k in _OF_RNN}


class SimpleRNN(_Known):
    """A recurrent layer: activation(x * kernel + state * recurrent + bias)."""
    _op, _functions = "RNNLayer", {"tanh", "relu"}

    def __init__(self, units: int, activation: ActivationLike = "tanh", use_bias: bool = True,
                 kernel_initializer: InitializerLike = "glorot_uniform",
                 recurrent_initializer: InitializerLike = "orthogonal", bias_initializer: InitializerLike = "zeros",
                 kernel_regularizer: RegularizerLike = None, recurrent_regularizer: RegularizerLike = None,
                 bias_regularizer: RegularizerLike = None, activity_regularizer: RegularizerLike = None,
                 kernel_constraint: ConstraintLike = None, recurrent_constraint: ConstraintLike = None,
                 bias_constraint: ConstraintLike = None, dropout: float = 0.0, recurrent_dropout: float = 0.0,
                 return_sequences: bool = False, return_state: bool = False, go_backwards: bool = False,
                 stateful: bool = False, unroll: bool = False, **kwargs: Any) -> None:
        own, of_rnn = _split(locals())
        super().__init__(SimpleRNNCell, own, of_rnn, {"activity_regularizer": activity_regularizer, **kwargs})


class LSTM(_Known):
    """An LSTM layer: sequences to the last output, or to all."""
    _op = "LSTMLayer"

    def __init__(self, units: int, activation: ActivationLike = "tanh", recurrent_activation: ActivationLike = "sigmoid",
                 use_bias: bool = True, kernel_initializer: InitializerLike = "glorot_uniform",
                 recurrent_initializer: InitializerLike = "orthogonal", bias_initializer: InitializerLike = "zeros",
                 unit_forget_bias: bool = True, kernel_regularizer: RegularizerLike = None,
                 recurrent_regularizer: RegularizerLike = None, bias_regularizer: RegularizerLike = None,
                 activity_regularizer: RegularizerLike = None, kernel_constraint: ConstraintLike = None,
                 recurrent_constraint: ConstraintLike = None, bias_constraint: ConstraintLike = None, dropout: float = 0.0,
                 recurrent_dropout: float = 0.0, return_sequences: bool = False, return_state: bool = False,
                 go_backwards: bool = False, stateful: bool = False, time_major: bool = False, unroll: bool = False,
                 **kwargs: Any) -> None:
        own, of_rnn = _split(locals())
        super().__init__(LSTMCell, own, of_rnn, {"activity_regularizer": activity_regularizer, **kwargs})


class GRU(_Known):
    """A GRU layer: sequences to the last output, or to all."""
    _op = "GRULayer"

    def __init__(self, units: int, activation: ActivationLike = "tanh", recurrent_activation: ActivationLike = "sigmoid",
                 use_bias: bool = True, kernel_initializer: InitializerLike = "glorot_uniform",
                 recurrent_initializer: InitializerLike = "orthogonal", bias_initializer: InitializerLike = "zeros",
                 kernel_regularizer: RegularizerLike = None, recurrent_regularizer: RegularizerLike = None,
                 bias_regularizer: RegularizerLike = None, activity_regularizer: RegularizerLike = None,
                 kernel_constraint: ConstraintLike = None, recurrent_constraint: ConstraintLike = None,
                 bias_constraint: ConstraintLike = None, dropout: float = 0.0, recurrent_dropout: float = 0.0,
                 return_sequences: bool = False, return_state: bool = False, go_backwards: bool = False,
                 stateful: bool = False, unroll: bool = False, time_major: bool = False, reset_after: bool = True,
                 **kwargs: Any) -> None:
        own, of_rnn = _split(locals())
        super().__init__(GRUCell, own, of_rnn, {"activity_regularizer": activity_regularizer, **kwargs})
