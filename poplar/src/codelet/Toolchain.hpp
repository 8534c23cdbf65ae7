// SPDX-License-Identifier: MIT
// The host compiler and the command lines of its passes. g++ is taken from OPENIPU_CXX or PATH; the
// codelet headers from the SDK folder beside the library, or from the source tree.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace poplar::codelet {

// Shell-like words: spaces separate, quotes and backslashes protect. CompileError on an open quote.
std::vector<std::string> splitFlags(const std::string &flags);

std::string findCompiler();    // empty when there is none
std::string requireCompiler(); // CompileError with the command that installs it
// Path, size and time of the compiler, and the variables that tell it where its parts are: changes
// when it is upgraded. Empty without a compiler.
std::string compilerIdentity();
std::string includeEnvironment(); // the variables that tell it where to look for headers

std::string includeDirectory();    // holds poplar/Vertex.hpp
std::string machineArchitecture(); // "x86-64-v3" when this machine runs it, else "x86-64"
bool machineRuns(std::string_view architecture);

} // namespace poplar::codelet
