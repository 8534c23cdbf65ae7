# SPDX-License-Identifier: MIT
"""tf.train of TensorFlow 1: optimisers with compute_gradients, apply_gradients and minimize."""
from __future__ import annotations

import os
from typing import Any, Sequence

import numpy as np

from tensorflow import _names
from tensorflow.compat.v1 import decays as _decays
from tensorflow.compat.v1 import graphs as _graphs
from tensorflow.compat.v1.graphs import trainable_variables
from tensorflow.framework import checkpoints as _checkpoints
from tensorflow.framework import errors
from tensorflow.framework.arrays import save_arrays
from tensorflow.framework.context import active, current
from tensorflow.framework.context import eagerly as _eagerly
from tensorflow.framework.scopes import group
from tensorflow.framework.tape import graph_gradients
from tensorflow.framework.tensors import SymbolicTensor, convert_to_tensor
from tensorflow.framework.typed import PathLike, RateLike, TensorLike
from tensorflow.framework.variables import Variable
from tensorflow.keras import optimizers as _keras
from tensorflow.keras.optimizers import schedules as _schedules
from tensorflow.keras.optimizers.formulas import State as _State
from tensorflow.keras.optimizers.rmsprop import RMSprop as _Means
from tensorflow.keras.optimizers.sgd import SGD as _SGD
from tensorflow.ops import math_ops


class _Fed(_schedules.LearningRateSchedule):
    """A rate that is a tensor of the graph or a variable: its value when a step runs."""

    def __init__(self, rate):
        self._rate = rate

    def __call__(self, step):
        return math_ops.cast(self._rate, "float32")


def _rate(given):
    given = given() if callable(given) else given
    return _Fed(given) if isinstance(given, (SymbolicTensor, Variable)) else given


class _Momentum(_SGD):
    """v = momentum * v + g;  w -= rate * v,  or with Nesterov  w -= rate * (g + momentum * v)"""

    _states = (_State("momentum: v", "momentum", device="Accl1"),)
    _formula = ("not momentum: w -= g * learning_rate", "momentum: v = v * momentum + g", "momentum: step = v",
                "momentum, nesterov: step = v * momentum + g", "momentum: w -= step * learning_rate")

    def fused(self, popart, rate, clip, accum):
        return popart.SGD({"defaultLearningRate": (rate, False), "defaultMomentum": (float(self.momentum), True),
                           "nesterov": (bool(self.nesterov), True)}, clip, popart.SGDAccumulatorAndMomentum.Separate, accum)


