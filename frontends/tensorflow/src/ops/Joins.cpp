// SPDX-License-Identifier: MIT
// Tensors put together and taken apart.
#include "frontend/Joins.hpp"
#include "core/Call.hpp"

namespace tensorflow {

namespace {

// The last input is the axis.
Values concatenated(Call &c) {
  Values parts = c.all();
  const auto axis = c.axis(c.size() - 1, c.rank(c.in(0)));
  parts.pop_back();
  return {c.concat(parts, axis)};
}

Values pack(Call &c) {
  return {frontend::stacked(c, c.all(), c.positive(c.integer("axis", 0), c.rank(c.in(0)) + 1))};
}
Values unpack(Call &c) {
  const Value x = c.in(0);
  const Values out = frontend::unstacked(c, x, c.positive(c.integer("axis", 0), c.rank(x)));
  if (std::int64_t(out.size()) != c.integer("num"))
    c.fail("the dimension has ", out.size(), " entries, not ", c.integer("num"), ".");
  return out;
}

// Inputs: the axis, then the tensor.
Values split(Call &c) {
  const Value x = c.in(1);
  const auto axis = c.axis(0, c.rank(x));
  return frontend::pieces(c, x, axis, frontend::equalSizes(c, x, axis, c.integer("num_split")));
}

// Inputs: the tensor, the sizes (one may be -1), the axis.
Values splitV(Call &c) {
  const Value x = c.in(0);
  return frontend::pieces(c, x, c.axis(2, c.rank(x)), c.integers(1));
}

} // namespace

void addJoins(Registry &r) {
  r.add("ConcatV2", concatenated);
  r.add("Pack", pack);
  r.add("Unpack", unpack);
  r.add("Split", split);
  r.add("SplitV", splitV);
}

} // namespace tensorflow
