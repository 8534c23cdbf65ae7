// SPDX-License-Identifier: MIT
// What the files of this folder share: users' operators as operators of ours (custom.cpp), graphs
// as users see them (op.cpp, builtin.cpp), their patterns (patterns.cpp), and how their Opx are
// asked (opx.cpp).
#pragma once
#include "opdef/graphbuilder.hpp"
#include <popart/ir.hpp>
#include <popart/op/builtin.hpp>
#include <popart/opmanager.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/popx/opxmanager.hpp>

namespace popart::custom {

using SharedOp = std::shared_ptr<Op>;
constexpr std::size_t mostTensors = 1 << 16; // of an operator

// The session that this thread prepares: what users' operators see by getIr().
class InSession {
public:
  InSession(bool training, const SessionOptions &options, const DataFlow &flow,
            const TensorId &loss);
  ~InSession();

private:
  std::shared_ptr<Ir> outer_;
};
std::shared_ptr<Ir> currentIr();  // one of its own outside sessions
TensorType typeOf(ir::Kind kind); // in the words of users' operators

// A graph with one operator in it, connected as a node is.
class Home {
public:
  Home() : ir_(currentIr()) {}
  void connect(Op &op, const ops::OpView &view);

private:
  std::shared_ptr<Ir> ir_;
  std::unique_ptr<Graph> graph_;
};

// A node that a user's operator computes. `inPlace`: it is a variant that may write its inputs.
ir::Node nodeFor(const SharedOp &op, const ir::Values &inputs, const ir::Attributes &attributes,
                 bool inPlace = false);
SharedOp opOf(const ir::Node &node); // nullptr unless it is a user's
// A registered operator by its name; nullptr if there is none.
SharedOp create(const OperatorIdentifier &id, const Op::Settings &settings);
Op::Settings settingsOf(const ir::Node &node);
ir::Attributes attributesOf(const BuiltinOp &op);
Attributes attributesOf(const ir::Node &node);

// The variants in place that a node of a user's operator may become, the most wanted first.
struct Variant {
  ir::Node node;        // but for its outputs and settings
  ir::Integers inPlace; // the input that each output lies in; -1: in none
};
std::vector<Variant> variantsOf(const ir::Graph &graph, const ir::Node &node);

ir::HostTensor dataOf(const Tensor &tensor); // popart::error unless its values are known
// PopART's own operator of a node, as users see it.
SharedOp builtin(const ir::Node &node);
// And back; none if a user's Opx computes it. popart::error if only sessions make it.
std::optional<ir::Node> nodeOfBuiltin(const Op &op, const ir::Values &inputs);

// The Opx registered for an operator; nothing if there is none.
popx::OpxManager::OpxFactoryFunc opxOf(const OperatorIdentifier &id);
ops::Tensors lower(lowering::Lowering &l, const ops::OpView &view, Op &op, bool inPlace);
poplar::Tensor createInput(lowering::Lowering &l, const ops::OpView &view, unsigned i, Op &op);

// Users' patterns, until none applies.
void applyPatterns(ir::Graph &graph, const Patterns &patterns);

} // namespace popart::custom
