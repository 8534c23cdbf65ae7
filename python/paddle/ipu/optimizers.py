# SPDX-License-Identifier: MIT
"""The optimizer of a program, read from its operators: PopART's optimizer, whose numbers change with the learning rate."""
from __future__ import annotations

from typing import NamedTuple

import popart
from popart import _rules

from ..optimizer.rules import slot as slot_of


class Kind(NamedTuple):
    """What PopART has for an operator of updates."""
    optimizer: str
    modes: tuple[str, ...] = ()  # the second: without corrections of biases
    numbers: dict[str, str | float] = {}  # PopART's: the attribute that says it, or its value
    slots: dict[str, str] = {}  # PopART's: the operator's


_MOMENTS: dict[str, str | float] = {"beta1": "beta1", "beta2": "beta2", "eps": "epsilon"}
_TWO = {"Accl1": "Moment1", "Accl2": "Moment2"}
KINDS = {
    "sgd": Kind("SGD"), "momentum": Kind("SGD", (), {"momentum": "mu", "dampening": 0.0}, {"Accl1": "Velocity"}),
    "adam": Kind("Adam", ("Adam", "AdamNoBias"), _MOMENTS, _TWO), "adamw": Kind("Adam", ("Adam", "AdamNoBias"), _MOMENTS, _TWO),
    "lamb": Kind("Adam", ("Lamb", "LambNoBias"), _MOMENTS, _TWO),
    "adamax": Kind("Adam", ("AdaMax", "AdaMax"), _MOMENTS, {"Accl1": "Moment", "Accl2": "InfNorm"}),
    "adagrad": Kind("Adaptive", ("AdaGrad",), {"eps": "epsilon", "alpha": 0.0, "momentum": 0.0}, {"Accl1": "Moment"}),
    "adadelta": Kind("Adaptive", ("AdaDelta",), {"eps": "epsilon", "alpha": "rho", "momentum": 0.0},
                     {"Accl1": "AvgSquaredGrad", "Accl2": "AvgSquaredUpdate"}),
    "rmsprop": Kind("Adaptive", ("RMSProp",), {"eps": "epsilon", "alpha": "decay", "momentum": "momentum"},
                    {"Accl1": "MeanSquare", "Accl2": "MeanGrad", "Accl3": "Moment"}),
    **{rule.name.lower(): Kind("RuleOptimizer", slots={own: slot_of(state) for state, own in _rules.slots(rule).items()})
       for rule in popart.optimizerRules()}}
_RULES = {rule.name.lower(): rule for rule in popart.optimizerRules()}


def _refuse(what, remedy):
    raise NotImplementedError(f"(Unimplemented) {what} is not possible on IPUs: {remedy}")


