// SPDX-License-Identifier: MIT
// Everything one replica owns: its memory, its vertices and its bound kernel calls.
#pragma once
#include "backend/cpu/Arena.hpp"
#include "backend/cpu/RoundedCall.hpp"
#include "backend/cpu/VertexRunner.hpp"
#include "base/Mix.hpp"

namespace poplar::backend::cpu {

// A kernel's operands with this replica's addresses.
struct KernelCall {
  const Kernel *kernel = nullptr;
  std::vector<KernelOperand> operands; // outputs first
  KernelArgs args;
  std::unique_ptr<RoundedCall> rounded; // for stochastic rounding, if there may be any
  ~KernelCall() {
    if (kernel && kernel->release && args.prepared)
      kernel->release(args.prepared);
  }
};

struct Replica {
  Arena arena;
  std::vector<std::unique_ptr<VertexRunner>> computeSets;      // null: never executed
  std::vector<std::unique_ptr<VertexRunner>> plainComputeSets; // checked mode: made when counting
  std::vector<std::unique_ptr<KernelCall>> kernels;            // by KernelUse::number; made at load

  void seedVertices(std::uint64_t seed) {
    for (std::size_t i = 0; i < computeSets.size(); ++i)
      if (computeSets[i])
        computeSets[i]->seed(base::mix(seed + i));
  }
};

} // namespace poplar::backend::cpu