class Optimizer:
    """The base of optimizers. One's own says what changes a weight in `_apply_dense(gradient, weight)`, with states of weights
    that `_create_slots(weights)` makes; or it goes around another one, and replaces compute_gradients or apply_gradients."""
    keras = None  # the optimiser of Keras with the same rule

    def __init__(self, use_locking: bool, name: str) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._use_locking, self._name, self._own = use_locking, name, {}

    def get_name(self) -> Any:
        """The name that was given."""
        return self._name

    GATE_NONE, GATE_OP, GATE_GRAPH = range(3)

    def compute_gradients(self, loss: TensorLike, var_list: Sequence | None = None, gate_gradients: int = GATE_OP,
                          aggregation_method: Any = None, colocate_gradients_with_ops: bool = False,
                          grad_loss: Any = None) -> list:
        """grad_loss: the gradient of the loss, ones without it. Everything else says when and where gradients are computed."""
        graph = active()
        if graph is None:
            raise RuntimeError("Optimizers of tf.compat.v1 need a graph; outside of one use tf.keras.optimizers.")
        variables = var_list or _graphs.trained_without_list(graph)
        if not variables:
            raise ValueError("No variables to optimize.")
        given = None if grad_loss is None else [convert_to_tensor(grad_loss)]
        return list(zip(graph_gradients(graph, [loss], variables, given), variables))

    def apply_gradients(self, grads_and_vars: Sequence, global_step: TensorLike | None = None,
                        name: str | None = None) -> Any:
        """An operation that changes variables by (gradient, variable) pairs and counts global_step."""
        grads_and_vars = list(grads_and_vars)
        graph = active()
        made = []
        if graph is current.default and current.graph is None:
            graph.__dict__["_gathered"] = made
            graph.on_assign = lambda variable, how, value: _gather(graph, made, variable, how, value)
        try:
            self._change(grads_and_vars)
            if global_step is not None:
                global_step.assign_add(np.ones((), global_step.dtype.as_numpy_dtype))
        finally:
            graph.on_assign = None
            for tensor in made:
                graph.state.pop(id(tensor.assigns), None)
        self._show()
        return group(*made, name=name or self._name)

    def _show(self):
        """What the rule keeps of variables is initialised and saved with those of the graph."""
        graph = current.default
        for variable in self._kept() if graph is not None else ():
            if not any(variable is v for v in graph.get_collection("variables")):
                variable.remember_initial()
                graph.add_to_collection("variables", variable)

    def minimize(self, loss: TensorLike, global_step: TensorLike | None = None, var_list: Sequence | None = None,
                 gate_gradients: int = GATE_OP, aggregation_method: Any = None, colocate_gradients_with_ops: bool = False,
                 name: str | None = None, grad_loss: Any = None) -> Any:
        """compute_gradients, then apply_gradients."""
        return self.apply_gradients(self.compute_gradients(loss, var_list, grad_loss=grad_loss), global_step, name)

    def variables(self) -> Any:
        """The optimiser's own variables."""
        return list(self._own.values())

    _kept = variables

    def get_slot(self, var: Variable, name: str) -> Any:
        """The optimiser's variable of this name for a weight, or None."""
        return self._own.get((id(var), name))

    # ---- rules of one's own

    def _change(self, grads_and_vars):
        pairs = [(g, v) for g, v in grads_and_vars if g is not None]
        if not pairs:
            raise ValueError(f"No gradients provided for any variable: {[v.name for _, v in grads_and_vars]}.")
        self._create_slots([v for _, v in pairs])
        self._prepare()
        self._finish([self._resource_apply_dense(g, v) for g, v in pairs], self._name)

    def _create_slots(self, var_list):
        """Makes states of weights."""

    def _prepare(self):
        """What all weights of a step share, in front of their updates."""

    def _resource_apply_dense(self, grad, handle):
        return self._apply_dense(grad, handle)

    def _apply_dense(self, grad, var):
        raise NotImplementedError(f"{type(self).__name__} must implement _apply_dense or _resource_apply_dense.")

    def _finish(self, update_ops, name_scope):
        """What comes after the updates."""

    def _zeros_slot(self, var, slot_name, op_name):
        return self._get_or_make_slot(var, np.zeros(var.shape.as_list(), var.dtype.as_numpy_dtype), slot_name, op_name)

    def _get_or_make_slot(self, var, val, slot_name, op_name):
        """A state of a weight, which begins with numbers that are known."""
        key = (id(var), slot_name)
        if key not in self._own:
            with _eagerly():
                self._own[key] = Variable(np.asarray(val), False, name=f"{var.name.split(':')[0]}/{op_name}")
        return self._own[key]


class _OfKeras(Optimizer):
    """One whose rule Keras has."""

    def __init__(self, keras, name):
        super().__init__(False, name)
        self.keras = keras

    def _change(self, grads_and_vars):
        self.keras.apply_gradients(grads_and_vars)

    def _kept(self):
        return self.keras.weights if len(self.keras.weights) > 1 else []

    def variables(self):
        return self.keras.variables()

    def get_slot(self, var, name):
        return self.keras.get_slot(var, name)


def _gather(graph, made, variable, how, value):
    """All assignments of a step are one operation."""
    if how != "assign":
        now = graph.read(variable)
        value = math_ops.add(now, value) if how == "assign_add" else math_ops.subtract(now, value)
    before = next((t for t in made if t.assigns is variable), None)
    if before is not None:  # a constraint: the last value counts
        made[:] = [t for t in made if t is not before]
        before.assigns = None
        del graph.assigning[before.number]
    made.append(graph.assign_when_run(variable, value))
    graph.state[id(variable)] = made[-1]  # what the rest of the step reads
    return True


class GradientDescentOptimizer(_OfKeras):
    """w - rate gradient."""

    def __init__(self, learning_rate: RateLike, use_locking: bool = False, name: str = "GradientDescent") -> None:
        super().__init__(_keras.SGD(_rate(learning_rate)), name)


class MomentumOptimizer(_OfKeras):
    """v = momentum * v + g;  w -= rate * v"""

    def __init__(self, learning_rate: RateLike, momentum: float, use_locking: bool = False, name: str = "Momentum",
                 use_nesterov: bool = False) -> None:
        super().__init__(_Momentum(_rate(learning_rate), momentum, use_nesterov), name)


