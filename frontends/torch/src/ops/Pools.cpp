// SPDX-License-Identifier: MIT
// Pools over windows: maxima (and where they are), means, and maxima put back. An input without a
// batch dimension is a batch of one. Windows begin every `stride` elements; with ceil_mode a last
// one may reach over the end, but begins before it.
#include "frontend/Pools.hpp"
#include "core/Call.hpp"

namespace poptorch {

namespace {

using frontend::Pool;

struct Pooling {
  Value x; // with a batch; integers are pooled as floats, and results cast back
  bool batched;
  Pool pool;

  Pooling(Call &c, std::size_t dims)
      : x(c.floating(c.in("self"))), batched(c.rank(x) == dims + 2), pool(windowOf(c, dims)) {
    if (!batched)
      x = c.unsqueeze(x, 0);
    for (std::size_t d = 0; d < dims; ++d)
      pool.reach(d, c.shape()[c.shape().size() - dims + d]);
  }
  frontend::Window windowOf(const Call &c, std::size_t dims) const {
    frontend::Window w;
    w.field = Shape(c.shapeOf(x).end() - std::ptrdiff_t(dims), c.shapeOf(x).end());
    w.kernel = c.repeated("kernel_size", dims);
    w.strides = c.integers("stride").empty() ? w.kernel : c.repeated("stride", dims);
    w.dilations = c.has("dilation") ? c.repeated("dilation", dims) : Integers(dims, 1);
    w.pads = frontend::padsOfBoth(c.repeated("padding", dims));
    return w;
  }
  Value result(const Call &c, Value y) const { return batched ? y : c.squeeze(y, 0); }
};

// The largest of every window, and where it is.
Values maxPool(Call &c, std::size_t dims) {
  const Pooling p(c, dims);
  Values out{p.result(c, frontend::maxima(c, p.x, p.pool))};
  if (c.results() > 1)
    out.push_back(p.result(c, frontend::positions(c, p.x, p.pool)));
  return out;
}

// The means of integers are cut off, as torch does.
Value integerMeans(Call &c, const Pooling &p) {
  auto [shape, counts] = p.pool.counts(c.flag("count_include_pad", true));
  if (c.has("divisor_override"))
    counts.assign(counts.size(), c.real("divisor_override"));
  const Value by = c.m.constant(HostTensor::fromDoubles({DataType::INT32, shape}, counts));
  return c.m.div(c.cast(frontend::sums(c, p.x, p.pool), DataType::INT32), by);
}

// The mean of every window: over its elements, also over padding, or the sum over a number.
Values averagePool(Call &c, std::size_t dims) {
  const Pooling p(c, dims);
  if (c.has("divisor_override") && c.integer("divisor_override") == 0)
    c.fail("divisor_override must not be zero.");
  if (!popart::isFloatingPoint(c.type()))
    return {p.result(c, integerMeans(c, p))};
  if (!c.has("divisor_override"))
    return {p.result(c, frontend::means(c, p.x, p.pool, c.flag("count_include_pad", true)))};
  const Value sum = frontend::sums(c, p.x, p.pool);
  return {p.result(c, c.m.mul(sum, 1.0 / double(c.integer("divisor_override"))))};
}

// Elements at their positions within a channel of zeros [..., output...].
Values maxUnpool(Call &c, std::size_t dims) {
  const Value x = c.in("self");
  const Shape shape = c.shapeOf(x);
  std::int64_t rows = 1, from = 1, to = 1;
  for (std::size_t d = 0; d < shape.size(); ++d)
    (d + dims < shape.size() ? rows : from) *= shape[d];
  for (std::size_t d = shape.size() - dims; d < shape.size(); ++d)
    to *= c.shape()[d];
  const Value places = c.m.reshape(c.in("indices"), {rows, from});
  const Value y = c.m.op("ScatterElements",
                         {c.full({rows, to}, 0, c.m.type(x)), places, c.m.reshape(x, {rows, from})},
                         {{"axis", std::int64_t(1)}});
  return {c.m.reshape(y, c.shape())};
}

} // namespace

void addPools(Registry &r) {
  for (std::size_t dims = 1; dims <= 3; ++dims) {
    const std::string d = std::to_string(dims) + "d";
    r.add("max_pool" + d, [dims](Call &c) { return maxPool(c, dims); });
    r.add("max_pool" + d + "_with_indices", [dims](Call &c) { return maxPool(c, dims); });
    r.add("avg_pool" + d, [dims](Call &c) { return averagePool(c, dims); });
    if (dims > 1)
      r.add("max_unpool" + d, [dims](Call &c) { return maxUnpool(c, dims); });
  }
}

} // namespace poptorch
