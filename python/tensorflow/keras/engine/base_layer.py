# SPDX-License-Identifier: MIT
"""Layer: variables, losses and metrics of its own, and a call that is made on values, in a traced graph, or on symbolic
tensors of the functional interface."""
from __future__ import annotations

import contextlib
import inspect
from typing import Any

import numpy as np

from tensorflow.framework import dtypes, late, nest
from tensorflow.framework.context import active, current, eagerly, placed
from tensorflow.framework.scopes import name_scope
from tensorflow.framework.shapes import TensorShape
from tensorflow.framework.tensors import Tensor, constant_value, convert_to_tensor
from tensorflow.framework.typed import (AxisLike, ConstraintLike, DTypeLike, InitializerLike, RegularizerLike, ShapeLike,
                                        TensorLike)
from tensorflow.framework.variables import Variable
from tensorflow.keras import backend, initializers, mixed_precision, regularizers
from tensorflow.keras.engine.nodes import KerasTensor, Node, shapes_of
from tensorflow.keras.metrics.base import Mean, Metric
from tensorflow.keras.named import Registry, config_of, snake
from tensorflow.ops import array_ops, math_ops

registry = Registry("layer")  # keras.layers fills it


class InputSpec:
    """What a layer takes: rank, and sizes of axes."""

    def __init__(self, dtype: DTypeLike | None = None, shape: ShapeLike | None = None, ndim: int | None = None,
                 max_ndim: Any = None, min_ndim: int | None = None, axes: AxisLike | None = None,
                 allow_last_axis_squeeze: bool = False, name: str | None = None) -> None:
        self.dtype, self.shape, self.ndim = dtype, shape, len(shape) if shape is not None else ndim
        self.max_ndim, self.min_ndim, self.axes = max_ndim, min_ndim, dict(axes or {})

    def check(self, layer: Any, shape: ShapeLike) -> None:
        """Raises ValueError, naming the layer, for a shape that does not fit."""
        rank = shape.rank
        for wrong, text in ((self.ndim is not None and rank != self.ndim, f"expected ndim={self.ndim}"),
                            (self.min_ndim is not None and rank < self.min_ndim, f"expected min_ndim={self.min_ndim}"),
                            (self.max_ndim is not None and rank > self.max_ndim, f"expected max_ndim={self.max_ndim}")):
            if wrong:
                raise ValueError(f"Input 0 of layer {layer.name} is incompatible with the layer: {text}, found ndim={rank}. "
                                 f"Full shape received: {shape}")
        for axis, value in self.axes.items():
            if value is not None and shape[axis] not in (None, value):
                raise ValueError(f"Input 0 of layer {layer.name} is incompatible with the layer: expected axis {axis} of "
                                 f"input shape to have value {value} but received input with shape {shape}")


