// SPDX-License-Identifier: MIT
#include "backend/cpu/BoundView.hpp"

namespace poplar::backend::cpu {

BoundView::BoundView(openipu::BoundTensor tensor) : tensor_(std::move(tensor)) {
  auto moves = openipu::packingMoves(tensor_);
  tensor_.gather = {};
  gather_ = MoveList(moves, SameMemory::No);
  scatter_ = MoveList(reversed(std::move(moves)), SameMemory::No);
}

void BoundView::fill(std::byte *arena, std::byte value) const {
  std::vector<std::byte> packed(bytes(), value);
  write(packed.data(), arena);
}

} // namespace poplar::backend::cpu
