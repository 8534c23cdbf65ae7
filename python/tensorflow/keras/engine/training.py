# SPDX-License-Identifier: MIT
"""Model: compile, fit, evaluate, predict and their batch forms."""
from __future__ import annotations

import threading
from typing import Any, Callable

from tensorflow.framework import nest
from tensorflow.framework.context import active, current, eagerly, placed
from tensorflow.framework.tape import GradientTape
from tensorflow.framework.tensors import Tensor
from tensorflow.framework.typed import ShapeLike, TensorLike
from tensorflow.keras import backend, optimizers
from tensorflow.keras.engine import calls
from tensorflow.keras.engine.base_layer import Layer, _shape_leaves
from tensorflow.keras.engine.compiled import CompiledLoss, CompiledMetrics
from tensorflow.keras.engine.feeding import Alone, feed_of
from tensorflow.keras.engine.ipu_options import IpuOptions
from tensorflow.keras.engine.loops import Loops, _class_weights, in_no_graph
from tensorflow.keras.engine.nodes import KerasTensor, shapes_of
from tensorflow.keras.engine.plan import plan_for
from tensorflow.keras.engine.programs import Program, of_keras
from tensorflow.keras.engine.saving import Saving
from tensorflow.keras.engine.summary import print_summary
from tensorflow.keras.engine.tracking import Tracker
from tensorflow.keras.metrics.base import Mean
from tensorflow.keras.named import snake
from tensorflow.keras.utils import unpack_x_y_sample_weight

_tracing = threading.RLock()  # a trace builds layers
_STEPS = ("train_step", "test_step", "predict_step")


