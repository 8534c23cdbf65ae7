// SPDX-License-Identifier: MIT
// What one step of a session moves between host and device: how many batches it runs, which tensors
// (anchors) come back, and how often.
#ifndef POPART_DATAFLOW_HPP
#define POPART_DATAFLOW_HPP
#include <popart/op.hpp>
#include <popart/tensorlocation.hpp>

namespace popart {

// Which values of an anchor a step returns.
enum class AnchorReturnTypeId {
  Final = 0, // the last micro-batch of the step
  EveryN,    // every N-th micro-batch
  All,       // every micro-batch
  Sum        // the sum over all micro-batches of the step
};

// What a step returns of an anchor: which values, by which tiles, and when.
class AnchorReturnType {
public:
  // "All", "Final", "Sum", in any case.
  AnchorReturnType(std::string kind, TileSet tileSet = TileSet::Compute,
                   ExchangeStrategy strategy = ExchangeStrategy::JustInTime);
  // "EveryN" with its period.
  AnchorReturnType(std::string kind, int period, TileSet tileSet = TileSet::Compute,
                   ExchangeStrategy strategy = ExchangeStrategy::JustInTime);
  AnchorReturnType() = default;

  AnchorReturnTypeId id() const { return id_; }                   // which values
  ReturnPeriod rp() const;                                        // popart::error unless EveryN
  TileSet tileSet() const { return tileSet_; }                    // the tiles that send it
  ExchangeStrategy exchangeStrategy() const { return strategy_; } // when it is sent
  const std::string &str() const { return text_; }                // as it was given

private:
  std::string text_ = "All";
  AnchorReturnTypeId id_ = AnchorReturnTypeId::All;
  ReturnPeriod period_ = 0;
  TileSet tileSet_ = TileSet::Compute;
  ExchangeStrategy strategy_ = ExchangeStrategy::JustInTime;
};

using AnchorReturnTypeMap = std::map<TensorId, AnchorReturnType>; // what is returned of each anchor

// How many batches a step has, and which tensors it returns. Throws popart::error for less than one
// batch.
class DataFlow {
public:
  DataFlow() = default;
  explicit DataFlow(int batchesPerStep);
  DataFlow(int batchesPerStep, const AnchorReturnTypeMap &anchors);
  DataFlow(int batchesPerStep, const std::vector<TensorId> anchors,
           const AnchorReturnType &returnType = AnchorReturnType("All"));

  // Whether a step returns it.
  bool isAnchored(const TensorId &id) const { return anchors_.count(id) != 0; }
  const std::vector<TensorId> &anchors() const { return ids_; }  // in the order given
  int nAnchors() const { return static_cast<int>(ids_.size()); } // how many there are
  int batchesPerStep() const { return batchesPerStep_; }         // batches of one step
  void setBatchesPerStep(int batches);                           // popart::error for less than one
  const AnchorReturnType &art(const TensorId &id) const;         // popart::error if it is no anchor
  const AnchorReturnTypeMap &getAnchorReturnTypeMap() const { return anchors_; } // by name
  // How many values of an anchor one step returns per replica, and the outer dimensions of its
  // array.
  unsigned numOutFetchesPerRepl(unsigned accumulationFactor, const TensorId &id) const;

private:
  void check() const;
  int batchesPerStep_ = 0;
  AnchorReturnTypeMap anchors_;
  std::vector<TensorId> ids_;
};

} // namespace popart
#endif
