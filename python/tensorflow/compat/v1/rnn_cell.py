# SPDX-License-Identifier: MIT
"""tf.nn.rnn_cell and the functions that run cells over time, of TensorFlow 1. A cell gives (output, state) for (inputs, state);
its variables are `kernel` and `bias` of the variable scope that it is called in. On IPUs PopnnLSTM is faster."""
from __future__ import annotations

import collections
import typing as _typing

from tensorflow import _names
from tensorflow.compat.v1 import nn as _v1_nn
from tensorflow.compat.v1.initializers import constant_initializer as _constant_initializer
from tensorflow.compat.v1.variable_scope import AUTO_REUSE as _AUTO_REUSE
from tensorflow.compat.v1.variable_scope import get_variable as _get_variable
from tensorflow.compat.v1.variable_scope import variable_scope as _variable_scope
from tensorflow.framework import nest as _nest
from tensorflow.framework.tensors import convert_to_tensor as _convert
from tensorflow.ops import array_ops as _array
from tensorflow.ops import composed_ops as _composed
from tensorflow.ops import math_ops as _math
from tensorflow.ops import nn_ops as _nn
if _typing.TYPE_CHECKING:  # of annotations
    from typing import Any, Callable, Sequence
    from tensorflow.framework.tensors import Tensor
    from tensorflow.framework.typed import ActivationLike, DTypeLike, InitializerLike, NumberLike, TensorLike

LSTMStateTuple = collections.namedtuple("LSTMStateTuple", "c h")
LSTMStateTuple.__doc__ = "The state of an LSTM: the cell c and the output h."


class RNNCell:
    """state_size, output_size, and step(inputs, state) -> (output, new state) of a kind."""
    _scope_name = "rnn_cell"

    def __init__(self, name: str | None = None, reuse: bool | None = None, dtype: DTypeLike | None = None) -> None:
        self._asked, self._reuse, self.dtype, self._scope = name, reuse, dtype, None

    def __call__(self, inputs: TensorLike, state: TensorLike, scope: str | None = None) -> tuple:
        inputs = _convert(inputs)
        if self._scope is None:
            with _variable_scope(scope or self._asked, self._scope_name, reuse=self._reuse) as made:
                self._scope = made
        with _variable_scope(self._scope, reuse=_AUTO_REUSE):  # every step has the variables of the first
            return self.step(inputs, state)

    def zero_state(self, batch_size: Any, dtype: DTypeLike) -> Tensor | LSTMStateTuple | tuple:
        """A state of zeros for a batch."""
        return _nest.map_structure(lambda size: _array.zeros([int(batch_size), size], dtype), self.state_size)

    def _mixed(self, parts, units, bias=0.0, prefix="", initializer=None):
        """[parts] kernel + bias"""
        x = _array.concat(parts, 1)
        kernel = _get_variable(prefix + "kernel", [x.shape[1], units], x.dtype, initializer)
        added = _get_variable(prefix + "bias", [units], x.dtype, _constant_initializer(bias))
        return _math.add(_math.matmul(x, kernel), added)


class BasicRNNCell(RNNCell):
    """h = f([x, h] kernel + bias)"""
    _scope_name = "basic_rnn_cell"

    def __init__(self, num_units: int, activation: ActivationLike = None, reuse: bool | None = None, name: str | None = None,
                 dtype: DTypeLike | None = None) -> None:
        super().__init__(name, reuse, dtype)
        self._units, self._activation = num_units, activation or _math.tanh
        self.state_size = self.output_size = num_units

    def step(self, inputs: TensorLike, state: TensorLike) -> tuple:
        """Output and new state after one time step."""
        out = self._activation(self._mixed([inputs, state], self._units))
        return out, out


class GRUCell(RNNCell):
    """r, u = sigmoid([x, h] gates);  c = f([x, r h] candidate);  h = u h + (1 - u) c"""
    _scope_name = "gru_cell"

    def __init__(self, num_units: int, activation: ActivationLike = None, reuse: bool | None = None,
                 kernel_initializer: InitializerLike = None, bias_initializer: InitializerLike = None,
                 name: str | None = None, dtype: DTypeLike | None = None) -> None:
        super().__init__(name, reuse, dtype)
        if bias_initializer is not None:
            raise NotImplementedError("GRUCell(bias_initializer=...) is not there: gates begin with ones, candidates with "
                                      "zeros.")
        self._units, self._activation, self._initializer = num_units, activation or _math.tanh, kernel_initializer
        self.state_size = self.output_size = num_units

    def step(self, inputs: TensorLike, state: TensorLike) -> tuple:
        """Output and new state after one time step."""
        gates = _nn.sigmoid(self._mixed([inputs, state], 2 * self._units, 1.0, "gates/", self._initializer))
        r, u = _array.split(gates, 2, 1)
        c = self._activation(self._mixed([inputs, _math.multiply(r, state)], self._units, 0.0, "candidate/", self._initializer))
        out = _math.add(_math.multiply(u, state), _math.multiply(_math.subtract(1.0, u), c))
        return out, out


