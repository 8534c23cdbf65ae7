// SPDX-License-Identifier: MIT
// The 3x3 blur of an RGBA image on GC2 (LBM): every tile holds a block of pixels, copies it beside
// its halo, exchanges the halo with eight neighbours, computes, and copies back. Several IPUs split
// the image by rows.
#include "arch/Compute.hpp"
#include "arch/Exchange.hpp"
#include "arch/Instructions.hpp"
#include "arch/Links.hpp"
#include "arch/Sync.hpp"
#include "base/Text.hpp"
#include "Rows.hpp"
#include <algorithm>

namespace arch::calibration {
namespace {

struct Block {
  std::uint64_t width, height;
  std::uint64_t area() const { return width * height; }
};

// How a pixel is stored and how many vectors its four channels make.
struct Pixel {
  const char *name;
  unsigned bytes, vectors;
  Instruction arithmetic;
};
constexpr Pixel scalarFloat{"float", 16, 4, Instruction::FloatAddMul},
    vectorFloat{"float2", 16, 2, Instruction::FloatAddMul},
    vectorHalf{"half4", 8, 1, Instruction::HalfAddMul};

struct Step {
  Cycles compute, pre, post, exchange, links, sync;
  Cycles total() const { return compute + pre + post + exchange + links + sync; }
};

// Nine loads, nine products, eight sums and a store per vector.
Cycles computeOf(const Chip &chip, Block block, Pixel pixel) {
  const auto outputs = ceilDiv(block.area(), chip.workers) * pixel.vectors;
  InstructionCount count;
  count[Instruction::Load] = 9 * outputs;
  count[pixel.arithmetic] = 17 * outputs;
  count[Instruction::Store] = outputs;
  count[Instruction::Integer] = outputs;
  count[Instruction::Branch] = outputs;
  const std::vector<VertexCost> vertices = {VertexCost::worker(count.bundles(chip), chip.workers)};
  return tileCompute(chip, vertices).cycles;
}

Cycles haloExchange(const Chip &chip, Block block, Pixel pixel) {
  TileTraffic t;
  for (int side = 0; side < 2; ++side)
    for (std::uint64_t pixels : {block.width, block.height, std::uint64_t(1), std::uint64_t(1)}) {
      t.receive(chip, pixels * pixel.bytes);
      t.send(chip, pixels * pixel.bytes);
    }
  const std::vector<ActiveTile> pair = {{0, t}, {1, t}};
  return exchangeCycles(chip, pair).cycles;
}

// Each IPU passes one row of pixels to the IPU before and after it.
Cycles linkHalo(const System &system, std::uint64_t imageWidth, Pixel pixel) {
  std::vector<Flow> flows;
  for (unsigned ipu = 0; ipu + 1 < system.ipus; ++ipu) {
    flows.push_back({ipu, ipu + 1, imageWidth * pixel.bytes});
    flows.push_back({ipu + 1, ipu, imageWidth * pixel.bytes});
  }
  return linkExchange(system, flows).cycles;
}

Step stepOf(const System &system, Block block, std::uint64_t imageWidth, Pixel pixel) {
  const auto &chip = system.chip;
  const Block padded{block.width + 2, block.height + 2};
  Step step;
  step.compute = computeOf(chip, block, pixel);
  // Rows of the padded block and one piece per neighbour; then rows of the block.
  step.pre = rearrangeCycles(chip, {padded.height + 8, padded.area() * pixel.bytes, 8});
  step.post = rearrangeCycles(chip, {block.height, block.area() * pixel.bytes, 8});
  step.exchange = haloExchange(chip, block, pixel);
  step.links = system.ipus > 1 ? linkHalo(system, imageWidth, pixel) : 0;
  step.sync = syncCycles(system, SyncScope::Ipu) +
              (system.ipus > 1 ? syncCycles(system, SyncScope::AllIpus) : 0);
  return step;
}

// The grid of tiles with the smallest block that is at most twice as long as wide; of equal ones,
// the shortest rim.
Block bestBlock(std::uint64_t width, std::uint64_t height, unsigned tiles) {
  Block best{width, height};
  for (std::uint64_t columns = 1; columns <= tiles; ++columns) {
    const Block block{ceilDiv(width, columns), ceilDiv(height, tiles / columns)};
    const bool slim = std::max(block.width, block.height) > 2 * std::min(block.width, block.height);
    if (!slim && std::pair(block.area(), block.width + block.height) <
                     std::pair(best.area(), best.width + best.height))
      best = block;
  }
  return best;
}

System gc2(unsigned ipus) { return systemOf(chipByName("ipu1"), ipus); }

double milliseconds(const System &system, const Step &step) {
  return 1e3 * system.chip.seconds(200 * step.total());
}

void addSplit(Rows &rows, const char *id, const System &system, Block block, std::uint64_t width,
              Pixel pixel, const Step &published) {
  const auto model = stepOf(system, block, width, pixel);
  const auto add = [&](const char *section, const char *part, Cycles measured, Cycles modelled,
                       const char *note) {
    if (measured)
      rows.push_back({base::str(id, " ", part), section,
                      base::str("blur step, ", pixel.name, ", ", system.ipus, " IPU, ", block.width,
                                "x", block.height, " block"),
                      double(measured), double(modelled), "cycles", note});
  };
  add("compute", "compute", published.compute, model.compute,
      "9 loads, 17 operations, 1 store per vector");
  add("tile copies", "pre-copy", published.pre, model.pre,
      "rows of the padded block, and 8 halo pieces");
  add("tile copies", "post-copy", published.post, model.post, "rows of the block");
  add("exchange", "exchange", published.exchange, model.exchange, "8 neighbours");
  add("links", "links", published.links, model.links, "a row of the image each way");
  add("sync", "sync", published.sync, model.sync,
      system.ipus > 1 ? "one IPU, then all" : "one boundary");
}

struct Published {
  unsigned ipus;
  double ms;
};

// 200 steps; the height is that of one IPU's part when `weak`.
void addTotals(Rows &rows, const char *id, std::uint64_t width, std::uint64_t height, bool weak,
               Pixel pixel, const std::vector<Published> &published) {
  for (const auto &row : published) {
    const auto system = gc2(row.ipus);
    const auto block =
        bestBlock(width, weak ? height : ceilDiv(height, row.ipus), system.tilesPerIpu());
    rows.push_back({base::str(id, " x", row.ipus),
                    row.ipus > 1 ? "blur, several IPUs" : "blur, one IPU",
                    base::str("200 blur steps, ", pixel.name, ", ", width, "x", height,
                              weak ? " per IPU" : ""),
                    row.ms, milliseconds(system, stepOf(system, block, width, pixel)), "ms",
                    base::str("blocks of ", block.width, "x", block.height)});
  }
}

} // namespace

void addStencilRows(Rows &rows) {
  const Block one{58, 36}, sixteenth{13, 10};
  addSplit(rows, "B9", gc2(1), one, 2200, scalarFloat, {210249, 8279, 6954, 1173, 0, 117});
  addSplit(rows, "B10", gc2(1), one, 2200, vectorFloat, {100257, 8279, 6954, 1173, 0, 117});
  addSplit(rows, "B11", gc2(1), one, 2200, vectorHalf, {63531, 5741, 4826, 637, 0, 64});
  addSplit(rows, "B12", gc2(16), sixteenth, 2200, scalarFloat, {13152, 1894, 954, 397, 4048, 640});
  addSplit(rows, "B13", gc2(16), sixteenth, 2200, vectorHalf, {4446, 1611, 882, 263, 3043, 501});

  addTotals(rows, "B1", 2200, 1122, false, scalarFloat, {{1, 28.361}});
  addTotals(rows, "B2", 2200, 1122, false, vectorFloat, {{1, 14.612}});
  addTotals(rows, "B3", 2200, 1122, false, vectorHalf, {{1, 9.200}});
  addTotals(rows, "B4", 2200, 1122, false, scalarFloat, {{2, 16.164}, {8, 5.930}, {16, 2.660}});
  addTotals(rows, "B5", 2200, 1122, false, vectorHalf,
            {{2, 6.062}, {4, 3.748}, {8, 2.742}, {16, 1.384}});
  addTotals(rows, "B6", 768, 1024, false, scalarFloat,
            {{1, 11.618}, {2, 6.196}, {4, 3.467}, {8, 2.786}, {16, 1.648}});
  addTotals(rows, "B7", 768, 1024, false, vectorHalf, {{1, 3.739}, {16, 1.368}});
  addTotals(rows, "B8", 499, 302, false, scalarFloat,
            {{1, 2.052}, {2, 1.656}, {4, 1.073}, {8, 0.934}, {16, 0.874}});
  addTotals(rows, "B14", 500, 1000, true, scalarFloat,
            {{1, 6.924}, {2, 7.664}, {4, 7.933}, {16, 7.956}});
  addTotals(rows, "B15", 500, 1000, true, vectorFloat,
            {{1, 3.954}, {2, 4.694}, {4, 4.962}, {8, 4.970}, {16, 4.985}});
  addTotals(rows, "B16", 500, 1000, true, vectorHalf,
            {{1, 2.549}, {4, 3.553}, {8, 3.556}, {16, 3.571}});
}

} // namespace arch::calibration
