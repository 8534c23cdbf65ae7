// SPDX-License-Identifier: MIT
#include "onnx/fromgraph.hpp"

#include "base/Text.hpp"
#include "onnx/fromlayers.hpp"
#include "onnx/tensors.hpp"
#include "opdef/opdef.hpp"
#include <algorithm>
#include <onnx/defs/schema.h>
#include <popart/error.hpp>
#include <set>

namespace popart::onnxmodel {

using ir::Graph;
using ir::HostTensor;
using ir::Kind;
using ir::Node;
using ir::none;
using ir::Value;
using onnx::AttributeProto;

namespace {

constexpr int usual = 11, newest = 17; // of ai.onnx
constexpr int irVersion = 8;           // of ONNX 1.12, the first with opset 17

[[noreturn]] void fail(const Graph &graph, const Node &node, const std::string &why) {
  throw error(
      base::str("The model cannot be written as ONNX: ", ops::describe(graph, node), " ", why));
}

// A node as ONNX has it: operators of our own that are one of ONNX's in other words, and without
// attributes that say what ONNX means anyway.
struct Form {
  std::string type, domain;
  ir::Attributes attributes;
};

// Padding below zero is room behind the last element that the kernel reaches.
void asConvTranspose(ir::Attributes &attributes) {
  auto pads = attributes.find<ir::Integers>("pads").value_or(ir::Integers());
  ir::Integers room(pads.size() / 2, 0);
  for (std::size_t d = 0; d < room.size(); ++d) {
    auto &upper = pads[room.size() + d];
    room[d] = std::max<std::int64_t>(0, -upper);
    upper += room[d];
  }
  attributes.set("pads", pads);
  attributes.set("output_padding", room);
  attributes.erase("field");
}

void renameOwn(const Graph &graph, const Node &node, Form &form) {
  auto &all = form.attributes;
  if (form.type == "ConstantPad") {
    form.type = "Pad";
    all.set("constant_value", *all.find<HostTensor>("value"));
    all.erase("value");
  } else if (form.type == "HardTanh") {
    form.type = "Clip";
    const auto type = graph[node.inputs[0]].info.dataType();
    for (const auto &[name, usually] : {std::pair("min", -1.f), std::pair("max", 1.f)})
      all.set(name, HostTensor::scalar(type, double(all.find<float>(name).value_or(usually))));
  } else if (form.type == "ConvDataGrad") {
    form.type = "ConvTranspose";
    asConvTranspose(all);
  } else if (form.type == "CheckIndices") { // files do not say that
    form.type = "Identity";
    all = {};
  } else if (form.type == "InsteadOf")
    form.type = "Identity";
  else
    return;
  form.domain.clear();
}

bool each(const ir::Attributes &attributes, const char *name, bool (*holds)(std::int64_t)) {
  const auto numbers = attributes.find<ir::Integers>(name).value_or(ir::Integers());
  return std::all_of(numbers.begin(), numbers.end(), holds);
}

// ai.graphcore's differs by the running variance, which is that of n - 1 elements.
void chooseBatchNorm(Form &form) {
  auto &all = form.attributes;
  all.erase("by_outputs");
  const bool trains = all.find<std::int64_t>("training_mode").value_or(0) != 0;
  if (trains && all.find<std::int64_t>("sample_variance").value_or(0)) {
    form.domain = "ai.graphcore";
    all.erase("training_mode"); // its outputs say so
  }
  all.erase("sample_variance");
}

Form formOf(const Graph &graph, const Node &node) {
  Form form{node.def->type, node.def->domain, node.attributes};
  if (form.domain == "openipu")
    renameOwn(graph, node, form);
  auto &all = form.attributes;
  if (form.type == "BatchNormalization")
    chooseBatchNorm(form);
  for (const auto &[type, name] :
       {std::pair("Split", "num_outputs"), std::pair("Loop", "carried"), std::pair("TopK", "ties"),
        std::pair("MaxPool", "first_of_ties"), std::pair("AveragePool", "first_of_ties"),
        std::pair("Max", "first_of_ties"), std::pair("Min", "first_of_ties"),
        std::pair("ReduceMax", "whole_to_ties"), std::pair("ReduceMin", "whole_to_ties")})
    if (form.type == type)
      all.erase(name);
  if (form.type == "Reshape" && each(all, "shape", [](std::int64_t n) { return n != 0; }))
    all.erase("allowzero");
  if (form.type == "AveragePool" && each(all, "dilations", [](std::int64_t n) { return n == 1; }))
    all.erase("dilations");
  if (form.type == "Loop" && all.has("trip")) {
    all.set("M", *all.find<std::int64_t>("trip"));
    all.erase("trip");
  }
  return form;
}

bool isSoftmax(const Node &node) {
  return node.def->domain.empty() &&
         (node.def->type == "Softmax" || node.def->type == "LogSoftmax");
}
// Before version 13 all dimensions from the axis on are one.
bool fitsOldSoftmax(const Graph &graph, const Node &node) {
  const auto rank = std::int64_t(graph[node.inputs[0]].info.rank());
  const auto axis = node.attributes.find<std::int64_t>("axis").value_or(-1);
  return axis == -1 || axis == rank - 1;
}

bool needsNewest(const Graph &graph) {
  for (const auto &node : graph.nodes) {
    const auto form = formOf(graph, node);
    if (form.domain.empty() && !onnx::OpSchemaRegistry::Schema(form.type, usual, ""))
      return true;
    if (form.domain.empty() && form.attributes.has("allowzero"))
      return true;
    if (isSoftmax(node) && !fitsOldSoftmax(graph, node))
      return true;
    for (const auto &body : node.bodies)
      if (needsNewest(*body))
        return true;
  }
  return false;
}

bool sameName(const std::string &a, const std::string &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return std::tolower(x) == std::tolower(y); });
}