class LSTMCell(RNNCell):
    """i, j, f, o = [x, h] kernel + bias;  c = c sigmoid(f + forget_bias) + sigmoid(i) g(j);  h = g(c) sigmoid(o)"""
    _scope_name = "lstm_cell"

    def __init__(self, num_units: int, use_peepholes: bool = False, cell_clip: float | None = None,
                 initializer: InitializerLike = None, num_proj: int | None = None, proj_clip: float | None = None,
                 num_unit_shards: Any = None, num_proj_shards: Any = None, forget_bias: float = 1.0,
                 state_is_tuple: bool = True, activation: ActivationLike = None, reuse: bool | None = None,
                 name: str | None = None, dtype: DTypeLike | None = None) -> None:
        super().__init__(name, reuse, dtype)
        for given, what in ((use_peepholes, "use_peepholes"), (num_proj, "num_proj"), (proj_clip, "proj_clip"),
                            (num_unit_shards, "num_unit_shards"), (num_proj_shards, "num_proj_shards"),
                            (not state_is_tuple, "state_is_tuple=False")):
            if given:
                raise NotImplementedError(f"LSTMCell: {what} is not there.")
        self._units, self._clip, self._initializer, self._forget = num_units, cell_clip, initializer, float(forget_bias)
        self._activation = activation or _math.tanh
        self.state_size, self.output_size = LSTMStateTuple(num_units, num_units), num_units

    def step(self, inputs: TensorLike, state: TensorLike) -> tuple:
        """Output and new state after one time step."""
        c, h = state
        mixed = self._mixed([inputs, h], 4 * self._units, initializer=self._initializer)
        i, j, f, o = _array.split(mixed, 4, 1)
        kept = _math.multiply(c, _nn.sigmoid(_math.add(f, self._forget)))
        c = _math.add(kept, _math.multiply(_nn.sigmoid(i), self._activation(j)))
        if self._clip is not None:
            c = _math.clip_by_value(c, -self._clip, self._clip)
        h = _math.multiply(self._activation(c), _nn.sigmoid(o))
        return h, LSTMStateTuple(c, h)


class BasicLSTMCell(LSTMCell):
    """An LSTM cell without clipping and projection."""
    _scope_name = "basic_lstm_cell"

    def __init__(self, num_units: int, forget_bias: float = 1.0, state_is_tuple: bool = True,
                 activation: ActivationLike = None, reuse: bool | None = None, name: str | None = None,
                 dtype: DTypeLike | None = None) -> None:
        super().__init__(num_units, forget_bias=forget_bias, state_is_tuple=state_is_tuple, activation=activation, reuse=reuse,
                         name=name, dtype=dtype)


class MultiRNNCell(RNNCell):
    """One cell upon the other; the state is a tuple of theirs."""
    _scope_name = "multi_rnn_cell"

    def __init__(self, cells: Sequence, state_is_tuple: bool = True) -> None:
        super().__init__()
        if not state_is_tuple:
            raise NotImplementedError("MultiRNNCell: state_is_tuple=False is not there.")
        if not cells:
            raise ValueError("Must specify at least one cell for MultiRNNCell.")
        self._cells = list(cells)
        self.state_size, self.output_size = tuple(c.state_size for c in cells), self._cells[-1].output_size

    def step(self, inputs: TensorLike, state: TensorLike) -> tuple:
        """The last cell's output, and the new states of all."""
        states = []
        for i, (cell, own) in enumerate(zip(self._cells, state)):
            with _variable_scope(f"cell_{i}", reuse=_AUTO_REUSE):
                inputs, made = cell(inputs, own)
            states.append(made)
        return inputs, tuple(states)


class _Wrapper(RNNCell):
    """Around a cell, whose variables have the names that they have without it."""

    def __init__(self, cell):
        super().__init__()
        self._cell, self.state_size, self.output_size = cell, cell.state_size, cell.output_size

    def __call__(self, inputs: TensorLike, state: TensorLike, scope: str | None = None) -> tuple:
        return self.step(_convert(inputs), state)

    def zero_state(self, batch_size: Any, dtype: DTypeLike) -> Tensor | LSTMStateTuple | tuple:
        """That of the cell."""
        return self._cell.zero_state(batch_size, dtype)


