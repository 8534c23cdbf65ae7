# SPDX-License-Identifier: MIT
"""TensorFlow's interface on simulated IPUs, written for OpenIPU: this is not Google's TensorFlow.

docs/tensorflow.md lists what there is. Graphs run on the host's own device outside of an IPUStrategy's scope.
"""
from tensorflow import _real

_other = _real.find()
if _other is not None:
    _real.take_its_place(_other)
else:
    try:
        import popart as _popart  # noqa: F401
    except ImportError as _problem:
        raise ImportError(f"OpenIPU's TensorFlow needs the SDK's libraries: source its enable.sh first ({_problem}).") from _problem
    from tensorflow import _aliases

    _aliases.install()
    from tensorflow._shown import *  # noqa: F401,F403
    from tensorflow._shown import __dir__, __getattr__, __lazy__  # noqa: F401
    from tensorflow._version import VERSION as __version__  # noqa: F401
