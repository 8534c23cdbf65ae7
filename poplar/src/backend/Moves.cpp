// SPDX-License-Identifier: MIT
#include "backend/Moves.hpp"
#include <utility>

namespace poplar::openipu {

std::vector<RawMove> reversed(std::vector<RawMove> moves) {
  for (auto &move : moves) {
    std::swap(move.from, move.to);
    for (auto &loop : move.loops)
      std::swap(loop.from, loop.to);
  }
  return moves;
}

PackedMoves throughBuffer(const std::vector<RawMove> &moves) {
  PackedMoves packed;
  for (const auto &move : moves) {
    const auto at = std::int64_t(packed.bytes);
    RawMove in{move.from, at, move.unit, move.loops}, out{at, move.to, move.unit, move.loops};
    auto stride = std::int64_t(move.unit);
    for (auto i = move.loops.size(); i-- > 0; stride *= std::int64_t(move.loops[i].extent))
      in.loops[i].to = out.loops[i].from = stride;
    packed.bytes += std::uint64_t(stride);
    packed.in.push_back(std::move(in));
    packed.out.push_back(std::move(out));
  }
  return packed;
}

std::vector<std::int64_t> rowMajor(const std::vector<std::size_t> &shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (auto i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * std::int64_t(shape[i]);
  return strides;
}

std::vector<RawMove> packingMoves(const BoundTensor &tensor) {
  if (!tensor.strided)
    return tensor.gather;
  if (!tensor.elements)
    return {};
  const auto size = std::int64_t(sizeOf(tensor.type));
  const auto packed = rowMajor(tensor.shape);
  RawMove move{std::int64_t(tensor.offset), 0, std::uint64_t(size), {}};
  for (std::size_t d = 0; d < tensor.shape.size(); ++d)
    if (tensor.shape[d] > 1)
      move.loops.push_back({tensor.shape[d], tensor.strides[d] * size, packed[d] * size});
  return {std::move(move)};
}

} // namespace poplar::openipu

namespace poplar::backend {

RawMove resolve(const executable::Move &move, const executable::Image &image) {
  auto base = [&](std::uint32_t var) {
    return var == executable::none ? std::int64_t(0)
                                   : std::int64_t(image.variables[var].arenaOffset);
  };
  const std::int64_t size = move.elementBytes;
  RawMove raw{base(move.fromVar) + move.fromOffset * size,
              base(move.toVar) + move.toOffset * size,
              move.elementBytes,
              {}};
  for (const auto &loop : move.loops)
    raw.loops.push_back({loop.extent, loop.from * size, loop.to * size});
  return raw;
}

std::vector<RawMove> resolve(const std::vector<executable::Move> &moves,
                             const executable::Image &image) {
  std::vector<RawMove> raw;
  raw.reserve(moves.size());
  for (const auto &move : moves)
    raw.push_back(resolve(move, image));
  return raw;
}

static RawMove packingMove(const tensor::Piece &piece, std::int64_t size,
                           const std::vector<std::int64_t> &strides,
                           const executable::Image &image) {
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

std::vector<RawMove> packingMoves(const tensor::View &view, const executable::Image &image) {
  const auto strides = rowMajor(view.shape);
  std::vector<RawMove> moves;
  for (const auto &piece : view.pieces)
    moves.push_back(packingMove(piece, std::int64_t(sizeOf(view.type)), strides, image));
  return moves;
}

// One offset and strides, where these say it all.
static bool findStrides(openipu::BoundTensor &out, const tensor::View &view,
                        const executable::Image &image) {
  if (view.pieces.size() != 1)
    return false;
  const auto &piece = view.pieces[0];
  std::vector<std::int64_t> strides(out.shape.size(), 0);
  std::vector<std::uint64_t> extent(out.shape.size(), 1);
  for (auto i = piece.loops.size(); i-- > 0;) {
    const auto &loop = piece.loops[i];
    if (extent[loop.dim] == 1)
      strides[loop.dim] = loop.stride;
    else if (loop.stride != strides[loop.dim] * std::int64_t(extent[loop.dim]))
      return false; // two loops in one dimension that do not continue each other
    extent[loop.dim] *= loop.extent;
  }
  out.offset =
      image.variables[piece.var.value].arenaOffset + std::uint64_t(piece.offset) * sizeOf(out.type);
  out.contiguous = true;
  for (std::size_t d = 0; d < out.shape.size(); ++d) {
    if (out.shape[d] == 1)
      strides[d] = out.strides[d];
    out.contiguous = out.contiguous && strides[d] == out.strides[d];
  }
  out.strides = std::move(strides);
  return true;
}

openipu::BoundTensor bind(const tensor::View &view, const executable::Image &image) {
  openipu::BoundTensor out;
  out.type = view.type;
  out.shape = view.shape;
  out.elements = view.numElements();
  out.strides = rowMajor(out.shape);
  if (!out.elements)
    out.strided = out.contiguous = true;
  else if (!(out.strided = findStrides(out, view, image)))
    out.gather = packingMoves(view, image);
  return out;
}

} // namespace poplar::backend
