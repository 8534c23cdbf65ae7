# SPDX-License-Identifier: MIT
"""The options of IpuStrategy.set_options, each in one place: name, default and with it the type, what it may be, what it
does or why not, and whether executables are told apart by it. strategy.py keeps values by these tables, docs/paddle.md is
written from them.

OWN: Paddle's own. SESSION and LOCATIONS: options of PopART's sessions, which say the rest themselves; those that Paddle has no
name for have PopART's. OTHERS: what is no value.
"""
import sys
from typing import Optional

import popart


class Check:
    """What values may be: a function of one, and its words."""

    def __init__(self, fits, words):
        self.fits, self.words = fits, words


_POSITIVE = Check(lambda value: value >= 1, "at least 1")
_SHARE = Check(lambda value: 0 <= value <= 1, "between 0 (off) and 1")
_FLOATS = Check(lambda value: value in ("FLOAT", "FLOAT16"), "'FLOAT' or 'FLOAT16'")
_DECAYS = Check(lambda value: value in ("", "decay", "l2_regularization"), "'decay' or 'l2_regularization'")


class Own:
    """use: acts, without effect or refused; words: what it does, or why not."""

    def __init__(self, default, words, check=None, in_key=True, use="acts"):
        self.default, self.words, self.check, self.in_key, self.use = default, words, check, in_key, use


