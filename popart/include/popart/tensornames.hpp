// SPDX-License-Identifier: MIT
// Prefixes of tensors that sessions make themselves.
#ifndef POPART_TENSORNAMES_HPP
#define POPART_TENSORNAMES_HPP
#include <popart/names.hpp>

namespace popart {

inline const char *reservedGradientPrefix() { return "Gradient___"; }
inline const char *reservedUpdatedVarPrefix() { return "UpdatedVar___"; }
inline const char *reservedAccumPrefix() { return "Accum___"; }
inline const char *reservedAcclPrefix() { return "Accl___"; }
inline const char *reservedAccl1Prefix() { return "Accl1___"; }
inline const char *reservedAccl2Prefix() { return "Accl2___"; }
inline const char *reservedAccl3Prefix() { return "Accl3___"; }
inline const char *reservedStepPrefix() { return "Step___"; }
inline const char *reservedCounterPrefix() { return "Counter___"; }
inline const char *reservedLossScalingPrefix() { return "lossScaling_"; }
inline const char *reservedStashedPrefix() { return "Stashed___"; }
inline const char *reservedRestoredPrefix() { return "Restored___"; }
inline const char *reservedRandomSeedPrefix() { return "randomSeed___"; }
inline const char *reservedSeedModifierPrefix() { return "randomSeedModifier___"; }
inline const char *reservedInitPrefix() { return "Init___"; }
inline const char *reservedIndexPrefix() { return "Index___"; }
inline const char *reservedConstValuePrefix() { return "ConstValue___"; }

inline TensorId getGradId(const TensorId &id) { return reservedGradientPrefix() + id; }
inline bool isGradId(const TensorId &id) { return id.rfind(reservedGradientPrefix(), 0) == 0; }
// popart::error unless it is the name of a gradient.
TensorId getNonGradId(const TensorId &id);
inline TensorId getUpdatedVarId(const TensorId &id) { return reservedUpdatedVarPrefix() + id; }
TensorId stripAllReservedPrefixes(const TensorId &id);

} // namespace popart
#endif
