// SPDX-License-Identifier: MIT
// Tensors that are known when the model is captured. What torch leaves empty is zero here.
#include "core/Elementwise.hpp"
#include <cmath>

namespace poptorch {

namespace {

Converter constant(double value) {
  return [value](Call &c) -> Values { return {filled(c, c.shape(), value, c.type())}; };
}

Values full(Call &c) {
  return {c.broadcast(c.m.scalar(c.real("fill_value"), c.type()), c.shape())};
}

Value numbers(Call &c, const std::vector<double> &values) {
  if (c.isFloating(c.m.scalar(0, c.type())))
    return c.m.constant(HostTensor::fromDoubles(c.result(), values));
  std::vector<std::int64_t> whole(values.begin(), values.end());
  return c.m.constant(HostTensor::fromIntegers(c.result(), whole));
}

// start, start + step, ... ; torch says how many. Bounds of whole numbers are made whole first.
Values arange(Call &c) {
  double start = c.real("start", 0), step = c.real("step", 1);
  if (!popart::isFloatingPoint(c.type()))
    start = std::trunc(start), step = std::trunc(step);
  std::vector<double> values(std::size_t(c.shape()[0]));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = start + double(i) * step;
  return {numbers(c, values)};
}

Values eye(Call &c) {
  const auto rows = c.shape()[0], columns = c.shape()[1];
  std::vector<double> values(std::size_t(rows * columns));
  for (std::int64_t i = 0; i < std::min(rows, columns); ++i)
    values[std::size_t(i * columns + i)] = 1;
  return {numbers(c, values)};
}

// [2, n]: rows and columns of the elements on and below (or above) a diagonal
Values triangle(Call &c, bool upper) {
  const auto rows = c.integer("row"), columns = c.integer("col"), offset = c.integer("offset");
  std::vector<double> values, second;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      if (upper ? j - i >= offset : j - i <= offset) {
        values.push_back(double(i));
        second.push_back(double(j));
      }
  values.insert(values.end(), second.begin(), second.end());
  return {numbers(c, values)};
}

} // namespace

void addCreation(Registry &r) {
  for (const char *name : {"zeros", "zeros_like", "new_zeros", "empty", "empty_like", "new_empty",
                           "empty_strided", "new_empty_strided"})
    r.add(name, constant(0));
  for (const char *name : {"ones", "ones_like", "new_ones"})
    r.add(name, constant(1));
  for (const char *name : {"full", "full_like", "new_full"})
    r.add(name, full);
  r.add("scalar_tensor", [](Call &c) -> Values { return {c.m.scalar(c.real("s"), c.type())}; });
  r.add("arange", arange);
  r.add("range", arange);
  r.add("eye", eye);
  r.add("tril_indices", [](Call &c) { return triangle(c, false); });
  r.add("triu_indices", [](Call &c) { return triangle(c, true); });
}

} // namespace poptorch
