// SPDX-License-Identifier: MIT
#include "frontend/Norms.hpp"

namespace frontend {

Value fixedNorm(const Writing &w, const Norm &n, Value mean, Value variance) {
  return w.m.op("BatchNormalization", {n.x, n.scale, n.offset, mean, variance},
                {{"epsilon", float(n.epsilon)}});
}

// The other results are for the gradient.
BatchNorm batchNorm(const Writing &w, const Norm &n, const BatchStatistics &running) {
  Attributes attributes{{"epsilon", float(n.epsilon)},
                        {"momentum", float(running.momentum)},
                        {"training_mode", std::int64_t(1)}};
  if (running.sample)
    attributes.set("sample_variance", std::int64_t(1));
  if (running.replicas != 1)
    attributes.set("replica_group_size", running.replicas);
  const auto made =
      w.m.ops("BatchNormalization", {n.x, n.scale, n.offset, running.mean, running.variance}, 6,
              attributes);
  return {made[0], made[1], made[2], made[3], made[5]};
}

Values groupNorm(const Writing &w, const Norm &n, std::int64_t groups, bool neighbours) {
  Attributes attributes{{"num_groups", groups}, {"epsilon", float(n.epsilon)}};
  if (neighbours)
    attributes.set("contiguous_groups", std::int64_t(1));
  return w.m.ops("GroupNormalization", {n.x, n.scale, n.offset}, 3, attributes);
}
Value layerNorm(const Writing &w, const Norm &n, std::int64_t axis) {
  return w.m.op("LayerNormalization", {n.x, n.scale, n.offset},
                {{"axis", axis}, {"epsilon", float(n.epsilon)}});
}

std::pair<Value, Value> rowStatistics(const Writing &w, Value rows) {
  const Value x = w.cast(rows, DataType::FLOAT), mean = w.reduce("ReduceMean", x, {1}, true);
  return {mean, w.reduce("ReduceMean", w.m.square(w.m.sub(x, mean)), {1}, true)};
}

} // namespace frontend
