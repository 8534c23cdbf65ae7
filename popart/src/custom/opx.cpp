// SPDX-License-Identifier: MIT
// How users' Opx are asked: a Devicex for each question, which says what the Opx sees.
#include "base/Fork.hpp"
#include "base/Text.hpp"
#include "custom/custom.hpp"
#include "lowering/lowering.hpp"
#include "opdef/opdef.hpp"
#include <popart/popx/opxmanager.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/TileMapping.hpp>

namespace popart {
namespace {

using ops::OpView;

struct Opxs {
  base::ForkMutex mutex;
  std::map<OperatorIdentifier, popx::OpxManager::OpxFactoryFunc> all;
  static Opxs &get() {
    static Opxs opxs;
    return opxs;
  }
};

class SeenLowering : public popx::IrLowering {
public:
  SeenLowering(lowering::Lowering &l, const OpView &view, const Op &op)
      : lowering_(l), view_(view), op_(op) {}
  poplar::Graph &graph() override { return lowering_.graph(); }
  const Ir &ir() const override { return op_.getIr(); }
  poplar::OptionFlags matmulOptions() const override { return lowering_.matmulOptions(view_); }
  poplar::OptionFlags convolutionOptions() const override { return lowering_.convOptions(view_); }

private:
  lowering::Lowering &lowering_;
  const OpView &view_;
  const Op &op_;
};

// What an Opx sees of the lowering of its node.
class Device : public popx::Devicex {
public:
  Device(lowering::Lowering &l, const OpView &view, const Op &op)
      : real(l), op(view), outputs(view.outputs()), seen_(l, view, op) {}
  popx::IrLowering &lowering() override { return seen_; }
  static Device &of(popx::Devicex *device) { return static_cast<Device &>(*device); }

