// SPDX-License-Identifier: MIT
// Reads the vertex classes of a codelet source from the debug information of its first compilation.
#pragma once
#include "codelet/Module.hpp"
#include <string>
#include <vector>

namespace poplar::codelet {

struct DiscoveredType {
  VertexType type;      // complete but for codeBytes
  std::string spelling; // how C++ names the class: ::ns::Foo<float, (ns::Mode)1>
};

// `objectPath` is a linked file with DWARF. Sorted by name. CompileError names class, field and
// remedy when a field has a type that vertices cannot have.
std::vector<DiscoveredType> discoverVertexTypes(const std::string &objectPath,
                                                const std::string &sourceName);

} // namespace poplar::codelet
