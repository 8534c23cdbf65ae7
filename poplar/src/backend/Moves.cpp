// SPDX-License-Identifier: MIT
#include "backend/Moves.hpp"
#include <utility>

namespace poplar::backend {

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

std::vector<std::int64_t> rowMajor(const std::vector<std::size_t> &shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (auto i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * std::int64_t(shape[i]);
  return strides;
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

} // namespace poplar::backend
