// SPDX-License-Identifier: MIT
// Who computes an operator: the registry of openipu/Kernel.hpp as backends ask it.
#pragma once
#include "openipu/Kernel.hpp"

namespace poplar::backend {

enum class Where : bool {
  Here, // a kernel of the backend that asked
  Host  // a kernel of the cpu: operands are read out of the backend's memory, results written back
};

struct Implementation {
  const Kernel *kernel; // stays where it is
  Where where;
};

// Throws poplar_error with near matches when neither the backend nor the cpu has the kernel.
Implementation implementationOf(const std::string &kernel, const std::string &backend);

} // namespace poplar::backend
