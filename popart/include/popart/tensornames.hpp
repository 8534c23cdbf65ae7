// SPDX-License-Identifier: MIT
// Prefixes of tensors that sessions make themselves.
#ifndef POPART_TENSORNAMES_HPP
#define POPART_TENSORNAMES_HPP
#include <popart/names.hpp>

namespace popart {

#define POPART_RESERVED(name, text)                                                                \
  inline const char *reserved##name##Prefix() { return text; }
POPART_RESERVED(Gradient, "Gradient___")
POPART_RESERVED(UpdatedVar, "UpdatedVar___")
POPART_RESERVED(Accum, "Accum___")
POPART_RESERVED(Accl, "Accl___")
POPART_RESERVED(Accl1, "Accl1___")
POPART_RESERVED(Accl2, "Accl2___")
POPART_RESERVED(Accl3, "Accl3___")
POPART_RESERVED(Step, "Step___")
POPART_RESERVED(Counter, "Counter___")
POPART_RESERVED(AcclToReduce, "AcclIntoReduce___")
POPART_RESERVED(AcclToUpdate, "AcclIntoUpdate___")
POPART_RESERVED(AcclFinalOut, "AcclOutOfAcclUpdate___")
POPART_RESERVED(FinalReducedGrad, "FinalReducedGradient___")
POPART_RESERVED(AdamUpdater, "AdamUpdater___")
POPART_RESERVED(AdaptiveUpdater, "AdaptiveUpdater___")
POPART_RESERVED(LambR1Sq, "LambR1Sq___")
POPART_RESERVED(LambR2Sq, "LambR2Sq___")
POPART_RESERVED(LossScaling, "lossScaling_")
POPART_RESERVED(AutomaticLossScaleProxy, "AutomaticLossScaleProxy___")
POPART_RESERVED(Stashed, "Stashed___")
POPART_RESERVED(Restored, "Restored___")
POPART_RESERVED(RandomSeed, "randomSeed___")
POPART_RESERVED(SeedModifier, "randomSeedModifier___")
POPART_RESERVED(RemoteArg, "RemoteArg___")
POPART_RESERVED(AnchorSum, "anchorSum___")
POPART_RESERVED(AnchorFinal, "anchorFinal___")
POPART_RESERVED(CycleCount, "cycleCount___")
POPART_RESERVED(ConcatInit, "ConcatInit___")
POPART_RESERVED(ConstValue, "ConstValue___")
POPART_RESERVED(GlobalNorm, "GlobalNorm___")
POPART_RESERVED(Index, "Index___")
POPART_RESERVED(Init, "Init___")
POPART_RESERVED(LoopIterator, "Iterator___")
POPART_RESERVED(LoopCond, "LoopCond___")
// Of the optimisers' scalars: for all weights, and for one.
#define POPART_RESERVED_SCALAR(Name, name)                                                         \
  POPART_RESERVED(Default##Name, #name "___default___")                                            \
  POPART_RESERVED(Specific##Name, #name "___specific___")
POPART_RESERVED_SCALAR(ScaledLearningRate0, scaledLearningRate0)
POPART_RESERVED_SCALAR(ScaledLearningRate1, scaledLearningRate1)
POPART_RESERVED_SCALAR(ScaledLearningRate2, scaledLearningRate2)
POPART_RESERVED_SCALAR(WeightDecayScaleFactor0, weightDecayScaleFactor0)
POPART_RESERVED_SCALAR(ScaledWeightDecay1, scaledWeightDecay1)
POPART_RESERVED_SCALAR(DampeningScaleFactor1, dampeningScaleFactor1)
POPART_RESERVED_SCALAR(DampeningScaleFactor2, dampeningScaleFactor2)
POPART_RESERVED_SCALAR(ScaledMomentum1, scaledMomentum1)
POPART_RESERVED_SCALAR(ScaledMomentum2, scaledMomentum2)
POPART_RESERVED_SCALAR(SgdMomentum, sgdMomentum)
POPART_RESERVED_SCALAR(SgdWeightDecay, sgdWeightDecay)
POPART_RESERVED_SCALAR(LearningRate, learningRate)
POPART_RESERVED_SCALAR(WeightDecay, weightDecay)
POPART_RESERVED_SCALAR(LossScaling, lossScaling)
POPART_RESERVED_SCALAR(AdamBeta1, adamBeta1)
POPART_RESERVED_SCALAR(AdamBeta2, adamBeta2)
POPART_RESERVED_SCALAR(AdamEps, adamEps)
POPART_RESERVED_SCALAR(AdamGradientScaling, adamGradientScaling)
POPART_RESERVED_SCALAR(MaxWeightNorm, maxWeightNorm)
POPART_RESERVED_SCALAR(AdaptiveAlpha, adaptiveAlpha)
POPART_RESERVED_SCALAR(AdaptiveMomentum, adaptiveMomentum)
POPART_RESERVED_SCALAR(AdaptiveEps, adaptiveEps)
POPART_RESERVED_SCALAR(AdaptiveGradientScaling, adaptiveGradientScaling)
#undef POPART_RESERVED_SCALAR
#undef POPART_RESERVED

// The name of the gradient of a tensor.
inline TensorId getGradId(const TensorId &id) { return reservedGradientPrefix() + id; }
// Whether it is the name of a gradient.
inline bool isGradId(const TensorId &id) { return id.rfind(reservedGradientPrefix(), 0) == 0; }
// popart::error unless it is the name of a gradient.
TensorId getNonGradId(const TensorId &id);
// The name of a variable after its update.
inline TensorId getUpdatedVarId(const TensorId &id) { return reservedUpdatedVarPrefix() + id; }
TensorId stripAllReservedPrefixes(const TensorId &id); // the name without what PopART put before it

} // namespace popart
#endif
