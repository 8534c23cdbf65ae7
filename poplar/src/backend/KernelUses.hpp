// SPDX-License-Identifier: MIT
// What all kernel steps of a program together tell about the operands of each.
#pragma once
#include "executable/Image.hpp"
#include <string>
#include <vector>

namespace poplar::backend {

struct KernelUse {
  std::uint32_t number = 0; // of the step among the kernel steps
  std::vector<bool> unread; // by operand: an output that nothing reads
  std::vector<bool> steady; // by operand: an input that keeps its values from run to run
  bool draws = false;       // a key from the generator of its replica
  bool seeds = false;       // that generator
};

class KernelUses {
public:
  KernelUses(const executable::Image &image, const std::vector<std::uint32_t> &steps,
             const std::string &backend);

  std::size_t size() const { return uses_.size(); }
  const KernelUse &of(std::uint32_t step) const { return uses_[numbers_[step]]; }
  // Numbers of the steps whose steady operands may change when a program runs.
  const std::vector<std::uint32_t> &disturbed(std::uint32_t program) const {
    return disturbed_[program];
  }

private:
  std::vector<std::uint32_t> numbers_; // by step
  std::vector<KernelUse> uses_;
  std::vector<std::vector<std::uint32_t>> disturbed_; // by program
};

} // namespace poplar::backend
