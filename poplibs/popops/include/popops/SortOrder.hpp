// SPDX-License-Identifier: MIT
// Orders of a sorted result.
#pragma once
#include <iosfwd>

namespace popops {

enum class SortOrder { NONE, ASCENDING, DESCENDING };

std::ostream &operator<<(std::ostream &out, const SortOrder &order);

} // namespace popops
