// SPDX-License-Identifier: MIT
// Which operands of kernels keep their values from run to run: those that no step writes of any
// program in which the kernel runs (the weights of a model that is only used). They change when the
// host writes, or when a program runs that writes them; a kernel may keep what it made of them
// until then. Whole variables and the bytes they lie in, all steps that can be reached, whether
// they run or not: the safe side.
#pragma once
#include "analysis/RangeSet.hpp"
#include "executable/Image.hpp"
#include <vector>

namespace poplar::backend {

class Steady {
public:
  explicit Steady(const executable::Image &image);
  // An operand of a kernel step: whether it is steady. Remembers those that are.
  bool add(std::uint32_t step, std::uint32_t kernel, const tensor::View &view);
  // Kernels with steady operands that change when a program runs.
  std::vector<std::uint32_t> disturbedBy(std::uint32_t program) const;

private:
  struct Program {
    std::vector<bool> steps;    // that it can reach
    analysis::RangeSet written; // bytes of the arena
    bool runsVertices = false;
  };
  void reach(Program &program, std::uint32_t step);
  void addWrites(Program &program, const executable::Step &step);
  void addVariable(analysis::RangeSet &bytes, std::uint32_t variable) const;
  void addView(analysis::RangeSet &bytes, const tensor::View &view) const;

  const executable::Image &image_;
  std::vector<Program> programs_;
  std::vector<analysis::RangeSet> steady_; // by kernel: bytes of its steady operands
};

} // namespace poplar::backend
