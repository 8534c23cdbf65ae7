// SPDX-License-Identifier: MIT
// Programs that do not fit on their tiles: the answer is a table.
#include "Errors.hpp"
#include <regex>

using namespace poplar;
using namespace poplar::program;

namespace {

struct TooBig {
  TooBig() : graph(Target::createIPUTarget(1, "ipu2")) {
    weights = graph.addVariable(FLOAT, {150, 1024}, "weights");
    bias = graph.addVariable(FLOAT, {150, 1024}, "bias");
    graph.setTileMapping(weights, 7);
    graph.setTileMapping(bias, 7);
    program.add(Copy(weights, bias, false, "init"));
  }
  Graph graph;
  Tensor weights, bias;
  Sequence program;
};

// Numbers as # and gaps as one space: what the memory model says may change, what the table says
// may not.
std::string shapeOf(const std::string &text) {
  auto numbers = std::regex_replace(text, std::regex("[0-9][0-9,]*"), "#");
  return std::regex_replace(numbers, std::regex(" +"), " ");
}

} // namespace

TEST(MemoryErrors, OutOfMemoryNamesTileNeedLimitVariablesAndStep) {
  TooBig big;
  auto text = errors::rejection([&] { compileGraph(big.graph, {big.program}); });
  for (const char *fact : {"1 of 1,472 tiles need more than their 638,976 bytes", "tile 7 needs",
                           "weights float [150,1024]                           614,400 bytes"})
    EXPECT_NE(text.find(fact), text.npos) << fact;
  EXPECT_EQ(shapeOf(text),
            "graph_memory_allocation_error: Out of memory: cannot fit all variable data onto one "
            "or more tiles: "
            "# of # tiles need more than their # bytes.\n"
            " tile # needs # bytes # too many\n"
            "On tile #:\n"
            " always live # bytes\n"
            " not always live, at most # bytes at step # \"init\"\n"
            "Largest variables on tile #:\n"
            " weights float [#] # bytes always live\n"
            " bias float [#] # bytes live at the peak\n"
            "By kind:\n"
            " variable # bytes\n"
            " stack # bytes\n"
            " controlCode # bytes\n"
            " hostExchangeCode # bytes\n"
            " copyDescriptor # bytes\n"
            "Map large variables and their vertices over more tiles, use a smaller type or batch, "
            "or reuse variables. To "
            "see the profile all the same, set the engine option debug.allowOutOfMemory to true.");
  errors::expectStillUsable();
}

TEST(MemoryErrors, AllowOutOfMemoryGoesOn) {
  TooBig big;
  compileGraph(big.graph, {big.program}, {{"debug.allowOutOfMemory", "true"}});
}
