// SPDX-License-Identifier: MIT
// Normalisations. Inputs: x, scale, offset, and of batch norms the moving mean and variance.
//   y = (x - mean) / sqrt(variance + epsilon) * scale + offset
#include "core/Layout.hpp"

namespace tensorflow {

namespace {

// Results: y, and of training the batch's mean and variance (of n - 1, as TensorFlow has it).
Values batchNorm(Call &c) {
  const Value x = toChannelsSecond(c, c.in(0));
  const Values inputs{x, c.in(1), c.in(2), c.in(3), c.in(4)};
  const float epsilon = float(c.real("epsilon", 1e-3));
  if (!c.flag("is_training", true))
    return {fromChannelsSecond(c, c.m.op("BatchNormalization", inputs, {{"epsilon", epsilon}})),
            c.in(3), c.in(4)};
  // With momentum 0 the running statistics are those of the batch. The other results are for the
  // gradient.
  const auto made = c.m.ops("BatchNormalization", inputs, 6,
                            {{"epsilon", epsilon},
                             {"momentum", 0.0f},
                             {"training_mode", std::int64_t(1)},
                             {"sample_variance", std::int64_t(c.flag("sample_variance", true))},
                             {"replica_group_size", c.integer("replica_group_size", 1)}});
  return {fromChannelsSecond(c, made[0]), made[1], made[2]};
}

// Over all axes from `axis` on.
Values layerNorm(Call &c) {
  return {c.m.op("LayerNormalization", {c.in(0), c.in(1), c.in(2)},
                 {{"axis", c.integer("axis")}, {"epsilon", float(c.real("epsilon", 1e-3))}})};
}

Values groupNorm(Call &c) {
  const Value x = toChannelsSecond(c, c.in(0));
  const auto made = c.m.ops("GroupNormalization", {x, c.in(1), c.in(2)}, 3,
                            {{"num_groups", c.integer("num_groups")},
                             {"epsilon", float(c.real("epsilon", 1e-3))},
                             {"contiguous_groups", std::int64_t(c.flag("contiguous", true))}});
  return {fromChannelsSecond(c, made[0])};
}

} // namespace

void addNorms(Registry &r) {
  r.add("FusedBatchNormV3", batchNorm);
  r.add("LayerNorm", layerNorm);
  r.add("GroupNorm", groupNorm);
}

} // namespace tensorflow
