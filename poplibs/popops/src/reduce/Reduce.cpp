// SPDX-License-Identifier: MIT
// popops::reduce and its variants: checks, options, and one planned operation for any number of
// reductions. The arithmetic is in kernels/reduce, the cost in ReducePlan.cpp.
#include "popops/Reduce.hpp"
#include "base/Arithmetic.hpp"
#include "openipu/Operation.hpp"
#include "popops/ElementWiseCost.hpp"
#include "popops/kernels/Reduce.hpp"
#include "popops/ReduceCost.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/OptionParsing.hpp"
#include "poputil/Plans.hpp"
#include "poputil/TileMapping.hpp"
#include <algorithm>
#include <base/Text.hpp>

namespace poputil {

template <> poplar::ProfileValue toProfileValue(const popops::SingleReduceOp &one) {
  return poplar::ProfileValue::Map{{"in", toProfileValue(one.in)},
                                   {"dims", toProfileValue(one.dims)},
                                   {"op", toProfileValue(one.params.op)}};
}

} // namespace poputil

namespace popops {

using poplar::BOOL;
using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::Tensor;
using poplar::Type;
using poplar::UNSIGNED_INT;

namespace {

struct Options {
  Type interTile, inVertex; // Type(): not given
};

Options parseOptions(const poplar::OptionFlags &flags) {
  Options options;
  const std::map<std::string, Type> types{{"float", FLOAT}, {"half", HALF}};
  const poplibs::OptionSpec spec{
      {"accumType.interTile", poplibs::OptionHandler::createWithEnum(options.interTile, types)},
      {"accumType.inVertex", poplibs::OptionHandler::createWithEnum(options.inVertex, types)}};
  for (const auto &option : flags)
    spec.parse(option.first, option.second);
  return options;
}

bool isSum(Operation op) {
  return op == Operation::ADD || op == Operation::SQUARE_ADD || op == Operation::LOG_ADD;
}

// FLOAT for sums and products that end in HALF; never smaller than the output.
Type accumulator(const Type &given, Operation op, const Type &out) {
  if (out != HALF)
    return out;
  if (given != Type())
    return given;
  return isSum(op) || op == Operation::MUL ? FLOAT : out;
}

// One reduction that has passed all checks.
struct Checked {
  Tensor in, out;
  std::vector<std::size_t> dims;
  ReduceParams params;
  std::vector<bool> reduced;
};

template <class... Parts> [[noreturn]] void fail(const Parts &...parts) {
  throw poputil::poplibs_error(base::str("popops::reduce: ", parts...));
}

bool typesFit(Operation op, const Type &in, const Type &out) {
  bool floats = (in == FLOAT || in == HALF) && (out == FLOAT || out == HALF);
  switch (op) {
  case Operation::ADD:
  case Operation::MUL:
  case Operation::SQUARE_ADD:
    return floats || (in == out && (in == INT || in == UNSIGNED_INT));
  case Operation::LOG_ADD:
    return floats;
  case Operation::MIN:
  case Operation::MAX:
    return in == out && (in == FLOAT || in == HALF || in == INT || in == UNSIGNED_INT);
  case Operation::LOGICAL_AND:
  case Operation::LOGICAL_OR:
    return in == BOOL && out == BOOL;
  }
  return false;
}

std::vector<bool> checkDims(const Tensor &in, const std::vector<std::size_t> &dims) {
  std::vector<bool> reduced(in.rank(), false);
  for (auto d : dims) {
    if (d >= in.rank())
      fail("there is no dimension ", d, " in the input ", in.shapeToString(),
           "; dimensions count from 0, and ", base::list(dims), " were to be reduced.");
    reduced[d] = true;
  }
  return reduced;
}

void checkParams(const ReduceParams &params) {
  if ((params.useScale || params.update) && !isSum(params.op))
    fail("scale and update exist for ADD, SQUARE_ADD and LOG_ADD, not for ", params.op, ".");
  if (!params.useScale)
    return;
  if (!params.scale.valid() || params.scale.elementType() != FLOAT)
    fail("the scale must be of type float, not ",
         params.scale.valid() ? params.scale.elementType().toString() : "unset", ".");
  if (params.scale.numElements() != 1)
    fail("the scale must have one element; it has the shape ", params.scale.shapeToString(), ".");
}

// LOG_ADD has no way to say "nothing" in a finite value, nor a vertex that only copies.
void checkLogAdd(const Tensor &in, const std::vector<bool> &reduced, const ReduceParams &params) {
  if (params.op != Operation::LOG_ADD)
    return;
  std::size_t count = 1;
  for (unsigned d = 0; d < in.rank(); ++d)
    count *= reduced[d] ? in.dim(d) : 1;
  if (count <= 1)
    fail("LOG_ADD of ", in.shapeToString(), " would reduce ", count,
         " elements to each output. It needs at least two; copy the tensor instead.");
}

std::vector<std::size_t> keptShape(const Tensor &in, const std::vector<bool> &reduced) {
  std::vector<std::size_t> shape;
  for (unsigned d = 0; d < in.rank(); ++d)
    if (!reduced[d])
      shape.push_back(in.dim(d));
  return shape;
}

std::vector<bool> checkInput(const Tensor &in, const std::vector<std::size_t> &dims,
                             const ReduceParams &params, const Type &outType) {
  auto reduced = checkDims(in, dims);
  checkParams(params);
  checkLogAdd(in, reduced, params);
  if (!typesFit(params.op, in.elementType(), outType))
    fail(params.op, " cannot reduce ", in.elementType(), " to ", outType, " (input ",
         in.shapeToString(), "). Cast the input first.");
  return reduced;
}

// Dimensions of one element count on neither side.
std::vector<std::size_t> squeezed(std::vector<std::size_t> shape) {
  std::erase(shape, 1u);
  return shape;
}

// The output in the shape of the dimensions that are left.
Tensor checkOutput(const Tensor &in, const Tensor &out, const std::vector<bool> &reduced) {
  auto expected = keptShape(in, reduced);
  if (squeezed(out.shape()) != squeezed(expected))
    fail("the output has the shape ", out.shapeToString(), ", but the dimensions of the input ",
         in.shapeToString(), " that are not reduced are ", base::list(expected), ".");
  return out.reshape(expected);
}

Checked withNewOutput(poplar::Graph &graph, const Tensor &in, const Type &outType,
                      const std::vector<std::size_t> &dims, const ReduceParams &params,
                      const poplar::DebugContext &context) {
  if (params.update)
    fail("an update adds to an output that exists; call reduceWithOutput.");
  auto reduced = checkInput(in, dims, params, outType);
  auto out = cost::createReduceOutput(graph, in, outType, dims, context);
  return {in, out, dims, params, reduced};
}

// An output that has no tiles yet is spread over them.
Checked withOutput(poplar::Graph &graph, const Tensor &in, const Tensor &out,
                   const std::vector<std::size_t> &dims, const ReduceParams &params) {
  auto reduced = checkInput(in, dims, params, out.elementType());
  const auto kept = checkOutput(in, out, reduced);
  bool complete = true;
  graph.getTileMapping(out, &complete);
  if (!complete)
    poputil::mapTensorLinearly(graph, out);
  return {in, kept, dims, params, reduced};
}

// Nothing to add up: each output is one element of the input, copied, cast or scaled; or the
// identity of the operation, if there is no input at all.
bool copiesOnly(const Checked &c) { return c.in.numElements() <= c.out.numElements(); }

openipu::Plan copyPlan(const poplar::Graph &graph, const Checked &c, unsigned inOperand,
                       unsigned outOperand) {
  const auto &from = c.in.elementType(), &to = c.out.elementType();
  bool fills = c.in.numElements() == 0;
  const auto &chip = openipu::chipOf(graph);
  auto step = poputil::whereItLies(
      graph, c.out, fills ? "Fill" : "Copy",
      fills ? "popops::Fill<" + to.toString() + ">"
            : "popops::Cast1D<" + from.toString() + "," + to.toString() + ">",
      [&](std::uint64_t n, std::uint32_t regions) {
        if (fills)
          return cost::fillCycles(chip, to, n, regions);
        return from == to
                   ? base::ceilDiv(n * graph.getTarget().getTypeSize(to), chip.copy.bytesPerCycle)
                   : cost::castCycles(chip, from, to, n, regions);
      });
  if (!fills)
    step.needs.push_back({inOperand, outOperand});
  openipu::Plan plan;
  plan.add(std::move(step));
  return plan;
}

kernels::ReduceSpec specOf(const Checked &c, const Options &options) {
  kernels::ReduceSpec spec;
  spec.op = c.params.op;
  spec.update = c.params.update;
  spec.useScale = c.params.useScale;
  auto out = c.out.elementType();
  spec.interTileHalf = accumulator(options.interTile, spec.op, out) == HALF;
  spec.inVertexHalf = accumulator(options.inVertex, spec.op, out) == HALF;
  spec.reduced = c.reduced;
  return spec;
}

openipu::Plan planOf(const poplar::Graph &graph, const Checked &c, const Options &options,
                     unsigned inOperand, unsigned outOperand) {
  if (copiesOnly(c))
    return copyPlan(graph, c, inOperand, outOperand);
  cost::ReduceTypes types;
  types.interTile = accumulator(options.interTile, c.params.op, c.out.elementType());
  types.inVertex = accumulator(options.inVertex, c.params.op, c.out.elementType());
  types.scale = c.params.useScale;
  types.update = c.params.update;
  return cost::reducePlan(graph, c.in, c.out, c.dims, c.params.op, "", types);
}

openipu::Operation operationOf(const poplar::Graph &graph, std::vector<Checked> reductions,
                               const Options &options, const poplar::DebugContext &context) {
  std::erase_if(reductions, [](const Checked &c) { return c.out.numElements() == 0; });
  openipu::Operation operation;
  operation.kernel = kernels::reduce;
  operation.context = context;
  std::vector<kernels::ReduceSpec> specs;
  for (const auto &c : reductions) {
    operation.uses.push_back(c.params.update ? openipu::inOut(c.out) : openipu::out(c.out));
    specs.push_back(specOf(c, options));
  }
  for (const auto &c : reductions)
    operation.uses.push_back(openipu::in(c.in));
  for (const auto &c : reductions)
    if (c.params.useScale)
      operation.uses.push_back(openipu::in(c.params.scale.flatten()));
  operation.attributes = kernels::writeReductions(specs);
  unsigned count = reductions.size();
  std::vector<openipu::Plan> plans;
  for (unsigned i = 0; i < count; ++i)
    plans.push_back(planOf(graph, reductions[i], options, count + i, i));
  operation.plan = cost::sideBySide(std::move(plans));
  return operation;
}

// Whether a copy of the program does it: each output is one element of the input as it is.
bool isCopy(const Checked &c) {
  const auto op = c.params.op;
  return c.in.numElements() == c.out.numElements() && c.in.elementType() == c.out.elementType() &&
         !c.params.useScale && !c.params.update && op != Operation::SQUARE_ADD &&
         op != Operation::LOG_ADD &&
         openipu::overlap(c.in.flatten(), c.out.flatten()) == openipu::Overlap::None;
}

void addTo(poplar::Graph &graph, const Checked &reduction, const Options &options,
           poplar::program::Sequence &prog, const poplar::DebugContext &context) {
  if (reduction.out.numElements() == 0)
    return;
  if (isCopy(reduction))
    prog.add(
        poplar::program::Copy(reduction.in.flatten(), reduction.out.flatten(), false, context));
  else
    prog.add(openipu::operation(graph, operationOf(graph, {reduction}, options, context)));
}

void addTo(poplar::Graph &graph, const Checked &reduction, const Options &options,
           std::vector<poplar::ComputeSet> &css, const poplar::DebugContext &context) {
  if (reduction.out.numElements() == 0)
    return;
  css.push_back(graph.addComputeSet(context));
  openipu::addOperation(graph, css.back(), operationOf(graph, {reduction}, options, context));
}

template <class Where>
Tensor reduceNew(poplar::Graph &graph, const Tensor &in, const Type &outType,
                 const std::vector<std::size_t> &dims, const ReduceParams &params, Where &where,
                 const poplar::DebugContext &debugContext, const poplar::OptionFlags &flags) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(in, outType, dims, params.op, flags),
                                 "reduce");
  auto options = parseOptions(flags);
  auto reduction = withNewOutput(graph, in, outType, dims, params, {di, "output"});
  addTo(graph, reduction, options, where, {di, "Reduce"});
  di.addOutput(reduction.out);
  return reduction.out;
}

