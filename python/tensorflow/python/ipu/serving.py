# SPDX-License-Identifier: MIT
"""Exports for serving: a function, a pipeline or a Keras model as a folder that tf.saved_model.load reads. One call of an
export is one step of one batch."""
from __future__ import annotations

import inspect
import os
import shutil
from typing import Any, Callable, Sequence

from tensorflow import _names
from tensorflow.compat.v1 import graphs as _v1
from tensorflow.compat.v1.session import Session
from tensorflow.framework import nest
from tensorflow.framework.context import current, placed, tracing
from tensorflow.framework.graphs import Graph
from tensorflow.framework.specs import TensorSpec
from tensorflow.framework.tensors import convert_to_tensor
from tensorflow.framework.typed import DatasetLike, InitializerLike, PathLike, TensorLike
from tensorflow.ops.functions import Function as _TfFunction
from tensorflow.python.ipu import served


def export_single_step(predict_step: Any, export_dir: PathLike, iterations: int = 1,
                       predict_step_signature: Sequence | None = None, input_dataset: DatasetLike | None = None,
                       variable_initializer: InitializerLike = None, output_names: Sequence | None = None,
                       preprocessing_step: Callable | None = None, preprocessing_step_signature: Sequence | None = None,
                       postprocessing_step: Callable | None = None, postprocessing_step_signature: Sequence | None = None,
                       purge_export_dir: bool = False) -> _Runtime:
    """The function as a program. variable_initializer(session): of TensorFlow 1, gives variables their values. iterations: of
    the program's loop elsewhere; here every call is a run."""
    _check_iterations(iterations)
    return _export([predict_step], None, export_dir, predict_step_signature, input_dataset, variable_initializer, output_names,
                   preprocessing_step, preprocessing_step_signature, postprocessing_step, purge_export_dir)


def export_pipeline(computational_stages: Sequence, export_dir: PathLike, pipeline_depth: int = 1, iterations: int = 1,
                    inputs: TensorLike | None = None, device_mapping: Sequence | None = None, pipeline_schedule: Any = None,
                    poplar_options: Any = None, name: str | None = None, predict_step_signature: Sequence | None = None,
                    input_dataset: DatasetLike | None = None, variable_initializer: InitializerLike = None,
                    output_names: Sequence | None = None, preprocessing_step: Callable | None = None,
                    preprocessing_step_signature: Sequence | None = None, postprocessing_step: Callable | None = None,
                    postprocessing_step_signature: Sequence | None = None, purge_export_dir: bool = False) -> _Runtime:
    """Stages on their IPUs, one after the other: a call is one batch. inputs: further arguments of the first stage,
    constants."""
    _check_iterations(iterations)
    stages = list(computational_stages)
    mapping = list(range(len(stages))) if device_mapping is None else list(device_mapping)
    if len(mapping) != len(stages):
        raise ValueError(f"device_mapping has {len(mapping)} entries; there are {len(stages)} computational stages.")
    first = stages[0]
    if inputs:
        stages[0] = lambda *args: first(*inputs, *args)
        signature = list(inspect.signature(first).parameters)[len(inputs):]
        stages[0].__signature__ = inspect.Signature([inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD)
                                                     for n in signature])
    return _export(stages, mapping, export_dir, predict_step_signature, input_dataset, variable_initializer, output_names,
                   preprocessing_step, preprocessing_step_signature, postprocessing_step, purge_export_dir)


def export_keras(model: Any, export_dir: PathLike, batch_size: int | None = None, output_names: str | None = None,
                 preprocessing_step: Callable | None = None, preprocessing_step_signature: Sequence | None = None,
                 postprocessing_step: Callable | None = None, postprocessing_step_signature: Sequence | None = None,
                 purge_export_dir: bool = False) -> _Runtime:
    """A model's predictions, on one IPU."""
    inputs = nest.flatten(getattr(model, "inputs", None) or [])
    if not inputs:
        raise ValueError(f"The model {model.name} cannot be exported before the shapes of its inputs are known: build it with "
                         "an Input, or call it.")
    specs = []
    for t in inputs:
        shape = [batch_size or t.shape[0], *t.shape.as_list()[1:]]
        if any(d is None for d in shape):
            raise ValueError(f"The input {t.name} has shape {t.shape}, which is not fully defined: give batch_size, or "
                             "Input(batch_size=...).")
        specs.append(TensorSpec(shape, t.dtype, t.name.split(":")[0]))
    return _export([lambda *x: model(x[0] if len(x) == 1 else list(x), training=False)], None, export_dir, specs, None, None,
                   output_names, preprocessing_step, preprocessing_step_signature, postprocessing_step, purge_export_dir)


