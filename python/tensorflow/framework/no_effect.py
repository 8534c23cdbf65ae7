# SPDX-License-Identifier: MIT
"""Arguments that programs for hardware have and nothing here depends on, with the reason: giving one says so in a warning.
docs/tensorflow-options.md has this table; config_table.py says it of IPUConfig's attributes."""

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
    "save_summary_steps": "summaries are written by the program itself (tf.summary)",
    "save_checkpoints_secs": "checkpoints follow steps (save_checkpoints_steps) and the end of train()",
    "ref": "random numbers do not depend on where a tensor is",
    "poplar_options": "convolutions share the options of IPUConfig",
    "keep_input_layouts": "equal parts of a program are found without being told",
}
