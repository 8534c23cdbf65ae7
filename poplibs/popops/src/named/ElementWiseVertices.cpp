// SPDX-License-Identifier: MIT
// Vertices that select, clamp, convert, fill, count, and add with a scale.
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "named/CodeletText.hpp"
#include "named/Tables.hpp"
#include "popops/ElementWiseCost.hpp"

namespace popops::named {
namespace {

using poplar::VertexPerfEstimate;

const char *const selectSource =
#include "../../codelets/Select.cpp"
    ;
const char *const castSource =
#include "../../codelets/Cast.cpp"
    ;
const char *const fillSource =
#include "../../codelets/Fill.cpp"
    ;
const char *const scaledSource =
#include "../../codelets/ScaledAdd.cpp"
    ;

template <const char *const &source> void text(const Name &, Words &pieces) {
  pieces.insert(pieces.end(), {codeletPrelude(), source});
}

bool isFloat(const poplar::Type &type) { return type == poplar::FLOAT || type == poplar::HALF; }
bool isInt(const poplar::Type &type) { return type == poplar::INT || type == poplar::UNSIGNED_INT; }

std::uint64_t bytes(const Priced &v) { return v.target.getTypeSize(v.type(0)); }

// Instructions of a worker: `enter`, then region(n) for each region of the field.
template <class Region>
VertexPerfEstimate regions(const Priced &v, const char *field, std::uint64_t enter, Region region,
                           unsigned flopsEach = 0) {
  for (auto n : v.sizes(field))
    enter += region(n);
  return {enter, flopsEach ? flopsEach * v.total(field) : 0};
}

// ---- select and clamp

VertexPerfEstimate select(const Priced &v) {
  return regions(v, "out", 5, [](std::uint64_t n) { return 6 + 5 * n; });
}
VertexPerfEstimate selectInPlace(const Priced &v) {
  return regions(v, "in1Out", 5, [](std::uint64_t n) { return 6 + 5 * n; });
}

bool broadcastSelectFormula(const Name &name) {
  return isFloat(name.type(0)) || isInt(name.type(0)) || name.type(0) == poplar::BOOL;
}
VertexPerfEstimate broadcastSelect(const Priced &v) {
  return regions(v, "out", 10, [size = bytes(v)](std::uint64_t n) {
    if (size == 1)
      return 66 + 17 * (n / 4);
    return (size == 4 ? 8 : n % 2 ? 30 : 23) + 4 * n; // an odd half is stored on its own
  });
}

std::uint64_t chosenRegion(const Priced &v, std::uint64_t n) {
  const auto all = n * bytes(v);
  return 35 + all / 4 + 5 * (all % 4);
}
VertexPerfEstimate selectorSelect(const Priced &v) {
  return regions(v, "out", 12, [&](std::uint64_t n) { return chosenRegion(v, n); });
}
VertexPerfEstimate selectorSelectInPlace(const Priced &v) {
  return regions(v, "in1Out", 12, [&](std::uint64_t n) { return chosenRegion(v, n); });
}

bool clampFormula(const Name &name) { return isFloat(name.type(0)) || name.type(0) == poplar::INT; }
VertexPerfEstimate clampRegions(const Priced &v, const char *field) {
  auto region = [&](std::uint64_t n) {
    return 6 +
           (isFloat(v.type(0)) ? 2 * base::ceilDiv(n, v.target.getVectorWidth(v.type(0))) : 7 * n);
  };
  return regions(v, field, 5, region, isFloat(v.type(0)) ? 2 : 0);
}
VertexPerfEstimate clamp(const Priced &v) { return clampRegions(v, "out"); }
VertexPerfEstimate clampInPlace(const Priced &v) { return clampRegions(v, "in1Out"); }

// ---- casts, fills, counting

// What 1D casts spend on one worker's n elements: all but 12, and 18 of each worker.
std::uint64_t castCore(const Priced &v, std::uint64_t n) {
  const auto workers = v.chip().workers;
  return (cost::castCycles(v.chip(), v.type(0), v.type(1), workers * n) - 12) / workers - 18;
}
VertexPerfEstimate cast1D(const Priced &v) {
  return cost::castCycles(v.chip(), v.type(0), v.type(1), v.value("numElems"));
}
VertexPerfEstimate castSingle(const Priced &v) { return 5 + castCore(v, v.value("numElems")); }
VertexPerfEstimate cast2D(const Priced &v) {
  return regions(v, "dst", 5, [&](std::uint64_t n) { return 11 + castCore(v, n); });
}

std::uint64_t fillCore(const Priced &v, std::uint64_t n) {
  return cost::fillCycles(v.chip(), v.type(0), n) /
         v.chip().workers; // of the tile: one worker works, the others wait
}
VertexPerfEstimate fill(const Priced &v) { return fillCore(v, v.size("out")); }
VertexPerfEstimate fill2d(const Priced &v) {
  const unsigned less = v.type(0) == poplar::HALF ? 2 : 3;
  return regions(v, "out", 5, [&](std::uint64_t n) { return fillCore(v, n) - less; });
}
bool wordFormula(const Name &name) { return isInt(name.type(0)) || name.type(0) == poplar::FLOAT; }
VertexPerfEstimate iota(const Priced &v) {
  return regions(v, "out", 10, [](std::uint64_t n) { return 4 + 3 * base::ceilDiv(n, 2); });
}

// ---- sums with scales, products

bool scaledExists(const Name &name) {
  const bool floats = isFloat(name.type(0)) && isFloat(name.type(1)) && isFloat(name.type(2));
  return floats || (name.type(0) == name.type(1) && name.type(0) == name.type(2));
}
template <cost::ScaledAdd form> VertexPerfEstimate scaled(const Priced &v) {
  const auto n = v.value("size");
  return {cost::scaledAddCycles(v.chip(), v.type(0), v.type(1), v.type(2), n, form, v.name.flag(3)),
          isFloat(v.type(0)) ? 2 * n : 0};
}
template <cost::ScaledAdd form> VertexPerfEstimate scaledBoth(const Priced &v) {
  const auto n = v.value("size");
  return {cost::scaledAddCycles(v.chip(), v.type(0), v.type(0), v.type(1), n, form, v.name.flag(2)),
          3 * n};
}
VertexPerfEstimate product(const Priced &v) {
  auto region = [&](std::uint64_t n) {
    return 6 + 2 * base::ceilDiv(n, v.target.getVectorWidth(v.type(0)));
  };
  return regions(v, "A", 5, region, 1);
}
bool halfByFloat(const Name &name) {
  return name.type(0) == poplar::HALF && name.type(1) == poplar::FLOAT;
}
VertexPerfEstimate scalarMultiply(const Priced &v) {
  return {cost::scalarMultiplyCycles(v.chip(), v.size("out")), v.size("out")};
}

} // namespace

std::vector<Family> elementWiseVertices() {
  using cost::ScaledAdd;
  const auto choose = text<selectSource>, convert = text<castSource>, put = text<fillSource>,
             add = text<scaledSource>;
  return {
      {"Select", "t", choose, select},
      {"SelectInPlace", "t", choose, selectInPlace},
      {"BroadcastSelect", "t", choose, broadcastSelect, nullptr, broadcastSelectFormula},
      {"BroadcastSelectorSelect", "t", choose, selectorSelect},
      {"BroadcastSelectorSelectInPlace", "t", choose, selectorSelectInPlace},
      {"Clamp", "t", choose, clamp, nullptr, clampFormula},
      {"ClampInPlace", "t", choose, clampInPlace, nullptr, clampFormula},
      {"BroadcastClamp", "t", choose},
      {"BroadcastClampInPlace", "t", choose},
      {"Cast1D", "tt", convert, cast1D},
      {"Cast1DSingleWorker", "tt", convert, castSingle},
      {"Cast2D", "tt", convert, cast2D},
      {"Fill", "t", put, fill},
      {"Fill2d", "t", put, fill2d},
      {"Iota", "t", put, iota, nullptr, wordFormula},
      {"ScaledAddSupervisor", "nnnf", add, scaled<ScaledAdd::APlusbB>, scaledExists},
      {"ScaledSubtractSupervisor", "nnnf", add, scaled<ScaledAdd::AMinusbB>, scaledExists},
      {"ScaledAdd2D", "nnnf", add, nullptr, scaledExists},
      {"ScaledSubtract2D", "nnf", add},
      {"aXPlusbYSupervisor", "llf", add, scaledBoth<ScaledAdd::aAPlusbB>},
      {"aXMinusbYSupervisor", "llf", add, scaledBoth<ScaledAdd::aAMinusbB>},
      {"XMinusaXPlusbYSupervisor", "lf", add},
      {"aXPlusbY2D", "llf", add},
      {"aXMinusbY2D", "llf", add},
      {"XMinusaXPlusbY2D", "lf", add},
      {"HadamardProd", "l", add, product},
      {"ScalarMultiply1D", "ll", add, scalarMultiply, nullptr, halfByFloat},
      {"ScalarMultiply1DInplace", "ll", add},
      {"ScalarMultiply2D", "ll", add},
      {"ScalarMultiply2DInplace", "ll", add},
  };
}

} // namespace popops::named
