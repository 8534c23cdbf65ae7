// SPDX-License-Identifier: MIT
#include "onnx/fromlayers.hpp"

#include "base/Text.hpp"
#include "onnx/tensors.hpp"
#include "opdef/opdef.hpp"

namespace popart::onnxmodel {

using ir::HostTensor;
using ir::Integers;

namespace {

struct LayerKind {
  const char *layer, *type;
  std::string order, usual; // of the gates: ONNX's, and the layer's if it does not say
  unsigned states;
};
const LayerKind kinds[] = {{"LstmLayer", "LSTM", "iofc", "fico", 2},
                           {"GruLayer", "GRU", "urc", "urc", 1},
                           {"RnnLayer", "RNN", "a", "a", 1}};

const LayerKind *kindOf(const ir::Node &node) {
  for (const auto &kind : kinds)
    if (node.def->type == kind.layer)
      return &kind;
  return nullptr;
}

class Nodes {
public:
  explicit Nodes(std::string stem) : stem_(std::move(stem)) {}
  std::vector<onnx::NodeProto> all;

  onnx::NodeProto &add(const char *type, const std::vector<std::string> &inputs,
                       const std::vector<std::string> &outputs) {
    auto &node = all.emplace_back();
    node.set_op_type(type);
    for (const auto &name : inputs)
      node.add_input(name);
    for (const auto &name : outputs)
      node.add_output(name);
    return node;
  }
  std::string made(const char *type, const std::vector<std::string> &inputs) {
    const auto name = base::str(stem_, "/", type, "/", number_++);
    add(type, inputs, {name});
    return name;
  }
  std::string constant(const HostTensor &values) {
    const auto name = made("Constant", {});
    auto *a = all.back().add_attribute();
    a->set_name("value");
    a->set_type(onnx::AttributeProto::TENSOR);
    write(*a->mutable_t(), values);
    return name;
  }
  std::string transposed(const std::string &v, const Integers &order) {
    const auto name = made("Transpose", {v});
    set("perm", order);
    return name;
  }
  std::string reshaped(const std::string &v, const Integers &shape) {
    const auto to = constant(HostTensor::of<std::int64_t>({std::int64_t(shape.size())}, shape));
    return made("Reshape", {v, to});
  }
  void set(const char *name, const Integers &numbers) { // of the last node
    auto *a = all.back().add_attribute();
    a->set_name(name);
    a->set_type(onnx::AttributeProto::INTS);
    for (auto n : numbers)
      a->add_ints(n);
  }
  void set(const char *name, std::int64_t number) {
    auto *a = all.back().add_attribute();
    a->set_name(name);
    a->set_type(onnx::AttributeProto::INT);
    a->set_i(number);
  }
  void set(const char *name, const std::string &text) {
    auto *a = all.back().add_attribute();
    a->set_name(name);
    a->set_type(onnx::AttributeProto::STRING);
    a->set_s(text);
  }
  void set(const char *name, const std::vector<std::string> &texts) {
    auto *a = all.back().add_attribute();
    a->set_name(name);
    a->set_type(onnx::AttributeProto::STRINGS);
    for (const auto &text : texts)
      a->add_strings(text);
  }

private:
  std::string stem_;
  unsigned number_ = 0;
};

class Layer {
public:
  Layer(const ir::Graph &graph, const ir::Node &node, Nodes &out)
      : graph_(graph), node_(node), out_(out), kind_(*kindOf(node)) {
    const auto &feedback = shape(2); // [gates, h, h]
    gates_ = feedback[0];
    h_ = feedback[2];
    batch_ = shape(0)[1];
  }

