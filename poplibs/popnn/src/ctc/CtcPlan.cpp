// SPDX-License-Identifier: MIT
// Plans of connectionist temporal classification. The loss is a table of (time, label) cells in
// which each depends on its neighbours of the step before: blocks of cells are worked off as a
// wavefront, forward and backward probabilities at the same time from both ends.
#include "ctc/CtcPlan.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "openipu/Chip.hpp"
#include "poplin/ProductPlan.hpp"
#include "popnn/CTCInference.hpp"
#include "popnn/CTCLoss.hpp"
#include "popops/ElementWiseCost.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/OptionParsing.hpp"
#include "poputil/TileMapping.hpp"
#include <algorithm>
#include <ostream>

namespace popnn::ctc {

using poputil::poplibs_error;

Plan::Plan() : impl_(new Impl) {}
Plan::~Plan() = default;
Plan::Plan(const Plan &other) : impl_(new Impl(*other.impl_)) {}
Plan::Plan(Plan &&) noexcept = default;
Plan &Plan::operator=(const Plan &other) {
  impl_.reset(new Impl(*other.impl_));
  return *this;
}
Plan &Plan::operator=(Plan &&) noexcept = default;
Plan::Plan(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

bool operator<(const Plan &a, const Plan &b) { return a.impl_->key() < b.impl_->key(); }
bool operator==(const Plan &a, const Plan &b) { return a.impl_->key() == b.impl_->key(); }

std::ostream &operator<<(std::ostream &out, const Plan &plan) {
  const auto &p = *plan.impl_;
  out << "CTC " << (p.inference ? "inference" : "loss") << " plan: batch " << p.batch << ", time "
      << p.time << ", classes " << p.classes;
  if (p.inference)
    out << ", beams " << p.beams << "; split batch " << p.batchSplit << ", classes "
        << p.classSplit;
  else
    out << ", labels " << p.labels << "; split batch " << p.batchSplit << ", time " << p.timeSplit
        << ", label " << p.labelSplit << (p.lastBlankApart ? ", last blank apart" : "");
  return out << "; tiles " << p.tiles() << ", estimated cycles " << p.cycles << ", temporary bytes "
             << p.tempBytes << " a tile\n";
}

Forced parallelConstraints(const std::string &json, const std::vector<std::string> &known) {
  Forced values(known.size());
  auto bad = [&](const std::string &why) {
    return poplar::invalid_option("Invalid value '" + json +
                                  "' for option 'planConstraints': " + why);
  };
  if (json.empty())
    return values;
  const auto name = json.find("\"parallel\""), open = json.find('{', name),
             close = json.find('}', open);
  if (name == std::string::npos || open == std::string::npos || close == std::string::npos)
    throw bad("expected {\"parallel\": {...}}");
  poplar::OptionFlags members;
  try {
    poplar::readJSON(json.substr(open, close - open + 1), members);
  } catch (const poplar::parse_error &e) {
    throw bad(e.what());
  }
  for (const auto &[member, value] : members) {
    const auto found = std::find(known.begin(), known.end(), member);
    if (found == known.end())
      throw bad("no split is called \"" + member + "\"; there are " + base::list(known));
    values[found - known.begin()] = value == "true"    ? 1
                                    : value == "false" ? 0
                                                       : poplibs::parse::asInteger<unsigned>(value);
  }
  return values;
}

namespace {

constexpr std::uint64_t logAdd = 16, logMultiply = 1; // cycles of one worker
constexpr std::uint64_t vertexOverhead = 60;          // entry, pointers, loop set-up of one block

std::uint64_t divided(std::uint64_t a, std::uint64_t b) { return b ? base::ceilDiv(a, b) : 0; }

// Cells of a block: all states (labels and the blanks between) of its share.
std::uint64_t statesOf(const Plan::Impl &p) {
  return std::max<std::uint64_t>(1, divided(2 * p.labels + !p.lastBlankApart, p.labelSplit));
}
std::uint64_t blockCycles(const arch::Chip &chip, const Plan::Impl &p) {
  const auto perCell = 2 * logAdd + logMultiply; // from three cells of the step before
  const auto elements = divided(p.batch, p.batchSplit);
  // A step of the block depends on the one before: workers share its states.
  return chip.onWorkers(elements * (vertexOverhead + divided(p.time, p.timeSplit) *
                                                         chip.workerShare(statesOf(p)) * perCell));
}
std::uint64_t partialBytes(const poplar::Target &target, const Plan::Impl &p) {
  return target.getTypeSize(p.partials);
}
std::uint64_t tempBytesOf(const poplar::Target &target, const Plan::Impl &p) {
  const auto elements = divided(p.batch, p.batchSplit), time = divided(p.time, p.timeSplit);
  const auto classes = p.reducedClasses ? std::min<std::uint64_t>(p.labels + 1, p.classes)
                                        : std::uint64_t(p.classes);
  return elements * time * (2 * statesOf(p) + classes) * partialBytes(target, p);
}

std::uint64_t lossCycles(const poplar::Target &target, const Plan::Impl &p) {
  return openipu::cyclesOf(lossSupersteps(target, p, true, false), target);
}

struct Options {
  poplar::Type partials;
  double share = 0.6;
  std::string constraints;
  bool reducedClasses = true;
  std::vector<unsigned> sortGroups;
};

void checkShare(double share) {
  if (share == 0)
    throw poplibs_error("ctc::plan: availableMemoryProportion is 0, and every plan takes some "
                        "memory. Give a share above 0; the usual one is 0.6.");
}

Options parse(const poplar::OptionFlags &flags, const poplar::Type &partials, bool loss) {
  Options o;
  o.partials = partials;
  const std::map<std::string, poplar::Type> types{{"half", poplar::HALF}, {"float", poplar::FLOAT}};
  using poplibs::OptionHandler;
  const poplibs::OptionSpec spec{
      {"partialsType", OptionHandler::createWithEnum(o.partials, types)},
      {"availableMemoryProportion", OptionHandler::createWithDouble(o.share, 0.)},
      {"planConstraints", OptionHandler::createWithString(o.constraints)},
      {"enableReducedClassesInLabel", OptionHandler::createWithBool(o.reducedClasses)}};
  const poplibs::OptionSpec lossless{
      {"partialsType", OptionHandler::createWithEnum(o.partials, types)},
      {"availableMemoryProportion", OptionHandler::createWithDouble(o.share, 0.)},
      {"planConstraints", OptionHandler::createWithString(o.constraints)},
      {"sortStageGroups", OptionHandler::createWithList(o.sortGroups)}};
  for (const auto &[name, value] : flags)
    (loss ? spec : lossless).parse(name, value);
  checkShare(o.share);
  return o;
}

void checkTypes(const char *function, const poplar::Type &in, const poplar::Type &out) {
  const bool known =
      (in == poplar::FLOAT || in == poplar::HALF) && (out == poplar::FLOAT || out == poplar::HALF);
  if (!known || (in == poplar::FLOAT && out == poplar::HALF))
    throw poplibs_error(base::str(function, ": input of type ", in, " and output of type ", out,
                                  " are not supported; use float to float, half to half or half "
                                  "to float."));
}

// 1, 2, 3, 4, 6, 8, 12 ... up to limit, and the limit; only the given number if there is one.
std::vector<unsigned> candidates(unsigned limit, std::optional<unsigned> forced) {
  if (forced)
    return {*forced};
  std::vector<unsigned> out;
  for (unsigned n = 1; n <= limit; n += std::max(1u, n / 4))
    out.push_back(n);
  if (out.empty() || out.back() != limit)
    out.push_back(std::max(1u, limit));
  return out;
}

// Fewest cycles among the splits whose temporary bytes fit; else the fewest bytes.
Plan::Impl search(const poplar::Target &target, Plan::Impl p, const Forced &forced,
                  std::uint64_t limit) {
  const unsigned tiles = target.getNumTiles();
  Plan::Impl best;
  bool found = false, fits = false;
  for (unsigned b : candidates(std::min(p.batch, tiles), forced[0]))
    for (unsigned l :
         candidates(std::min(std::max(p.labels, 1u), tiles / std::max(b, 1u)), forced[2]))
      for (unsigned t : candidates(
               std::min(p.time, tiles / std::max(b, 1u) / std::max(l + p.lastBlankApart, 1u)),
               forced[1])) {
        p.batchSplit = b;
        p.labelSplit = l;
        p.timeSplit = t;
        if (!b || !l || !t || p.tiles() > tiles)
          continue;
        p.tempBytes = tempBytesOf(target, p);
        p.cycles = lossCycles(target, p);
        const bool ok = p.tempBytes <= limit;
        const bool better =
            !found || (ok && !fits) ||
            (ok == fits && (ok ? p.cycles < best.cycles : p.tempBytes < best.tempBytes));
        if (better)
          best = p;
        fits |= ok;
        found = true;
      }
  if (!found)
    throw poplibs_error(base::str("ctc::plan: no split of the work obeys planConstraints on ",
                                  tiles, " tiles. Ask for fewer parts, and at least one."));
  return best;
}

} // namespace

openipu::Plan lossSupersteps(const poplar::Target &target, const Plan::Impl &p, bool gradient,
                             bool softmax) {
  openipu::Plan plan;
  if (!p.batch || !p.time)
    return plan;
  const auto &chip = openipu::chipOf(target);
  const std::uint64_t elements = divided(p.batch, p.batchSplit),
                      time = divided(p.time, p.timeSplit), size = partialBytes(target, p),
                      data = elements * time * divided(p.classes, p.labelSplit);
  if (softmax) {
    openipu::TileWork work;
    work.cycles = popops::cost::unaryCycles(chip, popops::expr::UnaryOpType::EXPONENT, p.in, data) +
                  popops::cost::broadcastScalarCycles(chip, popops::expr::BinaryOpType::SUBTRACT,
                                                      p.in, data, true);
    work.bytesIn = work.bytesOut = elements * time * size;
    plan.add(poplin::onTiles("LogSoftmax", "popops::UnaryOp1D", p.tiles(), work));
  }
  openipu::TileWork block; // one block a tile and step of the wavefront; two fronts with a gradient
  block.cycles = (gradient ? 2 : 1) * blockCycles(chip, p);
  block.bytesIn = elements * (statesOf(p) + 2 * time) * size;
  block.bytesOut = block.bytesIn;
  block.tempBytes = tempBytesOf(target, p);
  block.vertices = chip.workers * (gradient ? 2 : 1);
  auto front = poplin::onTiles("Wavefront", gradient ? "popnn::CTCAlphaBeta" : "popnn::CTCAlpha",
                               p.tiles(), block, p.timeSplit + p.labelSplit + p.lastBlankApart - 1);
  front.flops = std::uint64_t(p.batch) * p.time * (2 * p.labels + 1) * 13 * (gradient ? 2 : 1) /
                front.repeats;
  plan.add(front);
  if (gradient) {
    openipu::TileWork work;
    work.cycles = chip.onWorkers(vertexOverhead + chip.workerShare(elements * time * statesOf(p)) *
                                                      (logAdd + logMultiply));
    work.bytesIn = p.labelSplit > 1 ? data * size : 0; // partial gradients of the label splits
    work.bytesOut = work.bytesIn;
    work.tempBytes = data * size;
    plan.add(poplin::onTiles("Gradient", "popnn::CTCGradientGivenAlpha", p.tiles(), work));
  }
  return plan;
}

Plan plan(const poplar::Graph &graph, const poplar::Type &inType, const poplar::Type &outType,
          unsigned batchSize, unsigned maxTime, unsigned maxLabelLength, unsigned numClasses,
          const poplar::OptionFlags &options) {
  checkTypes("ctc::plan", inType, outType);
  const auto parsed = parse(options, outType, true);
  Plan::Impl p;
  p.in = inType;
  p.out = outType;
  p.partials = parsed.partials;
  p.batch = batchSize;
  p.time = maxTime;
  p.labels = maxLabelLength;
  p.classes = numClasses;
  p.reducedClasses = parsed.reducedClasses;
  const auto forced = parallelConstraints(parsed.constraints,
                                          {"batch", "time", "label", "lastBlankOnSeparateTile"});
  p.lastBlankApart = forced[3].value_or(0);
  const auto limit = std::uint64_t(parsed.share * graph.getTarget().getBytesPerTile());
  return Plan(std::make_unique<Plan::Impl>(search(graph.getTarget(), p, forced, limit)));
}

void checkKind(const char *function, const Plan::Impl &plan, bool inference) {
  if (!plan.classes || plan.inference != inference)
    throw poplibs_error(base::str(function, ": the plan is ",
                                  plan.classes ? "one of the other kind" : "empty", "; make it by ",
                                  inference ? "ctc_infer::plan" : "ctc::plan", "."));
}

void checkData(const char *function, const Plan::Impl &p, const poplar::Tensor &data) {
  const std::vector<std::size_t> shape{p.time, p.batch, p.classes};
  if (data.elementType() != p.in || data.shape() != shape)
    throw poplibs_error(base::str(function, ": the data are ", data.elementType(), " ",
                                  base::list(data.shape()), " but the plan was made for ", p.in,
                                  " ", base::list(shape), "."));
}

void checkLengths(const char *function, const char *what, const poplar::Tensor &lengths,
                  std::size_t batch) {
  const bool integer =
      lengths.elementType() == poplar::UNSIGNED_INT || lengths.elementType() == poplar::INT;
  if (!integer || lengths.shape() != std::vector<std::size_t>{batch})
    throw poplibs_error(base::str(
        function, ": ", what, " are ", lengths.elementType(), " ", base::list(lengths.shape()),
        " but must be one integer per element of the batch [", batch, "]."));
}

poplar::Tensor createData(const char *function, poplar::Graph &graph, const poplar::Type &type,
                          std::size_t batch, std::size_t time, std::size_t classes,
                          const Plan &plan, const poplar::DebugContext &context) {
  auto t = graph.addVariable(type, {time, batch, classes}, context);
  checkData(function, plan.getImpl(), t);
  const auto &p = plan.getImpl();
  // Elements of a block together: as many rows of classes as a tile of the plan works on.
  const auto rows = std::max<std::size_t>(1, divided(time * batch, p.tiles()));
  poputil::mapTensorLinearly(graph, t, unsigned(rows * classes),
                             unsigned(std::max<std::size_t>(1, classes)));
  return t;
}

poplar::Tensor createDataInput(poplar::Graph &graph, const poplar::Type &type,
                               std::size_t batchSize, std::size_t maxTime, std::size_t numClasses,
                               const Plan &plan, const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(type, batchSize, maxTime, numClasses));
  checkKind("ctc::createDataInput", plan.getImpl(), false);
  return createData("ctc::createDataInput", graph, type, batchSize, maxTime, numClasses, plan,
                    {di, "data"});
}

poplar::Tensor createLabelsInput(poplar::Graph &graph, const poplar::Type &type,
                                 std::size_t batchSize, std::size_t maxLabelLength,
                                 const Plan &plan, const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(type, batchSize, maxLabelLength));
  const auto &p = plan.getImpl();
  checkKind("ctc::createLabelsInput", p, false);
  if (batchSize != p.batch || maxLabelLength != p.labels)
    throw poplibs_error(base::str("ctc::createLabelsInput: labels [", batchSize, ",",
                                  maxLabelLength, "] do not fit the plan's [", p.batch, ",",
                                  p.labels, "]."));
  auto t = graph.addVariable(type, {batchSize, maxLabelLength}, {di, "labels"});
  poputil::mapTensorLinearly(graph, t);
  return t;
}

