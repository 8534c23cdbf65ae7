// SPDX-License-Identifier: MIT
// Normalisations:   y = (x - mean) / sqrt(variance + epsilon) * scale + bias
//   batch_norm: per channel over the batch; moving statistics = momentum * old + (1 - momentum) *
//   those of the batch layer_norm: over the dimensions from begin_norm_axis on; group_norm,
//   instance_norm: per element of the batch
#include "core/Windows.hpp"
#include <numeric>

namespace paddleipu {

namespace {

std::int64_t elements(const Shape &shape, std::size_t from, std::size_t to) {
  return std::accumulate(shape.begin() + std::ptrdiff_t(from), shape.begin() + std::ptrdiff_t(to),
                         std::int64_t(1), std::multiplies<>());
}
Value parameter(Call &c, const char *slot, std::int64_t n, double otherwise, DataType type) {
  return c.has(slot) ? c.cast(c.m.reshape(c.in(slot), {n}), type) : c.full({n}, otherwise, type);
}
float epsilonOf(const Call &c) { return float(c.real("epsilon", 1e-5)); }

void batchNorm(Call &c) {
  const bool last = channelsLast(c, "data_layout");
  const Value x = toChannelsFirst(c, c.in("X"), last);
  if (c.rank(x) < 2)
    c.fail("X of shape ", popart::ir::text(c.shapeOf(x)), " has no channels.");
  const auto type = c.m.type(x);
  const auto channels = c.shapeOf(x)[1];
  const Values inputs{
      x, parameter(c, "Scale", channels, 1, type), parameter(c, "Bias", channels, 0, type),
      c.cast(c.in("Mean"), DataType::FLOAT), c.cast(c.in("Variance"), DataType::FLOAT)};
  // Also in a program that is not trained the operator says which statistics it takes.
  const bool fixed = c.flag("is_test") || c.flag("use_global_stats");
  if (fixed) {
    c.out("Y", fromChannelsFirst(
                   c, c.m.op("BatchNormalization", inputs, {{"epsilon", epsilonOf(c)}}), last));
    c.out("MeanOut", c.in("Mean")); // the variables themselves: nothing is written
    c.out("VarianceOut", c.in("Variance"));
    for (const char *slot : {"SavedMean", "SavedVariance"})
      c.unused(slot, {channels});
    return;
  }
  const auto made = c.m.ops("BatchNormalization", inputs, 6,
                            {{"epsilon", epsilonOf(c)},
                             {"momentum", float(c.real("momentum", 0.9))},
                             {"training_mode", std::int64_t(1)}});
  c.out("Y", fromChannelsFirst(c, made[0], last));
  c.out("MeanOut", made[1]);
  c.out("VarianceOut", made[2]);
  c.out("SavedMean", c.m.op("Detach", {c.m.reshape(made[3], {channels})}));
  c.out("SavedVariance", c.m.op("Detach", {c.m.reshape(made[5], {channels})}));
}

// Mean and variance of every row [rows, n], for those who fetch them.
void addStatistics(Call &c, Value rows, const Shape &shape) {
  if (!c.wants("Mean") && !c.wants("Variance"))
    return;
  const Value x = c.cast(c.m.op("Detach", {rows}), DataType::FLOAT);
  const Value mean = c.reduce("ReduceMean", x, {1}, true);
  c.out("Mean", c.m.reshape(mean, shape));
  c.out("Variance",
        c.m.reshape(c.reduce("ReduceMean", c.m.square(c.m.sub(x, mean)), {1}, true), shape));
}

void layerNorm(Call &c) {
  const Value x = c.in("X");
  const Shape shape = c.shapeOf(x);
  const auto axis = c.integer("begin_norm_axis", 1);
  if (axis < 1 || std::size_t(axis) >= shape.size())
    c.fail("begin_norm_axis ", axis, " is not one of 1 to ", shape.size() - 1, ", for X of shape ",
           popart::ir::text(shape), ".");
  const auto rows = elements(shape, 0, std::size_t(axis)),
             n = elements(shape, std::size_t(axis), shape.size());
  const auto type = c.m.type(x);
  const Value flat = c.m.reshape(x, {rows, n});
  const Value y =
      c.m.op("LayerNormalization",
             {flat, parameter(c, "Scale", n, 1, type), parameter(c, "Bias", n, 0, type)},
             {{"axis", std::int64_t(1)}, {"epsilon", epsilonOf(c)}});
  c.out("Y", c.m.reshape(y, shape));
  addStatistics(c, flat, {rows});
}

void grouped(Call &c, std::int64_t groups, const char *mean) {
  const bool last = channelsLast(c, "data_layout");
  const Value x = toChannelsFirst(c, c.in("X"), last);
  const Shape shape = c.shapeOf(x);
  if (shape.size() < 2)
    c.fail("X of shape ", popart::ir::text(shape), " has no channels.");
  if (groups == 0)
    groups = shape[1];
  if (groups < 1 || shape[1] % groups)
    c.fail(shape[1], " channels do not divide into ", groups, " groups.");
  const auto type = c.m.type(x);
  const Value y = c.m.ops(
      "GroupNormalization",
      {x, parameter(c, "Scale", shape[1], 1, type), parameter(c, "Bias", shape[1], 0, type)}, 3,
      {{"num_groups", groups},
       {"epsilon", epsilonOf(c)},
       {"contiguous_groups", std::int64_t(1)}})[0];
  c.out("Y", fromChannelsFirst(c, y, last));
  const Value rows =
      c.m.reshape(x, {shape[0] * groups, elements(shape, 0, shape.size()) / (shape[0] * groups)});
  if (std::string(mean) == "Mean")
    addStatistics(c, rows, {shape[0], groups});
  else
    for (const char *slot : {"SavedMean", "SavedVariance"})
      c.unused(slot, {shape[0] * shape[1]});
}

// (x - BatchSum / BatchSize) / sqrt(BatchSquareSum / BatchSize): statistics that are gathered
// elsewhere
void dataNorm(Call &c) {
  const bool last = channelsLast(c, "data_layout");
  const Value x = toChannelsFirst(c, c.in("X"), last), size = c.in("BatchSize");
  Shape shape(c.rank(x) - 1, 1);
  shape[0] = c.shapeOf(x)[1];
  const Value means = c.m.div(c.in("BatchSum"), size);
  const Value scales = c.m.sqrt(c.m.div(size, c.in("BatchSquareSum")));
  c.out("Means", means);
  c.out("Scales", scales);
  Value y = c.m.mul(c.m.sub(x, c.m.reshape(means, shape)), c.m.reshape(scales, shape));
  if (c.flag("enable_scale_and_shift"))
    y = c.m.add(c.m.mul(y, c.m.reshape(c.in("scale_w"), shape)), c.m.reshape(c.in("bias"), shape));
  c.out("Y", fromChannelsFirst(c, y, last));
}

void affineChannel(Call &c) {
  const bool last = channelsLast(c, "data_layout");
  const Value x = toChannelsFirst(c, c.in("X"), last);
  Shape shape(c.rank(x) - 1, 1);
  shape[0] = c.shapeOf(x)[1];
  const Value y =
      c.m.add(c.m.mul(x, c.m.reshape(c.in("Scale"), shape)), c.m.reshape(c.in("Bias"), shape));
  c.out("Out", fromChannelsFirst(c, y, last));
}

} // namespace

void addNorms(Registry &r) {
  r.add("batch_norm", batchNorm);
  r.add("layer_norm", layerNorm);
  r.add("group_norm", [](Call &c) { grouped(c, c.integer("groups", 1), "Mean"); });
  r.add("instance_norm", [](Call &c) { grouped(c, 0, "SavedMean"); });
  r.add("data_norm", dataNorm);
  r.add("affine_channel", affineChannel);
}

} // namespace paddleipu
