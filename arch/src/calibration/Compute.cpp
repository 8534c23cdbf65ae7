// SPDX-License-Identifier: MIT
// Memory streams, small loops and the matrix unit: instruction counts per element through the
// worker schedule.
#include "arch/Compute.hpp"
#include "arch/Instructions.hpp"
#include "arch/Sync.hpp"
#include "Rows.hpp"

namespace arch::calibration {
namespace {

// One trip of a loop over vectors: what it loads, stores and computes, beside one index step and
// one branch.
struct Loop {
  unsigned loads, stores, arithmetic;
  bool scalarHalf = false; // 16-bit arithmetic and stores
};

InstructionCount countOf(const Loop &loop, std::uint64_t trips) {
  InstructionCount count;
  count[Instruction::Load] = loop.loads * trips;
  count[loop.scalarHalf ? Instruction::SubwordStore : Instruction::Store] = loop.stores * trips;
  count[loop.scalarHalf ? Instruction::HalfAddMul : Instruction::FloatAddMul] =
      loop.arithmetic * trips;
  count[Instruction::Integer] = trips;
  count[Instruction::Branch] = trips;
  return count;
}

constexpr double arrayBytes = 64.7e6; // BAB: three such arrays

// GB/s over all tiles when every worker takes the same share of the arrays.
double bandwidth(const Chip &chip, Cycles cycles, unsigned arrays) {
  return arrays * arrayBytes / chip.seconds(cycles + chip.sync.boundaryCycles) / 1e9;
}

double streamRate(const Loop &loop, unsigned bytesPerTrip, unsigned arrays) {
  const auto &chip = chipByName("ipu1");
  const auto trips = std::uint64_t(arrayBytes / bytesPerTrip / chip.tiles / chip.workers);
  const std::vector<VertexCost> vertices = {
      VertexCost::worker(countOf(loop, trips).bundles(chip), chip.workers)};
  return bandwidth(chip, tileCompute(chip, vertices).cycles, arrays);
}

// The popops scaled add in assembly: 57 supervisor cycles, 24 + 3 per 64-bit vector on each worker
// (PL).
double assemblyTriad() {
  const auto &chip = chipByName("ipu1");
  const auto vectors = std::uint64_t(arrayBytes / 8 / chip.tiles / chip.workers);
  const std::vector<VertexCost> vertices = {VertexCost::supervisor(57, 24 + 3 * vectors)};
  return bandwidth(chip, tileCompute(chip, vertices).cycles, 3);
}

// 10000 x 1000 multiply-adds, spread evenly over all workers of a GC200.
double matrixVector() {
  const auto &chip = chipByName("ipu2");
  const auto trips = ceilDiv(10000ull * 1000, std::uint64_t(chip.tiles) * chip.workers);
  const std::vector<VertexCost> vertices = {
      VertexCost::worker(countOf({2, 0, 2}, trips).bundles(chip), chip.workers)};
  return double(tileCompute(chip, vertices).cycles);
}

double twoInstrumentedVertices() {
  const auto &chip = chipByName("ipu2");
  const std::vector<VertexCost> vertices = {VertexCost::worker(3600 / chip.workers)};
  return 2.0 * double(tileCompute(chip, vertices).cycles);
}

// A block of 16 outputs and 64 inputs, without the call.
double ampBlock(Interleave weights) {
  const auto &chip = chipByName("ipu21");
  return double(ampCycles(chip, {AmpType::Half, 16, 64, 16, weights}) - chip.amp.startCycles);
}

} // namespace

void addComputeRows(Rows &rows) {
  const auto stream = [&](const char *id, const char *what, double published, double modelled,
                          const char *note) {
    rows.push_back({id, "streams", what, published, modelled, "GB/s", note});
  };
  const char *counted = "instruction counts of the plain loop";
  stream("S1", "triad, plain C++, float, GC2", 3726, streamRate({2, 1, 2}, 4, 3), counted);
  stream("S2", "triad, tuned C++, float2, GC2", 7261, streamRate({2, 1, 2}, 8, 3), counted);
  stream("S3", "triad, assembly, GC2", 12420, assemblyTriad(),
         "assembly scaled add: 3 bundles per vector; 3.8 were measured");
  stream("S4", "triad, plain C++, half, GC2", 1488, streamRate({2, 1, 2, true}, 2, 3),
         "16-bit stores read, merge and write");
  stream("S5", "copy, plain C++, float, GC2", 4193, streamRate({1, 1, 0}, 4, 2), counted);
  stream("S6", "add, plain C++, float, GC2", 4193, streamRate({2, 1, 1}, 4, 3), counted);
  stream("S7", "triad, plain C++, float, GC2", 3773, streamRate({2, 1, 2}, 4, 3), counted);

  const auto compute = [&](const char *id, const char *what, double published, double modelled,
                           const char *note) {
    rows.push_back({id, "compute", what, published, modelled, "cycles", note});
  };
  compute("E3", "10000x1000 matrix-vector, C++ vertex, GC200", 28300, matrixVector(),
          "1133 multiply-adds per worker");
  compute("E18", "two vertices of 3600 cycles, Mk2", 7238, twoInstrumentedVertices(),
          "launch and local sync of each");
  compute("AMP interleaved", "16 columns x 64 deep, half, C600", 940, ampBlock(Interleave::Yes),
          "STK; matrix kernel without its call");
  compute("AMP plain", "same, weights in plain memory", 1063, ampBlock(Interleave::No), "STK");
  rows.push_back({"G12", "compute", "FP32 peak loop at 1.85 GHz", 87.1,
                  chipByName("bow").peakFloat() / 1e12, "TFLOP/s", "matrix unit, every cycle"});
}

} // namespace arch::calibration
