// SPDX-License-Identifier: MIT
#include "core/ReturnedLoss.hpp"
#include <algorithm>
#include <set>

namespace poptorch {

namespace {

// Values as they are: views, other types, and markers of ours.
bool keepsValues(const std::string &name, const Operation &operation) {
  static const std::set<std::string> copies{"aten::clone", "aten::contiguous", "aten::to",
                                            "aten::_to_copy", "aten::type_as"};
  const bool isView =
      !operation.writes && !operation.aliases.empty() && operation.aliases.front() != noTensor;
  return isView || copies.count(name) != 0 || name.rfind("poptorch::", 0) == 0;
}

class Follow {
public:
  explicit Follow(const Recording &recording)
      : recording_(recording), states_(recording.tensors.size()) {}

  void from(const Operation &loss) {
    bool begun = false;
    for (const auto &operation : recording_.operations)
      if (&operation == &loss) {
        begun = true;
        give(operation, {true, nullptr});
      } else if (begun)
        step(operation);
  }
  const Operation *madeBy(TensorNumber tensor) const { return states_[tensor].changedBy; }

private:
  struct State {
    bool fromLoss = false;
    const Operation *changedBy = nullptr; // none: the loss itself
  };

  void give(const Operation &operation, const State &state) {
    for (auto tensor : operation.outputs)
      if (tensor != noTensor)
        states_[tensor] = state;
  }
  void step(const Operation &operation) {
    const auto &name = recording_.signatures.at(operation.signature).name;
    State state;
    const auto look = [&](TensorNumber tensor) {
      if (tensor != noTensor && states_[tensor].fromLoss)
        state = state.changedBy ? state : states_[tensor];
    };
    for (const auto &argument : operation.arguments) {
      if (const auto *one = std::get_if<TensorArgument>(&argument))
        look(one->tensor);
      else if (const auto *list = std::get_if<TensorList>(&argument))
        std::for_each(list->begin(), list->end(), look);
    }
    if (operation.noGradient || name == "aten::detach")
      state = {};
    else if (state.fromLoss && !keepsValues(name, operation))
      state.changedBy = &operation;
    give(operation, state);
  }

  const Recording &recording_;
  std::vector<State> states_;
};

} // namespace

std::vector<Derived> derivedFromLoss(const Recording &recording, const Operation &loss) {
  Follow follow(recording);
  follow.from(loss);
  std::vector<Derived> out;
  for (std::size_t i = 0; i < recording.outputs.size(); ++i)
    if (const auto *operation = follow.madeBy(recording.outputs[i]))
      out.push_back({i, operation});
  return out;
}

} // namespace poptorch
