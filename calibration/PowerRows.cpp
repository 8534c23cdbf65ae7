// SPDX-License-Identifier: MIT
// Average power of programs, as their profiles give it.
#include "arch/Energy.hpp"
#include "Program.hpp"
#include "Row.hpp"
#include <poplin/codelets.hpp>
#include <poplin/MatMul.hpp>

namespace calibration {
namespace {

using namespace poplar;
using namespace poplar::program;

// Every tile multiplies matrices of its own, again and again.
double busy(const std::string &chip) {
  const auto device = deviceOf(chip);
  Graph graph(device.getTarget());
  poplin::addCodelets(graph);
  const std::size_t tiles = graph.getTarget().getNumTiles();
  const OptionFlags options{{"partialsType", "half"}};
  const std::vector<std::size_t> a{tiles, 192, 64}, b{tiles, 64, 64};
  const auto left = poplin::createMatMulGroupedInputLHS(graph, HALF, HALF, a, b, "a", options),
             right = poplin::createMatMulGroupedInputRHS(graph, HALF, HALF, a, b, "b", options);
  Sequence program;
  poplin::matMulGrouped(graph, left, right, program, HALF, "product", options);
  return run(device, graph, program).watts();
}

// One word on one tile.
double idle() {
  const auto device = deviceOf("ipu2");
  Graph graph(device.getTarget());
  graph.addCodelets(std::string(OPENIPU_CALIBRATION) + "/codelets/loops.cpp");
  const auto out = graph.addVariable(FLOAT, {1}, "out");
  graph.setTileMapping(out, 0);
  const auto cs = graph.addComputeSet("wait");
  const auto v = graph.addVertex(cs, "Nothing", {{"out", out[0]}});
  graph.setTileMapping(v, 0);
  return run(device, graph, Execute(cs)).watts();
}

} // namespace

void addPowerRows(Rows &rows) {
  const auto add = [&](const char *id, const char *what, double published, const char *source,
                       auto model) -> Row & {
    rows.push_back({id, "power", what, published, Unit::Watts, source, [model] {
                      return Figure{model(), ""};
                    }});
    return rows.back();
  };
  add("W1 busy", "matrix products on every tile, GC200", 124, "CLI", [] {
    return busy("ipu2");
  }).setting("watts");
  add("W1 idle", "one tile at work, GC200", 48, "CLI", idle).setting("watts");
  add("Bow-2000", "products on four IPUs, and the machine", 1250, "EEN", [] {
    return 4 * busy("bow") + arch::systemOf(arch::chipByName("bow"), 4).watts(0);
  }).setting("watts");
  add("GC2", "matrix products on every tile", 150, "LOUW", [] {
    return busy("ipu1");
  }).setting("watts");
}

} // namespace calibration
