// SPDX-License-Identifier: MIT
// Every row is a plan, priced by the machine model; nothing runs.
#include "OperatorRows.hpp"
#include "arch/Links.hpp"
#include "arch/Sync.hpp"
#include "arch/System.hpp"
#include "base/Text.hpp"
#include "poplin/ConvPlan.hpp"
#include "popops/ElementWiseCost.hpp"
#include <algorithm>

namespace calibration {
namespace {

using base::str;
using poplin::ConvParams;
using Rows = std::vector<arch::CalibrationRow>;

const poplar::Target &bow() {
  static const auto target = poplar::Target::createIPUTarget(1, "bow");
  return target;
}
const poplar::Target &gc2() {
  static const auto target = poplar::Target::createIPUTarget(1, "ipu1");
  return target;
}

std::string describe(const poplin::ConvPlan &plan) {
  const auto &p = plan.partition;
  return str(plan.tilesUsed(), " tiles: ", plan.swapOperands ? "swapped, " : "", "batch ",
             p.batchSplit, ", field ", base::list(p.fieldSplit), ", groups ", p.convGroupSplit,
             ", in ", p.inChanSplit.serial, "x", p.inChanSplit.parallel, ", out ",
             p.outChanSplit.serial, "x", p.outChanSplit.parallel);
}

struct Modelled {
  std::uint64_t cycles;
  std::string note;
};

Modelled modelled(const poplar::Target &target, const ConvParams &params,
                  const poplin::ConvOptions &options) {
  const auto plan = poplin::planConvolution(target, params, options, nullptr);
  return {openipu::cyclesOf(poplin::supersteps(target, params, options, plan), target),
          describe(plan)};
}

// m x k times k x n as poplin::matMul plans it.
Modelled product(const poplar::Target &target, poplar::Type type, std::size_t m, std::size_t k,
                 std::size_t n) {
  poplin::ConvOptions options;
  options.pass = poplin::Pass::NONE_MATMUL;
  options.partialsType = options.interTilePartialsType = options.interIpuPartialsType = type;
  return modelled(target, ConvParams(type, m, {1}, {1}, k, n, 1), options);
}

double teraflops(const poplar::Target &target, double flops, std::uint64_t cycles) {
  return flops * target.getTileClockFrequency() / double(cycles) / 1e12;
}

struct Point {
  std::size_t n;
  double published;
};

void addProducts(Rows &rows, const char *id, poplar::Type type, std::size_t m,
                 const std::vector<Point> &points) {
  for (const auto &[n, published] : points) {
    const auto model = product(bow(), type, m, m, n);
    rows.push_back({str(id, " n=", n), type == poplar::HALF ? "matmul, half" : "matmul, float",
                    str(m, "x", m, " times ", m, "x", n, ", ", type, ", Bow"), published,
                    teraflops(bow(), 2.0 * double(m) * double(m) * double(n), model.cycles),
                    "TFLOP/s", model.note});
    if (64 * n <= m) // where it matters which operand is streamed (docs/timing.md)
      rows.back().sets = "operand streamed";
  }
}

void addAllProducts(Rows &rows) {
  const auto half = poplar::HALF, single = poplar::FLOAT;
  addProducts(
      rows, "G1", half, 1024,
      {{4, 6.1}, {64, 45.8}, {256, 89.2}, {2048, 153}, {4096, 181}, {8192, 206}, {16384, 223}});
  addProducts(rows, "G2", half, 2048,
              {{4, 13.0},
               {16, 44.5},
               {64, 82.5},
               {1024, 167},
               {2048, 200},
               {4096, 212},
               {8192, 229},
               {16384, 239}});
  addProducts(rows, "G3", half, 4096,
              {{4, 18.4}, {16, 61.2}, {256, 175}, {1024, 208}, {2048, 223}});
  addProducts(rows, "G4", half, 8192, {{4, 21.7}, {64, 157}, {256, 223}});
  addProducts(rows, "G5", single, 1024,
              {{4, 3.8},
               {8, 6.6},
               {16, 11.3},
               {32, 16.3},
               {128, 29.2},
               {256, 34.3},
               {512, 36.3},
               {1024, 43.7},
               {4096, 55.6},
               {16384, 58.6}});
  addProducts(rows, "G6", single, 2048,
              {{4, 5.8},
               {8, 10.3},
               {16, 18.2},
               {32, 26.2},
               {64, 34.3},
               {128, 39.4},
               {256, 44.8},
               {512, 49.9},
               {2048, 57.1},
               {4096, 58.7},
               {8192, 60.2}});
  addProducts(rows, "G7", single, 4096,
              {{4, 7.2},
               {8, 12.5},
               {16, 22.3},
               {64, 41.4},
               {128, 48.6},
               {256, 52.7},
               {512, 54.1},
               {1024, 55.6},
               {2048, 57.1},
               {4096, 58.6}});
  addProducts(
      rows, "G8", single, 8192,
      {{4, 7.7}, {8, 13.9}, {16, 25.0}, {32, 36.4}, {128, 49.9}, {256, 55.6}, {1024, 54.1}});
}

// A product that keeps the matrix units busy: 1024 inputs and 16 outputs on every tile, and as
// many positions as it takes. Vertices only.
void addPeak(Rows &rows) {
  poplin::ConvOptions options;
  options.pass = poplin::Pass::NONE_MATMUL;
  options.availableMemoryProportion = 1e6;
  options.planConstraints = R"({"0": {"transform": {"swapOperands": false}}})";
  const std::size_t positions = std::size_t(bow().getNumTiles()) * 6 * 2000;
  const ConvParams params(poplar::FLOAT, positions, {1}, {1}, 1024, 16, 1);
  const auto plan = poplin::planConvolution(bow(), params, options, nullptr);
  std::uint64_t cycles = 1;
  for (const auto &part : poplin::costsByPart(bow(), params, options, plan))
    if (part.name == "Convolve")
      cycles = part.cycles;
  rows.push_back({"G12", "matmul, float", "FP32 peak loop at 1.85 GHz", 87.1,
                  teraflops(bow(), 2.0 * double(positions) * 1024 * 16, cycles), "TFLOP/s",
                  "vertices of one long product"});
}

void addBestOnGc2(Rows &rows) {
  double best = 0;
  std::string note;
  for (std::size_t n = 512; n <= 4096; n += 256) {
    const auto model = product(gc2(), poplar::FLOAT, n, n, n);
    const auto rate = teraflops(gc2(), 2.0 * double(n) * double(n) * double(n), model.cycles);
    if (rate > best) {
      best = rate;
      note = str("n=", n, "; ", model.note);
    }
  }
  rows.push_back(
      {"G13", "matmul, float", "best square product, float, GC2", 18.9, best, "TFLOP/s", note});
}

// 3x3 blur of an RGBA image, every channel by itself; several IPUs split it by rows and pass one
// row of pixels each way.
struct Blur {
  std::size_t width, height;
  poplar::Type type;
  double memory;
  unsigned ipus;
};

double milliseconds(const Blur &blur, std::string &note) {
  poplin::ConvOptions options;
  options.pass = poplin::Pass::INFERENCE_FWD;
  options.availableMemoryProportion = blur.memory;
  ConvParams params(blur.type, 1, {(blur.height + blur.ipus - 1) / blur.ipus, blur.width}, {3, 3},
                    1, 1, 4);
  params.inputTransform.paddingLower = params.inputTransform.paddingUpper = {1, 1};
  auto [cycles, text] = modelled(gc2(), params, options);
  note = text;
  const auto system = arch::systemOf(arch::chipByName("ipu1"), blur.ipus);
  if (blur.ipus > 1) {
    const auto bytes = blur.width * 4 * (blur.type == poplar::FLOAT ? 4 : 2);
    const std::vector<arch::Flow> flows = {{0, 1, bytes}, {1, 0, bytes}};
    cycles += arch::linkExchange(system, flows).cycles +
              arch::syncCycles(system, arch::SyncScope::AllIpus);
  }
  return 1e3 * 200 * double(cycles) / gc2().getTileClockFrequency();
}

void addBlur(Rows &rows, const char *id, const Blur &blur, double published) {
  arch::CalibrationRow row;
  row.id = id;
  row.section = "convolution";
  row.what = str("200 blurs, ", blur.type, ", ", blur.width, "x", blur.height, ", ", blur.ipus,
                 " GC2, memory ", blur.memory);
  row.published = published;
  row.modelled = milliseconds(blur, row.note);
  row.unit = "ms";
  rows.push_back(row);
}

void addBlurs(Rows &rows) {
  const auto half = poplar::HALF, single = poplar::FLOAT;
  addBlur(rows, "C1 half", {499, 302, half, 0.6, 1}, 0.606);
  addBlur(rows, "C1 float", {499, 302, single, 0.6, 1}, 1.675);
  addBlur(rows, "C2 x1", {768, 1024, single, 0.6, 1}, 6.373);
  addBlur(rows, "C2 x2", {768, 1024, single, 0.6, 2}, 3.73);
  addBlur(rows, "C3", {2200, 1122, half, 0.4, 1}, 4.472);
  addBlur(rows, "C4 0.1", {2200, 1122, half, 0.1, 1}, 162);
  addBlur(rows, "C4 0.3", {2200, 1122, half, 0.3, 1}, 137);
  addBlur(rows, "C5 0.3", {2200, 1122, single, 0.3, 2}, 10.25);
  addBlur(rows, "C5 0.2", {2200, 1122, single, 0.2, 2}, 94.4);
}

// a = b + s * c from two operators: a multiplication by a scalar, then a sum; every tile has its
// part of the arrays, so nothing is exchanged.
void addTriad(Rows &rows) {
  constexpr double arrayBytes = 64.7e6; // as in BabelStream
  const auto n = std::uint64_t(arrayBytes / 4 / gc2().getNumTiles());
  openipu::Plan plan;
  for (auto cycles :
       {popops::cost::broadcastScalarCycles(popops::expr::BinaryOpType::MULTIPLY, poplar::FLOAT, n),
        popops::cost::binaryCycles(popops::expr::BinaryOpType::ADD, poplar::FLOAT, n)}) {
    openipu::TileWork work;
    work.count = gc2().getNumTiles();
    work.cycles = cycles;
    openipu::Superstep step;
    step.tiles = {work};
    plan.add(step);
  }
  const auto seconds = double(openipu::cyclesOf(plan, gc2())) / gc2().getTileClockFrequency();
  rows.push_back({"S2", "streams", "triad from popops, float, GC2", 7261,
                  3 * arrayBytes / seconds / 1e9, "GB/s", "multiply by a scalar, then add"});
}

// Convolutions that decided how plans are made; reasons in docs/timing.md.
void markDecisions(Rows &rows) {
  const std::vector<std::pair<std::string, std::string>> decisions = {
      {"C2 x1", "kernel rows per pass"},
      {"C4 0.1", "vector code on GC2"},
      {"C4 0.3", "vector code on GC2"},
      {"C5 0.2", "padding of channels"}};
  for (auto &row : rows)
    for (const auto &[id, what] : decisions)
      if (row.id == id)
        row.sets = what;
}

} // namespace

std::vector<arch::CalibrationRow> operatorRows() {
  Rows rows;
  addAllProducts(rows);
  addPeak(rows);
  addBestOnGc2(rows);
  addBlurs(rows);
  addTriad(rows);
  markDecisions(rows);
  std::stable_partition(rows.begin(), rows.end(),
                        [](const auto &row) { return row.section == "matmul, half"; });
  return rows;
}

} // namespace calibration