class Model(Loops, Saving, IpuOptions, Layer):
    """Layers with training: compile, fit, evaluate, predict, save."""
    _is_model = True
    _functional_class: Any = None  # the class of Model(inputs, outputs): engine/functional.py, which is one of these, sets it

    def __new__(cls, *args, **kwargs):
        if cls is Model and (len(args) >= 2 or "inputs" in kwargs and "outputs" in kwargs):
            return object.__new__(Model._functional_class)
        return object.__new__(cls)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if type(self) is Model._functional_class and (args or "inputs" in kwargs) and "_own" not in self.__dict__:
            return  # Functional.__init__ runs
        if len(args) == 1 and not isinstance(args[0], str) and "outputs" not in kwargs:
            args = ()  # super().__init__(self): Keras looks at no single argument
        if args and not isinstance(args[0], str) and not self._is_functional or "inputs" in kwargs:
            # a subclass that is given inputs and outputs
            names = ("inputs", "outputs", "name")
            given = {**dict(zip(names, args)), **kwargs}
            kind = type(self)
            self.__class__ = type(kind.__name__, (kind, Model._functional_class), {"__module__": kind.__module__})
            self._start(given.get("name"))
            Model._functional_class._set_up(self, given["inputs"], given["outputs"])
            return
        self._start(kwargs.pop("name", args[0] if args else None), **kwargs)

    def _start(self, name=None, **kwargs):
        kind = snake(type(self).__name__)
        Layer.__init__(self, name=name or backend.unique_name({"functional": "model"}.get(kind, kind)), **kwargs)
        self._strategy = current.strategy
        self._steps_per_execution = 1
        self.optimizer = None
        self.compiled_loss = None
        self.compiled_metrics = CompiledMetrics()
        self.stop_training = False
        self.history = None
        self._programs = {}
        self._is_compiled = False
        self._start_ipu_options()

    # ---- compiling

    def _check_scope(self):
        """What is compiled in a strategy's scope must have been made in it."""
        for variable in self.weights if current.strategy is not None and self.built else ():
            if variable.strategy is None:
                raise ValueError(f"Variable ({variable.name}, shape {variable.shape}) was not created in the distribution "
                                 f"strategy scope of ({type(current.strategy).__name__}). It is most likely because some "
                                 "layers, model, or optimizer was being created outside the distribution strategy scope. Try "
                                 "to make sure your code looks similar to the following.\nwith strategy.scope():\n  "
                                 "model=_create_model()\n  model.compile(...)")

    def compile(self, optimizer: Any = "rmsprop", loss: Any = None, metrics: Any = None, loss_weights: dict | None = None,
                weighted_metrics: list | None = None, run_eagerly: bool | None = None, steps_per_execution: int | None = None,
                **kwargs: Any) -> None:
        """Says how the model is trained: optimizer, losses, metrics."""
        mode = kwargs.pop("sample_weight_mode", None)  # what weights are of is seen by their shape
        if mode not in (None, "temporal", "samplewise") and not isinstance(mode, (dict, list)):
            raise ValueError(f"sample_weight_mode must be None, 'temporal' or 'samplewise', not {mode!r}.")
        if kwargs:
            raise TypeError(f"Invalid keyword argument(s) in `compile`: {sorted(kwargs)[0]}")
        if run_eagerly and (self._strategy is not None or current.strategy is not None):
            raise RuntimeError("Keras models cannot run eagerly when created within an IPUStrategy. Please set "
                               "`run_eagerly` to `False` and re-compile.")
        self._check_scope()
        if steps_per_execution is not None and int(steps_per_execution) < 1:
            raise ValueError(f"steps_per_execution must be at least 1, not {steps_per_execution}.")
        self.optimizer = optimizers.get(optimizer).compiled(self)
        self.loss = loss
        self.compiled_loss = CompiledLoss(loss, loss_weights, self)
        self.compiled_metrics = CompiledMetrics(metrics, weighted_metrics, self)
        self._steps_per_execution = int(steps_per_execution or 1)
        self.run_eagerly = bool(run_eagerly)
        self._compile_arguments = {"loss": loss, "metrics": metrics, "loss_weights": loss_weights,
                                   "weighted_metrics": weighted_metrics, "steps_per_execution": self._steps_per_execution}
        self._programs = {}
        self._is_compiled = True

    def _require_compiled(self):
        if not self._is_compiled:
            raise RuntimeError("You must compile your model before training/testing. Use `model.compile(optimizer, "
                               "loss)`.")

    @property
    def metrics(self) -> list:
        """All metrics: the loss, those of compile, those of layers."""
        if not self._is_compiled:
            return self.metrics_of_layers()
        return [self._loss_mean(), *self.compiled_metrics.metrics, *self.metrics_of_layers()]

    def _loss_mean(self):
        if self.__dict__.get("_loss_metric") is None:
            with eagerly():
                self.__dict__["_loss_metric"] = Mean(name="loss")
        return self.__dict__["_loss_metric"]

    @property
    def metrics_names(self) -> list:
        """Names of what evaluate returns."""
        return [m.name for m in self.metrics]

    def metrics_of_layers(self) -> list:
        """Metrics that layers added."""
        return [m for layer in self._flatten_layers() for m in layer._metrics_inside]

    def _output_names(self, y_pred):
        names = getattr(self, "output_names", None)
        if names and len(names) == len(nest.flatten(y_pred)):
            return names
        if isinstance(y_pred, dict):
            return sorted(y_pred)
        return [f"output_{i + 1}" for i in range(len(nest.flatten(y_pred)))]

    # ---- steps, which users may override

    @of_keras
    def train_step(self, data: TensorLike) -> dict:
        """One step of training; override it for training of your own."""
        x, y, weight = unpack_x_y_sample_weight(data)
        with GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.compiled_loss(y, y_pred, weight, regularization_losses=self.losses)
        self.optimizer.minimize(loss, self.trainable_variables, tape=tape)
        self.compiled_metrics.update_state(y, y_pred, weight)
        return {m.name: m.result() for m in self.metrics}

    @of_keras
    def test_step(self, data: TensorLike) -> dict:
        """One step of evaluate; override it for an evaluation of your own."""
        x, y, weight = unpack_x_y_sample_weight(data)
        y_pred = self(x, training=False)
        self.compiled_loss(y, y_pred, weight, regularization_losses=self.losses)
        self.compiled_metrics.update_state(y, y_pred, weight)
        return {m.name: m.result() for m in self.metrics}

    @of_keras
    def predict_step(self, data: TensorLike) -> Any:
        """One step of predict; override it for outputs of your own."""
        return self(data[0] if isinstance(data, tuple) else data, training=False)

    def make_train_function(self) -> Any:
        """The function that fit calls for each batch."""
        return self.train_on_batch

    def make_test_function(self) -> Any:
        """The function that evaluate calls for each batch."""
        return self.test_on_batch

    def make_predict_function(self) -> Any:
        """The function that predict calls for each batch."""
        return self.predict_on_batch

    # ---- calls of layers

    def _run_call(self, args, kwargs):
        """call(), or the calls of layers that it was found to make where those have stages of a pipeline."""
        if "_calls" in self.__dict__:
            return super()._run_call(args, kwargs)
        inside, tensors = calls.taken(self), [t for t in nest.flatten(args) if isinstance(t, Tensor)]
        if tensors and len(tensors) == len(nest.flatten(args)):
            self.__dict__.setdefault("_called_with", nest.map_structure(lambda t: KerasTensor(t.shape, t.dtype), args))
        before, backend.call.models = backend.call.models, (*backend.call.models, self)
        where = {"stage": inside} if isinstance(inside, int) else {"stage": current.stage}
        try:
            with placed(**where):  # PipelineStage in call() leaves the last one
                found = self._stages_by_trace(inside)
                if found is None:
                    return super()._run_call(args, kwargs)
                return found.run(args, self._own_stages() if inside is None else inside)
        finally:
            backend.call.models = before

    def _stages_by_trace(self, inside):
        assigned = isinstance(inside, list) or any(n.stage is not None for n in self._assigned_calls())
        return self._traced(backend.call.training) if assigned and active() is not None else None

    def _assigned_calls(self):
        """Nodes that may have stages."""
        traces = self.__dict__.get("_traces")
        return self.__dict__["_calls"] if "_calls" in self.__dict__ else traces[None].nodes if traces else ()

    def _own_stages(self):
        return [calls.stage_of(n) for n in self._assigned_calls()]

    def _traced(self, training=None):
        traces = self.__dict__.setdefault("_traces", {})
        if None not in traces:
            traces[None] = calls.Traced(self)
        if training not in traces:
            traces[training] = calls.Traced(self, training) if self._parameters[0] else traces[None]
            traces[training].require_same(traces[None], self)
        return traces[training]

    def _maybe_build(self, inputs):
        given = nest.flatten(inputs)
        if not self.built and "_calls" not in self.__dict__ and type(self).build is Model.build and given and \
                all(isinstance(t, Tensor) for t in given):
            self._build_on(nest.map_structure(lambda t: KerasTensor(t.shape, t.dtype), inputs))
        super()._maybe_build(inputs)

    def _met(self, feed):
        """A subclassed model is built before its plan is made: PipelineStage in its call() is part of that."""
        if self.built or self._strategy is None or self._has_own("build", *_STEPS):
            return
        if "_calls" not in self.__dict__ and type(self).call is not Layer.call:
            x = feed.example()[0]
            self._build_on(nest.map_structure(lambda a: KerasTensor(a.shape, _in_graphs(a)), x))

    def _has_own(self, *methods):
        return any(getattr(type(self), m) is not getattr(Model, m) for m in methods)

    # ---- programs

    def _program(self, mode, batch, plan):
        specs = tuple(None if a is None else (a.shape, str(a.dtype)) for a in nest.flatten(batch))
        trained = tuple(id(v) for v in self.trainable_variables) if self.built else ()
        alone = isinstance(batch, Alone) and self._has_own(*_STEPS)  # which such steps see
        rule = self.optimizer.hyper() if mode == "train" else None
        key = (mode, specs, plan.key, trained, self._pipeline_key(), rule, alone)
        found = self._programs.get(key)
        if found is not None:
            return found
        if active() is not None:
            raise RuntimeError("fit, evaluate and predict cannot be called in a function that is traced.")
        with _tracing:
            if key in self._programs:  # of another thread
                return self._programs[key]
            found = Program(self, mode, batch, plan)
            if not self.built or (not trained and self.trainable_variables):
                self.built = True
                return self._program(mode, batch, plan)
            self._programs[key] = found
            return found

    # ---- single batches

    @in_no_graph
    def train_on_batch(self, x: TensorLike, y: TensorLike | None = None, sample_weight: TensorLike | None = None,
                       class_weight: dict | None = None, reset_metrics: bool = True, return_dict: bool = False) -> float:
        """One step of training with this batch."""
        self._require_compiled()
        logs = self._one_batch("train", x, y, _class_weights(y, sample_weight, class_weight), reset_metrics)
        return logs if return_dict else _listed(logs)

    @in_no_graph
    def test_on_batch(self, x: TensorLike, y: TensorLike | None = None, sample_weight: TensorLike | None = None,
                      reset_metrics: bool = True, return_dict: bool = False) -> Any:
        """Loss and metrics of this batch."""
        self._require_compiled()
        logs = self._one_batch("test", x, y, sample_weight, reset_metrics)
        return logs if return_dict else _listed(logs)

    def predict_on_batch(self, x: TensorLike) -> Any:
        """The outputs for this batch, as arrays."""
        return self.predict(x, batch_size=len(nest.flatten(x)[0]))

    def _one_batch(self, mode, x, y, weight, reset):
        feed = feed_of(x, y, weight, batch_size=len(nest.flatten(x)[0]))
        self._met(feed)
        plan = plan_for(self, mode == "train")
        plan.steps = plan.accumulation
        program = self._program(mode, feed.example(), plan)
        tracker = self.__dict__.get("_batch_tracker")
        if tracker is None or reset:
            tracker = self.__dict__["_batch_tracker"] = Tracker(plan.all_replicas, self._replica_reduction)
            tracker.reset(program.metrics)
        arrays = next(iter(feed.executions(1)))[0]
        return program.update_metrics(program.run(arrays), tracker)

    def reset_metrics(self) -> None:
        """Sets all metrics back to their start."""
        for metric in self.metrics:
            metric.reset_state()

    def reset_states(self) -> None:
        """Of recurrent layers that keep theirs."""
        for layer in self.layers:
            if getattr(layer, "stateful", False) or hasattr(layer, "layers"):
                getattr(layer, "reset_states", lambda: None)()

    # ---- structure

    @property
    def layers(self) -> list:
        """The layers right within it."""
        return list(self._layers_inside)

    def get_layer(self, name: str | None = None, index: int | None = None) -> Any:
        """A layer by its name or position; ValueError if there is none."""
        if index is not None:
            if index >= len(self.layers):
                raise ValueError(f"Was asked to retrieve layer at index {index} but model only has {len(self.layers)} "
                                 "layers.")
            return self.layers[index]
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise ValueError(f"No such layer: {name}.")

    def build(self, input_shape: ShapeLike | None = None) -> None:
        if self.built or input_shape is None:
            return
        self._build_on(nest.map_structure(lambda s: KerasTensor(s, "float32"), _shape_leaves(input_shape)))

    def _build_on(self, tensors):
        self.built = True
        scopes = current.scopes[:-1] if current.scopes[-1:] == (self.name,) else current.scopes
        with placed(scopes=scopes):  # the call has the model's own
            shapes_of(lambda put: self(nest.map_structure(put, tensors)), nest.flatten(tensors))

    def summary(self, line_length: int | None = None, positions: Any = None, print_fn: Callable | None = None,
                expand_nested: bool = False) -> None:
        """Prints a table of layers, shapes and weights."""
        if not self.built:
            raise ValueError("This model has not yet been built. Build the model first by calling `build()` or calling "
                             "`fit()` with some data, or specify an `input_shape` argument in the first layer(s) for "
                             "automatic build.")
        print_summary(self, line_length, positions, print_fn, expand_nested)


def _in_graphs(array):
    return "float32" if str(array.dtype) == "float64" else str(array.dtype)


def _listed(logs):
    values = list(logs.values())
    return values[0] if len(values) == 1 else values