class DropoutWrapper(_Wrapper):
    """Drops some of a cell's inputs, outputs and states: each keeps the share that is given for it."""

    def __init__(self, cell: RNNCell, input_keep_prob: NumberLike = 1.0, output_keep_prob: NumberLike = 1.0,
                 state_keep_prob: NumberLike = 1.0, variational_recurrent: bool = False, input_size: Any = None,
                 dtype: DTypeLike | None = None, seed: int | None = None,
                 dropout_state_filter_visitor: Any = None) -> None:
        if variational_recurrent or dropout_state_filter_visitor is not None:
            raise NotImplementedError("DropoutWrapper: variational_recurrent and dropout_state_filter_visitor are not there.")
        super().__init__(cell)
        self._keeps, self._seed = (input_keep_prob, output_keep_prob, state_keep_prob), seed

    def _kept(self, x, which):
        keep = self._keeps[which]
        return x if isinstance(keep, (int, float)) and keep >= 1 else _v1_nn.dropout(x, keep, seed=self._seed)

    def step(self, inputs: TensorLike, state: TensorLike) -> tuple:
        """Output and new state after one time step; the cell of an LSTM's state stays whole."""
        out, made = self._cell(self._kept(inputs, 0), state)
        if isinstance(self._keeps[2], (int, float)) and self._keeps[2] >= 1:
            return self._kept(out, 1), made
        return self._kept(out, 1), self._dropped(made)

    def _dropped(self, state):
        if isinstance(state, LSTMStateTuple):
            return LSTMStateTuple(state.c, self._kept(state.h, 2))
        if isinstance(state, (list, tuple)):
            return type(state)(self._dropped(s) for s in state)
        return self._kept(state, 2)


class ResidualWrapper(_Wrapper):
    """Adds a cell's inputs to its outputs."""

    def __init__(self, cell: RNNCell, residual_fn: Callable | None = None) -> None:
        super().__init__(cell)
        self._join = residual_fn or (lambda inputs, outputs: _math.add(inputs, outputs))

    def step(self, inputs: TensorLike, state: TensorLike) -> tuple:
        """Output and new state after one time step."""
        out, made = self._cell(inputs, state)
        return self._join(inputs, out), made


def _scoped(scope):
    return _variable_scope(scope, "rnn", reuse=None)


def dynamic_rnn(cell: Any, inputs: TensorLike, sequence_length: TensorLike | None = None,
                initial_state: TensorLike | None = None, dtype: DTypeLike | None = None,
                parallel_iterations: int | None = None, swap_memory: bool = False, time_major: bool = False,
                scope: str | None = None) -> tuple:
    """(outputs of all steps, the last state). Steps behind a sample's length give zeros and leave its state."""
    x = _convert(inputs)
    rows = _array.unstack(x, axis=0 if time_major else 1)
    outputs, state = static_rnn(cell, rows, initial_state, dtype, sequence_length, scope or "rnn")
    return _array.stack(outputs, 0 if time_major else 1), state


def static_rnn(cell: Any, inputs: TensorLike, initial_state: TensorLike | None = None, dtype: DTypeLike | None = None,
               sequence_length: TensorLike | None = None, scope: str | None = None) -> tuple:
    """([output of every step], the last state)"""
    if not inputs:
        raise ValueError("inputs must not be empty")
    if initial_state is None and dtype is None:
        raise ValueError("If there is no initial_state, you must give a dtype.")
    inputs = [_convert(t) for t in inputs]
    state = cell.zero_state(inputs[0].shape[0], dtype) if initial_state is None else initial_state
    outputs = []
    with _scoped(scope):
        for i, row in enumerate(inputs):
            out, made = cell(row, state)
            if sequence_length is not None:
                goes_on = _array.expand_dims(_math.less(i, _math.cast(_convert(sequence_length), "int32")), -1)
                out = _math.where(goes_on, out, _array.zeros_like(out))
                made = _nest.map_structure(lambda new, old: _math.where(goes_on, new, old), made, state)
            outputs.append(out)
            state = made
    return outputs, state


def bidirectional_dynamic_rnn(cell_fw: Any, cell_bw: Any, inputs: TensorLike, sequence_length: TensorLike | None = None,
                              initial_state_fw: TensorLike | None = None, initial_state_bw: TensorLike | None = None,
                              dtype: DTypeLike | None = None, parallel_iterations: int | None = None,
                              swap_memory: bool = False, time_major: bool = False, scope: str | None = None) -> tuple:
    """((outputs forwards, outputs backwards), (last states)): the second cell reads every sample from its end."""
    x, (steps, samples) = _convert(inputs), (0, 1) if time_major else (1, 0)

    def turned(t):
        if sequence_length is None:
            return _array.reverse(t, [steps])
        return _composed.reverse_sequence(t, sequence_length, seq_axis=steps, batch_axis=samples)
    with _variable_scope(scope, "bidirectional_rnn", reuse=None):
        there = dynamic_rnn(cell_fw, x, sequence_length, initial_state_fw, dtype, time_major=time_major, scope="fw")
        back = dynamic_rnn(cell_bw, turned(x), sequence_length, initial_state_bw, dtype, time_major=time_major, scope="bw")
    return (there[0], turned(back[0])), (there[1], back[1])


_names.explain_missing(globals())
