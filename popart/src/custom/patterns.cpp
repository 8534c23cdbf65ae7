// SPDX-License-Identifier: MIT
// Users' patterns. They see a graph of Ops and Tensors made from ours; what they changed is carried
// back node by node: nodes they left alone stay as they are, in their order.
#include "base/Fork.hpp"
#include "base/Text.hpp"
#include "custom/custom.hpp"
#include <algorithm>
#include <popart/builder.hpp>
#include <popart/op/gather.hpp>
#include <popart/op/matmul.hpp>
#include <popart/patterns/pattern.hpp>

namespace popart {
namespace custom {
namespace {

using ir::Node;
using ir::Value;

class Seen {
public:
  explicit Seen(ir::Graph &graph) : graph_(graph), ir_(currentIr()), whole_(*ir_, graph.name) {
    for (std::uint32_t i = 0; i < graph.size(); ++i)
      addTensor(Value{i});
    for (const Node &node : graph.nodes)
      addOp(node);
    ir_->setMainGraph(&whole_);
  }
  ~Seen() { // the operators live on in their nodes
    ir_->setMainGraph(nullptr);
    for (const auto &[id, op] : whole_.getOps())
      forget(*op);
  }

  bool apply(const PreAliasPattern &pattern) {
    constexpr unsigned most = 100000;
    bool any = false;
    std::vector<OpId> ids;
    for (const auto &[id, op] : whole_.getOps())
      ids.push_back(id);
    for (OpId id : ids) {
      const auto it = whole_.getOps().find(id);
      if (it == whole_.getOps().end() ||
          it->second->isExcludedFromPattern(pattern.getPatternName()))
        continue;
      const auto op = it->second; // which the pattern may erase
      if (!pattern.matches(op.get()) || pattern.touchesAnchored(op.get()) ||
          !pattern.apply(op.get()))
        continue;
      any = true;
      if (++applied_ > most)
        throw error("The pattern \"{}\" applies again and again: to what it made itself?",
                    pattern.getPatternName());
    }
    return any;
  }

  void carryBack() {
    std::vector<Node> nodes;
    for (Op *op : whole_.getOpSchedule())
      if (const auto old = nodes_.find(op); old != nodes_.end())
        nodes.push_back(changed(old->second, *op));
      else
        addNode(*op, nodes);
    graph_.nodes = std::move(nodes);
  }

private:
  static void forget(Op &op) {
    op.input->clear();
    op.output->clear();
    op.settings.graph = GraphReference();
  }
  void addTensor(Value v) {
    const auto &value = graph_[v];
    auto *tensor = whole_.getTensors().add(value.name, typeOf(value.kind));
    tensor->info = value.info;
    if (value.data && value.kind == ir::Kind::Constant)
      tensor->setTensorData(value.info, value.data.data());
    values_[tensor] = v;
  }
  void addOp(const Node &node) {
    auto op = opOf(node);
    if (op && !used_.insert(op.get()).second)
      op = op->clone(); // one object of two nodes
    if (op) {
      op->settings = settingsOf(node);
      forget(*op);
    } else
      op = builtin(node);
    whole_.add(op);
    nodes_[op.get()] = node;
    const auto connect = [&](const ir::Values &all, auto how) {
      for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i] != ir::none)
          how(int(i), graph_[all[i]].name);
    };
    connect(node.inputs, [&](int i, const TensorId &id) { op->connectInTensor(i, id); });
    connect(node.outputs, [&](int i, const TensorId &id) {
      // Updates have the variable itself among their outputs: nobody makes it.
      if (whole_.getTensor(id)->hasProducer() ||
          whole_.getTensor(id)->tensorType() != TensorType::ActGrad)
        op->output->insert(i, whole_.getTensor(id));
      else
        op->connectOutTensor(i, id);
    });
  }

