// SPDX-License-Identifier: MIT
#include "opdef/mixing.hpp"

#include <algorithm>
#include <set>

namespace popart::ops {

namespace {
bool isArithmetic(const OpView &op) {
  static const std::set<std::string> types{"Add", "Clip", "Div", "Max", "Mean",
                                           "Min", "Mul",  "Pow", "Sub", "Sum"};
  return op.node().def->domain.empty() && types.count(op.type());
}
} // namespace

void castLoneNumbers(Importing &i) {
  const auto isHalf = [&](Value v) { return v != none && i.builder.type(v) == DataType::FLOAT16; };
  if (!isArithmetic(i.op) || std::none_of(i.node.inputs.begin(), i.node.inputs.end(), isHalf))
    return;
  for (auto &v : i.node.inputs)
    if (v != none && i.builder.type(v) == DataType::FLOAT && i.builder.info(v).nelms() == 1)
      v = i.builder.cast(v, DataType::FLOAT16);
}

} // namespace popart::ops
