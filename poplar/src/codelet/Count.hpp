// SPDX-License-Identifier: MIT
// Makes un-vectorised compiler output count what it would cost on a tile: every basic block adds
// its cost to a register that the compiler was told to leave alone (-ffixed-r15). Counts follow the
// executed path exactly, whatever the data.
//
// The register belongs to counted code only between entering and leaving openipu_counted_call,
// which saves the caller's value and has unwind information, so exceptions restore it too. Static
// initialisers are wrapped for the same reason.
#pragma once
#include "arch/Bundles.hpp"
#include "codelet/DataPaths.hpp"
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace poplar::codelet {

struct CountedAssembly {
  std::string text;
  // Of each function with everything it calls, by symbol: bytes of device code, and whether the
  // count can change with the data.
  struct Code {
    std::uint32_t bytes = 0;
    bool dependsOnData = false;
  };
  std::map<std::string, Code> code;
};

// Functions whose names begin with openipu_ are glue and stay as they are, except openipu_one_*.
// `vertices`: the functions among them that run a vertex.
CountedAssembly countAssembly(std::string_view assembly, arch::Pairing pairing,
                              const std::map<std::string, VertexState> &vertices = {});

} // namespace poplar::codelet
