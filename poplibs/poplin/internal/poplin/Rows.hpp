// SPDX-License-Identifier: MIT
// Tensors of any strides and of float or half, walked as rows of floats: what fused kernels (norms,
// non-linearities, softmax, pooling) have in common.
//
// A Nest is a list of loops, outermost first, with one stride per operand. Rows of floats that lie
// side by side are used where they are; others go through a buffer of the thread.
#pragma once
#include "base/Half.hpp"
#include "base/Threads.hpp"
#include "openipu/Kernel.hpp"
#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace poplin::rows {

constexpr unsigned maxOperands = 6, maxDims = 24;

struct Dim {
  std::size_t size = 1;
  std::array<std::int64_t, maxOperands> strides{};
};

// A buffer of this thread that keeps its memory. `slot` tells buffers in use at a time apart.
float *scratch(unsigned slot, std::size_t n);

using Nest = std::vector<Dim>;

// One dimension per dimension of the operands, which all have the same shape. Dimensions of one
// element are left out.
Nest nestOf(std::initializer_list<const openipu::KernelOperand *> operands);
// Orders loops by the strides of the first operand, largest outermost, and joins loops that step
// evenly through all `operands`.
void sortByStride(Nest &nest);
void join(Nest &nest, unsigned operands);
std::size_t sizeOf(const Nest &nest);

// Walks the index space of a nest in order, with the offset of each operand.
class Walk {
public:
  Walk(const Nest &nest, unsigned operands, std::size_t start);
  void next() {
    for (unsigned d = nest_->size(); d-- > 0;) {
      const Dim &dim = (*nest_)[d];
      for (unsigned i = 0; i < operands_; ++i)
        offset[i] += dim.strides[i];
      if (++index_[d] < dim.size)
        return;
      for (unsigned i = 0; i < operands_; ++i)
        offset[i] -= dim.strides[i] * std::int64_t(dim.size);
      index_[d] = 0;
    }
  }
  std::array<std::int64_t, maxOperands> offset{};

private:
  const Nest *nest_;
  unsigned operands_;
  std::array<std::size_t, maxDims> index_{};
};

// Elements of one operand as floats. Converting functions, for memory that is not float or not
// side by side.
struct Data {
  std::byte *data = nullptr;
  bool half = false;

  Data() = default;
  explicit Data(const openipu::KernelOperand &operand)
      : data(operand.data), half(operand.type == openipu::TypeId::Half) {}
  float *floats() const { return reinterpret_cast<float *>(data); }
  std::uint16_t *halves() const { return reinterpret_cast<std::uint16_t *>(data); }
  bool direct(std::int64_t stride) const { return !half && stride == 1; }
  void load(std::int64_t offset, std::int64_t stride, std::size_t n, float *to) const;
  void store(std::int64_t offset, std::int64_t stride, std::size_t n, const float *from) const;
};

// Floats to read: the memory itself where possible, else copied to the thread's buffer `slot`.
inline const float *read(const Data &data, std::int64_t offset, std::int64_t stride, std::size_t n,
                         unsigned slot) {
  if (data.direct(stride) || (n == 1 && !data.half))
    return data.floats() + offset;
  float *to = scratch(slot, n);
  data.load(offset, stride, n, to);
  return to;
}
// Where to put floats; `write` brings them home when it was a buffer.
inline float *target(const Data &data, std::int64_t offset, std::int64_t stride, std::size_t n,
                     unsigned slot) {
  return data.direct(stride) ? data.floats() + offset : scratch(slot, n);
}
inline void write(const Data &data, std::int64_t offset, std::int64_t stride, std::size_t n,
                  const float *from) {
  if (!data.direct(stride))
    data.store(offset, stride, n, from);
}

// Element-wise work on operands of one shape, in stretches of a row: body(offsets, n). The first
// operand decides the order, so it should be the output.
class ElementLoop {
public:
  explicit ElementLoop(std::initializer_list<const openipu::KernelOperand *> operands,
                       std::size_t chunk = 2048);
  std::int64_t stride(unsigned operand) const { return row_.strides[operand]; }

  template <class Body> void run(const Body &body) const {
    auto range = [&](std::size_t begin, std::size_t end, unsigned) {
      Walk walk(outer_, operands_, begin / perRow_);
      for (auto unit = begin; unit < end; ++unit) {
        auto first = unit % perRow_ * chunk_;
        auto offset = walk.offset;
        for (unsigned i = 0; i < operands_; ++i)
          offset[i] += std::int64_t(first) * row_.strides[i];
        body(offset, std::min(chunk_, row_.size - first));
        if ((unit + 1) % perRow_ == 0)
          walk.next();
      }
    };
    base::parallelFor(units_, grain_, std::ref(range));
  }

private:
  Nest outer_;
  Dim row_;
  unsigned operands_;
  std::size_t chunk_, perRow_, units_, grain_;
};

// A small table (means, parameters) as contiguous floats, by the same rule. Any shape, row-major.
const float *table(const openipu::KernelOperand &operand, unsigned slot);

} // namespace poplin::rows
