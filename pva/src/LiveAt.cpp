// SPDX-License-Identifier: MIT
#include "LiveAt.hpp"
#include "base/Arithmetic.hpp"
#include <algorithm>

namespace pva::detail {

static constexpr std::uint32_t stride = 64;

LiveAt::LiveAt(std::vector<Life> lives, std::uint32_t numSteps)
    : lives_(std::move(lives)), begin_(numSteps + 1, std::uint32_t(lives_.size())),
      marks_(numSteps / stride + 1) {
  std::sort(lives_.begin(), lives_.end(),
            [](const Life &a, const Life &b) { return a.steps.first < b.steps.first; });
  for (std::uint32_t i = 0, step = 0; step < numSteps; ++step) {
    while (i < lives_.size() && lives_[i].steps.first < step)
      ++i;
    begin_[step] = i;
  }
  for (std::uint32_t i = 0; i < lives_.size(); ++i)
    for (auto mark = base::ceilDiv(lives_[i].steps.first, stride);
         mark <= lives_[i].steps.last / stride; ++mark)
      marks_[mark].push_back(i);
}

std::vector<std::uint32_t> LiveAt::operator()(std::uint32_t step) const {
  std::vector<std::uint32_t> found;
  for (auto i : marks_[step / stride])
    if (lives_[i].steps.last >= step)
      found.push_back(lives_[i].variable);
  for (auto i = begin_[step / stride * stride + 1]; i < begin_[step + 1]; ++i)
    if (lives_[i].steps.last >= step)
      found.push_back(lives_[i].variable);
  std::sort(found.begin(), found.end());
  return found;
}

} // namespace pva::detail
