// SPDX-License-Identifier: MIT
// What calls of PopLibs leave behind. In its log: a call with its arguments (INFO), and what it
// returned (DEBUG). In a trace of the host program: how long it took.
#pragma once
#include "poputil/DebugInfo.hpp"

namespace poputil {

// `from`: an address in the code of the function that was called; it tells the library.
void logCall(const void *from, const std::string &function, const std::vector<ArgType> &arguments,
             const std::string &path);
void logOutputs(const void *from, const std::vector<ArgType> &outputs, const std::string &path);

// The same call in the trace of the host program, on its library's channel, until this is gone.
std::shared_ptr<void> traceCall(const void *from, const std::string &function);

// "float[4,3]" for a tensor; lists in brackets, options in braces.
std::string textOf(const poplar::ProfileValue &value);

} // namespace poputil
