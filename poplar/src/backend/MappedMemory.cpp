// SPDX-License-Identifier: MIT
#include "backend/MappedMemory.hpp"
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"
#include <cerrno>
#include <cstring>
#include <sys/mman.h>

namespace poplar::backend {

void UnmapMemory::operator()(std::byte *p) const { munmap(p, size); }

MappedMemory::MappedMemory(std::uint64_t size) {
  void *p = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                 -1, 0);
  if (p == MAP_FAILED)
    throw poplar_error(base::str("The host has no ", base::thousands(size),
                                 " bytes for the memory of the device: ", std::strerror(errno),
                                 "."));
  madvise(p, size, MADV_HUGEPAGE);
  memory_ = {static_cast<std::byte *>(p), UnmapMemory{size}};
}

} // namespace poplar::backend
