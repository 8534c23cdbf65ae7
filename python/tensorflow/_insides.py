# SPDX-License-Identifier: MIT
"""What modules TensorFlow's and Keras' own insides have, and in which public modules their names are looked for."""
_KERAS = ["tensorflow.keras", *(f"tensorflow.keras.{name}" for name in (
    "layers", "models", "optimizers", "optimizers.schedules", "losses", "metrics", "callbacks", "initializers", "regularizers",
    "constraints", "activations", "utils", "ipu", "mixed_precision", "backend"))]
_ALL = ["tensorflow.compat.v1", "tensorflow", *(f"tensorflow.{name}" for name in (
    "compat.v1.nn", "nn", "math", "random", "linalg", "image", "nest", "errors", "data", "compat.v1.train", "compat.v1.layers",
    "test", "compat.v1.test_cases", "compat.v1.losses", "compat.v1.metrics", "compat.v1.image", "compat.v1.rnn_cell",
    "debugging", "distribute", "summary"))]
# package -> part of its insides -> where the names of modules of that part are looked for: modules, or "module:name"
INSIDES = {
    "tensorflow": {"compiler": _ALL, "core": _ALL},
    "tensorflow.python": {**{part: _ALL for part in ("client", "eager", "framework", "layers", "module", "ops",
                                                     "util", "autograph", "distribute")},
                          "training": [*_ALL, "tensorflow.train"],
                          "platform": [*_ALL, "tensorflow.compat.v1.flags", "tensorflow.compat.v1:logging",
                                       "tensorflow.compat.v1:app", "tensorflow.io:gfile_v1"],
                          "lib": ["tensorflow.io", "tensorflow.io:gfile_v1"],
                          "data": ["tensorflow.data", "tensorflow.compat.v1.data"],
                          "saved_model": ["tensorflow.saved_model"], "estimator": ["tensorflow.estimator"],
                          "summary": ["tensorflow.compat.v1.summary", "tensorflow.summary"]},
    "tensorflow.keras": {part: _KERAS for part in ("engine", "optimizer_v1", "optimizer_v2", "legacy_tf_layers",
                                                  "mixed_precision")},
    "tensorflow.keras.layers": {part: _KERAS for part in (
        "advanced_activations", "convolutional", "convolutional_recurrent", "dense_attention", "embeddings", "merge", "noise",
        "normalization", "pooling", "recurrent", "recurrent_v2", "wrappers")},
    "tensorflow.keras.utils": {part: _KERAS for part in ("data_utils", "generic_utils", "layer_utils", "np_utils", "tf_utils")},
    "tensorflow.keras.ipu": {"extensions": ["tensorflow.keras.ipu"]}}
# Packages below a part: what they have is modules, not names.
DEEPER = {"autograph.impl", "compiler.plugin", "compiler.plugin.poplar", "compiler.plugin.poplar.driver",
           "compiler.plugin.poplar.ops", "compiler.plugin.poplar.tests", "compiler.tests", "compiler.xla",
           "compiler.xla.experimental", "core.framework", "core.protobuf", "data.experimental", "data.experimental.ops",
           "data.ops", "data.util", "lib.io", "ops.linalg", "ops.losses", "training.experimental", "training.saving",
           "training.tracking"}
