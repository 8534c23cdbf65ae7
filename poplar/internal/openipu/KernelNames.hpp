// SPDX-License-Identifier: MIT
// Every operator that the loaded libraries have, for tests that must leave none out.
#pragma once
#include <string>
#include <vector>

namespace poplar::openipu {

std::vector<std::string> kernelNames(); // sorted

} // namespace poplar::openipu

namespace openipu = poplar::openipu;
