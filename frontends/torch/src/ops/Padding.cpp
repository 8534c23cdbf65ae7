// SPDX-License-Identifier: MIT
// Elements added around a tensor, or taken away where the amount is negative. Amounts come in pairs
// (begin, end) from the last dimension backwards.
#include "core/Call.hpp"
#include <algorithm>

namespace poptorch {

namespace {

struct Amounts {
  Integers begin, end; // for every dimension
};

Amounts amountsOf(const Call &c, const char *name, std::size_t rank) {
  const Integers given = c.integers(name);
  if (given.size() % 2 || given.size() / 2 > rank)
    c.fail("\"", name, "\" has ", given.size(), " numbers for a tensor of ", rank,
           " dimensions; it needs a pair for each dimension it pads.");
  Amounts a{Integers(rank, 0), Integers(rank, 0)};
  for (std::size_t i = 0; i < given.size() / 2; ++i) {
    a.begin[rank - 1 - i] = given[2 * i];
    a.end[rank - 1 - i] = given[2 * i + 1];
  }
  return a;
}

Value padded(const Call &c, Value x, const Amounts &a, const std::string &mode, double value = 0) {
  Integers pads = a.begin;
  pads.insert(pads.end(), a.end.begin(), a.end.end());
  if (pads.empty())
    return c.m.op("Identity", {x});
  return c.m.op(
      "Pad", {x},
      {{"pads", pads}, {"mode", mode}, {"constant_value", HostTensor::scalar(c.m.type(x), value)}});
}

// What is cut off is cut first; the rest is repeated round.
Value circular(const Call &c, Value x, const Amounts &a) {
  for (std::size_t d = 0; d < a.begin.size(); ++d) {
    const auto axis = std::int64_t(d), size = c.shapeOf(x)[d];
    const auto cut = [](std::int64_t n) { return std::max<std::int64_t>(-n, 0); };
    x = c.slice(x, axis, cut(a.begin[d]), size - cut(a.end[d]));
    const auto n = c.shapeOf(x)[d];
    if (a.begin[d] > n || a.end[d] > n)
      c.fail("circular padding of ", std::max(a.begin[d], a.end[d]),
             " elements needs as many in dimension ", d, ", which has ", n, ".");
    Values parts{x};
    if (a.begin[d] > 0)
      parts.insert(parts.begin(), c.slice(x, axis, n - a.begin[d], n));
    if (a.end[d] > 0)
      parts.push_back(c.slice(x, axis, 0, a.end[d]));
    x = c.concat(parts, axis);
  }
  return x;
}

Value byMode(Call &c, const std::string &mode) {
  const Value x = c.in("self");
  const auto a = amountsOf(c, "pad", c.rank(x));
  if (mode == "constant")
    return padded(c, x, a, "constant", c.real("value", 0));
  if (c.has("value") && c.real("value") != 0)
    c.fail("mode \"", mode, "\" takes no value.");
  if (mode == "circular")
    return circular(c, x, a);
  if (mode != "reflect" && mode != "replicate")
    c.fail("mode \"", mode, "\" is not one of constant, reflect, replicate, circular.");
  return padded(c, x, a, mode == "reflect" ? "reflect" : "edge");
}

Values padding(Call &c, const char *mode) {
  const Value x = c.in("self");
  return {padded(c, x, amountsOf(c, "padding", c.rank(x)), mode)};
}

} // namespace

void addPadding(Registry &r) {
  r.add("pad", [](Call &c) -> Values { return {byMode(c, c.text("mode"))}; });
  r.add("constant_pad_nd", [](Call &c) -> Values { return {byMode(c, "constant")}; });
  r.add("_pad_circular", [](Call &c) -> Values { return {byMode(c, "circular")}; });
  for (const char *dims : {"1d", "2d", "3d"}) {
    r.add(std::string("reflection_pad") + dims, [](Call &c) { return padding(c, "reflect"); });
    r.add(std::string("replication_pad") + dims, [](Call &c) { return padding(c, "edge"); });
  }
}

} // namespace poptorch
