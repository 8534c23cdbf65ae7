// SPDX-License-Identifier: MIT
// Numbers that environment variables hold.
#pragma once
#include <cstdint>

namespace base {

// The whole number in the variable, or `otherwise` if it is not set or empty. Throws
// std::invalid_argument, with the name, the text and the limits, for anything else.
std::uint64_t numberFromEnvironment(const char *name, std::uint64_t otherwise, std::uint64_t least,
                                    std::uint64_t most);

} // namespace base
