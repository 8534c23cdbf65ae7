# SPDX-License-Identifier: MIT
"""fit, evaluate and predict: epochs, executions, callbacks."""
import functools

import numpy as np

from tensorflow.framework import nest
from tensorflow.framework.context import current, eagerly
from tensorflow.framework.logs import warning
from tensorflow.keras.engine.callback_list import CallbackList
from tensorflow.keras.engine.feeding import Arrays, feed_of
from tensorflow.keras.engine.plan import Plan, plan_for
from tensorflow.keras.engine.tracking import Tracker


def in_no_graph(method):
    """Functions that are traced, and a default graph of TensorFlow 1, are not where models are trained."""
    name = f"`Model.{method.__name__}`"

    @functools.wraps(method)
    def run(*args, **kwargs):
        if current.graph is not None:
            raise RuntimeError(f"Detected a call to {name} inside a `tf.function`. {name} is a high-level endpoint that "
                               f"manages its own `tf.function`. Please move the call to {name} outside of all enclosing "
                               "`tf.function`s. Note that you can call a `Model` directly on `Tensor`s inside a `tf.function` "
                               "like: `model(x)`.")
        if current.default is None:
            return method(*args, **kwargs)
        with eagerly():
            return method(*args, **kwargs)
    return run


class Loops:
    @in_no_graph
    def fit(self, x=None, y=None, batch_size=None, epochs=1, verbose="auto", callbacks=None, validation_split=0.0,
            validation_data=None, shuffle=True, class_weight=None, sample_weight=None, initial_epoch=0, steps_per_epoch=None,
            validation_steps=None, validation_batch_size=None, validation_freq=1, max_queue_size=10, workers=1,
            use_multiprocessing=False):
        self._require_compiled()
        if validation_split:
            (x, y, sample_weight), validation_data = _split(x, y, sample_weight, validation_split)
        weight = _class_weights(y, sample_weight, class_weight)
        self._refuse_endless(x, steps_per_epoch, "steps_per_epoch")
        self._refuse_endless(validation_data, validation_steps, "validation_steps")
        feed = feed_of(x, y, weight, batch_size, shuffle, steps_per_epoch)
        self._met(feed)
        plan = plan_for(self, True)
        steps = self._steps(feed, plan, steps_per_epoch, True)
        logs, callbacks = {}, CallbackList(callbacks, self, add_progbar=verbose not in (0, None), verbose=_verbosity(verbose),
                                           epochs=epochs, steps=steps)
        self.stop_training = False
        callbacks.on_train_begin()
        for epoch in range(initial_epoch, epochs):
            callbacks.on_epoch_begin(epoch)
            logs = self._epoch("train", feed, plan, steps, callbacks, may_be_empty=epoch > initial_epoch)
            if self.stop_training and not logs:
                break
            if validation_data is not None and _in_freq(epoch, validation_freq):
                found = self._validate(validation_data, validation_batch_size or batch_size, validation_steps)
                logs.update({"val_" + name: value for name, value in found.items()})
            callbacks.on_epoch_end(epoch, logs)
            if self.stop_training:
                break
        callbacks.on_train_end(logs)
        return self.history

    def _refuse_endless(self, data, steps, argument):
        if steps is not None or not getattr(getattr(data, "_dataset", data), "is_endless", False):
            return
        said = "When passing an infinitely repeating dataset, please specify a" if self._strategy is None else \
            "When providing an infinite dataset, you must specify the number of steps to run. Give a"
        raise ValueError(f"{said} `{argument}` value, or let the data set end: dataset.take(batches).")

    def _steps(self, feed, plan, wanted, training):
        """Steps of an epoch as they are shown, None if that is not known yet; the strategy checks what it needs."""
        if plan.strategy is not None:
            return plan.strategy.steps(self, feed, plan, wanted, training)
        if wanted is not None:
            return int(wanted)
        return feed.size

    def _left_over(self, plan, feed, batches, rows):
        """How fewer batches than an execution has, or a partial one, are run; programs for IPUs have fixed shapes."""
        if plan.strategy is not None:
            plan.strategy.refuse_left_over(self, plan, feed, batches, rows)
        return _single(plan)

    def _epoch(self, mode, feed, plan, steps, callbacks, may_be_empty=False):
        tracker, program = Tracker(plan.all_replicas, self._replica_reduction), None
        limit = None if steps is None else steps * plan.replicas
        step, logs, seen = 0, {}, 0
        begin, end = getattr(callbacks, f"on_{mode}_batch_begin"), getattr(callbacks, f"on_{mode}_batch_end")
        for arrays, batches, rows in feed.executions(plan.batches, limit):
            own = plan if batches == plan.batches and rows == feed.batch else self._left_over(plan, feed, batches, rows)
            first = program is None
            program = self._program(mode, feed.example(rows if rows != feed.batch else None), own)
            if first:
                tracker.reset(program.metrics)
            begin(step)
            results = program.run(arrays)
            seen += batches
            parts = program.steps_of(results) if self._asynchronous else [results]
            for i, part in enumerate(parts):
                if i:
                    begin(step)
                logs = program.update_metrics(part, tracker, rows)
                step += max(1, batches // plan.replicas // len(parts))
                end(step - 1, logs)
            if self.stop_training:
                break
        if steps is not None and step < steps and not self.stop_training:
            _warn_of_too_little(step, steps)
            self.stop_training = True
        if not seen and not (may_be_empty and steps):  # data that ends with an earlier epoch ends the training
            raise ValueError("Expect x to be a non-empty array or dataset.")
        return dict(logs)

    def _validate(self, data, batch_size, steps):
        if isinstance(data, (tuple, list)):
            x, y, weight = (*data, *[None] * (3 - len(data)))
            return self.evaluate(x, y, batch_size, verbose=0, sample_weight=weight, steps=steps, return_dict=True)
        return self.evaluate(data, verbose=0, steps=steps, return_dict=True)

    @in_no_graph
    def evaluate(self, x=None, y=None, batch_size=None, verbose=1, sample_weight=None, steps=None, callbacks=None,
                 max_queue_size=10, workers=1, use_multiprocessing=False, return_dict=False):
        self._require_compiled()
        self._refuse_endless(x, steps, "steps")
        feed = feed_of(x, y, sample_weight, batch_size, False, steps)
        self._met(feed)
        plan = plan_for(self, False)
        count = self._steps(feed, plan, steps, False)
        callbacks = CallbackList(callbacks, self, add_progbar=bool(verbose), verbose=_verbosity(verbose), epochs=1,
                                 steps=count, history=False)
        stopped, self.stop_training = self.stop_training, False
        try:
            callbacks.on_test_begin()
            logs = self._epoch("test", feed, plan, count, callbacks)
            callbacks.on_test_end(logs)
        finally:
            self.stop_training = stopped
        if return_dict:
            return logs
        values = list(logs.values())
        return values[0] if len(values) == 1 else values

    @in_no_graph
    def predict(self, x, batch_size=None, verbose=0, steps=None, callbacks=None, max_queue_size=10, workers=1,
                use_multiprocessing=False):
        self._refuse_endless(x, steps, "steps")
        feed = feed_of(x, None, None, batch_size, False, steps)
        if not isinstance(feed, Arrays):
            feed = _inputs_only(feed)
        self._met(feed)
        plan = plan_for(self, False)
        count = self._steps(feed, plan, steps, False)
        callbacks = CallbackList(callbacks, self, add_progbar=bool(verbose), verbose=_verbosity(verbose), epochs=1,
                                 steps=count, history=False)
        callbacks.on_predict_begin()
        parts, structure, step = [], None, 0
        for arrays, batches, rows in feed.executions(plan.batches, None if count is None else count * plan.replicas):
            own = plan if batches == plan.batches and rows == feed.batch else self._left_over(plan, feed, batches, rows)
            program = self._program("predict", feed.example(rows if rows != feed.batch else None), own)
            structure = program.result
            callbacks.on_predict_batch_begin(step)
            results = program.run(arrays)
            parts.append([_samples(r, t) for r, t in zip(results, nest.flatten(structure))])
            step += max(1, batches // plan.replicas)
            callbacks.on_predict_batch_end(step - 1, {"outputs": parts[-1]})
        callbacks.on_predict_end()
        if not parts:
            raise ValueError("Expect x to be a non-empty array or dataset.")
        whole = [np.concatenate(each) for each in zip(*parts)]
        return nest.pack_sequence_as(structure, whole)

    # TensorFlow 1's names.
    def fit_generator(self, generator, **kwargs):
        return self.fit(generator, **kwargs)

    def evaluate_generator(self, generator, **kwargs):
        return self.evaluate(generator, **kwargs)

    def predict_generator(self, generator, **kwargs):
        return self.predict(generator, **kwargs)


def _single(plan):
    """What is left of an epoch: one batch at a time."""
    return Plan(plan._device, plan.accumulation, 1, plan.accumulation, plan.adapt, plan.strategy, plan.sum_accumulated,
               plan.stages, plan.pipelined, plan.placement, plan.sums_results, plan.norm_replicas)


def _samples(result, tensor):
    """The batches of a run one after the other."""
    shape = tensor.shape.as_list()
    return result.reshape(-1, *shape[1:]) if shape else result.reshape(-1)


def _inputs_only(feed):
    kind, whole = type(feed.structure), feed._next
    feed.structure = kind((feed.structure[0], None, None))

    def inputs():
        return (whole()[0], None, None)

    feed._next = inputs
    return feed


def _verbosity(verbose):
    return 1 if verbose in ("auto", True) else int(verbose or 0)


def _in_freq(epoch, freq):
    return (epoch + 1) % freq == 0 if isinstance(freq, int) else epoch + 1 in freq


def _split(x, y, weight, share):
    def count(v):
        return len(nest.flatten(v)[0])
    if not nest.flatten(x) or not hasattr(nest.flatten(x)[0], "__len__") or hasattr(x, "known_size"):
        raise ValueError("`validation_split` is only supported for Tensors or NumPy arrays.")
    at = int(count(x) * (1.0 - share))
    if at == 0 or at == count(x):
        raise ValueError(f"Training data contains {count(x)} samples, which is not sufficient to split it into a validation "
                         f"and training set as specified by `validation_split={share}`.")

    def part(v, where):
        return None if v is None else nest.map_structure(lambda a: np.asarray(a)[where], v)
    first, last = slice(0, at), slice(at, None)
    return tuple(part(v, first) for v in (x, y, weight)), tuple(part(v, last) for v in (x, y, weight))


def _class_weights(y, weight, by_class):
    if by_class is None:
        return weight
    labels = np.asarray(y)
    labels = labels.argmax(-1) if labels.ndim > 1 and labels.shape[-1] > 1 else labels.reshape(-1).astype(int)
    own = np.array([by_class[int(c)] for c in labels], np.float32)
    return own if weight is None else own * np.asarray(weight)


def _warn_of_too_little(step, steps):
    warning("Your input ran out of data; interrupting training. Make sure that your dataset or generator can generate at "
            f"least `steps_per_epoch * epochs` batches (in this case, {steps} batches). You may need to use the repeat() "
            "function when building your dataset.")