void describe(onnx::ValueInfoProto &value, const TensorId &name, const TensorInfo &info) {
  value.set_name(name);
  auto *type = value.mutable_type()->mutable_tensor_type();
  type->set_elem_type(typeToOnnx(info.dataType()));
  auto *shape = type->mutable_shape();
  for (auto d : info.shape())
    shape->add_dim()->set_dim_value(d);
}

void setValue(AttributeProto &a, std::int64_t v) {
  a.set_type(AttributeProto::INT);
  a.set_i(v);
}
void setValue(AttributeProto &a, float v) {
  a.set_type(AttributeProto::FLOAT);
  a.set_f(v);
}
void setValue(AttributeProto &a, const std::string &v) {
  a.set_type(AttributeProto::STRING);
  a.set_s(v);
}
void setValue(AttributeProto &a, const ir::Integers &v) {
  a.set_type(AttributeProto::INTS);
  for (auto n : v)
    a.add_ints(n);
}
void setValue(AttributeProto &a, const std::vector<float> &v) {
  a.set_type(AttributeProto::FLOATS);
  for (auto n : v)
    a.add_floats(n);
}
void setValue(AttributeProto &a, const std::vector<std::string> &v) {
  a.set_type(AttributeProto::STRINGS);
  for (const auto &text : v)
    a.add_strings(text);
}
void setValue(AttributeProto &a, const HostTensor &v) {
  a.set_type(AttributeProto::TENSOR);
  write(*a.mutable_t(), v);
}

template <class T> void add(onnx::NodeProto &node, const std::string &name, const T &value) {
  auto *attribute = node.add_attribute();
  attribute->set_name(name);
  setValue(*attribute, value);
}
void add(onnx::NodeProto &node, const std::string &name, const ir::Attribute &value) {
  std::visit([&](const auto &v) { add(node, name, v); }, value);
}

// An attribute as the constant input that ONNX has instead.
struct AsTensor {
  bool list; // one number is a list of one
  HostTensor operator()(std::int64_t v) const {
    return HostTensor::of<std::int64_t>(list ? Shape{1} : Shape{}, {v});
  }
  HostTensor operator()(float v) const { return HostTensor::of<float>({}, {v}); }
  HostTensor operator()(const ir::Integers &v) const {
    return HostTensor::of<std::int64_t>({std::int64_t(v.size())}, v);
  }
  HostTensor operator()(const std::vector<float> &v) const {
    return HostTensor::of<float>({std::int64_t(v.size())}, v);
  }
  HostTensor operator()(const HostTensor &v) const { return v; }
  template <class Text> HostTensor operator()(const Text &) const { return {}; }
};

// Where a model is written to: names of all graphs in it are different ones.
struct Target {
  int opset = usual;
  std::set<std::string> domains, nodes;
  unsigned bodies = 0, constants = 0;

  // Operators of one layer have its name; others that read the file want different ones.
  std::string nodeName(const std::string &name) {
    auto unique = name;
    for (unsigned i = 1; !name.empty() && !nodes.insert(unique).second; ++i)
      unique = base::str(name, "/", i);
    return unique;
  }
};

class GraphWriter {
public:
  GraphWriter(const Graph &graph, onnx::GraphProto &out, Target &target, std::string prefix)
      : graph_(graph), out_(out), target_(target), prefix_(std::move(prefix)) {
    out_.set_name(graph.name.empty() ? "graph" : graph.name);
  }

  // In a body: values of the graph around it, by their names there.
  void bind(Value v, const std::string &name) { names_[v.value] = name; }
  void input(Value v, std::optional<DataType> type = std::nullopt) {
    const auto &info = graph_[v].info;
    describe(*out_.add_input(), nameOf(v), {type.value_or(info.dataType()), info.shape()});
  }

