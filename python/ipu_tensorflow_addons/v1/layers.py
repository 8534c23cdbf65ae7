# SPDX-License-Identifier: MIT
"""Recurrent layers of graphs of TensorFlow 1: sequences are [time, batch, features], results are (outputs, state)."""
import collections as _collections

from tensorflow import _names
from ipu_tensorflow_addons.keras import layers as _layers

LSTMStateTuple = _collections.namedtuple("LSTMStateTuple", ("c", "h"))
LSTMStateTuple.__doc__ = "The state of an LSTM: the cell c and the output h."


class _Recurrent:
    def __init__(self, num_units, dtype="float32", partials_dtype="float32", seed=None, weights_initializer=None,
                 bias_initializer=None, activation="tanh", recurrent_activation="sigmoid", return_state=True, name=None,
                 options=None, options_bwd=None, **kwargs):
        own = {key: value for key, value in (("kernel_initializer", weights_initializer),
                                             ("recurrent_initializer", weights_initializer),
                                             ("bias_initializer", bias_initializer), ("name", name)) if value is not None}
        self._layer = self._kind(num_units, activation, recurrent_activation, partials_dtype=partials_dtype, seed=seed,
                                 time_major=True, return_sequences=True, return_state=True, dtype=dtype, options=options,
                                 options_bwd=options_bwd, **own, **kwargs)
        self._return_state, self.num_units = return_state, num_units

    variables = property(lambda self: self._layer.variables)
    trainable_variables = property(lambda self: self._layer.trainable_variables)

    def __call__(self, inputs, initial_state=None, training=True):
        states = None if initial_state is None else self._given(initial_state)
        outputs, *states = self._layer(inputs, initial_state=states, training=training)
        return (outputs, self._state(states)) if self._return_state else outputs


class PopnnLSTM(_Recurrent):
    """An LSTM layer of TensorFlow 1 that PopLibs computes as one operator."""
    _kind = _layers.PopnnLSTM

    @staticmethod
    def _given(state):
        c, h = state
        return [h, c]

    @staticmethod
    def _state(states):
        h, c = states
        return LSTMStateTuple(c, h)


class PopnnGRU(_Recurrent):
    """A GRU layer of TensorFlow 1 that PopLibs computes as one operator."""
    _kind = _layers.PopnnGRU

    @staticmethod
    def _given(state):
        return [state]

    @staticmethod
    def _state(states):
        return states[0]


_names.explain_missing(globals())
