// SPDX-License-Identifier: MIT
// The loop over time steps with a body of the caller's: slices of the sequences go in, the body's
// results are stored at the step's place, the state is carried over. Each shard of the sequence has
// a loop of its own, unless code is to be reused.
#include "popops/Loop.hpp"
#include "base/Text.hpp"
#include "openipu/Placement.hpp"
#include "popnn/Rnn.hpp"
#include "popops/Cast.hpp"
#include "popops/DynamicSlice.hpp"
#include "popops/ElementWise.hpp"
#include "popops/Reduce.hpp"
#include "popops/Zero.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/OptionParsing.hpp"
#include "rnn/Layout.hpp"

namespace popnn::rnn {

using poplar::DebugContext;
using poplar::Tensor;
using poplar::UNSIGNED_INT;
using poplar::program::Copy;
using poplar::program::Sequence;
using poputil::poplibs_error;
namespace pe = popops::expr;

namespace {

struct Setup {
  poplar::Graph &graph;
  const RnnParams &params;
  bool reverse;
  const StateSequence &stateSequence;
  const std::vector<Tensor> &inputs;
  const Tensor *interimIn;
  const LoopBodyType &body;
  poplar::DebugNameAndId dnai;
};

// A sequence [steps][...] or several one behind the other, with the steps in front.
Tensor stepsFirst(const Tensor &t, std::size_t steps) {
  if (t.dim(0) == steps || !steps)
    return t;
  if (t.rank() < 2 || t.dim(0) % steps)
    throw poplibs_error(base::str("rnn::Rnn: a sequence of shape ", base::list(t.shape()),
                                  " cannot be cut into ", steps, " time steps."));
  const auto multiple = t.dim(0) / steps;
  auto shape = t.shape();
  shape[0] = steps;
  shape.insert(shape.begin(), multiple);
  return t.reshape(shape).dimRoll(0, 1).flatten(1, 3);
}

Tensor sliceAt(poplar::Graph &graph, const Tensor &sequence, const Tensor &step, Sequence &prog,
               const DebugContext &context) {
  return popops::dynamicSlice(graph, sequence, step, {0}, {1}, prog, context)[0];
}
void storeAt(poplar::Graph &graph, const Tensor &sequence, const Tensor &value, const Tensor &step,
             Sequence &prog, const DebugContext &context) {
  const auto shape = sequence[0].shape();
  popops::dynamicUpdate(graph, sequence, value.reshape(shape).expand({0}), step, {0}, {1}, prog,
                        context);
}

Tensor constant(poplar::Graph &graph, std::size_t value, const DebugContext &context) {
  auto t = graph.addConstant<unsigned>(UNSIGNED_INT, {1}, unsigned(value), context);
  graph.setTileMapping(t, 0);
  return t;
}

// How many steps the whole loop does: [1].
Tensor totalSteps(poplar::Graph &graph, const RnnParams &p, Sequence &prog,
                  const DebugContext &context) {
  if (!p.variableTimeSteps())
    return constant(graph, p.maxTimeSteps, context);
  auto lengths = p.varTimeSteps.flatten();
  if (lengths.elementType() != UNSIGNED_INT)
    lengths = popops::cast(graph, lengths, UNSIGNED_INT, prog, context);
  if (lengths.numElements() > 1)
    lengths = popops::reduce(graph, lengths, {0}, popops::Operation::MAX, prog, context);
  return popops::map(graph, pe::Min(pe::_1, pe::Const(unsigned(p.maxTimeSteps))),
                     {lengths.reshape({1})}, prog, context);
}

// Elements of the batch that still run at `begin` + `counter`.
RnnBatchwiseFlags flagsAt(poplar::Graph &graph, const RnnParams &p, std::size_t begin,
                          const Tensor &counter, Sequence &prog, const DebugContext &context) {
  if (!p.batchVariableTimeSteps())
    return {};
  auto lengths = p.varTimeSteps;
  if (lengths.elementType() != UNSIGNED_INT)
    lengths = popops::cast(graph, lengths, UNSIGNED_INT, prog, context);
  auto runs = popops::map(graph, pe::Lt(pe::_1 + pe::Const(unsigned(begin)), pe::_2),
                          {counter.broadcast(unsigned(p.batchSize), 0), lengths}, prog, context);
  auto mask = popops::cast(graph, runs, p.dataType, prog, context);
  return {mask, popops::map(graph, pe::Const(1.f) - pe::_1, {mask}, prog, context)};
}

// Steps [first, last) of the sequence.
struct Shard {
  std::size_t first, last;
};
std::vector<Shard> shardsOf(const RnnParams &p, std::size_t shards, bool codeReuse) {
  checkParams("rnn::Rnn", p);
  shards = codeReuse ? 1 : std::max<std::size_t>(1, shards);
  if (shards > std::max<std::size_t>(1, p.maxTimeSteps))
    throw poplibs_error(base::str("rnn::Rnn: numShards is ", shards, " but there are ",
                                  p.maxTimeSteps, " time steps; every shard needs one."));
  std::vector<Shard> out;
  for (std::size_t s = 0; s < shards; ++s)
    out.push_back({s * p.maxTimeSteps / shards, (s + 1) * p.maxTimeSteps / shards});
  return out;
}

bool parseCodeReuse(const poplar::OptionFlags &options) {
  bool codeReuse = false;
  const poplibs::OptionSpec spec{{"codeReuse", poplibs::OptionHandler::createWithBool(codeReuse)}};
  for (const auto &[name, value] : options)
    spec.parse(name, value);
  return codeReuse;
}

// What one call of the body leaves behind.
struct Step {
  Sequence prog;
  RnnSlice slice;
  std::vector<Tensor> state;
};

// Slices, body and state sequence of one step; the new state is not yet carried over.
Step oneStep(const Setup &s, const Shard &shard, const Tensor &counter, const Tensor &total,
             const std::vector<Tensor> &state, const std::vector<Tensor> &created, Sequence &init) {
  Step step;
  const auto steps = s.params.maxTimeSteps;
  auto part = [&](const Tensor &t) { return stepsFirst(t, steps).slice(shard.first, shard.last); };
  for (const auto &input : s.inputs)
    step.slice.inputs.push_back(
        sliceAt(s.graph, part(input), counter, step.prog, {s.dnai, "sliceInput"}));
  if (s.interimIn)
    step.slice.interimIn =
        sliceAt(s.graph, part(*s.interimIn), counter, step.prog, {s.dnai, "sliceInterim"});
  const auto flags = flagsAt(s.graph, s.params, shard.first, counter, step.prog, {s.dnai, "flags"});
  step.state = state;
  auto tensors = created;
  const TimeStepState time{constant(s.graph, shard.first, {s.dnai, "begin"}), counter, total};
  step.prog.add(s.body(s.graph, time, flags, step.state, step.slice, tensors, &init, s.dnai));
  const auto &sequence = s.stateSequence;
  if (sequence.output.valid())
    storeAt(s.graph, part(sequence.output), step.state.at(sequence.stateIndex), counter, step.prog,
            {s.dnai, "storeState"});
  return step;
}

void carryOver(const std::vector<Tensor> &from, const std::vector<Tensor> &to, Sequence &prog,
               const DebugContext &context) {
  for (std::size_t i = 0; i < to.size(); ++i)
    if (openipu::overlap(from[i], to[i]) != openipu::Overlap::Same)
      prog.add(Copy(from[i], to[i], false, context));
}

std::vector<Tensor> startState(poplar::Graph &graph, const std::vector<Tensor> &initial,
                               Sequence &prog, const DebugContext &context) {
  std::vector<Tensor> state;
  for (const auto &t : initial) {
    state.push_back(graph.clone(t, {context, "state"}));
    prog.add(Copy(t, state.back(), false, context));
  }
  return state;
}

// Sets the counter to the first step of the shard that runs, and runs the body for all of them.
void loopOver(const Setup &s, const Shard &shard, const Tensor &counter, const Tensor &total,
              Sequence body, Sequence &prog) {
  const DebugContext context{s.dnai, "loop"};
  const auto steps = shard.last - shard.first;
  if (s.reverse)
    popops::mapInPlace(s.graph, pe::_1 - pe::Const(1u), {counter}, body, context);
  else
    popops::mapInPlace(s.graph, pe::_1 + pe::Const(1u), {counter}, body, context);
  if (!s.params.variableTimeSteps()) {
    prog.add(Copy(constant(s.graph, s.reverse && steps ? steps - 1 : 0, context), counter, false,
                  context));
    prog.add(poplar::program::Repeat(unsigned(steps), body, context));
    return;
  }
  // min(total, last) - min(total, first)
  auto count = popops::map(s.graph,
                           pe::Min(pe::_1, pe::Const(unsigned(shard.last))) -
                               pe::Min(pe::_1, pe::Const(unsigned(shard.first))),
                           {total}, prog, context);
  auto start = s.reverse ? popops::map(s.graph, pe::_1 - pe::Const(1u), {count}, prog, context)
                         : constant(s.graph, 0, context);
  prog.add(Copy(start, counter, false, context));
  prog.add(popops::countedForLoop(s.graph, 0, count, 1, body, context));
}

Tensor makeCounter(poplar::Graph &graph, const DebugContext &context) {
  auto counter = graph.addVariable(UNSIGNED_INT, {1}, context);
  graph.setTileMapping(counter, 0);
  return counter;
}

} // namespace

std::vector<Tensor> Rnn(poplar::Graph &graph, const RnnParams &params, bool reverse,
                        const std::vector<Tensor> &initState, const StateSequence &stateSequence,
                        const std::vector<Tensor> &inputs, const Tensor *interimIn,
                        Tensor *interimOut, const std::vector<Tensor> &outputs,
                        const std::vector<Tensor> &created, Sequence &prog,
                        const LoopBodyType &loopFn, unsigned numShards,
                        poplar::OptionFlags &options, const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(reverse, inputs, outputs, numShards));
  const auto shards = shardsOf(params, numShards, parseCodeReuse(options));
  const Setup s{graph, params, reverse, stateSequence, inputs, interimIn, loopFn, {di}};
  const auto steps = params.maxTimeSteps;
  auto state = startState(graph, initState, prog, {di});
  const auto total = totalSteps(graph, params, prog, {di, "steps"});
  const auto counter = makeCounter(graph, {di, "counter"});
  if (params.variableTimeSteps()) // steps that do not run leave zeros
    for (const auto &t : outputs)
      popops::zero(graph, t, prog, {di, "zeroOutput"});
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const auto &shard = shards[reverse ? shards.size() - 1 - i : i];
    Sequence init;
    auto step = oneStep(s, shard, counter, total, state, created, init);
    if (step.slice.outputs.size() != outputs.size())
      throw poplibs_error(base::str("rnn::Rnn: the body of the loop gives ",
                                    step.slice.outputs.size(), " output slices for ",
                                    outputs.size(), " outputs."));
    auto store = [&](const Tensor &sequence, const Tensor &value) {
      storeAt(graph, stepsFirst(sequence, steps).slice(shard.first, shard.last), value, counter,
              step.prog, {di, "store"});
    };
    for (std::size_t o = 0; o < outputs.size(); ++o)
      store(outputs[o], step.slice.outputs[o]);
    if (interimOut && step.slice.interimOut.valid()) {
      if (!interimOut->valid()) {
        auto shape = step.slice.interimOut.shape();
        shape.insert(shape.begin(), steps);
        *interimOut = createSequence(graph, step.slice.interimOut.elementType(), shape,
                                     shards.size(), {di, "interim"});
        if (params.variableTimeSteps())
          popops::zero(graph, *interimOut, prog, {di, "zeroInterim"});
      }
      store(*interimOut, step.slice.interimOut);
    }
    carryOver(step.state, state, step.prog, {di, "carry"});
    prog.add(init);
    loopOver(s, shard, counter, total, step.prog, prog);
  }
  return state;
}

