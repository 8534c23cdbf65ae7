// SPDX-License-Identifier: MIT
// How many elements each of some balanced parts takes: whole grains, the last part has the rest.
#pragma once
#include "base/CheckedSize.hpp"
#include <algorithm>
#include <cstddef>

namespace poputil {

struct Partition {
  std::size_t parts, grains, grain, elements;
  // First element of a part; of `parts`: the number of elements.
  std::size_t begin(std::size_t part) const {
    return parts == 0 ? elements
                      : std::min(elements, base::beginOfPart(grains, part, parts) * grain);
  }
};

// As few parts as minElements asks for, as many as maxElements needs, maxPartitions otherwise.
Partition partitionGrains(std::size_t elements, std::size_t grain, std::size_t maxPartitions,
                          std::size_t minElements, std::size_t maxElements);

} // namespace poputil
