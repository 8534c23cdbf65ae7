# SPDX-License-Identifier: MIT
"""tf.saved_model: exports for serving are loaded again; SavedModels of others are not read."""
from __future__ import annotations

import os as _os
import typing as _typing
from tensorflow import _names
if _typing.TYPE_CHECKING:  # of annotations
    from typing import Any, NoReturn
    from tensorflow.framework.typed import PathLike

SERVING, TRAINING = "serve", "train"
DEFAULT_SERVING_SIGNATURE_DEF_KEY = "serving_default"


def load(export_dir: PathLike, tags: Any = None, options: Any = None) -> Any:
    """What export_for_ipu_serving and ipu.serving wrote: .signatures["serving_default"] is a function of the inputs by name
    that gives {name: tensor}, on the IPUs that are configured."""
    from tensorflow.python.ipu.served import Loaded  # takes the IPU package, when it is used
    return Loaded(_os.fspath(export_dir))


def contains_saved_model(export_dir: PathLike) -> Any:
    """Whether a folder holds a saved model."""
    from tensorflow.python.ipu.served import FILE  # takes the IPU package, when it is used
    return _os.path.isfile(_os.path.join(export_dir, FILE))


def save(obj: Any, export_dir: PathLike, signatures: Any = None, options: Any = None) -> NoReturn:
    """Writes functions and variables of an object to a folder."""
    raise NotImplementedError("tf.saved_model.save is not there: use model.save(\"model.h5\"), or ipu.serving for an export.")


_names.explain_missing(globals())
