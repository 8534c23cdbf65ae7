// SPDX-License-Identifier: MIT
// Device ids. A reconfigurable partition has every IPU, then aligned pairs, quads, and so on up to
// all of them; a fixed one has a single device.
#pragma once
#include <vector>

namespace machine {

struct Group {
  unsigned id, first, size; // members: first ... first + size - 1, as places in the partition
  bool operator==(const Group &) const = default;
};

std::vector<Group> groupsOf(unsigned ipus, bool reconfigurable);

} // namespace machine
