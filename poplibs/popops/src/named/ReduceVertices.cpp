// SPDX-License-Identifier: MIT
// Vertices that reduce, encode, look for NaN, count and sort on one tile.
#include "named/Tables.hpp"
#include "popops/ReduceCost.hpp"
#include <bit>

namespace popops::named {
namespace {

using poplar::VertexPerfEstimate;

const char *const reduceSource =
#include "../../codelets/reduce/Reduce.cpp"
    ;
const char *const encodingSource =
#include "../../codelets/reduce/Encoding.cpp"
    ;

template <const char *const &source> void text(const Name &, Words &pieces) {
  pieces.push_back(source);
}

const std::string space = "popops::Reduce", how = "popops::ReductionSpecialisation::";
const std::pair<const char *, Operation> reductions[] = {
    {"Add", Operation::ADD},       {"SquareAdd", Operation::SQUARE_ADD},
    {"Mul", Operation::MUL},       {"Max", Operation::MAX},
    {"Min", Operation::MIN},       {"And", Operation::LOGICAL_AND},
    {"Or", Operation::LOGICAL_OR}, {"LogAdd", Operation::LOG_ADD}};

Operation operationOf(const Name &name) {
  for (const auto &[suffix, op] : reductions)
    if (name.arguments[0] == space + suffix)
      return op;
  return Operation::ADD; // not reached: the mechanism knows the choices
}

bool isFloat(const poplar::Type &type) { return type == poplar::FLOAT || type == poplar::HALF; }
bool isScaled(const Name &name) { return name.family.compare(0, 6, "Scaled") == 0; }

// The pairs of types that each operation has vertices for; scales and updates are for sums.
bool reduceExists(const Name &name) {
  const auto op = operationOf(name);
  const auto in = name.type(1), out = name.type(2);
  const bool sum = op == Operation::ADD || op == Operation::SQUARE_ADD || op == Operation::LOG_ADD;
  if ((isScaled(name) || name.flag(3)) && !sum)
    return false;
  if (op == Operation::LOGICAL_AND || op == Operation::LOGICAL_OR)
    return in == poplar::BOOL && out == poplar::BOOL;
  if (op == Operation::MAX || op == Operation::MIN)
    return in == out && in != poplar::BOOL;
  return (isFloat(in) && isFloat(out)) ||
         (in == poplar::INT && out == poplar::INT && op != Operation::LOG_ADD);
}

// ---- cycles

cost::ReduceVertexShape shapeOf(const Priced &v, cost::ReduceVertex kind, std::uint64_t outputs,
                                std::uint64_t partials, std::uint64_t regions = 1) {
  return {kind,    operationOf(v.name), v.type(1),     v.type(2), outputs, partials,
          regions, isScaled(v.name),    v.name.flag(3)};
}
VertexPerfEstimate reduced(const Priced &v, std::uint64_t cycles, std::uint64_t values) {
  const unsigned each = operationOf(v.name) == Operation::SQUARE_ADD ? 2 : 1;
  return {cycles, isFloat(v.type(1)) ? each * values : 0};
}

VertexPerfEstimate continuousReduce(const Priced &v) {
  const auto outputs = v.value("numOutputsM1") + 1, partials = v.value("numPartials");
  const auto shape = shapeOf(v, cost::ReduceVertex::AllRegionsContinuous, outputs, partials);
  return reduced(v, cost::reduceWorkerCycles(v.chip(), shape), outputs * partials);
}

// Reductions one after the other; entering and leaving counts once.
VertexPerfEstimate reduceLists(const Priced &v) {
  const auto outputs = v.sizes("out"), partials = v.sizes("partials"),
             counts = v.values("numPartials");
  const auto op = operationOf(v.name);
  const bool compiled = op == Operation::LOG_ADD || op == Operation::LOGICAL_AND ||
                        op == Operation::LOGICAL_OR; // not assembly
  const std::uint64_t enter = compiled ? 7 + 24 : 7 + 26;
  std::uint64_t cycles = enter, next = 0;
  for (std::size_t r = 0; r < outputs.size() && r < counts.size(); ++r) {
    std::uint64_t values = 0;
    for (const auto end = next + counts[r]; next < end && next < partials.size(); ++next)
      values += partials[next];
    const auto perOutput = values / std::max<std::uint64_t>(outputs[r], 1);
    cycles += cost::reduceWorkerCycles(v.chip(), shapeOf(v, cost::ReduceVertex::Default, outputs[r],
                                                         perOutput, counts[r])) -
              enter;
  }
  return reduced(v, cycles, v.total("partials"));
}

VertexPerfEstimate reduce(const Priced &v) {
  if (v.name.arguments[4] == how + "DEFAULT")
    return reduceLists(v);
  const auto partials = v.value("numPartials");
  const auto shape = shapeOf(v, cost::ReduceVertex::ScalarOutput, 1, partials);
  return reduced(v, cost::reduceWorkerCycles(v.chip(), shape), partials);
}
// Lists of regions, and (without a scale) one region to one output.
bool reduceFormula(const Name &name) {
  return name.arguments[4] == how + "DEFAULT" ||
         (name.arguments[4] == how + "SCALAR_OUTPUT_SINGLE_INPUT" && !isScaled(name));
}

VertexPerfEstimate oneHot(const Priced &v) {
  const auto indices = v.size("indices");
  const bool assembly = v.type(0) == poplar::UNSIGNED_INT && v.type(1) == poplar::HALF;
  return assembly ? 11 + 74 * indices : 100 * indices;
}
VertexPerfEstimate oneHotCustom(const Priced &v) { return 100 * v.size("indices"); }

VertexPerfEstimate hasNaN(const Priced &v) {
  const bool half = v.type(0) == poplar::HALF;
  const auto vectors = v.chip().workerShare(v.size("in")) / (half ? 8 : 4);
  return 24 + v.chip().onWorkers(17 + (half ? 12 : 10) + (v.name.flag(1) ? 3 : 2) * vectors +
                                 (half ? 11 : 7));
}

std::uint64_t heapCycles(std::uint64_t n) {
  const std::uint64_t depth = n ? std::bit_width(n) - 1 : 0;
  return 19 * n * depth + 6 * n + 2;
}
VertexPerfEstimate heapSort(const Priced &v) { return 8 * heapCycles(v.size("out")); }
VertexPerfEstimate heapSortPairs(const Priced &v) { return 16 * heapCycles(v.size("key")); }

} // namespace

Choices reduceChoices() {
  Words operations;
  for (const auto &[suffix, op] : reductions)
    operations.push_back(space + suffix);
  return {
      {'r', operations},
      {'s', {how + "DEFAULT", how + "SCALAR_OUTPUT_REGIONS", how + "SCALAR_OUTPUT_SINGLE_INPUT"}}};
}

std::vector<Family> reduceVertices() {
  const auto sums = text<reduceSource>, rows = text<encodingSource>;
  return {
      {"Reduce", "rvvfs", sums, reduce, reduceExists, reduceFormula},
      {"ScaledReduce", "rvvfs", sums, reduce, reduceExists, reduceFormula},
      {"ContinuousReduce", "rvvf", sums, continuousReduce, reduceExists},
      {"ScaledContinuousReduce", "rvvf", sums, continuousReduce, reduceExists},
      {"EncodeOneHot", "iv", rows, oneHot},
      {"EncodeOneHotCustomValues", "iv", rows, oneHotCustom},
      {"HasNaNOrInf1D", "lf", rows, hasNaN},
      {"HasNaNOrInf2D", "lf", rows},
      {"Histogram1D", "lff", rows},
      {"Histogram2D", "lf", rows},
      {"HeapSortVertex", "v", rows, heapSort},
      {"HeapSortVertexKV", "vv", rows, heapSortPairs},
  };
}

} // namespace popops::named
