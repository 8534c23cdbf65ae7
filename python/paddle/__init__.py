# SPDX-License-Identifier: MIT
"""paddle: static graphs of PaddlePaddle on simulated IPUs.

An own package (distribution paddlepaddle-ipu), not PaddlePaddle: what is here behaves as there and uses its file formats;
docs/paddle.md lists what is here and what is not. Where a real Paddle is importable, that one is imported instead.
"""
try:
    from openipu import loading as _loading, others as _others
except ModuleNotFoundError:
    raise ImportError("OpenIPU's Paddle needs its libraries. Source the enable.sh of an SDK in this shell and start Python "
                      "again, or install the wheel openipu of the same version (pip install openipu-*.whl).") from None

_other = _others.find(__file__, "_names.py")
if _other is not None:
    _others.take_its_place(_other)
else:
    _loading.require("paddle/paddle_core", __file__)
    from ._package import *
    from ._package import __version__, full_version
    from ._names import explain_imports as _explain
    from ._names import refuse_unknown as _refuse
    _refuse(__name__)
    _explain()
