// SPDX-License-Identifier: MIT
// Plans of recurrent layers: supersteps of one time step, each repeated as often as the loop runs.
// Sequences are sliced before and updated after a step; element-wise work is spread evenly.
#pragma once
#include "openipu/Chip.hpp"
#include "poplin/ProductPlan.hpp"
#include "popnn/NonLinearityDef.hpp"
#include "popops/ExprOp.hpp"

namespace popnn::rnn {

class StepPlan {
public:
  StepPlan(const poplar::Target &target, const poplar::Type &type, std::size_t repeats)
      : target_(&target), type_(type), repeats_(repeats) {}

  void slice(const std::string &name, std::size_t elements);
  void update(const std::string &name, std::size_t elements);
  void binary(const std::string &name, popops::expr::BinaryOpType op, std::size_t elements);
  // A value per batch element against rows of `columns`.
  void scaleRows(const std::string &name, std::size_t rows, std::size_t columns);
  void activate(const std::string &name, NonLinearityType type, std::size_t elements);
  void activationGradient(const std::string &name, NonLinearityType type, std::size_t elements);
  void product(const std::string &name, std::size_t m, std::size_t k, std::size_t n,
               const poplin::ConvOptions &options, poplin::PlanningCache *cache,
               std::size_t every = 1); // once in so many steps
  // to += from, or to = from if the types differ, on every tile that holds some.
  void accumulate(const std::string &name, const poplar::Type &accumulators, std::size_t elements,
                  std::size_t every);
  void cast(const std::string &name, const poplar::Type &from, std::size_t elements); // once
  openipu::Plan take() { return std::move(plan_); }

private:
  const arch::Chip &chip() const { return openipu::chipOf(*target_); }
  void rowSums(const std::string &name, std::size_t elements);
  unsigned tilesFor(std::size_t elements) const;
  std::uint64_t perTile(std::size_t elements) const;
  void add(const std::string &name, std::string vertex, std::size_t elements, std::uint64_t cycles,
           std::uint64_t flops, std::size_t repeats, std::uint64_t bytesMoved = 0);

  const poplar::Target *target_;
  poplar::Type type_;
  std::size_t repeats_;
  openipu::Plan plan_;
};

// A plan that runs through shards one after the other: with code reuse one loop for all of them,
// else a loop of its own for each. `plan` has the repeats of the whole sequence of `steps`.
openipu::Plan inShards(openipu::Plan plan, std::size_t steps, std::size_t shards, bool codeReuse);

} // namespace popnn::rnn
