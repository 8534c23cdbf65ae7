// SPDX-License-Identifier: MIT
// Custom operators as operators of ours. A registered operator is replaced, where it is used, by a
// definition of its own that holds the user's Op object: it infers through setup(), differentiates
// through getGradOps(), and is lowered through the Opx registered for it.
#include "base/Fork.hpp"
#include "base/Text.hpp"
#include "lowering/lowering.hpp"
#include "ops/core/graphbuilder.hpp"
#include <popart/opmanager.hpp>
#include <popart/popx/opxmanager.hpp>
#include <poputil/TileMapping.hpp>

namespace popart {

namespace popx {
// What an Opx sees of the lowering of its node.
class Devicex {
public:
  lowering::Lowering &lowering;
  const ops::OpView &op;
  poplar::program::Sequence &program;
  ops::Tensors outputs;
};
} // namespace popx

namespace {

using ops::OpDef;
using ops::OpView;
using SharedOp = std::shared_ptr<Op>;

struct Registered {
  base::ForkMutex mutex;
  std::map<OperatorIdentifier, popx::OpxManager::OpxFactoryFunc> opxs;
  std::vector<std::unique_ptr<OpDef>> definitions; // of nodes; they live as long as the process
  static Registered &get() {
    static Registered all;
    return all;
  }
};

ops::Infos infosOf(const OpView &view) {
  ops::Infos infos;
  for (std::size_t i = 0; i < view.inputs(); ++i)
    infos.push_back(view.hasIn(i) ? view.in(i).info() : TensorInfo());
  return infos;
}

Attributes attributesOf(const OpView &view) {
  Attributes out;
  for (const auto &[name, value] : view.node().attributes.all())
    std::visit(
        [&, &name = name](const auto &v) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(v)>, ir::HostTensor>)
            out.setAttribute(name, any(v));
        },
        value);
  return out;
}

ir::Node nodeFor(SharedOp op, const ir::Values &inputs, std::size_t outputs,
                 const ir::Attributes &attributes);

constexpr std::size_t mostTensors = 1 << 16; // of an operator

// An index that a user's operator names, as one of `count`.
std::size_t indexed(int index, std::size_t count, const Op &op, const char *what) {
  if (index < 0 || std::size_t(index) >= count)
    throw error("{}: {} names {}; there are {}.", op.debugName(), what, index, count);
  return std::size_t(index);
}

// Runs the user's gradient operators on the values they ask for.
ir::Values gradient(ops::GradBuilder &g, const OpView &view, Op &op) {
  ir::Values out(view.inputs(), ir::none);
  for (auto &made : op.getGradOps()) {
    SharedOp gradOp = std::move(made);
    ir::Values inputs;
    for (const auto &source : gradOp->gradInputInfo()) {
      const bool isInput = source.type == GradOpInType::In;
      const auto i = indexed(source.iNonGrad, isInput ? view.inputs() : view.outputs(), *gradOp,
                             "gradInputInfo()");
      const ir::Value v = source.type == GradOpInType::In    ? ir::Value(view.in(i))
                          : source.type == GradOpInType::Out ? ir::Value(view.out(i))
                                                             : g.dy(unsigned(i));
      const auto at = indexed(source.iGrad, mostTensors, *gradOp, "gradInputInfo()");
      inputs.resize(std::max(inputs.size(), at + 1), ir::none);
      inputs[at] =
          v == ir::none && source.type == GradOpInType::GradOut ? g.zerosLike(view.out(i)) : v;
    }
    const auto &targets = gradOp->gradOutToNonGradIn();
    for (const auto &[from, to] : targets) {
      indexed(from, mostTensors, *gradOp, "gradOutToNonGradIn()");
      indexed(to, view.inputs(), *gradOp, "gradOutToNonGradIn()");
    }
    const auto outputs = targets.empty() ? 0 : unsigned(targets.rbegin()->first + 1);
    const auto grads = g.append(nodeFor(gradOp, inputs, outputs, {}), outputs);
    for (const auto &[from, to] : targets) {
      ir::Value &sum = out[std::size_t(to)];
      sum = sum == ir::none ? grads[std::size_t(from)] : g.add(sum, grads[std::size_t(from)]);
    }
  }
  return out;
}

ops::Tensors lower(lowering::Lowering &l, const OpView &view, Op &op) {
  auto &all = Registered::get();
  popx::OpxManager::OpxFactoryFunc factory;
  {
    std::lock_guard lock(all.mutex);
    auto it = all.opxs.find(op.opid);
    if (it == all.opxs.end())
      view.fail("no Opx is registered for ", op.opid.domain, '.', op.opid.type, ':',
                op.opid.version, ". Register one with an OpxCreator.");
    factory = it->second;
  }
  popx::Devicex device{l, view, l.program(), ops::Tensors(view.outputs())};
  factory(&op, &device)->grow(l.program());
  return device.outputs;
}

const OpDef &definitionFor(const SharedOp &op, std::size_t outputs) {
  auto def = std::make_unique<OpDef>();
  def->type = op->opid.type;
  def->domain = op->opid.domain;
  def->in = {0, ops::any};
  def->out = {0, ops::any};
  def->random = op->requiresRandomSeed();
  def->infer = [op, outputs](const OpView &view) {
    op->setInputs(infosOf(view));
    op->setup();
    if (op->outputs().size() < outputs)
      throw error("{}: setup() says what {} outputs are; there are {}.", op->debugName(),
                  op->outputs().size(), outputs);
    return op->outputs();
  };
  def->grad = [op](ops::GradBuilder &g, const OpView &view) { return gradient(g, view, *op); };
  def->lower = [op](lowering::Lowering &l, const OpView &view) { return lower(l, view, *op); };
  auto &all = Registered::get();
  std::lock_guard lock(all.mutex);
  all.definitions.push_back(std::move(def));
  return *all.definitions.back();
}

