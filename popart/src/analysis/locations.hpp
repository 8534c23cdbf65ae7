// SPDX-License-Identifier: MIT
// Where a session keeps its tensors: on the chip or beside it, whole on every replica or one shard
// on each. An entry for the very tensor counts first, then the settings of its kind.
#pragma once
#include "ir/graph.hpp"
#include <optional>
#include <popart/sessionoptions.hpp>

namespace popart::analysis {

struct Location {
  bool offChip = false, sharded = false;
  CommGroup domain;     // the replicas that share it out
  bool ioTiles = false; // off the chip, and on its way from and to there
};

class Locations {
public:
  Locations() = default; // everything on the chip, whole
  // popart::error for what cannot be done. `differing` are weights that replicas have values of
  // their own of: these stay whole.
  Locations(const SessionOptions &options, std::int64_t replicas, bool training,
            std::set<TensorId> differing = {});

  // A variable there may be: its weight is itself, or whose state or accumulator it is.
  struct Variable {
    const TensorId &id;
    const TensorInfo &info;
    ir::Role role;
    const TensorId &weight;
    bool gathers = false; // state that gradients are accumulated in counts as an accumulator
  };
  Location of(const Variable &variable) const;
  Location of(const ir::Graph &graph, ir::Value variable) const;
  // `own`: what the model says of it, which counts unless the session has an entry for it.
  Location ofActivation(const TensorId &id, const TensorInfo &info,
                        const std::optional<TensorLocation> &own = std::nullopt) const;
  bool mayShard() const { return mayShard_; }   // some variable
  bool shardsInVain() const { return inVain_; } // asked for, but there is one replica
  std::int64_t replicas() const { return replicas_; }
  // popart::error if an entry names no tensor of the graph.
  void checkNames(const ir::Graph &graph) const;

private:
  enum class Role { Weight, OptimizerState, Accumulator, Activation };
  Location located(const TensorId &id, Role role, const TensorInfo &info) const;
  void check(const TensorLocation &location, const std::string &what) const;

  std::map<Role, TensorLocationSettings> byRole_;
  std::map<TensorId, TensorLocation> own_;
  std::set<TensorId> differing_;
  std::int64_t replicas_ = 1;
  bool mayShard_ = false, inVain_ = false, ioTiles_ = false;
};

// Members of a group, the place of a replica in its group, and the group of those that have the
// same place in all others.
std::int64_t membersOf(const CommGroup &group, std::int64_t replicas);
std::int64_t placeIn(const CommGroup &group, std::int64_t replica, std::int64_t replicas);
CommGroup across(const CommGroup &group, std::int64_t replicas);

} // namespace popart::analysis
