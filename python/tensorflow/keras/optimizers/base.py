# SPDX-License-Identifier: MIT
"""Optimizer: hyperparameters, slots, and one update rule in two forms. `update` writes it out with TensorFlow's operations,
for apply_gradients. `fused` says it as PopART's optimiser, which fit() uses: it must be the same rule to the last term, or
None."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from tensorflow.framework import dtypes
from tensorflow.framework.context import active, eagerly
from tensorflow.framework.dispatch import apply
from tensorflow.framework.tape import GradientTape, graph_gradients
from tensorflow.framework.tensors import Tensor, convert_to_tensor
from tensorflow.framework.typed import DTypeLike, InitializerLike, NumberLike, RateLike, TensorLike
from tensorflow.framework.variables import Variable
from tensorflow.keras import backend
from tensorflow.keras.named import Registry
from tensorflow.keras.optimizers import schedules
from tensorflow.keras.optimizers.schedules import LearningRateSchedule
from tensorflow.ops import math_ops

registry = Registry("optimizer")
serialize = registry.serialize


def deserialize(config: dict, custom_objects: dict | None = None) -> Any:
    """An optimizer from its configuration."""
    if isinstance(config, dict) and config["class_name"].lower() in registry.named:
        config = {**config, "class_name": config["class_name"].lower()}
    return registry.deserialize(config, custom_objects)


def get(identifier: Any) -> Any:
    """An optimizer by its name or configuration, or the object itself."""
    if isinstance(identifier, str):
        return registry.find(identifier.lower() if identifier.lower() in registry.named else identifier)()
    out = _of_tensorflow1(identifier) or registry.get(identifier)
    if not isinstance(out, Optimizer):
        raise ValueError(f"Could not interpret optimizer identifier: {identifier!r}")
    return out


def _of_tensorflow1(given):
    """The optimiser of Keras with the rule of one of tf.compat.v1.train; None if it is none."""
    rule = getattr(given, "keras", None)
    if not isinstance(rule, Optimizer):
        return None
    inner, seen = given, []
    while hasattr(inner, "_opt"):
        seen.append(type(inner).__name__)
        inner = inner._opt
    for name in seen:  # gradients of replicas are averaged and those of shards placed without a word
        if name not in ("CrossReplicaOptimizer", "ShardedOptimizer"):
            raise ValueError(f"{name} is not for compile(): give it the optimizer inside, and say what else is wanted with "
                             "set_gradient_accumulation_options or set_pipelining_options of the model.")
    return rule


class Half:
    """A weight of a shorter type, for formulas: they compute in float32, as their states are kept, and round the new weight."""

    def __init__(self, weight):
        self.weight, self.dtype = weight, dtypes.float32

    def read_value(self):
        return math_ops.cast(self.weight.read_value(), "float32")

    __tf_tensor__ = read_value

    def assign(self, value):
        return self.weight.assign(math_ops.cast(value, self.weight.dtype))

    def assign_add(self, change):
        return self.assign(math_ops.add(self.read_value(), change))

    def assign_sub(self, change):
        return self.assign(math_ops.subtract(self.read_value(), change))


class Optimizer:
    """The base of optimizers: hyper-parameters, and a state for each weight."""
    _defaults = {}  # hyperparameters beside the rate

    def __init__(self, name: str | None = None, learning_rate: RateLike = 0.01, clipnorm: float | None = None,
                 clipvalue: float | None = None, global_clipnorm: float | None = None, lr: RateLike = None,
                 decay: float = 0.0, **hyper: Any) -> None:
        learning_rate = learning_rate if lr is None else lr
        for value, what in ((clipnorm, "clipnorm"), (clipvalue, "clipvalue"), (global_clipnorm, "global_clipnorm")):
            if value is not None and value < 0:
                raise ValueError(f"Expected {what} >= 0, received: {value}")
        if clipnorm is not None and global_clipnorm is not None:
            raise ValueError("At most one of `clipnorm` and `global_clipnorm` can be set.")
        self._name = name or type(self).__name__
        self.clipnorm, self.clipvalue, self.global_clipnorm, self.decay = clipnorm, clipvalue, global_clipnorm, float(decay)
        self._schedule = learning_rate if isinstance(learning_rate, LearningRateSchedule) else None
        with eagerly():
            self._rate: Any = None if self._schedule else Variable(np.float32(learning_rate), False, name="learning_rate")
            self.iterations = Variable(np.int64(0), False, name=f"{self._name}/iter", dtype="int64")
        unknown = set(hyper) - set(self._defaults)
        if unknown:
            raise TypeError(f"{type(self).__name__} got an unexpected keyword argument: {sorted(unknown)[0]}")
        for key, default in self._defaults.items():
            setattr(self, key, hyper.get(key, default))
        self._slots, self._order = {}, []

    # ---- the rate

    @property
    def learning_rate(self) -> Any:
        """The rate now, or its schedule; it may be set."""
        return self._schedule if self._schedule is not None else self._rate

    @learning_rate.setter
    def learning_rate(self, value: TensorLike) -> Any:
        if isinstance(value, LearningRateSchedule):
            self._schedule = value
        elif self._schedule is not None:
            raise TypeError("This optimizer was created with a `LearningRateSchedule` object as its `learning_rate` "
                            "constructor argument, hence its learning rate is not settable.")
        else:
            self._rate.set(np.float32(value))

    lr = learning_rate

    def rate_now(self) -> float:
        """The rate of the next step, on the host."""
        step = int(self.iterations.numpy())
        with eagerly():
            rate = float(self._schedule(np.float32(step))) if self._schedule is not None else float(self._rate.numpy())
        return rate / (1.0 + self.decay * step)

    @property
    def rate_is_constant(self) -> bool:
        """Whether it stays the same from step to step unless somebody sets it."""
        return self._schedule is None and self.decay == 0

    def _decayed_lr(self, dtype="float32"):
        step = math_ops.cast(self.iterations, "float32")
        rate = convert_to_tensor(self._schedule(step)) if self._schedule is not None else convert_to_tensor(self._rate)
        if self.decay:
            rate = math_ops.divide(rate, math_ops.add(math_ops.multiply(step, self.decay), 1.0))
        return math_ops.cast(rate, dtype)

    # ---- slots

    def add_slot(self, var: Variable, slot_name: str, initializer: InitializerLike = 0.0,
                 dtype: DTypeLike = "float32") -> Variable:
        """Makes a state of a weight."""
        key = (id(var), slot_name)
        if key not in self._slots:
            with eagerly():
                value = np.full(var.shape.as_list(), initializer, dtype)
                self._slots[key] = Variable(value, False, name=f"{self._name}/{var.name.split(':')[0]}/{slot_name}")
            self._order.append((var, slot_name))
        return self._slots[key]

    def get_slot(self, var: Variable, slot_name: str) -> Variable:
        """A state of a weight."""
        return self._slots[(id(var.weight if isinstance(var, Half) else var), slot_name)]

    def create_slots(self, var: Variable) -> None:
        """add_slot for what the rule keeps of a variable."""

    def _create_all(self, variables):
        for v in variables:
            self.create_slots(v)

    slots_by_variable = False  # in the order of weights: all slots of a variable, or one slot of all variables

    @property
    def weights(self) -> list:
        """The count of steps and all states."""
        slots = list(self._slots.items())
        if not self.slots_by_variable:
            names = list(dict.fromkeys(name for (_, name), _ in slots))
            slots.sort(key=lambda item: names.index(item[0][1]))
        return [self.iterations, *self._own_weights(), *[slot for _, slot in slots]]

    def _own_weights(self):
        """What the rule keeps beside the slots."""
        return []

    def variables(self) -> Any:
        """The count of steps and all states."""
        return self.weights

    def get_weights(self) -> list:
        """The states as arrays."""
        return [w.numpy() for w in self.weights]

    def set_weights(self, weights: TensorLike) -> None:
        """Sets the states, in the order of get_weights."""
        if len(weights) != len(self.weights):
            raise ValueError(f"You called `set_weights(weights)` on optimizer {self._name} with a weight list of length "
                             f"{len(weights)}, but the optimizer was expecting {len(self.weights)} weights.")
        for v, w in zip(self.weights, weights):
            v.set(w)

    # ---- steps

    def apply_gradients(self, grads_and_vars: Any, name: str | None = None,
                        experimental_aggregate_gradients: bool = True) -> Tensor | Variable:
        """Changes weights by their gradients: a list of (gradient, weight)."""
        grads_and_vars = list(grads_and_vars)
        pairs = [(g, v) for g, v in grads_and_vars if g is not None]
        if not pairs:
            raise ValueError(f"No gradients provided for any variable: {[v.name for _, v in grads_and_vars]}.")
        gradients = [g for g, _ in pairs]
        gradients = self._clipped(_averaged(gradients) if experimental_aggregate_gradients else gradients)
        self._create_all([v for _, v in pairs])
        rate = self._decayed_lr()
        self.prepare()
        for gradient, (_, var) in zip(gradients, pairs):
            own = Half(var) if var.dtype.name == "float16" else var
            self.update(math_ops.cast(gradient, own.dtype), own, math_ops.cast(rate, own.dtype))
            if var.constraint is not None:
                var.assign(var.constraint(var.read_value()))
        return self.iterations.assign_add(np.int64(1))

    def _clipped(self, gradients):
        if self.clipvalue is not None:
            gradients = [math_ops.clip_by_value(g, -float(self.clipvalue), float(self.clipvalue)) for g in gradients]
        if self.clipnorm is not None:
            gradients = [math_ops.clip_by_norm(g, float(self.clipnorm)) for g in gradients]
        if self.global_clipnorm is not None:
            gradients = math_ops.clip_by_global_norm(gradients, float(self.global_clipnorm))[0]
        return list(gradients)

    def minimize(self, loss: TensorLike, var_list: Sequence, grad_loss: Any = None, name: str | None = None,
                 tape: Any = None) -> Tensor | Variable:
        """Computes gradients of a loss, then applies them."""
        variables = var_list() if callable(var_list) else var_list
        return self.apply_gradients(zip(self.gradients_of(loss, variables, grad_loss, tape), variables))

    @staticmethod
    def gradients_of(loss: Any, variables: Sequence, grad_loss: Any = None, tape: Any = None) -> list:
        """Of a loss, or of a function that gives it; grad_loss: the gradient that the loss has itself."""
        given = None if grad_loss is None else [convert_to_tensor(grad_loss)]
        if callable(loss):
            with GradientTape() as tape:
                loss = loss()
            return tape.gradient(loss, variables, given)
        if tape is not None:
            return tape.gradient(loss, variables, given)
        if active() is not None:
            return graph_gradients(active(), [loss], variables, given)
        raise ValueError("`tape` is required when a `Tensor` loss is passed.")

    def apply_minimized(self, grads_and_vars: Any) -> Any:
        """apply_gradients, for those of what to_minimize gave."""
        return self.apply_gradients(grads_and_vars)

    def compiled(self, model: Any) -> Optimizer:
        """What a model that is compiled with this one trains with."""
        return self

    def to_minimize(self, loss: TensorLike) -> Tensor:
        """What a training takes the gradients of."""
        return loss

    def prepare(self) -> None:
        """What all variables of a step share, in front of their updates."""

    def step_now(self) -> Tensor:
        """The number of this step, from 1."""
        return math_ops.add(math_ops.cast(self.iterations, "float32"), 1.0)

    def update(self, gradient: TensorLike, var: Variable, rate: NumberLike) -> Any:
        """Changes one weight by its gradient: the formula of the class."""
        raise NotImplementedError("Must be implemented in subclasses.")

    def fused(self, popart: Any, rate: NumberLike, clip: list, accum: Any) -> None:
        """popart's optimiser of the same rule with this rate, or None. accum: the type that gradients are gathered in."""
        return None

    def fused_here(self, popart: Any, rate: NumberLike, accum: Any) -> Any:
        """The same with this optimiser's clipping."""
        clip = self.clip_settings(popart)
        return None if clip is None else self.fused(popart, rate, clip, accum)

    def fused_slots(self) -> dict:
        """{slot: (what popart's optimiser calls it, the factor between its value and the slot's)}"""
        return {}

    def hyper(self) -> tuple:
        """Everything that a compiled program has of this optimiser."""
        return (tuple(getattr(self, k) for k in self._defaults), self.decay, self.clipnorm, self.clipvalue,
                self.global_clipnorm, id(self._schedule))

    def clip_settings(self, popart: Any) -> Any:
        """What PopART clips by, or None if it cannot say it."""
        if self.clipvalue is not None or self.clipnorm is not None:
            return None
        if self.global_clipnorm is not None:
            return [popart.ClipNormSettings.clipAllWeights(float(self.global_clipnorm))]
        return []

    def get_config(self) -> dict:
        """The arguments it was made with."""
        rate = self._schedule
        config = {"name": self._name, "decay": self.decay, **{k: getattr(self, k) for k in self._defaults}}
        if rate is not None:
            config["learning_rate"] = schedules.serialize(rate)
        else:
            config["learning_rate"] = float(self._rate.numpy())
        for key in ("clipnorm", "clipvalue", "global_clipnorm"):
            if getattr(self, key) is not None:
                config[key] = getattr(self, key)
        return config

    @classmethod
    def from_config(cls, config: dict, custom_objects: dict | None = None) -> Any:
        """A new one from the arguments that get_config gave."""
        config = dict(config)
        if isinstance(config.get("learning_rate"), dict):
            config["learning_rate"] = schedules.deserialize(config["learning_rate"])
        return cls(**config)


def _averaged(gradients):
    """Over the replicas of a program that writes its gradients out."""
    if not getattr(active(), "averages", False):
        return gradients
    return [apply("CrossReplicaMean", [g], {"replica_group_size": 0}) for g in gradients]


def epsilon_of(value):
    return backend.epsilon() if value is None else value
