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
#include "codelet/TileCode.hpp"
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace poplar::codelet {

// Where counted bundles come from: every block, each of its instructions with the number of the x86
// instruction that it was made for, and the places where a run counts how often.
struct CountedLines {
  struct Loop {
    unsigned header = 0; // a block
    int parent = -1;     // a loop
    unsigned mark = 0;   // of the jump that repeats it
  };
  struct Block {
    std::string function;
    int loop = -1;      // the innermost
    unsigned place = 0; // of the number of visits
    unsigned bundles = 0;
    std::vector<Issued> issued;
  };
  struct Length { // bundles by a length that is known when it runs: copies and fills
    std::string function;
    unsigned mark = 0, place = 0; // of the bundles
  };
  std::vector<Block> blocks;
  std::vector<Loop> loops;
  std::vector<Length> lengths;
  std::map<std::string, std::set<std::string>> calls;
  unsigned marks = 0, places = 0;
};

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
// `vertices`: the functions among them that run a vertex. With `lines` the text also counts visits
// of blocks, in openipu_visits[lines->places] (glue keeps them in openipu_kept), and has the
// addresses of the marked instructions, in openipu_marks[lines->marks] from 1.
CountedAssembly countAssembly(std::string_view assembly, arch::Pairing pairing,
                              const std::map<std::string, VertexState> &vertices = {},
                              CountedLines *lines = nullptr);

} // namespace poplar::codelet