class AdamOptimizer(_OfKeras):
    """Adam."""

    def __init__(self, learning_rate: RateLike = 0.001, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8,
                 use_locking: bool = False, name: str = "Adam") -> None:
        super().__init__(_keras.Adam(_rate(learning_rate), beta1, beta2, epsilon), name)


class _RMSProp(_Means):
    """v begins with ones, and epsilon is always under the root."""

    _states = (_State("v", "rms", 1.0), *_Means._states[1:])
    _same = None

    def mode(self, name, var):
        return name == "momentum" or super().mode(name, var)


class RMSPropOptimizer(_OfKeras):
    """RMSprop, with momentum and a centred form."""

    def __init__(self, learning_rate: RateLike, decay: float = 0.9, momentum: float = 0.0, epsilon: float = 1e-10,
                 use_locking: bool = False, centered: bool = False, name: str = "RMSProp") -> None:
        super().__init__(_RMSProp(_rate(learning_rate), decay, momentum, epsilon, centered), name)


class AdagradOptimizer(_OfKeras):
    """Adagrad."""

    def __init__(self, learning_rate: RateLike, initial_accumulator_value: float = 0.1, use_locking: bool = False,
                 name: str = "Adagrad") -> None:
        super().__init__(_keras.Adagrad(_rate(learning_rate), initial_accumulator_value, 0.0), name)


class AdadeltaOptimizer(_OfKeras):
    """Adadelta."""

    def __init__(self, learning_rate: RateLike = 0.001, rho: float = 0.95, epsilon: float = 1e-8, use_locking: bool = False,
                 name: str = "Adadelta") -> None:
        super().__init__(_keras.Adadelta(_rate(learning_rate), rho, epsilon), name)


class FtrlOptimizer(_OfKeras):
    """FTRL, which shrinks weights towards zero."""

    def __init__(self, learning_rate: RateLike, learning_rate_power: float = -0.5, initial_accumulator_value: float = 0.1,
                 l1_regularization_strength: float = 0.0, l2_regularization_strength: float = 0.0, use_locking: bool = False,
                 name: str = "Ftrl") -> None:
        super().__init__(_keras.Ftrl(_rate(learning_rate), learning_rate_power, initial_accumulator_value,
                                     l1_regularization_strength, l2_regularization_strength), name)


class ExponentialMovingAverage:
    """average = decay * average + (1 - decay) * variable, whenever what `apply` gives is run. num_updates: a smaller decay,
    (1 + n) / (10 + n), in the beginning."""

    def __init__(self, decay: float, num_updates: int | None = None, zero_debias: bool = False,
                 name: str = "ExponentialMovingAverage") -> None:
        if zero_debias:
            raise NotImplementedError("ExponentialMovingAverage(zero_debias=True) is not there.")
        self._decay, self._updates, self.name, self._averages = decay, num_updates, name, []

    def apply(self, var_list: Sequence | None = None) -> Any:
        """An operation that brings the averages of variables up to date."""
        graph = active()
        if graph is None:
            raise RuntimeError("ExponentialMovingAverage.apply needs a graph of TensorFlow 1.")
        decay = math_ops.cast(self._decay, "float32")
        if self._updates is not None:
            n = math_ops.cast(self._updates, "float32")
            decay = math_ops.minimum(decay, math_ops.divide(math_ops.add(n, 1.0), math_ops.add(n, 10.0)))
        done = []
        for var in trainable_variables() if var_list is None else var_list:
            if not isinstance(var, Variable):
                raise NotImplementedError(f"ExponentialMovingAverage of {var!r}: averages are of variables.")
            if self.average(var) is None:
                self._averages.append((var, Variable(var.memory.copy(), False, name=self.average_name(var))))
            mean: Any = self.average(var)
            change = math_ops.multiply(math_ops.subtract(mean, var), math_ops.cast(math_ops.subtract(1.0, decay), var.dtype))
            done.append(mean.assign_sub(change))
        return group(*done, name=self.name)

    def average(self, var: Variable) -> Variable | None:
        """The variable that holds an average, or None."""
        return next((mean for known, mean in self._averages if known is var), None)

    def average_name(self, var: Variable) -> str:
        """The name under which an average is saved."""
        return f"{var.name.split(':')[0]}/{self.name}"

    def variables_to_restore(self, moving_avg_variables: Any = None) -> dict:
        """{name of the average: variable}: a Saver with it loads averages into variables."""
        wanted = trainable_variables() if moving_avg_variables is None else moving_avg_variables
        return {self.average_name(v): v for v in wanted}


