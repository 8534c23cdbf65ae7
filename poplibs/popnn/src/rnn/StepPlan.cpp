// SPDX-License-Identifier: MIT
// Supersteps of recurrent layers.
#include "rnn/StepPlan.hpp"
#include "base/Arithmetic.hpp"
#include "nonlinearity/NonLinearityCost.hpp"
#include "popnn/kernels/RecurrentCell.hpp"
#include "popops/ElementWiseCost.hpp"
#include "popops/SliceCost.hpp"
#include "rnn/Layout.hpp"
#include <algorithm>

namespace popnn::rnn {

namespace cost = popops::cost;
using popops::expr::BinaryOpType;

unsigned StepPlan::tilesFor(std::size_t elements) const {
  return unsigned(
      std::clamp<std::size_t>(base::ceilDiv(elements, stepGrain), 1, target_->getNumTiles()));
}
std::uint64_t StepPlan::perTile(std::size_t elements) const {
  const auto tiles = tilesFor(elements);
  return base::ceilDiv(elements, tiles);
}

void StepPlan::add(const std::string &name, std::string vertex, std::size_t elements,
                   std::uint64_t cycles, std::uint64_t flops, std::size_t repeats,
                   std::uint64_t bytesMoved) {
  if (!elements || !repeats)
    return;
  openipu::TileWork work;
  work.cycles = cycles;
  work.bytesIn = work.bytesOut = bytesMoved;
  auto step = poplin::onTiles(name, std::move(vertex), tilesFor(elements), work, repeats);
  step.flops = flops * elements; // of one repetition
  plan_.add(std::move(step));
}

void StepPlan::slice(const std::string &name, std::size_t elements) {
  const auto n = perTile(elements);
  add(name, "popops::DynamicSlice1D", elements, popops::dynamicSliceCycles(*target_, type_, 1, n),
      0, repeats_, n * target_->getTypeSize(type_));
}
void StepPlan::update(const std::string &name, std::size_t elements) {
  const auto n = perTile(elements);
  add(name, "popops::DynamicUpdateSlice1D", elements,
      popops::dynamicSliceCycles(*target_, type_, 1, n), 0, repeats_,
      n * target_->getTypeSize(type_));
}
void StepPlan::binary(const std::string &name, BinaryOpType op, std::size_t elements) {
  add(name, "popops::BinaryOp1D", elements,
      cost::binaryCycles(chip(), op, type_, perTile(elements)), cost::flops(op, type_), repeats_);
}
void StepPlan::scaleRows(const std::string &name, std::size_t rows, std::size_t columns) {
  const auto tiles = tilesFor(rows * columns);
  const auto rowsHere = std::max<std::size_t>(1, rows / tiles);
  const auto columnsHere = (rows * columns + tiles * rowsHere - 1) / (tiles * rowsHere);
  add(name, "popops::BroadcastVectorOuterByColumn1DInPlace", rows * columns,
      cost::vectorOuterCycles(chip(), BinaryOpType::MULTIPLY, type_, rowsHere, columnsHere), 1,
      repeats_, rowsHere * target_->getTypeSize(type_));
}

// A row lies on several tiles: their sums are exchanged, a value per grain.
void StepPlan::rowSums(const std::string &name, std::size_t elements) {
  add(name, "popops::Reduce", elements,
      cost::binaryCycles(chip(), BinaryOpType::ADD, type_, perTile(elements)), 1, repeats_,
      (perTile(elements) + stepGrain - 1) / stepGrain * target_->getTypeSize(poplar::FLOAT));
}

void StepPlan::activate(const std::string &name, NonLinearityType type, std::size_t elements) {
  if (kernels::isSoftmax(type)) {
    if (type == NonLinearityType::SOFTMAX_STABLE) {
      rowSums(name + "/Max", elements);
      binary(name + "/SubMax", BinaryOpType::SUBTRACT, elements);
    }
    add(name + "/Exp", "popops::UnaryOp1DInPlace", elements,
        cost::unaryCycles(chip(), popops::expr::UnaryOpType::EXPONENT, type_, perTile(elements),
                          true),
        1, repeats_);
    rowSums(name + "/Sum", elements);
    return binary(name + "/Mul", BinaryOpType::MULTIPLY, elements);
  }
  add(name, nonLinearityVertex(type, type_, true), elements,
      nonLinearityCycles(chip(), type, type_, perTile(elements), true, 1),
      nonLinearityFlops(type, false), repeats_);
}

void StepPlan::activationGradient(const std::string &name, NonLinearityType type,
                                  std::size_t elements) {
  if (kernels::isSoftmax(type)) {
    binary(name + "/MulGrad", BinaryOpType::MULTIPLY, elements);
    rowSums(name + "/Sum", elements);
    binary(name + "/MulSum", BinaryOpType::MULTIPLY, elements);
    return binary(name + "/Sub", BinaryOpType::SUBTRACT, elements);
  }
  add(name, "popnn::NonLinearityGrad1D", elements,
      nonLinearityGradientCycles(chip(), type, type_, perTile(elements), 1),
      nonLinearityFlops(type, true), repeats_);
}

void StepPlan::product(const std::string &name, std::size_t m, std::size_t k, std::size_t n,
                       const poplin::ConvOptions &options, poplin::PlanningCache *cache,
                       std::size_t every) {
  plan_.append(poplin::productPlan(*target_, {1, m, k, n, type_, type_}, options, cache, name,
                                   base::ceilDiv(repeats_, every)));
}

void StepPlan::accumulate(const std::string &name, const poplar::Type &accumulators,
                          std::size_t elements, std::size_t every) {
  add(name, "popops::ScaledAddSupervisor", elements,
      cost::scaledAddCycles(chip(), accumulators, type_, type_, perTile(elements)), 2,
      base::ceilDiv(repeats_, every));
}

void StepPlan::cast(const std::string &name, const poplar::Type &from, std::size_t elements) {
  if (from != type_)
    add(name, "popops::Cast1D", elements, cost::castCycles(chip(), from, type_, perTile(elements)),
        0, 1);
}

openipu::Plan inShards(openipu::Plan plan, std::size_t steps, std::size_t shards, bool codeReuse) {
  if (shards <= 1 || codeReuse)
    return plan;
  openipu::Plan out;
  for (std::size_t s = 0; s < shards; ++s) {
    const auto first = s * steps / shards, last = (s + 1) * steps / shards;
    for (auto step : plan.steps) {
      const auto all = std::uint64_t(step.repeats);
      step.repeats = std::uint32_t(all * last / steps - all * first / steps);
      step.name = "shard" + std::to_string(s) + "/" + step.name;
      if (step.repeats)
        out.add(std::move(step));
    }
  }
  return out;
}

} // namespace popnn::rnn
