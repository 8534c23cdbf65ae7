# SPDX-License-Identifier: MIT
"""Optimisers around others: gradients of replicas are averaged, gradients of several batches are gathered."""
from __future__ import annotations

import typing as _typing

from tensorflow import _names
from tensorflow.compat.v1.train import Optimizer as _Optimizer
from tensorflow.framework.operations import Operation as _Operation
from tensorflow.ops.placement import GradientAccumulationReductionMethod
from tensorflow.ops.placement import OF_ACCUMULATION as _OF_ACCUMULATION
from tensorflow.ops.placement import Placement as _Placement
from tensorflow.python.ipu.ops.cross_replica_ops import cross_replica_mean as _cross_replica_mean
from tensorflow.python.ipu.programs import program as _program
if _typing.TYPE_CHECKING:  # of annotations
    from typing import Any, Callable, Sequence
    from tensorflow.framework.typed import DTypeLike, TensorLike


class _Around:
    def __init__(self, opt, name):
        self._opt, self._name = opt, name

    @property
    def keras(self):
        """The optimiser of Keras with the rule of the one inside; None: it has a rule of its own."""
        return getattr(self._opt, "keras", self._opt)

    def compute_gradients(self, loss, var_list=None, **kwargs):
        return self._opt.compute_gradients(loss, var_list, **kwargs)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        return self._opt.apply_gradients(grads_and_vars, global_step)

    def minimize(self, loss, global_step=None, var_list=None, name=None, **kwargs):
        return self.apply_gradients(self.compute_gradients(loss, var_list, **kwargs), global_step, name)

    def variables(self):
        return self._opt.variables()


class _OwnRule:
    """An optimiser of TensorFlow 1 whose update is written out. It gets the gradients that a training has gathered."""
    rate_is_constant, weights = False, ()

    def __init__(self, opt):
        self.apply_minimized = opt.apply_gradients

    @staticmethod
    def to_minimize(loss):
        return loss


def _rule_of(opt):
    """What a training is given that gathers gradients of several batches, and averages those of replicas."""
    inner = opt
    while type(inner) in (CrossReplicaOptimizer, ShardedOptimizer):
        inner = inner._opt
    if not isinstance(inner, (_Around, _Optimizer)):  # of Keras
        return inner
    if type(inner).compute_gradients not in (_Around.compute_gradients, _Optimizer.compute_gradients):
        raise NotImplementedError(f"{type(inner).__name__}.compute_gradients changes gradients of single batches, which "
                                  "pipelines and gradient accumulation add up unseen. Change their sum in apply_gradients, "
                                  "or with keras.ipu.optimizers.MapGradientOptimizer around an optimizer of Keras.")
    as_it_is = type(inner).apply_gradients is _Optimizer.apply_gradients and inner.keras is not None
    return inner.keras if as_it_is else _OwnRule(inner)


class CrossReplicaOptimizer(_Around):
    """Gradients are averaged over replicas."""

    def __init__(self, opt: Any, name: str = "CrossReplicaOptimizer") -> None:
        super().__init__(opt, name)

    def apply_gradients(self, grads_and_vars: Sequence, global_step: int | None = None, name: str | None = None) -> Any:
        """Changes weights by the gradients of all replicas."""
        return self._opt.apply_gradients([(None if g is None else _cross_replica_mean(g), v) for g, v in grads_and_vars],
                                         global_step)


class GradientAccumulationOptimizerV2(_Around):
    """The weights change after num_mini_batches batches."""

    def __init__(self, opt: Any, num_mini_batches: int, offload_weight_update_variables: bool | None = None,
                 replicated_optimizer_state_sharding: bool = False, dtype: DTypeLike | None = None,
                 reduction_method: GradientAccumulationReductionMethod | str = GradientAccumulationReductionMethod.SUM,
                 name: str = "GradientAccumulationOptimizerV2") -> None:
        own = locals()
        self._placement = _Placement({name: own[name] for name in _OF_ACCUMULATION})
        super().__init__(opt, name)
        self._count = int(num_mini_batches)
        self._method = GradientAccumulationReductionMethod.parse(reduction_method)

    def minimize(self, loss: TensorLike, global_step: int | None = None, var_list: Sequence | None = None,
                 name: str | None = None, **kwargs: Any) -> Any:
        """Computes gradients of a loss, then applies them once in num_mini_batches."""
        graph = _program()
        if kwargs.get("grad_loss") is not None:
            raise NotImplementedError("GradientAccumulationOptimizerV2.minimize(grad_loss=...) is not there: multiply the "
                                      "loss.")
        if graph is None or graph.rounds is None:
            raise RuntimeError("GradientAccumulationOptimizerV2 belongs into the body of ipu.loops.repeat.")
        if graph.rounds % self._count:
            raise ValueError(f"The loop's {graph.rounds} rounds must be a multiple of num_mini_batches ({self._count}).")
        if global_step is not None:
            raise NotImplementedError("GradientAccumulationOptimizerV2.minimize(global_step=...) is not there: count the "
                                      "weight updates on the host.")
        graph.rounds //= self._count
        graph.placement = self._placement
        graph.train(_rule_of(self._opt), loss, self._count, self._method, var_list)
        return _Operation(graph, self._name)

    def apply_gradients(self, grads_and_vars: Sequence, global_step: int | None = None, name: str | None = None) -> Any:
        """Changes weights once in num_mini_batches calls."""
        raise NotImplementedError("GradientAccumulationOptimizerV2.apply_gradients is not there: use minimize.")


class CrossReplicaGradientAccumulationOptimizerV2(GradientAccumulationOptimizerV2):
    """Replicas average theirs as well; those of one replica always do."""


class GradientAccumulationOptimizer(GradientAccumulationOptimizerV2):
    """The first form of it, whose gradients are always summed."""

    def __init__(self, opt: Any, num_mini_batches: int, verify_usage: bool = True,
                 name: str = "GradientAccumulationOptimizer") -> None:
        super().__init__(opt, num_mini_batches, name=name)


class CrossReplicaGradientAccumulationOptimizer(GradientAccumulationOptimizer):
    """Adds up gradients of micro-batches, then of replicas."""
    def __init__(self, opt: Any, num_mini_batches: int, verify_usage: bool = True,
                 name: str = "CrossReplicaGradientAccumulationOptimizer") -> None:
        super().__init__(opt, num_mini_batches, verify_usage, name)


class MapGradientOptimizer(_Around):
    """Gradients are what a function makes of them and of their variables."""

    def __init__(self, wrapped_optimizer: Any, gradient_mapping_function: Callable,
                 name: str = "MapGradientOptimizer") -> None:
        super().__init__(wrapped_optimizer, name)
        self._map = gradient_mapping_function

    def compute_gradients(self, loss: TensorLike, var_list: Sequence | None = None, **kwargs: Any) -> list:
        """(gradient, weight) pairs, with the function applied to each."""
        return [(None if g is None else self._map(g, v), v) for g, v in super().compute_gradients(loss, var_list, **kwargs)]


class ShardedOptimizer(_Around):
    """An optimizer whose operations are where their weights are."""
    def __init__(self, optimizer: Any, name: str = "ShardedOptimizer") -> None:
        super().__init__(optimizer, name)


# Each is in a module of its own elsewhere: ipu.optimizers.cross_replica_optimizer.CrossReplicaOptimizer.
__path__ = []
_names.lazy(globals(), {name: __name__ for name in (
    "cross_replica_optimizer", "gradient_accumulation_optimizer", "map_gradient_optimizer", "sharded_optimizer")})
