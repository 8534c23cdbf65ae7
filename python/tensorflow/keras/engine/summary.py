# SPDX-License-Identifier: MIT
"""model.summary(): a line for every layer."""
import numpy as np

from tensorflow.framework import nest


def print_summary(model, line_length=None, positions=None, print_fn=None, expand_nested=False):
    show = print_fn or print
    plain = model._is_sequential or not model._is_functional or _is_chain(model)
    line_length = line_length or (65 if plain else 98)
    positions = list(positions or ((0.45, 0.85, 1.0) if plain else (0.33, 0.55, 0.67, 1.0)))
    if positions[-1] <= 1:
        positions = [int(line_length * p) for p in positions]
    titles = ["Layer (type)", "Output Shape", "Param #"] + ([] if plain else ["Connected to"])

    def row(fields):
        line = ""
        for i, field in enumerate(fields):
            line = (line[:-1] + " " if i else "") + str(field)
            line = line[:positions[i]]
            line += " " * (positions[i] - len(line))
        show(line)

    show(f'Model: "{model.name}"')
    show("_" * line_length)
    row(titles)
    show("=" * line_length)
    layers = model.layers
    for i, layer in enumerate(layers):
        connected = [] if plain else [f"{t._keras_history[0].name}[{t._keras_history[1]}][{t._keras_history[2]}]"
                                      for node in layer._inbound_nodes if any(node is n for n in model._nodes)
                                      for t in node.inputs]
        row([f"{layer.name} ({_kind(layer)})", _shape(layer), layer.count_params() if layer.built else "0 (unused)",
             *([] if plain else connected[:1] or [""])])
        for more in connected[1:]:
            row(["", "", "", more])
        for depth, inner in _inside(layer) if expand_nested else ():
            row([f"{'|' * depth} {inner.name} ({_kind(inner)})", _shape(inner), inner.count_params() if inner.built else
                 "0 (unused)", *([] if plain else [""])])
        show(("=" if i == len(layers) - 1 else "_") * line_length)
    trained = _count(model.trainable_weights)
    fixed = _count(model.non_trainable_weights)
    show(f"Total params: {trained + fixed:,}")
    show(f"Trainable params: {trained:,}")
    show(f"Non-trainable params: {fixed:,}")
    show("_" * line_length)


def _inside(layer, depth=1):
    """The layers of a nested model, and how deep they are."""
    for inner in getattr(layer, "layers", ()):
        yield depth, inner
        yield from _inside(inner, depth + 1)


def _kind(layer):
    return {"OperationLayer": "TFOpLambda"}.get(type(layer).__name__, type(layer).__name__)


def _is_chain(model):
    """Whether every layer has one input and one output, and nothing is used twice."""
    uses = {}
    for node in model._nodes:
        if len(node.inputs) > 1:
            return False
        for t in node.inputs:
            uses[id(t)] = uses.get(id(t), 0) + 1
    return all(n == 1 for n in uses.values())


def _shape(layer):
    try:
        shapes = nest.flatten(layer._inbound_nodes[0].outputs)
    except (AttributeError, IndexError):
        return "multiple"
    texts = [str(tuple(t.shape)) for t in shapes]
    if type(layer).__name__ == "InputLayer":
        return f"[{texts[0]}]"
    return texts[0] if len(texts) == 1 else "[" + ", ".join(texts) + "]"


def _count(variables):
    return sum(int(np.prod(v.shape.as_list(), dtype=int)) for v in variables)
