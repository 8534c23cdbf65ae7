// SPDX-License-Identifier: MIT
// What the kernel "poprand.generate" draws: the attributes that the operators write.
#pragma once
#include <cstdint>

namespace poprand {

enum class Kind : std::uint64_t {
  Uniform,
  UniformInt,
  LogUniform,
  LogUniformInt,
  Normal,
  Truncated,
  Bernoulli,
  BernoulliInt,
  End
};

struct Draw { // all of eight bytes, so that its bytes are its values
  Kind kind;
  std::uint64_t seeded = 0, modifier = 0;
  double centre = 0, spread = 1, low = 0,
         high = 0;           // value = centre + spread * x, within [low, high]
  double limit = 0;          // Truncated: erf(alpha / sqrt 2)
  std::int64_t first = 0;    // integers: first + [0, choices)
  std::uint64_t choices = 0; // Bernoulli: of 2^32
};

} // namespace poprand
