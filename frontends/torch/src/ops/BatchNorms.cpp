// SPDX-License-Identifier: MIT
// Batch and instance normalisation, with running statistics.
//   y = (x - mean) / sqrt(variance + eps) * weight + bias       per channel
//   running = (1 - momentum) * running + momentum * that of this batch (the variance of n - 1)
#include "core/Call.hpp"
#include "frontend/Norms.hpp"

namespace poptorch {

namespace {

std::int64_t channelsOf(const Call &c, Value x) {
  if (c.rank(x) < 2)
    c.fail("its input needs a batch and a channel dimension.");
  return c.shapeOf(x)[1];
}
// One value per channel; where there is none, the same for all.
Value parameter(Call &c, const char *name, Value x, double otherwise, DataType type) {
  const Value v = c.maybe(name);
  return v == none ? c.full({channelsOf(c, x)}, otherwise, type) : c.cast(v, type);
}
Value running(Call &c, const char *name, Value x, double otherwise) {
  const Value v = c.maybe(name);
  return v == none ? c.full({channelsOf(c, x)}, otherwise, DataType::FLOAT) : v;
}
bool tracks(const Call &c) {
  const bool mean = c.has("running_mean"), variance = c.has("running_var");
  if (mean != variance)
    c.fail("running_mean and running_var must both be given, or neither.");
  return mean;
}

frontend::Norm normOf(Call &c, Value x) {
  const auto type = c.m.type(x);
  return {x, parameter(c, "weight", x, 1, type), parameter(c, "bias", x, 0, type), c.real("eps")};
}

Value byRunning(Call &c, Value x) {
  if (!tracks(c))
    c.fail("it needs running_mean and running_var when it does not train.");
  return frontend::fixedNorm(c, normOf(c, x), c.in("running_mean"), c.in("running_var"));
}

// Results: y, and for torch's own gradient the batch's mean and 1/deviation.
Values byBatch(Call &c, Value x) {
  const auto made =
      frontend::batchNorm(c, normOf(c, x),
                          {running(c, "running_mean", x, 0), running(c, "running_var", x, 1),
                           1 - c.real("momentum"), true});
  if (tracks(c)) {
    c.write("running_mean", made.mean);
    c.write("running_var", made.variance);
  }
  return {made.y, made.batchMean, made.inverseDeviation};
}

Values batchNorm(Call &c) {
  const Value x = c.in("input");
  const auto made = c.flag("training") ? byBatch(c, x) : Values{byRunning(c, x)};
  Values out{made[0]};
  for (std::size_t i = 1; i < c.results(); ++i) {
    const bool there = i < made.size() && c.shape(i) == c.shapeOf(made[i]);
    out.push_back(there ? c.m.op("Detach", {made[i]}) : c.full(c.shape(i), 0, c.type(i)));
  }
  return out;
}

// Running statistics are moved by the means over the batch of those of its elements.
void moveRunning(Call &c, Value x, Value mean, Value deviation) {
  const Shape shape = c.shapeOf(x);
  const double momentum = c.real("momentum");
  double n = 1;
  for (std::size_t d = 2; d < shape.size(); ++d)
    n *= double(shape[d]);
  const Value squared = c.m.square(c.cast(deviation, DataType::FLOAT));
  const Value variance = c.m.mul(c.m.sub(c.m.reciprocal(squared), c.real("eps")), n / (n - 1));
  const auto move = [&](const char *name, Value now) {
    const Value each = c.m.reshape(c.cast(now, DataType::FLOAT), {shape[0], shape[1]});
    const Value all = c.reduce("ReduceMean", c.m.op("Detach", {each}), {0}, false);
    const Value old = c.cast(c.in(name), DataType::FLOAT);
    c.write(name, c.m.add(c.m.mul(old, 1 - momentum), c.m.mul(all, momentum)));
  };
  move("running_mean", mean);
  move("running_var", variance);
}

// Every channel of every element of the batch by itself: groups of one channel.
Values instanceNorm(Call &c) {
  const Value x = c.in("input");
  if (!c.flag("use_input_stats"))
    return {byRunning(c, x)};
  const auto made = frontend::groupNorm(c, normOf(c, x), channelsOf(c, x), true);
  if (tracks(c))
    moveRunning(c, x, made[1], made[2]);
  return {made[0]};
}

} // namespace

void addBatchNorms(Registry &r) {
  r.add("batch_norm", batchNorm);
  r.add("native_batch_norm", batchNorm);
  r.add("instance_norm", instanceNorm);
}

} // namespace poptorch
