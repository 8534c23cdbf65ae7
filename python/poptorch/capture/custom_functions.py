# SPDX-License-Identifier: MIT
"""torch.autograd.Function in models: forward() is captured like everything else, and backward() too where it is simple.

Gradients are made from the graph, so a backward() of Python can take part only as a formula. If it is linear in the
gradient of the result and works on each element alone (g * something, where(mask, g, 0) ...), then what it makes of
ones is that formula's factor, and the result is

    y + (x - x) * factor        where only the first x lets gradients through

A backward() of another kind is not used, with a warning: the gradient is then that of the operators in forward().
"""
import torch

from poptorch._logging import logger
from poptorch.base import compat
from poptorch.base.current import current


class _Context(compat.FunctionCtx):
    to_save = ()
    needs_input_grad: "tuple[bool, ...]" = ()

    @property
    def saved_tensors(self):
        return self.to_save

    def set_materialize_grads(self, value):
        pass

    def mark_dirty(self, *tensors):
        pass

    def mark_non_differentiable(self, *tensors):
        pass


class Linearity:
    """Which tensors are made of the gradient, and which of these element by element and linearly."""

    _same = {"neg", "clone", "detach", "alias", "contiguous", "to", "_to_copy", "view", "view_as", "reshape",
             "_reshape_alias", "_unsafe_view", "positive", "type_as", "expand", "expand_as"}

    # Only the shape of their argument counts.
    _shapes = {"zeros_like", "ones_like", "full_like", "empty_like", "new_zeros", "new_ones", "new_full", "new_empty"}

    def __init__(self, gradient):
        self.made, self.linear, self.zeros = {gradient.number}, {gradient.number}, set()

    def see(self, capture, name, args, results):
        """An operator was recorded."""
        name = name[len("aten::"):].rstrip("_")
        flat = [v for a in args for v in (a if isinstance(a, (list, tuple)) else [a])]
        tensors = [capture.wrap(v) for v in flat if isinstance(v, torch.Tensor)]
        made = [t for t in tensors if t.number in self.made]
        if name in self._shapes:
            self.zeros |= {capture.wrap(results).number} if name in ("zeros_like", "new_zeros") else set()
            return
        if isinstance(results, torch.Tensor):
            still = name in self._same and all(t.number in self.zeros for t in tensors)
            (self.zeros.add if still else self.zeros.discard)(capture.wrap(results).number)
        if not made:
            return
        shaped = isinstance(results, torch.Tensor) and all(t.shape == results.shape for t in made)
        linear = shaped and all(t.number in self.linear for t in made) and self._is_linear(capture, name, args, made)
        for result in [results] if isinstance(results, torch.Tensor) else results or ():
            if isinstance(result, torch.Tensor):
                number = capture.wrap(result).number
                self.made.add(number)
                (self.linear.add if linear else self.linear.discard)(number)

    def _is_linear(self, capture, name, args, made):
        def is_made(value):
            return isinstance(value, torch.Tensor) and capture.wrap(value).number in self.made

        def is_zero(value):
            if isinstance(value, torch.Tensor) and capture.wrap(value).number in self.zeros:
                return True
            value = capture.wrap(value).value if isinstance(value, torch.Tensor) else value
            return value is not None and not torch.as_tensor(value).any()

        if name in self._same:
            return True
        if name in ("mul", "multiply"):
            return len(made) == 1
        if name in ("div", "true_divide", "divide"):
            return len(made) == 1 and is_made(args[0]) and len(args) == 2
        if name in ("add", "sub"):
            return all(is_made(v) or is_zero(v) for v in args[:2])
        if name == "where":
            return not is_made(args[0]) and all(is_made(v) or is_zero(v) for v in args[1:])
        if name == "masked_fill":
            return is_made(args[0]) and len(made) == 1 and is_zero(args[2])
        if name == "index_put":
            masks = [i for i in args[1] if i is not None]
            by_mask = all(mask.dtype is torch.bool for mask in masks)
            return is_made(args[0]) and len(made) == 1 and is_zero(args[2]) and by_mask
        return False


def _factors(function, context, result, capture):
    """What backward() makes of ones, one for each argument of forward(); None if it is not simple."""
    ones = torch.ones_like(result)
    before, capture.linearity = capture.linearity, Linearity(capture.wrap(ones))
    try:
        with torch.no_grad():
            gradients = function.backward(context, ones)
        seen = capture.linearity
    finally:
        capture.linearity = before
    gradients = gradients if isinstance(gradients, tuple) else (gradients,)
    simple = all(g is None or capture.wrap(g).number in seen.linear for g in gradients)
    return gradients if simple else None


def apply(function, *args):
    """function.apply(*args) while a model is captured."""
    if function is compat.CheckpointFunction:  # on the IPU, Options and recomputationCheckpoint save memory
        return args[0](*args[2:])
    capture = current()
    context = _Context()
    context.needs_input_grad = tuple(isinstance(a, torch.Tensor) and a.is_floating_point() for a in args)
    if compat.has_setup_context(function):
        result = function.forward(*args)
        function.setup_context(context, args, result)
    else:
        result = function.forward(context, *args)
    if not capture.training or not isinstance(result, torch.Tensor) or not result.is_floating_point():
        return result
    factors = _factors(function, context, result, capture)
    inputs = [a for a, needed in zip(args, context.needs_input_grad) if needed]
    if factors is None or any(x.shape != result.shape for x in inputs):
        logger.warning("backward() of %s is not used: it is more than a factor for each element. The gradient is that "
                       "of the operators in forward().", function.__name__)
        return result
    total = result.detach()
    for x, factor, needed in zip(args, factors, context.needs_input_grad):
        if needed and factor is not None:
            total = total + (x - x.detach()) * factor
    return total
