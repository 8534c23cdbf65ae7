// SPDX-License-Identifier: MIT
// Beam search over label prefixes. Of equally probable candidates the one found first wins: beams
// by rank, each first unchanged, then by class.
//   outputs: log probabilities [batch, top], lengths [batch, top], labels [batch, top, time], which
//            are ~0 behind their end
//   inputs:  data [time, batch, classes], lengths [batch]
#pragma once
#include "openipu/Attributes.hpp"

namespace popnn::kernels {

inline constexpr char ctcBeamSearch[] = "popnn.ctcBeamSearch";

struct CtcBeams {
  std::uint32_t blank, width;
  bool logits; // else log probabilities

  std::string write() const {
    return openipu::AttributeWriter().put(blank).put(width).put(logits).take();
  }
  static CtcBeams read(std::string_view bytes) {
    openipu::AttributeReader in(bytes);
    const auto blank = in.get<std::uint32_t>(), width = in.get<std::uint32_t>();
    return {blank, width, in.get<bool>()};
  }
};

} // namespace popnn::kernels
