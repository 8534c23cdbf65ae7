// SPDX-License-Identifier: MIT
// The inside of a Builder: the ONNX graph that grows, and beside it the same graph as the importer
// sees it, which knows types and shapes.
#pragma once
#include "onnx/import.hpp"
#include <popart/builder.hpp>

namespace popart {

struct Builder::Impl : OpsetTarget {
  explicit Impl(Builder *parent);

  std::vector<TensorId> addOperator(const OpDomain &domain, const OpType &type, int opsetVersion,
                                    const std::vector<TensorId> &inputs,
                                    const OpsetAttributes &attributes, unsigned outputs,
                                    const DebugContext &debugContext) override;
  // The same with the names of the outputs; popart::error if one is taken. Empty: any name.
  std::vector<TensorId> addNode(const OpDomain &domain, const OpType &type, int opsetVersion,
                                const std::vector<TensorId> &inputs,
                                const OpsetAttributes &attributes,
                                const std::vector<TensorId> &outputs,
                                const DebugContext &debugContext);
  int customVersion(const OperatorIdentifier &opid) const;

  // A name no tensor of this builder, its parents and children has: `wanted`, `wanted/1` ...
  TensorId freeName(const std::string &wanted);
  void checkInputs(const OpType &type, const std::vector<TensorId> &inputs);
  void lockOpset(const OpDomain &domain, int version);
  bool knows(const TensorId &id) const; // here or in a parent
  onnx::NodeProto &nodeOf(const std::set<TensorId> &outputs);
  std::string scoped(const std::string &name) const;
  // What the importer makes of a node; shapes stay unknown after an operator it does not have.
  void infer(const onnx::NodeProto &node);
  void inferAsOnnx(const onnx::NodeProto &node);
  void importFromParent(const TensorId &id);
  const TensorInfo *infoOf(const TensorId &id) const;
  TensorInfo ofOneReplica(const TensorInfo &all, const VariableSettings &settings);
  void adopt(onnx::ModelProto loaded, const std::filesystem::path &folder);

  std::shared_ptr<onnx::ModelProto> model; // of the root
  onnx::GraphProto *graph;                 // this builder's
  std::unique_ptr<onnx::GraphProto> own;   // of a subgraph
  Builder *parent;
  Impl *root;
  std::vector<std::unique_ptr<Builder>> children;
  std::set<TensorId> names; // root: of all tensors
  std::map<std::string, unsigned> taken;
  std::set<TensorId> mine;               // tensors of this graph
  std::map<std::string, any> attributes; // of the scope
  std::vector<std::string> scopes;
  ir::Graph shapes;
  std::unique_ptr<onnxmodel::Importer> importer;
  std::set<TensorId> unknown; // tensors without type and shape
  bool guessed = false;       // root: shapes of weights that differ between replicas may be wrong
};

} // namespace popart
