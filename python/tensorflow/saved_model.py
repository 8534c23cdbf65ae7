# SPDX-License-Identifier: MIT
"""tf.saved_model: exports for serving are loaded again; SavedModels of others are not read."""
from tensorflow import _names

SERVING, TRAINING = "serve", "train"
DEFAULT_SERVING_SIGNATURE_DEF_KEY = "serving_default"


def load(export_dir, tags=None, options=None):
    """What export_for_ipu_serving and ipu.serving wrote: .signatures["serving_default"] is a function of the inputs by name
    that gives {name: tensor}, on the IPUs that are configured."""
    import os
    from tensorflow.python.ipu.served import Loaded
    return Loaded(os.fspath(export_dir))


def contains_saved_model(export_dir):
    import os
    from tensorflow.python.ipu.served import FILE
    return os.path.isfile(os.path.join(export_dir, FILE))


def save(obj, export_dir, signatures=None, options=None):
    raise NotImplementedError("tf.saved_model.save is not there: use model.save(\"model.h5\"), or ipu.serving for an export.")


_names.lazy(globals(), {})
