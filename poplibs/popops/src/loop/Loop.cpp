// SPDX-License-Identifier: MIT
// Counted loops: a counter of one element, an operation that advances it, and Poplar's own loops.
#include "popops/Loop.hpp"
#include "base/Arithmetic.hpp"
#include "openipu/Chip.hpp"
#include "openipu/Operation.hpp"
#include "popops/kernels/LoopCounter.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "rearrange/Step.hpp"
#include <base/Text.hpp>
#include <limits>

namespace popops {

namespace {

using poplar::Tensor;
using poplar::program::Program;
using poplar::program::Sequence;

openipu::Plan planOn(unsigned tile, const char *vertex, std::uint64_t cycles) {
  auto step = stepOf("Count", vertex);
  openipu::TileWork work;
  work.tile = tile;
  work.cycles = cycles;
  step.tiles = {work};
  openipu::Plan plan;
  plan.add(std::move(step));
  return plan;
}

void advance(poplar::Graph &graph, const Tensor &count, int step, Sequence &prog,
             const poplar::DebugContext &context) {
  prog.add(openipu::operation(
      graph, {kernels::loopCounter,
              {openipu::inOut(count)},
              kernels::LoopStep{step}.write(),
              planOn(0, "popops::CircBufIncrIndex", openipu::chipOf(graph).onWorkers(8)),
              context}));
}

void setTo(poplar::Graph &graph, const Tensor &count, std::uint32_t value, Sequence &prog,
           const poplar::DebugContext &context) {
  auto initial = count.elementType() == poplar::INT
                     ? graph.addConstant(count.elementType(), {1}, std::int32_t(value), context)
                     : graph.addConstant(count.elementType(), {1}, value, context);
  graph.setTileMapping(initial, 0);
  prog.add(poplar::program::Copy(initial, count.flatten(), false, context));
}

template <class... Parts> [[noreturn]] void fail(const char *name, const Parts &...parts) {
  throw poputil::poplibs_error(base::str("popops::", name, ": ", parts...));
}

void checkCounter(const Tensor &count, const Tensor &limit, int step, const char *name) {
  auto type = count.elementType();
  if (type != poplar::INT && type != poplar::UNSIGNED_INT)
    fail(name, "the counter is of type ", type, "; it must be int or unsigned int.");
  if (limit.elementType() != type)
    fail(name, "the counter is of type ", type, " and the limit of type ", limit.elementType(),
         "; they must be the same.");
  if (count.numElements() != 1 || limit.numElements() != 1)
    fail(name, "the counter ", count.shapeToString(), " and the limit ", limit.shapeToString(),
         " must have one element each.");
  if (step == 0)
    fail(name, "a step of 0 never ends.");
}

} // namespace

Sequence countedLoop(poplar::Graph &graph, std::size_t begin, std::size_t end, std::size_t step,
                     const CountedLoopBodyType &body, const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(begin, end, step));
  if (step == 0)
    fail("countedLoop", "a step of 0 never ends.");
  if (begin >= end)
    fail("countedLoop", "nothing to do from ", begin, " to ", end,
         ". The begin must be less than the end.");
  if (end > std::numeric_limits<std::uint32_t>::max() ||
      step > std::size_t(std::numeric_limits<std::int32_t>::max()))
    fail("countedLoop", "an end of ", end, " and a step of ", step, " do not fit 32 bits.");
  auto counter = graph.addVariable(poplar::UNSIGNED_INT, {1}, {di, "counter"});
  graph.setTileMapping(counter, 0);
  Sequence loop({}, {di});
  setTo(graph, counter, std::uint32_t(begin), loop, {di, "initialise"});
  Sequence once({}, {di});
  once.add(body(counter));
  advance(graph, counter, int(step), once, {di, "increment"});
  loop.add(poplar::program::Repeat(base::ceilDiv(end - begin, step), once, {di}));
  return loop;
}

Sequence countedLoop(poplar::Graph &graph, std::size_t count, const CountedLoopBodyType &body,
                     const poplar::DebugContext &debugContext) {
  return countedLoop(graph, 0, count, 1, body, debugContext);
}

Tensor addForLoopCounterVertex(poplar::Graph &graph, const Tensor &count, const Tensor &countLimit,
                               int countStep, unsigned tile, Sequence &prog,
                               const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(count, countLimit, countStep, tile));
  checkCounter(count, countLimit, countStep, "addForLoopCounterVertex");
  auto goesOn = graph.addVariable(poplar::BOOL, {}, {di, "predicate"});
  graph.setTileMapping(goesOn, tile);
  auto name = "popops::ForLoopCounter<" + count.elementType().toString() + ">";
  prog.add(openipu::operation(graph, {kernels::loopCounter,
                                      {openipu::inOut(count.flatten()), openipu::out(goesOn),
                                       openipu::in(countLimit.flatten())},
                                      kernels::LoopStep{countStep}.write(),
                                      planOn(tile, name.c_str(), 43),
                                      {di, "forLoopCounter"}}));
  di.addOutput(goesOn);
  return goesOn;
}

Sequence countedForLoop(poplar::Graph &graph, const Tensor &count, int initialCount,
                        const Tensor &countLimit, int countStep, const Program &body,
                        const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(count, initialCount, countLimit, countStep));
  checkCounter(count, countLimit, countStep, "countedForLoop");
  Sequence loop({}, {di});
  // One step early: the condition advances the counter before it looks.
  setTo(graph, count, std::uint32_t(initialCount) - std::uint32_t(countStep), loop,
        {di, "initialise"});
  Sequence condition({}, {di});
  auto goesOn =
      addForLoopCounterVertex(graph, count, countLimit, countStep, 0, condition, {di, "count"});
  loop.add(poplar::program::RepeatWhileTrue(condition, goesOn, body, {di}));
  return loop;
}

Sequence countedForLoop(poplar::Graph &graph, int initialCount, const Tensor &countLimit,
                        int countStep, const Program &body,
                        const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(initialCount, countLimit, countStep));
  auto count = graph.addVariable(countLimit.elementType(), {1}, {di, "counter"});
  graph.setTileMapping(count, 0);
  return countedForLoop(graph, count, initialCount, countLimit, countStep, body, {di});
}

} // namespace popops
