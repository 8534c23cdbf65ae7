# SPDX-License-Identifier: MIT
"""Prefixes of tensors that sessions make themselves: reservedGradientPrefix() is "Gradient___"."""
from typing import Callable

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
    "AcclToReduce": "AcclIntoReduce___",
    "AcclToUpdate": "AcclIntoUpdate___",
    "AcclFinalOut": "AcclOutOfAcclUpdate___",
    "FinalReducedGrad": "FinalReducedGradient___",
    "AdamUpdater": "AdamUpdater___",
    "AdaptiveUpdater": "AdaptiveUpdater___",
    "LambR1Sq": "LambR1Sq___",
    "LambR2Sq": "LambR2Sq___",
    "LossScaling": "lossScaling_",
    "AutomaticLossScaleProxy": "AutomaticLossScaleProxy___",
    "Stashed": "Stashed___",
    "Restored": "Restored___",
    "RandomSeed": "randomSeed___",
    "SeedModifier": "randomSeedModifier___",
    "RemoteArg": "RemoteArg___",
    "AnchorSum": "anchorSum___",
    "AnchorFinal": "anchorFinal___",
    "CycleCount": "cycleCount___",
    "ConcatInit": "ConcatInit___",
    "ConstValue": "ConstValue___",
    "GlobalNorm": "GlobalNorm___",
    "Index": "Index___",
    "Init": "Init___",
    "LoopIterator": "Iterator___",
    "LoopCond": "LoopCond___",
}
# Of the optimisers' scalars: for all weights, and for one.
for _scalar in ("scaledLearningRate0", "scaledLearningRate1", "scaledLearningRate2", "weightDecayScaleFactor0",
                "scaledWeightDecay1", "dampeningScaleFactor1", "dampeningScaleFactor2", "scaledMomentum1",
                "scaledMomentum2", "sgdMomentum", "sgdWeightDecay", "learningRate", "weightDecay", "lossScaling",
                "adamBeta1", "adamBeta2", "adamEps", "adamGradientScaling", "maxWeightNorm", "adaptiveAlpha",
                "adaptiveMomentum", "adaptiveEps", "adaptiveGradientScaling"):
    _capital = _scalar[0].upper() + _scalar[1:]
    _PREFIXES["Default" + _capital] = _scalar + "___default___"
    _PREFIXES["Specific" + _capital] = _scalar + "___specific___"


def _constant(name: str, value: str) -> Callable[[], str]:
    def prefix() -> str:
        return value
    prefix.__name__ = prefix.__qualname__ = name
    prefix.__doc__ = f"The prefix {value!r} of tensors that sessions make."
    return prefix


__all__: "list[str]" = []
for _name, _prefix in _PREFIXES.items():
    globals()[f"reserved{_name}Prefix"] = _constant(f"reserved{_name}Prefix", _prefix)
    __all__.append(f"reserved{_name}Prefix")
