// SPDX-License-Identifier: MIT
#include "backend/cpu/BoundView.hpp"

namespace poplar::backend::cpu {
BoundView::BoundView(const tensor::View &view, const executable::Image &image)
    : type_(view.type), shape_(view.shape) {
  elements_ = 1;
  for (auto extent : shape_)
    elements_ *= extent;
  auto moves = packingMoves(view, image);
  gather_ = MoveList(moves, SameMemory::No);
  scatter_ = MoveList(reversed(std::move(moves)), SameMemory::No);
  findStrides(view, image);
}

void BoundView::findStrides(const tensor::View &view, const executable::Image &image) {
  strides_ = rowMajor(shape_);
  if (elements_ == 0) {
    strided_ = contiguous_ = true;
    return;
  }
  if (view.pieces.size() != 1)
    return;
  const auto &piece = view.pieces[0];
  std::vector<std::int64_t> strides(shape_.size(), 0);
  std::vector<std::uint64_t> extent(shape_.size(), 1);
  for (auto i = piece.loops.size(); i-- > 0;) {
    const auto &loop = piece.loops[i];
    if (extent[loop.dim] == 1)
      strides[loop.dim] = loop.stride;
    else if (loop.stride != strides[loop.dim] * std::int64_t(extent[loop.dim]))
      return; // two loops in one dimension that do not continue each other
    extent[loop.dim] *= loop.extent;
  }
  strided_ = true;
  offset_ = image.variables[piece.var.value].arenaOffset + piece.offset * sizeOf(type_);
  contiguous_ = true;
  for (std::size_t d = 0; d < shape_.size(); ++d) {
    if (shape_[d] == 1)
      strides[d] = strides_[d];
    contiguous_ = contiguous_ && strides[d] == strides_[d];
  }
  strides_ = std::move(strides);
}

void BoundView::fill(std::byte *arena, std::byte value) const {
  std::vector<std::byte> packed(bytes(), value);
  write(packed.data(), arena);
}

} // namespace poplar::backend::cpu
