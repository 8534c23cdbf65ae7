// SPDX-License-Identifier: MIT
// Reductions of a tensor over some of its dimensions.
#pragma once
#include <cstddef>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <popops/Operation.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/exceptions.hpp>
#include <string>
#include <utility>
#include <vector>

namespace popops {

// What to compute: op over the reduced dimensions, times `scale` if there is one, added to the
// output's present values if `update`. Scale and update exist for ADD, SQUARE_ADD and LOG_ADD; of
// logarithms the scale is added, and `update` is log(exp(old) + exp(new)).
struct ReduceParams {
  ReduceParams() = default;
  // Not explicit: callers write popops::Operation::ADD where parameters are wanted.
  ReduceParams(popops::Operation op, bool update = false)
      : op(op), update(update), useScale(false) {}
  // scale: one element of type FLOAT.
  ReduceParams(popops::Operation op, bool update, poplar::Tensor scale)
      : op(op), update(update), useScale(true), scale(scale) {}
  // A scale is a tensor; a number here would be taken for something else.
  ReduceParams(popops::Operation op, float constantScale, bool update = false) = delete;

  popops::Operation op = popops::Operation::ADD; // how elements are combined
  bool update = false;
  bool useScale = false; // whether `scale` counts
  poplar::Tensor scale;
};

// The remaining dimensions keep their order. Options, both `float` or `half`:
//   accumType.interTile   type of partial results that travel between tiles
//   accumType.inVertex    type that a vertex accumulates in
// The default is FLOAT for ADD, SQUARE_ADD, LOG_ADD and MUL with a HALF output, else the type of
// the output. A type smaller than the output's has no effect.
// Combines the elements of the dimensions `dims`.
//
//   Tensor sums = popops::reduce(graph, x, FLOAT, {1}, popops::Operation::ADD, prog, "sums");
//
// Throws poputil::poplibs_error for a dimension that is not there or an operation that the type
// does not have.
poplar::Tensor reduce(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Type &outType,
                      const std::vector<std::size_t> &dims, ReduceParams params,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});

poplar::Tensor reduce(poplar::Graph &graph, const poplar::Tensor &in,
                      const std::vector<std::size_t> &dims, ReduceParams params,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});

// Reduce into a tensor that is there; with `update` its elements take part.
void reduceWithOutput(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &out,
                      const std::vector<std::size_t> &dims, ReduceParams params,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});

// The same, as compute sets that are appended to `css`; the caller executes them in order.
poplar::Tensor reduce(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Type &outType,
                      const std::vector<std::size_t> &dims, ReduceParams params,
                      std::vector<poplar::ComputeSet> &css,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});

poplar::Tensor reduce(poplar::Graph &graph, const poplar::Tensor &in,
                      const std::vector<std::size_t> &dims, ReduceParams params,
                      std::vector<poplar::ComputeSet> &css,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});

void reduceWithOutput(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &out,
                      const std::vector<std::size_t> &dims, ReduceParams params,
                      std::vector<poplar::ComputeSet> &css,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});

// One of several reductions that run together.
struct SingleReduceOp {
  poplar::Tensor in;             // what is reduced
  std::vector<std::size_t> dims; // the dimensions that go
  ReduceParams params;           // operation, update and scale
  bool useOutType;               // else the type of `in`
  poplar::Type outType;          // of the result, if useOutType
  std::string debugName;         // the name of its vertices

  SingleReduceOp(poplar::Tensor in, std::vector<std::size_t> dims, ReduceParams params,
                 poplar::Type outType, std::string debugName = "")
      : in(std::move(in)), dims(std::move(dims)), params(std::move(params)), useOutType(true),
        outType(outType), debugName(std::move(debugName)) {}
  SingleReduceOp(poplar::Tensor in, std::vector<std::size_t> dims, ReduceParams params,
                 std::string debugName = "")
      : in(std::move(in)), dims(std::move(dims)), params(std::move(params)), useOutType(false),
        outType(), debugName(std::move(debugName)) {}
};

// All reductions at once, in the same supersteps. `outputs` is empty and gets the results, or has
// one tensor per reduction.
void reduceMany(poplar::Graph &graph, const std::vector<SingleReduceOp> &reductions,
                std::vector<poplar::Tensor> &outputs, poplar::program::Sequence &prog,
                const poplar::DebugContext &debugContext = {},
                const poplar::OptionFlags &options = {});

} // namespace popops
