// SPDX-License-Identifier: MIT
// A custom operator that lays out an input itself and can run in place: y = x + offset, the offset
// on one tile.
#include <popart/alias/aliasmodel.hpp>
#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/logging.hpp>
#include <popart/op.hpp>
#include <popart/opmanager.hpp>
#include <popart/popx/devicex.hpp>
#include <popart/popx/irlowering.hpp>
#include <popart/popx/opx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popart/region.hpp>
#include <popart/tensor.hpp>
#include <popart/tensorindex.hpp>
#include <popart/util.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>

namespace CustomOperators {
const popart::OperatorIdentifier Shift = {"custom.ops", "Shift", 1};
const popart::OperatorIdentifier ShiftInplace = {"custom.ops", "ShiftInplace", 1};
const popart::OperatorIdentifier ShiftGrad = {"custom.ops", "ShiftGrad", 1};
} // namespace CustomOperators

class ShiftGradOp : public popart::Op {
public:
  explicit ShiftGradOp(const popart::Op &forward)
      : popart::Op(CustomOperators::ShiftGrad, forward.getSettings()),
        offsetInfo(forward.inInfo(1)) {}
  std::unique_ptr<popart::Op> clone() const final {
    return std::unique_ptr<popart::Op>(new ShiftGradOp(*this));
  }
  void setup() final {
    outInfo(0) = inInfo(0);
    outInfo(1) = offsetInfo;
  }
  const std::vector<popart::GradInOutMapper> &gradInputInfo() const final {
    static const std::vector<popart::GradInOutMapper> info = {
        {0, 0, popart::GradOpInType::GradOut}};
    return info;
  }
  const std::map<int, int> &gradOutToNonGradIn() const final {
    static const std::map<int, int> info = {{0, 0}, {1, 1}};
    return info;
  }
  popart::TensorInfo offsetInfo;
};

class ShiftOp : public popart::Op {
public:
  ShiftOp(const popart::OperatorIdentifier &opid, const popart::Op::Settings &s)
      : popart::Op(opid, s) {}
  std::unique_ptr<popart::Op> clone() const override {
    return std::unique_ptr<popart::Op>(new ShiftOp(*this));
  }
  void setup() final { outInfo(0) = inInfo(0); }
  std::vector<std::unique_ptr<popart::Op>> getGradOps() override {
    std::vector<std::unique_ptr<popart::Op>> out;
    out.emplace_back(new ShiftGradOp(*this));
    return out;
  }
  std::vector<std::tuple<popart::OperatorIdentifier, float>>
  inplacePriorityDefault() const override {
    return {std::make_tuple(CustomOperators::ShiftInplace, 10.0f)};
  }
  std::unique_ptr<popart::Op>
  getInplaceVariant(const popart::OperatorIdentifier &id) const override;
};

class ShiftInplaceOp : public ShiftOp {
public:
  explicit ShiftInplaceOp(const ShiftOp &op)
      : ShiftOp(CustomOperators::ShiftInplace, op.getSettings()) {}
  std::unique_ptr<popart::Op> clone() const override {
    return std::unique_ptr<popart::Op>(new ShiftInplaceOp(*this));
  }
  std::vector<std::tuple<popart::OperatorIdentifier, float>>
  inplacePriorityDefault() const override {
    return {};
  }
  popart::view::Regions modifies(popart::InIndex i) const final {
    return i == 0 ? aliases(0, 0)
                  : popart::view::Regions{popart::view::Region::getEmpty(inRank(i))};
  }
  popart::view::Regions aliases(popart::InIndex in, popart::OutIndex) const final {
    return {in == 0 ? popart::view::Region::getFull(inShape(0))
                    : popart::view::Region::getEmpty(inRank(in))};
  }
  popart::view::RegMap fwdRegMap(popart::InIndex in, popart::OutIndex) const final {
    const auto rank = outRank(0);
    return in == 0 ? popart::view::RegMap(
                         [](const popart::view::Region &r) { return popart::view::Regions{r}; })
                   : popart::view::RegMap([rank](const popart::view::Region &) {
                       return popart::view::Regions{popart::view::Region::getEmpty(rank)};
                     });
  }
  popart::view::RegMap bwdRegMap(popart::InIndex in, popart::OutIndex out) const final {
    return fwdRegMap(in, out);
  }
  void growAliasModel(popart::AliasModel &m) const override { m.insertUnaryModifier0(*this); }
};
std::unique_ptr<popart::Op> ShiftOp::getInplaceVariant(const popart::OperatorIdentifier &id) const {
  if (id == CustomOperators::ShiftInplace)
    return std::unique_ptr<popart::Op>(new ShiftInplaceOp(*this));
  return Op::getInplaceVariant(id);
}

class ShiftOpx : public popart::popx::Opx {
public:
  ShiftOpx(popart::Op *op, popart::popx::Devicex *devicex) : Opx(op, devicex) {
    verifyOp<ShiftOp>(op, {CustomOperators::Shift, CustomOperators::ShiftInplace});
  }
  popart::popx::InputCreatorType getInputCreatorType(popart::InIndex i) const final {
    return i == 1 ? popart::popx::InputCreatorType::CanCreate
                  : popart::popx::InputCreatorType::Deadend;
  }
  poplar::Tensor createInputTensor(popart::InIndex i,
                                   const poplar::DebugNameAndId &dnai) const final {
    auto t = graph().addVariable(popart::popx::popType(inInfo(i)),
                                 popart::vXtoY<std::int64_t, std::size_t>(inShape(i)), dnai);
    graph().setTileMapping(t, 3);
    return t;
  }
  std::set<popart::TensorId> mustExistBeforeCreate(int) const final { return {}; }
  void grow(poplar::program::Sequence &prog) const final {
    auto offset = getInTensor(1);
    for (std::size_t tile = 0; tile < graph().getTileMapping(offset).size(); ++tile)
      if (tile != 3 && !graph().getTileMapping(offset)[tile].empty())
        throw popart::error("The offset of {} is on tile {} as well.", op_p->debugName(), tile);
    auto x = getInTensor(0);
    popops::addInPlace(graph(), x, offset, prog, debugContext("shift"));
    popart::logging::opx::info("{} of {}", op_p->str(), inId(0));
    setOutTensor(0, x);
  }
};
class ShiftGradOpx : public popart::popx::Opx {
public:
  ShiftGradOpx(popart::Op *op, popart::popx::Devicex *devicex) : Opx(op, devicex) {
    verifyOp<ShiftGradOp>(op);
  }
  void grow(poplar::program::Sequence &prog) const final {
    const auto dy = getInTensor(0);
    setOutTensor(0, dy);
    setOutTensor(
        1, popops::reduce(graph(), dy, {0}, popops::Operation::ADD, prog, debugContext("offset")));
  }
};

static popart::OpDefinition::DataTypes T = {popart::DataType::FLOAT};
// The definition lists no output: the operator has what its setup() makes.
static popart::OpDefinition definition({popart::OpDefinition::Inputs({{"x", T}, {"offset", T}}),
                                        popart::OpDefinition::Outputs({}),
                                        popart::OpDefinition::Attributes({})});
static popart::OpCreator<ShiftOp>
    creator(popart::OpDefinitions({{CustomOperators::Shift, definition}}));
static popart::popx::OpxCreator<ShiftOpx> opx({CustomOperators::Shift,
                                               CustomOperators::ShiftInplace});
static popart::popx::OpxCreator<ShiftGradOpx> gradOpx(CustomOperators::ShiftGrad);
