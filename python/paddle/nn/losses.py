# SPDX-License-Identifier: MIT
"""Losses as layers."""
from . import functional as F
from .layer import Layer

__all__ = ["CrossEntropyLoss", "MSELoss", "L1Loss", "SmoothL1Loss", "BCELoss", "BCEWithLogitsLoss", "KLDivLoss", "NLLLoss",
           "MarginRankingLoss", "CTCLoss", "HingeEmbeddingLoss", "CosineEmbeddingLoss"]


def _loss(name, function, *arguments):
    """arguments: names of what is not an input."""
    def init(self, *args, name=None, **kwargs):
        Layer.__init__(self)
        self._given = {**dict(zip(arguments, args)), **kwargs}

    def forward(self, *inputs):
        """The loss of inputs and labels."""
        return function(*inputs, **self._given)
    return type(name, (Layer,),
                {"__init__": init, "forward": forward, "__doc__": f"functional.{function.__name__} as a layer."})


CrossEntropyLoss = _loss("CrossEntropyLoss", F.cross_entropy, "weight", "ignore_index", "reduction", "soft_label", "axis",
                         "use_softmax")
MSELoss = _loss("MSELoss", F.mse_loss, "reduction")
L1Loss = _loss("L1Loss", F.l1_loss, "reduction")
SmoothL1Loss = _loss("SmoothL1Loss", F.smooth_l1_loss, "reduction", "delta")
BCELoss = _loss("BCELoss", F.binary_cross_entropy, "weight", "reduction")
BCEWithLogitsLoss = _loss("BCEWithLogitsLoss", F.binary_cross_entropy_with_logits, "weight", "reduction", "pos_weight")
KLDivLoss = _loss("KLDivLoss", F.kl_div, "reduction")
NLLLoss = _loss("NLLLoss", F.nll_loss, "weight", "ignore_index", "reduction")
MarginRankingLoss = _loss("MarginRankingLoss", F.margin_ranking_loss, "margin", "reduction")
CTCLoss = _loss("CTCLoss", F.ctc_loss, "blank", "reduction")
HingeEmbeddingLoss = _loss("HingeEmbeddingLoss", F.hinge_embedding_loss, "margin", "reduction")
CosineEmbeddingLoss = _loss("CosineEmbeddingLoss", F.cosine_embedding_loss, "margin", "reduction")
