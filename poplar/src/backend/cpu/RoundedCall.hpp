// SPDX-License-Identifier: MIT
// A kernel call whose results are rounded stochastically: outputs that are half become floats of
// the call's own, and what the kernel leaves there is rounded into the real ones. Which way an
// element goes depends on the key and on its index alone.
#pragma once
#include "openipu/Kernel.hpp"
#include <memory>
#include <vector>

namespace poplar::backend::cpu {

class RoundedCall {
public:
  // `reads`: of each output, whether the kernel reads it as well.
  RoundedCall(const Kernel &kernel, const KernelArgs &args, const std::vector<bool> &reads);
  ~RoundedCall();
  RoundedCall(const RoundedCall &) = delete;
  void run(const KernelArgs &args);

private:
  struct Result {
    std::size_t output;
    bool read;
    std::vector<float> values;
    std::vector<std::int64_t> strides; // row-major
  };
  const Kernel &kernel_;
  std::vector<KernelOperand> operands_;
  std::vector<std::unique_ptr<Result>> results_;
  KernelArgs args_;
};

} // namespace poplar::backend::cpu
