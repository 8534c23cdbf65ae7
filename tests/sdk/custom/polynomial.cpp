// SPDX-License-Identifier: MIT
// A custom operator with attributes and a gradient operator of its own: y = c0 + c1 x + c2 x^2 ...
#include <popart/op.hpp>
#include <popart/opmanager.hpp>
#include <popart/opserialiser.hpp>
#include <popart/popx/devicex.hpp>
#include <popart/popx/opx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popart/shapeinference.hpp>
#include <popart/tensornames.hpp>
#include <popops/ElementWise.hpp>

namespace pe = popops::expr;

namespace CustomOperators {
const popart::OperatorIdentifier Polynomial = {"custom.ops", "Polynomial", 1};
} // namespace CustomOperators
namespace CustomGradOperators {
const popart::OperatorIdentifier PolynomialGrad = {"custom.ops", "PolynomialGrad", 1};
} // namespace CustomGradOperators

class PolynomialOp;

class PolynomialGradOp : public popart::Op {
public:
  PolynomialGradOp(const PolynomialOp &forward);
  std::unique_ptr<popart::Op> clone() const final {
    return std::unique_ptr<popart::Op>(new PolynomialGradOp(*this));
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
  bool requiresRandomSeed() const override { return false; }
  void appendAttributes(popart::OpSerialiserBase &os) const override {
    Op::appendAttributes(os);
    os.appendAttribute("coefficients", coefficients);
  }
  float getSubgraphValue() const final { return getHighSubgraphValue(); }
  std::vector<float> coefficients;
};

class PolynomialOp : public popart::Op {
public:
  PolynomialOp(const popart::OperatorIdentifier &opid, const std::vector<float> &c,
               const popart::Op::Settings &settings)
      : popart::Op(opid, settings), coefficients(c) {}
  std::unique_ptr<popart::Op> clone() const final {
    return std::unique_ptr<popart::Op>(new PolynomialOp(*this));
  }
  void setup() final { outInfo(0) = inInfo(0); }
  std::vector<std::unique_ptr<popart::Op>> getGradOps() final {
    std::vector<std::unique_ptr<popart::Op>> out;
    out.emplace_back(new PolynomialGradOp(*this));
    return out;
  }
  void appendAttributes(popart::OpSerialiserBase &os) const override {
    Op::appendAttributes(os);
    os.appendAttribute("coefficients", coefficients);
  }
  void appendOutlineAttributes(popart::OpSerialiserBase &os) const override {
    Op::appendOutlineAttributes(os);
    os.appendAttribute("coefficients", coefficients);
  }
  float getSubgraphValue() const final { return getHighSubgraphValue(); }
  std::vector<float> coefficients;
};
PolynomialGradOp::PolynomialGradOp(const PolynomialOp &forward)
    : popart::Op(CustomGradOperators::PolynomialGrad, forward.getSettings()),
      coefficients(forward.coefficients) {}

namespace {

popart::OpDefinition::DataTypes T = {popart::DataType::FLOAT16, popart::DataType::FLOAT};
popart::OpDefinition definition({popart::OpDefinition::Inputs({{"x", T}}),
                                 popart::OpDefinition::Outputs({{"y", T}}),
                                 popart::OpDefinition::Attributes({{"coefficients", {"*"}}})});
popart::OpCreator<PolynomialOp> creator(
    popart::OpDefinitions({{CustomOperators::Polynomial, definition}}),
    [](const popart::OpCreatorInfo &info) {
      return std::unique_ptr<popart::Op>(new PolynomialOp(
          info.opid, info.attributes.getAttribute<popart::Attributes::Floats>("coefficients"),
          info.settings));
    });
popart::RegisterShapeInferenceFunction shapes(CustomOperators::Polynomial,
                                              [](popart::ShapeInferenceContext &ctx) {
                                                ctx.outInfo(0) = ctx.inInfo(0);
                                              });

// Horner's scheme over the coefficients, or over those of the derivative.
pe::Any horner(const std::vector<float> &c, bool derivative, const pe::Expr &x) {
  pe::Any sum = pe::Const(0.0f);
  for (std::size_t i = c.size(); i-- > (derivative ? 1u : 0u);)
    sum = pe::Any(pe::Add(pe::Mul(sum, x), pe::Const(derivative ? float(i) * c[i] : c[i])));
  return sum;
}

} // namespace

class PolynomialOpx : public popart::popx::Opx {
public:
  PolynomialOpx(popart::Op *op, popart::popx::Devicex *devicex) : Opx(op, devicex) {
    verifyOp<PolynomialOp>(op, {CustomOperators::Polynomial});
  }
  void grow(poplar::program::Sequence &prog) const final {
    const auto &op = getOp<PolynomialOp>();
    const auto y = popops::map(graph(), horner(op.coefficients, false, pe::_1), {get(inId(0))},
                               prog, debugContext("polynomial"));
    insert(outId(0), y);
  }
};
class PolynomialGradOpx : public popart::popx::Opx {
public:
  PolynomialGradOpx(popart::Op *op, popart::popx::Devicex *devicex) : Opx(op, devicex) {
    verifyOp<PolynomialGradOp>(op, CustomGradOperators::PolynomialGrad);
  }
  void grow(poplar::program::Sequence &prog) const final {
    const auto &op = getOp<PolynomialGradOp>();
    setOutTensor(0, popops::map(graph(), pe::Mul(horner(op.coefficients, true, pe::_2), pe::_1),
                                {getInTensor(0), getInTensor(1)}, prog,
                                debugContext("polynomialGrad")));
  }
};
static popart::popx::OpxCreator<PolynomialOpx> opx({CustomOperators::Polynomial});
static popart::popx::OpxCreator<PolynomialGradOpx> gradOpx({CustomGradOperators::PolynomialGrad});
