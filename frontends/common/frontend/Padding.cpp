// SPDX-License-Identifier: MIT
#include "frontend/Padding.hpp"

#include <algorithm>

namespace frontend {

// What is cut off is cut first; the rest is repeated round.
static Value circular(const Writing &w, Value x, const Integers &begins, const Integers &ends) {
  for (std::size_t d = 0; d < begins.size(); ++d) {
    const auto axis = std::int64_t(d), size = w.shapeOf(x)[d];
    const auto cut = [](std::int64_t n) { return std::max<std::int64_t>(-n, 0); };
    x = w.slice(x, axis, cut(begins[d]), size - cut(ends[d]));
    const auto n = w.shapeOf(x)[d];
    if (begins[d] > n || ends[d] > n)
      w.fail("circular padding of ", std::max(begins[d], ends[d]),
             " elements needs as many in dimension ", d, ", which has ", n, ".");
    Values parts{x};
    if (begins[d] > 0)
      parts.insert(parts.begin(), w.slice(x, axis, n - begins[d], n));
    if (ends[d] > 0)
      parts.push_back(w.slice(x, axis, 0, ends[d]));
    x = w.concat(parts, axis);
  }
  return x;
}

Value padded(const Writing &w, Value x, const Integers &begins, const Integers &ends,
             const std::string &mode, double value) {
  if (mode == "circular")
    return circular(w, x, begins, ends);
  if (mode != "constant" && mode != "reflect" && mode != "replicate")
    w.fail("mode \"", mode, "\" is not one of constant, reflect, replicate, circular.");
  Integers pads = begins;
  pads.insert(pads.end(), ends.begin(), ends.end());
  if (pads.empty())
    return w.m.op("Identity", {x});
  return w.m.op("Pad", {x},
                {{"pads", pads},
                 {"mode", mode == "replicate" ? std::string("edge") : mode},
                 {"constant_value", HostTensor::scalar(w.m.type(x), value)}});
}

} // namespace frontend
