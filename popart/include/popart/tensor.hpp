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

// Made by an operator, constant, input of the model, not known, or variable.
enum class TensorType { ActGrad = 0, Const, Stream, Unknown, Variable, N };
const char *tensorTypeName(TensorType type); // "ActGrad", "Const", "Stream" ...

// The operators that read a tensor, and how often each does.
class Consumers {
public:
  int getTotal() const;                                    // reads of all operators
  int n(Op *op) const;                                     // reads of one operator
  const std::vector<Op *> &getOps() const { return ops_; } // each once, in the order they came
  void increment(Op *op);                                  // one more read
  void decrement(Op *op);                                  // one read less

private:
  std::vector<Op *> ops_;
  std::vector<int> counts_;
};

// A tensor of a graph: its type and shape, who makes it and who reads it.
class Tensor {
public:
  Tensor(const TensorId &i, TensorType type, Graph &graph) : id(i), graph_(&graph), type_(type) {}

  TensorId id;         // its name
  TensorInfo info;     // type and shape
  Consumers consumers; // who reads it

  TensorType tensorType() const { return type_; }                   // what kind it is
  std::string tensor_type() const { return tensorTypeName(type_); } // the same as text
  bool hasProducer() const { return producer_ != nullptr; }         // whether an operator makes it
  Op *getProducer() const;                            // popart::error if there is none
  Op *getProducerUnsafe() const { return producer_; } // the same; null if there is none
  // Says who makes it.
  void setProducer(Op *op) { producer_ = op; }
  void resetProducer(Op *op) { producer_ = op; }
  Graph &getGraph() { return *graph_; } // the graph it belongs to
  const Graph &getGraph() const { return *graph_; }
  Ir &getIr(); // the ir it belongs to
  const Ir &getIr() const;
  // Whether it is an input of the model.
  bool isGraphInput() const { return type_ == TensorType::Stream; }
  bool isAnchored() const; // whether a step returns it
  // Whether its values are known: it is a constant or a variable.
  bool hasTensorData() const { return data_ != nullptr; }
  TensorData *tensorData(); // popart::error if it has none
  const TensorData *tensorData() const;
  // Gives it values, which are copied.
  void setTensorData(const TensorInfo &info, const void *values);
  bool hasVirtualGraphId() const;        // whether its producer, or a reader, has an IPU
  VGraphId getVirtualGraphId() const;    // of its producer, else of its first reader
  std::string str() const { return id; } // its name

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