// The attributes the operator writes down, so that hashes and dumps see them.
class Written : public OpSerialiserBase {
public:
  void appendText(const std::string &name, const std::string &value) override {
    attributes.set(name, value);
  }
  ir::Attributes attributes;
};

ir::Node nodeFor(SharedOp op, const ir::Values &inputs, std::size_t outputs,
                 const ir::Attributes &attributes) {
  ir::Node node;
  node.inputs = inputs;
  Written written;
  written.attributes = attributes;
  op->appendAttributes(written);
  node.attributes = written.attributes;
  node.def = &definitionFor(op, outputs);
  return node;
}

void checkTypes(const OpView &view, const OpDefinition &definition) {
  for (std::size_t i = 0; i < view.inputs() && i < definition.inputs.size(); ++i) {
    const auto &allowed = definition.inputs[i].supportedTensors;
    if (view.hasIn(i) && !allowed.empty() &&
        std::find(allowed.begin(), allowed.end(), view.in(i).type()) == allowed.end())
      view.fail("its input ", i, " (", definition.inputs[i].name, ") may not be ",
                nameOf(view.in(i).type()), ".");
  }
}

} // namespace

void OpManager::registerOp(const OperatorIdentifier &opid, const OpDefinition &definition,
                           OpFactoryFunc factory) {
  OpDef def;
  def.type = opid.type;
  def.domain = opid.domain;
  def.doc = "A custom operator.";
  def.in = {0, ops::any};
  def.out = {0, ops::any};
  def.decompose = [=](ops::GraphBuilder &b, const OpView &view) {
    checkTypes(view, definition);
    OpCreatorInfo info{opid, Op::Settings(view.node().settings.name), attributesOf(view)};
    SharedOp op = factory(info);
    const auto outputs = definition.outputs.empty() ? 1u : unsigned(definition.outputs.size());
    return b.append(nodeFor(op, view.node().inputs, outputs, view.node().attributes), outputs);
  };
  ops::addOp(std::move(def));
}

void Attributes::otherType(const std::string &name) {
  throw error("The attribute \"{}\" of the operator is of another type than is asked for.", name);
}
const any &Attributes::find(const std::string &name) const {
  auto it = all_.find(name);
  if (it == all_.end())
    throw error("The operator has no attribute \"{}\".", name);
  return it->second;
}

// ---- Op

Op::~Op() = default;
void Op::setup() { throw error("The custom operator {} has no setup().", opid.type); }
const std::vector<GradInOutMapper> &Op::gradInputInfo() const {
  throw error("The custom operator {} is no gradient: it has no gradInputInfo().", opid.type);
}
const std::map<int, int> &Op::gradOutToNonGradIn() const {
  throw error("The custom operator {} is no gradient: it has no gradOutToNonGradIn().", opid.type);
}
std::string Op::debugName() const { return base::str("Op(", opid, ", ", settings.name, ")"); }
const TensorInfo &Op::inInfo(InIndex i) const {
  if (!hasInput(i))
    throw error("{}: there is no input {}.", debugName(), i);
  return inputs_[std::size_t(i)];
}
TensorInfo &Op::inInfo(InIndex i) {
  return const_cast<TensorInfo &>(std::as_const(*this).inInfo(i));
}
TensorInfo &Op::outInfo(OutIndex i) {
  indexed(i, mostTensors, *this, "outInfo()");
  if (outputs_.size() <= std::size_t(i))
    outputs_.resize(std::size_t(i) + 1);
  return outputs_[std::size_t(i)];
}
const TensorInfo &Op::outInfo(OutIndex i) const {
  return outputs_[indexed(i, outputs_.size(), *this, "outInfo()")];
}
int Op::getNonGradInIndex(int gradOutIndex) const {
  const auto &targets = gradOutToNonGradIn();
  const auto it = targets.find(gradOutIndex);
  if (it == targets.end())
    throw error("{}: its output {} is the gradient of no input.", debugName(), gradOutIndex);
  return it->second;
}

// ---- Opx

namespace popx {

void OpxManager::registerOpx(const OperatorIdentifier &opid, OpxFactoryFunc factory) {
  auto &all = Registered::get();
  std::lock_guard lock(all.mutex);
  all.opxs[opid] = std::move(factory);
}

Opx::~Opx() = default;
poplar::Graph &Opx::graph() const { return dv_p->lowering.graph(); }
// A copy: programs compute in place on their inputs without saying so, and must not harm others.
poplar::Tensor Opx::getInTensor(InIndex i) const {
  return cloneNcopy(dv_p->program, dv_p->lowering.tensor(dv_p->op.in(std::size_t(i))), "input");
}
void Opx::setOutTensor(OutIndex i, const poplar::Tensor &tensor) const {
  auto &outputs = dv_p->outputs;
  if (i < 0 || std::size_t(i) >= outputs.size())
    dv_p->op.fail("its Opx sets output ", i, "; there are ", outputs.size(), ".");
  outputs[std::size_t(i)] = tensor;
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
poplar::DebugContext Opx::debugContext(const std::string name) const {
  return dv_p->lowering.name(name);
}
poplar::DebugNameAndId Opx::getDebugNameAndId(const std::string name) const {
  return poplar::DebugNameAndId(name);
}

} // namespace popx
} // namespace popart
