// SPDX-License-Identifier: MIT
#include "backend/cpu/Arena.hpp"
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"
#include <cstring>
#include <sys/mman.h>

namespace poplar::backend::cpu {
namespace {
constexpr std::uint64_t slack = 64; // codelets may touch a little beyond the end
}

void UnmapMemory::operator()(std::byte *p) const { munmap(p, size); }

// Fresh pages are zero and cost nothing until touched; a page boundary is aligned for every vector
// width.
Arena::Memory Arena::map(std::uint64_t size) {
  void *p = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                 -1, 0);
  if (p == MAP_FAILED)
    throw poplar_error(base::str("The host has no ", base::thousands(size),
                                 " bytes for the memory of the device: ", std::strerror(errno),
                                 "."));
  madvise(p, size, MADV_HUGEPAGE);
  return Memory(static_cast<std::byte *>(p), UnmapMemory{size});
}

Arena::Arena(std::uint64_t variableBytes, std::uint64_t scratchBytes, bool withShadow)
    : size_(variableBytes + scratchBytes + slack), memory_(map(size_)) {
  if (withShadow)
    shadow_ = map(size_);
}

void Arena::set(std::uint64_t offset, const void *bytes, std::size_t n) {
  std::memcpy(memory_.get() + offset, bytes, n);
  if (shadow_)
    std::memset(shadow_.get() + offset, 1, n);
}

void Arena::reset(const executable::Image &image, unsigned replica, Fill fill) {
  if (touched_ || fill != Fill::Zero)
    std::memset(memory_.get(), int(fill), size_);
  if (touched_ && shadow_)
    std::memset(shadow_.get(), 0, size_);
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
