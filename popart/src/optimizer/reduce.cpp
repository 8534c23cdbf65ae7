// SPDX-License-Identifier: MIT
// Gradients are summed over replicas, all of a type on an IPU at once.
#include "optimizer/updates.hpp"

#include <tuple>

namespace popart::optimizer {

// One collective for all gradients of a type on an IPU.
void Updates::reduce() {
  std::map<std::tuple<std::int64_t, DataType, ir::Integers, bool>, Group> together;
  for (auto &w : weights_)
    if (!w.shardedAccumulator)
      together[{w.virtualGraph.value_or(-1), graph_[w.gradient].info.dataType(),
                w.sharded ? groupNumbers(w.domain) : sharers(w.name), w.sharded}]
          .push_back(&w);
  for (const auto &[key, group] : together) {
    place(*group[0]);
    if (group[0]->sharded) {
      scatter(group);
      continue;
    }
    Values in;
    for (auto *w : group)
      in.push_back(w->gradient);
    const auto out =
        b_.ops(context_.accumulation ? "ReplicatedAllReduceInplace" : "ReplicatedAllReduce", in,
               static_cast<unsigned>(in.size()), {{"collectiveCommGroup", std::get<2>(key)}});
    for (std::size_t i = 0; i < group.size(); ++i)
      group[i]->gradient = out[i];
  }
}

// The replicas that have the same value of a weight: {type, size} of a group.
ir::Integers Updates::sharers(const TensorId &weight) const {
  auto it = context_.sharedBy.find(weight);
  return groupNumbers(it == context_.sharedBy.end() ? CommGroup() : it->second);
}

} // namespace popart::optimizer