static void checkSortGroups(const Plan::Impl &p, unsigned tiles) {
  for (auto groups : p.sortGroups)
    if (groups == 0 || std::uint64_t(groups) * p.batchSplit > tiles)
      throw poplar::invalid_option(base::str("Invalid value for option 'sortStageGroups': ", groups,
                                             " groups for each of ", p.batchSplit,
                                             " parts of the batch on ", tiles,
                                             " tiles. Give 1 or more, and one tile for each."));
}

// The best of each group of candidates, stage by stage, then the best of all.
static void addSelection(openipu::Plan &plan, const arch::Chip &chip, const Plan::Impl &p,
                         std::uint64_t elements, std::uint64_t size) {
  auto stages = p.sortGroups;
  stages.push_back(1);
  std::uint64_t candidates = std::uint64_t(p.beams) * p.classSplit;
  for (auto groups : stages) {
    const auto each = divided(candidates, groups);
    openipu::TileWork select;
    select.cycles =
        chip.onWorkers(elements * (vertexOverhead + chip.workerShare(p.beams * each) * 3));
    select.bytesIn = elements * each * (size + 8);
    select.tempBytes = select.bytesIn;
    plan.add(poplin::onTiles("Select", "popnn::CTCSelectCandidates", p.batchSplit * groups, select,
                             p.time));
    candidates = std::min<std::uint64_t>(candidates, std::uint64_t(groups) * p.beams);
  }
}