  void write(const std::vector<std::string> &in, const std::vector<std::string> &outputs) {
    std::vector<std::string> inputs{in[0], matrices(in[1], shape(1)[1]), matrices(in[2], h_),
                                    biases(in[3]), in.size() > 4 ? in[4] : ""};
    for (unsigned i = 5; i < in.size() && i < 5 + kind_.states; ++i)
      inputs.push_back(in[i].empty() ? "" : out_.reshaped(in[i], {1, batch_, h_}));
    while (inputs.back().empty())
      inputs.pop_back();
    std::vector<std::string> made;
    for (unsigned i = 0; i < 1 + kind_.states; ++i)
      made.push_back(i < outputs.size() && !outputs[i].empty() ? outputs[i] + "/whole" : "");
    while (!made.empty() && made.back().empty())
      made.pop_back();
    out_.add(kind_.type, inputs, made);
    attributes();
    for (unsigned i = 0; i < made.size(); ++i)
      if (!made[i].empty()) {
        const auto &whole = graph_[node_.outputs[i]].info.shape();
        const auto to =
            out_.constant(HostTensor::of<std::int64_t>({std::int64_t(whole.size())}, whole));
        out_.add("Reshape", {made[i], to}, {outputs[i]});
      }
  }

private:
  const Shape &shape(std::size_t input) const { return graph_[node_.inputs[input]].info.shape(); }

  // Gates along an axis, as ONNX has them.
  std::string ordered(const std::string &v, std::int64_t axis) {
    const auto order = node_.attributes.find<std::string>("order").value_or(kind_.usual);
    if (order == kind_.order)
      return v;
    Integers places;
    for (char gate : kind_.order)
      places.push_back(std::int64_t(order.find(gate)));
    const auto which =
        out_.constant(HostTensor::of<std::int64_t>({std::int64_t(places.size())}, places));
    const auto name = out_.made("Gather", {v, which});
    out_.set("axis", axis);
    return name;
  }
  // [gates, n, h] -> [1, gates * h, n]
  std::string matrices(const std::string &v, std::int64_t n) {
    return out_.reshaped(out_.transposed(ordered(v, 0), {0, 2, 1}), {1, gates_ * h_, n});
  }
  bool separate() const { return shape(3).size() == 3; } // [gates, 2, h]
  std::string biases(const std::string &v) {
    if (separate())
      return out_.reshaped(out_.transposed(ordered(v, 0), {1, 0, 2}), {1, 2 * gates_ * h_});
    const auto own = out_.reshaped(ordered(v, 0), {1, gates_ * h_});
    const auto none = out_.constant(
        HostTensor::filled({graph_[node_.inputs[3]].info.dataType(), {1, gates_ * h_}}, 0));
    const auto both = out_.made("Concat", {own, none});
    out_.set("axis", std::int64_t(1));
    return both;
  }

  void attributes() {
    out_.set("hidden_size", h_);
    if (node_.attributes.find<std::int64_t>("reverse").value_or(0))
      out_.set("direction", std::string("reverse"));
    auto names = *node_.attributes.find<std::vector<std::string>>("activations");
    if (kind_.states == 2)
      names.resize(3, names.back()); // that of the cell state is the candidate's
    for (auto &name : names)
      name[0] = char(std::toupper(name[0]));
    out_.set("activations", names);
    if (kind_.type == std::string("GRU") && separate())
      out_.set("linear_before_reset", std::int64_t(1));
  }

  const ir::Graph &graph_;
  const ir::Node &node_;
  Nodes &out_;
  const LayerKind &kind_;
  std::int64_t gates_ = 0, h_ = 0, batch_ = 0;
};

} // namespace

bool isRecurrentLayer(const ir::Node &node) { return kindOf(node) != nullptr; }

std::vector<onnx::NodeProto> recurrentNodes(const ir::Graph &graph, const ir::Node &node,
                                            const std::vector<std::string> &inputs,
                                            const std::vector<std::string> &outputs,
                                            const std::string &stem) {
  Nodes out(stem);
  Layer(graph, node, out).write(inputs, outputs);
  return std::move(out.all);
}

} // namespace popart::onnxmodel
