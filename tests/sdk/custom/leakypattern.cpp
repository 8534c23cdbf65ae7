// SPDX-License-Identifier: MIT
// A pattern that puts operators in the place of another: relu(x) becomes leaky(x) + 0 x, of a
// custom operator and PopART's own.
#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/op.hpp>
#include <popart/op/add.hpp>
#include <popart/op/identity.hpp>
#include <popart/op/l1.hpp>
#include <popart/op/matmul.hpp>
#include <popart/operators.hpp>
#include <popart/opidentifier.hpp>
#include <popart/opmanager.hpp>
#include <popart/patterns/pattern.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/popx/devicex.hpp>
#include <popart/popx/opx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popart/tensor.hpp>
#include <popart/tensordata.hpp>
#include <popart/topocons.hpp>
#include <popops/ElementWise.hpp>

namespace pe = popops::expr;

namespace CustomOperators {
const popart::OperatorIdentifier Leaky = {"custom.ops", "Leaky", 1};
const popart::OperatorIdentifier LeakyGrad = {"custom.ops", "LeakyGrad", 1};
} // namespace CustomOperators

class LeakyGradOp : public popart::Op {
public:
  explicit LeakyGradOp(const popart::Op &forward)
      : popart::Op(CustomOperators::LeakyGrad, forward.getSettings()) {}
  std::unique_ptr<popart::Op> clone() const final {
    return std::unique_ptr<popart::Op>(new LeakyGradOp(*this));
  }
  void setup() final { outInfo(0) = inInfo(0); }
  const std::vector<popart::GradInOutMapper> &gradInputInfo() const final {
    static const std::vector<popart::GradInOutMapper> info = {{0, 0, popart::GradOpInType::GradOut},
                                                              {1, 0, popart::GradOpInType::In}};
    return info;
  }
  const std::map<int, int> &gradOutToNonGradIn() const final {
    static const std::map<int, int> info = {{0, 0}};
    return info;
  }
};
class LeakyOp : public popart::Op {
public:
  LeakyOp(const popart::OperatorIdentifier &opid, const popart::Op::Settings &s)
      : popart::Op(opid, s) {}
  std::unique_ptr<popart::Op> clone() const final {
    return std::unique_ptr<popart::Op>(new LeakyOp(*this));
  }
  void setup() final { outInfo(0) = inInfo(0); }
  std::vector<std::unique_ptr<popart::Op>> getGradOps() final {
    std::vector<std::unique_ptr<popart::Op>> out;
    out.emplace_back(new LeakyGradOp(*this));
    return out;
  }
};
class LeakyOpx : public popart::popx::Opx {
public:
  LeakyOpx(popart::Op *op, popart::popx::Devicex *devicex) : Opx(op, devicex) {}
  void grow(poplar::program::Sequence &prog) const final {
    setOutTensor(0, popops::map(graph(),
                                pe::Select(pe::_1, pe::Mul(pe::_1, pe::Const(0.1f)),
                                           pe::Gt(pe::_1, pe::Const(0.0f))),
                                {getInTensor(0)}, prog, debugContext()));
  }
};
class LeakyGradOpx : public popart::popx::Opx {
public:
  LeakyGradOpx(popart::Op *op, popart::popx::Devicex *devicex) : Opx(op, devicex) {}
  void grow(poplar::program::Sequence &prog) const final {
    setOutTensor(0, popops::map(graph(),
                                pe::Select(pe::_1, pe::Mul(pe::_1, pe::Const(0.1f)),
                                           pe::Gt(pe::_2, pe::Const(0.0f))),
                                {getInTensor(0), getInTensor(1)}, prog, debugContext()));
  }
};

class ReluToLeaky : public popart::PreAliasPattern {
public:
  bool matches(popart::Op *op) const final {
    return op->opid == popart::Onnx::AiOnnx::OpSet9::Relu && !op->isConvertibleTo<LeakyOp>();
  }
  std::vector<const popart::Tensor *> touches(popart::Op *) const final { return {}; }
  bool apply(popart::Op *op) const final {
    auto &graph = op->getGraph();
    popart::Tensor *x = op->inTensor(0), *y = op->outTensor(0);
    if (op->getIr().getMainGraph().getTensors().get(x->id) != x || x->consumers.n(op) != 1)
      throw popart::error("The graph does not know {}.", x->id);
    // leaky(x)
    auto *leaky = graph.createOp<LeakyOp>(CustomOperators::Leaky,
                                          popart::Op::Settings(graph, "leaky", op->settings));
    leaky->connectInTensor(0, x->id);
    const auto part = op->getIr().createIntermediateTensorId(y->id);
    leaky->createAndConnectOutTensor(0, part);
    leaky->setup();
    // + 0 x, through an operator made by name and one by its class
    const float zero = 0;
    const auto nothing = op->getIr().createIntermediateTensorId("nothing");
    graph.getTensors().addConstInit(nothing, {popart::DataType::FLOAT, {}}, &zero);
    auto *times = makeReplacementOpInIr(popart::Onnx::Operators::Mul_7, op, "times");
    times->connectInTensor(0, x->id);
    times->connectInTensor(1, nothing);
    const auto product = op->getIr().createIntermediateTensorId(y->id);
    times->createAndConnectOutTensor(0, product);
    times->setup();
    op->disconnectAllInputs();
    op->disconnectAllOutputs();
    graph.eraseOp(op->id);
    auto *add = graph.createOp<popart::AddOp>(popart::Onnx::Operators::Add_7, leaky->settings);
    add->connectInTensor(0, part);
    add->connectInTensor(1, product);
    add->connectOutTensor(0, y->id);
    add->setup();
    graph.topoCons->insert(times, leaky);
    return true;
  }
};

static popart::OpDefinition::DataTypes T = {popart::DataType::FLOAT};
static popart::OpCreator<LeakyOp>
    creator(popart::OpDefinitions({{CustomOperators::Leaky,
                                    popart::OpDefinition({popart::OpDefinition::Inputs({{"x", T}}),
                                                          popart::OpDefinition::Outputs({{"y", T}}),
                                                          popart::OpDefinition::Attributes({})})}}),
            true);
static popart::popx::OpxCreator<LeakyOpx> opx({CustomOperators::Leaky});
static popart::popx::OpxCreator<LeakyGradOpx> gradOpx({CustomOperators::LeakyGrad});
static popart::PatternCreator<ReluToLeaky> pattern("ReluToLeaky");
