# SPDX-License-Identifier: MIT
"""Optimisers around others. Automatic loss scaling: gradients are those of a loss times a factor, which grows while few float16
gradients are large, and shrinks when more are. Gradients of several batches are gathered, or changed by a function."""
import numpy as _np

from tensorflow import _names
from tensorflow.framework.context import eagerly as _eagerly
from tensorflow.framework.variables import Variable as _Variable
from tensorflow.keras import optimizers as _optimizers
from tensorflow.keras.optimizers.base import _averaged
from tensorflow.keras.optimizers.base import Optimizer as _Optimizer
from tensorflow.keras.optimizers.base import registry as _registry
from tensorflow.ops import array_ops as _array
from tensorflow.ops import control_flow as _control_flow
from tensorflow.ops import math_ops as _math
from tensorflow.ops.placement import GradientAccumulationReductionMethod as _GradientAccumulationReductionMethod


class _Around(_Optimizer):
    """Everything but the steps is the inner optimiser's."""

    def __init__(self, opt, name):
        if not isinstance(opt, _Optimizer):
            raise ValueError(f"{name} goes around an optimizer of Keras, not {opt!r}.")
        self._opt, self._name = opt, name

    clipnorm = property(lambda self: self._opt.clipnorm)
    clipvalue = property(lambda self: self._opt.clipvalue)
    global_clipnorm = property(lambda self: self._opt.global_clipnorm)
    iterations = property(lambda self: self._opt.iterations)
    rate_is_constant = property(lambda self: self._opt.rate_is_constant)
    learning_rate = property(lambda self: self._opt.learning_rate,
                             lambda self, value: setattr(self._opt, "learning_rate", value))
    lr = learning_rate

    def rate_now(self):
        return self._opt.rate_now()

    def create_slots(self, var):
        self._opt.create_slots(var)

    def get_slot(self, var, slot_name):
        return self._opt.get_slot(var, slot_name)

    @property
    def weights(self):
        return [*self._opt.weights, *self._own_weights()]

    def fused_here(self, popart, rate, accum):
        return None  # the rule is written out


def _number(name, value, low, high=None, whole=False):
    wrong = isinstance(value, bool) or not isinstance(value, (int, float, _np.number)) or value < low
    if wrong or whole and int(value) != value or high is not None and value > high:
        kind = "an integer" if whole else "a number"
        raise ValueError(f"{name} must be {kind} {f'from {low} on' if high is None else f'between {low} and {high}'}, not "
                         f"{value!r}.")
    return int(value) if whole else float(value)


