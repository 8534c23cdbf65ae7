// SPDX-License-Identifier: MIT
// A tensor of a graph as custom operators and patterns see it: who makes it and who reads it.
#ifndef POPART_TENSOR_HPP
#define POPART_TENSOR_HPP
#include <popart/debugcontext.hpp>
#include <popart/tensordata.hpp>
#include <popart/tensorinfo.hpp>
#include <popart/variablesettings.hpp>
#include <popart/vendored/optional.hpp>

namespace popart {

class Graph;
class Ir;
class Op;

enum class TensorType { ActGrad = 0, Const, Stream, Unknown, Variable, N };
const char *tensorTypeName(TensorType type);

// The operators that read a tensor, and how often each does.
class Consumers {
public:
  int getTotal() const;
  int n(Op *op) const;
  const std::vector<Op *> &getOps() const { return ops_; } // each once, in the order they came
  void increment(Op *op);
  void decrement(Op *op);

private:
  std::vector<Op *> ops_;
  std::vector<int> counts_;
};

class Tensor {
public:
  Tensor(const TensorId &i, TensorType type, Graph &graph) : id(i), graph_(&graph), type_(type) {}

  TensorId id;
  TensorInfo info;
  Consumers consumers;

  TensorType tensorType() const { return type_; }
  std::string tensor_type() const { return tensorTypeName(type_); }
  bool hasProducer() const { return producer_ != nullptr; }
  Op *getProducer() const; // popart::error if there is none
  Op *getProducerUnsafe() const { return producer_; }
  void setProducer(Op *op) { producer_ = op; }
  void resetProducer(Op *op) { producer_ = op; }
  Graph &getGraph() { return *graph_; }
  const Graph &getGraph() const { return *graph_; }
  Ir &getIr();
  const Ir &getIr() const;
  bool isGraphInput() const { return type_ == TensorType::Stream; }
  bool isAnchored() const;
  bool hasTensorData() const { return data_ != nullptr; }
  TensorData *tensorData(); // popart::error if it has none
  const TensorData *tensorData() const;
  void setTensorData(const TensorInfo &info, const void *values);
  bool hasVirtualGraphId() const;
  VGraphId getVirtualGraphId() const; // of its producer, else of its first reader
  std::string str() const { return id; }

private:
  Graph *graph_;
  TensorType type_;
  Op *producer_ = nullptr;
  std::shared_ptr<TensorData> data_;
};

} // namespace popart
#ifndef POPART_TENSORINDEX_HPP // which brings it when it is whole
#include <popart/op.hpp>
#endif
#endif
