# SPDX-License-Identifier: MIT
"""The options of IpuStrategy.set_options, in one table: name -> what it does.

OWN: Paddle's own, with their defaults; those in WITHOUT_EFFECT change nothing here, and say why. SESSION: options of
PopART's sessions under their names in snake case.
"""
import sys

OWN = {
    "is_training": True, "need_avg_shard": False, "enable_fp16": False, "use_no_bias_optimizer": False,
    "enable_distribution": False, "scaled_optimizer_state": False, "num_ipus": 1, "batches_per_step": 1,
    "micro_batch_size": 1, "tiles_per_ipu": 4, "random_seed": sys.maxsize * 2 + 1, "available_memory_proportion": 0.0,
    "loss_scaling": 1.0, "max_weight_norm": 65504.0, "accl1_type": "FLOAT", "accl2_type": "FLOAT", "accl3_type": "FLOAT",
    "onnx_dump_path": "", "weight_decay_mode": "", "lr": 0.0, "is_dynamic": False, "runtime_options.enable_eval": False,
    "enable_manual_shard": False, "enable_half_partial": False,
}
WITHOUT_EFFECT = {
    "runtime_options.enable_eval": "an evaluation is a program of its own, compiled with is_training=False",
    "lr": "the learning rate is that of the program's optimizer; this one is of the dynamic graph",
}
REFUSED = {
    "is_dynamic": "the dynamic graph is not there: build a static program",
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
    "serialized_poprithms_shift_graphs_dir": "serializedPoprithmsShiftGraphsDir",
    "stash_all_tensors_inference_pipeline": "stashAllTensorsInferencePipeline", "strict_op_versions": "strictOpVersions",
    "subgraph_copying_strategy": "subgraphCopyingStrategy", "swap_limit_scheduler": "swapLimitScheduler",
    "synthetic_data_mode": "syntheticDataMode", "time_limit_scheduler": "timeLimitScheduler",
    "transitive_closure_optimization_threshold": "transitiveClosureOptimizationThreshold",
    "use_host_copy_ops": "useHostCopyOps", "virtual_graph_mode": "virtualGraphMode",
}
LOCATIONS = {"location_activation": "activationTensorLocationSettings", "location_weight": "weightTensorLocationSettings",
             "location_optimizer": "optimizerStateTensorLocationSettings",
             "location_accumulator": "accumulatorTensorLocationSettings"}
OTHERS = {"compilation_progress_logger": "a function (progress, total) that is called while a program is compiled",
          "custom_op": "see IpuStrategy.add_custom_op"}


def all_names():
    return [*OWN, *SESSION, *LOCATIONS, *OTHERS]
