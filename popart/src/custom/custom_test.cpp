// SPDX-License-Identifier: MIT
// A custom operator as users write them: leaky ReLU with its gradient, computed in place.
#include "model.hpp"
#include "sessions.hpp"
#include <popart/op/accumulate.hpp>
#include <popart/op/custom/parameterizedop.hpp>
#include <popart/op/identity.hpp>
#include <popart/op/matmul.hpp>
#include <popart/opmanager.hpp>
#include <popart/patterns/pattern.hpp>
#include <popart/popx/devicex.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popops/ElementWise.hpp>

namespace {

namespace pe = popops::expr;
const popart::OperatorIdentifier leakyId("custom.ops", "LeakyReluCustom", 1),
    leakyGradId("custom.ops", "LeakyReluCustomGrad", 1);

class LeakyGradOp;
class LeakyOp : public popart::Op {
public:
  LeakyOp(const popart::OperatorIdentifier &opid, float a, const popart::Op::Settings &s)
      : popart::Op(opid, s), alpha(a) {}
  std::unique_ptr<popart::Op> clone() const final { return std::make_unique<LeakyOp>(*this); }
  void setup() final { outInfo(0) = inInfo(0); }
  void appendAttributes(popart::OpSerialiserBase &os) const override {
    Op::appendAttributes(os);
    os.appendAttribute("alpha", alpha);
  }
  std::vector<std::unique_ptr<popart::Op>> getGradOps() final;
  float alpha;
};
class LeakyGradOp : public popart::Op {
public:
  explicit LeakyGradOp(const LeakyOp &forward)
      : popart::Op(leakyGradId, forward.getSettings()), alpha(forward.alpha) {}
  std::unique_ptr<popart::Op> clone() const final { return std::make_unique<LeakyGradOp>(*this); }
  void setup() final { outInfo(0) = inInfo(0); }
  const std::vector<popart::GradInOutMapper> &gradInputInfo() const final {
    static const std::vector<popart::GradInOutMapper> info{{0, 0, popart::GradOpInType::GradOut},
                                                           {1, 0, popart::GradOpInType::In}};
    return info;
  }
  const std::map<int, int> &gradOutToNonGradIn() const final {
    static const std::map<int, int> info{{0, 0}};
    return info;
  }
  float alpha;
};
std::vector<std::unique_ptr<popart::Op>> LeakyOp::getGradOps() {
  std::vector<std::unique_ptr<popart::Op>> out;
  out.emplace_back(new LeakyGradOp(*this));
  return out;
}

popart::OpDefinition::DataTypes T{popart::DataType::FLOAT16, popart::DataType::FLOAT};
popart::OpCreator<LeakyOp> creator(
    popart::OpDefinitions({{leakyId, popart::OpDefinition({{"input", T}}, {{"output", T}},
                                                          {{"alpha", {"*"}}})}}),
    [](const popart::OpCreatorInfo &info) {
      return std::make_unique<LeakyOp>(
          info.opid, info.attributes.getAttribute<popart::Attributes::Float>("alpha", 1e-2f),
          info.settings);
    },
    true);

class LeakyOpx : public popart::popx::Opx {
public:
  LeakyOpx(popart::Op *op, popart::popx::Devicex *devicex) : Opx(op, devicex) {
    verifyOp<LeakyOp>(op, {leakyId});
  }
  void grow(poplar::program::Sequence &prog) const final {
    auto x = getInTensor(0);
    popops::mapInPlace(graph(),
                       pe::Select(pe::Mul(pe::Const(getOp<LeakyOp>().alpha), pe::_1), pe::_1,
                                  pe::Lt(pe::_1, pe::Const(0.0f))),
                       {x}, prog, debugContext("LeakyRelu"));
    setOutTensor(0, x);
  }
};
class LeakyGradOpx : public popart::popx::Opx {
public:
  LeakyGradOpx(popart::Op *op, popart::popx::Devicex *devicex) : Opx(op, devicex) {}
  void grow(poplar::program::Sequence &prog) const final {
    setOutTensor(
        0, popops::map(graph(),
                       pe::Mul(pe::Select(pe::Const(getOp<LeakyGradOp>().alpha), pe::Const(1.0f),
                                          pe::Lt(pe::_2, pe::Const(0.0f))),
                               pe::_1),
                       {getInTensor(0), getInTensor(1)}, prog, debugContext("LeakyReluGrad")));
  }
};
// Patterns for the products of `product` below; others may enable every pattern there is.
bool isForPatterns(const popart::Op &op) { return op.inId(0) == "forPatterns"; }
class CutProducts : public popart::PreAliasPattern {
public:
  using Mode = popart::MatMulBaseOp::SerialiseSettings::Mode;
  bool matches(popart::Op *op) const final {
    const auto *product = dynamic_cast<popart::MatMulOp *>(op);
    return product && isForPatterns(*op) && product->getSerialiseSettings().mode == Mode::None;
  }
  std::vector<const popart::Tensor *> touches(popart::Op *) const final { return {}; }
  bool apply(popart::Op *op) const final {
    auto &settings = dynamic_cast<popart::MatMulOp *>(op)->getSerialiseSettings();
    settings.mode = Mode::OutputChannels;
    settings.factor = 2;
    return true;
  }
};
class MakesAccumulators : public popart::PreAliasPattern {
public:
  bool matches(popart::Op *op) const final {
    return op->isConvertibleTo<popart::MatMulOp>() && isForPatterns(*op);
  }
  std::vector<const popart::Tensor *> touches(popart::Op *) const final { return {}; }
  bool apply(popart::Op *op) const final {
    auto *made =
        op->getGraph().createOp<popart::AccumulateOp>(op->opid, op->settings, popart::Attributes());
    made->connectInTensor(0, op->inId(0));
    popart::Tensor *y = op->outTensor(0);
    op->getGraph().eraseOp(op->id);
    made->connectOutTensor(0, y->id);
    return true;
  }
};
popart::PatternCreator<CutProducts> cut("CutProducts", false);
popart::PatternCreator<MakesAccumulators> accumulators("MakesAccumulators", false);

// Its attributes are a structure, and its gradient is one of PopART's own operators.
struct ShiftParameters {
  static ShiftParameters createFromAttributes(const popart::Attributes &attributes) {
    return {attributes.getAttribute<popart::Attributes::Float>("by", 1.0f)};
  }
  void appendAttributes(popart::OpSerialiserBase &os) const { os.appendAttribute("by", by); }
  float by;
};
const popart::OperatorIdentifier shiftId("custom.ops", "Shift", 1);
class ShiftOp : public popart::ParameterizedOp<ShiftOp, ShiftParameters> {
public:
  using popart::ParameterizedOp<ShiftOp, ShiftParameters>::ParameterizedOp;
  void setup() final { outInfo(0) = inInfo(0); }
  std::vector<std::unique_ptr<popart::Op>> getGradOps() final {
    std::vector<std::unique_ptr<popart::Op>> out;
    out.emplace_back(new popart::IdentityGradOp(*this));
    return out;
  }
};
class ShiftOpx : public popart::popx::Opx {
public:
  ShiftOpx(popart::Op *op, popart::popx::Devicex *devicex) : Opx(op, devicex) {}
  popart::popx::InputCreatorType getInputCreatorType(popart::InIndex) const final {
    return popart::popx::InputCreatorType::CanCreate;
  }
  poplar::Tensor createInput(popart::InIndex i, const poplar::DebugNameAndId &name) const final {
    const auto x =
        graph().addVariable(popart::popx::popType(inInfo(i)), inInfo(i).shape_szt(), name);
    graph().setTileMapping(x, 1);
    return x;
  }
  bool canUnwind(popart::InIndex, popart::OutIndex) const final { return true; }
  void grow(poplar::program::Sequence &prog) const final {
    if (graph().getTileMapping(getInTensor(0)).at(1).size() != 1)
      throw popart::error("The input is not where createInput() put it.");
    const auto by = getScalarVariable(poplar::FLOAT, "by");
    prog.add(poplar::program::Copy(
        getConst(poplar::FLOAT, {}, getOp<ShiftOp>().params().by, "value"), by));
    setOutTensor(0, popops::map(graph(), pe::Add(pe::_1, pe::_2), {getInTensor(0), by}, prog,
                                debugContext("Shift")));
  }
};
popart::OpCreator<ShiftOp> shiftCreator(
    popart::OpDefinitions({{shiftId, popart::OpDefinition({{"input", T}}, {{"output", T}}, {})}}),
    ShiftOp::createOpFromCreatorInfo, true);
popart::popx::OpxCreator<ShiftOpx> shiftOpx({shiftId});

popart::popx::OpxCreator<LeakyOpx> opx({leakyId});
popart::popx::OpxCreator<LeakyGradOpx> gradOpx(leakyGradId);

} // namespace

