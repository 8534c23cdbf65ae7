// SPDX-License-Identifier: MIT
// Makes un-vectorised compiler output count what it would cost on a tile: every basic block adds
// its cost to a register that the compiler was told to leave alone (-ffixed-r15). Counts follow the
// executed path exactly, whatever the data.
//
// The register belongs to counted code only between entering and leaving openipu_counted_call,
// which saves the caller's value and has unwind information, so exceptions restore it too. Static
// initialisers are wrapped for the same reason.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace poplar::codelet {

// Costs are added in sixteenths of a bundle; arch/Instructions gives them in eighths.
constexpr unsigned countUnitsPerBundle = 16;

struct CountedAssembly {
  std::string text;
  // Bytes of device code of each function with everything it calls, by symbol.
  std::map<std::string, std::uint32_t> codeBytes;
};

// Functions whose names begin with openipu_ are glue and stay as they are, except openipu_one_*.
CountedAssembly countAssembly(std::string_view assembly);

} // namespace poplar::codelet
