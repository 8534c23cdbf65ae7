// SPDX-License-Identifier: MIT
// Nodes that stand for others: a model's own functions, and operators that we do not have but that
// ONNX defines by simpler ones.
#include "base/Text.hpp"
#include "onnx/attributes.hpp"
#include "onnx/import.hpp"
#include <onnx/defs/schema.h>
#include <popart/error.hpp>

namespace popart::onnxmodel {

using ir::Values;
using onnx::AttributeProto;
using onnx::FunctionProto;
using onnx::NodeProto;

namespace {

constexpr unsigned deepest = 32; // functions in functions; ONNX forbids recursion

std::string keyOf(const std::string &domain, const std::string &name) {
  return (domain == "ai.onnx" ? std::string() : domain) + '\n' + name;
}

using Given = std::map<std::string, const AttributeProto *>;

// Attributes that refer to those of the function get the caller's value, or go when it gave none.
void bindAttributes(NodeProto &node, const Given &given) {
  google::protobuf::RepeatedPtrField<AttributeProto> bound;
  for (auto &a : *node.mutable_attribute()) {
    if (a.ref_attr_name().empty()) {
      if (a.has_g())
        for (auto &inner : *a.mutable_g()->mutable_node())
          bindAttributes(inner, given);
      bound.Add()->Swap(&a);
    } else if (auto it = given.find(a.ref_attr_name()); it != given.end()) {
      auto *copy = bound.Add();
      *copy = *it->second;
      copy->set_name(a.name());
    }
  }
  node.mutable_attribute()->Swap(&bound);
}

onnx::TypeProto typeOf(const ir::Graph &graph, ir::Value v) {
  onnx::TypeProto type;
  if (v == ir::none)
    return type;
  const TensorInfo &info = graph[v].info;
  auto *tensor = type.mutable_tensor_type();
  tensor->set_elem_type(typeToOnnx(info.dataType()));
  for (auto dim : info.shape())
    tensor->mutable_shape()->add_dim()->set_dim_value(dim);
  tensor->mutable_shape(); // rank 0 has a shape too
  return type;
}

} // namespace

void Importer::setFunctions(const onnx::ModelProto &model) {
  for (const auto &function : model.functions())
    root_->functions[keyOf(function.domain(), function.name())] = &function;
}

bool Importer::isOwnFunction(const NodeProto &node) const {
  return root_->functions.count(keyOf(node.domain(), node.op_type())) != 0;
}

bool Importer::schemaFunction(const NodeProto &node, FunctionProto &function) {
  const auto *schema =
      onnx::OpSchemaRegistry::Schema(node.op_type(), static_cast<int>(versionOf(node.domain())),
                                     node.domain() == "ai.onnx" ? std::string() : node.domain());
  if (!schema)
    return false;
  if (schema->HasFunction())
    function = *schema->GetFunction();
  else if (schema->HasContextDependentFunction()) {
    std::vector<onnx::TypeProto> types;
    for (const auto &name : node.input()) {
      const Followed what = follow(name);
      onnx::TypeProto type = what.items.empty() ? onnx::TypeProto() : typeOf(graph_, what.items[0]);
      if (what.kind == Followed::Sequence)
        *types.emplace_back().mutable_sequence_type()->mutable_elem_type() = type;
      else
        types.push_back(type);
    }
    onnx::FunctionBodyBuildContextImpl context(node, types);
    if (!schema->BuildContextDependentFunction(context, function))
      return false;
  } else
    return false;
  return true;
}

bool Importer::expand(const NodeProto &node, Values &made) {
  const auto own = root_->functions.find(keyOf(node.domain(), node.op_type()));
  if (own != root_->functions.end()) {
    made = expandFunction(node, *own->second);
    return true;
  }
  FunctionProto function;
  if (ops::findOp(node.domain(), node.op_type()) || !schemaFunction(node, function))
    return false;
  NodeProto call = node; // with the attributes that ONNX assumes when they are left out
  const auto *schema = onnx::OpSchemaRegistry::Schema(
      node.op_type(), static_cast<int>(versionOf(node.domain())), function.domain());
  if (schema)
    for (const auto &[name, attribute] : schema->attributes())
      if (!findAttribute(node, name) && attribute.default_value.has_name())
        *call.add_attribute() = attribute.default_value;
  made = expandFunction(call, function);
  return true;
}

Values Importer::expandFunction(const NodeProto &node, const FunctionProto &function) {
  if (root_->depth >= deepest)
    throw error(base::str("Function \"", function.name(),
                          "\" calls itself, or functions are nested ", "deeper than ", deepest,
                          "."));
  if (node.input_size() > function.input_size() || node.output_size() > function.output_size())
    throw error(base::str("Function \"", function.name(), "\" has ", function.input_size(),
                          " inputs and ", function.output_size(), " outputs; ", node.input_size(),
                          " and ", node.output_size(), " are given."));
  countCopies(function.node_size());
  const std::size_t firstNew = graph_.size();
  Scope scope{
      {}, base::str(scopes_.back().prefix, node.output_size() ? node.output(0) : "", '/'), true};
  for (int i = 0; i < function.input_size(); ++i)
    scope.bind(function.input(i), follow(i < node.input_size() ? node.input(i) : TensorId()));
  Given given;
  for (const auto &a : node.attribute())
    given[a.name()] = &a;

  auto opsets = opsets_;
  for (const auto &opset : function.opset_import())
    opsets_[opset.domain() == "ai.onnx" ? "" : opset.domain()] = opset.version();
  scopes_.push_back(std::move(scope));
  ++root_->depth;
  std::vector<Followed> made;
  const auto leave = [&] {
    --root_->depth;
    scopes_.pop_back();
    opsets_.swap(opsets);
  };
  try {
    for (NodeProto inner : function.node()) {
      bindAttributes(inner, given);
      for (const auto &a : node.attribute()) // where and when to run
        if (a.name().rfind("__", 0) == 0)
          *inner.add_attribute() = a;
      addNode(inner);
    }
    for (int i = 0; i < node.output_size(); ++i)
      made.push_back(follow(node.output(i).empty() ? TensorId() : function.output(i)));
  } catch (...) {
    leave();
    throw;
  }
  leave();
  builder_.settings = factsOf(node, reader_).settings;
  return publishFollowed(node, made, firstNew);
}

} // namespace popart::onnxmodel
