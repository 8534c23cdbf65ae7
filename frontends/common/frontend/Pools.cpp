// SPDX-License-Identifier: MIT
#include "frontend/Pools.hpp"

#include <algorithm>

namespace frontend {

void Pool::reach(std::size_t d, std::int64_t outputs) {
  const auto end = (outputs - 1) * asked.strides[d] + asked.extent(d);
  auto &last = reached[d + asked.dims()];
  last = std::max(last, end - asked.field[d] - reached[d]);
}
Attributes Pool::attributes() const {
  Attributes out{{"kernel_shape", asked.kernel}, {"strides", asked.strides}, {"pads", reached}};
  if (asked.dilations != Integers(asked.dims(), 1))
    out.set("dilations", asked.dilations);
  return out;
}
std::pair<Shape, std::vector<double>> Pool::counts(bool padding) const {
  Window all = asked;
  all.pads = reached;
  std::vector<double> counts{1};
  Shape shape{1, 1};
  for (std::size_t d = 0; d < asked.dims(); ++d) {
    const auto begin = asked.pads[d], end = begin + asked.field[d];
    const auto from = padding ? 0 : begin, to = end + (padding ? asked.pads[d + asked.dims()] : 0);
    std::vector<double> next;
    shape.push_back(all.outputs(d));
    for (double before : counts)
      for (std::int64_t o = 0; o < shape.back(); ++o) {
        const auto first = o * asked.strides[d], last = first + asked.kernel[d];
        next.push_back(before * double(std::min(last, to) - std::max(first, from)));
      }
    counts = std::move(next);
  }
  return {shape, counts};
}

Value maxima(const Writing &w, Value x, const Pool &pool) {
  auto attributes = pool.attributes();
  attributes.set("first_of_ties", std::int64_t(1));
  return w.m.op("MaxPool", {x}, attributes);
}
// MaxPool counts within the whole tensor.
Value positions(const Writing &w, Value x, const Pool &pool) {
  const Value where = w.m.ops("MaxPool", {w.m.op("Detach", {x})}, 2, pool.attributes())[1];
  const Shape shape = w.shapeOf(x);
  Shape starts(shape.size(), 1);
  starts[0] = shape[0];
  starts[1] = shape[1];
  const auto plane = popart::ir::elementsOf(pool.asked.field);
  const Value first = w.m.mul(w.m.reshape(w.iota(shape[0] * shape[1]), starts), double(plane));
  return w.m.sub(w.cast(where, DataType::INT32), first);
}
Value sums(const Writing &w, Value x, const Pool &pool) {
  return w.m.op("SumPool", {x}, pool.attributes());
}
Value means(const Writing &w, Value x, const Pool &pool, bool countPadding) {
  if (!pool.isPadded() || !countPadding)
    return w.m.op("AveragePool", {x}, pool.attributes());
  auto [shape, shares] = pool.counts(true);
  for (auto &n : shares)
    n = 1 / n;
  const Value by = w.m.constant(HostTensor::fromDoubles({w.m.type(x), shape}, shares));
  return w.m.mul(sums(w, x, pool), by);
}

std::int64_t AdaptivePool::Parts::stride() const {
  return begin.size() > 1 ? std::max<std::int64_t>(begin[1], 1) : 1;
}
bool AdaptivePool::Parts::areWindows() const {
  for (std::size_t i = 0; i < begin.size(); ++i)
    if (end[i] - begin[i] != length() || begin[i] != std::int64_t(i) * stride())
      return false;
  return true;
}

AdaptivePool::AdaptivePool(const Writing &w, Value x, const Integers &parts) : w_(w), x_(x) {
  window_.field = fieldOf(w.shapeOf(x));
  for (std::size_t d = 0; d < parts.size(); ++d) {
    const auto n = parts[d], m = window_.field[d];
    if (n < 1)
      w.fail("an adaptive pool needs a positive number of results, not ", n, ".");
    Parts p;
    for (std::int64_t i = 0; i < n; ++i) {
      p.begin.push_back(i * m / n);
      p.end.push_back(((i + 1) * m + n - 1) / n);
    }
    isPool_ &= p.areWindows();
    window_.kernel.push_back(p.length());
    window_.strides.push_back(p.stride());
    parts_.push_back(std::move(p));
  }
  window_.dilations = Integers(parts.size(), 1);
  window_.pads = Integers(2 * parts.size(), 0);
}

// Parts of more than one element are reduced, axis by axis; all stand side by side.
template <class Reduce> Value AdaptivePool::alongAxes(bool lastFirst, Reduce reduce) const {
  Value y = x_;
  for (std::size_t n = 0; n < parts_.size(); ++n) {
    const auto d = lastFirst ? parts_.size() - 1 - n : n;
    const auto axis = std::int64_t(d) + 2;
    Values all;
    for (std::size_t i = 0; i < parts_[d].begin.size(); ++i) {
      const auto begin = parts_[d].begin[i], end = parts_[d].end[i];
      const Value part = w_.slice(y, axis, begin, end);
      all.push_back(end - begin == 1 ? part : reduce(part, axis));
    }
    y = w_.concat(all, axis);
  }
  return y;
}

Value AdaptivePool::means() const {
  if (isPool_)
    return frontend::means(w_, x_, Pool(window_), false);
  return alongAxes(false, [&](Value part, std::int64_t axis) {
    return w_.reduce("ReduceMean", part, {axis}, true);
  });
}

// The first of every row, and of these the first row, is the first of all.
Value AdaptivePool::maxima() const {
  if (isPool_)
    return frontend::maxima(w_, x_, Pool(window_));
  return alongAxes(true, [&](Value part, std::int64_t axis) {
    Integers kernel(parts_.size(), 1);
    kernel[std::size_t(axis) - 2] = w_.shapeOf(part)[std::size_t(axis)];
    return w_.m.op("MaxPool", {part},
                   {{"kernel_shape", kernel}, {"first_of_ties", std::int64_t(1)}});
  });
}

Value AdaptivePool::positions() const {
  Shape one = w_.shapeOf(x_);
  one[0] = one[1] = 1;
  const auto plane = popart::ir::elementsOf(window_.field);
  Value values = w_.m.op("Detach", {x_});
  Value at = w_.m.expand(w_.m.reshape(w_.iota(plane), one), w_.shapeOf(x_));
  for (std::size_t d = parts_.size(); d-- > 0;) {
    const auto axis = std::int64_t(d) + 2;
    Values largest, places;
    for (std::size_t i = 0; i < parts_[d].begin.size(); ++i) {
      const auto begin = parts_[d].begin[i], end = parts_[d].end[i];
      const Value part = w_.slice(values, axis, begin, end);
      const Value index = w_.m.op("ArgMax", {part}, {{"axis", axis}});
      const auto take = [&](Value from) {
        return w_.m.op("GatherElements", {from, index}, {{"axis", axis}});
      };
      largest.push_back(take(part));
      places.push_back(take(w_.slice(at, axis, begin, end)));
    }
    values = w_.concat(largest, axis);
    at = w_.concat(places, axis);
  }
  return at;
}

} // namespace frontend
