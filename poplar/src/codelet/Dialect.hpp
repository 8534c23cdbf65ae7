// SPDX-License-Identifier: MIT
// The device's compiler is a clang; g++ compiles codelets here. What only clang knows is rewritten
// in the preprocessed text, which keeps its lines.
#pragma once
#include <string>

namespace poplar::codelet {

// Drops __attribute__((target("supervisor"))) and its worker form, which g++ rejects.
std::string dropTargetAttributes(std::string source);

// g++ ignores ext_vector_type with a warning: what was to be a vector would be a scalar. In a
// typedef or using it becomes g++'s vector_size; elsewhere it is a CompileError. `found` tells that
// there was one.
std::string translateVectorTypes(std::string source, const std::string &sourceName, bool &found);

} // namespace poplar::codelet
