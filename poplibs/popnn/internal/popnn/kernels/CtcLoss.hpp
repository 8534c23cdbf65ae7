// SPDX-License-Identifier: MIT
// The CTC loss of each element of a batch, and its gradient.
//   outputs: loss [batch]; the gradient of the data, if wanted
//   inputs:  data [time, batch, classes], labels [batch, most]; then [batch] the lengths of the
//            data and those of the labels
#pragma once
#include "openipu/Attributes.hpp"

namespace popnn::kernels {

inline constexpr char ctcLoss[] = "popnn.ctcLoss";

struct CtcLossOf {
  std::uint32_t blank;
  bool logits, includeSoftmax, zeroInfinity, gradient;
  double tolerance;

  std::string write() const {
    openipu::AttributeWriter w;
    w.put(blank).put(logits).put(includeSoftmax).put(zeroInfinity).put(gradient).put(tolerance);
    return w.take();
  }
  static CtcLossOf read(std::string_view bytes) {
    openipu::AttributeReader r(bytes);
    CtcLossOf s;
    s.blank = r.get<std::uint32_t>();
    for (auto *flag : {&s.logits, &s.includeSoftmax, &s.zeroInfinity, &s.gradient})
      *flag = r.get<bool>();
    s.tolerance = r.get<double>();
    return s;
  }
};

} // namespace popnn::kernels
