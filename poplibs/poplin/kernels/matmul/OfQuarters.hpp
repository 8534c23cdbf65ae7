// SPDX-License-Identifier: MIT
// Kernels of products on 8-bit floats: they see their values as floats, whatever format and scale
// the metadata say.
#pragma once
#include "openipu/Kernel.hpp"
#include <vector>

namespace poplin {

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
