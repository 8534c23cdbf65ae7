# SPDX-License-Identifier: MIT
"""Losses as layers."""
from . import functional as F
from .layer import Layer

# name -> (function, names of what is not an input)
_table = {"CrossEntropyLoss": ("cross_entropy", ("weight", "ignore_index", "reduction", "soft_label", "axis", "use_softmax")),
          "MSELoss": ("mse_loss", ("reduction",)), "L1Loss": ("l1_loss", ("reduction",)),
          "SmoothL1Loss": ("smooth_l1_loss", ("reduction", "delta")), "BCELoss": ("binary_cross_entropy",
                                                                                 ("weight", "reduction")),
          "BCEWithLogitsLoss": ("binary_cross_entropy_with_logits", ("weight", "reduction", "pos_weight")),
          "KLDivLoss": ("kl_div", ("reduction",)), "NLLLoss": ("nll_loss", ("weight", "ignore_index", "reduction")),
          "MarginRankingLoss": ("margin_ranking_loss", ("margin", "reduction")), "CTCLoss": ("ctc_loss", ("blank", "reduction"))}
__all__ = list(_table)


def _make(name, function, arguments):
    def init(self, *args, name=None, **kwargs):
        Layer.__init__(self)
        self._given = {**dict(zip(arguments, args)), **kwargs}

    def forward(self, *inputs):
        return getattr(F, function)(*inputs, **self._given)
    return type(name, (Layer,), {"__init__": init, "forward": forward, "__doc__": f"functional.{function} as a layer."})


for _name, (_function, _arguments) in _table.items():
    globals()[_name] = _make(_name, _function, _arguments)
