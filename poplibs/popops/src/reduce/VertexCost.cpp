// SPDX-License-Identifier: MIT
// Cycles of the reduction vertices: the instructions of one worker, and the time of a tile whose
// workers share the work.
#include "base/Arithmetic.hpp"
#include "popops/OperationDefUtil.hpp"
#include "popops/ReduceCost.hpp"
#include <algorithm>
#include <bit>
#include <poputil/VertexTemplates.hpp>

namespace popops::cost {

namespace {

using arch::Chip;

bool isHalf(const poplar::Type &type) { return type == poplar::HALF; }
bool isFloat(const poplar::Type &type) { return type == poplar::FLOAT; }

// Widths of one vertex, in elements.
struct Widths {
  std::uint64_t accumulator, word, vector; // the accumulators, one load, one operation
  bool accumulates;                        // the accumulators do the adding
};

Widths widthsOf(const Chip &chip, const ReduceVertexShape &s) {
  Widths w;
  w.accumulates = s.op == Operation::ADD || s.op == Operation::SQUARE_ADD;
  w.word = chip.vectorWidth(isHalf(s.in) ? 2 : s.in == poplar::BOOL ? 1 : 4);
  w.accumulator = isHalf(s.in) || isFloat(s.in) ? 2 * w.word : 1; // a pair of vectors
  if (w.accumulator == 1)
    w.vector = 1;
  else
    w.vector = w.accumulates ? w.accumulator : w.word;
  return w;
}

bool isLogical(Operation op) { return op == Operation::LOGICAL_AND || op == Operation::LOGICAL_OR; }

// What happens to a vector of results at the end: conversion, scale, the old value.
std::uint64_t finishCycles(const ReduceVertexShape &s) {
  if (s.op == Operation::LOG_ADD && s.update)
    return isHalf(s.in) ? 27 : 56;
  return 2 + (s.in != s.out) + (s.scale ? 3 : 0) + (s.update ? 6 : 0);
}

std::uint64_t stridedCycles(const Chip &chip, const ReduceVertexShape &s) {
  auto w = widthsOf(chip, s);
  auto together = std::min(w.vector, w.word);
  std::uint64_t op = s.op != Operation::LOG_ADD ? 1 : isHalf(s.in) ? 13 : 23;
  auto outer = std::max<std::uint64_t>(1, s.outer);
  auto inner = base::ceilDiv(s.partials, outer);
  return 16 + base::ceilDiv(s.outputs, together) *
                  (3 + finishCycles(s) + outer * (3 + op * (inner ? inner - 1 : 0)));
}

std::uint64_t scalarCycles(const Chip &chip, const ReduceVertexShape &s) {
  auto w = widthsOf(chip, s);
  std::uint64_t op = s.op != Operation::LOG_ADD ? 1 : isHalf(s.in) ? 13 : 23;
  auto loads = std::max<std::uint64_t>(1, w.vector / w.word);
  return 17 + std::max(loads, op) * (s.partials / w.vector) + s.partials % w.vector +
         (isFloat(s.out) ? 0 : 5);
}

std::uint64_t continuousCycles(const Chip &chip, const ReduceVertexShape &s) {
  auto w = widthsOf(chip, s);
  bool log = s.op == Operation::LOG_ADD;
  auto together = log ? 1 : std::min(w.accumulator, w.word);
  std::uint64_t odd = s.partials % together ? 2 : 0;
  return 17 + (log ? 20 : 1) * s.outputs * (s.partials / together) +
         (12 + odd + s.update) * s.outputs;
}

// Lists of regions: `outer` regions, each with partials / outer values for every output.
std::uint64_t defaultCycles(const Chip &chip, const ReduceVertexShape &s) {
  auto w = widthsOf(chip, s);
  auto regions = std::max<std::uint64_t>(1, s.outer);
  if (isLogical(s.op) || s.op == Operation::LOG_ADD) {
    std::uint64_t op = s.op == Operation::LOG_ADD ? 12 : 1, cast = s.in != s.out;
    return 7 + 24 + 8 + regions * 22 + (24 + op + cast) * s.outputs * s.partials;
  }
  auto outWidth = isHalf(s.out) || isFloat(s.out) ? chip.vectorWidth(isHalf(s.out) ? 2 : 4) : 1u;
  std::uint64_t acc = w.accumulates;
  auto store = (2 + std::uint64_t(s.update)) * std::min<std::uint64_t>(w.vector, outWidth) + acc;
  std::uint64_t log2 = std::uint64_t(std::bit_width(w.vector)) - 1;
  auto vectors = base::ceilDiv(s.outputs, w.vector);
  auto perValue = 2 * acc + 2 + w.vector / std::min(w.vector, w.word) + 3;
  return 7 + 26 + 24 + 2 * log2 + vectors * ((acc ? 5 : 3) + store + 1) + vectors * regions * 10 +
         vectors * s.partials * perValue;
}

} // namespace

std::uint64_t reduceWorkerCycles(const Chip &chip, const ReduceVertexShape &shape) {
  if (isLogical(shape.op))
    return defaultCycles(chip, shape);
  switch (shape.kind) {
  case ReduceVertex::ScalarOutput:
    return scalarCycles(chip, shape);
  case ReduceVertex::Strided:
    return stridedCycles(chip, shape);
  case ReduceVertex::AllRegionsContinuous:
    return continuousCycles(chip, shape);
  case ReduceVertex::Default:
    break;
  }
  return defaultCycles(chip, shape);
}

std::uint64_t reduceTileCycles(const Chip &chip, const ReduceVertexShape &shape) {
  if (shape.outputs == 0)
    return 0;
  auto w = widthsOf(chip, shape);
  bool byVector = shape.kind == ReduceVertex::Strided || shape.kind == ReduceVertex::Default;
  auto grain = byVector ? std::min(w.vector, w.word) : 1;
  auto grains = base::ceilDiv(shape.outputs, grain);
  auto each = shape;
  if (2 * grains > chip.workers || shape.partials < 2 * chip.workers) {
    each.outputs = std::min(shape.outputs, chip.workerShare(grains) * grain);
    return chip.onWorkers(reduceWorkerCycles(chip, each));
  }
  // Few outputs: several workers share the partials of each, then one of them adds those up.
  auto split = chip.workers / grains;
  each.outputs = std::min<std::uint64_t>(shape.outputs, grain);
  each.partials = base::ceilDiv(shape.partials, split);
  auto last = each;
  last.kind = ReduceVertex::Strided;
  last.partials = split;
  last.outer = 1;
  return chip.onWorkers(reduceWorkerCycles(chip, each) + reduceWorkerCycles(chip, last));
}

std::string reduceVertexName(const ReduceVertexShape &s) {
  static const char *const ops[] = {"Add", "Mul", "Min", "Max", "And", "Or", "SquareAdd", "LogAdd"};
  auto op = std::string("popops::Reduce") + ops[static_cast<int>(s.op)];
  std::string scaled = s.scale ? "Scaled" : "";
  if (s.kind == ReduceVertex::AllRegionsContinuous && !isLogical(s.op))
    return poputil::templateVertex("popops::" + scaled + "ContinuousReduce", op, s.in, s.out,
                                   s.update);
  const char *kind = s.kind == ReduceVertex::Strided        ? "STRIDED_REDUCE"
                     : s.kind == ReduceVertex::ScalarOutput ? "SCALAR_OUTPUT_SINGLE_INPUT"
                                                            : "DEFAULT";
  if (isLogical(s.op))
    kind = "DEFAULT";
  return poputil::templateVertex("popops::" + scaled + "Reduce", op, s.in, s.out, s.update,
                                 "popops::ReductionSpecialisation::" + std::string(kind));
}

} // namespace popops::cost