@_registry.add()
class ALSOptimizer(_Around):
    def __init__(self, opt, initial_loss_scaling_factor=1.0, update_frequency=8, increase_factor=2.0,
                 max_loss_scaling_factor=32768.0, accumulate_statistics_over_update_period=True, ratio_threshold=10e-6,
                 captured_grads_only=False, lpf_alpha=0.0, histogram_bin_edge=2.0**13, replication_factor=1,
                 name="ALSOptimizer"):
        super().__init__(opt, name)
        self.update_frequency = _number("update_frequency", update_frequency, 1, whole=True)
        self.increase_factor = _number("increase_factor", increase_factor, 1)
        if self.increase_factor == 1:
            raise ValueError("increase_factor must be greater than one.")
        self.initial_loss_scaling_factor = _number("initial_loss_scaling_factor", initial_loss_scaling_factor, 1)
        self.max_loss_scaling_factor = _number("max_loss_scaling_factor", max_loss_scaling_factor, 1)
        if self.initial_loss_scaling_factor * self.increase_factor >= self.max_loss_scaling_factor:
            raise ValueError(f"max_loss_scaling_factor ({max_loss_scaling_factor}) must be greater than "
                             f"initial_loss_scaling_factor x increase_factor "
                             f"({self.initial_loss_scaling_factor * self.increase_factor}).")
        self.ratio_threshold = _number("ratio_threshold", ratio_threshold, 0, 1)
        self.lpf_alpha = _number("lpf_alpha", lpf_alpha, 0, 1)
        self.histogram_bin_edge = _number("histogram_bin_edge", histogram_bin_edge, 0)
        self.replication_factor = _number("replication_factor", replication_factor, 1, whole=True)
        self.accumulate_statistics_over_update_period = bool(accumulate_statistics_over_update_period)
        self.captured_grads_only = bool(captured_grads_only)
        with _eagerly():
            def variable(value, what):
                return _Variable(_np.float32(value), False, name=f"{name}/{what}")
            self._factor = variable(initial_loss_scaling_factor, "loss_scaling_factor")
            self._small, self._large = variable(0, "small_gradients"), variable(0, "large_gradients")
            self._last = [variable(0, "filtered_small"), variable(0, "filtered_large")] if self.lpf_alpha else []
            self._steps = variable(0, "update_counter")

    # ---- what users look at

    loss_scaling_factor = property(lambda self: _value(self._factor))
    decrease_factor = property(lambda self: 1.0 / self.increase_factor)
    update_counter = property(lambda self: _math.cast(_value(self._steps), "int32"))

    @property
    def histogram(self):
        """How many float16 gradients were up to histogram_bin_edge, and how many above, since the last update of the factor."""
        return _array.stack([_value(self._small), _value(self._large)])

    @property
    def normalized_histogram(self):
        counts = self.histogram
        return _math.divide(counts, _math.maximum(_math.reduce_sum(counts), 1.0))

    def get_scaled_loss(self, loss):
        return _math.multiply(loss, _math.cast(self._factor, loss.dtype))

    def get_unscaled_gradients(self, grads):
        out = [None if g is None else _math.divide(_math.cast(g, "float32"), self._factor) for g in grads]
        for given, made in zip(grads, out):
            if made is not None:
                made._scaled_before = given  # apply_gradients takes either
        return out

    def reset(self):
        """All begins again with the first factor."""
        for variable, value in zip(self._own_weights(), [self.initial_loss_scaling_factor, *[0.0] * 5]):
            variable.assign(_np.float32(value))

    # ---- steps

    def to_minimize(self, loss):
        return self.get_scaled_loss(loss)

    def minimize(self, loss, var_list, grad_loss=None, name=None, tape=None):
        return super().minimize(loss, var_list, self._seed(loss, grad_loss), name, tape)

    def _seed(self, loss, grad_loss=None):
        """The gradient that makes a loss the scaled loss."""
        given = _math.cast(self._factor, "float32" if callable(loss) else loss.dtype)
        return given if grad_loss is None else _math.multiply(grad_loss, given)

    def compiled(self, model):
        if self.captured_grads_only:
            raise ValueError("ALSOptimizer(captured_grads_only=True) is for your own training step, which calls "
                             "apply_gradients(..., captured_grads=context.captured_gradients).")
        return self

    def apply_gradients(self, grads_and_vars, captured_grads=None, name=None, experimental_aggregate_gradients=True):
        """Gradients are those of the scaled loss, as they are or from get_unscaled_gradients. captured_grads: what a
        GradientCaptureContext kept, which is counted too, or alone with captured_grads_only."""
        captured = list((captured_grads or {}).values())
        if self.captured_grads_only and not captured:
            raise ValueError("ALSOptimizer(captured_grads_only=True): captured_grads has no gradients.")
        pairs = [(getattr(g, "_scaled_before", g), v) for g, v in grads_and_vars if g is not None]
        scaled = [g for g, _ in pairs]
        scaled = _averaged(scaled) if experimental_aggregate_gradients else scaled
        step = _math.add(self._steps, 1.0)
        due = _math.greater_equal(step, float(self.update_frequency))
        small, large = self._counted(captured if self.captured_grads_only else [*scaled, *captured], due)
        done = self._opt.apply_gradients(list(zip(self.get_unscaled_gradients(scaled), [v for _, v in pairs])),
                                         experimental_aggregate_gradients=False)
        self._factor.assign(_math.where(due, self._next_factor(small, large), _value(self._factor)))
        for variable, value in ((self._steps, step), (self._small, small), (self._large, large)):
            variable.assign(_math.where(due, _math.multiply(value, 0.0), value))
        return done

    def _counted(self, gradients, due):
        half = [_math.abs(_math.cast(g, "float32")) for g in gradients if g.dtype.name == "float16"]
        fine = [_math.reduce_sum(_math.cast(_math.less_equal(g, self.histogram_bin_edge), "float32")) for g in half]
        small = _math.add_n(fine) if half else _math.multiply(_value(self._small), 0.0)
        large = _math.subtract(float(sum(_np.prod(g.shape.as_list()) for g in half)), small)  # NaN is large
        counts = [small, large]
        for i, last in enumerate(self._last):
            counts[i] = _math.add(_math.multiply(last, self.lpf_alpha), _math.multiply(counts[i], 1.0 - self.lpf_alpha))
            last.assign(counts[i])
        if self.accumulate_statistics_over_update_period:
            return [_math.add(before, now) for before, now in zip((self._small, self._large), counts)]
        return [_math.where(due, now, _math.multiply(now, 0.0)) for now in counts]

    def _next_factor(self, small, large):
        ratio = _math.divide(large, _math.maximum(_math.add(small, large), 1.0))
        more = _math.minimum(_math.multiply(self._factor, self.increase_factor), self.max_loss_scaling_factor)
        return _math.where(_math.greater(ratio, self.ratio_threshold), _math.multiply(self._factor, self.decrease_factor), more)

    def _own_weights(self):
        return [self._factor, self._small, self._large, self._steps, *self._last]

    # ---- configuration

    _FIELDS = ("initial_loss_scaling_factor", "update_frequency", "increase_factor", "max_loss_scaling_factor",
               "accumulate_statistics_over_update_period", "ratio_threshold", "captured_grads_only", "lpf_alpha",
               "histogram_bin_edge", "replication_factor")

    def hyper(self):
        return (type(self._opt).__name__, self._opt.hyper(), *(getattr(self, name) for name in self._FIELDS))

    def get_config(self):
        return {"name": self._name, "opt": _optimizers.serialize(self._opt), **{n: getattr(self, n) for n in self._FIELDS}}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        return cls(**{**config, "opt": _optimizers.deserialize(config["opt"], custom_objects)})


