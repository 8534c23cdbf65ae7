// SPDX-License-Identifier: MIT
// Seeds the generator of the replica.
//   outputs: none
//   inputs:  the seed, two words
#pragma once
#include "openipu/Attributes.hpp"

namespace poprand::kernels {

inline constexpr char setSeed[] = "poprand.setSeed";

struct SeedModifier {
  std::uint32_t modifier;

  std::string write() const { return openipu::AttributeWriter().put(modifier).take(); }
  static SeedModifier read(std::string_view bytes) {
    return {openipu::AttributeReader(bytes).get<std::uint32_t>()};
  }
};

} // namespace poprand::kernels
