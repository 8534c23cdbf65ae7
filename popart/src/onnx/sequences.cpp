// SPDX-License-Identifier: MIT
// Sequences of tensors and optional values that the importer can follow: as lists of values, which
// leave no node behind. That works where every sequence is made in the graph that reads it, or is
// an input whose length is known, and positions are constants.
#include "onnx/sequences.hpp"
#include "base/Text.hpp"
#include "onnx/attributes.hpp"
#include "onnx/formals.hpp"
#include "onnx/import.hpp"
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

void Importer::Scope::bind(const TensorId &id, const Followed &what) {
  const bool isNew = what.kind == Followed::Tensor ? names.emplace(id, what.items.front()).second
                                                   : others.emplace(id, what).second;
  if (!isNew)
    throw error("Two tensors are called \"{}\".", id);
}

const Importer::Followed *Importer::findOther(const TensorId &id) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (auto it = scope->others.find(id); it != scope->others.end())
      return &it->second;
    if (scope->names.count(id) || scope->closed)
      break;
  }
  return nullptr;
}

Importer::Followed Importer::follow(const TensorId &id) {
  if (id.empty())
    return {{ir::none}};
  const Followed *other = findOther(id);
  return other ? *other : Followed{{resolve(id)}};
}

Values Importer::publishFollowed(const NodeProto &node, const std::vector<Followed> &made,
                                 std::size_t firstNew) {
  NodeProto tensors = node; // without the names of what is none
  Values values;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const bool tensor = made[i].kind == Followed::Tensor;
    values.push_back(tensor ? made[i].items.front() : ir::none);
    if (tensor || int(i) >= node.output_size() || node.output(int(i)).empty())
      continue;
    tensors.set_output(int(i), "");
    scopes_.back().bind(node.output(int(i)), made[i]);
  }
  return publishOutputs(tensors, values, firstNew);
}

void Importer::addSequence(const TensorId &id, const std::vector<TensorInfo> &infos) {
  Followed all{{}, Followed::Sequence};
  for (std::size_t i = 0; i < infos.size(); ++i)
    all.items.push_back(addInput(base::str(id, '/', i), infos[i]));
  scopes_.back().bind(id, all);
}
void Importer::addAbsent(const TensorId &id) { scopes_.back().bind(id, {{}, Followed::Absent}); }

void Importer::addOutput(const TensorId &id) {
  const Followed *other = findOther(id);
  if (!other || parent_) { // bodies give tensors
    graph_.outputs.push_back(resolve(id));
    return;
  }
  const Values items = other->items;
  builder_.prefix = id + "/";
  for (std::size_t i = 0; i < items.size(); ++i)
    graph_.outputs.push_back(publish(copyOf(items[i]), base::str(id, '/', i)));
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

Value Importer::sequenceLength(std::size_t length) {
  return graph_.addConstant(builder_.prefix + "length",
                            ir::HostTensor::of<std::int64_t>({}, {std::int64_t(length)}));
}

// What an operator of sequences makes of one; nothing if it is no such operator.
std::optional<Importer::Followed> Importer::sequenceFrom(const NodeProto &node, const Values &given,
                                                         const Values &inputs) {
  const std::string &type = node.op_type();
  Values list = given;
  const auto place = [&](std::size_t i, std::size_t end, std::size_t otherwise) {
    const Value v = input(inputs, i);
    return std::ptrdiff_t(v == ir::none ? otherwise : position(graph_, node, v, list.size(), end));
  };
  if (type == "SequenceAt")
    return Followed{{list.at(std::size_t(place(1, list.size(), 0)))}};
  if (type == "SequenceLength")
    return Followed{{sequenceLength(list.size())}};
  if (type == "ConcatFromSequence")
    return Followed{{concatFromSequence(node, list)}};
  if (type == "SequenceConstruct")
    list = inputs;
  else if (type == "SplitToSequence")
    list = splitToSequence(node, inputs);
  else if (type == "SequenceInsert")
    list.insert(list.begin() + place(2, list.size() + 1, list.size()), inputs.at(1));
  else if (type == "SequenceErase" && !list.empty())
    list.erase(list.begin() + place(1, list.size(), list.size() - 1));
  else if (type != "Identity" && type != "SequenceEmpty")
    return std::nullopt;
  return Followed{list, Followed::Sequence};
}

// Optional values are what they hold, for whether they are there is known.
std::optional<Importer::Followed> Importer::optionalFrom(const NodeProto &node) {
  const std::string &type = node.op_type();
  if (type == "Optional" && node.input_size() == 0)
    return Followed{{}, Followed::Absent};
  if (node.input_size() != 1)
    return std::nullopt;
  const Followed held = follow(node.input(0));
  const bool absent = held.kind == Followed::Absent || held.items == Values{ir::none};
  if (type == "OptionalHasElement")
    return Followed{{graph_.addConstant(builder_.prefix + "has",
                                        ir::HostTensor::scalar(DataType::BOOL, absent ? 0 : 1))}};
  if (type == "OptionalGetElement" && absent)
    throw error(base::str("OptionalGetElement: \"", node.input(0),
                          "\" is not there. Name it in "
                          "InputShapeInfo if it is an input, or ask OptionalHasElement first."));
  return held;
}

// Whether the node makes or reads a sequence or an optional value that can be followed; `made` gets
// its tensors.
bool Importer::importSequence(const NodeProto &node, Values &made) {
  const std::string &type = node.op_type();
  const Followed *first = node.input_size() ? findOther(node.input(0)) : nullptr;
  const bool optional =
      type.rfind("Optional", 0) == 0 || (first && first->kind == Followed::Absent);
  const bool makes =
      type == "SequenceConstruct" || type == "SequenceEmpty" || type == "SplitToSequence";
  if ((!first && !makes && !optional) || type == "SequenceMap" || node.output_size() != 1)
    return false;
  std::vector<bool> given;
  for (const auto &name : node.input())
    given.push_back(!name.empty());
  if (const auto *schema = schemaOf(node, versionOf(node.domain())))
    checkFormalsOf(*schema, node, given, 1);
  const std::size_t firstNew = graph_.size();
  builder_.prefix = scopes_.back().prefix + labelOf(node) + "/";
  std::optional<Followed> result;
  if (optional) {
    if (type == "Identity" || type.rfind("Optional", 0) == 0)
      result = optionalFrom(node);
  } else {
    Values inputs;
    for (const auto &name : node.input())
      inputs.push_back(name.empty() || (first && &name == &node.input(0)) ? ir::none
                                                                          : resolve(name));
    builder_.settings = factsOf(node, reader_).settings;
    result = sequenceFrom(node, first ? first->items : Values(), inputs);
  }
  if (!result)
    return false;
  made = publishFollowed(node, {*result}, firstNew);
  return true;
}

} // namespace popart::onnxmodel
