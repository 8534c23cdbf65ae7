// SPDX-License-Identifier: MIT
// Recurrent layers in general: what they are made of, tensors laid out so that a step's slice is
// spread over the tiles, and a loop over the steps with a body of the caller's.
#pragma once
#include <cstddef>
#include <functional>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <popnn/NonLinearity.hpp>
#include <poputil/DebugInfo.hpp>
#include <vector>

namespace popnn {
namespace rnn {

// Sizes of a recurrent layer.
struct RnnParams {
  poplar::Type dataType;               // of inputs, outputs and states
  std::size_t batchSize = 0;           // sequences that run together
  std::size_t maxTimeSteps = 0;        // the longest sequence
  std::size_t timeSteps = 0;           // the same number
  poplar::Tensor varTimeSteps;         // one number, or one per batch element
  std::vector<std::size_t> layerSizes; // {input size, output size}

  RnnParams() {}
  RnnParams(poplar::Type dataType, std::size_t batchSize, std::size_t timeSteps,
            std::vector<std::size_t> layerSizes);
  RnnParams(poplar::Type dataType, std::size_t batchSize, std::size_t maxTimeSteps,
            const poplar::Tensor &varTimeSteps, std::vector<std::size_t> layerSizes);

  // Into how many parts the sequence can be cut so that each has tiles of its own.
  std::size_t getMaxShards(const poplar::Graph &graph) const;
  // Bytes of one step's input on a tile.
  std::size_t getInputBytesPerTile(const poplar::Graph &graph) const;
  // Bytes of one step's output on a tile.
  std::size_t getOutputBytesPerTile(const poplar::Graph &graph) const;
  bool variableTimeSteps() const;      // whether the length is known only when the program runs
  bool batchVariableTimeSteps() const; // whether each batch element has a length of its own
};

// [multiple * batch][input or output size] ([batch][size] if multiple is 1)
poplar::Tensor createInitialState(poplar::Graph &graph, const RnnParams &params, bool isOutput,
                                  unsigned multiple, unsigned numShards,
                                  const poplar::DebugContext &debugContext = {});
// [max time steps][batch][size]
poplar::Tensor createRecurrentTensor(poplar::Graph &graph, const RnnParams &params, unsigned size,
                                     unsigned numShards,
                                     const poplar::DebugContext &debugContext = {});
poplar::Tensor createInputTensor(poplar::Graph &graph, const RnnParams &params, unsigned numShards,
                                 const poplar::DebugContext &debugContext = {});
poplar::Tensor createOutputTensor(poplar::Graph &graph, const RnnParams &params, unsigned numShards,
                                  const poplar::DebugContext &debugContext = {});
// [multiple * max time steps][batch][output size]
poplar::Tensor createOutputTensor(poplar::Graph &graph, const RnnParams &params, unsigned multiple,
                                  unsigned numShards,
                                  const poplar::DebugContext &debugContext = {});
// A sequence one step later: `tSingle` [batch][size] first, then all but the last step of `tBase`.
poplar::Tensor shiftRnnTensor(poplar::Graph &graph, const RnnParams &params,
                              const poplar::Tensor &tBase, const poplar::Tensor &tSingle,
                              poplar::program::Sequence &prog, unsigned numShards,
                              const poplar::DebugContext &debugContext = {});

// With a length per batch element: which elements still run, as [batch] of the data type.
struct RnnBatchwiseFlags {
  poplar::Tensor mask, inverse;               // 1 where an element still runs, and 0; the opposite
  bool valid() const { return mask.valid(); } // false if all elements have the same length
};

// What the body of the loop reads and writes in one step.
struct RnnSlice {
  std::vector<poplar::Tensor> inputs;   // one step of each input
  poplar::Tensor interimIn, interimOut; // interimOut: set by the body
  std::vector<poplar::Tensor> outputs;  // set by the body
};

// Where the loop stands: {first step of the shard, step within it, steps of the whole sequence}.
struct TimeStepState {
  poplar::Tensor begin, counter, seqLen; // see above
};

// Keeps the state with this index of every step in `output`.
struct StateSequence {
  poplar::Tensor output;      // all steps
  std::size_t stateIndex = 0; // which of the states
};

// One step: reads and updates `state`, sets the slices that the loop stores. `created` are the
// tensors handed to Rnn; the first call may initialise them in `initProg`.
using LoopBodyType = std::function<poplar::program::Sequence(
    poplar::Graph &graph, const TimeStepState &time, const RnnBatchwiseFlags &batchwiseFlags,
    std::vector<poplar::Tensor> &state, RnnSlice &slice, std::vector<poplar::Tensor> &created,
    poplar::program::Sequence *initProg, const poplar::DebugNameAndId &dnai)>;

// Gets the inputs of several steps, gathered: [steps][...].
using GatherBodyType = std::function<poplar::program::Sequence(
    poplar::Graph &graph, const RnnSlice &slice, unsigned stepsPerGather,
    poplar::program::Sequence *initProg, const poplar::DebugNameAndId &dnai)>;

// Runs the body for every step, in reverse if told so, on slices of `inputs` and `interimIn`
// ([steps][batch][...] or [multiple * steps][batch][...]), and stores its slices into `outputs`,
// `interimOut` and `stateSequence`. The state after the last step of the loop. Options: codeReuse
// [false].
std::vector<poplar::Tensor>
Rnn(poplar::Graph &graph, const RnnParams &params, bool reverse,
    const std::vector<poplar::Tensor> &initState, const StateSequence &stateSequence,
    const std::vector<poplar::Tensor> &inputs, const poplar::Tensor *interimIn,
    poplar::Tensor *interimOut, const std::vector<poplar::Tensor> &outputs,
    const std::vector<poplar::Tensor> &created, poplar::program::Sequence &prog,
    const LoopBodyType &loopFn, unsigned numShards, poplar::OptionFlags &options,
    const poplar::DebugContext &debugContext = {});

// The same, in reverse, with `gatherFn` after every `stepsPerGather` steps on their inputs
// `gatherInputs` and on what the body left in its interimOut and outputs, gathered.
std::vector<poplar::Tensor>
Rnn(poplar::Graph &graph, const RnnParams &params, const std::vector<poplar::Tensor> &initState,
    const StateSequence &stateSequence, const std::vector<poplar::Tensor> &inputs,
    const poplar::Tensor &interimIn, unsigned numTemps, poplar::program::Sequence &prog,
    const LoopBodyType &loopFn, const std::vector<poplar::Tensor> &gatherInputs,
    const GatherBodyType &gatherFn, unsigned numShards, unsigned stepsPerGather,
    poplar::OptionFlags &options, const poplar::DebugContext &debugContext = {});

} // namespace rnn
} // namespace popnn
