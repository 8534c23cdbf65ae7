// SPDX-License-Identifier: MIT
// Where a tensor is kept between uses: on the tiles or in memory beside the chip, whole on every
// replica or one shard on each.
#ifndef POPART_TENSORLOCATION_HPP
#define POPART_TENSORLOCATION_HPP
#include <popart/commgroup.hpp>

namespace popart {

enum class TensorStorage { OnChip = 0, OffChip }; // in the memory of tiles, or beside the chip
// Which tiles: those that compute, or those kept for input and output.
enum class TileSet { Compute = 0, IO, Undefined, N };
enum class ReplicatedTensorSharding { Off = 0, On }; // whether every replica holds a part only
// When data move: when they are needed, or while something else runs.
enum class ExchangeStrategy { JustInTime = 0, OverlapInnerLoop, OverlapLoops, OverlapStep, N };
// Whether every replica reads its own part or all the same.
enum class ReplicatedStreamMode { Replicate = 0, Broadcast };

// Where a tensor is kept while nobody computes with it.
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
  // Whether it is not whole in the memory of its tiles.
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

// Where tensors of a kind are kept, and from which size on.
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
  TileSet tileSet() const { return tileSet_; }                        // tiles that it is loaded to
  ExchangeStrategy exchangeStrategy() const { return strategy_; }     // when it is loaded
  ReplicatedStreamMode replicatedStreamMode() const { return mode_; } // whether replicas share it
  // Says whether replicas share it.
  void setReplicatedStreamMode(ReplicatedStreamMode mode) { mode_ = mode; }

private:
  TileSet tileSet_ = TileSet::Compute;
  ExchangeStrategy strategy_ = ExchangeStrategy::JustInTime;
  ReplicatedStreamMode mode_ = ReplicatedStreamMode::Replicate;
};

} // namespace popart
#endif
