# SPDX-License-Identifier: MIT
"""A model's training, evaluation or prediction as one program. Training is a session of PopART, with its fused optimiser
where that is the same rule; else the update is written out as the model's own rule. Metrics come back as what each batch adds
to them."""
import threading

import numpy as np
import popart

from tensorflow.framework import dtypes, nest
from tensorflow.framework.context import placed, tracing
from tensorflow.framework.execution import Executable, Settings, arranged
from tensorflow.framework.graphs import Graph
from tensorflow.framework.rules import unused_optimizer, write_rule
from tensorflow.framework.tensors import convert_to_tensor
from tensorflow.keras.engine.feeding import Alone
from tensorflow.keras.optimizers.device_state import DeviceState
from tensorflow.ops import array_ops, math_ops


def _given(data):
    """What a step of the user gets."""
    x, y, weight = data
    if y is None and weight is None:
        return x if isinstance(data, Alone) else (x,)
    return (x, y) if weight is None else (x, y, weight)


class Program:
    """mode: "train", "test" or "predict". batch: (x, y, sample_weight) as arrays of one batch, leaves None where there is
    nothing."""

    def __init__(self, model, mode, batch, plan):
        self.model, self.mode, self.plan = model, mode, plan
        self.structure = batch
        self._leaves = nest.flatten(batch)
        self._custom = None
        graph = self.graph = Graph(name=f"{model.name}/{mode}")
        graph.makes_variables = True
        self.fused = mode == "train" and self._fused(1.0) is not None
        self.trains = mode == "train" and not _overrides(model, "train_step")
        graph.trained = {id(v) for v in model.trainable_variables} if self.trains else ()
        graph.averages = mode == "train" and not self.trains and plan.all_replicas > 1  # gradients that are written out
        graph.on_assign = self._on_assign
        graph.norm_replicas = plan.norm_replicas
        if plan.strategy is not None:
            graph.outfeeds, graph.inner_outfeeds, graph.is_one_of_several = [], [], True
        if plan.stages is not None:
            graph.mapping, graph.pipelined = plan.stages, plan.pipelined
        self._increments, self._kept = {}, {}
        self._metric_variables = {}
        with tracing(graph):
            given = iter([graph.input(a.shape, _type(a), name) for a, name in self._named()])
            data = nest.map_structure(lambda a: None if a is None else next(given), batch)
            self._trace(data)
        self.executable, self._turn = None, threading.RLock()

    def _named(self):
        names = ("x", "y", "weight")
        for name, part in zip(names, self.structure):
            for i, a in enumerate(nest.flatten(part)):
                if a is not None:
                    yield a, f"{name}{i}"

    # ---- tracing

    def _trace(self, data):
        x, y, weight = data
        model = self.model
        if self.mode == "predict":
            out = model.predict_step(_given(data)) if _overrides(model, "predict_step") else model(x, training=False)
            self.result = out
            self._finish(nest.flatten(out), ["All"] * len(nest.flatten(out)))
            return
        step = "train_step" if self.mode == "train" else "test_step"
        if _overrides(model, step):
            self._trace_custom(getattr(model, step), data)
            return
        y_pred = model(x, training=self.mode == "train")
        if model.compiled_loss is None:
            raise RuntimeError("You must compile your model before training/testing. Use `model.compile(optimizer, loss)`.")
        names = model._output_names(y_pred)
        model.compiled_loss.names = names
        with self._at_end():
            loss, parts = model.compiled_loss.computed(y, y_pred, weight, model.losses)
            labels = [y[n] for n in names] if isinstance(y, dict) else nest.flatten(y)
            metrics = model.compiled_metrics.build(labels, nest.flatten(y_pred), names)
            self.metrics = [*metrics.metrics, *model.metrics_of_layers()]
            for metric in self.metrics:
                for variable in metric.variables:
                    self._metric_variables[id(variable)] = variable
            metrics.update_state(labels, y_pred, weight)
        self.parts = list(parts)
        if self.mode == "train":
            with self._at_end():
                self._train(loss)
        kept = [self.graph.state[key] for key in self._kept]
        with self._at_end():
            packed = self._packed([loss, *parts.values(), *self._increments.values()])
        self._finish([packed, *kept], ["Sum" if self.plan.sums_results else "All"] + ["Final"] * len(kept))

    def _packed(self, values):
        """One tensor of all that a batch gives back: every transfer to the host has its price."""
        values = [self.graph.taken(convert_to_tensor(v)) for v in values]
        self._shapes = [tuple(v.shape) for v in values]
        return array_ops.concat([array_ops.reshape(math_ops.cast(v, "float32"), [-1]) for v in values], 0)

    def _unpacked(self, packed):
        """[batches, *shape] of every value."""
        ends = np.cumsum([int(np.prod(shape, dtype=int)) for shape in self._shapes])
        rows = np.asarray(packed).reshape(-1, int(ends[-1]))
        return [part.reshape(len(rows), *shape) for part, shape in zip(np.split(rows, ends[:-1], 1), self._shapes)]

    def _at_end(self):
        """Losses and metrics belong to the last stage of a pipeline."""
        stages = self.plan.stages
        return placed(stage=len(stages) - 1) if stages else placed()

    def _train(self, loss):
        factor = self.plan.accumulation if self.plan.sum_accumulated else 1
        loss = self.model.optimizer.to_minimize(loss)
        loss = self.graph.taken(loss if factor == 1 else math_ops.multiply(loss, float(factor)))
        self.graph.recorder.loss(loss.number)
        if not self.fused:
            write_rule(self.graph, loss, self.model.optimizer, self.model.trainable_variables)

    def _trace_custom(self, step, data):
        """train_step or test_step of the user: metrics are on the device, and come back as they are at the end."""
        self.graph.on_assign = None
        if self.plan.accumulation > 1 or self.plan.stages:
            raise RuntimeError(f"{step.__name__} has been overridden: pipelined and accumulating models need Keras' own.")
        self._custom = step(_given(data))
        self.metrics, self.parts = list(self.model.metrics), []  # that begin again with every epoch
        values = [v if not isinstance(v, (int, float)) else self.graph.constant(np.float32(v))
                  for v in self._custom.values()]
        self._finish(values, ["Final"] * len(values))

    def _on_assign(self, variable, how, value):
        """What a batch adds to a metric is an output; a metric that does anything else keeps its variable."""
        key = id(variable)
        if key not in self._metric_variables or key in self._kept:
            return False
        if how != "assign_add" or key in self.graph.state:
            self._kept[key] = variable
            return False
        before = self._increments.get(key)
        self._increments[key] = value if before is None else math_ops.add(before, value)
        return True

    def _finish(self, values, returned):
        values = [self.graph.taken(v) if not isinstance(v, (int, float)) else self.graph.constant(np.float32(v))
                  for v in values]
        self._own, sent = len(values), [(queue, t) for queue, tensors in self.graph.outfeeds or () for t in tensors]
        self._returned = [*returned, *["All" if queue.keeps_all else "Final" for queue, _ in sent]]
        self.graph.finish([*values, *[t for _, t in sent]])

    def _put(self, results):
        """The results of a run without what goes to queues."""
        times, replicas, at = self.plan.batches, self.plan.replicas, self._own
        for queue, tensors in self.graph.outfeeds or ():
            queue.put([arranged(np.asarray(r), queue.keeps_all, times, replicas, t.shape.as_list())
                       for r, t in zip(results[at:], tensors)])
            at += len(tensors)
        self.graph.put_inner()
        return results[:self._own]

    # ---- compiling

    def _fused(self, rate):
        optimizer, variables = self.model.optimizer, self.model.trainable_variables
        constant = optimizer.rate_is_constant or self.plan.steps == self.plan.accumulation
        if not constant or _overrides(self.model, "train_step") or any(v.constraint is not None for v in variables):
            return None
        return optimizer.fused_here(popart, rate, self._accumulator_type())

    def _accumulator_type(self):
        placement = self.plan.placement
        return placement.accumulator_type(self.model.trainable_variables) if placement else popart.DataType.UNDEFINED

    def compile(self):
        with self._turn:
            if self.executable is None:
                self._compile()
        return self.executable

    def _compile(self):
        plan = self.plan
        self.graph.check_feeds(plan.replicas)
        settings = Settings(plan.steps // plan.accumulation, plan.replicas, plan.accumulation, name=self.mode,
                            returned=self._returned, alone=self.mode != "train")

        def adapt(options):
            options.accumulationAndReplicationReductionType = popart.ReductionType.Mean
            if plan.adapt is not None:
                plan.adapt(options, self)

        settings.adapt = adapt
        if self.fused:
            self._rate = self.model.optimizer.rate_now()
            settings.optimizer = lambda names: self._fused(self._rate)
        elif self.trains:
            settings.optimizer = lambda names: unused_optimizer(self._accumulator_type())
        executable = Executable(self.graph, plan.device, settings)
        if self.fused:
            self._state = DeviceState(self.model.optimizer, executable, self.model.trainable_variables)
        self.input_shapes = executable.input_shapes
        self.executable = executable

    # ---- running

    def run(self, arrays):
        """Arrays with all batches of an execution -> the results of the program."""
        executable = self.compile()
        if not self.fused:
            return self._put(executable(arrays))
        with self._turn:
            return self._train_on(arrays, executable)

    def _train_on(self, arrays, executable):
        optimizer = self.model.optimizer
        self._state.before_run()
        rate = optimizer.rate_now()
        if rate != self._rate:
            self._rate = rate
            executable.update_optimizer(self._fused(rate))
        results = self._put(executable(arrays))
        optimizer.iterations.set(optimizer.iterations.numpy() + self.plan.steps // self.plan.accumulation)
        self._state.after_run()
        return results

    def steps_of(self, results):
        """The results of an execution step by step, as far as they are known for every step."""
        if self._custom is not None or self.plan.sums_results:
            return [results]
        packed = np.asarray(results[0]).reshape(self.plan.steps, self.plan.replicas, -1)
        return [[step, *results[1:]] for step in packed]

    def update_metrics(self, results, tracker, rows=1):
        """Adds what an execution gave to the metrics; {name: number} of all of them."""
        if self._custom is not None:
            return {name: _last(self._of_all(v), self.plan.all_replicas) for name, v in zip(self._custom, results)}
        replicas = self.plan.all_replicas
        width = sum(int(np.prod(shape, dtype=int)) for shape in self._shapes)
        values = self._unpacked(self.plan.gathered(np.asarray(results[0]).reshape(-1, width)))
        count = 1 + len(self.parts)
        tracker.losses(["loss", *self.parts], values[:count], rows, self.plan.steps if self.plan.sums_results else 1)
        for key, added in zip(self._increments, values[count:]):
            tracker.add(self._metric_variables[key], added)
        for variable, value in zip(self._kept.values(), results[1:]):
            variable.set(_last(self._of_all(value), replicas))
        return tracker.logs(self.metrics)

    def _of_all(self, value):
        """What every replica has at the end of a run, with those of all processes."""
        value = np.asarray(value)
        return value if self.plan.share is None else self.plan.gathered(value if self.plan.replicas > 1 else value[None])


def _last(value, replicas):
    value = np.asarray(value)
    value = value[-1] if replicas > 1 and value.ndim else value
    return value.item() if value.ndim == 0 else value


def _type(array):
    dtype = dtypes.as_dtype(array.dtype)
    return dtypes.float32 if dtype is dtypes.float64 else dtype


def of_keras(step):
    """Marks a step of Model, which a user's class may replace."""
    step.of_keras = True
    return step


def _overrides(model, name):
    return not hasattr(getattr(type(model), name), "of_keras")
