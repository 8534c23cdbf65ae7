// SPDX-License-Identifier: MIT
// Pools to a given size. An input without a batch dimension is a batch of one.
#include "core/Call.hpp"
#include "frontend/Pools.hpp"

namespace poptorch {

namespace {

Values adaptive(Call &c, std::size_t dims, bool largest) {
  Value x = c.in("self");
  if (!c.isFloating(x))
    c.fail("pools are computed in floating point; cast its input to float first.");
  const bool batched = c.rank(x) == dims + 2;
  if (!batched)
    x = c.unsqueeze(x, 0);
  const Integers parts(c.shape().end() - std::ptrdiff_t(dims), c.shape().end());
  const frontend::AdaptivePool pool(c, x, parts);
  Values out = largest ? Values{pool.maxima(), pool.positions()} : Values{pool.means()};
  if (!batched)
    for (auto &y : out)
      y = c.squeeze(y, 0);
  return out;
}

} // namespace

void addAdaptivePools(Registry &r) {
  for (std::size_t dims = 1; dims <= 3; ++dims) {
    const std::string d = std::to_string(dims) + "d";
    r.add("adaptive_max_pool" + d, [dims](Call &c) { return adaptive(c, dims, true); });
    r.add("adaptive_avg_pool" + d, [dims](Call &c) { return adaptive(c, dims, false); });
    if (dims > 1)
      r.add("_adaptive_avg_pool" + d, [dims](Call &c) { return adaptive(c, dims, false); });
  }
}

} // namespace poptorch
