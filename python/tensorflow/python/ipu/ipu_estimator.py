# SPDX-License-Identifier: MIT
"""IPUEstimator: a function that gives a model is trained, evaluated and asked for predictions on IPUs. Every call makes a graph
of its own, whose variables begin with the newest checkpoint of the estimator's folder."""
import collections
import inspect

import numpy as np
from popart import _files as _folders

from tensorflow import _names
from tensorflow.compat.v1 import metrics
from tensorflow.compat.v1 import graphs as _v1
from tensorflow.compat.v1.session import Session
from tensorflow.compat.v1.session_hooks import Hooks
from tensorflow.compat.v1.train import get_or_create_global_step
from tensorflow.estimator import EstimatorSpec, ModeKeys, check  # noqa: F401
from tensorflow.framework import checkpoints as _files
from tensorflow.framework import logs, nest
from tensorflow.framework.context import eagerly
from tensorflow.framework.errors import OutOfRangeError
from tensorflow.framework.graphs import Graph
from tensorflow.python.ipu import ipu_compiler, loops, scopes, system
from tensorflow.python.ipu.config import IPUConfig
from tensorflow.python.ipu.ipu_infeed_queue import IPUInfeedQueue
from tensorflow.python.ipu.ipu_outfeed_queue import IPUOutfeedQueue
from tensorflow.python.ipu.ipu_run_config import RunConfig


class IPUEstimatorSpec(collections.namedtuple("IPUEstimatorSpec", (
        "mode predictions loss train_op eval_metrics eval_metric_ops host_call training_hooks evaluation_hooks "
        "prediction_hooks"))):
    """eval_metrics: (function, tensors): the host calls the function, which gives {name: tf.metrics pair}, with the tensors of
    every batch. eval_metric_ops: such pairs that the program computes itself."""

    def __new__(cls, mode, predictions=None, loss=None, train_op=None, eval_metrics=None, eval_metric_ops=None, host_call=None,
                training_hooks=None, evaluation_hooks=None, prediction_hooks=None):
        check(mode, predictions, loss, True if host_call is not None else train_op)
        if host_call is not None:
            raise NotImplementedError("IPUEstimatorSpec(host_call=...) is not there: gradients are applied on the IPU. Give a "
                                      "train_op.")
        if eval_metrics is not None and eval_metric_ops:
            raise ValueError("Cannot specify both `eval_metrics` and `eval_metric_ops`.")
        return super().__new__(cls, mode, predictions, loss, train_op, eval_metrics, eval_metric_ops or {}, host_call,
                               training_hooks or (), evaluation_hooks or (), prediction_hooks or ())