def global_step(sess: Any, global_step_tensor: Variable) -> int:
    """Its number now."""
    return int(sess.run(global_step_tensor))


def get_or_create_global_step(graph: Any = None) -> Variable:
    """The variable that counts steps; made at the first call."""
    graph = graph or current.default
    found = graph.__dict__.get("global_step")
    if found is None:
        found = graph.__dict__["global_step"] = Variable(np.int64(0), False, name="global_step", dtype="int64")
    return found


get_global_step = create_global_step = get_or_create_global_step


class Saver:
    """Variables in .npz files."""

    def __init__(self, var_list: dict | list | None = None, reshape: bool = False, sharded: bool = False,
                 max_to_keep: int = 5, keep_checkpoint_every_n_hours: float = 10000.0, name: str | None = None,
                 restore_sequentially: bool = False, saver_def: Any = None, builder: Any = None, defer_build: bool = False,
                 allow_empty: bool = False, write_version: Any = None, pad_step_number: bool = False,
                 save_relative_paths: bool = False, filename: PathLike | None = None) -> None:
        """max_to_keep: how many checkpoints stay, the newest; None or 0: all."""
        for given, what in ((reshape, "reshape"), (saver_def, "saver_def"), (builder, "builder"), (filename, "filename"),
                            (pad_step_number, "pad_step_number")):
            if given:
                raise NotImplementedError(f"Saver({what}=...) is not there.")
        self._given, self._keep, self.last_checkpoints = var_list, max_to_keep, []

    def _variables(self):
        if isinstance(self._given, dict):
            return {name if ":" in name else name + ":0": v for name, v in self._given.items()}
        return {v.name: v for v in self._given or _graphs.global_variables()}

    def save(self, sess: Any, save_path: PathLike, global_step: TensorLike | None = None, latest_filename: str | None = None,
             meta_graph_suffix: str = "meta", write_meta_graph: bool = True, write_state: bool = True,
             strip_default_attrs: bool = False, save_debug_info: bool = False) -> str:
        """Variables alone: graphs are not written."""
        if isinstance(global_step, (SymbolicTensor, Variable)):
            global_step = sess.run(global_step)
        path = save_path if global_step is None else f"{save_path}-{int(np.asarray(global_step))}"
        save_arrays(path + ".npz", {name.replace("/", "|"): v.eval(sess) for name, v in self._variables().items()})
        if write_state:
            _checkpoints.name_newest(path, latest_filename)
        self.last_checkpoints = [p for p in self.last_checkpoints if p != path] + [path]
        while self._keep and len(self.last_checkpoints) > self._keep:
            old = self.last_checkpoints.pop(0) + ".npz"
            if os.path.exists(old):
                os.remove(old)
        return path

    def restore(self, sess: Any, save_path: PathLike) -> None:
        """Loads variables from a file that save wrote. Raises NotFoundError for one that is not in it."""
        with np.load(save_path + ".npz", allow_pickle=False) as file:
            for name, v in self._variables().items():
                if name.replace("/", "|") not in file.files:
                    raise errors.NotFoundError(None, None, f"Key {name.split(':')[0]} not found in checkpoint {save_path}")
                v.load(file[name.replace("/", "|")], sess)


def latest_checkpoint(checkpoint_dir: PathLike, latest_filename: str | None = None) -> str | None:
    """The newest checkpoint of a Saver's or an estimator's folder, or None."""
    return _checkpoints.latest(checkpoint_dir, latest_filename)


_names.export(globals(), _decays, _decays.names)
_names.lazy(globals(), {name: f"tensorflow.compat.v1.session_hooks:{name}" for name in (
    "SessionRunHook", "SessionRunArgs", "SessionRunContext", "SessionRunValues")} | {
        name: f"tensorflow.compat.v1.readers:{name}" for name in (
            "checkpoint_exists", "list_variables", "load_variable", "load_checkpoint", "NewCheckpointReader",
            "init_from_checkpoint")} | {name: f"tensorflow.data.examples:{name}" for name in (
                "Example", "Features", "Feature", "BytesList", "FloatList", "Int64List")})
