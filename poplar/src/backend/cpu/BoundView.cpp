// SPDX-License-Identifier: MIT
#include "backend/cpu/BoundView.hpp"
#include "base/Error.hpp"
#include "base/Text.hpp"
#include <cstring>

namespace poplar::backend::cpu {
namespace {

std::vector<std::int64_t> rowMajor(const std::vector<std::size_t> &shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (auto i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * std::int64_t(shape[i]);
  return strides;
}

RawMove packingMove(const tensor::Piece &piece, std::int64_t size,
                    const std::vector<std::int64_t> &strides, const executable::Image &image) {
  RawMove move{std::int64_t(image.variables[piece.var.value].arenaOffset) + piece.offset * size,
               0,
               std::uint64_t(size),
               {}};
  for (std::size_t d = 0; d < piece.box.size(); ++d)
    move.to += std::int64_t(piece.box[d].begin) * strides[d] * size;
  // Loops of one dimension are nested: the innermost steps by one position, each outer one over all
  // inside it.
  std::vector<std::int64_t> step(strides);
  move.loops.resize(piece.loops.size());
  for (auto i = piece.loops.size(); i-- > 0;) {
    const auto &loop = piece.loops[i];
    move.loops[i] = {loop.extent, loop.stride * size, step[loop.dim] * size};
    step[loop.dim] *= std::int64_t(loop.extent);
  }
  return move;
}

} // namespace

std::vector<RawMove> packingMoves(const tensor::View &view, const executable::Image &image) {
  const auto strides = rowMajor(view.shape);
  std::vector<RawMove> moves;
  for (const auto &piece : view.pieces)
    moves.push_back(packingMove(piece, std::int64_t(sizeOf(view.type)), strides, image));
  return moves;
}

BoundView::BoundView(const tensor::View &view, const executable::Image &image)
    : type_(view.type), shape_(view.shape) {
  elements_ = 1;
  for (auto extent : shape_)
    elements_ *= extent;
  auto moves = packingMoves(view, image);
  gather_ = MoveList(moves, SameMemory::No);
  for (auto &move : moves) {
    std::swap(move.from, move.to);
    for (auto &loop : move.loops)
      std::swap(loop.from, loop.to);
  }
  scatter_ = MoveList(moves, SameMemory::No);
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

BoundScalar::BoundScalar(const tensor::View &view, const executable::Image &image) {
  BoundView bound(view, image);
  OPENIPU_CHECK(bound.strided() && bound.elements() == 1,
                base::str("a control value has ", bound.elements(), " elements"));
  offset = bound.offset();
  type = bound.type();
}

std::int64_t BoundScalar::value(const std::byte *arena) const {
  auto load = [&]<class T>(T value) {
    std::memcpy(&value, arena + offset, sizeof value);
    return value;
  };
  switch (type) {
  case TypeId::Bool:
  case TypeId::UnsignedChar:
  case TypeId::Quarter:
  case TypeId::QuarterMetadata:
    return load(std::uint8_t());
  case TypeId::Char:
  case TypeId::SignedChar:
    return load(std::int8_t());
  case TypeId::Short:
    return load(std::int16_t());
  case TypeId::UnsignedShort:
    return load(std::uint16_t());
  case TypeId::Int:
    return load(std::int32_t());
  case TypeId::UnsignedInt:
    return load(std::uint32_t());
  case TypeId::Half:
    return (load(std::uint16_t()) & 0x7fff) != 0;
  case TypeId::Float:
    return load(float()) != 0;
  case TypeId::Double:
    return load(double()) != 0;
  default:
    return load(std::int64_t());
  }
}

} // namespace poplar::backend::cpu