  lowering::Lowering &real;
  const OpView &op;
  poplar::program::Sequence *program = nullptr; // none while layouts are asked for
  ops::Tensors outputs;
  bool inPlace = false;

private:
  SeenLowering seen_;
};

// Layouts are asked for one at a time: an operator that looks at its other inputs asks again.
thread_local std::set<const ir::Node *> asked;
struct Asking {
  explicit Asking(const ir::Node &node) : node(&node), first(asked.insert(&node).second) {}
  ~Asking() {
    if (first)
      asked.erase(node);
  }
  const ir::Node *node;
  bool first;
};

bool aliased(const Op &op, InIndex i) {
  for (const auto &[o, output] : op.output->tensorMap())
    for (const auto &region : op.aliases(i, o))
      if (!region.isEmpty())
        return true;
  return op.modifiesIndex(i);
}

} // namespace

namespace custom {

popx::OpxManager::OpxFactoryFunc opxOf(const OperatorIdentifier &id) {
  auto &opxs = Opxs::get();
  std::lock_guard lock(opxs.mutex);
  const auto it = opxs.all.find(id);
  return it == opxs.all.end() ? nullptr : it->second;
}

ops::Tensors lower(lowering::Lowering &l, const OpView &view, Op &op, bool inPlace) {
  const auto factory = opxOf(op.opid);
  if (!factory)
    view.fail("no Opx is registered for ", op.opid.domain, '.', op.opid.type, ':', op.opid.version,
              ". Register one with an OpxCreator.");
  Device device(l, view, op);
  device.program = &l.program();
  device.inPlace = inPlace;
  factory(&op, &device)->grow(l.program());
  for (std::size_t i = 0; i < device.outputs.size(); ++i)
    if (view.hasOut(i) && !device.outputs[i].valid())
      view.fail("its Opx sets no tensor for output ", i, ".");
  return device.outputs;
}

poplar::Tensor createInput(lowering::Lowering &l, const OpView &view, unsigned i, Op &op) {
  const auto factory = opxOf(op.opid);
  const Asking asking(view.node());
  if (!factory || !asking.first)
    return {};
  Device device(l, view, op);
  const auto opx = factory(&op, &device);
  switch (opx->getInputCreatorType(int(i))) {
  case popx::InputCreatorType::CanCreate:
  case popx::InputCreatorType::CanCreateOrUnwind:
  case popx::InputCreatorType::CanCreateOrDelegate:
    break;
  default:
    return {};
  }
  for (const auto &id : opx->mustExistBeforeCreate(int(i)))
    if (const auto v = view.graph().find(id); v == ir::none || !l.canHave(v))
      return {};
  const auto tensor = opx->createInputTensor(int(i), opx->getDebugNameAndId(op.inId(int(i))));
  const auto &info = view.in(i).info();
  if (tensor.valid() && (tensor.shape() != info.shape_szt() ||
                         tensor.elementType() != lowering::deviceType(info.dataType())))
    view.fail("its Opx creates input ", i, " as ", tensor.elementType().toString(), " ",
              tensor.shapeToString(), "; it is ", info, ".");
  return tensor;
}

} // namespace custom

namespace popx {

poplar::Type popType(DataType type) { return lowering::deviceType(type); }
poplar::Type popType(const TensorInfo &info) { return popType(info.dataType()); }
void LinearMapper::mapTensor(poplar::Graph &graph, poplar::Tensor &tensor) {
  poputil::mapTensorLinearly(graph, tensor);
}
IrLowering::~IrLowering() = default;
Devicex::~Devicex() = default;

void OpxManager::registerOpx(const OperatorIdentifier &opid, OpxFactoryFunc factory) {
  auto &opxs = Opxs::get();
  std::lock_guard lock(opxs.mutex);
  opxs.all[opid] = std::move(factory);
}

Opx::~Opx() = default;
poplar::Tensor Opx::createInputTensor(InIndex i, const poplar::DebugNameAndId &name) const {
  return createInput(i, name);
}
poplar::Tensor Opx::createInput(InIndex i, const poplar::DebugNameAndId &name) const {
  return createInput(i, name.getPathName());
}
poplar::Tensor Opx::createInput(InIndex i, const std::string &) const {
  throw error("{}: its Opx says that it creates input {}, but has no createInputTensor().",
              op_p->debugName(), i);
}
view::RegMap Opx::unwindRegion(InIndex i, OutIndex o) const { return op_p->bwdRegMap(i, o); }

poplar::Graph &Opx::graph() const { return Device::of(dv_p).real.graph(); }
// A copy: programs compute in place on their inputs without saying so, and must not harm others.
poplar::Tensor Opx::getInTensor(InIndex i) const {
  auto &device = Device::of(dv_p);
  auto &l = device.real;
  if (op_p->requiresRandomSeed() && i == op_p->getSeedInIndex() && !hasInput(i)) {
    const auto modifier =
        graph().addConstant(poplar::UNSIGNED_INT, {}, ops::seedModifierOf(device.op));
    graph().setTileMapping(modifier, 0);
    if (!device.program)
      throw error("{}: there is no seed yet when layouts are chosen.", op_p->debugName());
    return popops::add(graph(), l.seed(), modifier, *device.program, debugContext("seed"));
  }
  if (!hasInput(i))
    throw error("{}: there is no input {}.", op_p->debugName(), i);
  const auto tensor = l.tensor(device.op.in(std::size_t(i)));
  if (!device.program || (device.inPlace && aliased(*op_p, i)))
    return tensor;
  return cloneNcopy(*device.program, tensor, "input");
}
void Opx::setOutTensor(OutIndex i, const poplar::Tensor &tensor) const {
  auto &device = Device::of(dv_p);
  if (i < 0 || std::size_t(i) >= device.outputs.size())
    device.op.fail("its Opx sets output ", i, "; there are ", device.outputs.size(), ".");
  device.outputs[std::size_t(i)] = tensor;
}
bool Opx::hasOutTensor(OutIndex i) const {
  const auto &outputs = Device::of(dv_p).outputs;
  return i >= 0 && std::size_t(i) < outputs.size() && outputs[std::size_t(i)].valid();
}
poplar::Tensor Opx::getOutTensor(OutIndex i) const {
  if (!hasOutTensor(i))
    throw error("{}: its output {} is not set yet.", op_p->debugName(), i);
  return Device::of(dv_p).outputs[std::size_t(i)];
}
poplar::Tensor Opx::get(const TensorId &id) const {
  for (const auto &[i, tensor] : op_p->output->tensorMap())
    if (tensor->id == id && hasOutTensor(i))
      return getOutTensor(i);
  for (const auto &[i, tensor] : op_p->input->tensorMap())
    if (tensor->id == id)
      return getInTensor(i);
  throw error("{}: \"{}\" is neither an input nor an output that is set.", op_p->debugName(), id);
}
void Opx::insert(const TensorId &id, const poplar::Tensor &tensor) const {
  for (const auto &[i, own] : op_p->output->tensorMap())
    if (own->id == id)
      return setOutTensor(i, tensor);
  throw error("{}: \"{}\" is none of its outputs.", op_p->debugName(), id);
}
poplar::Tensor Opx::broadcast(const std::vector<std::int64_t> &shape, poplar::Tensor tensor) const {
  while (tensor.rank() < shape.size())
    tensor = tensor.expand({0});
  for (unsigned d = 0; d < shape.size(); ++d)
    if (tensor.dim(d) == 1 && shape[d] != 1)
      tensor = tensor.broadcast(unsigned(shape[d]), d);
  return tensor;
}
poplar::Tensor Opx::cloneNcopy(poplar::program::Sequence &prog, const poplar::Tensor &tensor,
                               const std::string name) const {
  auto copy = graph().clone(tensor, debugContext(name),
                            poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  prog.add(poplar::program::Copy(tensor, copy, false, debugContext(name)));
  return copy;
}
poplar::Tensor Opx::getConst(const poplar::Type &type, const std::vector<std::size_t> &shape,
                             double value, const std::string &name) const {
  auto t = graph().addConstant(type, shape, static_cast<float>(value), debugContext(name));
  poputil::mapTensorLinearly(graph(), t);
  return t;
}
poplar::Tensor Opx::getScalarVariable(const poplar::Type &type, const std::string &name) const {
  auto t = graph().addVariable(type, {}, debugContext(name));
  graph().setTileMapping(t, 0);
  return t;
}
std::string Opx::debugPrefix(const std::string &name) const {
  return debugContext(name).getPathName();
}
poplar::DebugContext Opx::debugContext(const std::string name) const {
  return Device::of(dv_p).real.name(name);
}
poplar::DebugNameAndId Opx::getDebugNameAndId(const std::string name) const {
  return poplar::DebugNameAndId(name);
}

// The same node with the operator that PopART has.
void BuiltinOpx::grow(poplar::program::Sequence &prog) const {
  auto &device = Device::of(dv_p);
  const auto &op = getOp<BuiltinOp>();
  ir::Node node = device.op.node();
  node.def = ops::findOp(op.domain(), op.type());
  if (!node.def || !(node.def->lower || node.def->expr))
    device.op.fail("PopART has no program for ", op.type(), ".");
  node.attributes = custom::attributesOf(op);
  device.real.lower(node, prog);
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    if (node.outputs[i] != ir::none)
      setOutTensor(int(i), device.real.tensor(node.outputs[i]));
}

} // namespace popx
} // namespace popart
