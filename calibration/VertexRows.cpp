// SPDX-License-Identifier: MIT
// A 10000 x 1000 matrix times a vector with streams from and to the host, one C++ vertex per row
// (E1 to E4); vertices of known length (E18); the matrix unit in a vertex.
#include "arch/Compute.hpp"
#include "arch/MatrixUnit.hpp"
#include "base/Arithmetic.hpp"
#include "Program.hpp"
#include "Row.hpp"
#include <poputil/TileMapping.hpp>

namespace calibration {
namespace {

using namespace poplar;
using namespace poplar::program;
using Type = pva::Program::Type;

constexpr std::size_t rowCount = 10000, columnCount = 1000;

Profile matrixVector() {
  const auto device = deviceOf("ipu2");
  Graph graph(device.getTarget());
  graph.addCodelets(std::string(OPENIPU_CALIBRATION) + "/codelets/loops.cpp");
  auto matrix = graph.addVariable(FLOAT, {rowCount, columnCount}, "matrix"),
       vector = graph.addVariable(FLOAT, {columnCount}, "vector"),
       result = graph.addVariable(FLOAT, {rowCount}, "result");
  for (const auto &t : {matrix, vector, result})
    poputil::mapTensorLinearly(graph, t);
  const auto cs = graph.addComputeSet("multiply");
  const auto tiles = graph.getTarget().getNumTiles();
  for (std::size_t row = 0; row < rowCount; ++row) {
    const auto v =
        graph.addVertex(cs, "Dot", {{"a", matrix[row]}, {"b", vector}, {"out", result[row]}});
    graph.setTileMapping(v, unsigned(row * tiles / rowCount));
  }
  const auto in = graph.addHostToDeviceFIFO("matrix", FLOAT, matrix.numElements()),
             by = graph.addHostToDeviceFIFO("vector", FLOAT, columnCount);
  const auto out = graph.addDeviceToHostFIFO("result", FLOAT, rowCount);
  const Sequence program(Copy(in, matrix), Copy(by, vector), Execute(cs), Copy(result, out));
  return run(device, graph, program,
             {{"matrix", 4 * rowCount * columnCount},
              {"vector", 4 * columnCount},
              {"result", 4 * rowCount}});
}

// A worker context gets every sixth cycle.
double twoVertices() {
  const auto device = deviceOf("ipu2");
  Graph graph(device.getTarget());
  graph.addCodelets(std::string(OPENIPU_CALIBRATION) + "/codelets/loops.cpp");
  const auto out = graph.addVariable(FLOAT, {2}, "out");
  graph.setTileMapping(out, 0);
  Sequence program;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto cs = graph.addComputeSet("wait");
    const auto v = graph.addVertex(cs, "Nothing", {{"out", out[i]}});
    graph.setTileMapping(v, 0);
    graph.setPerfEstimate(v, 3600 / graph.getTarget().getNumWorkerContexts());
    program.add(Execute(cs));
  }
  return run(device, graph, program).cycles();
}

// 16 columns, 64 inputs and as many outputs as there are units, without the call: every group of
// inputs as the kernel goes on, with the worker that has most columns.
Figure ampBlock(arch::Interleave weights) {
  const auto &chip = arch::chipByName("ipu21");
  arch::AmpProduct block{{arch::AmpInput::Half, false, chip.amp.halfHalfUnits}};
  block.load = arch::ampLoadCycles(chip, block.use.units, weights);
  const auto worker = arch::ampWorkerBundles(chip, block.use, chip.workerShare(16), false);
  const auto groups = base::ceilDiv(64 * 2, chip.amp.weightBytesPerUnit);
  return {double(groups * arch::ampInputGroupCycles(chip, block, chip.onWorkers(worker))), ""};
}

} // namespace

void addVertexRows(Rows &rows) {
  const auto add = [&](const char *id, const char *kind, const char *what, double published,
                       const char *source, std::function<Figure()> model) -> Row & {
    rows.push_back({id, kind, what, published, Unit::Cycles, source, model});
    return rows.back();
  };
  const auto measured = lazily(matrixVector);
  const auto part = [&](const char *id, const char *kind, const char *what, double published,
                        auto cycles) -> Row & {
    return add(id, kind, what, published, "EX", [measured, cycles] {
      return Figure{cycles(measured()), ""};
    });
  };
  part("E1", "exchange", "10000x1000 matrix-vector, GC200", 8743,
       [](const Profile &p) { return p.cycles(Type::DoExchange) + p.cycles(Type::StreamCopyEnd); });
  part("E2", "host", "host exchange of the same program", 2641488, [](const Profile &p) {
    return p.cycles(Type::StreamCopyMid);
  }).setting("port of the gateway");
  part("E3", "C++ vertices", "dot products of the same program", 28300, [](const Profile &p) {
    return p.named("multiply");
  }).setting("pairing of instructions");
  part("E4", "sync", "sync of the same program", 135850, [](const Profile &p) {
    return p.cycles(Type::Sync) + p.cycles(Type::StreamCopyBegin);
  }).setting("neighbouring streams wait once");
  add("E18", "C++ vertices", "two vertices of 3600 cycles, Mk2", 7238, "EX", [] {
    return Figure{twoVertices(), ""};
  }).setting("launch");
  add("AMP interleaved", "products, half", "16 columns x 64 deep, half, C600", 940, "STK", [] {
    return ampBlock(arch::Interleave::Yes);
  }).formula("a kernel in assembly");
  add("AMP plain", "products, half", "same, weights in plain memory", 1063, "STK", [] {
    return ampBlock(arch::Interleave::No);
  }).formula("a kernel in assembly");
}

} // namespace calibration
