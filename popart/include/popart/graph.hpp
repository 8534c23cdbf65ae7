// SPDX-License-Identifier: MIT
// A graph as patterns see it: operators and tensors, to be looked at and changed. The model itself
// is changed when the pattern is done.
#ifndef POPART_GRAPH_HPP
#define POPART_GRAPH_HPP
#include <popart/op.hpp>
#include <popart/topocons.hpp>

namespace popart {

class Tensors {
public:
  explicit Tensors(Graph &graph) : graph_(graph) {}
  Tensor *get(const TensorId &id) const; // popart::error if there is none
  bool contains(const TensorId &id) const { return all_.count(id) != 0; }
  std::vector<TensorId> getAllTensorIds() const;
  std::vector<TensorId> getIds(TensorType type) const;
  std::vector<Tensor *> getOfType(TensorType type) const;
  Tensor *addActGrad(const TensorId &id) { return add(id, TensorType::ActGrad); }
  Tensor *addStream(const TensorId &id, const TensorInfo &info);
  Tensor *addConstInit(const TensorId &id, const TensorInfo &info, const void *values);
  // popart::error: the variables of a model are those of its ONNX graph.
  void addVarInit(const TensorId &id, const TensorInfo &info, const void *values);
  Tensor *add(const TensorId &id, TensorType type); // popart::error if the name is taken
  void remove(const TensorId &id) { all_.erase(id); }

private:
  Graph &graph_;
  std::map<TensorId, std::unique_ptr<Tensor>> all_;
};

enum class RequireOptimalSchedule { Yes = 1, No = 0 };

class Graph {
public:
  Graph(Ir &ir, const std::string &name = "");
  ~Graph();
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;

  Ir &getIr() { return ir_; }
  const Ir &getIr() const { return ir_; }
  Tensors &getTensors() { return tensors_; }
  const Tensors &getTensors() const { return tensors_; }
  Tensor *getTensor(const TensorId &id) const { return tensors_.get(id); }

  const std::map<OpId, std::shared_ptr<Op>> &getOps() const { return ops_; }
  Op *getOp(OpId id) const; // popart::error if there is none
  OpId moveIntoGraph(std::unique_ptr<Op> op);
  void eraseOp(OpId id); // which must be disconnected, or is
  template <class OP, class... Args> OP *createOp(Args &&...args) {
    OP *op = new OP(std::forward<Args>(args)...);
    moveIntoGraph(std::unique_ptr<Op>(op));
    return op;
  }
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
  std::string str() const { return name_; }
  std::string getGraphString() const { return name_; }

  std::unique_ptr<TopoCons> topoCons;
  std::string id; // its name

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