class ExtractedOptimizer:
    """optimizer(rate): PopART's, for a learning rate."""

    def __init__(self, program, strategy, scope):
        block = program.global_block()
        self._strategy = strategy
        self.ops = [op for op in block.ops if op.role == 2 and op.type in KINDS]
        if not self.ops:
            raise ValueError("The program has no optimizer: IpuStrategy says is_training=True, but nobody called minimize() "
                             "on it. Call it, or set_graph_config(is_training=False).")
        kinds = {op.type for op in self.ops}
        if len(kinds) > 1:
            _refuse(f"A program with several optimizers ({', '.join(sorted(kinds))})", "use one.")
        self.kind = kinds.pop()
        self._decays = _decays(block)
        self._factors = _rate_factors(block)
        self._clip = _clip(block)
        self._rate_name = self._factors.get(self.ops[0].input("LearningRate")[0], (None, 1.0))[0] \
            or self.ops[0].input("LearningRate")[0]
        array = scope.array(self._rate_name)
        if array is None:
            raise ValueError(f"The learning rate {self._rate_name!r} has no value: run the startup program before.")
        self._rate = array

    @property
    def state_scaling(self):
        """By how much Adam's moments are larger on the device."""
        strategy = self._strategy
        return strategy.get_option("loss_scaling") if strategy.get_option("scaled_optimizer_state") else 1.0

    def rate(self):
        return float(self._rate.reshape(-1)[0])

    def optimizer(self, rate):
        op = self.ops[0]
        if self.kind in _RULES:
            return self._of_rule(op, rate)
        numbers = self._numbers(op)
        defaults = {"default" + n[0].upper() + n[1:]: (v, n != "learningRate") for n, v in
                    {"learningRate": rate, "weightDecay": self._decay(op), **numbers}.items()}
        defaults["lossScaling"] = (self._strategy.get_option("loss_scaling"), True)
        clips = self._clips()
        out = self._build(op, defaults, clips)
        for other in self.ops:
            own = {}
            factor = self._factors.get(other.input("LearningRate")[0], (None, 1.0))[1]
            if factor != 1.0:
                own["learningRate"] = (rate * factor, False)
            if self._decay(other) != self._decay(op):
                own["weightDecay"] = (self._decay(other), True)
            if own:
                out.insertSpecific(other.input("Param")[0], own)
        return out

    def _of_rule(self, op, rate):
        if self._decays:
            _refuse(f"Regularization with {self.kind}", "use the optimizer's own weight_decay.")
        rule = _RULES[self.kind]
        values = {name: (op.attr(name), True) for name in rule.numbers if name != "learning_rate"}
        out = popart.RuleOptimizer(rule, {**values, "learning_rate": (rate, False),
                                          "lossScaling": (self._strategy.get_option("loss_scaling"), True)},
                                   self._clips(), popart.DataType.FLOAT, self._data_type("accl1_type"))
        for other in self.ops:
            factor = self._factors.get(other.input("LearningRate")[0], (None, 1.0))[1]
            if factor != 1.0:
                out.insertSpecific(other.input("Param")[0], {"learning_rate": (rate * factor, False)})
        return out

    def _data_type(self, option):
        return getattr(popart.DataType, self._strategy.get_option(option))

    def _clips(self):
        if self._clip is None:
            return []
        norm, clipped = self._clip
        if clipped >= {op.input("Param")[0] for op in self.ops}:
            return [popart.ClipNormSettings.clipAllWeights(norm)]
        return [popart.ClipNormSettings.clipWeights(sorted(clipped), norm)]

    def _decay(self, op):
        decay = self._decays.get(op.input("Param")[0], 0.0)
        if self.kind == "adamw":
            return op.attr("coeff") if op.attr("with_decay") else 0.0
        if self.kind == "lamb":
            return op.attr("weight_decay")
        if self.kind == "momentum" and op.has_attr("regularization_method") and op.attr("regularization_method"):
            decay += op.attr("regularization_coeff")
        return decay

    def _numbers(self, op):
        if self.kind == "momentum":
            if op.attr("use_nesterov"):
                _refuse("Momentum with use_nesterov=True", "leave it out.")
            if op.has_attr("rescale_grad") and op.attr("rescale_grad") != 1.0:
                _refuse(f"Momentum with rescale_grad={op.attr('rescale_grad')}", "scale the loss instead.")
        if op.has_attr("lazy_mode") and op.attr("lazy_mode"):
            _refuse("lazy_mode=True", "leave it out.")
        out = {name: op.attr(of) if isinstance(of, str) else of for name, of in KINDS[self.kind].numbers.items()}
        return {**out, "maxWeightNorm": self._strategy.get_option("max_weight_norm")} if self.kind == "lamb" else out

    def _build(self, op, values, clips):
        mode, kind = self._strategy.get_option("weight_decay_mode"), KINDS[self.kind]
        modes, single = popart.WeightDecayMode, popart.DataType.FLOAT
        first, second, third = (self._data_type(f"accl{i}_type") for i in (1, 2, 3))
        decay = modes.Decay if mode == "decay" or (not mode and self.kind in ("adamw", "lamb")) else modes.L2Regularization
        if kind.optimizer == "SGD":
            return popart.SGD(values, clips, popart.SGDAccumulatorAndMomentum.Separate, single, first)
        if kind.optimizer == "Adam":
            name = kind.modes[self._strategy.get_option("use_no_bias_optimizer")]
            return popart.Adam(values, getattr(popart.AdamMode, name), decay, single, first, second, clips,
                               self._strategy.get_option("scaled_optimizer_state"))
        if clips:
            _refuse(f"Clipping of gradients with {self.kind}", "use sgd, momentum, adam, adamw or lamb.")
        name = "CenteredRMSProp" if self.kind == "rmsprop" and op.attr("centered") else kind.modes[0]
        # Paddle's RMSProp is TensorFlow's (epsilon under the root, the rate within the momentum) apart from its first
        # squares, which come from the scope.
        return popart.Adaptive(values, getattr(popart.AdaptiveMode, name), decay, single, first, second, third,
                               self.kind == "rmsprop")


def _in_scope(op, name):
    return op.has_attr("op_namescope") and name in op.attr("op_namescope")


def _decays(block):
    """Decay by parameter: what regularisation adds to gradients."""
    out = {}
    for op in block.ops:
        if not _in_scope(op, "regularization"):
            continue
        if op.type == "sign":
            _refuse("L1Decay", "use paddle.regularizer.L2Decay.")
        if op.type == "scale":
            out[op.input("X")[0]] = op.attr("scale")
    return out


def _rate_factors(block):
    """Learning rates that are a multiple of another: name -> (of which, factor)."""
    return {op.output("Out")[0]: (op.input("X")[0], op.attr("scale")) for op in block.ops
            if op.type == "scale" and op.role == 2 and "learning_rate" in op.input("X")[0]}


def _clip(block):
    """The largest norm of gradients together, and whose they are; None if they are not clipped."""
    ops = [op for op in block.ops if _in_scope(op, "gradient_clip")]
    if any(op.type in ("clip", "clip_by_norm") for op in ops):
        _refuse("Clipping of single gradients (ClipGradByValue, ClipGradByNorm)", "use paddle.nn.ClipGradByGlobalNorm.")
    norms = [op.attr("value") for op in ops if op.type == "fill_constant"]
    clipped = {op.input("X")[0][:-len("@GRAD")] for op in ops if op.type == "elementwise_mul"}
    return (norms[0], clipped) if norms else None