class Layer:
    """The base of all layers: weights, and a `call` that computes with them."""
    _is_model = _is_functional = _is_sequential = False

    def __init__(self, trainable: bool = True, name: str | None = None, dtype: DTypeLike | None = None, dynamic: bool = False,
                 **kwargs: Any) -> None:
        self.__dict__.setdefault("_own", [])
        self._layers_inside, self._variables, self._metrics_inside = [], [], []
        self._added_losses, self._regularized = [], []
        self._inbound_nodes = []
        unknown = set(kwargs) - {"input_shape", "batch_input_shape", "input_dim", "batch_size", "weights", "autocast",
                                 "activity_regularizer", "implementation", "input_length"}
        if unknown:
            raise TypeError(f"('Keyword argument not understood:', '{sorted(unknown)[0]}') in layer "
                            f"{type(self).__name__}")
        self._trainable = trainable
        self._name = name or backend.unique_name(snake(type(self).__name__))
        self._policy = mixed_precision.policy_of(dtype)
        self._autocast = kwargs.get("autocast", True)
        self._activity_regularizer = regularizers.get(kwargs.get("activity_regularizer"))
        self.built = False
        self.stateful = False
        self.input_spec = None
        self.supports_masking = False
        self._batch_input_shape = _given_shape(kwargs)
        self._initial_weights = kwargs.get("weights")
        self._stage = backend.call.stage

    # ---- attributes: layers, variables and metrics that are set are found again

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)
        if name.startswith("_keras") or name in ("_layers_inside", "_variables", "_metrics_inside", "_inbound_nodes",
                                                 "_added_losses", "_regularized", "_own", "optimizer", "compiled_metrics",
                                                 "compiled_loss", "_functional"):
            return
        self._track(value)

    def _track(self, value):
        if "_layers_inside" not in self.__dict__:
            return
        if isinstance(value, Metric):
            _append(self._metrics_inside, value)
        elif isinstance(value, Layer):
            _append(self._layers_inside, value)
        elif isinstance(value, Variable):
            _append(self._variables, value)
        elif isinstance(value, (list, tuple)):
            for v in value:
                self._track(v)
        elif isinstance(value, dict):
            for v in value.values():
                self._track(v)

    name = property(lambda self: self._name)
    dtype = property(lambda self: self._policy.variable_dtype)
    compute_dtype = property(lambda self: self._policy.compute_dtype)
    variable_dtype = property(lambda self: self._policy.variable_dtype)
    dtype_policy = property(lambda self: self._policy)
    dynamic = False

    @property
    def trainable(self) -> bool | None:
        """Whether its weights change in training."""
        return self._trainable

    @trainable.setter
    def trainable(self, value: TensorLike) -> None:
        self._trainable = bool(value)
        for layer in self._layers_inside:
            layer.trainable = value

    def _flatten_layers(self):
        yield self
        for layer in self._layers_inside:
            yield from layer._flatten_layers()

    @property
    def submodules(self) -> tuple:
        """All layers and modules within it."""
        return tuple(list(self._flatten_layers())[1:])

    # ---- variables

    def add_weight(self, name: str | None = None, shape: ShapeLike | None = None, dtype: DTypeLike | None = None,
                   initializer: InitializerLike = None, regularizer: RegularizerLike = None, trainable: bool | None = None,
                   constraint: ConstraintLike = None, use_resource: bool | None = None, synchronization: Any = None,
                   aggregation: Any = None, **kwargs: Any) -> Variable:
        """Makes a weight of the layer."""
        shape = tuple(TensorShape(() if shape is None else shape))
        dtype = dtypes.as_dtype(dtype or self.variable_dtype or backend.floatx())
        if initializer is None:
            initializer = "glorot_uniform" if dtype.is_floating else "zeros"
        initializer = initializers.get(initializer)
        with eagerly():
            value = initializer(shape, dtype=dtype)
        variable = Variable(value, trainable is None or trainable, name=name or "variable", dtype=dtype,
                            constraint=constraint)
        _append(self._variables, variable)
        if regularizer is not None:
            self._regularized.append((regularizers.get(regularizer), variable))
        return variable

    add_variable = add_weight

    def _all_variables(self):
        out = []
        for layer in self._flatten_layers():
            for v in layer._variables:
                _append(out, v)
        return out

    @property
    def trainable_weights(self) -> list:
        """Weights that an optimizer changes, those of layers within included."""
        out = []
        if not self.trainable:
            return out
        for v in self._variables:
            if v.trainable:
                _append(out, v)
        for layer in self._layers_inside:
            for v in layer.trainable_weights:
                _append(out, v)
        return out

    @property
    def non_trainable_weights(self) -> list:
        """Weights that an optimizer does not change, those of layers within included."""
        trained = {id(v) for v in self.trainable_weights}
        return [v for v in self._all_variables() if id(v) not in trained]

    @property
    def weights(self) -> list:
        """All weights, trainable ones first."""
        return self.trainable_weights + self.non_trainable_weights

    variables = property(lambda self: self.weights)
    trainable_variables = property(lambda self: self.trainable_weights)
    non_trainable_variables = property(lambda self: self.non_trainable_weights)

    def count_params(self) -> int:
        """The number of elements of all weights."""
        if not self.built:
            raise ValueError(f"You tried to call `count_params` on {self.name}, but the layer isn't built. You can build it "
                             f"manually via: `{self.name}.build(batch_input_shape)`.")
        return sum(int(np.prod(v.shape.as_list(), dtype=int)) for v in self.weights)

    def get_weights(self) -> list:
        """The weights as NumPy arrays."""
        return [v.numpy() for v in self.weights]

    def set_weights(self, weights: TensorLike) -> None:
        """Sets the weights from arrays, in the order of get_weights."""
        own = self.weights
        if len(own) != len(weights):
            raise ValueError(f'You called `set_weights(weights)` on layer "{self.name}" with a weight list of length '
                             f"{len(weights)}, but the layer was expecting {len(own)} weights.")
        for v, w in zip(own, weights):
            if tuple(v.shape) != np.shape(w):
                raise ValueError(f"Layer weight shape {v.shape} not compatible with provided weight shape {np.shape(w)}")
            v.set(np.asarray(w))

    # ---- losses and metrics

    def add_loss(self, losses: TensorLike, **kwargs: Any) -> None:
        """Adds a term to the loss of the model."""
        for loss in nest.flatten(losses):
            if callable(loss) and not isinstance(loss, Tensor):
                self._regularized.append((lambda _, f=loss: f(), None))
            elif active() is not None:
                graph = active()
                graph.__dict__.setdefault("losses", []).append(loss)
            elif isinstance(loss, KerasTensor):
                raise ValueError(f"add_loss of {loss!r}: a symbolic tensor can be a loss of a model of inputs and outputs, not "
                                 f"of {self.name}. Call add_loss in call() instead.")
            else:
                self._added_losses.append(loss)

    def add_update(self, updates: TensorLike, inputs: TensorLike | None = None) -> None:
        """Assignments in call() are made as they are; functions are called."""
        for update in nest.flatten(updates):
            if callable(update) and not isinstance(update, Tensor):
                update()

    def add_metric(self, value: TensorLike, name: str | None = None, **kwargs: Any) -> None:
        """Adds a value to what training reports."""
        metric = next((m for m in self._metrics_inside if m.name == name), None)
        if metric is None:
            metric = Mean(name=name)
            self._metrics_inside.append(metric)
        metric.update_state(value)

    @property
    def losses(self) -> list:
        """Of the weights, and those that the last call added."""
        graph, out = active(), []
        for regularizer, variable in (r for layer in self._flatten_layers() for r in layer._regularized):
            where = {} if graph is None or variable is None else {"stage": graph.stage_of(variable)}
            with placed(**where):  # a variable is in one stage of a pipeline
                out.append(regularizer(variable))
        if graph is not None:
            return out + list(graph.__dict__.get("losses", ()))
        return out + [loss for layer in self._flatten_layers() for loss in layer._added_losses]

    @property
    def metrics(self) -> list:
        """Its metrics and those of layers within."""
        return [m for layer in self._flatten_layers() for m in layer._metrics_inside]

    # ---- calls

    def build(self, input_shape: ShapeLike) -> None:
        """Makes the weights, when the shape of the inputs is known."""
        self.built = True

    def call(self, inputs: TensorLike, *args: Any, **kwargs: Any) -> Any:
        """What the layer computes; write it in a class of your own."""
        return inputs

    def compute_mask(self, inputs: TensorLike, mask: TensorLike | None = None) -> Any:
        """The mask that goes with the outputs."""
        return mask if self.supports_masking else None

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        """The shape of the outputs for a shape of inputs."""
        tensors = nest.map_structure(lambda s: KerasTensor(s, self.compute_dtype or "float32"), _shape_leaves(input_shape))
        out = shapes_of(lambda put: self(nest.map_structure(put, tensors)), nest.flatten(tensors))
        return nest.map_structure(lambda t: t.shape, out)

    @property
    def _parameters(self):
        found = self.__dict__.get("_call_parameters")
        if found is None:
            try:
                parameters = inspect.signature(self.call).parameters
            except (TypeError, ValueError):
                parameters = {}
            found = self.__dict__["_call_parameters"] = (
                "training" in parameters, "mask" in parameters,
                getattr(parameters.get("training"), "default", None))
        return found

    def __call__(self, *args: Any, **kwargs: Any) -> Tensor | list | tuple:
        flat = nest.flatten((args, kwargs))
        if any(isinstance(t, KerasTensor) for t in flat):
            with eagerly(collected=True) if active() is not None else contextlib.nullcontext():
                return self._symbolic_call(args, kwargs)
        if "_inbound_nodes" not in self.__dict__:
            raise RuntimeError("It looks like you are subclassing `Model` or `Layer` and you forgot to call "
                               "`super().__init__()`.")
        args = (nest.map_structure(self._entered, args[0]), *args[1:]) if args else args
        if args:
            self._maybe_build(args[0])
        return self._called(args, kwargs)

    def _called(self, args, kwargs):
        takes_training, takes_mask, default = self._parameters
        before, before_depth = backend.call.training, backend.call.depth
        training = kwargs.get("training")
        if takes_training and len(args) > 1 and training is None and "training" not in kwargs and \
                isinstance(args[1], (bool, int)):
            training = args[1]
        if training is None:
            training = before if before is not None else default if isinstance(default, bool) else None
        if takes_training and not (len(args) > 1 and isinstance(args[1], (bool, int))):
            kwargs = {**kwargs, "training": training}
        elif "training" in kwargs and not takes_training and not self._takes_anything():
            kwargs = {k: v for k, v in kwargs.items() if k != "training"}
        masks = None
        if args:
            masks = nest.map_structure(lambda t: getattr(t, "_keras_mask", None), args[0])
            if takes_mask and kwargs.get("mask") is None and any(m is not None for m in nest.flatten(masks)):
                kwargs = {**kwargs, "mask": masks}
        backend.call.training, backend.call.depth = training, before_depth + 1
        where = {"stage": self._stage} if isinstance(self._stage, int) else {}
        try:
            with name_scope(self.name), placed(**where):
                out = self._run_call(args, kwargs)
        finally:
            backend.call.training, backend.call.depth = before, before_depth
        if self._activity_regularizer is not None:
            for t in nest.flatten(out):  # for each sample, whatever the batch
                rows = math_ops.cast(array_ops.shape(t)[0], t.dtype)
                self.add_loss(math_ops.divide(self._activity_regularizer(t), rows))
        self._set_masks(args, kwargs, masks, out)
        return out

    def _run_call(self, args, kwargs):
        if isinstance(kwargs.get("training"), Tensor):
            return self._call_in_mode(late.scalar(kwargs["training"]), args, kwargs)
        return self.call(*args, **kwargs)

    _in_both_modes = False  # what it gives is all that `training` changes

    def _call_in_mode(self, training, args, kwargs):
        """training: a tensor, which may be known when a program runs only."""
        known = constant_value(training)
        if known is not None:
            return self.call(*args, **{**kwargs, "training": bool(known)})
        if not self._in_both_modes:
            return self.call(*args, **{**kwargs, "training": training})
        trained, plain = (self.call(*args, **{**kwargs, "training": mode}) for mode in (True, False))
        return nest.map_structure(lambda a, b: math_ops.where(math_ops.cast(training, "bool"), a, b), trained, plain)

    def _takes_anything(self):
        return any(p.kind is p.VAR_KEYWORD for p in inspect.signature(self.call).parameters.values())

    def _set_masks(self, args, kwargs, masks, out):
        if not args:
            return
        given = kwargs.get("mask") if kwargs.get("mask") is not None else masks
        if given is None or all(m is None for m in nest.flatten(given)):
            given = None
        if given is None and type(self).compute_mask is Layer.compute_mask:
            return
        made = self.compute_mask(args[0], given)
        for t, m in zip(nest.flatten(out), nest.flatten(made)):
            if m is not None:
                t._keras_mask = m

    def _entered(self, value):
        """A first argument as a tensor, in the type that the layer computes in."""
        if value is None:
            return value
        if isinstance(value, (np.ndarray, np.generic, float, int, bool)):
            value = convert_to_tensor(value)
        if self._autocast and isinstance(value, Tensor) and value.dtype.is_floating and self.compute_dtype is not None:
            mask = getattr(value, "_keras_mask", None)
            value = math_ops.cast(value, self.compute_dtype)
            if mask is not None:
                value._keras_mask = mask
        return value

    def _maybe_build(self, inputs):
        if self.built:
            self._check_input(inputs)
            return
        self._check_input(inputs)
        shapes = nest.map_structure(lambda t: t.shape if hasattr(t, "shape") else None, inputs)
        if not hasattr(self.build, "_default"):
            with name_scope(self.name) if not current.scopes or current.scopes[-1] != self.name else _nothing():
                self.build(shapes)
        self.built = True
        if self._initial_weights is not None:
            self.set_weights(self._initial_weights)
            self._initial_weights = None

    def _check_input(self, inputs):
        if isinstance(self.input_spec, InputSpec):
            for t in nest.flatten(inputs)[:1]:
                if hasattr(t, "shape"):
                    self.input_spec.check(self, TensorShape(t.shape))

    def _symbolic_call(self, args, kwargs):
        stage = backend.call.stage
        tensors = [t for t in nest.flatten((args, kwargs)) if isinstance(t, KerasTensor)]

        def run(put):
            def own(t):
                return put(t) if isinstance(t, KerasTensor) else t
            return self(*nest.map_structure(own, args), **nest.map_structure(own, kwargs))

        outputs = shapes_of(run, tensors)
        Node(self, args, kwargs, outputs, stage)
        return outputs

    # ---- of the functional interface

    def _only_node(self, what):
        if not self._inbound_nodes:
            raise AttributeError(f"Layer {self.name} has no inbound nodes.")
        if len(self._inbound_nodes) > 1:
            raise AttributeError(f'The layer "{self.name}" has multiple inbound nodes, hence the notion of "layer {what}" '
                                 f"is ill-defined. Use `get_{what}_at(node_index)` instead.")
        return self._inbound_nodes[0]

    @property
    def input(self) -> Any:
        """The tensor that the layer was called with, if it was called once."""
        inputs = self._only_node("input").inputs
        return inputs[0] if len(inputs) == 1 else inputs

    @property
    def output(self) -> Tensor:
        """The tensor that the call gave, if it was called once."""
        return self._only_node("output").outputs

    def get_input_at(self, index: int) -> Any:
        """The inputs of one of several calls."""
        inputs = self._inbound_nodes[index].inputs
        return inputs[0] if len(inputs) == 1 else inputs

    def get_output_at(self, index: int) -> Any:
        """The outputs of one of several calls."""
        return self._inbound_nodes[index].outputs

    @property
    def input_shape(self) -> tuple:
        """The shape of `input`."""
        return nest.map_structure(lambda t: tuple(t.shape), self.input)

    @property
    def output_shape(self) -> tuple:
        """The shape of `output`."""
        return nest.map_structure(lambda t: tuple(t.shape), self.output)

    # ---- configuration

    def get_config(self) -> dict:
        """The arguments it was made with."""
        config = {"name": self.name, "trainable": self.trainable, "dtype": self._policy.name}
        if self._batch_input_shape is not None:
            config["batch_input_shape"] = self._batch_input_shape
        return {**config, **config_of(self)}

    @classmethod
    def from_config(cls, config: dict) -> Any:
        """A new one from the arguments that get_config gave."""
        return cls(**config)

    def __repr__(self):
        return f"<tensorflow.keras.{type(self).__module__.split('keras.')[-1]}.{type(self).__name__} object '{self.name}'>"


class _nothing:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


def _append(to, value):
    if not any(value is v for v in to):
        to.append(value)


def _given_shape(kwargs):
    if "batch_input_shape" in kwargs:
        return tuple(kwargs["batch_input_shape"])
    if "input_shape" in kwargs:
        return (kwargs.get("batch_size"), *kwargs["input_shape"])
    if "input_dim" in kwargs:
        return (kwargs.get("batch_size"), kwargs["input_dim"]) if "input_length" not in kwargs else \
            (kwargs.get("batch_size"), kwargs["input_length"], kwargs["input_dim"])
    return None


def _shape_leaves(shape):
    """A shape, or a list of shapes."""
    if isinstance(shape, TensorShape) or (isinstance(shape, (list, tuple)) and
                                          all(d is None or isinstance(d, (int, np.integer)) for d in shape)):
        return _Shape(shape)
    return [_Shape(s) for s in shape]


class _Shape(TensorShape):
    """No sequence to nest."""
