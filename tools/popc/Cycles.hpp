// SPDX-License-Identifier: MIT
// What each line of a codelet is charged: the blocks of the counted code (codelet/Count.hpp) and
// how often a run with operands of given sizes passes through them. Lines add up to the vertex, and
// the vertex is what an engine counts for the same sizes.
#pragma once
#include "codelet/Compile.hpp"
#include <chrono>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace popc {

// The value of --sizes: elements of vectors, rows x elements of vectors of vectors, or the value of
// a scalar field.
struct Size {
  double value = 0;                   // of a scalar
  std::uint64_t outer = 0, inner = 0; // of a vector of vectors; of a vector: outer
  bool isTable = false;               // written as AxB
  std::string text;                   // as the user wrote it
};
using Sizes = std::map<std::string, Size>;
Sizes parseSizes(const std::string &text); // "in=1024,rows=3x64"; std::invalid_argument

// A bundle of a loop's pass: what begins in each slot, with its line.
struct Bundle {
  std::string main, aux;
};

struct LineCost {
  std::string file;
  unsigned line = 0;                       // 0: of no line of the user's
  int loop = -1;                           // index of VertexCycles::loops
  unsigned bundles = 0, main = 0, aux = 0; // of one pass through all of the line
  std::uint64_t total = 0;                 // bundles of the run
};

struct LoopCost {
  std::string file;
  unsigned line = 0;
  int parent = -1;
  unsigned bundles = 0, main = 0, aux = 0;      // of one pass, without the loops inside
  std::uint64_t passes = 0, total = 0;          // of the run; total: bundles
  unsigned narrow = 0, accesses = 0, width = 8; // that move fewer than 8 bytes; the widest of them
  std::vector<std::string> calls;
  bool isInnermost = true;
  std::vector<Bundle> code;
};

struct VertexCycles {
  std::string name;
  bool hasRun = false, dependsOnData = false;
  std::string missing;                   // fields that --sizes would have to name for a run
  std::string problem;                   // what ended its run, in a sentence
  std::string sizes;                     // those that it ran with: "in=61,out=60"
  std::uint64_t bundles = 0, cycles = 0; // of the run, as an engine charges them
  std::vector<LineCost> lines;           // by file, line and loop
  std::vector<LoopCost> loops;
};

// Of every vertex type of the source. Types for which `sizes` lacks a field are not run: they have
// what one pass costs. Nor are those that do not end within `limit`. std::invalid_argument if no
// type has a field of `sizes`.
std::vector<VertexCycles> cyclesOf(const poplar::codelet::SourceInput &source,
                                   const poplar::codelet::CompileOptions &options,
                                   const Sizes &sizes,
                                   std::chrono::milliseconds limit = std::chrono::seconds(10));

} // namespace popc
