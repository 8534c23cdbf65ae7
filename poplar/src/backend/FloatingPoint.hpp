// SPDX-License-Identifier: MIT
// The floating point state of the tiles as one word, and how a SetFloatingPoint step changes it.
// Its `attributes` hold five characters for inv, div0, oflo, esr and nanoo: '1' sets, '0' clears,
// '-' keeps; operands[0], if given, receives the word from before. The attribute "tensor" instead
// takes the new word from operands[0].
#pragma once
#include <cfenv>
#include <cstdint>
#include <string_view>

namespace poplar::backend {

struct FloatingPointState {
  enum Bit : std::uint32_t {
    Invalid = 1,
    DivideByZero = 2,
    Overflow = 4,
    StochasticRounding = 8,
    NanOnOverflow = 16
  };
  std::uint32_t word = 0;

  void apply(std::string_view attributes) {
    for (std::size_t i = 0; i < attributes.size() && i < 5; ++i) {
      if (attributes[i] == '1')
        word |= 1u << i;
      else if (attributes[i] == '0')
        word &= ~(1u << i);
    }
  }
  // The host's exception flags that end a run.
  int trapped() const {
    return (word & Invalid ? FE_INVALID : 0) | (word & DivideByZero ? FE_DIVBYZERO : 0) |
           (word & Overflow ? FE_OVERFLOW : 0);
  }
};

} // namespace poplar::backend
