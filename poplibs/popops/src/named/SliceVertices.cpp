// SPDX-License-Identifier: MIT
// Vertices that slice and update: neighbouring entries, listed entries, runs of elements. Which
// offsets are in range is known when the vertex runs only; estimates take all of them to be.
#include "base/Arithmetic.hpp"
#include "named/Tables.hpp"
#include "popops/OperationDef.hpp"
#include "popops/SliceCost.hpp"
#include <algorithm>

namespace popops::named {
namespace {

using poplar::VertexPerfEstimate;

const char *const dynamicSource =
#include "../../codelets/slice/DynamicSlice.cpp"
    ;
const char *const multiSource =
#include "../../codelets/slice/MultiSlice.cpp"
    ;
const char *const sequenceSource =
#include "../../codelets/slice/SequenceSlice.cpp"
    ;

// In the order of popops/OperationDef.hpp.
const char *const operationSource =
    "namespace popops {\nenum class Operation {\n  ADD, MUL, MIN, MAX, LOGICAL_AND, LOGICAL_OR, "
    "SQUARE_ADD, LOG_ADD\n};\n} // namespace popops\n";
static_assert(int(Operation::MUL) == 1 && int(Operation::MAX) == 3 && int(Operation::LOG_ADD) == 7);

template <const char *const &source> void text(const Name &, Words &pieces) {
  pieces.insert(pieces.end(), {operationSource, source});
}

// A scale has the type of the data, or is float for half.
bool scaledExists(const Name &name) {
  return name.type(0) == name.type(1) ||
         (name.type(0) == poplar::HALF && name.type(1) == poplar::FLOAT);
}

// ---- cycles

SliceWork workOf(const Priced &v) {
  SliceWork work;
  work.lookups = work.inRange = v.size("offsets");
  work.row = v.value("regionSize");
  work.entries = v.value("numBaseElements");
  work.sorted = v.value("indicesAreSorted");
  return work;
}
SliceWork splitWorkOf(const Priced &v) {
  auto work = workOf(v);
  work.splitRow = v.value("splitSingleRegion") != 0;
  work.perWorker = v.value("maxElementsPerWorker");
  return work;
}
VertexPerfEstimate multiSlice(const Priced &v) {
  return multiSliceCycles(v.target, v.type(0), splitWorkOf(v));
}
VertexPerfEstimate multiUpdate(const Priced &v) {
  return multiUpdateCycles(v.target, v.type(0), splitWorkOf(v));
}
template <bool scaled> VertexPerfEstimate multiUpdateOp(const Priced &v) {
  const auto work = workOf(v);
  const auto elements = work.lookups * work.row;
  const bool floats = v.type(0) == poplar::FLOAT || v.type(0) == poplar::HALF;
  return {multiUpdateOpCycles(v.target, v.type(0), work, scaled),
          floats ? (scaled ? 2 : 1) * elements : 0};
}

VertexPerfEstimate dynamic1D(const Priced &v) {
  return dynamicSliceCycles(v.target, v.type(0), v.value("numSubElements"), v.value("regionSize"));
}
// One worker: 27, and 13 and the copies of each region.
VertexPerfEstimate dynamic2D(const Priced &v) {
  const auto bytes = v.target.getTypeSize(v.type(0));
  const auto slices = v.value("numSubElements");
  const auto regions = v.sizes("subT");
  std::uint64_t cycles = 27;
  for (std::size_t i = 0; i < regions.size(); i += std::max<std::uint64_t>(slices, 1)) {
    const auto vectors = base::ceilDiv(regions[i] * bytes, 8);
    const auto each = bytes >= 4 ? 29 + vectors : (bytes == 2 ? 31 : 50) + 2 * vectors;
    cycles += each * slices + 13;
  }
  return cycles;
}
// At most as many elements as either side has.
VertexPerfEstimate sequence(const Priced &v) {
  const auto elements = std::min(v.size("srcT"), v.size("dstT"));
  return sequenceSliceCycles(v.size("srcOffsetT"), elements * v.target.getTypeSize(v.type(0)));
}

} // namespace

Choices sliceChoices() {
  const std::string operation = "popops::Operation::";
  return {{'o', {operation + "ADD", operation + "MUL", operation + "MAX"}},
          {'a', {operation + "ADD"}}};
}

std::vector<Family> sliceVertices() {
  const auto near = text<dynamicSource>, many = text<multiSource>, runs = text<sequenceSource>;
  return {
      {"DynamicSlice1D", "t", near, dynamic1D},
      {"DynamicUpdateSlice1D", "t", near, dynamic1D},
      {"DynamicSlice2D", "t", near, dynamic2D},
      {"DynamicUpdateSlice2D", "t", near, dynamic2D},
      {"MultiSlice", "t", many, multiSlice},
      {"MultiUpdate", "t", many, multiUpdate},
      {"MultiUpdateOp", "nfo", many, multiUpdateOp<false>},
      {"ScaledMultiUpdateOp", "nnfa", many, multiUpdateOp<true>, scaledExists},
      {"SequenceSlice", "t", runs, sequence},
  };
}

} // namespace popops::named
