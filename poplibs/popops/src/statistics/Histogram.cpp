// SPDX-License-Identifier: MIT
// histogram: counts between levels. Device: Histogram1D where the data lies, then a
// reduction of the counts.
#include "popops/kernels/Histogram.hpp"
#include "base/Arithmetic.hpp"
#include "openipu/Operation.hpp"
#include "popops/GatherStatistics.hpp"
#include "popops/ReduceCost.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/OptionParsing.hpp"
#include "poputil/Plans.hpp"
#include "poputil/TileMapping.hpp"
#include <base/Text.hpp>
#include <cmath>

namespace popops {

namespace {

template <class... Parts> [[noreturn]] void fail(const Parts &...parts) {
  throw poputil::poplibs_error(base::str("popops::histogram: ", parts...));
}

struct Options {
  bool floats = false, floatsInside = false;
};

Options parseOptions(const poplar::OptionFlags &flags) {
  Options options;
  const poplibs::OptionSpec spec{
      {"useFloatArithmetic", poplibs::OptionHandler::createWithBool(options.floats)},
      {"useFloatArithmeticWithUnsignedIntOutput",
       poplibs::OptionHandler::createWithBool(options.floatsInside)}};
  for (const auto &option : flags)
    spec.parse(option.first, option.second);
  if (options.floats && options.floatsInside)
    throw poplar::invalid_option("popops::histogram: useFloatArithmetic and "
                                 "useFloatArithmeticWithUnsignedIntOutput exclude each other.");
  return options;
}

void check(const poplar::Tensor &input, const poplar::Tensor &levels) {
  auto type = input.elementType();
  if (type != poplar::FLOAT && type != poplar::HALF)
    fail("the input ", input.shapeToString(), " is of type ", type, "; it must be float or half.");
  if (levels.rank() != 1 || levels.elementType() != type)
    fail("the levels are ", levels.elementType(), levels.shapeToString(),
         "; they must be a list of ", type, ", as the input is.");
}

// By limits: a pass over the tile's data per level. By data: one pass with a search per element,
// when there are more levels than data.
openipu::Plan planOf(const poplar::Graph &graph, const poplar::Tensor &input,
                     const poplar::Tensor &output, std::size_t levels, bool absolute,
                     const Options &options) {
  auto type = input.elementType();
  const auto &chip = openipu::chipOf(graph);
  const bool shareLevels = levels >= chip.workers;
  std::uint64_t width = graph.getTarget().getVectorWidth(type), perVector = 3 + absolute;
  auto step = poputil::whereItLies(
      graph, input, "Histogram",
      base::str("popops::Histogram1D<", type, ",", absolute ? "true" : "false", ",",
                shareLevels ? "true" : "false", ">"),
      [&](std::uint64_t n, std::uint32_t) {
        const auto passes = shareLevels ? chip.workerShare(levels) : levels;
        const auto each = shareLevels ? n : chip.workerShare(n);
        return chip.onWorkers(20 + passes * (8 + perVector * base::ceilDiv(each, width)));
      });
  std::uint64_t tiles = 0, bins = levels + 1;
  for (auto &work : step.tiles) {
    work.tempBytes = 4 * bins;
    work.bytesIn = levels * graph.getTarget().getTypeSize(type);
    tiles += work.count;
  }
  auto sum = poputil::whereItLies(
      graph, output, "ReduceHistogram",
      base::str("popops::Reduce<popops::ReduceAdd,",
                options.floats || options.floatsInside ? "float" : "int", ",", output.elementType(),
                ",false,popops::ReductionSpecialisation::STRIDED_REDUCE>"),
      [&](std::uint64_t n, std::uint32_t) {
        auto partial = options.floats || options.floatsInside ? poplar::FLOAT : poplar::INT;
        return cost::reduceTileCycles(
            chip, {cost::ReduceVertex::Strided, Operation::ADD, partial, partial, n, tiles});
      });
  for (auto &work : sum.tiles) {
    work.bytesIn = 4 * tiles * bins / std::max<std::uint64_t>(1, sum.tiles.size());
    work.messagesIn = std::uint32_t(tiles);
  }
  openipu::Plan plan;
  plan.add(std::move(step));
  plan.add(std::move(sum));
  return plan;
}

void add(poplar::Graph &graph, const poplar::Tensor &input, const poplar::Tensor &output,
         bool update, const poplar::Tensor &levels, bool absolute, const Options &options,
         poplar::program::Sequence &prog, const poplar::DebugContext &context) {
  openipu::Operation operation;
  operation.kernel = kernels::histogram;
  operation.uses = {update ? openipu::inOut(output) : openipu::out(output), openipu::in(input),
                    openipu::in(levels)};
  operation.attributes = kernels::HistogramOf{absolute, update}.write();
  operation.plan = planOf(graph, input, output, levels.numElements(), absolute, options);
  operation.context = context;
  prog.add(openipu::operation(graph, std::move(operation)));
}

} // namespace

poplar::Tensor histogram(poplar::Graph &graph, const poplar::Tensor &input,
                         const poplar::Tensor &levels, bool absoluteOfInput,
                         poplar::program::Sequence &prog, const poplar::DebugContext &debugContext,
                         const poplar::OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(input, levels, absoluteOfInput, options));
  auto parsed = parseOptions(options);
  check(input, levels);
  auto type = parsed.floats ? poplar::FLOAT : poplar::UNSIGNED_INT;
  auto output = graph.addVariable(type, {levels.numElements() + 1}, {di, "histogram"});
  poputil::mapTensorLinearly(graph, output);
  add(graph, input, output, false, levels, absoluteOfInput, parsed, prog, {di, "histogram"});
  di.addOutput(output);
  return output;
}

void histogram(poplar::Graph &graph, const poplar::Tensor &input, poplar::Tensor &output,
               bool updateOutput, const poplar::Tensor &levels, bool absoluteOfInput,
               poplar::program::Sequence &prog, const poplar::DebugContext &debugContext,
               const poplar::OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(input, output, levels, options));
  auto parsed = parseOptions(options);
  check(input, levels);
  auto type = parsed.floats ? poplar::FLOAT : poplar::UNSIGNED_INT;
  if (output.rank() != 1 || output.dim(0) != levels.numElements() + 1)
    fail("the output has the shape ", output.shapeToString(), "; ", levels.numElements(),
         " levels make ", levels.numElements() + 1, " counts.");
  if (output.elementType() == poplar::FLOAT && !parsed.floatsInside)
    type = poplar::FLOAT; // whoever gives floats wants floats
  if (output.elementType() != type)
    fail("the output is of type ", output.elementType(), "; with these options it is ", type, ".");
  add(graph, input, output, updateOutput, levels, absoluteOfInput, parsed, prog, {di, "histogram"});
}

} // namespace popops
