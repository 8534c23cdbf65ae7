// SPDX-License-Identifier: MIT
// Changes of ONNX models: element types by classes of tensors (typeclasses.hpp), initialisers,
// nodes.
#include <popart/graphtransformer.hpp>

#include "base/Text.hpp"
#include "onnx/export.hpp"
#include "onnx/import.hpp"
#include "onnx/settings.hpp"
#include "onnx/typeclasses.hpp"

#include <algorithm>
#include <limits>
#include <popart/error.hpp>

namespace popart {

using ir::HostTensor;
using onnx::AttributeProto;
using onnx::GraphProto;
using onnx::NodeProto;
using onnx::TensorProto;
using onnxmodel::TypeClasses;

struct GraphTransformer::Impl {
  explicit Impl(const std::string &modelOrFile) {
    const auto opened = onnxmodel::openModel(modelOrFile);
    model = opened.whole();
    reader = onnxmodel::TensorReader(opened.folder);
    folder = opened.folder;
  }
  onnx::ModelProto model;
  onnxmodel::TensorReader reader;
  std::filesystem::path folder;

  struct Change {
    DataType from, to;
    bool clip = false;
    TypeClasses *classes = nullptr;
  };
  void convert(DataType from, DataType to, bool clip = false);
  void convertGraph(GraphProto &graph, const Change &change);
  void convertNode(NodeProto &node, const Change &change);
  void convertTensor(TensorProto &tensor, const Change &change);
  void toConstants(const std::set<TensorId> &ids);
};

namespace {

std::int64_t onnxType(DataType type) { return onnxmodel::typeToOnnx(type); }

void convertInfo(onnx::ValueInfoProto &info, int from, int to, TypeClasses &classes) {
  auto *tensor = info.mutable_type()->mutable_tensor_type();
  if (tensor->elem_type() == from && classes.mayChange(info.name()))
    tensor->set_elem_type(to);
}

HostTensor clipped(const HostTensor &values) {
  auto numbers = values.integers();
  for (auto &n : numbers)
    n = std::clamp<std::int64_t>(n, std::numeric_limits<std::int32_t>::min(),
                                 std::numeric_limits<std::int32_t>::max());
  return HostTensor::fromIntegers(values.info(), numbers);
}

// Constants may come as plain numbers: value_float, value_ints ...
bool plainConstant(const AttributeProto &attribute, HostTensor &out) {
  const auto &name = attribute.name();
  if (name == "value_float")
    out = HostTensor::of<float>({}, {attribute.f()});
  else if (name == "value_floats")
    out = HostTensor::of<float>({attribute.floats_size()},
                                {attribute.floats().begin(), attribute.floats().end()});
  else if (name == "value_int")
    out = HostTensor::of<std::int64_t>({}, {attribute.i()});
  else if (name == "value_ints")
    out = HostTensor::of<std::int64_t>({attribute.ints_size()},
                                       {attribute.ints().begin(), attribute.ints().end()});
  else
    return false;
  return true;
}

} // namespace

void GraphTransformer::Impl::convertTensor(TensorProto &tensor, const Change &change) {
  if (tensor.data_type() != onnxType(change.from))
    return;
  auto values = reader.read(tensor);
  if (change.clip)
    values = clipped(values);
  const auto name = tensor.name();
  tensor.Clear();
  tensor.set_name(name);
  onnxmodel::write(tensor, values.as(change.to));
}

void GraphTransformer::Impl::convertNode(NodeProto &node, const Change &change) {
  const bool changes = node.output_size() && change.classes->mayChange(node.output(0));
  for (auto &attribute : *node.mutable_attribute()) {
    HostTensor plain;
    if (attribute.has_g())
      convertGraph(*attribute.mutable_g(), change);
    else if (!changes)
      continue;
    else if (attribute.has_t())
      convertTensor(*attribute.mutable_t(), change);
    else if ((attribute.name() == "to" || attribute.name() == "dtype") &&
             attribute.i() == onnxType(change.from))
      attribute.set_i(onnxType(change.to));
    else if (node.op_type() == "Constant" && plainConstant(attribute, plain) &&
             plain.type() == change.from) {
      attribute.Clear();
      attribute.set_name("value");
      attribute.set_type(AttributeProto::TENSOR);
      onnxmodel::write(*attribute.mutable_t(), plain);
      convertTensor(*attribute.mutable_t(), change);
    }
  }
}

void GraphTransformer::Impl::convertGraph(GraphProto &graph, const Change &change) {
  const int from = static_cast<int>(onnxType(change.from)),
            to = static_cast<int>(onnxType(change.to));
  for (auto *infos : {graph.mutable_input(), graph.mutable_output(), graph.mutable_value_info()})
    for (auto &info : *infos)
      convertInfo(info, from, to, *change.classes);
  for (auto &initializer : *graph.mutable_initializer())
    if (change.classes->mayChange(initializer.name()))
      convertTensor(initializer, change);
  for (auto &node : *graph.mutable_node())
    convertNode(node, change);
}

void GraphTransformer::Impl::convert(DataType from, DataType to, bool clip) {
  TypeClasses classes(model, int(onnxType(from)), int(onnxType(to)));
  convertGraph(*model.mutable_graph(), {from, to, clip, &classes});
}

// Constants come first, so that every node that uses one stands behind it.
void GraphTransformer::Impl::toConstants(const std::set<TensorId> &ids) {
  auto &graph = *model.mutable_graph();
  google::protobuf::RepeatedPtrField<NodeProto> nodes;
  google::protobuf::RepeatedPtrField<TensorProto> rest;
  for (auto &initializer : graph.initializer()) {
    if (!ids.count(initializer.name())) {
      *rest.Add() = initializer;
      continue;
    }
    auto &node = *nodes.Add();
    node.set_op_type("Constant");
    node.add_output(initializer.name());
    auto &attribute = *node.add_attribute();
    attribute.set_name("value");
    attribute.set_type(AttributeProto::TENSOR);
    onnxmodel::write(*attribute.mutable_t(), reader.read(initializer));
  }
  nodes.MergeFrom(graph.node());
  graph.mutable_node()->Swap(&nodes);
  graph.mutable_initializer()->Swap(&rest);
  auto &inputs = *graph.mutable_input();
  inputs.erase(std::remove_if(inputs.begin(), inputs.end(),
                              [&](const auto &input) { return ids.count(input.name()) != 0; }),
               inputs.end());
}

GraphTransformer::GraphTransformer(const std::string &modelOrFile)
    : impl_(std::make_unique<Impl>(modelOrFile)) {}
GraphTransformer::~GraphTransformer() = default;

std::string GraphTransformer::getModelProto() const { return impl_->model.SerializeAsString(); }

void GraphTransformer::convertFloatsToHalfs() {
  impl_->convert(DataType::FLOAT, DataType::FLOAT16);
}
void GraphTransformer::convertDoublesToFloats() {
  impl_->convert(DataType::DOUBLE, DataType::FLOAT);
}
void GraphTransformer::convertDoublesToHalfs() {
  impl_->convert(DataType::DOUBLE, DataType::FLOAT16);
}
void GraphTransformer::convertBFloats16ToFloat32() {
  impl_->convert(DataType::BFLOAT16, DataType::FLOAT);
}
void GraphTransformer::convertUINT8ToINT32() { impl_->convert(DataType::UINT8, DataType::INT32); }
void GraphTransformer::convertUINT16ToINT32() { impl_->convert(DataType::UINT16, DataType::INT32); }
void GraphTransformer::convertINT8ToINT32() { impl_->convert(DataType::INT8, DataType::INT32); }
void GraphTransformer::convertINT16ToINT32() { impl_->convert(DataType::INT16, DataType::INT32); }
void GraphTransformer::convertINT64ToINT32(bool clip) {
  impl_->convert(DataType::INT64, DataType::INT32, clip);
}

void GraphTransformer::convertInitializersToConstants(const std::vector<TensorId> &ids) {
  std::set<TensorId> known;
  for (const auto &initializer : impl_->model.graph().initializer())
    known.insert(initializer.name());
  for (const auto &id : ids)
    if (!known.count(id))
      throw error(base::str("The model has no initializer \"", id, "\"."));
  impl_->toConstants({ids.begin(), ids.end()});
}
void GraphTransformer::convertAllFixedPointInitializersToConstants() {
  std::set<TensorId> ids;
  for (const auto &initializer : impl_->model.graph().initializer())
    if (isFixedPoint(onnxmodel::typeFromOnnx(initializer.data_type())))
      ids.insert(initializer.name());
  impl_->toConstants(ids);
}

void GraphTransformer::prepareNodesForTraining() {
  auto &graph = *impl_->model.mutable_graph();
  for (auto &node : *graph.mutable_node()) {
    if (node.op_type() != "BatchNormalization" || node.output_size() == 5)
      continue;
    const auto y = node.output(0);
    node.clear_output();
    node.add_output(y);
    for (const char *name : {"mean", "var", "saved_mean", "saved_var"})
      node.add_output(base::str(y, "/", name));
  }
}

void GraphTransformer::removeUnusedInputs() {
  auto &graph = *impl_->model.mutable_graph();
  std::set<TensorId> used;
  const auto collect = [&](const GraphProto &g, const auto &self) -> void {
    for (const auto &node : g.node()) {
      used.insert(node.input().begin(), node.input().end());
      for (const auto &attribute : node.attribute())
        if (attribute.has_g())
          self(attribute.g(), self);
    }
    for (const auto &output : g.output())
      used.insert(output.name());
  };
  collect(graph, collect);
  const auto unused = [&](const auto &tensor) { return !used.count(tensor.name()); };
  auto &inputs = *graph.mutable_input();
  inputs.erase(std::remove_if(inputs.begin(), inputs.end(), unused), inputs.end());
  auto &initializers = *graph.mutable_initializer();
  initializers.erase(std::remove_if(initializers.begin(), initializers.end(), unused),
                     initializers.end());
}

void GraphTransformer::saveInitializersExternally(const std::vector<TensorId> &ids,
                                                  const std::string &file) {
  onnxmodel::storeExternally(impl_->model, ids, file);
}

} // namespace popart
