// SPDX-License-Identifier: MIT
// A graph as patterns see it: operators and tensors, to be looked at and changed. The model itself
// is changed when the pattern is done.
#ifndef POPART_GRAPH_HPP
#define POPART_GRAPH_HPP
#include <popart/op.hpp>
#include <popart/topocons.hpp>

namespace popart {

// The tensors of a graph, by name.
class Tensors {
public:
  explicit Tensors(Graph &graph) : graph_(graph) {}
  Tensor *get(const TensorId &id) const; // popart::error if there is none
  // Whether there is one of this name.
  bool contains(const TensorId &id) const { return all_.count(id) != 0; }
  std::vector<TensorId> getAllTensorIds() const;          // names of all of them
  std::vector<TensorId> getIds(TensorType type) const;    // names of those of a kind
  std::vector<Tensor *> getOfType(TensorType type) const; // those of a kind
  // Adds one that an operator makes.
  Tensor *addActGrad(const TensorId &id) { return add(id, TensorType::ActGrad); }
  Tensor *addStream(const TensorId &id, const TensorInfo &info); // adds an input of the model
  // Adds a constant; its values are copied.
  Tensor *addConstInit(const TensorId &id, const TensorInfo &info, const void *values);
  // popart::error: the variables of a model are those of its ONNX graph.
  void addVarInit(const TensorId &id, const TensorInfo &info, const void *values);
  Tensor *add(const TensorId &id, TensorType type);   // popart::error if the name is taken
  void remove(const TensorId &id) { all_.erase(id); } // forgets it; nobody may use it any more

private:
  Graph &graph_;
  std::map<TensorId, std::unique_ptr<Tensor>> all_;
};

// No effect: every order is one in which operators can run.
enum class RequireOptimalSchedule { Yes = 1, No = 0 };

// A graph of operators, as custom operators and patterns see it.
class Graph {
public:
  Graph(Ir &ir, const std::string &name = "");
  ~Graph();
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;

  Ir &getIr() { return ir_; } // the ir it belongs to
  const Ir &getIr() const { return ir_; }
  Tensors &getTensors() { return tensors_; } // its tensors
  const Tensors &getTensors() const { return tensors_; }
  // A tensor by name; popart::error if there is none.
  Tensor *getTensor(const TensorId &id) const { return tensors_.get(id); }

  const std::map<OpId, std::shared_ptr<Op>> &getOps() const { return ops_; } // by number
  Op *getOp(OpId id) const;                   // popart::error if there is none
  OpId moveIntoGraph(std::unique_ptr<Op> op); // takes an operator over and gives it a number
  void eraseOp(OpId id);                      // which must be disconnected, or is
  // Makes an operator in the graph from its constructor's arguments.
  template <class OP, class... Args> OP *createOp(Args &&...args) {
    OP *op = new OP(std::forward<Args>(args)...);
    moveIntoGraph(std::unique_ptr<Op>(op));
    return op;
  }
  // The same, and connects it: inputs that are there, outputs that are made if they are not.
  template <class OP, class... Args>
  OP *createConnectedOp(const std::map<InIndex, TensorId> &in,
                        const std::map<OutIndex, TensorId> &out, Args &&...args) {
    OP *op = createOp<OP>(std::forward<Args>(args)...);
    connect(*op, in, out);
    return op;
  }
  // Operators in an order in which they can run.
  std::vector<Op *> getOpSchedule(const std::map<Op *, std::vector<Op *>> &more = {},
                                  RequireOptimalSchedule = RequireOptimalSchedule::No) const;
  std::string str() const { return name_; }            // its name
  std::string getGraphString() const { return name_; } // its name

  std::unique_ptr<TopoCons> topoCons; // orders that tensors do not say
  std::string id;                     // its name

  // For the machinery that fills it.
  OpId add(std::shared_ptr<Op> op);

private:
  static void connect(Op &op, const std::map<InIndex, TensorId> &in,
                      const std::map<OutIndex, TensorId> &out);
  Ir &ir_;
  std::string name_;
  Tensors tensors_;
  std::map<OpId, std::shared_ptr<Op>> ops_;
};

} // namespace popart
#endif
