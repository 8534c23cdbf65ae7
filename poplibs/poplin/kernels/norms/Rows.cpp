// SPDX-License-Identifier: MIT
#include "poplin/Rows.hpp"
#include "base/Arithmetic.hpp"
#include <cstdlib>

namespace poplin::rows {

float *scratch(unsigned slot, std::size_t n) {
  constexpr unsigned slots = 16;
  thread_local std::array<std::vector<float>, slots> buffers;
  auto &buffer = buffers.at(slot);
  if (buffer.size() < n)
    buffer.resize(std::max<std::size_t>(n, 4096));
  return buffer.data();
}

Nest nestOf(std::initializer_list<const openipu::KernelOperand *> operands) {
  Nest nest;
  const auto &first = **operands.begin();
  for (std::size_t d = 0; d < first.shape.size(); ++d) {
    Dim dim;
    dim.size = first.shape[d];
    unsigned i = 0;
    for (const auto *operand : operands)
      dim.strides[i++] = operand->strides[d];
    if (dim.size != 1)
      nest.push_back(dim);
  }
  if (nest.size() > maxDims)
    throw std::runtime_error("a kernel was given a tensor with more than 24 dimensions of more "
                             "than one element; join some with flatten()");
  return nest;
}

void sortByStride(Nest &nest) {
  std::stable_sort(nest.begin(), nest.end(), [](const Dim &a, const Dim &b) {
    return std::abs(a.strides[0]) > std::abs(b.strides[0]);
  });
}

void join(Nest &nest, unsigned operands) {
  Nest joined;
  for (const Dim &dim : nest) {
    bool even = !joined.empty();
    for (unsigned i = 0; even && i < operands; ++i)
      even = joined.back().strides[i] == dim.strides[i] * std::int64_t(dim.size);
    if (!even) {
      joined.push_back(dim);
      continue;
    }
    joined.back().size *= dim.size;
    joined.back().strides = dim.strides;
  }
  nest = std::move(joined);
}

std::size_t sizeOf(const Nest &nest) {
  std::size_t size = 1;
  for (const Dim &dim : nest)
    size *= dim.size;
  return size;
}

Walk::Walk(const Nest &nest, unsigned operands, std::size_t start)
    : nest_(&nest), operands_(operands) {
  for (unsigned d = nest.size(); d-- > 0; start /= nest[d].size) {
    index_[d] = start % nest[d].size;
    for (unsigned i = 0; i < operands; ++i)
      offset[i] += nest[d].strides[i] * std::int64_t(index_[d]);
  }
}

void Data::load(std::int64_t offset, std::int64_t stride, std::size_t n, float *to) const {
  if (half) {
    const std::uint16_t *from = halves() + offset;
    if (stride == 1)
      return base::halfToFloat(from, to, n);
    std::uint16_t block[256];
    for (std::size_t begin = 0; begin < n; begin += 256) {
      std::size_t count = std::min<std::size_t>(256, n - begin);
      for (std::size_t i = 0; i < count; ++i)
        block[i] = from[std::int64_t(begin + i) * stride];
      base::halfToFloat(block, to + begin, count);
    }
    return;
  }
  const float *from = floats() + offset;
  for (std::size_t i = 0; i < n; ++i)
    to[i] = from[std::int64_t(i) * stride];
}

void Data::store(std::int64_t offset, std::int64_t stride, std::size_t n, const float *from) const {
  if (half) {
    std::uint16_t *to = halves() + offset;
    if (stride == 1)
      return base::floatToHalf(from, to, n);
    std::uint16_t block[256];
    for (std::size_t begin = 0; begin < n; begin += 256) {
      std::size_t count = std::min<std::size_t>(256, n - begin);
      base::floatToHalf(from + begin, block, count);
      for (std::size_t i = 0; i < count; ++i)
        to[std::int64_t(begin + i) * stride] = block[i];
    }
    return;
  }
  float *to = floats() + offset;
  for (std::size_t i = 0; i < n; ++i)
    to[std::int64_t(i) * stride] = from[i];
}

ElementLoop::ElementLoop(std::initializer_list<const openipu::KernelOperand *> operands,
                         std::size_t chunk)
    : outer_(nestOf(operands)), operands_(unsigned(operands.size())), chunk_(chunk) {
  sortByStride(outer_);
  join(outer_, operands_);
  row_.strides.fill(1);
  if (!outer_.empty()) {
    row_ = outer_.back();
    outer_.pop_back();
  }
  perRow_ = std::max<std::size_t>(1, base::ceilDiv(row_.size, chunk_));
  units_ = row_.size ? sizeOf(outer_) * perRow_ : 0;
  grain_ =
      std::max<std::size_t>(1, 4 * chunk_ / std::max<std::size_t>(1, std::min(chunk_, row_.size)));
}

const float *table(const openipu::KernelOperand &operand, unsigned slot) {
  Data data(operand);
  if (!data.half && operand.contiguous)
    return data.floats();
  float *to = scratch(slot, operand.elements);
  auto nest = nestOf({&operand});
  if (nest.empty()) {
    data.load(0, 1, operand.elements, to);
    return to;
  }
  Dim inner = nest.back();
  nest.pop_back();
  std::size_t rows = sizeOf(nest);
  Walk walk(nest, 1, 0);
  for (std::size_t r = 0; r < rows; ++r, walk.next())
    data.load(walk.offset[0], inner.strides[0], inner.size, to + r * inner.size);
  return to;
}

} // namespace poplin::rows
