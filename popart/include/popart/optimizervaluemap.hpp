// SPDX-License-Identifier: MIT
// One kind of hyper-parameter of all weights: a default, and the weights that have their own.
#ifndef POPART_OPTIMIZERVALUEMAP_HPP
#define POPART_OPTIMIZERVALUEMAP_HPP
#include <popart/names.hpp>
#include <popart/optimizervalue.hpp>

namespace popart {

class OptimizerValueMap {
public:
  explicit OptimizerValueMap(OptimizerValue byDefault) : default_(byDefault) {}
  OptimizerValueMap(OptimizerValue byDefault, std::map<TensorId, OptimizerValue> specifics)
      : default_(byDefault), specifics_(std::move(specifics)) {}

  // The weight's own value, or the default.
  OptimizerValue get(const TensorId &id) const {
    auto it = specifics_.find(id);
    return it == specifics_.end() ? default_ : it->second;
  }
  OptimizerValue getDefault() const { return default_; } // of weights without a value of their own
  // Gives a weight its own.
  void insertSpecific(const TensorId &id, OptimizerValue value) { specifics_[id] = value; }
  // Whether a weight (any weight) has its own.
  bool hasSpecific(const TensorId &id) const { return specifics_.count(id) != 0; }
  bool hasSpecific() const { return !specifics_.empty(); }
  // Those of weights that have one.
  const std::map<TensorId, OptimizerValue> &getSpecifics() const { return specifics_; }

private:
  OptimizerValue default_;
  std::map<TensorId, OptimizerValue> specifics_;
};

} // namespace popart
#endif
