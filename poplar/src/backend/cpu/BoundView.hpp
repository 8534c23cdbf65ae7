// SPDX-License-Identifier: MIT
// A tensor in the arena: one address and strides where that is enough, otherwise moves to and from
// a packed buffer.
#pragma once
#include "backend/cpu/Arena.hpp"
#include "backend/cpu/StridedMove.hpp"
#include "openipu/BoundStep.hpp"
#include <vector>

namespace poplar::backend::cpu {

class BoundView {
public:
  BoundView() = default;
  explicit BoundView(openipu::BoundTensor tensor);

  TypeId type() const { return tensor_.type; }
  const std::vector<std::size_t> &shape() const { return tensor_.shape; }
  std::size_t elements() const { return tensor_.elements; }
  std::uint64_t bytes() const { return tensor_.bytes(); }

  bool strided() const { return tensor_.strided; } // one address and `strides()` say it all
  bool contiguous() const { return tensor_.contiguous; }
  std::uint64_t offset() const { return tensor_.offset; } // bytes in the arena, when strided
  const std::vector<std::int64_t> &strides() const { return tensor_.strides; }

  void read(const std::byte *arena, std::byte *packed) const { gather_.run(arena, packed); }
  void write(const std::byte *packed, std::byte *arena) const { scatter_.run(packed, arena); }
  void fill(std::byte *arena, std::byte value) const; // every byte of every element

private:
  openipu::BoundTensor tensor_; // without its moves
  MoveList gather_, scatter_;
};

} // namespace poplar::backend::cpu