using namespace popart::testing;

TEST(CustomOperators, ComputeAndDifferentiateThroughTheUsersClasses) {
  Model m;
  const auto x = m.input({4}, {-2, -0.5, 0.5, 2});
  const auto y = m.imported("LeakyReluCustom", {x}, {{"alpha", 0.25f}}, 1, 1, "custom.ops")[0];
  const auto sum = m.b.add(y, x); // x is read after the operator that computes in place
  expectNear(m.run(sum), {-2.5, -0.625, 1, 4});
  m.checkGradients(sum, {x});
}

TEST(CustomOperators, MayHaveParametersAndGradientsOfPopart) {
  Model m;
  const auto x = m.input({3}, {1, 2, 3});
  const auto y = m.imported("Shift", {x}, {{"by", 0.5f}}, 1, 1, "custom.ops")[0];
  const auto square = m.b.op("Mul", {y, y});
  expectNear(m.run(square), {2.25, 6.25, 12.25});
  m.checkGradients(square, {x});
}

TEST(CustomOperators, RefuseTypesTheirDefinitionDoesNotList) {
  Model m;
  const auto x = m.input({4}, {1, 2, 3, 4}, popart::DataType::INT32);
  try {
    m.imported("LeakyReluCustom", {x}, {}, 1, 1, "custom.ops");
    FAIL();
  } catch (const popart::error &e) {
    EXPECT_STREQ(e.what(), "LeakyReluCustom: its input 0 (input) may not be INT32.");
  }
}

