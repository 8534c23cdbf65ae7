// SPDX-License-Identifier: MIT
// The device's compiler is a clang; g++ compiles codelets here. What only clang knows is rewritten
// in the preprocessed text, which keeps its lines.
#pragma once
#include <string>
#include <string_view>

namespace poplar::codelet {

// Drops __attribute__((target("supervisor"))) and its worker form, which g++ rejects.
std::string dropTargetAttributes(std::string source);

// g++ ignores ext_vector_type with a warning: what was to be a vector would be a scalar. In a
// typedef or using it becomes g++'s vector_size; elsewhere it is a CompileError. Three elements
// take the room of four, as there.
std::string translateVectorTypes(std::string source, const std::string &sourceName);

// The tile's instructions cannot run on the host: an asm statement that names the tile's registers
// is a CompileError with its place. Those of headers of the system are left alone.
void refuseTileAssembly(std::string_view source, const std::string &sourceName);
// The same for any asm statement that is not empty, for when the host's assembler takes none of it.
void refuseAnyAssembly(std::string_view source, const std::string &sourceName);

} // namespace poplar::codelet
