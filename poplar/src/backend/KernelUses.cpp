// SPDX-License-Identifier: MIT
#include "backend/KernelUses.hpp"
#include "backend/Kernels.hpp"
#include "backend/ReadVariables.hpp"
#include "backend/Steady.hpp"

namespace poplar::backend {

KernelUses::KernelUses(const executable::Image &image, const std::vector<std::uint32_t> &steps,
                       const std::string &backend)
    : numbers_(image.steps.size(), executable::none) {
  const ReadVariables read(image);
  Steady steady(image);
  for (const auto step : steps) {
    const auto *kernel = executable::as<executable::step::Kernel>(image.steps[step]);
    if (!kernel)
      continue;
    const auto &code = *implementationOf(kernel->name, backend).kernel;
    KernelUse use{std::uint32_t(uses_.size()), {}, {}};
    use.draws = code.draws && code.draws(kernel->attributes);
    use.seeds = code.seeds;
    for (std::size_t i = 0; i < kernel->numOperands(); ++i) {
      const auto &view = kernel->operand(i);
      const bool output = i < kernel->outputs.size();
      use.unread.push_back(!kernel->reads(i) && !read.any(view));
      use.steady.push_back(!output && steady.add(step, use.number, view));
    }
    numbers_[step] = use.number;
    uses_.push_back(std::move(use));
  }
  for (std::uint32_t i = 0; i < image.programs.size(); ++i)
    disturbed_.push_back(steady.disturbedBy(i));
}

} // namespace poplar::backend