TEST(CustomOperators, SayWhichIndexOrAttributeIsWrong) {
  using popart::error;
  LeakyOp op(leakyId, 1, popart::Op::Settings("here"));
  EXPECT_THROW(op.outInfo(-1), error);
  EXPECT_THROW(std::as_const(op).outInfo(3), error);
  const LeakyGradOp gradient(op);
  EXPECT_EQ(gradient.getNonGradInIndex(0), 0);
  EXPECT_THROW(gradient.getNonGradInIndex(1), error);
  popart::Attributes attributes;
  attributes.setAttribute("alpha", popart::any(std::string("much")));
  EXPECT_THROW(attributes.getAttribute<popart::Attributes::Float>("alpha"), error);
}

namespace {
std::unique_ptr<popart::InferenceSession> product(const std::string &pattern) {
  auto builder = popart::Builder::create();
  const auto x = builder->addInputTensor("FLOAT", popart::Shape{2, 4}, "forPatterns");
  const auto w = builder->addInputTensor("FLOAT", popart::Shape{4, 6}, "w");
  const auto y = builder->aiOnnxOpset9().matmul({x, w});
  popart::Patterns patterns;
  patterns.enablePattern(pattern, true);
  return popart::InferenceSession::createFromOnnxModel(
      builder->getModelProto(), popart::DataFlow(1, {y}), modelDevice(), {}, {}, patterns);
}
} // namespace

TEST(CustomPatterns, ChangeWhatProductsAreTold) {
  const auto ir = product("CutProducts")->serializeIr(popart::IrSerializationFormat::JSON);
  EXPECT_NE(ir.find("\"__serialize_matmul_mode\":\"output_channels\""), std::string::npos) << ir;
  EXPECT_NE(ir.find("\"__serialize_matmul_factor\":\"2\""), std::string::npos) << ir;
}

TEST(CustomPatterns, MakeNoOperatorsThatSessionsCountOn) {
  try {
    product("MakesAccumulators");
    FAIL();
  } catch (const popart::error &e) {
    EXPECT_NE(std::string(e.what()).find("Accumulate is none that a program can make"),
              std::string::npos)
        << e.what();
  }
}
