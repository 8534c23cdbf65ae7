// SPDX-License-Identifier: MIT
// One node as its converter sees it: inputs in TensorFlow's order, attributes by TensorFlow's
// names, and the model to write into.
//
//   Values biasAdd(Call &c) { return {c.m.add(c.in(0), alongChannels(c, c.in(1)))}; }
//
// Inputs that must be known when the graph is built (axes, shapes) are read with integers(i).
#pragma once
#include "core/Recording.hpp"
#include "frontend/Registry.hpp"
#include <functional>

namespace tensorflow {

class Conversion;

class Call : public frontend::Reader {
public:
  Call(Conversion &conversion, const Node &node, Values inputs, popart::Model &model);

  // ---- inputs
  std::size_t size() const { return inputs_.size(); }
  bool has(std::size_t i) const { return i < inputs_.size() && inputs_[i] != none; }
  Value in(std::size_t i) const;
  const Values &all() const { return inputs_; }
  // The numbers of an input that is known when the graph is built.
  Integers integers(std::size_t i) const;
  // An axis of a tensor of that rank, from an input; made positive.
  std::int64_t axis(std::size_t i, std::size_t rank) const;

  // ---- attributes, as the Reader has them
  bool has(const char *name) const { return given(name); }
  Integers list(const char *name) const { return Reader::integers(name); }

  std::size_t results() const { return node_.outputs.size(); }
  const Node &node() const { return node_; }
  Conversion &conversion() const { return conversion_; }

  // ---- errors: ConversionError with the node
  [[noreturn]] void failWith(const std::string &message) const override;

private:
  Attribute find(const char *name) const override;
  Conversion &conversion_;
  const Node &node_;
  Values inputs_;
};

using Converter = std::function<Values(Call &)>;

// The converters of src/ops, by the operation's name.
class Registry : public frontend::Converters<Converter> {
public:
  static const Registry &all();
};

} // namespace tensorflow
