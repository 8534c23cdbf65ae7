// SPDX-License-Identifier: MIT
#pragma once
#include <string>

namespace base {

// FileError for a name with a zero byte in it, which the system would cut there.
void requireName(const std::string &path);

} // namespace base
