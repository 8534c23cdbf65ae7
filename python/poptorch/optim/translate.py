# SPDX-License-Identifier: MIT
"""From an optimizer of PyTorch or PopTorch to PopART's.

The first group's values are PopART's defaults; weights of further groups get values of their own. A Translator keeps what
it has translated: update() costs microseconds when no number changed. Torch's first step is not dampened; PopART's is, so it
gets no dampening for a first call that is one step.
"""
import logging
import math
from operator import itemgetter
from typing import Any

import popart
import torch

from poptorch import optim
from poptorch._logging import logger
from poptorch.base import compat, notices
from poptorch.errors import createPoptorchError
from poptorch.optim import of_torch
from poptorch.optim.base import Optimizer
from poptorch.optim.rules import RULES
from poptorch.optim.scalars import scalars


class _Kind:
    """One class of optimizers: what to read from a group, and what PopART calls it, also as a default, and in programs."""

    def __init__(self, classes, read, build, default=lambda name: "default" + name[0].upper() + name[1:], scalars=scalars):
        self.classes = classes  # PyTorch's first
        self.attributes = read
        self.get = itemgetter(*read) if len(read) > 1 else lambda group: (group[read[0]],)
        self.build = build
        self.default = default
        self.scalars = scalars


# PyTorch's own optimizers: an attribute with this value is constant, others listed as None always are.
_CONSTANT_AT = {"momentum": (0,), "dampening": (0,), "weight_decay": (0, 1e-2), "eps": (1e-8,)}
_ALWAYS_CONSTANT = {"alpha", "nesterov", "betas", "velocity_scaling", "max_weight_norm"}
_IGNORED = {"params", "decoupled_weight_decay", "foreach", "differentiable", "capturable", "fused", "amsgrad", "maximize",
            "initial_lr", "centered", "max_lr", "min_lr", "max_momentum", "base_momentum"}
_OF_TORCH = {"defaults", "state", "param_groups", "max_grad_norm"}  # the last acts on every kind: see _clip


def _types(optimizer, *names):
    kinds = {torch.float32: popart.DataType.FLOAT, torch.float16: popart.DataType.FLOAT16}
    return [kinds[getattr(optimizer, name, torch.float32)] for name in names]


def _clip(optimizer):
    norm = getattr(optimizer, "max_grad_norm", math.inf)
    return [] if math.isinf(norm) else [popart.ClipNormSettings.clipAllWeights(norm)]


def _values_sgd(values):
    """PyTorch ignores dampening without momentum."""
    if not values["momentum"][0]:
        values["dampening"] = (0.0, values["dampening"][1])
    return {"learningRate": values["lr"], "momentum": values["momentum"], "dampening": values["dampening"],
            "weightDecay": values["weight_decay"], "velocityScaling": values["velocity_scaling"],
            "nesterov": (values["nesterov"][0], True)}


def _values_adam(values):
    (beta1, beta2), constant = values["betas"]
    out = {"learningRate": values["lr"], "beta1": (beta1, constant), "beta2": (beta2, constant), "eps": values["eps"],
           "weightDecay": values["weight_decay"]}
    if "max_weight_norm" in values:
        out["maxWeightNorm"] = values["max_weight_norm"]
    return out


def _values_rmsprop(values):
    return {"learningRate": values["lr"], "alpha": values["alpha"], "momentum": values["momentum"], "eps": values["eps"],
            "weightDecay": values["weight_decay"]}


def _values_rule(values):
    return {"learning_rate" if name == "lr" else name: value for name, value in values.items()}


def _sgd(optimizer, values):
    modes = popart.SGDAccumulatorAndMomentum
    combined = getattr(optimizer, "use_combined_accum", False)
    accum, velocity = _types(optimizer, "accum_type", "velocity_accum_type")
    return popart.SGD(values, _clip(optimizer), modes.Combined if combined else modes.Separate, accum, velocity)


def _adam(optimizer, values):
    apart = {bool(group.get("decoupled_weight_decay")) for group in optimizer.param_groups}  # of torch 2.7, for AdamW's decay
    if len(apart) > 1:
        raise createPoptorchError("Adam: decoupled_weight_decay must be the same in all groups of parameters.")
    decayed = isinstance(optimizer, (torch.optim.AdamW, optim.LAMB)) or apart == {True}
    lamb, corrected = isinstance(optimizer, optim.LAMB), getattr(optimizer, "bias_correction", True)
    modes, decay = popart.AdamMode, popart.WeightDecayMode
    mode = (modes.Lamb if corrected else modes.LambNoBias) if lamb else (modes.Adam if corrected else modes.AdamNoBias)
    accum, first, second = _types(optimizer, *optim.Adam._moments)
    return popart.Adam(values, mode, decay.Decay if decayed else decay.L2Regularization, accum, first, second, _clip(optimizer))


def _rmsprop(optimizer, values):
    accum, first, second = _types(optimizer, *optim.Adam._moments)
    centred = {bool(group["centered"]) for group in optimizer.param_groups}
    if len(centred) > 1:
        raise createPoptorchError("RMSprop: centered must be the same in all groups of parameters.")
    modes = popart.AdaptiveMode
    return popart.Adaptive(values, modes.CenteredRMSProp if centred.pop() else modes.RMSProp,
                           popart.WeightDecayMode.L2Regularization, accum, second, first, first,
                           getattr(optimizer, "use_tf_variant", False), clip_norm_settings=_clip(optimizer))


