// SPDX-License-Identifier: MIT
// Which tensors of a model must have the same element type, from ONNX's definitions of the
// operators: a type can be changed for such a class as a whole, if every operator takes the new
// one.
#pragma once
#include <map>
#include <onnx/onnx_pb.h>
#include <popart/names.hpp>
#include <set>

namespace popart::onnxmodel {

class TypeClasses {
public:
  // For a change from one ONNX element type to another.
  TypeClasses(const onnx::ModelProto &model, int from, int to);
  bool mayChange(const TensorId &id) { return !pinned_.count(root(id)); }

private:
  void addGraph(const onnx::GraphProto &graph);
  void addNode(const onnx::NodeProto &node);
  void addBodies(const onnx::NodeProto &node);
  void addLoop(const onnx::NodeProto &node, const onnx::GraphProto &body);
  void addBranch(const onnx::NodeProto &node, const onnx::GraphProto &body);
  void pin(const TensorId &id);
  void join(const TensorId &a, const TensorId &b);
  TensorId root(const TensorId &id);
  int version(const std::string &domain) const;

  std::map<std::string, int> versions_;
  std::string fromName_, toName_; // "tensor(float)"
  std::map<TensorId, TensorId> parent_;
  std::set<TensorId> pinned_; // roots
};

} // namespace popart::onnxmodel