template <class Where>
void reduceInto(poplar::Graph &graph, const Tensor &in, const Tensor &out,
                const std::vector<std::size_t> &dims, const ReduceParams &params, Where &where,
                const poplar::DebugContext &debugContext, const poplar::OptionFlags &flags) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(in, out, dims, params.op, flags),
                                 "reduceWithOutput");
  auto options = parseOptions(flags);
  addTo(graph, withOutput(graph, in, out, dims, params), options, where, {di, "Reduce"});
}

} // namespace

Tensor reduce(poplar::Graph &graph, const Tensor &in, const Type &outType,
              const std::vector<std::size_t> &dims, ReduceParams params,
              poplar::program::Sequence &prog, const poplar::DebugContext &debugContext,
              const poplar::OptionFlags &options) {
  return reduceNew(graph, in, outType, dims, params, prog, debugContext, options);
}

Tensor reduce(poplar::Graph &graph, const Tensor &in, const std::vector<std::size_t> &dims,
              ReduceParams params, poplar::program::Sequence &prog,
              const poplar::DebugContext &debugContext, const poplar::OptionFlags &options) {
  return reduceNew(graph, in, in.elementType(), dims, params, prog, debugContext, options);
}

void reduceWithOutput(poplar::Graph &graph, const Tensor &in, const Tensor &out,
                      const std::vector<std::size_t> &dims, ReduceParams params,
                      poplar::program::Sequence &prog, const poplar::DebugContext &debugContext,
                      const poplar::OptionFlags &options) {
  reduceInto(graph, in, out, dims, params, prog, debugContext, options);
}

