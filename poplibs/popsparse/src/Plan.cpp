// SPDX-License-Identifier: MIT
// The search tries splits in all three directions, keeps those that fit in memory, and takes the
// fastest.
#include "Plan.hpp"
#include "base/Text.hpp"
#include "openipu/Chip.hpp"
#include "openipu/LibraryLog.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/OptionParsing.hpp"
#include "poputil/VertexTemplates.hpp"
#include <algorithm>
#include <cmath>
#include <map>

namespace popsparse {

using openipu::Superstep;
using openipu::TileWork;
using poplibs::OptionHandler;

namespace {

template <class A, class B> std::uint64_t ceilDiv(A a, B b) {
  return (std::uint64_t(a) + std::uint64_t(b) - 1) / std::uint64_t(b);
}

const std::map<std::string, poplar::Type> &partialTypes() {
  static const std::map<std::string, poplar::Type> types{{"half", poplar::HALF},
                                                         {"float", poplar::FLOAT}};
  return types;
}

// {"x": 4, "y": 2, "z": 8}: the splits to use; also as {"partition": {...}}.
void parseConstraints(std::string text, SparseOptions &out) {
  if (text.empty())
    return;
  const auto name = text.find("\"partition\""), open = text.find('{', name);
  if (name != std::string::npos && open != std::string::npos) {
    const auto close = text.find('}', open), end = text.find_last_of('}');
    const bool alone = text.find_first_not_of(" \t\r\n{") == name && close < end &&
                       text.find_first_not_of(" \t\r\n", close + 1) == end;
    if (!alone)
      throw poplar::invalid_option("Invalid value '" + text +
                                   "' for option 'planConstraints': \"partition\" is an object and "
                                   "stands alone");
    text = text.substr(open, close - open + 1);
  }
  poplar::OptionFlags splits;
  try {
    poplar::readJSON(text, splits);
  } catch (const poplar::parse_error &e) {
    throw poplar::invalid_option("Invalid value '" + text +
                                 "' for option 'planConstraints': " + e.what());
  }
  const poplibs::OptionSpec spec{{"x", OptionHandler::createWithInteger(out.x)},
                                 {"y", OptionHandler::createWithInteger(out.y)},
                                 {"z", OptionHandler::createWithInteger(out.z)}};
  for (const auto &split : splits)
    spec.parse(split.first, split.second);
}

// Tile cycles of one multiplication and addition, all workers busy. The figures for 1x1 and 16x16
// blocks make whole products agree with the measurements; in between, the shorter side of a block
// decides how much of a pass of the matrix unit is used.
double macCycles(SparseKind kind, const Problem &p) {
  const bool half = p.type == poplar::HALF;
  const double one = kind == SparseKind::Static ? (half ? 0.46 : 0.90) : (half ? 0.87 : 1.52);
  const double sixteen = kind == SparseKind::Static ? (half ? 0.033 : 0.10) : (half ? 0.06 : 0.28);
  const double side = double(std::min(p.blockRows, p.blockColumns));
  return side == 1 ? one : std::min(one, sixteen * 16 / side);
}

struct Work { // of one tile in each step of a pass
  std::uint64_t inBytes, bucketBytes, multiply, rearrange, partialBytes, reduce, reduceInBytes;
};

// Rows and columns of the product: the backward pass multiplies with the transposed matrix.
Work workOf(const poplar::Target &target, const Problem &p, SparseKind kind,
            const SparseOptions &options, const SparsePlan &plan, Pass pass) {
  const std::uint64_t size = target.getTypeSize(p.type),
                      partialSize = target.getTypeSize(options.partialsType);
  const std::uint64_t rows = ceilDiv(p.rows, plan.x), columns = ceilDiv(p.columns, plan.y),
                      dense = ceilDiv(p.dense, plan.z);
  const std::uint64_t blocks = plan.busiest ? ceilDiv(plan.busiest, plan.y)
                                            : ceilDiv(p.blocks, std::uint64_t(plan.x) * plan.y);
  const std::uint64_t meta = kind == SparseKind::Dynamic ? 2 * plan.metaElements * plan.z : 0;
  const auto &chip = openipu::chipOf(target);
  Work w{};
  const std::uint64_t taken = pass == Pass::Forward ? columns : pass == Pass::GradA ? rows : 0;
  const std::uint64_t made = pass == Pass::Forward ? rows : pass == Pass::GradA ? columns : 0;
  w.inBytes = (pass == Pass::GradW ? rows + columns : taken) * dense * size;
  // A tile holds one of z shares of its blocks; the others arrive. Gradients are only told where.
  w.bucketBytes = (pass == Pass::GradW ? 0 : blocks * p.area() * size) + meta;
  w.bucketBytes = w.bucketBytes * (plan.z - 1) / plan.z;
  w.multiply = 150 + chip.onWorkers(10) + blocks * (p.area() == 1 ? 1 : 10) +
               std::uint64_t(double(blocks * p.area() * dense) * macCycles(kind, p));
  // Blocks want their operand in groups of a block's side, which is an on-tile copy, or an
  // exchange.
  const unsigned moved = options.enableStructuredRearrangements ? target.getMemcpyBytesPerCycle()
                                                                : target.getExchangeBytesPerCycle();
  w.rearrange = p.area() == 1 ? 0 : ceilDiv(w.inBytes, moved);
  const unsigned parts = pass == Pass::Forward ? plan.y : pass == Pass::GradA ? plan.x : plan.z;
  const std::uint64_t partials = pass == Pass::GradW ? blocks * p.area() : made * dense;
  w.partialBytes = partials * partialSize;
  if (parts > 1) {
    const std::uint64_t share = ceilDiv(partials, parts);
    w.reduceInBytes = share * (parts - 1) * partialSize;
    w.reduce = chip.onWorkers(10) + ceilDiv(share * parts, chip.vectorWidth(partialSize));
  }
  return w;
}

std::uint64_t cyclesOfPass(const poplar::Target &target, const Work &w) {
  const std::uint64_t sync = openipu::syncCycles(target);
  const std::uint64_t in = w.inBytes + w.bucketBytes;
  std::uint64_t cycles = sync + openipu::exchangeCycles(target, in, in) + w.multiply + w.rearrange;
  if (w.reduce)
    cycles += sync + openipu::exchangeCycles(target, w.reduceInBytes, w.partialBytes) + w.reduce;
  return cycles;
}

// Every split up to eight, then about every eighth part more.
std::vector<unsigned> candidates(std::size_t size, unsigned given, unsigned tiles) {
  const unsigned most = unsigned(std::min<std::size_t>(std::max<std::size_t>(1, size), tiles));
  if (given)
    return {std::min(given, most)};
  std::vector<unsigned> out;
  for (unsigned n = 1; n <= most; n += 1 + n / 8)
    out.push_back(n);
  return out;
}

void sizeBuckets(const poplar::Target &target, const Problem &p, const SparseOptions &options,
                 SparsePlan &plan) {
  const std::size_t granule = std::max<std::size_t>(1, 8 / (p.area() * target.getTypeSize(p.type)));
  plan.bucketBlocks =
      ceilDiv(std::max<std::uint64_t>(1, ceilDiv(p.blocks, plan.buckets())), granule) * granule;
  const std::size_t lines = std::min<std::size_t>(plan.bucketBlocks, ceilDiv(p.lines(), plan.x));
  plan.metaElements = 1 + std::size_t(std::ceil(double(6 + 2 * lines + plan.bucketBlocks) *
                                                (1 + options.metaInfoBucketOversizeProportion)));
  plan.metaElements = ceilDiv(plan.metaElements, 4) * 4; // whole 64-bit words
}

} // namespace

SparseOptions parseDynamicOptions(const poplar::OptionFlags &options) {
  SparseOptions out;
  std::string constraints;
  const poplibs::OptionSpec spec{
      {"availableMemoryProportion",
       OptionHandler::createWithDouble(out.availableMemoryProportion, 0., true)},
      {"metaInfoBucketOversizeProportion",
       OptionHandler::createWithDouble(out.metaInfoBucketOversizeProportion, 0., true)},
      {"doGradAPass", OptionHandler::createWithBool(out.doGradAPass)},
      {"doGradWPass", OptionHandler::createWithBool(out.doGradWPass)},
      {"partialsType", OptionHandler::createWithEnum(out.partialsType, partialTypes())},
      {"sharedBuckets", OptionHandler::createWithBool(out.sharedBuckets)},
      {"enableStructuredRearrangements",
       OptionHandler::createWithBool(out.enableStructuredRearrangements)},
      {"partitioner.optimiseForSpeed", OptionHandler::createWithBool(out.optimiseForSpeed)},
      {"partitioner.forceBucketSpills", OptionHandler::createWithBool(out.forceBucketSpills)},
      {"partitioner.useActualWorkerSplitCosts",
       OptionHandler::createWithBool(out.useActualWorkerSplitCosts)},
      {"planConstraints", OptionHandler::createWithString(constraints)}};
  for (const auto &option : options)
    spec.parse(option.first, option.second);
  parseConstraints(constraints, out);
  return out;
}

SparseOptions parseStaticOptions(const poplar::OptionFlags &options) {
  SparseOptions out;
  const poplibs::OptionSpec spec{
      {"numBands", OptionHandler::createWithInteger(out.x)},
      {"nSplit", OptionHandler::createWithInteger(out.z)},
      {"availableMemoryProportion",
       OptionHandler::createWithDouble(out.availableMemoryProportion, 0., true)},
      {"enablePreprocessing", OptionHandler::createWithBool(out.enablePreprocessing)},
      {"partialsType", OptionHandler::createWithEnum(out.partialsType, partialTypes())},
      {"verboseLogging", OptionHandler::createWithBool(out.verboseLogging)}};
  for (const auto &option : options)
    spec.parse(option.first, option.second);
  return out;
}

namespace {

// Fills in sizes and costs of a plan whose splits are chosen.
void estimate(const poplar::Target &target, const Problem &p, SparseKind kind,
              const SparseOptions &options, SparsePlan &plan) {
  sizeBuckets(target, p, options, plan);
  for (Pass pass : {Pass::Forward, Pass::GradA, Pass::GradW}) {
    if ((pass == Pass::GradA && !options.doGradAPass) ||
        (pass == Pass::GradW && !options.doGradWPass))
      continue;
    const Work w = workOf(target, p, kind, options, plan, pass);
    plan.cycles += cyclesOfPass(target, w);
    plan.tempBytes = std::max(plan.tempBytes, w.inBytes * (w.rearrange ? 2 : 1) + w.bucketBytes +
                                                  w.partialBytes + w.reduceInBytes);
  }
}

// Offsets within a part have 16 bits.
bool tooLong(std::size_t lines, unsigned parts) { return ceilDiv(lines, parts) > 0xffff; }

} // namespace

SparsePlan planSparse(const poplar::Target &target, const Problem &p, SparseKind kind,
                      const SparseOptions &options,
                      const std::function<std::size_t(unsigned)> &busiest) {
  const unsigned tiles = target.getNumTiles();
  const auto limit =
      std::uint64_t(options.availableMemoryProportion * double(target.getBytesPerTile()));
  SparsePlan best;
  bool found = false;
  const auto better = [&](const SparsePlan &a, const SparsePlan &b) {
    const bool fitsA = a.tempBytes <= limit, fitsB = b.tempBytes <= limit;
    if (fitsA != fitsB)
      return fitsA;
    return fitsA ? a.cycles < b.cycles : a.tempBytes < b.tempBytes;
  };
  for (unsigned x : candidates(p.lines(), options.x, tiles))
    for (unsigned y : candidates(p.stacks(), options.y, tiles / x)) {
      if (tooLong(p.lines(), x) || tooLong(p.stacks(), y))
        continue;
      auto zs = candidates(p.dense, options.z, tiles / (x * y));
      if (!options.z) // as many as there is room for
        zs = {unsigned(std::clamp<std::size_t>(p.dense, 1, tiles / (x * y)))};
      SparsePlan plan;
      plan.x = x;
      plan.y = y;
      plan.z = zs[0];
      plan.busiest = busiest ? busiest(x) : 0;
      estimate(target, p, kind, options, plan);
      if (!found || better(plan, best))
        best = plan;
      found = true;
    }
  if (!found)
    throw poputil::poplibs_error(base::str("No plan for a sparse matrix of ", p.rows, "x",
                                           p.columns, " with ", p.blocks, " non-zero blocks on ",
                                           tiles, " tiles, split ", options.x, " x ", options.y,
                                           " x ", options.z, " (0: free) ways."));
  const auto text =
      base::str("Sparse matrix of ", p.rows, "x", p.columns, " with ", p.blocks, " blocks of ",
                p.blockRows, "x", p.blockColumns, ": split ", best.x, " x ", best.y, " x ", best.z,
                " ways, ", best.bucketBlocks, " blocks a bucket, ", best.cycles, " cycles, ",
                best.tempBytes, " temporary bytes a tile");
  const auto &log = openipu::libraryLog("popsparse");
  options.verboseLogging ? log.info(text) : log.debug(text);
  return best;
}

openipu::Plan supersteps(const poplar::Target &target, const Problem &p, SparseKind kind,
                         const SparseOptions &options, const SparsePlan &plan, Pass pass) {
  const Work w = workOf(target, p, kind, options, plan, pass);
  const bool single = p.area() == 1;
  const char *names[] = {"popsparse::SparseDenseMatMul", "popsparse::SparseDenseMatMulGradA",
                         "popsparse::SparseDenseMatMulGradW"};
  TileWork work;
  work.count = unsigned(plan.buckets());
  work.bytesIn = work.bytesOut = w.inBytes + w.bucketBytes;
  work.cycles = w.multiply + w.rearrange;
  work.tempBytes = w.partialBytes + (w.rearrange ? w.inBytes : 0);
  openipu::Plan out;
  Superstep multiply;
  multiply.name = "multiply";
  multiply.vertex = poputil::templateVertex(std::string(names[unsigned(pass)]) +
                                                (single ? "ElementWise" : "Block"),
                                            p.type, options.partialsType);
  multiply.flops = 2 * std::uint64_t(p.blocks) * p.area() * p.dense;
  multiply.tiles.push_back(work);
  out.add(std::move(multiply));
  if (w.reduce) {
    TileWork add;
    add.count = work.count;
    add.bytesIn = w.reduceInBytes;
    add.bytesOut = w.partialBytes;
    add.cycles = w.reduce;
    Superstep reduce;
    reduce.name = "reduce";
    reduce.vertex = poputil::templateVertex("poplin::ReduceAdd", p.type, options.partialsType);
    reduce.tiles.push_back(add);
    out.add(std::move(reduce));
  }
  return out;
}

} // namespace popsparse
