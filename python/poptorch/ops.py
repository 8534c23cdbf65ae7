# SPDX-License-Identifier: MIT
"""Helper operations. On the CPU most are the identity; in a model on the IPU they leave a marker."""
from __future__ import annotations

import math
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple, Union

import torch

from poptorch.base.current import current, empty_meta
from poptorch.base.structure import mapped
from poptorch.enums import MatMulSerializationMode, OverlapMode
from poptorch.errors import Error

_FLOAT = torch.finfo(torch.float32)
_Body = Callable[..., Union[torch.Tensor, Sequence[torch.Tensor]]]


def isRunningOnIpu() -> bool:
    """Whether the forward() that runs is being captured for the IPU."""
    return current() is not None


def _meta(tensor):
    return empty_meta(tensor.shape, tensor.dtype)


def _tensor(value, what):
    if not isinstance(value, torch.Tensor):
        raise Error(f"{what} needs a tensor, not {type(value).__name__}.")
    return value


def _given(value):
    """A tensor, of a number too."""
    return value if isinstance(value, torch.Tensor) else torch.as_tensor(value)


def _marked(name, tensor, **arguments):
    """The tensor behind an operator of our own that does nothing to its values."""
    _tensor(tensor, name)
    capture = current()
    if capture is None:
        return tensor
    return capture.record(f"poptorch::{name}", {"self": tensor, **arguments}, [_meta(tensor)])[0]


_reductions = {"sum": 0, "mean": 1, "none": 2}


def identity_loss(x: torch.Tensor, reduction: str) -> torch.Tensor:
    """Marks the value that is trained on: its sum, its mean, or itself."""
    if reduction not in _reductions:
        raise Error(f"Unsupported reduction type for identity_loss: {reduction!r}. Use \"sum\", \"mean\" or \"none\".")
    _tensor(x, "identity_loss")
    capture = current()
    if capture is None:
        return {"sum": torch.sum, "mean": torch.mean, "none": lambda t: t}[reduction](x)
    result = _meta(x) if reduction == "none" else empty_meta((), x.dtype)
    return capture.record("poptorch::identity_loss", {"self": x, "reduction": _reductions[reduction]}, [result])[0]


def ipu_print_tensor(tensor: torch.Tensor, title: str = "", print_gradient: bool = True, summarise_threshold: int = 1000,
                     edge_items: int = 3, max_line_width: int = 80, digits: int = 4, float_format: str = "auto",
                     separator: str = ", ", open_bracket: str = "(", close_bracket: str = ")") -> torch.Tensor:
    """Prints the tensor to stderr whenever the model runs. The result must be used."""
    formats = ("auto", "fixed", "scientific", "none")
    if float_format not in formats:
        raise Error(f"ipu_print_tensor: float_format is {float_format!r}; it must be one of {', '.join(formats)}.")
    if separator != " ":
        separator = separator.rstrip(" ")  # the device puts one character between elements
    for name, text in (("separator", separator), ("open_bracket", open_bracket), ("close_bracket", close_bracket)):
        if len(text) != 1:
            raise Error(f"ipu_print_tensor: {name} must be a single character.")
    return _marked("ipu_print_tensor", tensor, title=title, print_gradient=int(print_gradient),
                   summarise_threshold=summarise_threshold, edge_items=edge_items, max_line_width=max_line_width,
                   digits=digits, float_format=formats.index(float_format), separator=separator,
                   open_bracket=open_bracket, close_bracket=close_bracket)


