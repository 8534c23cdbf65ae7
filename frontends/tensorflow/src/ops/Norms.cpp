// SPDX-License-Identifier: MIT
// Normalisations. Inputs: x, scale, offset, and of batch norms the moving mean and variance.
//   y = (x - mean) / sqrt(variance + epsilon) * scale + offset
#include "frontend/Norms.hpp"
#include "core/Layout.hpp"

namespace tensorflow {

namespace {

frontend::Norm normOf(const Call &c, Value x) {
  return {x, c.in(1), c.in(2), c.real("epsilon", 1e-3)};
}

// Results: y, and of training the batch's mean and variance (of n - 1, as TensorFlow has it): with
// momentum 0 the running statistics are those of the batch.
Values batchNorm(Call &c) {
  const auto norm = normOf(c, toChannelsSecond(c, c.in(0)));
  if (!c.flag("is_training", true))
    return {fromChannelsSecond(c, frontend::fixedNorm(c, norm, c.in(3), c.in(4))), c.in(3),
            c.in(4)};
  const auto made = frontend::batchNorm(
      c, norm,
      {c.in(3), c.in(4), 0, c.flag("sample_variance", true), c.integer("replica_group_size", 1)});
  return {fromChannelsSecond(c, made.y), made.mean, made.variance};
}

// Over all axes from `axis` on.
Values layerNorm(Call &c) {
  return {frontend::layerNorm(c, normOf(c, c.in(0)), c.integer("axis"))};
}

Values groupNorm(Call &c) {
  const auto norm = normOf(c, toChannelsSecond(c, c.in(0)));
  const auto made =
      frontend::groupNorm(c, norm, c.integer("num_groups"), c.flag("contiguous", true));
  return {fromChannelsSecond(c, made[0])};
}

} // namespace

void addNorms(Registry &r) {
  r.add("FusedBatchNormV3", batchNorm);
  r.add("LayerNorm", layerNorm);
  r.add("GroupNorm", groupNorm);
}

} // namespace tensorflow