  void contents() {
    for (std::uint32_t i = 0; i < graph_.size(); ++i)
      if (const auto &value = graph_[Value{i}];
          value.kind == Kind::Variable || value.kind == Kind::Constant)
        initialiser(nameOf(Value{i}), value.info, value.data);
    for (const auto &node : graph_.nodes)
      writeNode(node);
    for (Value v : graph_.outputs)
      describe(*out_.add_output(), nameOf(v), graph_[v].info);
  }

private:
  std::string nameOf(Value v) {
    if (v == none)
      return "";
    const auto it = names_.find(v.value);
    return it != names_.end() ? it->second : prefix_ + graph_[v].name;
  }
  void initialiser(const std::string &name, const TensorInfo &info, const HostTensor &values) {
    auto *tensor = out_.add_initializer();
    tensor->set_name(name);
    if (values)
      return write(*tensor, values);
    tensor->set_data_type(typeToOnnx(info.dataType()));
    for (auto d : info.shape())
      tensor->add_dims(d);
  }
  std::string constant(const Node &node, const std::string &attribute, const HostTensor &values) {
    const auto name = base::str(prefix_, node.def->type, "/", attribute, "/", target_.constants++);
    initialiser(name, values.info(), values);
    return name;
  }

  void writeLayer(const Node &node) {
    std::vector<std::string> inputs, outputs;
    for (Value v : node.inputs)
      inputs.push_back(nameOf(v));
    for (Value v : node.outputs)
      outputs.push_back(nameOf(v));
    for (auto &made : recurrentNodes(graph_, node, inputs, outputs, outputs.at(0))) {
      settings(node.settings, made);
      made.set_name(target_.nodeName(made.name()));
      *out_.add_node() = std::move(made);
    }
  }

  void writeNode(const Node &node) {
    if (isRecurrentLayer(node))
      return writeLayer(node);
    const auto form = formOf(graph_, node);
    if (form.domain == "openipu")
      fail(graph_, node, "is an operator that ONNX and ai.graphcore do not have.");
    target_.domains.insert(form.domain);
    const auto *schema = form.domain.empty()
                             ? onnx::OpSchemaRegistry::Schema(form.type, target_.opset, "")
                             : nullptr;
    if (form.domain.empty() && !schema)
      fail(graph_, node, base::str("is not in version ", target_.opset, " of ai.onnx."));
    onnx::NodeProto out;
    out.set_op_type(form.type);
    out.set_domain(form.domain);
    out.set_name(target_.nodeName(node.settings.name));
    std::vector<std::string> inputs;
    for (Value v : ownInputs(node))
      inputs.push_back(nameOf(v));
    if (form.type == "OneHot" && schema)
      inputs.insert(inputs.begin() + 1, ""); // its depth
    for (const auto &[name, value] : form.attributes.all())
      attribute(node, schema, name, value, out, inputs);
    while (!inputs.empty() && inputs.back().empty())
      inputs.pop_back();
    for (const auto &name : inputs)
      out.add_input(name);
    auto outputs = node.outputs;
    while (!outputs.empty() && outputs.back() == none)
      outputs.pop_back();
    for (Value v : outputs)
      out.add_output(nameOf(v));
    settings(node.settings, out);
    bodies(node, out);
    *out_.add_node() = std::move(out);
  }

  void attribute(const Node &node, const onnx::OpSchema *schema, const std::string &name,
                 const ir::Attribute &value, onnx::NodeProto &out,
                 std::vector<std::string> &inputs) {
    if (!schema || schema->attributes().count(name))
      return add(out, name, value);
    if (name == "training_mode") // before it had a name it followed from the outputs
      return checkMode(node, value);
    const auto &formals = schema->inputs();
    const auto it = std::find_if(formals.begin(), formals.end(),
                                 [&](const auto &f) { return sameName(f.GetName(), name); });
    const auto data = std::visit(AsTensor{node.def->type == "TopK"}, value);
    if (it == formals.end() || !data)
      fail(graph_, node, base::str("has an attribute \"", name, "\", which ONNX does not have."));
    const auto at = std::size_t(it - formals.begin());
    inputs.resize(std::max(inputs.size(), at + 1));
    inputs[at] = constant(node, name, data);
  }

  void checkMode(const Node &node, const ir::Attribute &value) {
    const auto *mode = std::get_if<std::int64_t>(&value);
    const bool several = std::count_if(node.outputs.begin(), node.outputs.end(),
                                       [](Value v) { return v != none; }) > 1;
    const bool follows = node.def->type == "Dropout" || several;
    if (!mode || (*mode != 0) != follows)
      fail(graph_, node,
           base::str("has training_mode ", mode ? *mode : -1, ", which version ", target_.opset,
                     " of ai.onnx cannot say."));
  }

