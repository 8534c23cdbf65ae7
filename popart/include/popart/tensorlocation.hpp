// SPDX-License-Identifier: MIT
// Where a tensor is kept between uses: on the tiles or in memory beside the chip, whole on every
// replica or one shard on each.
#ifndef POPART_TENSORLOCATION_HPP
#define POPART_TENSORLOCATION_HPP
#include <popart/commgroup.hpp>

namespace popart {

enum class TensorStorage { OnChip = 0, OffChip };
enum class TileSet { Compute = 0, IO, Undefined, N };
enum class ReplicatedTensorSharding { Off = 0, On };
enum class ExchangeStrategy { JustInTime = 0, OverlapInnerLoop, OverlapLoops, OverlapStep, N };
enum class ReplicatedStreamMode { Replicate = 0, Broadcast };

class TensorLocation {
public:
  TensorLocation() = default;
  TensorLocation(TensorStorage s) : storage(s) {}
  TensorLocation(TensorStorage s, ReplicatedTensorSharding r)
      : storage(s), replicatedTensorSharding(r) {}
  TensorLocation(TensorStorage s, ReplicatedTensorSharding r, CommGroup domain)
      : storage(s), replicatedTensorSharding(r), shardingDomain(domain) {}
  TensorLocation(TensorStorage s, TileSet load, TileSet store, ReplicatedTensorSharding r)
      : storage(s), loadTileSet(load), storageTileSet(store), replicatedTensorSharding(r) {}
  TensorLocation(TensorStorage s, TileSet load, TileSet store, ReplicatedTensorSharding r,
                 CommGroup domain)
      : storage(s), loadTileSet(load), storageTileSet(store), replicatedTensorSharding(r),
        shardingDomain(domain) {}
  bool operator==(const TensorLocation &other) const {
    return storage == other.storage && loadTileSet == other.loadTileSet &&
           storageTileSet == other.storageTileSet &&
           replicatedTensorSharding == other.replicatedTensorSharding &&
           shardingDomain == other.shardingDomain;
  }
  bool operator!=(const TensorLocation &other) const { return !(*this == other); }
  bool isRemote() const {
    return storage == TensorStorage::OffChip ||
           replicatedTensorSharding == ReplicatedTensorSharding::On;
  }

  TensorStorage storage = TensorStorage::OnChip;
  TileSet loadTileSet = TileSet::Compute;
  TileSet storageTileSet = TileSet::Compute;
  ReplicatedTensorSharding replicatedTensorSharding = ReplicatedTensorSharding::Off;
  CommGroup shardingDomain;
};

struct TensorLocationSettings {
  TensorLocationSettings() = default;
  TensorLocationSettings(TensorLocation where, int offChip = 2, int sharding = 8192)
      : location(where), minElementsForOffChip(offChip),
        minElementsForReplicatedTensorSharding(sharding) {}
  TensorLocationSettings(TensorStorage storage, int offChip = 2, int sharding = 8192)
      : location(storage), minElementsForOffChip(offChip),
        minElementsForReplicatedTensorSharding(sharding) {}

  TensorLocation location;
  int minElementsForOffChip = 2;
  int minElementsForReplicatedTensorSharding = 8192;
};

// What a user says of an input: the tiles it is loaded to, when, and whether replicas share it.
class InputSettings {
public:
  InputSettings() = default;
  InputSettings(TileSet tiles, ExchangeStrategy strategy) : tileSet_(tiles), strategy_(strategy) {}
  InputSettings(ReplicatedStreamMode mode) : mode_(mode) {}
  TileSet tileSet() const { return tileSet_; }
  ExchangeStrategy exchangeStrategy() const { return strategy_; }
  ReplicatedStreamMode replicatedStreamMode() const { return mode_; }
  void setReplicatedStreamMode(ReplicatedStreamMode mode) { mode_ = mode; }

private:
  TileSet tileSet_ = TileSet::Compute;
  ExchangeStrategy strategy_ = ExchangeStrategy::JustInTime;
  ReplicatedStreamMode mode_ = ReplicatedStreamMode::Replicate;
};

} // namespace popart
#endif
