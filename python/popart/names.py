# SPDX-License-Identifier: MIT
"""Prefixes of tensors that sessions make themselves."""

_PREFIXES = {
    "Gradient": "Gradient___",
    "UpdatedVar": "UpdatedVar___",
    "Accum": "Accum___",
    "Accl": "Accl___",
    "Accl1": "Accl1___",
    "Accl2": "Accl2___",
    "Accl3": "Accl3___",
    "Step": "Step___",
    "Counter": "Counter___",
    "Stashed": "Stashed___",
    "Restored": "Restored___",
    "RandomSeed": "randomSeed___",
    "LossScaling": "lossScaling_",
}

__all__ = []
for _name, _prefix in _PREFIXES.items():
    globals()[f"reserved{_name}Prefix"] = lambda _prefix=_prefix: _prefix
    __all__.append(f"reserved{_name}Prefix")
