// SPDX-License-Identifier: MIT
// 8-bit floats in products and convolutions: kernels see their values as floats, whatever format
// and scale the metadata say; results are half. A tensor without metadata is F143 with scale 0.
// Chips without units for them cast them to half first, which is priced.
#pragma once
#include "openipu/Kernel.hpp"
#include "openipu/Operation.hpp"
#include <vector>

namespace poplin {

inline bool isQuarter(const poplar::Tensor &a, const poplar::Tensor &b) {
  return a.elementType() == poplar::QUARTER || b.elementType() == poplar::QUARTER;
}

// An output type that follows the inputs becomes half; another is refused.
poplar::Type quarterOutput(const char *function, const poplar::Type &input,
                           const poplar::Type &asked);

// Adds the metadata of those inputs that are quarter to `uses`, and the casts to the plan; the name
// of the kernel to call.
std::string quarterUses(poplar::Graph &graph, const std::string &kernel,
                        std::vector<openipu::Used> &uses, openipu::Plan &plan);

// Arguments with floats in place of quarters, and without their metadata, which comes last.
class Decoded {
public:
  explicit Decoded(const openipu::KernelArgs &args);
  const openipu::KernelArgs &decode(const openipu::KernelArgs &args);
  const openipu::KernelArgs &args() const { return args_; }

private:
  std::vector<openipu::KernelOperand> inputs_;
  std::vector<std::vector<float>> values_; // empty: not quarter
  std::vector<std::vector<std::int64_t>> strides_;
  openipu::KernelArgs args_;
};

// The kernel `State` on quarters.
template <class State> class OfQuarters {
public:
  explicit OfQuarters(const openipu::KernelArgs &args) : decoded_(args), state_(decoded_.args()) {}
  void run(const openipu::KernelArgs &args) { state_.run(decoded_.decode(args)); }

private:
  Decoded decoded_;
  State state_;
};

} // namespace poplin
