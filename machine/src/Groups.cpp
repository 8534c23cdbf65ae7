// SPDX-License-Identifier: MIT
#include "machine/Groups.hpp"

namespace machine {

std::vector<Group> groupsOf(unsigned ipus, bool reconfigurable) {
  if (!reconfigurable)
    return {{0, 0, ipus}};
  std::vector<Group> all;
  for (unsigned size = 1; size <= ipus; size *= 2)
    for (unsigned first = 0; first + size <= ipus; first += size)
      all.push_back({unsigned(all.size()), first, size});
  return all;
}

} // namespace machine
