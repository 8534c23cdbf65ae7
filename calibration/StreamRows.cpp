// SPDX-License-Identifier: MIT
// STREAM on GC2: three arrays over all workers of all tiles, every worker with its own part.
#include "arch/Compute.hpp"
#include "arch/Sync.hpp"
#include "Program.hpp"
#include "Row.hpp"
#include <popops/codelets.hpp>
#include <popops/ScaledAdd.hpp>

namespace calibration {
namespace {

using namespace poplar;
using namespace poplar::program;

constexpr double arrayBytes = 64.7e6; // BAB: three such arrays

struct Arrays {
  Graph graph;
  Tensor a, b, c;
  std::size_t perWorker;

  Arrays(const Device &device, const Type &type) : graph(device.getTarget()) {
    const auto &target = graph.getTarget();
    const auto workers = std::size_t(target.getNumTiles()) * target.getNumWorkerContexts();
    const auto vectors = std::size_t(arrayBytes / 8 / double(workers)); // of 64 bits
    perWorker = vectors * 8 / target.getTypeSize(type);
    for (auto *array : {&a, &b, &c}) {
      *array = graph.addVariable(type, {workers, perWorker}, "array");
      for (std::size_t w = 0; w < workers; ++w)
        graph.setTileMapping((*array)[w], unsigned(w / target.getNumWorkerContexts()));
    }
  }
  double bytes() const {
    return double(a.numElements()) * graph.getTarget().getTypeSize(a.elementType());
  }
};

Figure rate(const Profile &profile, double bytes) { return {bytes / profile.seconds() / 1e9, ""}; }

Figure loop(const std::string &vertex, const Type &type, unsigned arrays) {
  const auto device = deviceOf("ipu1");
  Arrays x(device, type);
  x.graph.addCodelets(std::string(OPENIPU_CALIBRATION) + "/codelets/loops.cpp");
  const auto cs = x.graph.addComputeSet("loop");
  const auto workers = x.graph.getTarget().getNumWorkerContexts();
  for (std::size_t w = 0; w < x.a.dim(0); ++w) {
    const auto v = x.graph.addVertex(cs, vertex, {{"a", x.a[w]}, {"b", x.b[w]}, {"c", x.c[w]}});
    x.graph.setTileMapping(v, unsigned(w / workers));
  }
  return rate(run(device, x.graph, Execute(cs)), arrays * x.bytes());
}

// What ran was a copy and a scaled addition.
Figure operators() {
  const auto device = deviceOf("ipu1");
  Arrays x(device, FLOAT);
  popops::addCodelets(x.graph);
  Sequence program;
  program.add(Copy(x.b, x.a));
  popops::scaledAddTo(x.graph, x.a, x.c, 0.4f, program);
  return rate(run(device, x.graph, program), 3 * x.bytes());
}

// 57 supervisor cycles, 24 + 3 per 64-bit vector on each worker (PL).
Figure assembly() {
  const auto &chip = arch::chipByName("ipu1");
  const auto vectors = std::uint64_t(arrayBytes / 8 / chip.tiles / chip.workers);
  const std::vector<arch::VertexCost> vertices = {
      arch::VertexCost::supervisor(57, 24 + 3 * vectors)};
  const auto cycles = arch::tileCompute(chip, vertices).cycles + chip.sync.boundaryCycles;
  return {3 * arrayBytes / chip.seconds(cycles) / 1e9, "3 bundles per vector; 3.8 were measured"};
}

} // namespace

void addStreamRows(Rows &rows) {
  const auto add = [&](const char *id, const char *what, double published, const char *source,
                       auto model) -> Row & {
    rows.push_back({id, "streams", what, published, Unit::GigabytesPerSecond, source, model});
    return rows.back();
  };
  add("S1", "triad, plain C++, float, GC2", 3726, "LOUW", [] {
    return loop("Triad<float>", FLOAT, 3);
  }).setting("pairing of instructions");
  add("S2 C++", "triad, tuned C++, float2, GC2", 7261, "LOUW",
      [] { return loop("TriadFloat2", FLOAT, 3); });
  add("S2 popops", "copy, then scaledAddTo, float, GC2", 7261, "LOUW", operators);
  add("S3", "triad, assembly, GC2", 12420, "LOUW", assembly).formula("no assembly runs here");
  add("S4", "triad, plain C++, half, GC2", 1488, "LOUW",
      [] { return loop("Triad<half>", HALF, 3); });
  add("S5", "copy, plain C++, float, GC2", 4193, "BAB",
      [] { return loop("Copy<float>", FLOAT, 2); });
  add("S6", "add, plain C++, float, GC2", 4193, "BAB", [] { return loop("Add<float>", FLOAT, 3); });
  add("S7", "triad, plain C++, float, GC2", 3773, "BAB",
      [] { return loop("Triad<float>", FLOAT, 3); });
}

} // namespace calibration
