// SPDX-License-Identifier: MIT
#include "analysis/locations.hpp"

#include "base/Text.hpp"
#include <popart/error.hpp>

namespace popart::analysis {

std::int64_t membersOf(const CommGroup &group, std::int64_t replicas) {
  const std::int64_t size = group.replicaGroupSize;
  if (group.type == CommGroupType::None)
    return 1;
  return group.type == CommGroupType::All || !size ? replicas : size;
}
std::int64_t placeIn(const CommGroup &group, std::int64_t replica, std::int64_t replicas) {
  const auto members = membersOf(group, replicas);
  return group.type == CommGroupType::Orthogonal ? replica / (replicas / members)
                                                 : replica % members;
}
CommGroup across(const CommGroup &group, std::int64_t replicas) {
  const auto others = static_cast<unsigned>(replicas / membersOf(group, replicas));
  if (others == 1)
    return {CommGroupType::None, 0};
  return {group.type == CommGroupType::Orthogonal ? CommGroupType::Consecutive
                                                  : CommGroupType::Orthogonal,
          others};
}

namespace {

std::string overrideOf(const TensorId &id) {
  return base::str("tensorLocationSettingsOverride of \"", id, "\"");
}
std::string settingsOf(int role) {
  constexpr const char *names[] = {"weight", "optimizerState", "accumulator", "activation"};
  return base::str(names[role], "TensorLocationSettings");
}

// Asked of a model that has such tensors.
void checkTiles(const TensorLocation &location, bool ioTiles, const std::string &what) {
  for (const TileSet tiles : {location.loadTileSet, location.storageTileSet})
    if (tiles == TileSet::IO && location.storage == TensorStorage::OnChip)
      throw error(base::str(what, ": what is kept on the chip lies on the tiles that compute, and "
                                  "only what is kept off the chip passes over I/O tiles. Use "
                                  "TileSet::Compute, or TensorStorage::OffChip."));
    else if (tiles == TileSet::IO && !ioTiles)
      throw error(base::str(what, ": there are no I/O tiles to pass over. Set numIOTiles, or use "
                                  "TileSet::Compute."));
}

} // namespace

Locations::Locations(const SessionOptions &o, std::int64_t replicas, bool training,
                     std::set<TensorId> differing)
    : byRole_{{Role::Weight, o.weightTensorLocationSettings},
              {Role::OptimizerState, o.optimizerStateTensorLocationSettings},
              {Role::Accumulator, o.accumulatorTensorLocationSettings},
              {Role::Activation, o.activationTensorLocationSettings}},
      own_(o.tensorLocationSettingsOverride), differing_(std::move(differing)), replicas_(replicas),
      ioTiles_(o.numIOTiles > 0) {
  byRole_[Role::Activation].location.replicatedTensorSharding = ReplicatedTensorSharding::Off;
  bool sharded = false;
  const auto look = [&](const TensorLocation &location, const std::string &what) {
    check(location, what);
    sharded |= location.replicatedTensorSharding == ReplicatedTensorSharding::On;
  };
  for (const auto &[role, settings] : byRole_)
    look(settings.location, settingsOf(int(role)));
  for (const auto &[id, location] : own_)
    look(location, overrideOf(id));
  if (sharded && training &&
      o.accumulationAndReplicationReductionType == ReductionType::NoReduction && replicas > 1)
    throw error("Replicated tensor sharding needs replicas with equal weights, but with "
                "accumulationAndReplicationReductionType NoReduction every replica trains its own. "
                "Use Sum or Mean, or switch sharding off.");
  mayShard_ = sharded && replicas > 1;
  inVain_ = sharded && !mayShard_;
}

void Locations::check(const TensorLocation &location, const std::string &what) const {
  if (location.replicatedTensorSharding == ReplicatedTensorSharding::Off)
    return;
  const auto &domain = location.shardingDomain;
  const auto members = membersOf(domain, replicas_);
  if (members < 1 || replicas_ % members)
    throw error(base::str(what, ": ", replicas_, " replicas cannot be split into groups of ",
                          members, ", as the sharding domain says."));
}

Location Locations::located(const TensorId &id, Role role, const TensorInfo &info) const {
  const auto own = own_.find(id);
  const auto settings = byRole_.find(role);
  if (!info.nelms() || (own == own_.end() && settings == byRole_.end()))
    return {};
  const bool exact = own != own_.end(); // whatever the size
  const auto &where = exact ? own->second : settings->second.location;
  checkTiles(where, ioTiles_, exact ? overrideOf(id) : settingsOf(int(role)));
  const auto large = [&](int least) { return exact || info.nelms() >= least; };
  Location out;
  out.domain = where.shardingDomain;
  out.offChip = where.storage == TensorStorage::OffChip &&
                large(exact ? 0 : settings->second.minElementsForOffChip);
  out.ioTiles = out.offChip && where.loadTileSet == TileSet::IO;
  out.sharded = where.replicatedTensorSharding == ReplicatedTensorSharding::On && mayShard_ &&
                role != Role::Activation && membersOf(out.domain, replicas_) > 1 &&
                large(exact ? 0 : settings->second.minElementsForReplicatedTensorSharding);
  return out;
}

Location Locations::of(const Variable &variable) const {
  const Role role = variable.role == ir::Role::Accumulator || variable.gathers ? Role::Accumulator
                    : variable.role == ir::Role::OptimizerState ? Role::OptimizerState
                                                                : Role::Weight;
  Location out = located(variable.id, role, variable.info);
  out.sharded &= !differing_.count(variable.weight);
  return out;
}
Location Locations::of(const ir::Graph &graph, ir::Value variable) const {
  const auto &v = graph[variable];
  return of(
      {v.name, v.info, v.role, v.weight == ir::none ? v.name : graph[v.weight].name, v.gathers});
}
Location Locations::ofActivation(const TensorId &id, const TensorInfo &info,
                                 const std::optional<TensorLocation> &own) const {
  if (!own || own_.count(id))
    return located(id, Role::Activation, info);
  const auto what = base::str("outputTensorLocation of \"", id, "\"");
  check(*own, what);
  checkTiles(*own, ioTiles_, what);
  Location out;
  out.offChip = own->storage == TensorStorage::OffChip;
  out.ioTiles = out.offChip && own->loadTileSet == TileSet::IO;
  return out;
}

void Locations::checkNames(const ir::Graph &graph) const {
  for (const auto &[id, location] : own_)
    if (location.isRemote() && graph.find(id) == ir::none) {
      std::vector<std::string> known;
      for (std::uint32_t i = 0; i < graph.size(); ++i)
        known.push_back(graph[ir::Value{i}].name);
      throw error(base::str("tensorLocationSettingsOverride names \"", id,
                            "\", which is no tensor of the model.", base::didYouMean(id, known)));
    }
}

} // namespace popart::analysis
