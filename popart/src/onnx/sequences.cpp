// SPDX-License-Identifier: MIT
// Sequences of tensors that the importer can follow: as lists of values, which leave no node
// behind. That works where every sequence is made in the graph that reads it and positions are
// constants.
#include "base/Text.hpp"
#include "onnx/attributes.hpp"
#include "onnx/formals.hpp"
#include "onnx/import.hpp"
#include "op/importing.hpp"
#include <algorithm>

namespace popart::onnxmodel {

using ir::Value;
using ir::Values;
using onnx::NodeProto;

namespace {

Value input(const Values &inputs, std::size_t i) {
  return i < inputs.size() ? inputs[i] : ir::none;
}

ir::Integers constantOf(const ir::Graph &graph, const NodeProto &node, Value v, const char *what) {
  const ops::ValueView view(graph, v);
  if (!view.isConstant())
    throw ops::not_constant(base::str(node.op_type(), ": its ", what, " (\"", view.name(),
                                      "\") must be known when the model is compiled. Make it a "
                                      "constant or an initializer."));
  return view.data().integers();
}

// Of a sequence that is so long; `end` is how far one may go.
std::size_t position(const ir::Graph &graph, const NodeProto &node, Value v, std::size_t length,
                     std::size_t end) {
  const auto given = constantOf(graph, node, v, "position");
  if (given.size() != 1)
    throw error(base::str(node.op_type(), ": its position must be one number."));
  const auto at = given[0] < 0 ? given[0] + std::int64_t(length) : given[0];
  if (at < 0 || at >= std::int64_t(end))
    throw error(base::str(node.op_type(), ": there is no position ", given[0], " in a sequence of ",
                          length, "."));
  return std::size_t(at);
}

std::int64_t axisOf(const NodeProto &node, const ir::Attributes &attributes, std::int64_t rank) {
  const auto axis = attributes.find<std::int64_t>("axis").value_or(0);
  if (axis < -rank || axis >= rank)
    throw error(
        base::str(node.op_type(), ": axis ", axis, " does not exist in ", rank, " dimensions."));
  return axis < 0 ? axis + rank : axis;
}

Shape without(Shape shape, std::int64_t axis) {
  shape.erase(shape.begin() + axis);
  return shape;
}

} // namespace

const Values *Importer::findSequence(const TensorId &id) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (auto it = scope->sequences.find(id); it != scope->sequences.end())
      return &it->second;
    if (scope->names.count(id) || scope->closed)
      break;
  }
  return nullptr;
}

// The sizes of the parts of SplitToSequence: of one each, of one given size, or as given.
ir::Integers Importer::partSizes(const NodeProto &node, Value split, std::int64_t n) {
  ir::Integers given{1};
  bool each = true;
  if (split != ir::none) {
    given = constantOf(graph_, node, split, "split");
    each = graph_[split].info.rank() == 0;
  }
  countCopies(each ? n / std::max<std::int64_t>(given[0], 1) : std::int64_t(given.size()));
  if (!each)
    return given;
  if (given[0] < 1)
    throw error(base::str(node.op_type(), ": its split is ", given[0], "."));
  ir::Integers sizes;
  for (std::int64_t i = 0; i < n; i += given[0])
    sizes.push_back(std::min(given[0], n - i));
  return sizes;
}

Values Importer::splitToSequence(const NodeProto &node, const Values &inputs) {
  const auto attributes = factsOf(node, reader_).attributes;
  const Shape shape = graph_[inputs.at(0)].info.shape();
  const auto axis = axisOf(node, attributes, std::int64_t(shape.size()));
  const Value split = input(inputs, 1);
  const auto sizes = partSizes(node, split, shape[std::size_t(axis)]);
  Values parts = sizes.empty() ? Values()
                               : builder_.ops("Split", {inputs[0]}, unsigned(sizes.size()),
                                              {{"axis", axis}, {"split", sizes}});
  // ONNX ignores keepdims where a split is given; torch's unbind gives one of 1 and means it.
  const bool single = split == ir::none ||
                      (graph_[split].info.rank() == 0 && sizes == ir::Integers(sizes.size(), 1));
  if (single && !attributes.find<std::int64_t>("keepdims").value_or(1))
    for (auto &part : parts)
      part = builder_.reshape(part, without(shape, axis));
  return parts;
}

Value Importer::concatFromSequence(const NodeProto &node, Values parts) {
  const auto attributes = factsOf(node, reader_).attributes;
  if (parts.empty())
    throw error("ConcatFromSequence: an empty sequence has no shape.");
  const bool stacked = attributes.find<std::int64_t>("new_axis").value_or(0) != 0;
  const auto axis = axisOf(node, attributes, graph_[parts[0]].info.rank() + stacked);
  if (stacked)
    for (auto &part : parts) {
      Shape shape = graph_[part].info.shape();
      shape.insert(shape.begin() + std::min(axis, std::int64_t(shape.size())), 1);
      part = builder_.reshape(part, shape);
    }
  return builder_.op("Concat", parts, {{"axis", axis}});
}

// Whether the node makes or reads a sequence that can be followed; `made` gets its tensors.
bool Importer::importSequence(const NodeProto &node, Values &made) {
  const std::string &type = node.op_type();
  const Values *sequence = node.input_size() ? findSequence(node.input(0)) : nullptr;
  const bool makes =
      type == "SequenceConstruct" || type == "SequenceEmpty" || type == "SplitToSequence";
  if ((!sequence && !makes) || node.output_size() != 1)
    return false;
  std::vector<bool> given;
  for (const auto &name : node.input())
    given.push_back(!name.empty());
  if (const auto *schema = schemaOf(node, versionOf(node.domain())))
    checkFormalsOf(*schema, node, given, 1);
  Values inputs;
  for (const auto &name : node.input())
    inputs.push_back(name.empty() || (sequence && &name == &node.input(0)) ? ir::none
                                                                           : resolve(name));
  const std::size_t firstNew = graph_.size();
  builder_.settings = factsOf(node, reader_).settings;
  builder_.prefix = scopes_.back().prefix + labelOf(node) + "/";
  Values list = sequence ? *sequence : Values();
  const auto place = [&](std::size_t i, std::size_t end, std::size_t otherwise) {
    const Value v = input(inputs, i);
    return std::ptrdiff_t(v == ir::none ? otherwise : position(graph_, node, v, list.size(), end));
  };
  if (type == "SequenceAt")
    made = publishOutputs(node, {list.at(std::size_t(place(1, list.size(), 0)))}, firstNew);
  else if (type == "SequenceLength")
    made = publishOutputs(
        node,
        {graph_.addConstant(builder_.prefix + "length",
                            ir::HostTensor::of<std::int64_t>({}, {std::int64_t(list.size())}))},
        firstNew);
  else if (type == "ConcatFromSequence")
    made = publishOutputs(node, {concatFromSequence(node, list)}, firstNew);
  else {
    if (type == "SequenceConstruct")
      list = inputs;
    else if (type == "SplitToSequence")
      list = splitToSequence(node, inputs);
    else if (type == "SequenceInsert")
      list.insert(list.begin() + place(2, list.size() + 1, list.size()), inputs.at(1));
    else if (type == "SequenceErase" && !list.empty())
      list.erase(list.begin() + place(1, list.size(), list.size() - 1));
    else if (type != "Identity" && type != "SequenceEmpty")
      return false;
    if (!scopes_.back().sequences.emplace(node.output(0), std::move(list)).second)
      throw error("Two tensors are called \"{}\".", node.output(0));
    made = {ir::none};
  }
  return true;
}

} // namespace popart::onnxmodel
