// SPDX-License-Identifier: MIT
// The scalar functions behind NonLinearities.def, for loops that the compiler vectorises.
#pragma once
#include "base/Simd.hpp"

namespace popnn {

OPENIPU_INLINE float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

OPENIPU_INLINE float hardSigmoid(float x) {
  float y = 0.2f * x + 0.5f;
  y = y < 0.0f ? 0.0f : y;
  return y > 1.0f ? 1.0f : y;
}

constexpr float rootTwoOverPi = 0.7978845608028654f;

OPENIPU_INLINE float gelu(float x) {
  return 0.5f * x * (1.0f + tanhf(rootTwoOverPi * x * (1.0f + 0.044715f * x * x)));
}
OPENIPU_INLINE float geluSlope(float x) {
  float t = tanhf(rootTwoOverPi * x * (1.0f + 0.044715f * x * x));
  return 0.5f * (1.0f + t) +
         0.5f * x * (1.0f - t * t) * rootTwoOverPi * (1.0f + 3.0f * 0.044715f * x * x);
}

OPENIPU_INLINE float normalCdf(float x) { return 0.5f * (1.0f + erff(x * 0.7071067811865475f)); }
OPENIPU_INLINE float geluErf(float x) { return x * normalCdf(x); }
OPENIPU_INLINE float geluErfSlope(float x) {
  return normalCdf(x) + x * (0.3989422804014327f * expf(-0.5f * x * x));
}

OPENIPU_INLINE float swishSlope(float x) {
  float s = sigmoid(x);
  return s * (1.0f + x * (1.0f - s));
}

} // namespace popnn
