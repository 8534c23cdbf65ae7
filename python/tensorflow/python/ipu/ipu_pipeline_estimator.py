# SPDX-License-Identifier: MIT
"""IPUPipelineEstimator: the model is a pipeline of stages."""
import collections

from tensorflow import _names
from tensorflow.estimator import ModeKeys
from tensorflow.python.ipu.ipu_estimator import IPUEstimator, called
from tensorflow.python.ipu.ops import pipelining_ops


class IPUPipelineEstimatorSpec(collections.namedtuple("IPUPipelineEstimatorSpec", (
        "mode computational_stages gradient_accumulation_count eval_metrics_fn optimizer_function device_mapping "
        "training_hooks evaluation_hooks prediction_hooks reduction_method pipeline_op_kwargs"))):
    """eval_metrics_fn(*outputs of the last stage) gives {"loss": the loss, name: tf.metrics pair ...}; the host calls it."""

    def __new__(cls, mode, computational_stages, gradient_accumulation_count=None, eval_metrics_fn=None,
                optimizer_function=None, device_mapping=None, loss_accumulator_dtype=None, training_hooks=None,
                evaluation_hooks=None, prediction_hooks=None, reduction_method=None, **pipeline_op_kwargs):
        if gradient_accumulation_count is None:
            raise ValueError("`gradient_accumulation_count` must be given.")
        if mode == ModeKeys.TRAIN and optimizer_function is None:
            raise ValueError("`optimizer_function` must be provided when mode is 'train'.")
        if mode == ModeKeys.EVAL and eval_metrics_fn is None:
            raise ValueError("`eval_metrics_fn` must be provided when mode is 'eval'.")
        if loss_accumulator_dtype is not None:
            pipeline_op_kwargs["accumulate_outfeed_dtype"] = loss_accumulator_dtype
        return super().__new__(cls, mode, computational_stages, gradient_accumulation_count, eval_metrics_fn,
                               optimizer_function, device_mapping, training_hooks or (), evaluation_hooks or (),
                               prediction_hooks or (), reduction_method, pipeline_op_kwargs)

    @property
    def eval_metrics(self):
        return None if self.eval_metrics_fn is None else (self.eval_metrics_fn, None)


class IPUPipelineEstimator(IPUEstimator):
    def program(self, run):
        spec = called(self._model_fn, mode=run.mode, params=run.params, config=self.config)
        if not isinstance(spec, IPUPipelineEstimatorSpec):
            raise ValueError(f"model_fn must return an IPUPipelineEstimatorSpec, not {type(spec).__name__}.")
        run.spec, count = spec, spec.gradient_accumulation_count
        if run.rounds % count:
            raise ValueError(f"iterations_per_loop ({run.rounds}) must be a multiple of gradient_accumulation_count ({count}).")
        options = dict(spec.pipeline_op_kwargs)
        if run.mode == ModeKeys.TRAIN:
            options.update(optimizer_function=spec.optimizer_function, outfeed_loss=True)
        if spec.reduction_method is not None:
            options["reduction_method"] = spec.reduction_method
        return lambda: pipelining_ops.pipeline(
            spec.computational_stages, count, repeat_count=run.rounds // count, inputs=[], infeed_queue=run.infeed,
            outfeed_queue=_Named(run), device_mapping=spec.device_mapping, **options)


class _Named:
    """The outfeed of a run: what the pipeline enqueues has the names that the estimator looks for."""

    def __init__(self, run):
        self._run = run

    def enqueue(self, tensors):
        names = {ModeKeys.TRAIN: "loss", ModeKeys.EVAL: "tensors", ModeKeys.PREDICT: "predictions"}
        return self._run.outfeed.enqueue({names[self._run.mode]: tensors})

    def accumulates(self, count):
        self._run.outfeed.accumulates(count)


_names.explain_missing(globals())
