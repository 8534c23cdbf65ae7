// SPDX-License-Identifier: MIT
// Tensors made of numbers.
#include "core/Call.hpp"

namespace tensorflow {

namespace {

// Inputs: the shape, one value.
Values fill(Call &c) { return {c.m.expand(c.in(1), c.integers(0))}; }

// Inputs: start, limit, delta, which must be known.
Values range(Call &c) {
  const auto at = [&](std::size_t i) {
    const auto *known = c.m.valuesOf(c.in(i));
    if (!known)
      c.fail("its bounds must be known when the graph is built.");
    return known->doubles().at(0);
  };
  const double start = at(0), limit = at(1), delta = at(2);
  std::vector<double> out;
  for (std::int64_t i = 0;
       delta > 0 ? start + double(i) * delta < limit : start + double(i) * delta > limit; ++i)
    out.push_back(start + double(i) * delta);
  const TensorInfo info(c.m.type(c.in(0)), {std::int64_t(out.size())});
  return {c.m.constant(HostTensor::fromDoubles(info, out))};
}

Values trilu(Call &c, bool upper) {
  return {c.m.op("Trilu", {c.in(0)}, {{"k", c.integer("k", 0)}, {"upper", std::int64_t(upper)}})};
}

} // namespace

void addCreation(Registry &r) {
  r.add("Fill", fill);
  r.add("Range", range);
  r.add("UpperTriangle", [](Call &c) { return trilu(c, true); });
  r.add("LowerTriangle", [](Call &c) { return trilu(c, false); });
}

} // namespace tensorflow