  void settings(const ir::Settings &from, onnx::NodeProto &out) {
    for (const auto &[name, value] : {std::pair("__ipu_number", from.virtualGraph),
                                      std::pair("__pipeline_stage", from.pipelineStage),
                                      std::pair("__execution_phase", from.executionPhase)})
      if (value)
        add(out, name, *value);
    if (from.recompute != ir::Recompute::Undefined)
      add(out, "__recompute_output_in_backward_pass", std::int64_t(from.recompute));
    if (from.schedulePriority != 0)
      add(out, "__schedule_priority", float(from.schedulePriority));
    for (const auto &[name, value] : from.extra.all())
      add(out, name, value);
  }

  // Those that ONNX has; behind them stands what bodies use from outside.
  ir::Values ownInputs(const Node &node) const {
    auto out = node.inputs;
    if (node.bodies.empty())
      return out;
    const auto &type = node.def->type;
    const auto carried = node.attributes.find<std::int64_t>("carried").value_or(0);
    const auto given = type == "If"     ? 1
                       : type == "Loop" ? std::size_t(2 + carried)
                       : type == "Call" ? out.size()
                                        : 0;
    if (!given)
      fail(graph_, node, "has a body and is none of If, Loop and Call, which can be written.");
    out.resize(given);
    return out;
  }

  void bodies(const Node &node, onnx::NodeProto &out) {
    const auto &type = node.def->type;
    const std::vector<std::string> names =
        type == "If"     ? std::vector<std::string>{"then_branch", "else_branch"}
        : type == "Loop" ? std::vector<std::string>{"body"}
                         : std::vector<std::string>{"callee"};
    for (std::size_t i = 0; i < node.bodies.size(); ++i) {
      auto *attribute = out.add_attribute();
      attribute->set_name(names.at(i));
      attribute->set_type(AttributeProto::GRAPH);
      body(node, *node.bodies[i], *attribute->mutable_g());
    }
  }
  void body(const Node &node, const Graph &graph, onnx::GraphProto &out) {
    GraphWriter writer(graph, out, target_, base::str("body", target_.bodies++, "/"));
    const auto own = ownInputs(node).size() - (node.def->type == "If" ? 1 : 0);
    const auto captured = node.inputs.size() - (graph.inputs.size() - own);
    for (std::size_t i = 0; i < graph.inputs.size(); ++i)
      if (i >= own)
        writer.bind(graph.inputs[i], nameOf(node.inputs[captured + i - own]));
      else // a Loop's number of iterations is of this type
        writer.input(graph.inputs[i], node.def->type == "Loop" && i == 0
                                          ? std::optional(DataType::INT64)
                                          : std::nullopt);
    writer.contents();
  }

  const Graph &graph_;
  onnx::GraphProto &out_;
  Target &target_;
  const std::string prefix_;
  std::map<std::uint32_t, std::string> names_;
};

void note(onnx::ModelProto &model, const std::string &kind, const TensorId &id,
          const std::string &value) {
  auto *entry = model.add_metadata_props();
  entry->set_key(base::str("__", kind, "/", id));
  entry->set_value(value);
}

// As the Builder does.
void addMetadata(onnx::ModelProto &model, const ir::ModelSettings &settings) {
  for (const auto &[id, input] : settings.inputs) {
    if (input.replicatedStreamMode() != ReplicatedStreamMode::Replicate)
      note(model, "replicated_stream_mode", id, base::str(int(input.replicatedStreamMode())));
    if (input.tileSet() != TileSet::Compute)
      note(model, "tile_set", id, base::str(int(input.tileSet())));
    if (input.exchangeStrategy() != ExchangeStrategy::JustInTime)
      note(model, "exchange_strategy", id, base::str(int(input.exchangeStrategy())));
  }
  for (const auto &[id, variable] : settings.variables)
    if (!(variable == VariableSettings())) {
      const auto &group = variable.getSharedVariableDomain();
      note(model, "variable_settings", id,
           base::str(int(group.type), ' ', group.replicaGroupSize, ' ',
                     int(variable.getRetrievalMode()),
                     variable.getStride() ? base::str(' ', variable.getStride()) : ""));
    }
}

} // namespace

onnx::ModelProto modelFrom(const Graph &graph, const ir::ModelSettings &settings) {
  onnx::ModelProto model;
  model.set_ir_version(irVersion);
  model.set_producer_name("OpenIPU");
  Target target;
  target.opset = needsNewest(graph) ? newest : usual;
  target.domains.insert("");
  GraphWriter writer(graph, *model.mutable_graph(), target, "");
  for (Value v : graph.inputs)
    writer.input(v);
  writer.contents();
  for (const auto &domain : target.domains) {
    auto *import = model.add_opset_import();
    import->set_domain(domain);
    import->set_version(domain.empty() ? target.opset : 1);
  }
  addMetadata(model, settings);
  return model;
}

} // namespace popart::onnxmodel
