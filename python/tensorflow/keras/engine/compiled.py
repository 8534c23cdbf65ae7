# SPDX-License-Identifier: MIT
"""What compile() was given: losses and metrics, for every output of the model."""
import inspect

from tensorflow.framework import nest
from tensorflow.keras import losses as losses_module
from tensorflow.keras.metrics import base as metrics_base
from tensorflow.ops import array_ops, math_ops


def _by_output(given, names, what):
    """One entry per output, of one thing for all, a list or a dictionary by output names."""
    if isinstance(given, dict):
        unknown = set(given) - set(names)
        if unknown:
            raise ValueError(f"Found unexpected keys that do not correspond to any Model output: {sorted(unknown)}. "
                             f"Expected: {names}")
        return [given.get(n) for n in names]
    if isinstance(given, (list, tuple)) and what != "metrics":
        if len(given) != len(names):
            raise ValueError(f"{what} has {len(given)} entries; the model has {len(names)} outputs.")
        return list(given)
    return [given] * len(names)


class CompiledLoss:
    def __init__(self, loss, weights=None, model=None):
        self._given, self._weights, self._model = loss, weights, model

    def __call__(self, y_true, y_pred, sample_weight=None, regularization_losses=()):
        """The loss, for a train_step or test_step of the user; the model's metric of it goes on."""
        self.names = self._model._output_names(y_pred)
        total, _ = self.computed(y_true, y_pred, sample_weight, regularization_losses)
        self._model._loss_mean().update_state(total)
        return total

    def computed(self, y_true, y_pred, sample_weight=None, regularization_losses=()):
        """The loss and, if there are several outputs, the loss of each by name."""
        predicted = nest.flatten(y_pred)
        names = getattr(self, "names", None) or [f"output_{i + 1}" for i in range(len(predicted))]
        labels = [y_true[n] for n in names] if isinstance(y_true, dict) else nest.flatten(y_true)
        weights = nest.flatten(sample_weight) if isinstance(sample_weight, (list, tuple)) else \
            [sample_weight.get(n) for n in names] if isinstance(sample_weight, dict) else [sample_weight] * len(predicted)
        chosen = [losses_module.get(v) for v in _by_output(self._given, names, "loss")]
        factors = _by_output(self._weights, names, "loss_weights")
        total, parts = None, {}
        for name, loss, label, value, weight, factor in zip(names, chosen, labels, predicted, weights, factors):
            if loss is None:
                continue
            one = self._one(loss, label, value, weight)
            parts[f"{name}_loss"] = one
            one = one if factor is None else math_ops.multiply(one, float(factor))
            total = one if total is None else math_ops.add(total, one)
        for extra in regularization_losses:
            extra = math_ops.cast(extra, "float32")
            total = extra if total is None else math_ops.add(total, extra)
        if total is None:
            raise ValueError("The model cannot be trained because it has no loss to optimize. Pass a `loss` argument to "
                             "`compile()`, or use `add_loss`.")
        return total, parts if len(predicted) > 1 else {}

    @staticmethod
    def _one(loss, label, value, weight):
        weight = _masked(value, weight)
        label, value = losses_module.base.matched(label, value)
        if isinstance(loss, losses_module.Loss):
            out = loss(label, value, weight)
        else:
            out = losses_module.base.reduced(loss(label, value), weight, "sum_over_batch_size")
        return math_ops.cast(out if out.shape.rank == 0 else math_ops.reduce_mean(out), "float32")


def _masked(value, weight):
    """Weights of samples, and nothing for the steps that a layer has masked."""
    mask = getattr(value, "_keras_mask", None)
    if mask is None:
        return weight
    mask = math_ops.cast(mask, "float32")
    if weight is None:
        return mask
    weight = math_ops.cast(weight, "float32")
    while weight.shape.rank < mask.shape.rank:
        weight = array_ops.expand_dims(weight, -1)
    return math_ops.multiply(mask, weight)


