// SPDX-License-Identifier: MIT
// Random numbers, drawn by every node for itself from the program's seed; no gradient flows through
// them. The shape is input 0.
#include "core/Call.hpp"

namespace tensorflow {

namespace {

// Attributes low and high; the upper bound is left out.
Values uniform(Call &c) {
  const double low = c.real("minval", 0), high = c.real("maxval", 1);
  const float below = float(high - (high - low) * 0x1p-24);
  const Value u =
      c.m.op("RandomUniform", {}, {{"shape", c.integers(0)}, {"low", float(low)}, {"high", below}});
  return {c.cast(u, c.has("dtype") ? c.type("dtype") : DataType::FLOAT)};
}

Values uniformInt(Call &c) {
  const double low = c.real("minval"), high = c.real("maxval");
  const Value u = c.m.op(
      "RandomUniform", {},
      {{"shape", c.integers(0)}, {"low", 0.0f}, {"high", float((high - low) * (1 - 0x1p-24))}});
  return {c.m.add(c.cast(c.m.op("Floor", {u}), DataType::INT32), low)};
}

Value moved(Call &c, Value n) {
  const Value y = c.m.add(c.m.mul(n, c.real("stddev", 1)), c.real("mean", 0));
  return c.cast(y, c.has("dtype") ? c.type("dtype") : DataType::FLOAT);
}

Values normal(Call &c) {
  return {moved(c, c.m.op("RandomNormal", {}, {{"shape", c.integers(0)}}))};
}

// Within two deviations: the inverse of the distribution, of a uniform number.
//   sqrt(2) * erfinv(u), u in +-erf(sqrt(2)); erfinv by a series of log(1 - u^2) (Giles, 2010)
Values truncatedNormal(Call &c) {
  const float edge = 0.9544997f;
  const Value u =
      c.m.op("RandomUniform", {}, {{"shape", c.integers(0)}, {"low", -edge}, {"high", edge}});
  const Value w = c.m.sub(c.m.neg(c.m.log(c.m.sub(1.0, c.m.square(u)))), 2.5);
  const double series[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                           -4.39150654e-06, 0.00021858087,  -0.00125372503,
                           -0.00417768164,  0.246640727,    1.50140941};
  Value p = c.full({}, series[0], DataType::FLOAT);
  for (std::size_t i = 1; i < 9; ++i)
    p = c.m.add(c.m.mul(p, w), series[i]);
  return {moved(c, c.m.mul(c.m.mul(p, u), 1.4142135623730951))};
}

// x / (1 - rate), or 0 with probability rate; attribute noise_shape: decisions that are shared.
Values dropout(Call &c) {
  const double rate = c.real("rate");
  if (rate == 0)
    return {c.in(0)};
  Attributes attributes{{"ratio", float(rate)}, {"always", std::int64_t(1)}};
  if (!c.has("noise_shape"))
    return {c.m.op("Dropout", {c.in(0)}, attributes)};
  Shape shape = c.list("noise_shape");
  for (std::size_t d = 0; d < shape.size(); ++d)
    shape[d] = shape[d] < 0 ? c.shapeOf(c.in(0))[d] : shape[d];
  attributes.set("shape", shape);
  return {c.m.op("ShapedDropout", {c.in(0)}, attributes)};
}

} // namespace

void addRandom(Registry &r) {
  r.add("RandomUniform", uniform);
  r.add("RandomUniformInt", uniformInt);
  r.add("RandomStandardNormal", normal);
  r.add("TruncatedNormal", truncatedNormal);
  r.add("Dropout", dropout);
}

} // namespace tensorflow