def _rule(optimizer, values):
    accum, state = _types(optimizer, "accum_type", "state_type")
    return popart.RuleOptimizer(optimizer.rule, values, _clip(optimizer), accum, state)


def _scalars_rule(values, *_):
    return {name: value for name, (value, constant) in _values_rule(values).items() if not constant}


_ADAM = ("lr", "betas", "eps", "weight_decay")
_KINDS = (
    _Kind((torch.optim.SGD, optim.SGD), ("lr", "momentum", "dampening", "weight_decay", "nesterov"), (_sgd, _values_sgd)),
    _Kind((torch.optim.AdamW, optim.AdamW), _ADAM, (_adam, _values_adam)),
    _Kind((torch.optim.Adam, optim.Adam), _ADAM, (_adam, _values_adam)),
    _Kind((torch.optim.RMSprop, optim.RMSprop), ("lr", "alpha", "eps", "weight_decay", "momentum"),
          (_rmsprop, _values_rmsprop)),
    _Kind((optim.LAMB,), (*_ADAM, "max_weight_norm"), (_adam, _values_adam)),
    *(_Kind((kind,), kind._variables[:-1], (_rule, _values_rule), str, _scalars_rule) for kind in RULES.values()),
)


def kind_of(optimizer):
    """What the device makes of it; a class derived from one that is known is told of, once."""
    for kind in _KINDS:
        if isinstance(optimizer, kind.classes):
            if of_torch.plain_type(optimizer) not in kind.classes:
                notices.of_subclass(optimizer, kind.classes[0].__name__)
            return kind
    raise createPoptorchError(f"Unsupported optimizer type {type(optimizer).__name__}. Use SGD, Adam, AdamW or RMSprop of "
                              f"torch.optim or poptorch.optim, or {', '.join(RULES)} or LAMB of poptorch.optim.")


def check_optimizer(optimizer):
    if not isinstance(optimizer, torch.optim.Optimizer):
        raise createPoptorchError(f"Invalid type for optimizer: one of torch.optim or poptorch.optim is needed, not "
                                  f"{type(optimizer).__name__}.")
    kind_of(optimizer)


def _constant(optimizer, name, value):
    """Whether an attribute is baked into the program."""
    if isinstance(optimizer, Optimizer):
        return optimizer.variable_attrs.isConstant(name)
    if name in _ALWAYS_CONSTANT:
        return True
    if name == "weight_decay":
        return value == (1e-2 if isinstance(optimizer, torch.optim.AdamW) else 0)
    return value in _CONSTANT_AT.get(name, ())


def maximizes(optimizer) -> bool:
    """Whether the loss is to grow. PopART minimises: the loss that it gets must then be the negative one."""
    wanted = {bool(group.get("maximize", False)) for group in optimizer.param_groups}
    if len(wanted) > 1:
        raise createPoptorchError("maximize must be the same in all groups of parameters of an optimizer.")
    return wanted.pop() if wanted else False


def untrained(optimizer, names: dict) -> list:
    """Names of weights that are in no group: PyTorch leaves them as they are, so the model must hold them fixed."""
    held = {id(p) for group in optimizer.param_groups for p in group["params"]}
    return [name for key, name in names.items() if key not in held]


def checkStrategy(options, compiled, optimizer):
    """ValueError if an optimizer needs a mean to be taken otherwise than the compiled model does."""
    wanted = options.Training.meanReductionStrategy(optimizer)
    if wanted != compiled:
        raise ValueError(f"This optimizer needs MeanReductionStrategy.{wanted.name}, but the model is already compiled with "
                         f"MeanReductionStrategy.{compiled.name}. Give it accumulators of the same type, or call "
                         "Training.setMeanAccumulationAndReplicationReductionStrategy before.")


def countStep(optimizer):
    """Tells PyTorch's schedulers that the optimizer has done a step, or they warn of a wrong order."""
    compat.count_step(optimizer)


