# SPDX-License-Identifier: MIT
"""TensorFlow's interface on simulated IPUs, written for OpenIPU: this is not Google's TensorFlow.

docs/tensorflow.md lists what there is. Graphs run on the host's own device outside of an IPUStrategy's scope.
"""
try:
    from openipu import loading as _loading, others as _others
except ModuleNotFoundError:
    raise ImportError("OpenIPU's TensorFlow needs its libraries. Source the enable.sh of an SDK in this shell and start Python "
                      "again, or install the wheel openipu of the same version (pip install openipu-*.whl).") from None

_other = _others.find(__file__, "_names.py")
if _other is not None:
    _others.take_its_place(_other)
else:
    _loading.require("tensorflow/_core", __file__)
    import popart as _popart
    from tensorflow import _aliases

    _aliases.install()
    from tensorflow._shown import *
    from tensorflow._shown import __dir__, __getattr__, __lazy__
    from tensorflow._version import VERSION as __version__
