// SPDX-License-Identifier: MIT
// Cycle formulas of the convolution vertices.
#include "Vertices.hpp"
#include <algorithm>

namespace poplin::vertex {
namespace {

constexpr std::uint64_t ceilDiv(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

// Outputs of one worker: so many rows of so many elements.
struct Share {
  std::uint64_t rows, elements;
};

std::uint64_t meetings(const Work &w) {
  const auto all = w.rows * w.width;
  return w.valid >= 1 ? all
                      : std::max<std::uint64_t>(1, std::uint64_t(double(all) * w.valid + 0.5));
}

// Rows may be cut anywhere, so shares differ by one element.
Share shareOf(const Work &w, std::uint64_t elements) {
  if (elements == 0)
    return {0, 0};
  const auto width = std::max<std::uint64_t>(
      1, w.valid >= 1 ? w.width : std::uint64_t(double(w.width) * std::min(1.0, w.valid) + 0.5));
  const auto rows = ceilDiv(elements, width);
  return {rows, ceilDiv(elements, rows)};
}
Share slowest(const Work &w) { return shareOf(w, ceilDiv(meetings(w), workers)); }
Share fastest(const Work &w) { return shareOf(w, meetings(w) / workers); }

// The path on which the matrix unit keeps its state from one call to the next.
bool keepsState(const Work &w) {
  return w.input == Work::Half && (w.convUnits == 16 || w.floatPartials);
}

std::int64_t worker1x1(const Work &w, std::int64_t e, bool zero) {
  const std::int64_t z = zero;
  if (keepsState(w)) {
    const std::int64_t set = zero ? 1 : 2;
    const auto cycles = e == 0   ? 20 + set
                        : e == 1 ? 31 + set
                        : e == 2 ? 40 + set
                                 : 36 + set + 4 * (e - 3);
    return cycles - 7;
  }
  const bool half = w.input == Work::Half;
  const std::int64_t q = half ? (w.floatPartials ? 4 : 2) : (w.convUnits == 16 ? 8 : 4);
  if (e == 0)
    return 24;
  if (e == 1)
    return (half ? 39 : 47) + z * (2 + q);
  if (e == 2)
    return (half ? 40 : 46) + z * (2 + 2 * q);
  return (half ? 41 : 46) + z * (2 + q * e) + (half ? 4 : 8) * (e - 3);
}

std::int64_t worker1x1Quarter(std::int64_t e, bool zero) {
  const std::int64_t z = zero;
  return 17 + (e == 0 ? 4 : e == 1 ? 18 - 5 * z : e == 2 ? 23 - 5 * z : 27 - 5 * z + 4 * (e - 3));
}

std::uint64_t inner1x1(const Work &w, bool zero) {
  const auto cycles = [&](std::uint64_t e) {
    return std::uint64_t(w.input == Work::Quarter ? worker1x1Quarter(std::int64_t(e), zero)
                                                  : worker1x1(w, std::int64_t(e), zero));
  };
  const auto all = w.rows * w.width;
  return std::max(workers * cycles(ceilDiv(all, workers)), workers * cycles(all / workers) + 14);
}

std::uint64_t quarter1x1(const Work &w) {
  const std::uint64_t first = 14 * 6 + 11 + 36 + w.loadCycles + inner1x1(w, true);
  const std::uint64_t next = 11 * 6 + 6 + 36 + w.loadCycles + inner1x1(w, false);
  return 46 +
         w.convGroups * (2 * 6 + 9 + w.outGroups * (6 * 6 + 10 + first + (w.inGroups - 1) * next));
}

unsigned passesOf(const Work &w) { return unsigned(ceilDiv(w.outChansPerGroup, w.convUnits)); }

} // namespace

std::uint64_t amp1x1(const Work &w) {
  if (w.input == Work::Quarter)
    return quarter1x1(w);
  const std::uint64_t kept = keepsState(w) ? 7 + 3ull * (w.inGroups * w.convGroups - 1) : 0;
  const unsigned c = w.floatPartials || (w.input == Work::Half && w.convUnits == 16) ? 1 : 0;
  const auto passes = passesOf(w);
  const auto next = 16 - c + w.outGroups * (19 + passes * (6 + w.loadCycles + inner1x1(w, false)));
  const auto first = 11 + w.outGroups * (19 - c + passes * (7 + w.loadCycles + inner1x1(w, true)));
  return 50 + workers * kept + w.convGroups * (12 + c + (w.inGroups - 1) * next + first);
}

namespace {

std::uint64_t workerNx1(const Work &w, Share share) {
  const bool isFloat = w.input == Work::Float;
  const unsigned h = w.floatPartials ? 0 : 1;
  const auto e = share.elements;
  const std::uint64_t row = e == 0    ? 17
                            : e == 1  ? (isFloat ? 33 : 29)
                            : e == 2  ? (isFloat ? 44 : 33 + h)
                            : isFloat ? 45 + 8 * (e - 3)
                                      : 34 + 4 * (e - 3);
  return 17 + h + share.rows * (3 + row - 9);
}

std::uint64_t innerNx1(const Work &w) {
  const auto passes = passesOf(w);
  const auto work =
      std::max(workers * workerNx1(w, slowest(w)), workers * workerNx1(w, fastest(w)) + 9);
  const unsigned perPass = w.height == 4 ? 60 : w.height == 2 ? 46 : 15;
  return std::uint64_t(w.kernelOuter) *
         (14 + w.kernelInner * (12 + passes * (w.loadCycles + perPass + 3) + work * passes));
}

} // namespace

std::uint64_t ampNx1(const Work &w) {
  const auto inner = innerNx1(w);
  if (w.input == Work::Quarter)
    return 83 + w.convGroups *
                    (5 * 6 + 7 + w.outGroups * (8 * 6 + 10 + w.inGroups * (8 * 6 + 13 + inner)));
  const auto outputs = w.rows * w.width * w.outChansPerGroup * w.convGroupsPerGroup;
  const auto vectors = ceilDiv(outputs, workers * (w.floatPartials ? 2 : 4));
  const std::uint64_t zero = workers * (vectors + 5) * w.outGroups * w.convGroups;
  const std::uint64_t CG = w.convGroups, OG = w.outGroups, IG = w.inGroups;
  return 109 + 6 * 9 + 6 * (w.floatPartials ? 9 : 10) + CG * (17 * OG + 6 * (OG - 1) + 1) +
         6 * (CG - 1) + 1 + CG * (16 + IG * (14 + OG * (14 + inner))) + zero;
}

std::uint64_t slic(const Work &w) {
  const auto groups = w.convGroupsPerGroup;
  const bool lean = !w.floatPartials && w.convUnits == 8;
  const unsigned load = w.input == Work::Quarter ? 38
                        : w.inChansPerGroup == 4
                            ? 34
                            : 9 + 6 + 6 * (groups == 2 ? 12 : 10 + (groups > 4)) + 22;
  // Half partials leave four chains of the matrix unit free, float partials two.
  const std::uint64_t passes = w.floatPartials ? 2 : 1;
  const auto share = slowest(w);
  const auto e = share.elements;
  const std::uint64_t row = w.stride == 2 ? 15 + 2 * (e > 3 ? e - 3 : 0) : 15 + (e > 5 ? e - 5 : 0);
  const std::uint64_t worker =
      19 + share.rows * (10 + passes * row - (w.floatPartials ? 1 : 0)) + (w.floatPartials ? 3 : 0);
  const std::uint64_t subKernels = std::uint64_t(w.kernelOuter) * ceilDiv(w.kernelInner, 4);
  const std::uint64_t each = load + (lean ? 16 : 20) + workers * worker;
  const std::uint64_t blocks = std::uint64_t(w.convGroups) * w.inGroups * w.outGroups;
  return (lean ? 25 : 28) +
         blocks * ((lean ? 12 : 15) + subKernels * each + 6 * (subKernels - 1) + 1);
}

std::uint64_t hmac(const Work &w) {
  const bool half = w.input != Work::Float, both = half && !w.floatPartials;
  const auto kernel = std::uint64_t(w.kernelOuter) * w.kernelInner;
  const bool one = kernel == 1;
  const unsigned most = half ? 4 : 2;
  unsigned vector = most;
  while (w.inChansPerGroup % vector)
    vector /= 2;
  const std::uint64_t dot =
      3 * (both ? 2 : 1) + both + 4 + w.inChansPerGroup / vector * (vector < most ? 2 : 1) - half;
  const auto share = slowest(w);
  const std::uint64_t rows =
      kernel * share.rows * ((one ? 13 : 19) + share.elements * (7 + w.outChansPerGroup * dot));
  const std::uint64_t worker = 16 - (one ? 15 : half ? 6 : 0) + rows + 16;
  const std::uint64_t start = (half ? 65 : 58) - (one ? 10 : 0);
  return start + std::uint64_t(w.convGroups) *
                     (23 + std::uint64_t(w.inGroups) *
                               (15 + std::uint64_t(w.outGroups) * (10 + workers * worker)));
}

std::uint64_t vmac(const Work &w) {
  const unsigned f = w.floatPartials, groups = w.convGroupsPerGroup;
  const auto share = slowest(w);
  const auto kernel = std::uint64_t(w.kernelOuter) * w.kernelInner;
  const auto entries = kernel * share.rows, last = share.elements ? share.elements - 1 : 0;
  std::uint64_t worker;
  if (groups <= 4)
    worker = (f ? 19 : 18) + entries * (7 + (f ? 5 : 3) + 3 + 2 * last);
  else
    worker = (groups == 16 ? 25 : 13) + (groups == 16 ? 2 : 1) * entries * (22 + 3 + 3 * last);
  const auto outputs = w.rows * w.width * groups, perWorker = ceilDiv(outputs, workers);
  const std::uint64_t zero = workers * (4 + ceilDiv(perWorker, f ? 2 : 4));
  const std::uint64_t reduction =
      workers * (10 - f + (7 + 2 * f + (1 + f) * 5) * ceilDiv(perWorker, groups));
  return 61 + 14 + 26 +
         w.convGroups * (zero + 32 + w.inGroups * (24 + workers * worker) + reduction);
}

std::uint64_t outerProduct(const Work &w) {
  const bool half = w.input != Work::Float;
  const std::uint64_t c = w.outChansPerGroup, width = ceilDiv(w.rows * w.width, workers);
  const std::uint64_t g = std::uint64_t(w.convGroups) * w.outGroups;
  std::uint64_t position;
  if (half)
    position = c >= 12 && c % 4 == 0 ? 6 + (c - 12) / 4 : 10 + 5 * c / 2;
  else
    position = c >= 6 && c % 2 == 0 ? 6 + (c - 6) / 2 : 10 + 2 * c;
  return workers * (25 + g * ((half ? 10 : 11) + width * position));
}

std::uint64_t reduceAdd(const ReduceWork &w) {
  const unsigned accumulators = w.floatPartials ? 4 : 8, path = w.floatPartials ? 2 : 4;
  const auto loops = ceilDiv(ceilDiv(w.outputs, accumulators), workers);
  if (w.single) {
    const unsigned loads = accumulators / std::min(accumulators, path * (w.fast ? 2 : 1));
    const unsigned store = w.floatPartials ? (w.floatOutput ? 8 : 7) : (w.floatOutput ? 10 : 9);
    return 33 + workers * (20 + (std::uint64_t(loads) * w.partials + store) * loops);
  }
  const unsigned loads = accumulators / path + 1, store = w.floatOutput ? 7 : 6;
  return workers *
         (32 + (std::uint64_t(loads) * w.partials + store + (w.floatPartials ? 0 : 2)) * loops);
}

std::uint64_t cast(std::uint64_t elements) {
  return elements ? workers * (ceilDiv(ceilDiv(elements, workers), 2) + 26) : 0;
}

std::uint64_t addInPlace(std::uint64_t elements, bool isHalf) {
  return elements ? 11 + workers * (20 + 3 * ceilDiv(elements, workers * (isHalf ? 4u : 2u))) : 0;
}

std::uint64_t dynamicSlice(std::uint64_t bytes) {
  return bytes ? 11 + workers * (30 + 2 * ceilDiv(bytes, workers * 8)) : 0;
}

// 77 cycles for every contiguous piece, on six workers at 8 bytes per cycle; or one loop over
// atoms. Both as arch/ has them for copies around an exchange.
std::uint64_t rearrange(std::uint64_t pieces, std::uint64_t bytes, unsigned atomBytes) {
  if (bytes == 0)
    return 0;
  const auto byPiece = 77 * pieces + ceilDiv(bytes, 8);
  const double perByte = atomBytes % 8 == 0 ? 0.44 : atomBytes % 4 == 0 ? 3.1 : 5.1;
  return std::min(byPiece, std::uint64_t(587 + perByte * double(bytes)));
}

} // namespace poplin::vertex
