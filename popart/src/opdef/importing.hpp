// SPDX-License-Identifier: MIT
// An ONNX node on its way into canonical form: what an operator's `canonical` function works on.
#pragma once
#include "opdef/graphbuilder.hpp"
#include <popart/error.hpp>

namespace popart::ops {

// An input that an operator must know when the model is compiled is not a constant.
class not_constant : public error {
public:
  using error::error;
};

// Numbers that operators count with: axes, sizes, amounts. Those beyond 32 bits mean nothing, and
// products of two that are within cannot overflow.
constexpr std::int64_t largestNumber = 0x7fffffff;
// Whether an operator takes this number in any size: as a position it limits itself, or as a value.
bool takesAnyNumber(const std::string &type, const std::string &attribute);

// On nodes that a call of the Builder made, of operators that the vendor means otherwise than ONNX.
inline constexpr const char *sBuilderMeaning = "__builder_meaning";

class Importing {
public:
  Importing(GraphBuilder &builder, ir::Node &node, unsigned version, unsigned outputs)
      : builder(builder), node(node), version(version), outputs(outputs),
        op(builder.graph(), node) {}

  GraphBuilder &builder;  // for nodes that must stand before this one
  ir::Node &node;         // inputs and attributes may be changed
  const unsigned version; // opset of the node's domain in the model, 6 to 23 for ai.onnx
  unsigned outputs;       // how many the model names
  const OpView op;

  // A constant input becomes an attribute (integers or one number) and leaves the list of inputs.
  // Not constant: not_constant, which names operator and input. Absent: nothing happens.
  void integersFromInput(unsigned input, const std::string &attribute);
  void integerFromInput(unsigned input, const std::string &attribute);
  void realFromInput(unsigned input, const std::string &attribute);
  void tensorFromInput(unsigned input, const std::string &attribute);
  // Axes of input 0 made positive, in the order in which other numbers are given for them.
  Integers axesAsGiven(const std::string &attribute) const;
  // After this node: its output 0 is replaced by what `f` makes of it (a cast back, a reshape).
  std::function<Value(GraphBuilder &, Value)> after;
  // The same for all outputs, given their numbers.
  std::function<Value(GraphBuilder &, std::size_t, Value)> afterEach;

private:
  const HostTensor *constantInput(unsigned input, const std::string &attribute);
  Integers checked(Integers numbers, const std::string &attribute) const;
  void dropInput(unsigned input);
};

} // namespace popart::ops
