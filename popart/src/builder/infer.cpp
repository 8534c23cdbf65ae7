// SPDX-License-Identifier: MIT
// Types and shapes while a model is built: what the importer makes of each node. What it refuses is
// an error at once, but for types that an operator cannot compute with and values that must be
// known: those are left to the session.
#include "builder/attributes.hpp"
#include "builder/impl.hpp"
#include "onnx/formals.hpp"
#include "onnx/newer.hpp"
#include "opdef/importing.hpp"
#include "opdef/refusals.hpp"
#include <algorithm>
#include <onnx/shape_inference/implementation.h>

namespace popart {

namespace builder {
void describe(onnx::ValueInfoProto &out, const TensorId &id, const TensorInfo &info) {
  out.set_name(id);
  auto &type = *out.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnxmodel::typeToOnnx(info.dataType()));
  for (auto d : info.shape())
    type.mutable_shape()->add_dim()->set_dim_value(d);
  type.mutable_shape();
}
std::optional<TensorInfo> fixedInfo(const onnx::TypeProto &type) {
  const auto &tensor = type.tensor_type();
  if (!type.has_tensor_type() || !tensor.has_shape() || !tensor.elem_type())
    return std::nullopt;
  Shape shape;
  for (const auto &dim : tensor.shape().dim()) {
    if (!dim.has_dim_value())
      return std::nullopt;
    shape.push_back(dim.dim_value());
  }
  return TensorInfo(onnxmodel::typeFromOnnx(tensor.elem_type()), shape);
}
} // namespace builder

namespace {
// What a node reads: its inputs, and in its bodies whatever has a name.
void collectReads(const onnx::NodeProto &node, std::set<TensorId> &out) {
  out.insert(node.input().begin(), node.input().end());
  for (const auto &attribute : node.attribute())
    for (const auto &inner : attribute.g().node())
      collectReads(inner, out);
}
std::int64_t opsetOf(const onnx::ModelProto &model, const std::string &domain) {
  for (const auto &import : model.opset_import())
    if (import.domain() == domain)
      return domain.empty() ? std::max(import.version(), onnxmodel::oldestOpset) : import.version();
  return 1;
}
bool hasBodies(const onnx::NodeProto &node) {
  return std::any_of(node.attribute().begin(), node.attribute().end(), [](const auto &attribute) {
    return attribute.type() == onnx::AttributeProto::GRAPH;
  });
}
// Replicas are not known before there is a session, and with them the size of these results.
bool dependsOnReplicas(const ops::OpDef &def) {
  return def.type == "ReplicatedReduceScatter" || def.type == "ReplicatedAllGather";
}
// The library reads all three dimensions of what a recurrent layer gets without counting them.
bool crashesOnnx(const onnx::NodeProto &node, const TensorInfo *first) {
  const auto &type = node.op_type();
  return (type == "RNN" || type == "GRU" || type == "LSTM") && first && first->rank() != 3;
}
void checkFormals(const ops::OpDef &def, const onnx::NodeProto &node) {
  std::vector<bool> given;
  for (const auto &id : node.input())
    given.push_back(!id.empty());
  onnxmodel::checkFormalsOf(def, node, given, unsigned(node.output_size()));
}
} // namespace

// Lets the importer know a tensor of a parent, with its value if that is known.
void Builder::Impl::importFromParent(const TensorId &id) {
  const auto *info = infoOf(id);
  if (!info || shapes.find(id) != ir::none)
    return;
  const Impl *owner = this;
  while (owner->shapes.find(id) == ir::none)
    owner = owner->parent->impl_.get();
  const auto &value = owner->shapes[owner->shapes.find(id)];
  if (value.kind == ir::Kind::Constant)
    importer->addInitializer(id, value.data, ir::Kind::Constant);
  else
    importer->addInput(id, *info);
}

// ONNX's own idea of what a node makes, where ours has to wait for the session.
void Builder::Impl::inferAsOnnx(const onnx::NodeProto &node) {
  const auto *schema = onnxmodel::schemaOf(node, opsetOf(*root->model, node.domain()));
  onnx::NodeProto copy = node;
  std::map<TensorId, onnx::ValueInfoProto> described;
  std::unordered_map<std::string, onnx::TypeProto *> types;
  for (const auto &id : node.input())
    if (const auto *info = infoOf(id); info && !types.count(id)) {
      builder::describe(described[id], id, *info);
      types[id] = described[id].mutable_type();
    }
  onnx::shape_inference::InferenceContextImpl context(copy, types, {}, {});
  try {
    if (schema && schema->has_type_and_shape_inference_function() &&
        !crashesOnnx(node, node.input_size() ? infoOf(node.input(0)) : nullptr))
      schema->GetTypeAndShapeInferenceFunction()(context);
  } catch (const std::exception &) { // it does not know either
  }
  for (int i = 0; i < node.output_size(); ++i) {
    const auto &type = *context.getOutputType(std::size_t(i));
    if (const auto info = builder::fixedInfo(type))
      importer->addInput(node.output(i), *info);
    else
      unknown.insert(node.output(i));
  }
}

void Builder::Impl::infer(const onnx::NodeProto &node) {
  bool known = true;
  for (const auto &id : node.input())
    known = known && (id.empty() || infoOf(id));
  const auto *def = onnxmodel::definitionOf(node, opsetOf(*root->model, node.domain()));
  if (def && dependsOnReplicas(*def)) {
    checkFormals(*def, node);
    known = false;
  }
  if (known && def) {
    std::set<TensorId> reads;
    collectReads(node, reads);
    for (const auto &id : reads)
      importFromParent(id);
    for (const auto &import : root->model->opset_import())
      importer->setOpset(import.domain(), opsetOf(*root->model, import.domain()));
    try {
      importer->addNode(node);
      return;
    } catch (const ops::not_constant &) { // weights may be constants in a session
    } catch (const ops::wrong_type &) {
      return inferAsOnnx(node);
    } catch (const error &) {
      if (!root->guessed && !hasBodies(node))
        throw;
    }
  }
  unknown.insert(node.output().begin(), node.output().end());
}

} // namespace popart