OWN = {
    "is_training": Own(True, "the program trains; its optimizer becomes PopART's"),
    "need_avg_shard": Own(False, "operators are spread evenly over the IPUs of a replica, in the program's order"),
    "enable_fp16": Own(False, "the device computes in float16; feeds, fetches and the scope's parameters stay what they are"),
    "use_no_bias_optimizer": Own(False, "Adam and Lamb without the correction of their moments' bias"),
    "enable_distribution": Own(False, "in processes that poprun started: their replicas train one model; `num_ipus`, "
                                      "`replicated_graph_count` and feeds are those of one process"),
    "scaled_optimizer_state": Own(False, "the optimizer's state is that of scaled gradients (`loss_scaling`)"),
    "num_ipus": Own(1, "the IPUs of all replicas together", _POSITIVE),
    "batches_per_step": Own(1, "micro-batches, or accumulated groups of them, that one run takes", _POSITIVE),
    "micro_batch_size": Own(1, "rows of a micro-batch, where the program leaves them open", _POSITIVE),
    "tiles_per_ipu": Own(4, "of the IPU Model (`POPLAR_IPUMODEL=1`), whose executables are not kept", _POSITIVE, in_key=False),
    "random_seed": Own(sys.maxsize * 2 + 1, "of the device; at first that of the program", in_key=False),
    "available_memory_proportion": Own(0.0, "share of the memory that products and convolutions may take for a moment", _SHARE),
    "loss_scaling": Own(1.0, "the loss is scaled by it, and gradients back"),
    "max_weight_norm": Own(65504.0, "of Lamb"),
    "accl1_type": Own("FLOAT", "the type of the first moment", _FLOATS),
    "accl2_type": Own("FLOAT", "the type of the second moment", _FLOATS),
    "accl3_type": Own("FLOAT", "the type of the third", _FLOATS),
    "onnx_dump_path": Own("", "a file for the model in ONNX, once it is compiled", in_key=False),
    "weight_decay_mode": Own("", "how weights decay, instead of as the optimizer of the program has it", _DECAYS),
    "lr": Own(0.0, "the learning rate is that of the program's optimizer; this one is of the dynamic graph", in_key=False,
              use="without effect"),
    "is_dynamic": Own(False, "the dynamic graph is not there: build a static program", in_key=False, use="refused"),
    "runtime_options.enable_eval": Own(False, "runs of a program that is trained compute its forward pass alone, without "
                                              "dropout; nothing is learnt. It may be set between runs", in_key=False),
    "enable_manual_shard": Own(False, "`ipu_shard_guard` places operators"),
    "enable_half_partial": Own(False, "partial sums of products and convolutions are halves"),
    "transfer_cast_op": Own(False, "with `enable_fp16` casts to float32 are casts to float16 in any case", in_key=False,
                            use="without effect"),
    "enable_model_runtime_executor": Own(False, "programs run in PopART's sessions, with the same results", in_key=False,
                                         use="without effect"),
}
# Texts and numbers of PopART's sessions, by Paddle's names.
SESSION = {
    "accumulate_outer_fragment": "accumulateOuterFragmentSettings", "accumulation_factor": "accumulationFactor",
    "accumulation_and_replication_reduction_type": "accumulationAndReplicationReductionType",
    "alias_zero_copy": "aliasZeroCopy", "auto_recomputation": "autoRecomputation", "cache_path": "cachePath",
    "compilation_progress_total": "compilationProgressTotal", "compile_engine": "compileEngine",
    "constant_weights": "constantWeights", "convolution_options": "convolutionOptions", "custom_codelets": "customCodelets",
    "custom_codelet_compile_flags": "customCodeletCompileFlags", "decompose_grad_sum": "decomposeGradSum",
    "default_prefetch_buffering_depth": "defaultBufferingDepth", "delay_var_updates": "delayVarUpdates",
    "disable_grad_accumulation_tensor_streams": "disableGradAccumulationTensorStreams", "dot_checks": "dotChecks",
    "dot_op_names": "dotOpNames", "enable_engine_caching": "enableEngineCaching", "enable_explicit_main_loops":
    "enableExplicitMainLoops", "enable_floating_point_checks": "enableFloatingPointChecks",
    "enable_fully_connected_pass": "enableFullyConnectedPass", "enable_gradient_accumulation": "enableGradientAccumulation",
    "enable_inplace_ambiguity_checking": "enableInplaceAmbiguityChecking",
    "enable_load_and_offload_rng_state": "enableLoadAndOffloadRNGState", "enable_merge_exchange": "enableMergeExchange",
    "enable_non_stable_softmax": "enableNonStableSoftmax", "enable_outlining": "enableOutlining",
    "enable_outlining_copy_cost_pruning": "enableOutliningCopyCostPruning", "enable_pipelining": "enablePipelining",
    "enable_prefetch_datastreams": "enablePrefetchDatastreams", "enable_replicated_graphs": "enableReplicatedGraphs",
    "enable_serialized_matmuls": "enableSerializedMatmuls", "enable_stable_norm": "enableStableNorm",
    "enable_stochastic_rounding": "enableStochasticRounding",
    "enable_supported_data_type_casting": "enableSupportedDataTypeCasting", "engine_options": "engineOptions",
    "explicit_recomputation": "explicitRecomputation", "export_poplar_computation_graph": "exportPoplarComputationGraph",
    "export_poplar_vertex_graph": "exportPoplarVertexGraph", "final_dot_op": "finalDotOp", "first_dot_op": "firstDotOp",
    "gcl_options": "gclOptions", "group_host_sync": "groupHostSync",
    "group_norm_strided_channel_grouping": "groupNormStridedChannelGrouping",
    "hardware_instrumentations": "hardwareInstrumentations",
    "instrument_with_hardware_cycle_counter": "instrumentWithHardwareCycleCounter", "kahn_tie_breaker": "kahnTieBreaker",
    "log_dir": "logDir", "lstm_options": "lstmOptions", "matmul_options": "matmulOptions",
    "mean_accumulation_and_replication_reduction_strategy": "meanAccumulationAndReplicationReductionStrategy",
    "merge_var_update": "mergeVarUpdate", "merge_var_update_mem_threshold": "mergeVarUpdateMemThreshold",
    "num_io_tiles": "numIOTiles", "opx_alias_checking": "opxAliasChecking", "opx_modify_checking": "opxModifyChecking",
    "outline_sequence_break_cost": "outlineSequenceBreakCost", "outline_threshold": "outlineThreshold",
    "partials_type_matmuls": "partialsTypeMatMuls", "rearrange_anchors_on_host": "rearrangeAnchorsOnHost",
    "replicated_collectives_settings": "replicatedCollectivesSettings", "replicated_graph_count": "replicatedGraphCount",
    "report_options": "reportOptions", "separate_call_op_pdfs": "separateCallOpPdfs",
    "schedule_non_weight_update_gradient_consumers_early": "scheduleNonWeightUpdateGradientConsumersEarly",
    "serialized_poprithms_shift_graphs_dir": "serializedPoprithmsShiftGraphsDir",
    "stash_all_tensors_inference_pipeline": "stashAllTensorsInferencePipeline", "strict_op_versions": "strictOpVersions",
    "subgraph_copying_strategy": "subgraphCopyingStrategy", "swap_limit_scheduler": "swapLimitScheduler",
    "synthetic_data_mode": "syntheticDataMode", "time_limit_scheduler": "timeLimitScheduler",
    "transitive_closure_optimization_threshold": "transitiveClosureOptimizationThreshold",
    "use_host_copy_ops": "useHostCopyOps", "virtual_graph_mode": "virtualGraphMode",
    "create_implicit_pipelining_fwd_only_program": "createImplicitPipeliningFwdOnlyProgram",
    "disable_optimizer_state_tensor_streams": "disableOptimizerStateTensorStreams",
    "enable_constant_folding_of_multiple_consumers": "enableConstantFoldingOfMultipleConsumers",
    "enable_distributed_replicated_graphs": "enableDistributedReplicatedGraphs",
    "enable_efficient_overlap_io_topo_cons": "enableEfficientOverlapIOTopoCons",
    "enable_variables_caching": "enableVariablesCaching", "ensure_fp32_loss_scale_tensor": "ensureFp32LossScaleTensor",
    "global_replica_offset": "globalReplicaOffset", "global_replication_factor": "globalReplicationFactor",
    "rearrange_streams_on_host": "rearrangeStreamsOnHost",
    "throw_if_log2_scale_tensor_not_in_range": "throwIfLog2ScaleTensorNotInRange",
    "use_loop_candidate_creator": "useLoopCandidateCreator",
}
SESSION_CHECKS = {"replicated_graph_count": _POSITIVE, "accumulation_factor": _POSITIVE}
LOCATIONS = {"location_activation": "activationTensorLocationSettings", "location_weight": "weightTensorLocationSettings",
             "location_optimizer": "optimizerStateTensorLocationSettings",
             "location_accumulator": "accumulatorTensorLocationSettings"}
OTHERS = {
    "compilation_progress_logger": Own(None, "a function (progress, total) that is called while a program is compiled",
                                       in_key=False),
    "custom_op": Own([], "an operator of the program that PopART knows by another name: the arguments of `add_custom_op`"),
}


_BY_FIELD = {field: name for name, field in (*SESSION.items(), *LOCATIONS.items())}


def own_name(name: str) -> str:
    """Paddle's name for an option of sessions that is given by PopART's."""
    return _BY_FIELD.get(name, name)


def field_of(name: str) -> "Optional[str]":
    """The session option with this name, which is Paddle's, or PopART's where Paddle has none; None if there is none."""
    there = not name.startswith("_") and hasattr(popart.SessionOptions, name)
    return SESSION.get(name, name if there else None)


def all_names():
    return [*OWN, *SESSION, *LOCATIONS, *OTHERS]
