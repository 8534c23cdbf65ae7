// SPDX-License-Identifier: MIT
// A graph of TensorFlow's operations by their own names and attributes, as it was traced: nodes in
// program order, tensors as numbers. A dimension that is not known yet is -1.
#pragma once
#include "frontend/Recording.hpp"
#include <map>
#include <set>

namespace tensorflow {

using namespace frontend; // values, shapes, numbers of tensors

using Attribute = Argument;
inline constexpr std::int64_t unknown = -1;

struct Info {
  DataType type = DataType::FLOAT;
  Shape shape; // -1: not known
};

// Where a node runs, within a replica.
struct Place {
  std::optional<std::int64_t> ipu, stage;
  bool update = false; // once per weight update, not for every batch
};

struct Recording;

struct Node {
  std::string op, name;             // "Conv2D", "block1/conv"
  std::vector<TensorNumber> inputs; // noTensor: left out
  std::map<std::string, Attribute> attributes;
  std::vector<TensorNumber> outputs;
  Place place;
  std::vector<std::shared_ptr<const Recording>> bodies; // of While and If
};

// A variable in the memory of who made it.
struct Variable : Stored {
  bool state = false; // of an optimiser
};

struct Recording : Recorded<Info> {
  std::vector<Node> nodes;
  std::vector<Variable> variables;
  std::set<std::size_t> gradients; // outputs that are not these tensors, but the loss's gradients
  std::vector<std::pair<std::size_t, TensorNumber>> updates; // variable, its new value
  TensorNumber loss = noTensor;                              // of training
};

} // namespace tensorflow
