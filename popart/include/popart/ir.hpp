// SPDX-License-Identifier: MIT
// What custom operators and patterns may know of the session they are part of. Operators that a
// Builder makes are part of none: default options, inference.
#ifndef POPART_IR_HPP
#define POPART_IR_HPP
#include <popart/dataflow.hpp>
#include <popart/graph.hpp>
#include <popart/sessionoptions.hpp>

namespace popart {

class Ir {
public:
  enum class ExecutionMode { Inference, Training }; // for what it was made

  // For what it was made. A model that trains can also be run forward.
  bool isTraining() const { return mode_ == ExecutionMode::Training; }
  bool isTesting() const { return mode_ == ExecutionMode::Inference; }
  bool canTrain() const { return isTraining(); }
  bool canInfer() const { return true; }
  ExecutionMode getExecutionMode() const { return mode_; }
  const SessionOptions &getSessionOptions() const { return options_; } // the session's options
  const DataFlow &getDataFlow() const { return flow_; } // batches of a step, and anchors
  // Whether a step returns the tensor.
  bool isAnchored(const TensorId &id) const { return flow_.isAnchored(id); }
  const TensorId &getFinalLossId() const { return loss_; } // "" for inference
  Graph &getMainGraph(); // popart::error while it is not whole: only patterns see it
  const Graph &getMainGraph() const;
  std::vector<Op *> getAllOps() const; // of all graphs
  // popart::error: the variables of a model are those of its ONNX graph.
  void addAdditionalModelProtoTensor(const TensorId &id);
  void addAdditionalModelProtoTensor(Tensor *tensor);
  // A name that no tensor has yet.
  TensorId createIntermediateTensorId(const TensorId &base);

  // For the machinery that makes it.
  Ir() = default;
  Ir(bool training, const SessionOptions &options, const DataFlow &flow, const TensorId &loss)
      : mode_(training ? ExecutionMode::Training : ExecutionMode::Inference), options_(options),
        flow_(flow), loss_(loss) {}
  void setMainGraph(Graph *graph) { main_ = graph; } // for the machinery that makes it

private:
  ExecutionMode mode_ = ExecutionMode::Inference;
  SessionOptions options_;
  DataFlow flow_;
  TensorId loss_;
  Graph *main_ = nullptr;
  unsigned names_ = 0;
};

} // namespace popart
#endif
