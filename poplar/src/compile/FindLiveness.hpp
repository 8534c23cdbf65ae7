// SPDX-License-Identifier: MIT
// Which variables hold a value that is still needed, at every leaf step. The same program is read
// in two ways. For reports an Output field writes all its elements; for host storage it also reads
// them, because codelets may rely on old contents.
// Effects are tracked by element ranges, so a variable written in two halves counts as written;
// loops, branches and calls need no iteration because "read before written" and "surely written"
// compose bottom up.
#pragma once
#include "executable/Image.hpp"

namespace poplar::compile {

// Sets Variable::alwaysLive to false for a variable that every program writes completely before
// reading, on each path, and that no host access, initial value, constant or other replica can
// reach; fills MemoryReport::steps with one entry per reachable leaf step, in program order.
void findLiveness(executable::Image &image);

// The same under the storage reading: leaf steps in program order and, per variable, the first and
// last of them during which its bytes may matter. Variables whose contents outlive a program have
// `always` set.
struct StorageLife {
  bool used = false, always = true;
  // Positions in the order of leaf steps; meaningful when used and not always.
  std::uint32_t first = 0, last = 0;
  // The last Kernel step that uses it, in whatever way the program gets there: nobody needs the
  // value afterwards. `none`: another kind of step, or several.
  std::uint32_t endsWith = executable::none;
};
std::vector<StorageLife> storageLives(const executable::Image &image);

} // namespace poplar::compile
