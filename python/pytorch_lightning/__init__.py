# SPDX-License-Identifier: MIT
"""PyTorch Lightning's name for pi_ml: only where OPENIPU_PYTORCH_LIGHTNING=1 asks for it, and no Lightning is installed."""
import os

from openipu import others as _others

_other = _others.find(__file__, "_alias.py")
if _other is not None:
    _others.take_its_place(_other)
elif os.environ.get("OPENIPU_PYTORCH_LIGHTNING", "0") not in ("", "0"):
    from pytorch_lightning import _alias
    _alias.install()
else:
    raise ModuleNotFoundError("No module named 'pytorch_lightning'. OpenIPU's pi_ml follows it in names and hooks: import "
                              "pi_ml instead, or set OPENIPU_PYTORCH_LIGHTNING=1, and this name is pi_ml's as well "
                              "(docs/pi_ml.md).", name="pytorch_lightning")
