// SPDX-License-Identifier: MIT
// A tensor view with its place in the arena worked out: one address and strides where that is
// enough, otherwise moves to and from a packed buffer.
#pragma once
#include "backend/cpu/Arena.hpp"
#include "backend/cpu/StridedMove.hpp"
#include "executable/Image.hpp"
#include <vector>

namespace poplar::backend::cpu {

class BoundView {
public:
  BoundView() = default;
  BoundView(const tensor::View &view, const executable::Image &image);

  TypeId type() const { return type_; }
  const std::vector<std::size_t> &shape() const { return shape_; }
  std::size_t elements() const { return elements_; }
  std::uint64_t bytes() const { return elements_ * sizeOf(type_); }

  bool strided() const { return strided_; }        // one address and `strides()` say it all
  bool contiguous() const { return contiguous_; }  // strided and row-major
  std::uint64_t offset() const { return offset_; } // bytes in the arena, when strided
  const std::vector<std::int64_t> &strides() const { return strides_; }

  void read(const std::byte *arena, std::byte *packed) const { gather_.run(arena, packed); }
  void write(const std::byte *packed, std::byte *arena) const { scatter_.run(packed, arena); }
  void fill(std::byte *arena, std::byte value) const; // every byte of every element

private:
  void findStrides(const tensor::View &view, const executable::Image &image);
  TypeId type_ = TypeId::Float;
  std::vector<std::size_t> shape_;
  std::size_t elements_ = 0;
  bool strided_ = false, contiguous_ = false;
  std::uint64_t offset_ = 0;
  std::vector<std::int64_t> strides_;
  MoveList gather_, scatter_;
};

} // namespace poplar::backend::cpu