  Value valueOf(Tensor *tensor, const Op &op) {
    if (const auto it = values_.find(tensor); it != values_.end()) {
      if (graph_[it->second].kind == ir::Kind::Computed && !tensor->hasProducer())
        throw error("{} reads \"{}\", which nothing makes after the patterns.", op.debugName(),
                    tensor->id);
      return it->second;
    }
    return values_[tensor] = tensor->hasTensorData()
                                 ? graph_.addConstant(tensor->id, dataOf(*tensor))
                                 : graph_.add({tensor->id, tensor->info, ir::Kind::Computed, {}});
  }
  ir::Values valuesOf(const TensorIndexMap &all, const Op &op) {
    ir::Values out(std::size_t(all.maxIndex() + 1), ir::none);
    for (const auto &[i, tensor] : all.tensorMap())
      out[std::size_t(i)] = valueOf(tensor, op);
    return out;
  }
  static void copySettings(const Op::Settings &from, ir::Settings &to) {
    const auto copy = [](const auto &a, auto &b) {
      b.reset();
      if (a)
        b = *a;
    };
    copy(from.vgraphId, to.virtualGraph);
    copy(from.pipelineStage, to.pipelineStage);
    copy(from.executionPhase, to.executionPhase);
    to.recompute = static_cast<ir::Recompute>(from.recomputeType);
    to.schedulePriority = from.schedulePriority;
    to.name = from.name;
    if (!from.excludePatterns.empty())
      to.extra.set("__exclude_patterns", from.excludePatterns);
  }
  // What products and gathers are told beside their meaning.
  static void copyAnnotations(const Op &op, ir::Attributes &to) {
    const auto *product = dynamic_cast<const MatMulOp *>(&op);
    const auto *gather = dynamic_cast<const GatherOp *>(&op);
    const auto proportion = product  ? product->getAvailableMemoryProportion()
                            : gather ? gather->getAvailableMemoryProportion()
                                     : nonstd::optional<float>();
    if (proportion)
      to.set(sAvailMemAttribute, *proportion);
    if (!product)
      return;
    static const char *const modes[] = {"none", "input_channels", "reducing_dim",
                                        "output_channels"};
    const auto &cut = product->getSerialiseSettings();
    for (const char *name : {sSerializeMatMulModeAttribute, sSerializeMatMulFactorAttribute,
                             sSerializeMatMulPrecAttribute})
      to.erase(name);
    if (cut.mode == MatMulBaseOp::SerialiseSettings::Mode::None)
      return;
    to.set(sSerializeMatMulModeAttribute, std::string(modes[static_cast<int>(cut.mode)]));
    to.set(sSerializeMatMulFactorAttribute, cut.factor);
    to.set(sSerializeMatMulPrecAttribute, std::int64_t(cut.keep_precision));
  }
  Node changed(Node node, const Op &op) {
    node.inputs = valuesOf(*op.input, op);
    node.outputs = valuesOf(*op.output, op);
    copySettings(op.settings, node.settings);
    copyAnnotations(op, node.settings.extra);
    return node;
  }

  // When it runs: with what it reads, at the earliest.
  ir::Pass passOf(const Op &op) const {
    auto out = op.settings.executionContext == ExecutionContext::AccumulateOuterFragment
                   ? ir::Pass::Update
               : op.settings.backward ? ir::Pass::Backward
                                      : ir::Pass::Forward;
    for (const auto &[i, tensor] : op.input->tensorMap())
      if (const Op *from = tensor->getProducerUnsafe())
        if (const auto it = passes_.find(from); it != passes_.end())
          out = std::max(out, it->second);
    return out;
  }
  void addNode(Op &op, std::vector<Node> &nodes) {
    ops::GraphBuilder b(graph_, nodes);
    copySettings(op.settings, b.settings);
    copyAnnotations(op, b.settings.extra);
    b.pass = passes_[&op] = passOf(op);
    const auto inputs = valuesOf(*op.input, op);
    const auto first = nodes.size();
    auto node = nodeOfBuiltin(op, inputs);
    if (!node)
      node = nodeFor(sharedOf(op), inputs, {});
    const auto known = valuesOf(*op.output, op); // before it is connected elsewhere to infer
    const auto made = b.append(*node, unsigned(known.size()));
    for (std::size_t i = 0; i < known.size(); ++i)
      if (known[i] != ir::none)
        take(made[i], known[i], nodes, first, b);
  }
  SharedOp sharedOf(Op &op) const { return whole_.getOps().at(op.id); }
  // What was made becomes the value that others know.
  static void take(Value made, Value known, std::vector<Node> &nodes, std::size_t first,
                   ops::GraphBuilder &b) {
    bool own = false;
    for (auto n = first; n < nodes.size(); ++n)
      own = own || std::count(nodes[n].outputs.begin(), nodes[n].outputs.end(), made);
    if (!own) // an input passed on, or folded
      made = b.op("Identity", {made});
    if (b.graph()[made].kind == ir::Kind::Constant)
      throw error("The pattern's operator for \"{}\" has nothing but constants to read; make a "
                  "constant instead.",
                  b.graph()[known].name);
    for (auto n = first; n < nodes.size(); ++n) {
      std::replace(nodes[n].inputs.begin(), nodes[n].inputs.end(), made, known);
      std::replace(nodes[n].outputs.begin(), nodes[n].outputs.end(), made, known);
    }
  }