class IPUEstimator:
    """model_fn(features, labels, mode, params, config), any of them, gives an EstimatorSpec or IPUEstimatorSpec."""

    def __init__(self, model_fn, model_dir=None, config=None, params=None, warm_start_from=None, train_batch_size=None,
                 eval_batch_size=None, predict_batch_size=None):
        self.config = RunConfig() if config is None else config
        if not isinstance(self.config, RunConfig):
            raise ValueError(f"`config` must be of type ipu.ipu_run_config.RunConfig, not {type(config).__name__}.")
        self._model_fn, self.params = model_fn, dict(params or {})
        self._batch = {ModeKeys.TRAIN: train_batch_size, ModeKeys.EVAL: eval_batch_size, ModeKeys.PREDICT: predict_batch_size}
        self.model_dir = model_dir or self.config.model_dir or _folders.new_folder("estimator")
        self._warm_start = warm_start_from
        self._ipu = self.config.ipu_run_config
        self._configured = None

    # ---- for users

    def train(self, input_fn, hooks=None, steps=None, max_steps=None, saving_listeners=None):
        """Until `steps` more batches of every replica are trained, `max_steps` in all, or the data ends."""
        if steps is not None and max_steps is not None:
            raise ValueError("Can not provide both steps and max_steps.")
        for name, value in (("steps", steps), ("max_steps", max_steps)):
            if value is not None and value <= 0:
                raise ValueError(f"Must specify {name} > 0, given: {value}")
        with self._run(ModeKeys.TRAIN, input_fn) as run:
            done = run.restored(self._newest(), required=False)
            wanted = steps if steps is not None else None if max_steps is None else max(0, max_steps - done)
            if wanted != 0:
                self._train(run, wanted, hooks)
        return self

    def _train(self, run, wanted, hooks):
        run.check_steps(wanted)
        losses = []

        def after():
            losses.append(float(np.mean(run.results()["loss"])))
            step, each = run.global_step(), run.rounds
            every = self.config.log_step_count_steps
            if every and step // every > (step - each) // every:
                logs.info("loss = %s, step = %s", losses[-1], step)
            kept = self.config.save_checkpoints_steps
            if kept and step // kept > (step - each) // kept:
                run.save()
        run.loop(wanted, hooks, after)
        run.save()
        logs.info("Loss for final step: %s.", losses[-1] if losses else None)

    def evaluate(self, input_fn, steps=None, hooks=None, checkpoint_path=None, name=None):
        """{"loss": ..., "global_step": ..., metrics}"""
        with self._run(ModeKeys.EVAL, input_fn) as run:
            step = run.restored(checkpoint_path or self._trained())
            run.check_steps(steps)
            losses, counted = [], run.new_metrics()

            def after():
                found = run.results()
                losses.append(np.asarray(found.get("loss", ()), np.float64).reshape(-1))
                counted.add(found)
            run.loop(steps, hooks, after)
            if not losses:
                raise ValueError("evaluate: the data set has no batches for a run of "
                                 f"iterations_per_loop = {run.rounds}.")
            out, losses = counted.values(), np.concatenate(losses)
            out.update({"global_step": step} | ({"loss": np.float32(losses.mean())} if losses.size else {}))
        logs.info("Saving dict for global step %s: %s", step, ", ".join(f"{k} = {v}" for k, v in sorted(out.items())))
        return out

    def predict(self, input_fn, predict_keys=None, hooks=None, checkpoint_path=None, yield_single_examples=True,
                num_predictions=None):
        """Predictions of one example after the other, or of one batch after the other."""
        with self._run(ModeKeys.PREDICT, input_fn) as run:
            run.restored(checkpoint_path or self._trained())
            found = []
            run.loop(None, hooks, lambda: found.append(run.results()))
        count = 0
        for batches in found:
            for batch in _batches(batches, run.replicas):
                for one in _examples(batch, predict_keys) if yield_single_examples else [_chosen(batch, predict_keys)]:
                    if num_predictions is not None and count >= num_predictions:
                        return
                    count += 1
                    yield one

    def latest_checkpoint(self):
        return _files.latest(self.model_dir)

    def get_variable_names(self):
        return [name.split(":")[0] for name in _files.values(self._trained())]

    def get_variable_value(self, name):
        return _files.values(self._trained())[name if ":" in name else name + ":0"]

    # ---- runs

    def _newest(self):
        return self.latest_checkpoint() or self._warm_start

    def _trained(self):
        found = self._newest()
        if found is None:
            raise ValueError(f"Could not find trained model in model_dir: {self.model_dir}.")
        return found

    def _configure(self):
        options = self._ipu.ipu_options
        if options is None and not system.configured():
            options = IPUConfig()
            options.auto_select_ipus = self._ipu.num_replicas * self._ipu.num_shards
        if options is not None and system.configuration() is not options:
            options.configure_ipu_system()

    def _parameters(self, mode):
        batch = self._batch[mode]
        if batch is not None and batch % self._ipu.num_replicas:
            raise ValueError(f"The batch size {batch} must be divisible by the {self._ipu.num_replicas} replicas.")
        return {**self.params, **({} if batch is None else {"batch_size": batch // self._ipu.num_replicas})}

    def _run(self, mode, input_fn):
        self._configure()
        return _Run(self, mode, input_fn)

    def model(self, run, features, labels):
        """What the body of the program's loop does; a spec."""
        spec = called(self._model_fn, features=features, labels=labels, mode=run.mode, params=run.params, config=self.config)
        if not isinstance(spec, (EstimatorSpec, IPUEstimatorSpec)):
            raise ValueError("model_fn must return an EstimatorSpec or an IPUEstimatorSpec, not "
                             f"{type(spec).__name__}.")
        run.outfeed.enqueue(_outputs(run.mode, spec))
        return spec

    def program(self, run):
        """The function that is compiled."""
        def body(*args, **kwargs):
            given = args or (kwargs,)
            run.spec = self.model(run, given[0], given[1] if len(given) > 1 else None)
        return lambda: loops.repeat(run.rounds, body, [], run.infeed)


def _outputs(mode, spec):
    """What goes out of every round."""
    if mode == ModeKeys.PREDICT:
        return {"predictions": spec.predictions}
    out = {"loss": spec.loss}
    if mode == ModeKeys.EVAL:
        out.update((f"metric:{name}", update) for name, (_, update) in spec.eval_metric_ops.items())
        if getattr(spec, "eval_metrics", None) is not None:
            out["tensors"] = spec.eval_metrics[1]
    return out


class _Run:
    """A graph with its program, data and session."""

    def __init__(self, estimator, mode, input_fn):
        self._estimator, self.mode = estimator, mode
        self.params = estimator._parameters(mode)
        self.graph = Graph(name=mode)
        self._default = self.graph.as_default()
        self.spec = None
        with eagerly():
            data = called(input_fn, params=self.params)
        if not hasattr(data, "element_spec"):
            raise ValueError(f"input_fn must return a tf.data.Dataset, not {type(data).__name__}.")
        self.rounds = self._rounds(data)
        self.infeed, self.outfeed = IPUInfeedQueue(data), IPUOutfeedQueue()

    def _rounds(self, data):
        """Of one run: predictions have all batches, however many there are."""
        rounds, size = self._estimator._ipu.iterations_per_loop, data.known_size()
        fits = size is not None and size % (rounds * self._estimator._ipu.num_replicas) == 0
        return rounds if self.mode != ModeKeys.PREDICT or fits else 1

    def __enter__(self):
        self._default.__enter__()
        config = self._estimator.config
        if config.tf_random_seed is not None:
            _v1.set_random_seed(config.tf_random_seed)
        self._step = get_or_create_global_step()
        with scopes.ipu_scope(f"/device:IPU:{self._estimator._ipu.ordinal}"):
            self._program = ipu_compiler.compile(self._estimator.program(self))
        self._compiled = self._program._call.compiled
        self.replicas = self._estimator._ipu.num_replicas
        self._session = Session(graph=self.graph)
        self._session.run([_v1.global_variables_initializer(), _v1.local_variables_initializer(), self.infeed.initializer])
        return self

    def __exit__(self, *_):
        self._default.__exit__(None, None, None)
        self._session.close()

    def _variables(self):
        """Those of the model and of its optimiser."""
        graph, all_ = self._compiled.graph, list(_v1.global_variables())
        hidden = {id(v) for v in graph.arguments} | {id(v) for v, _ in graph.states}
        local = {id(v) for v in self.graph.get_collection(_v1.GraphKeys.LOCAL_VARIABLES)}
        known = {id(v) for v in all_} | hidden | local
        return all_ + [v for v, *_ in graph.variables.values() if id(v) not in known and v.name.split(":")[0]]

    def restored(self, path, required=True):
        """The global step of a checkpoint, which all variables have now."""
        if path is not None:
            own = {id(v) for v in _v1.global_variables()}
            _files.restore(path, [v for v in self._variables() if id(v) in own], required)
            _files.restore(path, [v for v in self._variables() if id(v) not in own], False)
        return self.global_step()

    def global_step(self):
        return int(self._step.numpy())

    def save(self):
        _files.save(self._estimator.model_dir, self.global_step(), self._variables(),
                    self._estimator.config.keep_checkpoint_max)

    def check_steps(self, steps):
        if steps is not None and steps % self.rounds:
            raise ValueError(f"Invalid number of steps {steps}: it must be a multiple of iterations_per_loop "
                             f"({self.rounds}).")

    def loop(self, steps, hooks, after):
        """Runs the program until this many steps are made, or the data ends."""
        name = {"train": "training_hooks", "eval": "evaluation_hooks", "infer": "prediction_hooks"}[self.mode]
        own = getattr(self.spec, name, ())
        hooks = Hooks([*(hooks or ()), *(own or ())], self._session)
        done = 0
        while steps is None or done < steps:
            try:
                stop = hooks.run(lambda: self._one(after))
            except OutOfRangeError:
                break
            done += self.rounds
            if stop:
                break
        hooks.end()

    def _one(self, after):
        before = self.global_step()
        self._session.run(self._program)
        if self.mode == ModeKeys.TRAIN and self.global_step() == before:  # the train_op does not count
            self._step.set(before + self.rounds)
        after()

    def results(self):
        return self._session.run(self.outfeed.dequeue())

    def new_metrics(self):
        return _Metrics(self._session, self.spec, self.replicas)


class _Metrics:
    """Metrics of an evaluation: the last values of those of the program, and those that the host computes."""

    def __init__(self, session, spec, replicas):
        self._session, self._last, self._replicas = session, {}, replicas
        self._given = getattr(spec, "eval_metrics", None)
        self._pairs = None

    def add(self, found):
        self._last.update((name.partition(":")[2], values[-1]) for name, values in found.items() if name.startswith("metric:"))
        for batch in _batches(found["tensors"], self._replicas) if self._given is not None else ():
            flat = nest.flatten(batch)
            if self._pairs is None:
                self._build(batch)
            self._session.run([update for _, update in self._pairs.values()], dict(zip(self._fed, flat)))

    def _build(self, batch):
        self._fed = [_v1.placeholder(a.dtype, a.shape) for a in nest.flatten(batch)]
        tensors = nest.pack_sequence_as(batch, self._fed)
        function = self._given[0]
        made = function(**tensors) if isinstance(tensors, dict) else function(*(
            tensors if isinstance(tensors, (list, tuple)) else [tensors]))
        self._pairs = {name: v if isinstance(v, tuple) else metrics.mean(v) for name, v in made.items()}
        self._session.run(_v1.local_variables_initializer())

    def values(self):
        out = {name: np.float32(np.mean(v)) for name, v in self._last.items()}
        if self._pairs is not None:
            out.update((name, self._session.run(value)) for name, (value, _) in self._pairs.items())
        return out


def called(function, **given):
    """The function with those arguments that it takes."""
    taken = inspect.signature(function).parameters
    anything = any(p.kind is p.VAR_KEYWORD for p in taken.values())
    return function(**{name: v for name, v in given.items() if name in taken or anything and name != "config"})


def _batches(found, replicas):
    """[rounds, (replicas,) batch...] -> batches."""
    flat = [a if replicas == 1 else a.reshape(-1, *a.shape[2:]) for a in nest.flatten(found)]
    return [nest.pack_sequence_as(found, list(each)) for each in zip(*flat)]


def _chosen(batch, keys):
    batch = batch["predictions"] if isinstance(batch, dict) and set(batch) == {"predictions"} else batch
    if keys is None or not isinstance(batch, dict):
        return batch
    return {key: batch[key] for key in ([keys] if isinstance(keys, str) else keys)}


def _examples(batch, keys):
    chosen = _chosen(batch, keys)
    flat = nest.flatten(chosen)
    return [nest.pack_sequence_as(chosen, list(each)) for each in zip(*flat)]


_names.lazy(globals(), {"IPUPipelineEstimator": "tensorflow.python.ipu.ipu_pipeline_estimator:IPUPipelineEstimator",
                        "IPUPipelineEstimatorSpec":
                            "tensorflow.python.ipu.ipu_pipeline_estimator:IPUPipelineEstimatorSpec"})
