// SPDX-License-Identifier: MIT
// Dropout: y = x * scale where a random word says so, else 0.
//   outputs: y
//   inputs:  x, of the shape of y; if the attributes say so the seed, two words, else the generator
//            of the replica is asked
#pragma once
#include "openipu/Attributes.hpp"
#include "openipu/Overwrite.hpp"

namespace poprand::kernels {

inline constexpr char dropout[] = "poprand.dropout";             // Keep
inline constexpr char shapedDropout[] = "poprand.shapedDropout"; // ShapedKeep

struct Keep {                              // all of eight bytes, so that its bytes are its values
  std::uint64_t seeded, modifier, choices; // a word below `choices` keeps
  double scale;

  std::string write() const { return openipu::AttributeWriter().put(*this).take(); }
  static Keep read(std::string_view bytes) { return openipu::AttributeReader(bytes).get<Keep>(); }
};

// One decision serves all elements that a reference of shape `mask` is broadcast to.
struct ShapedKeep {
  Keep keep;
  std::vector<std::size_t> mask; // of the rank of x

  std::string write() const { return openipu::AttributeWriter().put(keep).put(mask).take(); }
  static ShapedKeep read(std::string_view bytes) {
    openipu::AttributeReader attributes(bytes);
    const auto keep = attributes.get<Keep>();
    return {keep, attributes.getVector<std::size_t>()};
  }
};

// y where x is.
inline bool dropoutMayOverwrite(std::string_view, std::size_t, std::size_t, std::size_t input) {
  return input == 0;
}

} // namespace poprand::kernels
