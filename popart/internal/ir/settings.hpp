// SPDX-License-Identifier: MIT
// Values of a model, and what users say of a node beside its meaning.
#pragma once
#include "base/Id.hpp"
#include "ir/attributes.hpp"

namespace popart::ir {

using Value = base::Id<struct ValueTag>;
inline constexpr Value none{0xffffffffu}; // an input or output that is left out
using Values = std::vector<Value>;

// What a variable is for.
enum class Role : std::uint8_t {
  Weight,         // trained
  Fixed,          // the model's own, never trained: frozen weights, running statistics
  OptimizerState, // momenta, step counts: saved with the model
  Accumulator,    // gradients gathered over micro-batches, and the number of them: never saved
  HyperParameter  // of the optimizer: the host writes it
};

enum class Recompute : std::uint8_t { Undefined, Checkpoint, Recompute };

// Copied to what a node is rewritten into.
struct Settings {
  std::optional<std::int64_t> virtualGraph; // IPU within a replica
  std::optional<std::int64_t> pipelineStage;
  std::optional<std::int64_t> executionPhase;
  Recompute recompute = Recompute::Undefined;
  double schedulePriority = 0;
  std::string name; // debug name, with its scopes
  Attributes extra; // __available_memory_proportion and its like, for the lowering
};

} // namespace popart::ir
