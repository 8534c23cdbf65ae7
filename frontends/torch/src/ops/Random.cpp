// SPDX-License-Identifier: MIT
// Random numbers, in the shape and type of torch's result. Every operator draws its own, from the
// session's seed. No gradient flows through them.
#include "core/Elementwise.hpp"
#include <cmath>

namespace poptorch {

namespace {

// Between the bounds, in FLOAT.
Value uniform(Call &c, const Shape &shape, double low, double high) {
  if (popart::ir::elementsOf(shape) == 0)
    return filled(c, shape, 0, DataType::FLOAT);
  return c.m.op("RandomUniform", {},
                {{"shape", shape}, {"low", float(low)}, {"high", float(high)}});
}

// Between the bounds without the upper one, also when it is rounded to the type of the result.
Value between(Call &c, double low, double high) {
  const double step = c.type() == DataType::FLOAT16 ? 0x1p-11 : 0x1p-24;
  return uniform(c, c.shape(), low, high - (high - low) * step);
}

Value normal(Call &c) {
  if (c.result().nelms() == 0)
    return filled(c, c.shape(), 0, DataType::FLOAT);
  return c.m.op("RandomNormal", {}, {{"shape", c.shape()}});
}

// mean + std * n; either may be a tensor
Values withMoments(Call &c) {
  const auto in = [&](const char *name, double otherwise) {
    return c.isTensor(name) ? detached(c, wide(c, c.in(name)))
                            : c.m.scalar(c.real(name, otherwise), DataType::FLOAT);
  };
  return {c.m.add(in("mean", 0), c.m.mul(in("std", 1), normal(c)))};
}

// 1 with probability p, which is given for all or for each, or is self
Values bernoulli(Call &c) {
  if (c.result().nelms() == 0)
    return {filled(c, c.shape(), 0, c.type())};
  if (c.has("p") && !c.isTensor("p")) {
    const double p = c.real("p");
    if (!(p >= 0 && p <= 1))
      c.fail("the probability is ", p, "; it must be between 0 and 1.");
    return {c.m.op("Bernoulli", {filled(c, c.shape(), p, DataType::FLOAT)})};
  }
  const Value p = wide(c, c.in(c.has("p") ? "p" : "self"));
  return {c.m.op("Bernoulli", {c.broadcast(p, c.shape())})};
}

// floor(u * n) for u in [0, 1), exact for small n
Value below(Call &c, std::int64_t n) {
  const Value u = uniform(c, c.shape(), 0, double(n) * (1 - 0x1p-24));
  const Value whole = c.cast(c.m.op("Floor", {u}), DataType::INT32);
  return c.m.op("Min", {whole, c.m.scalar(double(n - 1), DataType::INT32)});
}

// [low, high): of wide ranges the upper and the lower 16 bits are drawn apart.
Value integers(Call &c, std::int64_t low, std::int64_t high) {
  const auto range = high - low;
  constexpr std::int64_t low16 = 1 << 16, widest = std::int64_t(1) << 31;
  if (range <= 0)
    c.fail("there is no integer from ", low, " to below ", high, ".");
  if (range > widest)
    c.fail("integers from ", low, " to below ", high, " do not fit 32 bits.");
  Value drawn = none;
  if (range <= 1 << 22)
    drawn = below(c, range);
  else {
    drawn = c.m.add(c.m.mul(below(c, (range + low16 - 1) / low16), double(low16)), below(c, low16));
    if (range < widest)
      drawn = c.m.op("Mod", {drawn, c.m.scalar(double(range), DataType::INT32)});
  }
  return low ? c.m.add(drawn, double(low)) : drawn;
}

Values randint(Call &c) { return {integers(c, c.integer("low", 0), c.integer("high"))}; }

// What random_ draws when it is not told: all integers from 0 that the type has exactly.
std::int64_t upperEnd(DataType type) {
  switch (type) {
  case DataType::BOOL:
    return 2;
  case DataType::INT8:
    return 128;
  case DataType::UINT8:
    return 256;
  case DataType::INT16:
    return 32768;
  case DataType::FLOAT16:
    return (1 << 11) + 1;
  case DataType::FLOAT:
    return (1 << 24) + 1;
  default:
    return std::int64_t(1) << 31;
  }
}
Values random(Call &c) {
  return {integers(c, c.integer("from", 0), c.integer("to", upperEnd(c.type())))};
}

// The order of n random numbers.
Values permutation(Call &c) {
  const auto n = c.shape()[0];
  if (n < 2)
    return {c.iota(n)};
  return {c.m.ops("TopK", {uniform(c, {n}, 0, 1)}, 2, {{"axis", std::int64_t(0)}, {"k", n}})[1]};
}

// -log(1 - u) / lambd
Values exponential(Call &c) {
  const Value u = uniform(c, c.shape(), 0, 1 - 0x1p-24);
  return {c.m.mul(c.m.op("Log1p", {c.m.neg(u)}), -1 / c.real("lambd"))};
}

// How often one tries until something of probability p happens: ceil(log(1 - u) / log(1 - p))
Values geometric(Call &c) {
  const double p = c.real("p");
  const Value u = uniform(c, c.shape(), 0x1p-24, 1 - 0x1p-24);
  return {c.m.op("Ceil", {c.m.mul(c.m.op("Log1p", {c.m.neg(u)}), 1 / std::log1p(-p))})};
}

// median + sigma * tan(pi * (u - 1/2))
Values cauchy(Call &c) {
  const Value u = uniform(c, c.shape(), -M_PI_2, M_PI_2);
  return {c.m.add(c.m.mul(c.m.op("Tan", {u}), c.real("sigma")), c.real("median"))};
}

} // namespace

void addRandom(Registry &r) {
  for (const char *name : {"rand", "rand_like"})
    r.add(name, [](Call &c) -> Values { return {between(c, 0, 1)}; });
  for (const char *name : {"randn", "randn_like"})
    r.add(name, [](Call &c) -> Values { return {normal(c)}; });
  r.add("uniform", [](Call &c) -> Values { return {between(c, c.real("from"), c.real("to"))}; });
  r.add("normal", withMoments);
  r.add("normal_functional", withMoments);
  r.add("log_normal", [](Call &c) -> Values { return {c.m.exp(withMoments(c)[0])}; });
  r.add("bernoulli", bernoulli);
  r.add("randint", randint);
  r.add("randint_like", randint);
  r.add("random", random);
  r.add("randperm", permutation);
  r.add("exponential", exponential);
  r.add("geometric", geometric);
  r.add("cauchy", cauchy);
}

} // namespace poptorch