@_registry.add()
class GradientAccumulationOptimizer(_Around):
    """Weights change after num_mini_batches batches. In compile() it is the inner optimiser with
    set_gradient_accumulation_options; elsewhere the gradients are gathered in variables."""

    def __init__(self, opt, num_mini_batches, reduction_method="sum", name="GradientAccumulationOptimizer"):
        super().__init__(opt, name)
        self.num_mini_batches = _number("num_mini_batches", num_mini_batches, 1, whole=True)
        self.reduction_method = _GradientAccumulationReductionMethod.parse(reduction_method).value
        self._gathered, self._made = {}, []
        with _eagerly():
            self._batches = _Variable(_np.float32(0), False, name=f"{name}/batches")

    def apply_gradients(self, grads_and_vars, name=None, experimental_aggregate_gradients=True):
        pairs = [(g, v) for g, v in grads_and_vars if g is not None]
        share = 1.0 if self.reduction_method == "sum" else 1.0 / self.num_mini_batches
        sums = [_math.add(self._sum_of(v), _math.multiply(g, share)) for g, v in pairs]
        step = _math.add(self._batches, 1.0)
        due = _math.greater_equal(step, float(self.num_mini_batches))
        self._create_all([v for _, v in pairs])
        for (_, v), total in zip(pairs, sums):
            self._sum_of(v).assign(_math.where(due, _array.zeros_like(total), total))
        self._batches.assign(_math.where(due, _math.multiply(step, 0.0), step))

        def update():
            self._opt.apply_gradients(list(zip(sums, [v for _, v in pairs])),
                                      experimental_aggregate_gradients=experimental_aggregate_gradients)
            return _array.constant(True)
        return _control_flow.cond(due, update, lambda: _array.constant(False))

    def compiled(self, model):
        model.set_gradient_accumulation_options(self.num_mini_batches, self.reduction_method)
        return self._opt.compiled(model)

    def _sum_of(self, var):
        if id(var) not in self._gathered:
            with _eagerly():
                zeros = _np.zeros(var.shape.as_list(), var.dtype.as_numpy_dtype)
                self._gathered[id(var)] = _Variable(zeros, False, name=f"{self._name}/{var.name.split(':')[0]}/gathered")
                self._made.append(var)
        return self._gathered[id(var)]

    def _own_weights(self):
        return [self._batches, *self._gathered.values()]

    def hyper(self):
        return (self._opt.hyper(), self.num_mini_batches, self.reduction_method)

    def get_config(self):
        return {"name": self._name, "opt": _optimizers.serialize(self._opt), "num_mini_batches": self.num_mini_batches,
                "reduction_method": self.reduction_method}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        return cls(**{**config, "opt": _optimizers.deserialize(config["opt"], custom_objects)})


@_registry.add()
class ALSGradientAccumulationOptimizer(GradientAccumulationOptimizer):
    """The same around an ALSOptimizer."""

    def __init__(self, opt, num_mini_batches, reduction_method="sum", name="ALSGradientAccumulationOptimizer"):
        if not isinstance(opt, ALSOptimizer):
            raise ValueError(f"ALSGradientAccumulationOptimizer goes around an ALSOptimizer, not {opt!r}.")
        super().__init__(opt, num_mini_batches, reduction_method, name)

    loss_scaling_factor = property(lambda self: self._opt.loss_scaling_factor)
    update_counter = property(lambda self: self._opt.update_counter)
    histogram = property(lambda self: self._opt.histogram)

    def get_scaled_loss(self, loss):
        return self._opt.get_scaled_loss(loss)

    def get_unscaled_gradients(self, grads):
        return self._opt.get_unscaled_gradients(grads)

    def minimize(self, loss, var_list, grad_loss=None, name=None, tape=None):
        return super().minimize(loss, var_list, self._opt._seed(loss, grad_loss), name, tape)


class MapGradientOptimizer(_Around):
    """Gradients are what a function makes of them and their variables."""

    def __init__(self, wrapped_optimizer, gradient_mapping_function, name="MapGradientOptimizer"):
        super().__init__(wrapped_optimizer, name)
        self._map = gradient_mapping_function

    def apply_gradients(self, grads_and_vars, name=None, experimental_aggregate_gradients=True):
        pairs = [(g, v) for g, v in grads_and_vars if g is not None]
        gradients = [g for g, _ in pairs]
        gradients = _averaged(gradients) if experimental_aggregate_gradients else gradients
        return self._opt.apply_gradients([(self._map(g, v), v) for g, (_, v) in zip(gradients, pairs)],
                                         experimental_aggregate_gradients=False)

    def to_minimize(self, loss):
        return self._opt.to_minimize(loss)

    def _own_weights(self):
        return []

    def hyper(self):
        return (type(self._opt).__name__, self._opt.hyper(), id(self._map))

    def get_config(self):
        raise NotImplementedError("A MapGradientOptimizer holds a function, and cannot be saved: save the model with "
                                  "include_optimizer=False.")


def _value(variable):
    return variable.read_value()


_names.explain_missing(globals())
