// SPDX-License-Identifier: MIT
#include "backend/cpu/Arena.hpp"
#include <cstring>

namespace poplar::backend::cpu {
namespace {
constexpr std::uint64_t slack = 64; // codelets may touch a little beyond the end
}

Arena::Arena(std::uint64_t variableBytes, std::uint64_t scratchBytes, bool withShadow)
    : size_(variableBytes + scratchBytes + slack), memory_(size_) {
  if (withShadow)
    shadow_ = MappedMemory(size_);
}

void Arena::set(std::uint64_t offset, const void *bytes, std::size_t n) {
  std::memcpy(memory_.data() + offset, bytes, n);
  if (shadow_)
    std::memset(shadow_.data() + offset, 1, n);
}

void Arena::reset(const executable::Image &image, unsigned replica, Fill fill) {
  if (touched_ || fill != Fill::Zero)
    std::memset(memory_.data(), int(fill), size_);
  if (touched_ && shadow_)
    std::memset(shadow_.data(), 0, size_);
  touched_ = true;
  for (const auto &variable : image.variables) {
    for (const auto &value : variable.initial)
      set(variable.arenaOffset + value.begin * sizeOf(variable.type), value.bytes.data(),
          value.bytes.size());
    if (variable.kind == executable::VariableKind::ReplicationIndex)
      set(variable.arenaOffset, &replica, sizeof replica);
  }
}

} // namespace poplar::backend::cpu
