// SPDX-License-Identifier: MIT
// The lines of the PopLibs log: a call with its arguments (INFO), and what it returned (DEBUG).
#pragma once
#include "poputil/DebugInfo.hpp"

namespace poputil {

// `from`: an address in the code of the function that was called; it tells the library.
void logCall(const void *from, const std::string &function, const std::vector<ArgType> &arguments,
             const std::string &path);
void logOutputs(const void *from, const std::vector<ArgType> &outputs, const std::string &path);

// "float[4,3]" for a tensor; lists in brackets, options in braces.
std::string textOf(const poplar::ProfileValue &value);

} // namespace poputil