class Translator:
    """Translates the optimizer of one model, again and again. names: of the weights, by id(parameter)."""

    def __init__(self, options, names: dict, relax: "bool | None" = None):
        self._names = names
        self._automatic_scale = options.Training.auto_loss_scaling
        self._relax = options.relax_optimizer_checks if relax is None else relax
        self._optimizer: Any = None
        self._snapshot: Any = None
        self._kind: Any = None
        self._first = options.device_iterations == 1
        self.calls = 0  # of the model that trained

    def translate(self, optimizer):
        """popart.Optimizer of it, with all checks."""
        kind = kind_of(optimizer)
        self._check(optimizer, kind)
        self._kind, self._optimizer = kind, optimizer
        self._snapshot = self._read(optimizer)
        return self._build(optimizer, self._snapshot)

    def begin(self) -> bool:
        """A step was done. Whether there are other numbers from now on."""
        self.calls += 1
        if self._first:
            return self.resume()
        if self.calls & 15 and self.calls > 15:  # a look takes a twentieth of the smallest model's call
            return False
        if self._snapshot != self._read(self._optimizer):
            notices.of_values(self)
        return False

    def resume(self) -> bool:
        """There is state of earlier steps. Whether there are other numbers from now on."""
        if not self._first:
            return False
        self._first = False
        return self._snapshot != self._read(self._optimizer)

    def update(self, optimizer):
        """popart.Optimizer if a number changed since the last time, else None."""
        if optimizer is not self._optimizer:
            before = self._snapshot
            out = self.translate(optimizer)
            return None if before == self._snapshot else out
        now = self._read(optimizer)
        if now == self._snapshot:
            return None
        self._snapshot = now
        return self._build(optimizer, now)

    def _read(self, optimizer):
        """All that a popart.Optimizer is made of, as a tuple."""
        get = self._kind.get
        first = self._first and self._kind.build[0] is _sgd
        groups = tuple([(get(group), group.get("velocity_scaling", 1.0), len(group["params"]),
                         first and group["dampening"] != 0)
                        for group in optimizer.param_groups])
        if not isinstance(optimizer, Optimizer):
            return of_torch.plain_type(optimizer), groups
        own = optimizer.__dict__
        return (type(optimizer), groups, frozenset(optimizer.variable_attrs._variable),
                tuple([own[name] for name in optimizer._ipu_attributes]))

    def _build(self, optimizer, snapshot):
        build, named = self._kind.build
        groups = [named(self._values(optimizer, *group)) for group in snapshot[1]]
        self._log(optimizer, groups)
        defaults = {name if name == "nesterov" else self._kind.default(name): value for name, value in groups[0].items()}
        defaults["lossScaling"] = self._loss_scaling(optimizer)
        out = build(optimizer, defaults)
        for group, values in zip(optimizer.param_groups[1:], groups[1:]):
            for p in group["params"]:
                if id(p) in self._names:
                    out.insertSpecific(self._names[id(p)], values)
        return out

    def _log(self, optimizer, groups):
        if not logger.isEnabledFor(logging.DEBUG):
            return
        for i, group in enumerate([{"lossScaling": self._loss_scaling(optimizer), **groups[0]}, *groups[1:]]):
            values = [f"{name}={value:g}" + (" (const)" if constant else "") for name, (value, constant) in group.items()]
            logger.debug("graph optimizer %s, group %d: %s", type(optimizer).__name__, i, ", ".join(values))

    def _values(self, optimizer, values, scale, _, undamped):
        """{"lr": (0.1, False)}: numbers, and whether they are constant."""
        read = dict(zip(self._kind.attributes, values))
        if self._kind.build[0] is _sgd:
            read["velocity_scaling"] = scale if getattr(optimizer, "use_combined_accum", False) else 1.0
        out = {name: (value if name == "betas" else float(value), _constant(optimizer, name, value))
               for name, value in read.items()}
        if undamped and not out["dampening"][1]:
            out["dampening"] = (0.0, False)
        return out

    def parameters(self):
        """What the device has of the optimizer's numbers, by PopART's names."""
        optimizer, out = self._optimizer, {}
        scale = self._loss_scaling(optimizer)
        for group, read in zip(optimizer.param_groups, self._snapshot[1]):
            of_weight = self._kind.scalars(self._values(optimizer, *read), scale,
                                           getattr(optimizer, "use_combined_accum", False))
            for p in group["params"]:
                if id(p) in self._names:
                    out.update({f"{name}___specific___{self._names[id(p)]}": value for name, value in of_weight.items()})
        if not scale[1]:
            out["lossScaling_FLOAT"] = scale[0]
        return out

    def _loss_scaling(self, optimizer):
        constant = not isinstance(optimizer, Optimizer) or optimizer.variable_attrs.isConstant("loss_scaling")
        return float(getattr(optimizer, "loss_scaling", 1.0)), constant and not self._automatic_scale

    # ---- checks

    def _check(self, optimizer, kind):
        if any(group.get("amsgrad") for group in optimizer.param_groups):
            raise ValueError("Only non-amsgrad Adam/AdamW optimizers are supported: leave amsgrad out.")
        maximizes(optimizer)
        known = {*kind.attributes, *_IGNORED, "velocity_scaling"}
        for i, group in enumerate(optimizer.param_groups):
            self._tell(f"group {i}", set(group) - known, optimizer)
        own = {*_OF_TORCH, *getattr(optimizer, "_ipu_attributes", ()), "variable_attrs"}
        self._tell("optimizer", {n for n in vars(optimizer) if not n.startswith("_")} - own - {"step"}, optimizer)

    def _tell(self, where, names, optimizer):
        if names:
            tell = logger.debug if self._relax else logger.warning
            tell("Ignoring unexpected %s attribute in %s optimizer: %s", where, type(optimizer).__name__, sorted(names))


def translate(optimizer, options, names: dict, relax: "bool | None" = None):
    """popart.Optimizer of an optimizer, for any step but the first."""
    translator = Translator(options, names, relax)
    translator.translate(optimizer)
    translator.begin()
    return translator.translate(optimizer)
