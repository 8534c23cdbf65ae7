// SPDX-License-Identifier: MIT
// Kernels that may write an output where an input is, if nobody needs the input afterwards and both
// are whole variables that lie alike: element-wise ones. The host then touches half the memory; on
// the tiles nothing changes.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace poplar::openipu {

// For a kernel call with these attributes and so many outputs.
using OverwriteRule = bool (*)(std::string_view attributes, std::size_t outputs, std::size_t output,
                               std::size_t input);

struct Overwriting {
  Overwriting(std::string kernel, OverwriteRule rule);
};
// False for kernels without a rule.
bool mayOverwrite(const std::string &kernel, std::string_view attributes, std::size_t outputs,
                  std::size_t output, std::size_t input);

} // namespace poplar::openipu

namespace openipu = poplar::openipu;
