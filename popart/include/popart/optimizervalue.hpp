// SPDX-License-Identifier: MIT
// A hyper-parameter: its value, and whether it stays so for ever (then it is baked into the
// program).
#ifndef POPART_OPTIMIZERVALUE_HPP
#define POPART_OPTIMIZERVALUE_HPP
#include <utility>

namespace popart {

class OptimizerValue {
public:
  OptimizerValue() = default;
  OptimizerValue(float value) : value_(value), const_(true) {}
  OptimizerValue(float value, bool isConst) : value_(value), const_(isConst) {}
  OptimizerValue(std::pair<float, bool> both) : value_(both.first), const_(both.second) {}

  float val() const { return value_; }    // the number
  bool isConst() const { return const_; } // whether it never changes, so that it is compiled in
  // Const-ness must agree, and the value of a constant.
  bool validReplacement(const OptimizerValue &other) const {
    return const_ == other.const_ && (!const_ || value_ == other.value_);
  }
  bool operator==(const OptimizerValue &other) const {
    return value_ == other.value_ && const_ == other.const_;
  }

private:
  float value_ = 0;
  bool const_ = true;
};

} // namespace popart
#endif
