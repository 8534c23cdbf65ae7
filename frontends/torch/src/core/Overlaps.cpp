// SPDX-License-Identifier: MIT
#include "core/Overlaps.hpp"

#include "base/Text.hpp"
#include <algorithm>
#include <popart/error.hpp>

namespace poptorch {

namespace {

popart::ExchangeStrategy strategyOf(const std::string &mode) {
  if (mode == "overlap_accumulation_loop")
    return popart::ExchangeStrategy::OverlapInnerLoop;
  if (mode == "overlap_device_iteration_loop")
    return popart::ExchangeStrategy::OverlapLoops;
  return popart::ExchangeStrategy::JustInTime;
}

// How many operators take a tensor.
std::size_t usesOf(const Recording &recording, TensorNumber tensor) {
  const auto takes = [&](const Argument &argument) {
    if (const auto *one = std::get_if<TensorArgument>(&argument))
      return one->tensor == tensor;
    const auto *list = std::get_if<TensorList>(&argument);
    return list && std::find(list->begin(), list->end(), tensor) != list->end();
  };
  return std::size_t(std::count_if(
      recording.operations.begin(), recording.operations.end(), [&](const Operation &operation) {
        return std::any_of(operation.arguments.begin(), operation.arguments.end(), takes);
      }));
}

[[noreturn]] void refuse(const std::string &marker, const std::string &text) {
  throw popart::error("poptorch." + marker.substr(marker.rfind(':') + 1) + " " + text);
}

void checkInput(const Recording &recording, TensorNumber tensor) {
  const auto &inputs = recording.inputs;
  const auto isIt = [&](const auto &input) { return input.first == tensor; };
  const auto at = std::find_if(inputs.begin(), inputs.end(), isIt);
  if (at == inputs.end())
    refuse(inputOverlap, "applied on a node which is not a tensor input to the model. Call it "
                         "on an argument of forward(), before anything else.");
  if (usesOf(recording, tensor) > 1)
    refuse(inputOverlap,
           base::str("must be the only op applied to an input. This is not the case for input ",
                     at - inputs.begin(), " to the model. Use what it returns instead."));
}

void checkOutput(const Recording &recording, TensorNumber tensor) {
  const auto &outputs = recording.outputs;
  const auto times = std::count(outputs.begin(), outputs.end(), tensor);
  if (times > 1)
    refuse(outputOverlap,
           "cannot be used with a tensor that is returned twice. Please check all returned tensors "
           "including those nested in tuples/lists.");
  if (!times)
    refuse(outputOverlap, "applied on a node which is not a tensor output to the model. Return "
                          "what poptorch.set_overlap_for_output returns.");
}

} // namespace

// Markers have the form (self, mode). For inputs by what the marker takes, for outputs by what it
// gives.
std::map<TensorNumber, popart::ExchangeStrategy> overlapsIn(const Recording &recording,
                                                            const std::string &marker) {
  std::map<TensorNumber, popart::ExchangeStrategy> out;
  for (const auto &operation : recording.operations) {
    if (recording.signatures.at(operation.signature).name != marker)
      continue;
    const auto *self = std::get_if<TensorArgument>(&operation.arguments.at(0));
    const auto *mode = std::get_if<std::string>(&operation.arguments.at(1));
    if (self && mode)
      out[marker == inputOverlap ? self->tensor : operation.outputs.at(0)] = strategyOf(*mode);
  }
  return out;
}

void checkOverlaps(const Recording &recording) {
  const auto overlap = [](const auto &marked) {
    return marked.second != popart::ExchangeStrategy::JustInTime;
  };
  for (const auto &marked : overlapsIn(recording, inputOverlap))
    if (overlap(marked))
      checkInput(recording, marked.first);
  for (const auto &marked : overlapsIn(recording, outputOverlap))
    if (overlap(marked))
      checkOutput(recording, marked.first);
}

} // namespace poptorch
