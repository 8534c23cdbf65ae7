// SPDX-License-Identifier: MIT
// The `reduction` attribute of losses, in the words of ai.graphcore (Sum, Mean, NoReduction) and of
// ONNX (sum, mean, none), or as the number that ReductionType has.
#pragma once
#include "opdef/graphbuilder.hpp"
#include <algorithm>

namespace popart::ops {

enum class LossReduction { Sum, Mean, NoReduction };

inline LossReduction lossReduction(const OpView &op) {
  const auto &all = op.node().attributes.all();
  const auto it = all.find("reduction");
  if (it == all.end())
    return LossReduction::Mean;
  std::string word;
  if (const auto *number = std::get_if<std::int64_t>(&it->second)) {
    if (*number >= 0 && *number <= 2)
      return static_cast<LossReduction>(*number);
    op.fail("reduction is ", *number, "; use Sum (0), Mean (1) or NoReduction (2).");
  }
  word = op.text("reduction");
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return tolower(c); });
  if (word == "sum")
    return LossReduction::Sum;
  if (word == "mean")
    return LossReduction::Mean;
  if (word == "noreduction" || word == "none")
    return LossReduction::NoReduction;
  op.fail("reduction is \"", op.text("reduction"), "\"; use Sum, Mean or NoReduction.");
}

// All elements as one number, or as they are.
inline Value reduceLoss(GraphBuilder &b, const OpView &op, Value x) {
  const Attributes all{{"keepdims", std::int64_t(0)}};
  switch (lossReduction(op)) {
  case LossReduction::Sum:
    return b.op("ReduceSum", {x}, all);
  case LossReduction::Mean:
    return b.op("ReduceMean", {x}, all);
  default:
    return b.op("Identity", {x});
  }
}

} // namespace popart::ops
