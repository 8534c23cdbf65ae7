# SPDX-License-Identifier: MIT
"""A part of a program that the host computes: the program sends what the part uses, waits, and goes on with what it made."""
import contextlib
import weakref

from tensorflow.framework import custom_gradients, devices, tape
from tensorflow.framework.context import active, placed, tracing
from tensorflow.framework.execution import Executable
from tensorflow.framework.graphs import Graph
from tensorflow.framework.host_calls import host_call
from tensorflow.python.ipu.programs import root_program


class _Part(Graph):
    """Operations of the host, in the graph around which there is the program."""
    is_program = True

    def __init__(self, outer, name):
        super().__init__(outer=outer, name=name)
        self.made = []

    def _tensor(self, number, dtype, name):
        out = super()._tensor(number, dtype, name)
        self.made.append(weakref.ref(out))
        return out

    def results(self):
        """(what the program may use, what of it is constant): all that somebody still holds."""
        given = {t.number for t in self.inputs}
        held = [t for t in (ref() for ref in self.made) if t is not None and t.number not in given]
        out = [t for t in held if self.known(t) is None]
        for t in out:
            if not t.shape.is_fully_defined():
                raise ValueError(f"outside_compilation_scope: the shape {t.shape} of {t.name} is not fully defined, which a "
                                 "program for an IPU needs.")
        return out, [t for t in held if self.known(t) is not None]


@contextlib.contextmanager
def computed_outside(name):
    """What is traced within is a part of the host's."""
    graph = active()
    if graph is None or root_program() is None:
        raise RuntimeError("outside_compilation_scope belongs into a function that is compiled for an IPU.")
    part = _Part(graph, name)
    with tracing(part), placed(device=None, shard=None, stage=None, computed={}):
        yield
    _call(graph, part, name)


def _call(graph, part, name):
    """The host's part as one operation of the program's graph."""
    made, known = part.results()
    ends = [part.taken(part.state[id(v)]) for v in part.changed()]
    made += [t for t in ends if not any(t is m for m in made)]
    handed = {id(t): (t, result) for t, result in zip(made, _results(graph, part, made, name) if made else [])}
    handed.update((id(t), (t, graph.constant(part.known(t), t.dtype))) for t in known)
    graph.handed_out = {**graph.handed_out, **handed}
    for variable, end in zip(part.changed(), ends):
        graph.assign(variable, graph.taken(end))


def _results(graph, part, made, name):
    """What the host gives, in the program's graph: values that have gradients, which the host computes too."""
    outside, inside = [graph.taken(t) for t, _ in part.captured.values()], list(part.inputs)
    results = _Computed(part, made).called(outside, name)
    of, by = ([i for i, t in enumerate(tensors) if t.dtype.is_floating] for tensors in (made, inside))
    if not of or not by:
        return results
    with tracing(part):
        starts = [part.input(made[i].shape, made[i].dtype, "gradient") for i in of]
        gradients, depends = tape._gradients(part, [made[i] for i in of], [inside[i] for i in by], starts)
    if not any(depends):
        return results
    backward = _Computed(part, [g for g, d in zip(gradients, depends) if d])

    def gradient(*given):
        found = iter(backward.called([*outside, *given], name + "/gradient"))
        return [next(found) if d else None for d in depends]
    own = custom_gradients.record(graph, [results[i] for i in of], [outside[i] for i in by], gradient)
    for i, result in zip(of, own):
        results[i] = result
    return results


class _Computed:
    """What some tensors of a part need, as a program of the host, made when it is first called."""
    variables, host_calls = {}, ()

    def __init__(self, part, outputs):
        self._part, self.outputs = part, outputs
        self._executable = None

    def called(self, inputs, name):
        """The tensors, in the program that the part is in; inputs: those of the part."""
        return host_call(self._run, inputs, [(t.dtype, t.shape) for t in self.outputs], name)

    def _run(self, arrays, replicas):
        if self._executable is None:
            numbers = [t.number for t in self.outputs]
            needed = self._part.recorder.select(numbers, [], {}).inputs()
            self._places = [[t.number for t in self._part.inputs].index(n) for n in needed]
            self.inputs = [self._part.inputs[i] for i in self._places]
            self.recorder = self._part.recorder.select(numbers, [], {t.number: t.shape.as_list() for t in self.inputs})
            self.recorder.resolve()
            self.host_calls = self._part.host_calls
            self._executable = Executable(self, devices.host())
        return self._executable([arrays[i] for i in self._places])