std::vector<Tensor> Rnn(poplar::Graph &graph, const RnnParams &params,
                        const std::vector<Tensor> &initState, const StateSequence &stateSequence,
                        const std::vector<Tensor> &inputs, const Tensor &interimIn,
                        unsigned numTemps, Sequence &prog, const LoopBodyType &loopFn,
                        const std::vector<Tensor> &gatherInputs, const GatherBodyType &gatherFn,
                        unsigned numShards, unsigned stepsPerGather, poplar::OptionFlags &options,
                        const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(inputs, numShards, stepsPerGather));
  const auto shards = shardsOf(params, numShards, parseCodeReuse(options));
  for (const auto &shard : shards)
    if (params.variableTimeSteps() || !stepsPerGather ||
        (shard.last - shard.first) % stepsPerGather)
      throw poplibs_error(base::str("rnn::Rnn: ", params.maxTimeSteps, " time steps in ",
                                    shards.size(), " shards cannot be gathered ", stepsPerGather,
                                    " at a time; shards must have a fixed length that divides."));
  const Setup s{graph, params, true, stateSequence, inputs, &interimIn, loopFn, {di}};
  auto state = startState(graph, initState, prog, {di});
  const auto total = totalSteps(graph, params, prog, {di, "steps"});
  // Step within the shard, step within the group, first step of the group.
  const auto counter = makeCounter(graph, {di, "counter"}), within = makeCounter(graph, {di, "in"}),
             group = makeCounter(graph, {di, "group"});
  for (std::size_t i = shards.size(); i-- > 0;) {
    const auto &shard = shards[i];
    const auto groups = (shard.last - shard.first) / stepsPerGather;
    Sequence init;
    auto step = oneStep(s, shard, counter, total, state, {}, init);
    if (step.slice.outputs.size() != numTemps)
      throw poplibs_error(base::str("rnn::Rnn: the body of the loop gives ",
                                    step.slice.outputs.size(), " temporary slices instead of ",
                                    numTemps, "."));
    RnnSlice gathered;
    for (const auto &temp : step.slice.outputs) {
      auto shape = temp.shape();
      shape.insert(shape.begin(), stepsPerGather);
      gathered.outputs.push_back(
          createSequence(graph, temp.elementType(), shape, 1, {di, "gathered"}));
      storeAt(graph, gathered.outputs.back(), temp, within, step.prog, {di, "gather"});
    }
    carryOver(step.state, state, step.prog, {di, "carry"});
    for (const auto &c : {counter, within})
      popops::mapInPlace(graph, pe::_1 - pe::Const(1u), {c}, step.prog, {di, "count"});
    Sequence perGroup;
    perGroup.add(Copy(constant(graph, stepsPerGather - 1, {di}), within, false, {di}));
    perGroup.add(poplar::program::Repeat(stepsPerGather, step.prog, {di}));
    for (const auto &t : gatherInputs)
      gathered.inputs.push_back(popops::dynamicSlice(
          graph, stepsFirst(t, params.maxTimeSteps).slice(shard.first, shard.last), group, {0},
          {stepsPerGather}, perGroup, {di, "gatherInput"}));
    perGroup.add(gatherFn(graph, gathered, stepsPerGather, &init, {di}));
    popops::mapInPlace(graph, pe::_1 - pe::Const(unsigned(stepsPerGather)), {group}, perGroup,
                       {di, "count"});
    prog.add(init);
    prog.add(Copy(constant(graph, shard.last - shard.first - 1, {di}), counter, false, {di}));
    prog.add(Copy(constant(graph, (groups - 1) * stepsPerGather, {di}), group, false, {di}));
    prog.add(poplar::program::Repeat(unsigned(groups), perGroup, {di}));
  }
  return state;
}

} // namespace popnn::rnn