openipu::Plan inferenceSupersteps(const poplar::Target &target, const Plan::Impl &p,
                                  unsigned topPaths, bool softmax) {
  openipu::Plan plan;
  if (!p.batch || !p.time)
    return plan;
  const auto &chip = openipu::chipOf(target);
  const std::uint64_t elements = divided(p.batch, p.batchSplit), size = partialBytes(target, p),
                      classes = divided(p.classes, p.classSplit);
  if (softmax) {
    openipu::TileWork work;
    const auto n = elements * p.time * classes;
    work.cycles = popops::cost::unaryCycles(chip, popops::expr::UnaryOpType::EXPONENT, p.in, n);
    work.bytesIn = work.bytesOut = elements * p.time * size;
    plan.add(poplin::onTiles("LogSoftmax", "popops::UnaryOp1D", p.tiles(), work));
  }
  openipu::TileWork generate, output;
  generate.cycles = chip.onWorkers(
      elements * (vertexOverhead + chip.workerShare(classes * p.beams) * (logAdd + logMultiply)));
  generate.bytesIn = elements * (p.beams * 4 + classes) * size; // beams to every class split
  generate.bytesOut = elements * p.beams * size;
  generate.tempBytes = elements * classes * p.beams * (size + 8);
  plan.add(poplin::onTiles("Generate", "popnn::CTCGenerateExtendCandidates", p.tiles(), generate,
                           p.time));
  addSelection(plan, chip, p, elements, size);
  plan.add(poplin::onTiles(
      "Update", "popnn::CTCUpdate", p.batchSplit,
      [&] {
        openipu::TileWork work;
        work.cycles = chip.onWorkers(elements * (vertexOverhead + 6 * p.beams));
        return work;
      }(),
      p.time));
  output.cycles =
      chip.onWorkers(elements * topPaths * (vertexOverhead + 6 * std::uint64_t(p.time)));
  plan.add(poplin::onTiles("Output", "popnn::CTCGenerateOutput", p.batchSplit, output));
  return plan;
}

} // namespace popnn::ctc