def nop(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor; the model keeps the two apart."""
    return _marked("nop", tensor)


def recomputationCheckpoint(*tensors: Any) -> Any:
    """Keeps these tensors for the backward pass where others are computed again."""
    made = tuple(mapped(t, torch.Tensor, lambda t: _marked("recomputation_checkpoint", t)) for t in tensors)
    return made[0] if len(made) == 1 else made


def set_available_memory(tensor: torch.Tensor, available_memory_proportion: float) -> torch.Tensor:
    """Memory that the convolution, product or look-up which made the tensor may use for temporary data."""
    if not isinstance(available_memory_proportion, (int, float)) or not 0 <= available_memory_proportion <= 1:
        raise Error("set_available_memory: the proportion must be a number between 0 and 1, not "
                    f"{available_memory_proportion!r}.")
    return _marked("set_available_memory", tensor, proportion=float(available_memory_proportion))


def _overlap(name, structure, mode):
    if not isinstance(mode, OverlapMode):
        raise Error(f"{name}: the mode must be a poptorch.OverlapMode, not {mode!r}.")
    capture = current()
    if capture is not None and mode is not OverlapMode.NoOverlap:
        capture.state["overlaps"] = name
    return mapped(structure, torch.Tensor, lambda t: _marked(name, t, mode=mode.value))


def set_overlap_for_input(input_tensors: Any, mode: OverlapMode) -> Any:
    """Lets the transfer of these inputs from the host overlap with computation."""
    return _overlap("set_overlap_for_input", input_tensors, mode)


def set_overlap_for_output(output_tensors: Any, mode: OverlapMode) -> Any:
    """Lets the transfer of these outputs to the host overlap with computation."""
    return _overlap("set_overlap_for_output", output_tensors, mode)


def serializedMatMul(lhs: torch.Tensor, rhs: torch.Tensor, mode: MatMulSerializationMode, factor: int = 0,
                     keep_precision: bool = False) -> torch.Tensor:
    """A product that is computed in parts, one after the other."""
    if not isinstance(mode, MatMulSerializationMode):
        raise Error(f"serializedMatMul: the mode must be a poptorch.MatMulSerializationMode, not {mode!r}.")
    product = torch.matmul(lhs, rhs)
    return _marked("set_matmul_serialization", product, mode=mode.value, factor=int(factor),
                   keep_precision=int(keep_precision))


def getIpuTensorId(tensor: torch.Tensor) -> int:
    """The number of a tensor of the model that is being captured."""
    number = getattr(tensor, "number", None)
    if current() is None or number is None:
        raise Error("getIpuTensorId needs a tensor of a model that is being captured for the IPU.")
    return number


_attributes: Dict[str, Dict[str, Any]] = {}  # of custom operators, by their key


def accessAttributes(attribute_id_str: str) -> Dict[str, Any]:
    """The attributes that a custom_op was given, by the text that stands for them."""
    if attribute_id_str not in _attributes:
        raise Error(f"There are no attributes {attribute_id_str!r} of a custom operator.")
    return _attributes[attribute_id_str]


def custom_op(inputs: Iterable[torch.Tensor], name: str, domain: str, domain_version: int,
              example_outputs: Iterable[torch.Tensor], attributes: Optional[Dict[str, Any]] = None) -> List[torch.Tensor]:
    """An operator of the user's own, from a library that was loaded before. A list of outputs: as many as there are
    examples, of their types; their shapes are the operator's."""
    capture = current()
    inputs, examples = list(inputs), list(example_outputs)
    if capture is None:
        return examples
    results = [_meta(_tensor(e, "custom_op")) for e in examples]
    arguments = {"inputs": inputs, "name": name, "domain": domain, "domain_version": int(domain_version)}
    if attributes:
        _attributes[f"{domain}.{name}"] = dict(attributes)
    for key, value in (attributes or {}).items():
        arguments["attribute:" + _ascii(key)] = _attribute(key, value)
    shapes = capture.result_shapes("poptorch::custom_operation", arguments, results)
    results = [empty_meta(shape, meta.dtype) for shape, meta in zip(shapes, results)]
    return capture.record("poptorch::custom_operation", arguments, results)


def _ascii(text):
    if not isinstance(text, str):
        raise ValueError(f"custom_op: {text!r} must be a text.")
    if not text.isascii():
        raise ValueError(f"custom_op: {text} contains non-ASCII characters.")
    return text


def _attribute(key, value):
    values = value if isinstance(value, (list, tuple)) else [value]
    kinds = {bool: int}
    found = {kinds.get(type(v), type(v)) for v in values}
    if len(found) > 1 or not found <= {int, float, str}:
        raise ValueError(f"custom_op: the attribute {key!r} is {value!r}; it must be a float, int or str, or a list "
                         "of one of them.")
    for v in values:
        if isinstance(v, str):
            _ascii(v)
        elif _FLOAT.max < abs(v) < math.inf if isinstance(v, float) else not -2**63 <= v < 2**63:
            number, kind = (f"{v:g}", "float") if isinstance(v, float) else (v, "int")
            raise Error(f"custom_op: the attribute {key!r}: {number} is too {'high' if v > 0 else 'low'} for a Popart "
                        f"{kind} attribute.")
    if isinstance(value, (list, tuple)) and values and isinstance(values[0], str):
        return "\0".join(values)
    return value


def _check_body(name, inputs):
    if not isinstance(inputs, list):
        raise ValueError(f"poptorch.{name} needs its inputs as a list of tensors. (Object is not list)")
    for i, value in enumerate(inputs):
        if not isinstance(value, torch.Tensor):
            raise ValueError(f"poptorch.{name} needs its inputs as a list of tensors. (Object contained in list at index "
                             f"{i} is not torch.tensor)")


def _results(name, body, inputs):
    """What a body returns. What it writes to its arguments is not seen outside."""
    outputs = body(*inputs)
    outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    for value in outputs:
        if not isinstance(value, torch.Tensor):
            raise Error(f"Body of poptorch.{name}: it must return tensors, not {type(value).__name__}.")
    return outputs


def _in_branch(body, inputs):
    return _results("cond", body, [t.clone() for t in inputs])


def _inference_only(capture, name):
    if capture.training:
        raise Error(f"poptorch.{name}() is only supported in inference, not in a poptorch.trainingModel.")


def for_loop(count: int, body: _Body, inputs: List[torch.Tensor]) -> List[torch.Tensor]:
    """Runs body(*tensors) count times; it takes and returns the same number of tensors."""
    _check_body("for_loop", inputs)
    if not isinstance(count, int):
        raise ValueError("poptorch.for_loop: the number of iterations must be an int.")
    capture = current()
    if capture is None:
        inputs = [t.clone() for t in inputs]
        for _ in range(count):
            inputs = _results("for_loop", body, inputs)
        return inputs
    _inference_only(capture, "for_loop")
    open_bodies = capture.state.setdefault("open bodies", [])
    open_bodies.append("for_loop")  # an error within leaves it open
    formals = capture.record("poptorch::start_for_loop", {"inputs": inputs}, [_meta(t) for t in inputs])
    outputs = _results("for_loop", body, formals)
    if len(outputs) != len(inputs):
        raise Error(f"Body of poptorch.for_loop has {len(outputs)} outputs and {len(inputs)} inputs; there must be "
                    "as many of both.")
    for i, (before, after) in enumerate(zip(inputs, outputs)):
        if before.shape != after.shape or before.dtype != after.dtype:
            raise Error(f"Body of poptorch.for_loop: output {i} is {after.dtype} {list(after.shape)}, but input {i} "
                        f"is {before.dtype} {list(before.shape)}; they must be alike.")
    open_bodies.pop()
    return capture.record("poptorch::end_for_loop", {"outputs": outputs, "trip_count": count},
                          [_meta(t) for t in outputs])


def cond(condition: torch.Tensor, then_body: _Body, then_inputs: List[torch.Tensor], else_body: _Body,
         else_inputs: List[torch.Tensor]) -> List[torch.Tensor]:
    """then_body(*then_inputs) if the condition holds, else else_body(*else_inputs)."""
    _check_body("cond", then_inputs)
    _check_body("cond", else_inputs)
    capture = current()
    if capture is None:
        return _in_branch(*((then_body, then_inputs) if bool(condition) else (else_body, else_inputs)))
    _inference_only(capture, "cond")
    if isinstance(condition, torch.Tensor) and condition.numel() != 1:
        raise Error(f"poptorch.cond: the condition must be one value; it has shape {list(condition.shape)}.")
    open_bodies = capture.state.setdefault("open bodies", [])
    open_bodies.append("cond")
    capture.record("poptorch::start_if_block", {"condition": condition})
    one = _in_branch(then_body, then_inputs)
    capture.record("poptorch::start_else_block", {"outputs": one})
    other = _in_branch(else_body, else_inputs)
    if [(t.shape, t.dtype) for t in one] != [(t.shape, t.dtype) for t in other]:
        raise Error("poptorch.cond: both bodies must return as many tensors, of the same shapes and types.")
    open_bodies.pop()
    return capture.record("poptorch::end_if_block", {"outputs": other, "condition": condition},
                          [_meta(t) for t in one])


def _check_slice(name, size):
    if size == 0:
        raise Error(f"poptorch.{name}: The start and end of a slice must be different.")
    if size < 0:
        raise Error(f"poptorch.{name}: Taking a slice of a tensor with the end less than the start is not supported.")


def dynamic_slice(tensor: torch.Tensor, dim: int, start: torch.Tensor, size: int, step: int = 1) -> torch.Tensor:
    """tensor[start : start + size : step] of one dimension; start is a tensor, known when the model runs."""
    capture = current()
    if step <= 0:
        raise ValueError("poptorch.dynamic_slice: the step must be positive.")
    if capture is None:
        index = torch.arange(int(start), int(start) + max(size, 0), step)
        return torch.index_select(tensor, dim, index)
    _check_slice("dynamic_slice", size)
    shape = list(tensor.shape)
    shape[dim] = (size + step - 1) // step
    result = empty_meta(shape, tensor.dtype)
    return capture.record("poptorch::dynamic_slice", {"self": tensor, "dim": dim, "start": _given(start),
                                                      "size": size, "step": step}, [result])[0]


def dynamic_update(input: torch.Tensor, src: torch.Tensor, dim: int, start: torch.Tensor, size: int) -> torch.Tensor:
    """The tensor with src in place of [start : start + size] of one dimension."""
    capture = current()
    if capture is None:
        result = input.clone()
        result.narrow(dim, int(start), size).copy_(src)
        return result
    _check_slice("dynamic_update", size)
    if input.dim() != src.dim():
        raise Error("poptorch.dynamic_update: input and src tensors must have same dimensionality. "
                    f"({input.dim()}) vs ({src.dim()})")
    if input.dtype != src.dtype:
        raise Error(f"poptorch.dynamic_update: input and src tensor must have same dtype. ({input.dtype} vs {src.dtype})")
    return capture.record("poptorch::dynamic_update", {"self": input, "src": src, "dim": dim,
                                                       "start": _given(start), "size": size},
                          [_meta(input)])[0]


def ctc_beam_search_decoder(probs: torch.Tensor, lengths: torch.Tensor, blank: int = 0, beam_width: int = 100,
                            top_paths: int = 1) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The most likely sequences: their log-probabilities [N, top], lengths [N, top] and paths [N, top, T]."""
    capture = current()
    if capture is None:
        raise Error("ctc_beam_search_decoder runs on the IPU only.")
    steps, batch, _ = probs.shape
    results = [empty_meta((batch, top_paths), probs.dtype),
               empty_meta((batch, top_paths), torch.int32),
               empty_meta((batch, top_paths, steps), torch.int32)]
    scores, found, paths = capture.record("poptorch::ctc_beam_search_decoder", {
        "probs": probs, "lengths": lengths, "blank": blank, "beam_width": beam_width, "top_paths": top_paths}, results)
    return scores, found, paths
