// SPDX-License-Identifier: MIT
// Loss and gradient of every row, and how many rows are right.
//   cross entropy  loss = -log(p[label] + eps), delta = (y - onehot * s) * d / s, with p = y / s
//   sum of squares loss = sum((y / s - onehot)^2) / 2, delta likewise
// Masked labels (popops/EncodingConstants.hpp) have no loss and are never right.
//   outputs: losses [batch] and deltas [batch, classes], if wanted; numCorrect [1], if wanted, read
//            and written
//   inputs:  y [batch, classes], labels [batch]; d [1] and s [1], or neither: 1
#pragma once
#include "openipu/Attributes.hpp"

namespace popnn::kernels {

inline constexpr char loss[] = "popnn.loss";

enum class LossKind : std::uint8_t { SumSquared, CrossEntropy };

struct LossOf {
  LossKind kind;
  bool hasLoss, hasScales, counts;

  std::string write() const {
    return openipu::AttributeWriter()
        .put(std::uint8_t(kind))
        .put(hasLoss)
        .put(hasScales)
        .put(counts)
        .take();
  }
  static LossOf read(std::string_view bytes) {
    openipu::AttributeReader in(bytes);
    LossOf l;
    l.kind = LossKind(in.get<std::uint8_t>());
    l.hasLoss = in.get<bool>();
    l.hasScales = in.get<bool>();
    l.counts = in.get<bool>();
    return l;
  }
};

} // namespace popnn::kernels
