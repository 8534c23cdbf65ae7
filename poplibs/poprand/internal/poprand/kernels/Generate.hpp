// SPDX-License-Identifier: MIT
// The kernel behind all random tensors.
//   outputs: the tensor, of float, half or int, in the order of its draws
//   inputs:  if the attributes say so the seed, two words, else the generator of the replica is
//            asked
#pragma once
#include "openipu/Attributes.hpp"

namespace poprand::kernels {

inline constexpr char generate[] = "poprand.generate";

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

  std::string write() const { return openipu::AttributeWriter().put(*this).take(); }
  static Draw read(std::string_view bytes) {
    const auto draw = openipu::AttributeReader(bytes).get<Draw>();
    if (draw.kind >= Kind::End)
      throw std::runtime_error("The attributes of poprand.generate are damaged.");
    return draw;
  }
};

} // namespace poprand::kernels
