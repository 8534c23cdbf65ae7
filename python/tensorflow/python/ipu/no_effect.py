# SPDX-License-Identifier: MIT
"""What programs for hardware can be told and nothing here depends on, with the reason: setting it says so in a warning.
docs/tensorflow.md has the same tables, and a test compares them."""

ARGUMENTS = {
    "prefetch_depth": "the simulated host has every batch ready when the program asks for it",
    "buffer_depth": "results are taken by the host at once",
    "optimise_latency": "transfers take the time that their bytes take, however they are arranged",
    "forward_propagation_stages_poplar_options": "stages share the options of IPUConfig",
    "backward_propagation_stages_poplar_options": "stages share the options of IPUConfig",
    "weight_update_poplar_options": "updates share the options of IPUConfig",
    "accumulate_outfeed_dtype": "the host adds what is accumulated, in float64",
    "partials_dtype": "recurrent kernels add up in float32",
    "options": "recurrent kernels have no options here",
    "options_bwd": "recurrent kernels have no options here",
    "serialization_factor": "lookups are planned by the sizes of their tables",
    "indices_are_sorted": "lookups take indices in any order",
    "unique_sharding": "equal parts of a program are found without being told",
    "keep_input_layouts": "equal parts of a program are found without being told",
}
_ONE = "one order of operations is chosen, by the memory that it needs"
_JOINED = "what is alike is joined by the compiler whatever its size"
_FOUND = "the compiler finds such parts itself"
CONFIG = {
    "selection_order": "links of the simulated system take the same time in every order",
    "device_connection.enable_remote_buffers": "every device has memory beside the chip",
    "slices.poplar_options": "lookups have no options here",
    "pooling.poplar_options": "pools have no options here",
    "floating_point_behaviour.nanoo": "float16 results that are too large are infinite",
    "io_tiles.place_ops_on_io_tiles": "I/O tiles only move data",
    "io_tiles.available_memory_proportion": "I/O tiles only move data",
    "optimizations.math.fast": "arithmetic is always exact",
    "optimizations.math.dot_strength": "products are planned by their shapes",
    "optimizations.enable_fast_math": "arithmetic is always exact",
    "optimizations.merge_infeed_io_copies": _JOINED,
    "optimizations.enable_gather_simplifier": _FOUND,
    "optimizations.enable_dynamic_slice_replacement": _FOUND,
    "optimizations.combine_embedding_lookups": "lookups are planned one by one",
    "optimizations.combine_matmuls": "products are planned one by one",
    "optimizations.maximum_cross_replica_sum_buffer_size": _JOINED,
    "optimizations.maximum_reduce_scatter_buffer_size": _JOINED,
    "optimizations.maximum_inter_ipu_copies_buffer_size": _JOINED,
    "optimizations.maximum_send_recv_cluster_size": _JOINED,
    "optimizations.maximum_reduce_many_buffer_size": _JOINED,
    "optimizations.maximum_all_gather_buffer_size": _JOINED,
    "optimizations.triangular_solve_expander_block_size": "there is no triangular solve",
    "optimizations.cholesky_block_size": "there is no Cholesky decomposition",
    "optimizations.merge_remote_buffers": "every tensor beside the chip has a buffer of its own",
    "scheduling.algorithm": _ONE,
    "scheduling.maximum_scheduler_lookahead_depth": _ONE,
    "scheduling.maximum_scheduler_search_space_size": _ONE,
    "experimental.enable_remote_buffer_embedding": "the host looks up the rows of its embeddings",
    "experimental.enable_prng_stability": "the states of random numbers are always kept between programs",
}