Tensor reduce(poplar::Graph &graph, const Tensor &in, const Type &outType,
              const std::vector<std::size_t> &dims, ReduceParams params,
              std::vector<poplar::ComputeSet> &css, const poplar::DebugContext &debugContext,
              const poplar::OptionFlags &options) {
  return reduceNew(graph, in, outType, dims, params, css, debugContext, options);
}

Tensor reduce(poplar::Graph &graph, const Tensor &in, const std::vector<std::size_t> &dims,
              ReduceParams params, std::vector<poplar::ComputeSet> &css,
              const poplar::DebugContext &debugContext, const poplar::OptionFlags &options) {
  return reduceNew(graph, in, in.elementType(), dims, params, css, debugContext, options);
}

void reduceWithOutput(poplar::Graph &graph, const Tensor &in, const Tensor &out,
                      const std::vector<std::size_t> &dims, ReduceParams params,
                      std::vector<poplar::ComputeSet> &css,
                      const poplar::DebugContext &debugContext,
                      const poplar::OptionFlags &options) {
  reduceInto(graph, in, out, dims, params, css, debugContext, options);
}

void reduceMany(poplar::Graph &graph, const std::vector<SingleReduceOp> &reductions,
                std::vector<Tensor> &outputs, poplar::program::Sequence &prog,
                const poplar::DebugContext &debugContext, const poplar::OptionFlags &flags) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(reductions, outputs, flags));
  if (!outputs.empty() && outputs.size() != reductions.size())
    throw poputil::poplibs_error(
        base::str("popops::reduceMany: ", outputs.size(), " outputs for ", reductions.size(),
                  " reductions. Pass an empty vector, or one output per reduction."));
  auto options = parseOptions(flags);
  std::vector<Checked> checked;
  for (std::size_t i = 0; i < reductions.size(); ++i) {
    const auto &r = reductions[i];
    auto type = r.useOutType ? r.outType : r.in.elementType();
    if (outputs.empty())
      checked.push_back(withNewOutput(graph, r.in, type, r.dims, r.params, {di, r.debugName}));
    else
      checked.push_back(withOutput(graph, r.in, outputs[i], r.dims, r.params));
  }
  if (outputs.empty())
    for (const auto &c : checked)
      outputs.push_back(c.out);
  auto operation = operationOf(graph, checked, options, {di, "ReduceMany"});
  if (!operation.uses.empty())
    prog.add(openipu::operation(graph, std::move(operation)));
}

} // namespace popops
