// SPDX-License-Identifier: MIT
// Tensors out of numbers: constants, ranges, and what is drawn at random.
#include "core/Call.hpp"
#include <algorithm>
#include <cmath>

namespace paddleipu {

namespace {

VarType::Type typeAttribute(const Call &c, const char *name, VarType::Type otherwise) {
  const auto type = c.integer(name, -1);
  return type < 0 ? otherwise : VarType::Type(type);
}
Shape shapeAttribute(Call &c) {
  Shape shape = c.has("ShapeTensor") ? c.constants("ShapeTensor") : c.integers("shape");
  for (auto d : shape)
    if (d < 0)
      c.fail("its shape ", popart::ir::text(shape),
             " has an unknown extent: shapes on the IPU are fixed.");
  return shape;
}
// The first dimension of some operators is that of another tensor.
Shape likeBatch(Call &c) {
  Shape shape = c.integers("shape");
  const auto from = std::size_t(c.integer("input_dim_idx", 0)),
             to = std::size_t(c.integer("output_dim_idx", 0));
  const Shape &other = c.shapeOf(c.in("Input"));
  if (from >= other.size() || to >= shape.size())
    c.fail("input_dim_idx ", from, " or output_dim_idx ", to, " is no dimension.");
  shape[to] = other[from];
  return shape;
}

double valueOf(const Call &c) {
  const auto text = c.text("str_value");
  return text.empty() ? c.real("value", 0) : std::stod(text);
}
void fill(Call &c, const Shape &shape) {
  const auto type = typeAttribute(c, "dtype", VarType::FP32);
  c.out("Out", c.m.constant(HostTensor::filled({deviceType(type), shape}, valueOf(c))), 0, type);
}
void fillLike(Call &c, double value) {
  const Value x = c.in("X");
  const auto type = typeAttribute(c, "dtype", c.typeIn("X"));
  c.out("Out", c.full(c.shapeOf(x), value, deviceType(type)), 0, type);
}

void assignValue(Call &c) {
  const auto type = typeAttribute(c, "dtype", VarType::FP32);
  const char *const names[] = {"fp32_values", "int32_values", "int64_values", "bool_values",
                               "fp64_values"};
  for (const char *name : names) {
    const auto values = c.reals(name);
    if (values.empty())
      continue;
    const TensorInfo info(deviceType(type), c.integers("shape"));
    if (std::size_t(info.nelms()) != values.size())
      c.fail("it has ", values.size(), " values for the shape ", popart::ir::text(info.shape()),
             ".");
    return c.out("Out", c.m.constant(HostTensor::fromDoubles(info, values)), 0, type);
  }
  c.fail("it has no values.");
}

// An operator with a seed of its own draws the same whatever stands around it.
Attributes seeded(const Call &c, Attributes attributes) {
  if (const auto seed = c.integer("seed", 0))
    attributes.set("seed", float(seed));
  return attributes;
}
Value uniform(Call &c, const Shape &shape, double low, double high) {
  return c.m.op("RandomUniform", {},
                seeded(c, {{"shape", shape}, {"low", float(low)}, {"high", float(high)}}));
}
void outDrawn(Call &c, Value v) {
  const auto type = typeAttribute(c, "dtype", VarType::FP32);
  c.out("Out", c.cast(v, deviceType(type)), 0, type);
}
void uniformRandom(Call &c, const Shape &shape) {
  outDrawn(c, uniform(c, shape, c.real("min", -1), c.real("max", 1)));
}
void gaussianRandom(Call &c, const Shape &shape) {
  outDrawn(c, c.m.op("RandomNormal", {},
                     seeded(c, {{"shape", shape},
                                {"mean", float(c.real("mean", 0))},
                                {"scale", float(c.real("std", 1))}})));
}
// Within two deviations: the inverse of the distribution function at uniform numbers, by Newton's
// steps on erf.
void truncatedGaussian(Call &c) {
  const double edge = std::erf(2 / std::sqrt(2.0));
  const Value p = uniform(c, c.integers("shape"), -edge, edge);
  Value x = c.m.mul(p, std::sqrt(M_PI) / 2);
  for (int i = 0; i < 12; ++i) {
    const Value slope = c.m.mul(c.m.exp(c.m.neg(c.m.square(x))), 2 / std::sqrt(M_PI));
    x = c.m.sub(x, c.m.div(c.m.sub(c.m.op("Erf", {x}), p), slope));
  }
  outDrawn(c, c.m.add(c.m.mul(x, c.real("std", 1) * std::sqrt(2.0)), c.real("mean", 0)));
}
void randint(Call &c) {
  const auto low = c.integer("low", 0), high = c.integer("high");
  if (high <= low || high - low > (1 << 24))
    c.fail("there must be 1 to 2^24 integers from ", low, " to below ", high, ".");
  const Value u =
      c.m.op("Floor", {uniform(c, shapeAttribute(c), 0, double(high - low) * (1 - 0x1p-24))});
  const auto type = typeAttribute(c, "dtype", VarType::INT64);
  c.out("Out", c.m.add(c.cast(u, DataType::INT32), double(low)), 0, type);
}

double number(Call &c, const char *slot) {
  const auto *values = c.m.valuesOf(c.in(slot));
  if (!values)
    c.fail("its ", slot,
           " must be constant: shapes on the IPU are fixed when a program is compiled.");
  return values->doubles().at(0);
}
void range(Call &c) {
  const double start = number(c, "Start"), end = number(c, "End"), step = number(c, "Step");
  const auto n = std::int64_t(std::max(std::ceil((end - start) / step), 0.0));
  std::vector<double> values;
  for (std::int64_t i = 0; i < n; ++i)
    values.push_back(start + double(i) * step);
  const auto type = c.typeIn("Start");
  c.out("Out", c.m.constant(HostTensor::fromDoubles({deviceType(type), {n}}, values)), 0, type);
}

} // namespace

void addCreation(Registry &r) {
  r.add("fill_constant", [](Call &c) { fill(c, shapeAttribute(c)); });
  r.add("fill_constant_batch_size_like", [](Call &c) { fill(c, likeBatch(c)); });
  r.add("fill_any_like", [](Call &c) { fillLike(c, c.real("value", 0)); });
  r.add("fill_zeros_like", [](Call &c) { fillLike(c, 0); });
  r.add("assign_value", assignValue);
  r.add("uniform_random", [](Call &c) { uniformRandom(c, shapeAttribute(c)); });
  r.add("uniform_random_batch_size_like", [](Call &c) { uniformRandom(c, likeBatch(c)); });
  r.add("gaussian_random", [](Call &c) { gaussianRandom(c, shapeAttribute(c)); });
  r.add("truncated_gaussian_random", truncatedGaussian);
  r.add("randint", randint);
  r.add("range", range);
}

} // namespace paddleipu
