// SPDX-License-Identifier: MIT
// The elements of a kernel's operand, wherever they lie, in no promised order.
#pragma once
#include "openipu/Kernel.hpp"
#include <algorithm>
#include <cstdlib>
#include <vector>

namespace poplar::backend::cpu {

// body(first element, how many, their distance), over dimensions from the widest stride to the
// narrowest, so that runs are long. Elements that a stride of zero repeats come once.
template <class T, class Body> void forRuns(const KernelOperand &t, Body body) {
  if (t.elements == 0)
    return;
  if (t.contiguous)
    return body(t.as<T>(), t.elements, std::int64_t(1));
  std::vector<std::size_t> dims;
  for (std::size_t d = 0; d < t.shape.size(); ++d)
    if (t.shape[d] > 1 && t.strides[d] != 0)
      dims.push_back(d);
  if (dims.empty())
    return body(t.as<T>(), std::size_t(1), std::int64_t(1));
  std::stable_sort(dims.begin(), dims.end(),
                   [&](auto a, auto b) { return std::abs(t.strides[a]) > std::abs(t.strides[b]); });
  const auto inner = dims.back();
  dims.pop_back();
  std::vector<std::size_t> at(dims.size());
  auto *data = t.as<T>();
  for (;;) {
    body(data, t.shape[inner], t.strides[inner]);
    auto k = dims.size();
    for (; k-- > 0; at[k] = 0) {
      data += t.strides[dims[k]];
      if (++at[k] < t.shape[dims[k]])
        break;
      data -= std::int64_t(t.shape[dims[k]]) * t.strides[dims[k]];
    }
    if (k == std::size_t(-1))
      return;
  }
}

} // namespace poplar::backend::cpu
