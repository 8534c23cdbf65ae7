// SPDX-License-Identifier: MIT
// Custom operators as operators of ours. A registered operator is replaced, where it is used, by a
// definition of its own that holds the user's Op object: it infers through setup(), differentiates
// through getGradOps(), and is lowered through the Opx registered for it.
#include "custom/custom.hpp"

#include "base/Fork.hpp"
#include "base/Text.hpp"
#include "lowering/lowering.hpp"
#include <algorithm>
#include <onnx/defs/schema.h>
#include <popart/shapeinference.hpp>

namespace popart {
namespace custom {

namespace {

using ops::OpDef;
using ops::OpView;

struct Registered {
  base::ForkMutex mutex;
  std::map<OperatorIdentifier, OpManager::OpFactoryFunc> ops;
  std::map<std::pair<std::string, std::string>, std::set<std::string>>
      attributes;                                  // that are declared
  std::map<const OpDef *, SharedOp> users;         // the operators behind definitions
  std::vector<std::unique_ptr<OpDef>> definitions; // of nodes; they live as long as the process
  static Registered &get() {
    static Registered all;
    return all;
  }
};

thread_local std::shared_ptr<Ir> sessionOfThread;

// An index that a user's operator names, as one of `count`.
std::size_t indexed(int index, std::size_t count, const Op &op, const char *what) {
  if (index < 0 || std::size_t(index) >= count)
    throw error("{}: {} names {}; there are {}.", op.debugName(), what, index, count);
  return std::size_t(index);
}

// What a gradient operator reads, as its gradInputInfo() says.
ir::Values inputsOf(ops::GradBuilder &g, const OpView &view, const Op &gradOp) {
  ir::Values inputs;
  for (const auto &source : gradOp.gradInputInfo()) {
    const bool isInput = source.type == GradOpInType::In;
    const auto i = indexed(source.iNonGrad, isInput ? view.inputs() : view.outputs(), gradOp,
                           "gradInputInfo()");
    const ir::Value v = source.type == GradOpInType::In    ? ir::Value(view.in(i))
                        : source.type == GradOpInType::Out ? ir::Value(view.out(i))
                                                           : g.dy(unsigned(i));
    const auto at = indexed(source.iGrad, mostTensors, gradOp, "gradInputInfo()");
    inputs.resize(std::max(inputs.size(), at + 1), ir::none);
    inputs[at] =
        v == ir::none && source.type == GradOpInType::GradOut ? g.zerosLike(view.out(i)) : v;
  }
  return inputs;
}

// Runs the user's gradient operators on the values they ask for.
ir::Values gradient(ops::GradBuilder &g, const OpView &view, Op &op, Home &home) {
  home.connect(op, view);
  ir::Values out(view.inputs(), ir::none);
  for (auto &made : op.getGradOps()) {
    SharedOp gradOp = std::move(made);
    gradOp->settings.backward = true;
    const auto inputs = inputsOf(g, view, *gradOp);
    const auto &targets = gradOp->gradOutToNonGradIn();
    for (const auto &[from, to] : targets) {
      indexed(from, mostTensors, *gradOp, "gradOutToNonGradIn()");
      indexed(to, view.inputs(), *gradOp, "gradOutToNonGradIn()");
    }
    const auto outputs = targets.empty() ? 0 : unsigned(targets.rbegin()->first + 1);
    const auto own = nodeOfBuiltin(*gradOp, inputs);
    const auto grads = g.append(own ? *own : nodeFor(gradOp, inputs, {}), outputs);
    for (const auto &[from, to] : targets) {
      ir::Value &sum = out[std::size_t(to)];
      sum = sum == ir::none ? grads[std::size_t(from)] : g.add(sum, grads[std::size_t(from)]);
    }
  }
  return out;
}

ops::Infos infer(Op &op, Home &home, const OpView &view) {
  home.connect(op, view);
  op.setup();
  ops::Infos out(std::size_t(op.output->maxIndex() + 1));
  for (const auto &[i, tensor] : op.output->tensorMap())
    out[std::size_t(i)] = tensor->info;
  for (std::size_t i = 0; i < out.size(); ++i)
    if (!out[i].isSet())
      throw error("{}: setup() does not say what its output {} is.", op.debugName(), i);
  return out;
}

const OpDef &definitionFor(const SharedOp &op, bool inPlace) {
  auto def = std::make_unique<OpDef>();
  auto home = std::make_shared<Home>();
  def->type = op->opid.type;
  def->domain = op->opid.domain;
  def->in = {0, ops::any};
  def->out = {0, ops::any};
  def->random = op->requiresRandomSeed();
  def->sideEffect = op->hasSideEffect();
  def->infer = [op, home](const OpView &view) { return infer(*op, *home, view); };
  def->grad = [op, home](ops::GradBuilder &g, const OpView &view) {
    return gradient(g, view, *op, *home);
  };
  def->lower = [op, home, inPlace](lowering::Lowering &l, const OpView &view) {
    home->connect(*op, view);
    return lower(l, view, *op, inPlace);
  };
  def->create = [op, home](lowering::Lowering &l, const OpView &view, unsigned i) {
    home->connect(*op, view);
    return createInput(l, view, i, *op);
  };
  auto &all = Registered::get();
  std::lock_guard lock(all.mutex);
  all.definitions.push_back(std::move(def));
  all.users[all.definitions.back().get()] = op;
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

TensorType typeOf(ir::Kind kind) {
  switch (kind) {
  case ir::Kind::Stream:
    return TensorType::Stream;
  case ir::Kind::Variable:
    return TensorType::Variable;
  case ir::Kind::Constant:
    return TensorType::Const;
  default:
    return TensorType::ActGrad;
  }
}

namespace {
// Operators outlive their session, and Python: they keep none of its functions.
SessionOptions withoutCallbacks(SessionOptions options) {
  options.compilationProgressLogger = nullptr;
  return options;
}
} // namespace

InSession::InSession(bool training, const SessionOptions &options, const DataFlow &flow,
                     const TensorId &loss)
    : outer_(std::exchange(sessionOfThread,
                           std::make_shared<Ir>(training, withoutCallbacks(options), flow, loss))) {
}
InSession::~InSession() { sessionOfThread = outer_; }
std::shared_ptr<Ir> currentIr() {
  return sessionOfThread ? sessionOfThread : std::make_shared<Ir>();
}

void Home::connect(Op &op, const OpView &view) {
  op.input->clear();
  op.output->clear();
  graph_ = std::make_unique<Graph>(*ir_);
  op.settings.graph = *graph_;
  auto &tensors = graph_->getTensors();
  const auto tensorOf = [&](const ops::ValueView &value) {
    if (tensors.contains(value.name()))
      return tensors.get(value.name());
    auto *tensor = tensors.add(value.name(), typeOf(value.kind()));
    tensor->info = value.info();
    if (value.isConstant() && value.data())
      tensor->setTensorData(value.info(), value.data().data());
    return tensor;
  };
  for (std::size_t i = 0; i < view.inputs(); ++i)
    if (view.hasIn(i)) {
      tensorOf(view.in(i));
      op.connectInTensor(int(i), view.in(i).name());
    }
  for (std::size_t i = 0; i < view.outputs(); ++i)
    if (view.hasOut(i)) {
      tensorOf(view.out(i));
      op.connectOutTensor(int(i), view.out(i).name());
    }
}

Op::Settings settingsOf(const ir::Node &node) {
  const auto &s = node.settings;
  Op::Settings out(s.name);
  if (s.virtualGraph)
    out.vgraphId = *s.virtualGraph;
  if (s.pipelineStage)
    out.pipelineStage = *s.pipelineStage;
  if (s.executionPhase)
    out.executionPhase = *s.executionPhase;
  out.recomputeType = static_cast<RecomputeType>(s.recompute);
  out.schedulePriority = s.schedulePriority;
  out.backward = node.pass == ir::Pass::Backward;
  if (node.pass == ir::Pass::Update)
    out.executionContext = ExecutionContext::AccumulateOuterFragment;
  if (auto names = s.extra.find<std::vector<std::string>>("__exclude_patterns"))
    out.excludePatterns = *names;
  const auto names = s.extra.find<std::vector<std::string>>("__inplace_op_names");
  const auto priorities = s.extra.find<std::vector<float>>("__inplace_op_priorities");
  for (std::size_t i = 0; names && priorities && i < std::min(names->size(), priorities->size());
       ++i)
    out.inplacePriorityVeto.emplace_back((*names)[i], (*priorities)[i]);
  return out;
}
Attributes attributesOf(const ir::Node &node) {
  Attributes out;
  for (const auto &[name, value] : node.attributes.all())
    std::visit(
        [&, &name = name](const auto &v) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(v)>, ir::HostTensor>)
            out.setAttribute(name, any(v));
        },
        value);
  return out;
}

ir::Node nodeFor(const SharedOp &op, const ir::Values &inputs, const ir::Attributes &attributes,
                 bool inPlace) {
  ir::Node node;
  node.inputs = inputs;
  Written written;
  written.attributes = attributes;
  op->appendAttributes(written);
  node.attributes = written.attributes;
  node.def = &definitionFor(op, inPlace);
  return node;
}
SharedOp opOf(const ir::Node &node) {
  auto &all = Registered::get();
  std::lock_guard lock(all.mutex);
  const auto it = all.users.find(node.def);
  return it == all.users.end() ? nullptr : it->second;
}
SharedOp create(const OperatorIdentifier &id, const Op::Settings &settings) {
  OpManager::OpFactoryFunc factory;
  {
    auto &all = Registered::get();
    std::lock_guard lock(all.mutex);
    if (const auto it = all.ops.find(id); it != all.ops.end())
      factory = it->second;
  }
  return factory ? SharedOp(factory(OpCreatorInfo{id, settings, {}})) : nullptr;
}

namespace {

// The input that each output of a variant lies in; nothing if it writes an input that is no output.
std::optional<ir::Integers> inPlaceOf(const Op &op) {
  AliasModel model;
  op.growAliasModel(model);
  const auto any = [](const view::Regions &all) {
    return std::any_of(all.begin(), all.end(), [](const auto &r) { return !r.isEmpty(); });
  };
  ir::Integers out(std::size_t(op.output->maxIndex() + 1), -1);
  std::set<int> lies;
  for (const auto &[o, output] : op.output->tensorMap())
    for (const auto &[i, input] : op.input->tensorMap()) {
      bool here = any(op.aliases(i, o));
      for (const auto &relation : model.relations(op))
        here = here || (relation.in == i && relation.out == o);
      if (here && out[std::size_t(o)] < 0) {
        out[std::size_t(o)] = i;
        lies.insert(i);
      }
    }
  for (const auto &[i, input] : op.input->tensorMap())
    if (op.modifiesIndex(i) && !lies.count(i))
      return std::nullopt;
  return out;
}

} // namespace

std::vector<Variant> variantsOf(const ir::Graph &graph, const ir::Node &node) {
  const auto op = opOf(node);
  if (!op)
    return {};
  const OpView view(graph, node);
  Home home, other;
  home.connect(*op, view);
  std::vector<std::pair<float, OperatorIdentifier>> wanted;
  for (const auto &[id, priority] : op->inplacePriorityDefault()) {
    float chosen = priority;
    for (const auto &[name, said] : settingsOf(node).inplacePriorityVeto)
      chosen = name == id.type ? said : chosen;
    if (chosen > 0 && opxOf(id))
      wanted.emplace_back(chosen, id);
  }
  std::stable_sort(wanted.begin(), wanted.end(),
                   [](const auto &a, const auto &b) { return a.first > b.first; });
  std::vector<Variant> out;
  for (const auto &[priority, id] : wanted) {
    SharedOp variant = op->getInplaceVariant(id);
    other.connect(*variant, view);
    variant->setup();
    if (auto inPlace = inPlaceOf(*variant))
      out.push_back({nodeFor(variant, node.inputs, {}, true), *inPlace});
    variant->input->clear(); // the graph they are of goes
    variant->output->clear();
  }
  op->input->clear();
  op->output->clear();
  return out;
}

} // namespace custom

void OpManager::registerOp(const OperatorIdentifier &opid, const OpDefinition &definition,
                           OpFactoryFunc factory) {
  {
    auto &all = custom::Registered::get();
    std::lock_guard lock(all.mutex);
    all.ops[opid] = factory;
    for (const auto &[name, attribute] : definition.attributes)
      all.attributes[{opid.domain, opid.type}].insert(name);
  }
  ops::OpDef def;
  def.type = opid.type;
  def.domain = opid.domain;
  def.doc = "A custom operator.";
  def.in = {0, ops::any};
  def.out = {0, ops::any};
  def.decompose = [=](ops::GraphBuilder &b, const ops::OpView &view) {
    custom::checkTypes(view, definition);
    auto settings = custom::settingsOf(view.node());
    settings.name = b.settings.name;
    custom::SharedOp op = factory(OpCreatorInfo{opid, settings, custom::attributesOf(view.node())});
    const auto node = custom::nodeFor(op, view.node().inputs, view.node().attributes);
    // As many outputs as setup() makes, whatever the definition lists.
    return b.append(node, unsigned(node.def->infer(view).size()));
  };
  ops::addOp(std::move(def));
}

static std::set<std::string> attributesInOnnx(const std::string &type) {
  std::set<std::string> names;
  for (int version = 6; version <= 17; ++version) // since 6 without consumed_inputs
    if (const auto *schema = onnx::OpSchemaRegistry::Schema(type, version, ""))
      for (const auto &[name, attribute] : schema->attributes())
        names.insert(name);
  return names;
}
std::optional<std::set<std::string>> declaredAttributes(const std::string &domain,
                                                        const std::string &type) {
  auto &all = custom::Registered::get();
  std::lock_guard lock(all.mutex);
  if (const auto it = all.attributes.find({domain, type}); it != all.attributes.end())
    return it->second.empty() ? std::nullopt : std::optional(it->second);
  if (domain == Domain::ai_onnx)
    return attributesInOnnx(type);
  return std::nullopt;
}

// ---- shapes of operators that nobody registered

RegisterShapeInferenceFunction::RegisterShapeInferenceFunction(const OperatorIdentifier &id,
                                                               ShapeInferenceFunction function) {
  if (ops::findOp(id.domain, id.type))
    return; // whose setup() says it
  ops::OpDef def;
  def.type = id.type;
  def.domain = id.domain;
  def.doc = "An operator of which only the shapes are known.";
  def.in = {0, ops::any};
  def.out = {0, ops::any};
  def.infer = [function, id](const ops::OpView &view) {
    std::vector<TensorInfo> inputs;
    for (std::size_t i = 0; i < view.inputs(); ++i)
      inputs.push_back(view.hasIn(i) ? view.in(i).info() : TensorInfo());
    const auto outputs = id.numOutputs > 0 ? std::size_t(id.numOutputs) : std::size_t(1);
    ShapeInferenceContext context(inputs, custom::attributesOf(view.node()), outputs);
    function(context);
    return context.outputs();
  };
  def.noGradient = "only its shapes are known";
  def.lower = [](lowering::Lowering &, const ops::OpView &view) -> ops::Tensors {
    view.fail("only its shapes are known. Register an Op and an Opx for it.");
  };
  ops::addOp(std::move(def));
}
const TensorInfo &ShapeInferenceContext::inInfo(int i) const {
  if (i < 0 || std::size_t(i) >= inputs_.size())
    throw error("There is no input {} to infer a shape from; there are {}.", i, inputs_.size());
  return inputs_[std::size_t(i)];
}
TensorInfo &ShapeInferenceContext::outInfo(int i) {
  if (i < 0 || std::size_t(i) >= outputs_.size())
    throw error("There is no output {} to infer the shape of; there are {}.", i, outputs_.size());
  return outputs_[std::size_t(i)];
}

// ---- attributes

void Attributes::otherType(const std::string &name) {
  throw error("The attribute \"{}\" of the operator is of another type than is asked for.", name);
}
bool Attributes::convert(const any &held, float &out) {
  if (const auto *whole = held.get<Int>())
    out = static_cast<float>(*whole);
  return held.get<Int>() != nullptr;
}
bool Attributes::convert(const any &held, std::vector<float> &out) {
  if (const auto *whole = held.get<Ints>())
    out.assign(whole->begin(), whole->end());
  return held.get<Ints>() != nullptr;
}
const any &Attributes::find(const std::string &name) const {
  auto it = all_.find(name);
  if (it == all_.end())
    throw error("The operator has no attribute \"{}\".", name);
  return it->second;
}

} // namespace popart
