// SPDX-License-Identifier: MIT
// Normalisations:   y = (x - mean) / sqrt(variance + epsilon) * scale + bias
//   batch_norm: per channel over the batch; moving statistics = momentum * old + (1 - momentum) *
//   those of the batch layer_norm: over the dimensions from begin_norm_axis on; group_norm,
//   instance_norm: per element of the batch
#include "frontend/Norms.hpp"
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
frontend::Norm normOf(Call &c, Value x, std::int64_t n) {
  const auto type = c.m.type(x);
  return {x, parameter(c, "Scale", n, 1, type), parameter(c, "Bias", n, 0, type),
          c.real("epsilon", 1e-5)};
}

void batchNorm(Call &c) {
  const bool last = channelsLast(c, "data_layout");
  const Value x = toChannelsFirst(c, c.in("X"), last);
  if (c.rank(x) < 2)
    c.fail("X of shape ", popart::ir::text(c.shapeOf(x)), " has no channels.");
  const auto channels = c.shapeOf(x)[1];
  const auto norm = normOf(c, x, channels);
  const Value mean = c.cast(c.in("Mean"), DataType::FLOAT),
              variance = c.cast(c.in("Variance"), DataType::FLOAT);
  // Also in a program that is not trained the operator says which statistics it takes.
  const bool fixed = c.flag("is_test") || c.flag("use_global_stats");
  if (fixed) {
    c.out("Y", fromChannelsFirst(c, frontend::fixedNorm(c, norm, mean, variance), last));
    c.out("MeanOut", c.in("Mean")); // the variables themselves: nothing is written
    c.out("VarianceOut", c.in("Variance"));
    for (const char *slot : {"SavedMean", "SavedVariance"})
      c.unused(slot, {channels});
    return;
  }
  const auto made = frontend::batchNorm(c, norm, {mean, variance, c.real("momentum", 0.9)});
  c.out("Y", fromChannelsFirst(c, made.y, last));
  c.out("MeanOut", made.mean);
  c.out("VarianceOut", made.variance);
  c.out("SavedMean", c.m.op("Detach", {c.m.reshape(made.batchMean, {channels})}));
  c.out("SavedVariance", c.m.op("Detach", {c.m.reshape(made.inverseDeviation, {channels})}));
}

// Mean and variance of every row [rows, n], for those who fetch them.
void addStatistics(Call &c, Value rows, const Shape &shape) {
  if (!c.wants("Mean") && !c.wants("Variance"))
    return;
  const auto [mean, variance] = frontend::rowStatistics(c, c.m.op("Detach", {rows}));
  c.out("Mean", c.m.reshape(mean, shape));
  c.out("Variance", c.m.reshape(variance, shape));
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
  const Value flat = c.m.reshape(x, {rows, n});
  c.out("Y", c.m.reshape(frontend::layerNorm(c, normOf(c, flat, n), 1), shape));
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
  const Value y = frontend::groupNorm(c, normOf(c, x, shape[1]), groups, true)[0];
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
  const auto along = [&](Value v) { return frontend::alongChannels(c, v, c.rank(x)); };
  const Value means = c.m.div(c.in("BatchSum"), size);
  const Value scales = c.m.sqrt(c.m.div(size, c.in("BatchSquareSum")));
  c.out("Means", means);
  c.out("Scales", scales);
  Value y = c.m.mul(c.m.sub(x, along(means)), along(scales));
  if (c.flag("enable_scale_and_shift"))
    y = c.m.add(c.m.mul(y, along(c.in("scale_w"))), along(c.in("bias")));
  c.out("Y", fromChannelsFirst(c, y, last));
}

void affineChannel(Call &c) {
  const bool last = channelsLast(c, "data_layout");
  const Value x = toChannelsFirst(c, c.in("X"), last);
  const auto along = [&](const char *slot) {
    return frontend::alongChannels(c, c.in(slot), c.rank(x));
  };
  const Value y = c.m.add(c.m.mul(x, along("Scale")), along("Bias"));
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