  ir::Graph &graph_;
  std::shared_ptr<Ir> ir_;
  Graph whole_;
  std::set<const Op *> used_;             // never walked
  std::map<const Op *, Node> nodes_;      // what operators were made from; never walked
  std::map<Tensor *, Value> values_;      // never walked
  std::map<const Op *, ir::Pass> passes_; // of new operators; never walked
  unsigned applied_ = 0;
};

} // namespace

void applyPatterns(ir::Graph &graph, const Patterns &patterns) {
  std::vector<std::unique_ptr<PreAliasPattern>> enabled;
  for (const auto &[name, info] : PreAliasPatternManager::registered())
    if (patterns.isPatternEnabled(name))
      enabled.push_back(info.factory());
  if (enabled.empty())
    return;
  Seen seen(graph);
  bool any = false;
  for (bool again = true; again;) {
    again = false;
    for (const auto &pattern : enabled)
      again = seen.apply(*pattern) || again;
    any = any || again;
  }
  if (any)
    seen.carryBack();
}

} // namespace custom

std::string Pattern::getReplacementOpName(Op *op, const std::string &postfix) const {
  return base::str(getPatternName(), op->name().empty() ? "" : "/", op->name(),
                   postfix.empty() ? "" : "/", postfix);
}
void Pattern::transferBaseProperties(const Op *from, Op *to) const {
  const auto name = to->settings.name;
  const auto graph = to->settings.graph;
  to->settings = from->settings;
  to->settings.name = name;
  to->settings.graph = graph;
}
bool PreAliasPattern::touchesAnchored(Op *op) const {
  for (const auto *tensor : touches(op))
    if (tensor->isAnchored())
      return true;
  return false;
}
Op *PreAliasPattern::makeReplacementOpInIr(const OperatorIdentifier &id, Op *old,
                                           const std::string &name) const {
  auto settings = old->settings;
  settings.name = getReplacementOpName(old, name);
  auto op = custom::create(id, settings);
  if (!op) {
    ir::Node node;
    node.def = ops::findOp(id.domain, id.type);
    if (!node.def)
      throw error(base::str("There is no operator ", id, " to put in the place of ",
                            old->debugName(), "."));
    op = custom::builtin(node);
    op->settings = settings;
  }
  old->getGraph().add(op);
  return op.get();
}

namespace {
struct UserPatterns {
  base::ForkMutex mutex;
  std::map<std::string, PreAliasPatternManager::Info> all;
  static UserPatterns &get() {
    static UserPatterns patterns;
    return patterns;
  }
};
} // namespace
void PreAliasPatternManager::registerPattern(const std::string &name, bool enabled, bool mandatory,
                                             Factory factory) {
  auto &patterns = UserPatterns::get();
  std::lock_guard lock(patterns.mutex);
  patterns.all[name] = {enabled, mandatory, std::move(factory)};
}
std::map<std::string, PreAliasPatternManager::Info> PreAliasPatternManager::registered() {
  auto &patterns = UserPatterns::get();
  std::lock_guard lock(patterns.mutex);
  return patterns.all;
}

} // namespace popart
