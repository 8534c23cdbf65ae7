// SPDX-License-Identifier: MIT
#include "ops/shared/declared.hpp"

namespace popart::ops {

Infos declaredOutputs(const OpView &op) {
  Infos out;
  const Integers types = op.integers("types"), ranks = op.integers("ranks");
  const Integers extents = op.integers("shapes", {});
  auto next = extents.begin();
  for (std::size_t i = 0; i < types.size(); ++i) {
    const auto rank = ranks.at(i);
    if (rank < 0 || rank > extents.end() - next)
      op.fail("the shapes ", ir::text(extents), " are not those of tensors with ", ir::text(ranks),
              " dimensions.");
    out.emplace_back(DataType(types[i]), Shape(next, next + rank));
    next += rank;
  }
  return out;
}

void declareOutputs(ir::Attributes &attributes, const Infos &outputs) {
  Integers types, ranks, extents;
  for (const auto &info : outputs) {
    types.push_back(static_cast<std::int64_t>(info.dataType()));
    ranks.push_back(static_cast<std::int64_t>(info.shape().size()));
    extents.insert(extents.end(), info.shape().begin(), info.shape().end());
  }
  attributes.set("types", types);
  attributes.set("ranks", ranks);
  attributes.set("shapes", extents);
}

} // namespace popart::ops
