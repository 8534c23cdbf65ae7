# SPDX-License-Identifier: MIT
"""A model's training, evaluation or prediction as one program. Training is a session of PopART with its fused optimiser where
that is the same rule; else gradients and updates are written out. Metrics come back as what each batch adds to them."""
import numpy as np
import popart

from tensorflow.framework import dtypes, nest
from tensorflow.framework.execution import Executable, Settings
from tensorflow.framework.graphs import Graph, placed, tracing
from tensorflow.framework.tape import graph_gradients
from tensorflow.framework.tensors import convert_to_tensor
from tensorflow.ops import array_ops, math_ops


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
        graph.trained = {id(v) for v in model.trainable_variables} if self.fused else ()
        graph.on_assign = self._on_assign
        if plan.stages is not None:
            graph.mapping, graph.pipelined = plan.stages, plan.pipelined
        self._increments, self._kept = {}, {}
        self._metric_variables = {}
        with tracing(graph):
            given = iter([graph.input(a.shape, _type(a), name) for a, name in self._named()])
            data = nest.map_structure(lambda a: None if a is None else next(given), batch)
            self._trace(data)
        self.executable = None

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
            out = model.predict_step((x,)) if _overrides(model, "predict_step") else model(x, training=False)
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
            loss, parts = model.compiled_loss(y, y_pred, weight, regularization_losses=model.losses)
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
        self._finish([packed, *kept], ["All"] + ["Final"] * len(kept))

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
        variables = self.model.trainable_variables
        graph = self.graph
        if self.fused:
            factor = self.plan.accumulation if self.plan.sum_accumulated else 1
            trained = loss if factor == 1 else math_ops.multiply(loss, float(factor))
            graph.recorder.loss(graph.taken(trained).number)
            return
        if self.plan.accumulation > 1 or self.plan.replicas > 1:
            raise NotImplementedError(f"The optimizer {type(self.model.optimizer).__name__} with these settings cannot be "
                                      "used with gradient accumulation, pipelining or replicas here: PopART has no such "
                                      "rule. docs/tensorflow.md says which optimizers can.")
        gradients = graph_gradients(graph, [loss], variables)
        self.model.optimizer.apply_gradients(zip(gradients, variables))

    def _trace_custom(self, step, data):
        """train_step or test_step of the user: metrics are on the device, and come back as they are at the end."""
        self.graph.on_assign = None
        if self.plan.accumulation > 1 or self.plan.stages:
            raise RuntimeError(f"{step.__name__} has been overridden: pipelined and accumulating models need Keras' own.")
        x, y, weight = data
        self._custom = step((x, y) if weight is None else (x, y, weight))
        self.metrics, self.parts = [], []
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
        self._returned = returned
        values = [self.graph.taken(v) if not isinstance(v, (int, float)) else self.graph.constant(np.float32(v))
                  for v in values]
        self.graph.finish(values)

    # ---- compiling

    def _fused(self, rate):
        optimizer = self.model.optimizer
        constant = optimizer.rate_is_constant or self.plan.steps == self.plan.accumulation
        clip = optimizer.clip_settings(popart)
        if clip is None or _overrides(self.model, "train_step") or any(v.constraint is not None
                                                                       for v in self.model.trainable_variables):
            return None
        if not constant:
            return None
        return optimizer.fused(popart, rate, clip)

    def compile(self):
        if self.executable is not None:
            return self.executable
        plan = self.plan
        settings = Settings(plan.steps // plan.accumulation, plan.replicas, plan.accumulation, name=self.mode,
                            returned=self._returned)

        def adapt(options):
            options.accumulationAndReplicationReductionType = popart.ReductionType.Mean
            if plan.adapt is not None:
                plan.adapt(options)

        settings.adapt = adapt
        if self.fused:
            self._rate = self.model.optimizer.rate_now()
            settings.optimizer = lambda names: self._fused(self._rate)
        self.executable = Executable(self.graph, plan.device, settings)
        self.input_shapes = self.executable.input_shapes
        return self.executable

    # ---- running

    def run(self, arrays):
        """Arrays with all batches of an execution -> the results of the program."""
        executable = self.compile()
        if self.fused:
            self._before_step(executable)
        results = executable(arrays)
        if self.fused:
            steps = self.plan.steps // self.plan.accumulation
            self.model.optimizer.iterations.set(self.model.optimizer.iterations.numpy() + steps)
        return results

    def _before_step(self, executable):
        optimizer = self.model.optimizer
        source = optimizer.state_source
        if source is not executable:
            if source is not None:
                move_state(source, executable)
            optimizer.state_source = executable
        rate = optimizer.rate_now()
        if rate != self._rate:
            self._rate = rate
            executable.update_optimizer(self._fused(rate))

    def update_metrics(self, results, tracker, rows=1):
        """Adds what an execution gave to the metrics; {name: number} of all of them."""
        if self._custom is not None:
            return {name: _last(v, self.plan.replicas) for name, v in zip(self._custom, results)}
        replicas = self.plan.replicas
        values, count = self._unpacked(results[0]), 1 + len(self.parts)
        tracker.losses(["loss", *self.parts], values[:count], rows)
        for key, added in zip(self._increments, values[count:]):
            tracker.add(self._metric_variables[key], added)
        for variable, value in zip(self._kept.values(), results[1:]):
            variable.set(value[-1] if replicas > 1 else value)
        return tracker.logs(self.metrics)


def _last(value, replicas):
    value = np.asarray(value)
    value = value[-1] if replicas > 1 and value.ndim else value
    return value.item() if value.ndim == 0 else value


def _type(array):
    dtype = dtypes.as_dtype(array.dtype)
    return dtypes.float32 if dtype is dtypes.float64 else dtype


def _overrides(model, name):
    from tensorflow.keras.engine.training import Model
    return getattr(type(model), name) is not getattr(Model, name)


def move_state(source, target):
    """The optimiser's state of one program becomes that of another one of the same model."""
    state = read_state(source)
    arrays = {}
    for name in _state_names(target):
        prefix, _, variable = name.partition("___")
        key = (prefix, _variable_of(target, variable))
        if key in state:
            arrays[name] = np.ascontiguousarray(state[key])
    if arrays:
        target.session.writeWeights(popart.PyWeightsIO(arrays))
        target._sent.clear()


_STATE = ("Accl___", "Accl1___", "Accl2___", "Accl3___", "Step___")


def _state_names(executable):
    return sorted(n for n in executable.session.getAllTensorIds() if n.startswith(_STATE))


def _variable_of(executable, name):
    for key, own in executable.names.items():
        if own == name:
            return key
    return name


def read_state(executable):
    """{(kind, id of the variable): array}"""
    executable.fetch()
    arrays = {}
    for name in _state_names(executable):
        info = executable.session.getInfo(name)
        arrays[name] = np.empty(info.shape(), dtype=info.data_type_lcase())
    if arrays:
        executable.session.readWeights(popart.PyWeightsIO(arrays))
    out = {}
    for name, array in arrays.items():
        prefix, _, variable = name.partition("___")
        out[(prefix, _variable_of(executable, variable))] = array
    return out