namespace popnn::ctc_infer {

ctc::Plan plan(const poplar::Graph &graph, const poplar::Type &inType, unsigned batchSize,
               unsigned maxTime, unsigned numClasses, unsigned beamwidth,
               const poplar::OptionFlags &options) {
  ctc::checkTypes("ctc_infer::plan", inType, inType);
  if (!beamwidth || !numClasses)
    throw poputil::poplibs_error(base::str("ctc_infer::plan: ", beamwidth, " beams and ",
                                           numClasses,
                                           " classes; there must be at least one of each."));
  const auto parsed = ctc::parse(options, inType, false);
  const auto forced = ctc::parallelConstraints(parsed.constraints, {"batch", "classes"});
  const auto &target = graph.getTarget();
  ctc::Plan::Impl p, best;
  p.inference = true;
  p.in = p.out = inType;
  p.partials = parsed.partials;
  p.batch = batchSize;
  p.time = maxTime;
  p.classes = numClasses;
  p.beams = beamwidth;
  p.batchSplit = forced[0].value_or(std::clamp(batchSize, 1u, target.getNumTiles()));
  p.sortGroups = parsed.sortGroups;
  ctc::checkSortGroups(p, target.getNumTiles());
  for (unsigned c : ctc::candidates(
           std::min(numClasses, target.getNumTiles() / std::max(p.batchSplit, 1u)), forced[1])) {
    p.classSplit = c;
    if (p.tiles() == 0 || p.tiles() > target.getNumTiles())
      continue;
    p.cycles = openipu::cyclesOf(ctc::inferenceSupersteps(target, p, 1, false), target);
    if (!best.classes || p.cycles < best.cycles)
      best = p;
  }
  if (!best.classes)
    throw poputil::poplibs_error("ctc_infer::plan: no split of the work obeys planConstraints. Ask "
                                 "for fewer parts, and at least one.");
  return ctc::Plan(std::make_unique<ctc::Plan::Impl>(best));
}

poplar::Tensor createDataInput(poplar::Graph &graph, const poplar::Type &type,
                               std::size_t batchSize, std::size_t maxTime, std::size_t numClasses,
                               const ctc::Plan &plan, const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(type, batchSize, maxTime, numClasses));
  ctc::checkKind("ctc_infer::createDataInput", plan.getImpl(), true);
  return ctc::createData("ctc_infer::createDataInput", graph, type, batchSize, maxTime, numClasses,
                         plan, {di, "data"});
}

} // namespace popnn::ctc_infer