class CompiledMetrics:
    def __init__(self, metrics=None, weighted=None, model=None):
        self._given, self._weighted_given, self._model = metrics, weighted, model
        self._made = None

    def build(self, y_true, y_pred, names):
        if self._made is None:
            several = len(names) > 1
            self._made = [self._list(self._given, names, y_true, y_pred, several),
                          self._list(self._weighted_given, names, y_true, y_pred, several)]
            self._tell_apart()
        return self

    def _tell_apart(self):
        """A weighted metric that is called as one without weights is weighted_<name>; others need names of their own."""
        seen = set()
        for group, weighted in zip(self._made, (False, True)):
            for metric in (m for each in group for m in each):
                if metric.name in seen and weighted:
                    metric._name = "weighted_" + metric.name
                if metric.name in seen:
                    raise ValueError(f"Found two metrics with the same name: {metric.name}. All the metrics added to the model "
                                     "need to have unique names.")
                seen.add(metric.name)

    def _list(self, given, names, y_true, y_pred, several):
        if isinstance(given, (list, tuple)) and several and len(given) == len(names) and \
                any(isinstance(g, (list, tuple)) for g in given):
            each = list(given)
        else:
            each = _by_output(given, names, "metrics")
        out = []
        for name, wanted, label, value in zip(names, each, y_true, y_pred):
            wanted = [] if wanted is None else wanted if isinstance(wanted, (list, tuple)) else [wanted]
            out.append([_metric(w, label, value, f"{name}_" if several else "") for w in wanted])
        return out

    @property
    def metrics(self):
        return [] if self._made is None else [m for group in self._made for each in group for m in each]

    def update_state(self, y_true, y_pred, sample_weight=None):
        if self._made is None and self._model is not None:
            names = self._model._output_names(y_pred)
            self.build([y_true[n] for n in names] if isinstance(y_true, dict) else nest.flatten(y_true), nest.flatten(y_pred),
                       names)
        for group, weighted in zip(self._made or (), (False, True)):
            for own, label, value in zip(group, nest.flatten(y_true), nest.flatten(y_pred)):
                weight = _masked(value, sample_weight if weighted else None)
                label, value = losses_module.base.matched(label, value) if own else (label, value)
                for metric in own:
                    if weight is not None:
                        metric.update_state(label, value, sample_weight=weight)
                    else:
                        metric.update_state(label, value)


def _metric(given, label, value, prefix):
    """A metric object of a name, a function or an object."""
    if isinstance(given, metrics_base.Metric):
        return given
    name = given if isinstance(given, str) else getattr(given, "__name__", None) or type(given).__name__
    if isinstance(given, str):
        given = _accuracy(given, label, value) or _loss_or_metric(given)
    if inspect.isclass(given):
        made = given()
    elif isinstance(given, metrics_base.Metric):
        return given
    else:
        made = metrics_base.MeanMetricWrapper(given, name=prefix + name)
    made._name = prefix + name
    return made


def _loss_or_metric(name):
    for source in (metrics_base.registry.named, losses_module.base.registry.named):
        if name in source:
            return source[name]
    return metrics_base.registry.find(name)


def _accuracy(name, label, value):
    """accuracy: what it is depends on the shapes of labels and predictions."""
    kinds = {"accuracy": ("binary_accuracy", "categorical_accuracy", "sparse_categorical_accuracy"),
             "acc": ("binary_accuracy", "categorical_accuracy", "sparse_categorical_accuracy"),
             "crossentropy": ("binary_crossentropy", "categorical_crossentropy", "sparse_categorical_crossentropy"),
             "ce": ("binary_crossentropy", "categorical_crossentropy", "sparse_categorical_crossentropy")}
    if name not in kinds:
        return None
    binary, categorical, sparse = kinds[name]
    if value.shape[-1] == 1:
        return _loss_or_metric(binary)
    if label.shape.rank < value.shape.rank or label.shape[-1] == 1 and value.shape[-1] > 1:
        return _loss_or_metric(sparse)
    return _loss_or_metric(categorical)
