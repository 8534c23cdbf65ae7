// SPDX-License-Identifier: MIT
// What environment variables hold.
#pragma once
#include <cstdint>
#include <string>

namespace base {

// The whole number in the variable, or `otherwise` if it is not set or empty. Throws
// std::invalid_argument, with the name, the text and the limits, for anything else.
std::uint64_t numberFromEnvironment(const char *name, std::uint64_t otherwise, std::uint64_t least,
                                    std::uint64_t most);

// The variable's text; empty if it is not set.
std::string textFromEnvironment(const char *name);

} // namespace base
