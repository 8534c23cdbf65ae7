// SPDX-License-Identifier: MIT
// The leaf steps of a program as a backend gets them: what it is to move or to compute, with every
// place worked out. Whoever makes a backend needs no graph and no executable.
#pragma once
#include "openipu/Kernel.hpp"
#include "openipu/Moves.hpp"
#include <string_view>

namespace poplar::openipu {

// A tensor in the memory of a replica.
struct BoundTensor {
  TypeId type = TypeId::Float;
  std::vector<std::size_t> shape;
  std::size_t elements = 0;
  bool strided = false;    // one offset and `strides` say where it is
  bool contiguous = false; // strided, row-major without gaps
  std::uint64_t offset = 0;
  std::vector<std::int64_t> strides; // elements; row-major where one set does not do
  std::vector<RawMove> gather;       // unless strided: into a packed row-major buffer

  std::uint64_t bytes() const { return elements * sizeOf(type); }
};
// Into a packed row-major buffer, however it lies; reversed(), out of it.
std::vector<RawMove> packingMoves(const BoundTensor &tensor);

struct BoundOperand : BoundTensor {
  bool output = false;
  bool read = false;   // its values from before are looked at; of inputs always
  bool unread = false; // an output that nothing in the program reads
  bool steady = false; // an input that keeps its values from run to run (KernelOperand::steady)
};

enum class StepKind : std::uint8_t {
  Copy,   // as if every source were read before any destination is written
  Kernel, // one operation on whole tensors
  Forget, // the values of a tensor are not needed any more
  Execute // vertices: only of backends that run them
};

struct BoundStep {
  StepKind kind = StepKind::Copy;
  std::uint32_t step = 0; // its number in the program
  std::vector<RawMove> moves{};
  BoundTensor tensor{}; // Forget; Execute: where the verdict of all vertices goes
  // Kernel:
  const Kernel *kernel = nullptr;       // the backend's own
  std::uint32_t number = 0;             // among the kernel steps
  std::string_view attributes{};        // lie in the executable, which outlives the backend
  std::vector<BoundOperand> operands{}; // outputs first
  std::size_t outputs = 0;
  bool draws = false, seeds = false; // Kernel::draws, Kernel::seeds
  // What happens around the call, decided for every backend alike:
  bool rounds = false; // while rounding is stochastic, outputs that are half are floats to the
                       // kernel, and rounded behind it (base/Stochastic.hpp)
  bool limits = false; // infinities in outputs that are half, where no operand had one, become what
                       // Rounding::overflow says
  Nans nans = {};      // for Turn::trapped
  // Execute:
  std::uint32_t computeSet = 0;
  bool returning = false; // it has a verdict
};

} // namespace poplar::openipu

namespace openipu = poplar::openipu;
