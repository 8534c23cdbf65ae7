// SPDX-License-Identifier: MIT
// A recording becomes a model, node by node: while a graph is traced a conversion runs beside it
// and tells the shapes, with a number in place of every dimension that is not known.
#pragma once
#include "core/Call.hpp"
#include "openipu/Converted.hpp"
#include <popart/error.hpp>

namespace tensorflow {

using popart::Converted;

// The graph is at fault; the text names the node.
class ConversionError : public popart::error {
public:
  using error::error;
};

// MatMul "dense/MatMul"
std::string describe(const Node &node);

// Elements of this operation's results are in the order of its inputs', whatever that is. Said
// before anything is converted, by Python's table of operations (framework/facts.py).
void keepsOrder(const std::string &op);

class Conversion {
public:
  // `instead`: of unknown dimensions.
  explicit Conversion(const Recording &recording, std::int64_t instead = 1);
  // The body of a loop or condition: `model` is its own, the values are its inputs.
  Conversion(const Recording &recording, popart::Model &model, const Values &inputs);

  // Inputs are variables with these values, in their order, instead of what the host sends: of
  // programs that run without data. Before anything is followed.
  struct Memory {
    void *data;
    std::shared_ptr<void> owner;
  };
  void synthesise(std::vector<Memory> inputs) { synthetic_ = std::move(inputs); }

  // What came to the recording since the last call.
  void follow();
  Value at(TensorNumber tensor) const;
  bool knows(TensorNumber tensor) const {
    return tensor < values_.size() && values_[tensor] != none;
  }
  popart::Model &model() { return *model_; }
  Converted finish(); // once

  // Values with their channels last of which there is one with the channels second: what is made of
  // them elementwise is made of that one, so that a network's activations are turned once, not at
  // every convolution.
  Value turned(Value channelsLast) const;
  void remember(Value channelsLast, Value channelsSecond) {
    turned_[channelsLast] = channelsSecond;
  }

private:
  void declare();
  void convert(const Node &node);
  void place(const Place &place, const std::string &name);
  Place placeOf(TensorNumber variable) const; // of its first use
  Place placeOfUpdate(const Variable &variable, TensorNumber value) const;

  const Recording &recording_;
  std::int64_t instead_ = 1;
  popart::Model own_;
  popart::Model *model_;
  bool turns(const Node &node, const Values &inputs) const;
  Values callTurned(const Converter &converter, const Node &node, Values inputs);
  std::vector<Memory> synthetic_;
  std::map<Value, Value> turned_;
  Values values_;    // by tensor
  Values variables_; // by variable
  bool sharded_ = false;
  std::size_t inputs_ = 0, constants_ = 0, nodes_ = 0;
};

} // namespace tensorflow
