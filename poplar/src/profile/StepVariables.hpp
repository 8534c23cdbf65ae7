// SPDX-License-Identifier: MIT
// Which variables a leaf step reads or writes.
#pragma once
#include "executable/Image.hpp"
#include <set>

namespace poplar::profile {

// Variables that the edges of one field touch.
void addVariables(const executable::Image &image, const executable::Slot &slot,
                  std::set<std::uint32_t> &variables);

class StepVariables {
public:
  explicit StepVariables(const executable::Image &image)
      : image_(image), ofSet_(image.computeSets.size()) {}
  std::set<std::uint32_t> operator()(const executable::Step &step);

private:
  const std::set<std::uint32_t> &ofSet(std::uint32_t set);
  const executable::Image &image_;
  std::vector<std::set<std::uint32_t>> ofSet_; // filled when first asked for
};

} // namespace poplar::profile