def _check_iterations(iterations):
    if isinstance(iterations, bool) or not isinstance(iterations, int) or iterations < 1:
        raise ValueError(f"iterations must be a whole number of at least 1, not {iterations!r}.")


def _export(stages, mapping, folder, signature, dataset, initializer, output_names, before, before_signature, after, purge):
    _empty(folder, purge)
    steps = {}
    if before is not None:
        specs = _signature(before, before_signature, dataset, "preprocessing_step")
        steps["preprocessing"] = _traced([before], specs)
        own = [TensorSpec(t.shape, t.dtype) for t in steps["preprocessing"].outputs]
    else:
        specs = own = _signature(stages[0], signature, dataset, "predict_step")
    names = _input_names(before or stages[0], specs)
    steps["predict"] = main = _traced(stages, own, mapping)
    if after is not None:
        steps["postprocessing"] = _traced([after], [TensorSpec(t.shape, t.dtype) for t in main.outputs])
    last = list(steps.values())[-1]
    outputs = _output_names(last, output_names)
    if initializer is not None or any(not v.initialized for v, *_ in main.variables.values()):
        _initialize(initializer)
    served.write(folder, steps, names, outputs, max((mapping or [0])) + 1)
    function = served.Function(folder)
    function.prepare()
    return _Runtime(function, output_names is not None or last.named)


def _empty(folder, purge):
    if os.path.isdir(folder) and os.listdir(folder):
        if not purge:
            raise ValueError(f"The directory {folder} is not empty. Choose another one, or set purge_export_dir=True.")
        shutil.rmtree(folder)


def _signature(function, given, dataset, what):
    """Shapes and types of the arguments."""
    if given is None and isinstance(function, _TfFunction):
        given = function._signature
    if given is None and dataset is not None:
        given = nest.flatten(dataset.element_spec)
    if given is None:
        raise ValueError(f"{what}_signature or input_dataset must be given, or {what} must be a tf.function with an "
                         "input_signature.")
    specs = [s if isinstance(s, TensorSpec) else TensorSpec(s.shape, s.dtype) for s in nest.flatten(given)]
    for spec in specs:
        if not spec.shape.is_fully_defined():
            raise ValueError(f"{what}: the shape {spec.shape} is not fully defined, which programs for IPUs need.")
    return specs


def _input_names(function, specs):
    if all(s.name for s in specs):
        return [s.name for s in specs]
    function = getattr(function, "python_function", function)
    names = [p.name for p in inspect.signature(function).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    return names[:len(specs)] if len(names) >= len(specs) else [s.name or f"input_{i}" for i, s in enumerate(specs)]


def _output_names(graph, given):
    count = len(graph.outputs)
    if given is None:
        return graph.named or [f"output_{i}" for i in range(count)]
    given = [given] if isinstance(given, str) else list(given)
    if len(given) != count:
        raise ValueError(f"output_names has {len(given)} names; the function has {count} outputs.")
    return given


def _traced(functions, specs, mapping=None):
    """A finished graph of functions that follow each other."""
    graph = Graph(name="serving")
    graph.makes_variables = True
    graph.mapping, graph.pipelined = mapping, False
    with tracing(graph):
        values = [graph.input(s.shape, s.dtype, s.name or "input") for s in specs]
        for i, function in enumerate(functions):
            with placed(stage=i if mapping is not None else None):
                made = function(*values)
            values = [convert_to_tensor(t) for t in nest.flatten(made)]
        graph.named = list(made) if isinstance(made, dict) else None
        graph.finish([graph.taken(t) for t in values])
    if graph.changed():
        raise ValueError(f"An export cannot change variables: {graph.changed()[0].name} is assigned.")
    return graph


def _initialize(initializer):
    """Of TensorFlow 1: variables get their values in a session."""
    if current.default is None:
        raise ValueError("variable_initializer is for graphs of TensorFlow 1.")
    with Session(graph=current.default) as session:
        if initializer is None:
            session.run(_v1.global_variables_initializer())
        else:
            initializer(session)


class _Runtime:
    """The exported function: a dictionary where outputs have names, else a tensor or a list of them."""

    def __init__(self, function, named):
        self._function, self._named = function, named
        self.structured_input_signature = function.structured_input_signature

    def __call__(self, *args, **kwargs):
        found = self._function(*args, **kwargs)
        if self._named:
            return found
        return list(found.values()) if len(found) > 1 else next(iter(found.values()))


_names.explain_missing(globals())
