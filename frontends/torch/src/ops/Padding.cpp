// SPDX-License-Identifier: MIT
// Elements added around a tensor, or taken away where the amount is negative. Amounts come in pairs
// (begin, end) from the last dimension backwards.
#include "frontend/Padding.hpp"
#include "core/Call.hpp"

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

Value byMode(Call &c, const std::string &mode) {
  const Value x = c.in("self");
  const auto a = amountsOf(c, "pad", c.rank(x));
  if (mode != "constant" && c.has("value") && c.real("value") != 0)
    c.fail("mode \"", mode, "\" takes no value.");
  return frontend::padded(c, x, a.begin, a.end, mode, c.real("value", 0));
}

Values padding(Call &c, const char *mode) {
  const Value x = c.in("self");
  const auto a = amountsOf(c, "padding", c.rank(x));
  return {frontend::padded(c, x, a.begin, a.end, mode)};
}

} // namespace

void addPadding(Registry &r) {
  r.add("pad", [](Call &c) -> Values { return {byMode(c, c.text("mode"))}; });
  r.add("constant_pad_nd", [](Call &c) -> Values { return {byMode(c, "constant")}; });
  r.add("_pad_circular", [](Call &c) -> Values { return {byMode(c, "circular")}; });
  for (const char *dims : {"1d", "2d", "3d"}) {
    r.add(std::string("reflection_pad") + dims, [](Call &c) { return padding(c, "reflect"); });
    r.add(std::string("replication_pad") + dims, [](Call &c) { return padding(c, "replicate"); });
  }
}

} // namespace poptorch
