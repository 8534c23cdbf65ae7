// SPDX-License-Identifier: MIT
// Cycle formulas of the convolution vertices.
#include "Vertices.hpp"
#include "arch/Compute.hpp"
#include "base/Arithmetic.hpp"
#include <algorithm>
#include <cmath>

namespace poplin::vertex {
namespace {

using arch::Chip;
using Input = Work::Input;

// Outputs of one worker: so many rows of so many elements.
struct Share {
  std::uint64_t rows, elements;
};

std::uint64_t meetings(const Work &w) {
  const auto all = w.rows * w.width;
  return w.valid >= 1
             ? all
             : std::max<std::uint64_t>(1, std::uint64_t(std::llround(double(all) * w.valid)));
}

// Rows may be cut anywhere, so shares differ by one element.
Share shareOf(const Work &w, std::uint64_t elements) {
  if (elements == 0)
    return {0, 0};
  const auto width = std::max<std::uint64_t>(
      1, w.valid >= 1 ? w.width
                      : std::uint64_t(std::llround(double(w.width) * std::min(1.0, w.valid))));
  const auto rows = base::ceilDiv(elements, width);
  return {rows, base::ceilDiv(elements, rows)};
}
Share slowest(const Chip &chip, const Work &w) { return shareOf(w, chip.workerShare(meetings(w))); }
Share fastest(const Chip &chip, const Work &w) { return shareOf(w, meetings(w) / chip.workers); }

unsigned passesOf(const Work &w) {
  return unsigned(base::ceilDiv(w.outChansPerGroup, w.convUnits));
}

} // namespace

std::uint64_t amp1x1(const Chip &chip, const Work &w) {
  return arch::ampCycles(chip, {{w.input, w.floatPartials, w.convUnits},
                                w.loadCycles,
                                w.rows * w.width,
                                w.convGroups,
                                w.inGroups,
                                w.outGroups,
                                passesOf(w)});
}

namespace {

// Bundles of a row: less of the first three positions than a 1x1 kernel has, and the same for more.
std::uint64_t rowNx1(const Chip &chip, const Work &w, std::uint64_t n) {
  const bool isFloat = w.input == Input::Float;
  const auto first =
      std::int64_t(arch::ampFirstBundles(chip, isFloat ? Input::Float : Input::Half)) -
      (isFloat ? 1 : 4);
  const std::int64_t bundles =
      n == 0   ? 17
      : n == 1 ? first - (isFloat ? 12 : 5)
      : n == 2 ? first - (isFloat || w.floatPartials ? 1 : 0)
               : first + std::int64_t(arch::ampNextBundles(chip, w.input) * (n - 3));
  return std::uint64_t(std::max<std::int64_t>(bundles, 6));
}

std::uint64_t workerNx1(const Chip &chip, const Work &w, Share share) {
  return 17 + (w.floatPartials ? 0 : 1) + share.rows * (rowNx1(chip, w, share.elements) - 6);
}

std::uint64_t innerNx1(const Chip &chip, const Work &w) {
  const auto passes = passesOf(w);
  const auto work = std::max(chip.onWorkers(workerNx1(chip, w, slowest(chip, w))),
                             chip.onWorkers(workerNx1(chip, w, fastest(chip, w))) + 9);
  const unsigned perPass = w.height == 4 ? 60 : w.height == 2 ? 46 : 15;
  return std::uint64_t(w.kernelOuter) *
         (14 + w.kernelInner * (12 + passes * (w.loadCycles + perPass + 3) + work * passes));
}

// Vectors of outputs that a worker sets to zero.
std::uint64_t zeroVectors(const Chip &chip, const Work &w, std::uint64_t outputs) {
  return base::ceilDiv(outputs,
                       std::uint64_t(chip.workers) * chip.vectorWidth(w.floatPartials ? 4 : 2));
}

} // namespace

std::uint64_t ampNx1(const Chip &chip, const Work &w) {
  const auto inner = innerNx1(chip, w);
  const std::uint64_t turn = chip.workers; // of the slots: a slow supervisor instruction
  if (w.input == Input::Quarter)
    return 83 +
           w.convGroups * (5 * turn + 7 +
                           w.outGroups * (8 * turn + 10 + w.inGroups * (8 * turn + 13 + inner)));
  const auto outputs = w.rows * w.width * w.outChansPerGroup * w.convGroupsPerGroup;
  const std::uint64_t CG = w.convGroups, OG = w.outGroups, IG = w.inGroups;
  const auto zero = chip.onWorkers(zeroVectors(chip, w, outputs) + 5) * OG * CG;
  return 109 + 9 * turn + turn * (w.floatPartials ? 9 : 10) + CG * (17 * OG + turn * (OG - 1) + 1) +
         turn * (CG - 1) + 1 + CG * (16 + IG * (14 + OG * (14 + inner))) + zero;
}

std::uint64_t slic(const Chip &chip, const Work &w) {
  const auto groups = w.convGroupsPerGroup;
  const std::uint64_t turn = chip.workers; // of the slots: a slow supervisor instruction
  const bool lean = !w.floatPartials && w.convUnits == 8;
  const std::uint64_t load = w.input == Input::Quarter ? 38
                             : w.inChansPerGroup == 4
                                 ? 34
                                 : 9 + turn + turn * (groups == 2 ? 12 : 10 + (groups > 4)) + 22;
  // Float sums take two of the unit's chains: half of them are free in a pass.
  const auto free = chip.amp.pipelineDepth / (w.floatPartials ? 2 : 1);
  const std::uint64_t passes = base::ceilDiv(chip.amp.pipelineDepth, w.chains ? w.chains : free);
  const auto share = slowest(chip, w);
  const auto e = share.elements;
  // A window of four halves, or of four groups of quarters, for every position.
  const auto next = base::ceilDiv(arch::ampNextBundles(chip, w.input), 4);
  const std::uint64_t row =
      w.stride == 2 ? 15 + 2 * next * (e > 3 ? e - 3 : 0) : 15 + next * (e > 5 ? e - 5 : 0);
  const std::uint64_t worker =
      19 + share.rows * (10 + passes * row - (w.floatPartials ? 1 : 0)) + (w.floatPartials ? 3 : 0);
  const std::uint64_t subKernels = std::uint64_t(w.kernelOuter) * base::ceilDiv(w.kernelInner, 4);
  const std::uint64_t each = load + (lean ? 16 : 20) + chip.onWorkers(worker);
  const std::uint64_t blocks = std::uint64_t(w.convGroups) * w.inGroups * w.outGroups;
  return (lean ? 25 : 28) +
         blocks * ((lean ? 12 : 15) + subKernels * each + turn * (subKernels - 1) + 1);
}

std::uint64_t hmac(const Chip &chip, const Work &w) {
  const bool half = w.input != Input::Float, both = half && !w.floatPartials;
  const auto kernel = std::uint64_t(w.kernelOuter) * w.kernelInner;
  const bool one = kernel == 1;
  const unsigned most = chip.vectorWidth(half ? 2 : 4);
  unsigned vector = most;
  while (w.inChansPerGroup % vector)
    vector /= 2;
  const std::uint64_t dot =
      3 * (both ? 2 : 1) + both + 4 + w.inChansPerGroup / vector * (vector < most ? 2 : 1) - half;
  const auto share = slowest(chip, w);
  const std::uint64_t rows =
      kernel * share.rows * ((one ? 13 : 19) + share.elements * (7 + w.outChansPerGroup * dot));
  const std::uint64_t worker = 16 - (one ? 15 : half ? 6 : 0) + rows + 16;
  const std::uint64_t start = (half ? 65 : 58) - (one ? 10 : 0);
  return start + std::uint64_t(w.convGroups) *
                     (23 + std::uint64_t(w.inGroups) *
                               (15 + std::uint64_t(w.outGroups) * (10 + chip.onWorkers(worker))));
}

std::uint64_t vmac(const Chip &chip, const Work &w) {
  const unsigned f = w.floatPartials, groups = w.convGroupsPerGroup;
  const auto share = slowest(chip, w);
  const auto kernel = std::uint64_t(w.kernelOuter) * w.kernelInner;
  const auto entries = kernel * share.rows, last = share.elements ? share.elements - 1 : 0;
  std::uint64_t worker;
  if (groups <= 4)
    worker = (f ? 19 : 18) + entries * (7 + (f ? 5 : 3) + 3 + 2 * last);
  else
    worker = (groups == 16 ? 25 : 13) + (groups == 16 ? 2 : 1) * entries * (22 + 3 + 3 * last);
  const auto outputs = w.rows * w.width * groups, perWorker = chip.workerShare(outputs);
  const std::uint64_t zero =
      chip.onWorkers(4 + base::ceilDiv(perWorker, chip.vectorWidth(f ? 4 : 2)));
  const std::uint64_t reduction =
      chip.onWorkers(10 - f + (7 + 2 * f + (1 + f) * 5) * base::ceilDiv(perWorker, groups));
  return 61 + 14 + 26 +
         w.convGroups * (zero + 32 + w.inGroups * (24 + chip.onWorkers(worker)) + reduction);
}

std::uint64_t outerProduct(const Chip &chip, const Work &w) {
  const bool half = w.input != Input::Float;
  const std::uint64_t c = w.outChansPerGroup, width = chip.workerShare(w.rows * w.width);
  const std::uint64_t g = std::uint64_t(w.convGroups) * w.outGroups;
  std::uint64_t position;
  if (half)
    position = c >= 12 && c % 4 == 0 ? 6 + (c - 12) / 4 : 10 + 5 * c / 2;
  else
    position = c >= 6 && c % 2 == 0 ? 6 + (c - 6) / 2 : 10 + 2 * c;
  return chip.onWorkers(25 + g * ((half ? 10 : 11) + width * position));
}

std::uint64_t reduceAdd(const Chip &chip, const ReduceWork &w) {
  const unsigned path = chip.vectorWidth(w.floatPartials ? 4 : 2), accumulators = 2 * path;
  const auto loops = chip.workerShare(base::ceilDiv(w.outputs, accumulators));
  if (w.single) {
    const unsigned loads = accumulators / std::min(accumulators, path * (w.fast ? 2 : 1));
    const unsigned store = w.floatPartials ? (w.floatOutput ? 8 : 7) : (w.floatOutput ? 10 : 9);
    return 33 + chip.onWorkers(20 + (std::uint64_t(loads) * w.partials + store) * loops);
  }
  const unsigned loads = accumulators / path + 1, store = w.floatOutput ? 7 : 6;
  return chip.onWorkers(
      32 + (std::uint64_t(loads) * w.partials + store + (w.floatPartials ? 0 : 2)) * loops);
}

std::uint64_t cast(const Chip &chip, std::uint64_t elements) {
  return elements
             ? chip.onWorkers(base::ceilDiv(chip.workerShare(elements), chip.vectorWidth(4)) + 26)
             : 0;
}

std::uint64_t addInPlace(const Chip &chip, std::uint64_t elements, bool isHalf) {
  const auto vectors = base::ceilDiv(elements, chip.vectorWidth(isHalf ? 2 : 4));
  return elements ? 11 + chip.onWorkers(20 + 3 * chip.workerShare(vectors)) : 0;
}

std::uint64_t dynamicSlice(const Chip &chip, std::uint64_t bytes) {
  return bytes ? 11 + chip.onWorkers(30 +
                                     2 * chip.workerShare(base::ceilDiv(bytes, chip.pathBytes())))
               : 0;
}

// Pieces of equal size, none smaller than an atom.
std::uint64_t rearrange(const Chip &chip, std::uint64_t pieces, std::uint64_t bytes,
                        unsigned atomBytes) {
  if (bytes == 0 || pieces == 0)
    return 0;
  const std::uint64_t atom = atomBytes % 8 == 0 ? 8 : atomBytes % 4 == 0 ? 4 : 2;
  const auto count = std::min(pieces, base::ceilDiv(bytes, atom));
  arch::TileRearrangement copy;
  copy.add(chip, bytes / count, count);
  return arch::rearrangeCycles(chip, copy);
}

} // namespace poplin::vertex
