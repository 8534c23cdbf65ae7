# SPDX-License-Identifier: MIT
"""What models of an IPUStrategy's scope can be told: accumulation, pipelining, replicas, queues."""
from tensorflow.framework import wired
from tensorflow.framework.context import current
from tensorflow.framework.logs import without_effect
from tensorflow.keras.engine import assignments
from tensorflow.ops.placement import (OF_ACCUMULATION, OF_PIPELINES, PIPELINES_WITHOUT_EFFECT,
                                      GradientAccumulationReductionMethod, PipelineSchedule, Placement)

_BY_KERAS = ("computational_stages", "gradient_accumulation_count", "repeat_count", "inputs", "infeed_queue", "outfeed_queue",
             "optimizer_function", "infeed_output", "outfeed_loss", "outfeed_mask", "name")
_REDUCTIONS = ("NONE", "LIST", "SUM", "MEAN")


def _method(value):
    return GradientAccumulationReductionMethod.parse(value).value


def _positive(name, value):
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
        raise ValueError(f"Expected `{name}` to be a positive integer, but got {value} instead.")
    return value


class IpuOptions:
    def _start_ipu_options(self):
        self._accumulation = None  # steps per replica
        self._accumulation_method = "sum"
        self._accumulation_arguments = {}
        self._pipelining = {}
        self._stages_called = set()  # of PipelineStage in call()
        self._replica_reduction = "NONE"
        self._asynchronous = False
        self._queue_options = {"infeed": {}, "outfeed": {}}

    def _pipeline_key(self):
        return (self._accumulation, self._accumulation_method, repr(sorted(self._pipelining.items(), key=str)),
                repr(sorted(self._accumulation_arguments.items(), key=str)), repr(self._queue_options),
                repr([n.stage for n in self._assigned_calls()]))

    def _require_strategy(self, what):
        if self._strategy is None and current.strategy is None:
            raise AttributeError(f"{what} can only be used with a model that was created inside an IPUStrategy's scope.")
        self._strategy = self._strategy or current.strategy

    def set_gradient_accumulation_options(self, gradient_accumulation_steps_per_replica=None,
                                          gradient_accumulation_reduction_method="sum",
                                          use_v2_gradient_accumulation_optimizer=False, **optimizer_kwargs):
        self._require_strategy("set_gradient_accumulation_options")
        if "opt" in optimizer_kwargs:
            raise ValueError("Found `opt` key in `gradient_accumulation_optimizer_kwargs`. This is not supported: set the "
                             "model's optimizer with `compile`.")
        if "num_mini_batches" in optimizer_kwargs:
            raise ValueError("Found `num_mini_batches` key in `gradient_accumulation_optimizer_kwargs`. Set the "
                             "`gradient_accumulation_steps_per_replica` argument to `set_gradient_accumulation_options` "
                             "instead.")
        self._refuse(set(optimizer_kwargs) - set(OF_ACCUMULATION), "set_gradient_accumulation_options")
        self._accumulation_arguments = dict(optimizer_kwargs)
        self._accumulation = _positive("gradient_accumulation_steps_per_replica", gradient_accumulation_steps_per_replica)
        self._accumulation_method = _method(gradient_accumulation_reduction_method)

    def set_pipelining_options(self, gradient_accumulation_steps_per_replica=None, device_mapping=None,
                               accumulate_outfeed=None, gradient_accumulation_reduction_method="sum", **pipelining_kwargs):
        self._require_strategy("set_pipelining_options")
        if "gradient_accumulation_count" in pipelining_kwargs:
            raise ValueError("Found `gradient_accumulation_count` key in `pipelining_kwargs`. Set the "
                             "`gradient_accumulation_steps_per_replica` argument to `set_pipelining_options` instead.")
        for name in _BY_KERAS:
            if name in pipelining_kwargs:
                raise ValueError(f"Found `{name}` key in `pipelining_kwargs`. This argument is automatically set by Keras.")
        known = {"pipeline_schedule", *OF_PIPELINES, *PIPELINES_WITHOUT_EFFECT}
        self._refuse({k: v for k, v in pipelining_kwargs.items() if k not in known}, "set_pipelining_options")
        without_effect(**{k: v for k, v in pipelining_kwargs.items() if k in PIPELINES_WITHOUT_EFFECT})
        Placement({k: v for k, v in pipelining_kwargs.items() if k in OF_PIPELINES})  # complains in time
        schedule = pipelining_kwargs.get("pipeline_schedule")
        if schedule is not None and schedule not in list(PipelineSchedule):
            raise TypeError(f"pipeline_schedule must be a pipelining_ops.PipelineSchedule, not {schedule!r}.")
        steps = _positive("gradient_accumulation_steps_per_replica", gradient_accumulation_steps_per_replica)
        self._pipelining = {"gradient_accumulation_steps_per_replica": steps, "device_mapping": device_mapping,
                            "accumulate_outfeed": bool(accumulate_outfeed), **pipelining_kwargs}
        self._accumulation_method = _method(gradient_accumulation_reduction_method)

    @staticmethod
    def _refuse(given, what):
        if given:
            raise NotImplementedError(f"{what}: {sorted(given)[0]} is not there; docs/tensorflow.md lists what is.")

    def set_replication_options(self, replicated_metric_reduction_method="NONE"):
        self._require_strategy("set_replication_options")
        value = str(getattr(replicated_metric_reduction_method, "name", replicated_metric_reduction_method)).upper()
        if value not in _REDUCTIONS:
            raise ValueError(f"Cannot parse {replicated_metric_reduction_method!r} as one of {', '.join(_REDUCTIONS)}.")
        self._replica_reduction = value

    def set_asynchronous_callbacks(self, asynchronous=False):
        """Callbacks come for every step of an execution, with the numbers as they were then, instead of after its last one."""
        self._require_strategy("set_asynchronous_callbacks")
        if not isinstance(asynchronous, bool):
            raise TypeError(f"asynchronous must be True or False, not {asynchronous!r}.")
        self._asynchronous = asynchronous

    def set_infeed_queue_options(self, **kwargs):
        self._require_strategy("set_infeed_queue_options")
        self._queue("infeed", kwargs, {"prefetch_depth": (1, 255), "optimise_latency": None})

    def set_outfeed_queue_options(self, **kwargs):
        self._require_strategy("set_outfeed_queue_options")
        self._queue("outfeed", kwargs, {"buffer_depth": (1, 255), "optimise_latency": None})

    def _queue(self, which, given, known):
        for name, value in given.items():
            if name not in known:
                raise ValueError(f"`{name}` is not an argument of an {which} queue; there are {', '.join(known)}.")
            if known[name] is not None and not known[name][0] <= value <= known[name][1]:
                raise ValueError(f"{name} must be between {known[name][0]} and {known[name][1]}, not {value}.")
        without_effect(**given)
        self._queue_options[which] = dict(given)

    # ---- stages

    def set_pipeline_stage_assignment(self, pipeline_stage_assignment):
        self._require_strategy("set_pipeline_stage_assignment")
        if not isinstance(pipeline_stage_assignment, (list, tuple)):
            raise ValueError("`pipeline_stage_assignment` needs to be a list, not "
                             f"{type(pipeline_stage_assignment).__name__}.")
        assignments.apply(self, list(pipeline_stage_assignment))

    def get_pipeline_stage_assignment(self):
        return assignments.of(self)

    def reset_pipeline_stage_assignment(self):
        assignments.reset(self)

    def print_pipeline_stage_assignment_summary(self, line_length=None, print_fn=None):
        assignments.summary(self, line_length, print_fn)

    def export_for_ipu_serving(self, export_dir, batch_size=None, output_names=None, preprocessing_step=None,
                               preprocessing_step_signature=None, postprocessing_step=None,
                               postprocessing_step_signature=None, purge_export_dir=False):
        """The model's predictions as a folder that tf.saved_model.load reads; the function that it has."""
        return wired.export_for_serving(self, export_dir, batch_size, output_names, preprocessing_step,
                                        preprocessing_step_signature, postprocessing_step, postprocessing_step_signature,
                                        purge_export_dir)
