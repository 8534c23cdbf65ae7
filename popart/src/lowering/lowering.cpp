// SPDX-License-Identifier: MIT
#include "lowering/lowering.hpp"

#include "analysis/neighbours.hpp"
#include "base/Text.hpp"
#include "ir/held.hpp"
#include "ir/narrowed.hpp"
#include "lowering/expression.hpp"
#include "opdef/opdef.hpp"
#include "openipu/LibraryLog.hpp"
#include <popart/error.hpp>
#include <poplar/CSRFunctions.hpp>
#include <poplar/exceptions.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/Start.hpp>
#include <poputil/TileMapping.hpp>

namespace popart::lowering {

using ir::Kind;
using ir::Value;
using ops::OpView;
using ops::Tensors;

poplar::Type deviceType(DataType type) {
  switch (type) {
  case DataType::FLOAT:
  case DataType::DOUBLE:
  case DataType::BFLOAT16:
    return poplar::FLOAT;
  case DataType::FLOAT16:
    return poplar::HALF;
  case DataType::INT32:
  case DataType::INT64:
    return poplar::INT;
  case DataType::UINT32:
  case DataType::UINT64:
    return poplar::UNSIGNED_INT;
  case DataType::INT16:
    return poplar::SHORT;
  case DataType::UINT16:
    return poplar::UNSIGNED_SHORT;
  case DataType::INT8:
    return poplar::SIGNED_CHAR;
  case DataType::UINT8:
    return poplar::UNSIGNED_CHAR;
  case DataType::BOOL:
    return poplar::BOOL;
  default:
    throw error("Tensors of type {} cannot be held on the device.", nameOf(type));
  }
}

Lowering::Lowering(poplar::Graph &root, const ir::Graph &model, const Options &options,
                   unsigned ipusPerReplica)
    : root_(root), model_(model), options_(options), links_(model),
      functions_(std::make_shared<std::map<FunctionKey, Function>>()), tensors_(model.size()) {
  if (ipusPerReplica > 1) {
    const unsigned tiles = root.getTarget().getTilesPerIPU();
    ipus_ = std::make_shared<std::vector<poplar::Graph>>();
    for (unsigned ipu = 0; ipu < ipusPerReplica; ++ipu)
      ipus_->push_back(root.createVirtualGraph(ipu * tiles, (ipu + 1) * tiles));
  }
}

poplar::Graph &Lowering::graphOf(std::int64_t ipu) {
  return ipus_ ? ipus_->at(static_cast<std::size_t>(ipu)) : root_;
}
poplar::Graph &Lowering::graph() {
  if (!ipus_ || !node_)
    return root_;
  const auto ipu = node_->settings.virtualGraph.value_or(0);
  if (ipu < 0 || ipu >= static_cast<std::int64_t>(ipus_->size()))
    throw error(base::str(ops::describe(model_, *node_), " is placed on virtual graph ", ipu,
                          ", but a replica has ", ipus_->size(), " IPUs."));
  return graphOf(ipu);
}
poplar::program::Sequence &Lowering::program() { return *program_; }

static std::string nameOf(const ir::Node *node) {
  return !node                         ? std::string()
         : node->settings.name.empty() ? node->def->type
                                       : node->settings.name;
}

// What profiles say of an operator: they show it where the model's author looks for it.
static void describe(poplar::DebugInfo &info, const ir::Graph &model, const ir::Node &node) {
  const auto names = [&](const auto &values) {
    poplar::ProfileValue::Vector list;
    for (const auto value : values)
      if (value != ir::none)
        list.emplace_back(model[value].name);
    return poplar::ProfileValue(std::move(list));
  };
  info.setValue("category", poplar::ProfileValue("op"));
  info.setValue("opid", poplar::ProfileValue(node.def->type));
  info.setValue("inputs", names(node.inputs));
  info.setValue("outputs", names(node.outputs));
}

// The node that is being lowered, on this thread, with the context that its programs hang under. It
// lies on the stack of lower(); bodies of functions are lowered within their callers.
class BeingLowered {
public:
  BeingLowered(const ir::Graph &model, const ir::Node &node)
      : node_(node), // the place in this file would say nothing to the model's author
        info_(poplar::DebugContext(nameOf(&node), poplar::SourceLocation()), "popart"),
        outer_(std::exchange(innermost, this)) {
    if (openipu::callsAreNoted())
      describe(info_, model, node);
  }
  ~BeingLowered() { innermost = outer_; }
  BeingLowered(const BeingLowered &) = delete;
  static const poplar::DebugInfo *infoOf(const ir::Node *node) {
    return innermost && &innermost->node_ == node ? &innermost->info_ : nullptr;
  }

private:
  static thread_local const BeingLowered *innermost;
  const ir::Node &node_;
  poplar::DebugInfo info_;
  const BeingLowered *outer_;
};
thread_local const BeingLowered *BeingLowered::innermost = nullptr;

poplar::DebugContext Lowering::name(const std::string &part) const {
  if (const auto *info = BeingLowered::infoOf(node_))
    return poplar::DebugContext(*info, part);
  std::string text = nameOf(node_);
  if (!part.empty())
    text += (text.empty() ? "" : "/") + part;
  return poplar::DebugContext(text);
}

poplar::Tensor Lowering::tensor(Value v) {
  if (!tensors_[v.value].valid())
    tensors_[v.value] = create(v);
  return tensors_[v.value];
}

bool Lowering::canHave(Value v) const {
  return isBound(v) || (model_[v].kind != Kind::Computed && !model_[v].offChip);
}

// Small tensors of different sizes do not all begin on the first tile.
static void mapSpread(poplar::Graph &graph, const poplar::Tensor &t) {
  poputil::mapTensorLinearlyWithOffset(graph, t,
                                       poputil::startOf(graph, t.numElements(), t.elementType()));
}

poplar::Tensor Lowering::constant(const ops::HostTensor &data, const std::string &name) {
  const auto values = data.as(ir::narrowed(data.type()));
  const auto type = deviceType(data.type());
  const auto shape = data.info().shape_szt();
  const poplar::DebugContext debug(name);
  auto &g = graph();
  const auto add = [&](auto sample) {
    return g.addConstant(type, shape, static_cast<const decltype(sample) *>(values.data()), debug);
  };
  poplar::Tensor t;
  if (type == poplar::FLOAT)
    t = add(float());
  else if (type == poplar::HALF)
    t = g.addConstantHalf(type, shape, static_cast<const std::uint16_t *>(values.data()), debug);
  else if (type == poplar::INT)
    t = add(int());
  else if (type == poplar::UNSIGNED_INT)
    t = add(unsigned());
  else if (type == poplar::SHORT)
    t = add(short());
  else if (type == poplar::UNSIGNED_SHORT)
    t = add(static_cast<unsigned short>(0));
  else if (type == poplar::SIGNED_CHAR)
    t = add(static_cast<signed char>(0));
  else if (type == poplar::UNSIGNED_CHAR)
    t = add(static_cast<unsigned char>(0));
  else
    t = add(bool());
  mapSpread(g, t);
  return t;
}

poplar::Tensor Lowering::seed() {
  if (!seed_.valid())
    throw internal_error("A random operator was lowered without a seed.");
  return seed_;
}

namespace {
namespace pe = popops::expr;
// Rounds of a hash, which is one to one: other numbers in, other numbers out.
std::uint32_t mixed(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}
} // namespace

poplar::Tensor Lowering::seedOfBody(const OpView &op, poplar::program::Sequence &into,
                                    const poplar::Tensor &iteration) {
  if (!ops::drawsNumbers(op.node()))
    return {};
  const auto outer = seed();
  const auto debug = name("seed");
  const auto modifier = mixed(ops::seedModifierOf(op));
  poplar::Tensor low =
      popops::map(root_, pe::BitwiseXor(pe::_1, pe::Const(modifier)), {outer[0]}, into, debug);
  if (iteration.valid())
    popops::mapInPlace(root_, pe::Add(pe::_1, pe::Mul(pe::_2, pe::Const(0x9e3779b1u))),
                       {low, iteration.reshape({}).reinterpret(poplar::UNSIGNED_INT)}, into, debug);
  const auto round =
      pe::Mul(pe::BitwiseXor(pe::_1, pe::Shr(pe::_1, pe::Const(16u))), pe::Const(0x7feb352du));
  for (int i = 0; i < 2; ++i)
    popops::mapInPlace(root_, round, {low}, into, debug);
  return poplar::concat(low.reshape({1}), outer.slice(1, 2));
}

// Asks the users of a value in order; a view-like user passes the question on to its own users.
poplar::Tensor Lowering::wanted(Value v, unsigned depth) {
  constexpr unsigned furthest = 16;
  if (depth > furthest)
    return {};
  for (unsigned n : links_.consumers[v.value]) {
    const ir::Node &node = model_.nodes[n];
    const OpView op(model_, node);
    const ir::Node *outer = std::exchange(node_, &node);
    poplar::Tensor t;
    for (unsigned i = 0; i < node.inputs.size() && !t.valid(); ++i)
      if (node.inputs[i] == v && node.def->create)
        t = node.def->create(*this, op, i);
    if (!t.valid() && node.def->unwind && node.inputs[0] == v && node.outputs[0] != ir::none)
      if (auto made = wanted(node.outputs[0], depth + 1); made.valid())
        t = node.def->unwind(op, made);
    node_ = outer;
    if (t.valid())
      return t;
  }
  return {};
}

poplar::Tensor Lowering::newTensor(Value v, const poplar::Tensor &like) {
  const auto &value = model_[v];
  const auto type = deviceType(value.info.dataType());
  const auto t = wanted(v, 0);
  if (t.valid() && (t.shape() != value.info.shape_szt() || t.elementType() != type))
    throw internal_error("The layout made for \"{}\" is {}, not {}.", value.name, t.shapeToString(),
                         value.info);
  const poplar::DebugContext name(value.name);
  if (t.valid() || like.valid())
    return t.valid() ? t : graph().clone(type, like, name);
  const auto own = graph().addVariable(type, value.info.shape_szt(), name);
  mapSpread(graph(), own);
  return own;
}

RemoteStorage &Lowering::remote(Value variable) {
  const auto &value = model_[variable];
  const auto [at, fresh] = remotes_.try_emplace(variable);
  if (fresh)
    at->second.buffer =
        root_.addRemoteBuffer("remote_" + value.name, deviceType(value.info.dataType()),
                              static_cast<std::size_t>(value.info.nelms()));
  return at->second;
}

poplar::Tensor Lowering::onIoTiles(const poplar::Tensor &t, const std::string &name) {
  if (!io_)
    throw internal_error("There are no I/O tiles for \"{}\".", name);
  const auto whole = io_->getTopLevelGraph();
  const auto mapping = whole.getTileMapping(t);
  const auto used = std::find_if(mapping.begin(), mapping.end(),
                                 [](const auto &regions) { return !regions.empty(); });
  const auto ipu =
      static_cast<unsigned>(used - mapping.begin()) / whole.getTarget().getTilesPerIPU();
  const auto tiles = io_->getTarget().getTilesPerIPU();
  auto here = io_->createVirtualGraph(ipu * tiles, (ipu + 1) * tiles);
  auto landed = here.addVariable(t.elementType(), t.shape(), "ioTiles/" + name);
  poputil::mapTensorLinearly(here, landed);
  return landed;
}

poplar::Tensor Lowering::create(Value v) {
  const auto &value = model_[v];
  if (value.kind == Kind::Computed && isBound(v)) { // made once: it may have what users want too
    const auto t = wanted(v, 0);
    return t.valid() ? t : tensors_[v.value];
  }
  if (value.kind == Kind::Computed)
    throw internal_error("\"{}\" is used before it is computed.", value.name);
  const auto &users = links_.consumers[v.value];
  const ir::Node *outer = node_;
  if (!users.empty())
    node_ = &model_.nodes[users.front()]; // it lives where it is first used
  poplar::Tensor t;
  const bool fixed = value.kind == Kind::Constant;
  if (fixed && !(options_.holdConstants && !isBody_ && ir::isHeld(value)))
    t = constant(value.data, value.name);
  else {
    if (fixed)
      held_.push_back(v);
    t = newTensor(v);
  }
  node_ = outer;
  return t;
}

void Lowering::lower(const ir::Node &node, poplar::program::Sequence &into) {
  const ir::Node *outerNode = std::exchange(node_, &node);
  auto *outerProgram = std::exchange(program_, &into);
  const BeingLowered lowered(model_, node);
  const OpView op(model_, node);
  const bool usual = options_.roundsAtRandom;
  const bool rounds = analysis::roundingOf(node).value_or(usual);
  if (rounds != usual)
    poplar::setStochasticRounding(graph(), into, rounds, "rounding");
  const Tensors made = programsOf(op);
  if (rounds != usual)
    poplar::setStochasticRounding(graph(), into, usual, "rounding");
  if (made.size() < node.outputs.size())
    throw internal_error("{} lowered {} of {} outputs.", ops::describe(model_, node), made.size(),
                         node.outputs.size());
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] == ir::none)
      continue;
    const auto &info = op.out(i).info();
    if (made[i].shape() != info.shape_szt() || made[i].elementType() != deviceType(info.dataType()))
      throw internal_error("{}: output {} was lowered as {} {}, not {}.",
                           ops::describe(model_, node), i, made[i].elementType().toString(),
                           made[i].shapeToString(), info);
    bind(node.outputs[i], made[i]);
  }
  node_ = outerNode;
  program_ = outerProgram;
}

// What PopLibs refuses is the model's mistake: PopART's error, with the node's name.
Tensors Lowering::programsOf(const OpView &op) {
  try {
    return op.node().def->lower ? op.node().def->lower(*this, op) : lowerExpression(op);
  } catch (const poputil::poplibs_error &e) {
    op.fail(e.what());
  } catch (const poplar::poplar_error &e) {
    op.fail(e.what());
  }
}

Tensors Lowering::lowerExpression(const OpView &op) {
  if (!op.node().def->expr)
    throw internal_error("{} can neither be lowered nor written as an expression.", op.type());
  ExpressionBuilder build(*this, model_);
  return {build.map(op)};
}

Tensors Lowering::lowerBody(const ir::Graph &body, const Tensors &inputs,
                            poplar::program::Sequence &into, const poplar::Tensor &seed) {
  Lowering inner(root_, body, options_);
  inner.ipus_ = ipus_;
  inner.functions_ = functions_;
  inner.seed_ = seed.valid() ? seed : seed_;
  inner.isBody_ = true;
  if (inputs.size() != body.inputs.size())
    throw internal_error("{}: {} inputs bound, {} expected.", body.name, inputs.size(),
                         body.inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    inner.bind(body.inputs[i], inputs[i]);
  for (const auto &node : body.nodes)
    inner.lower(node, into);
  Tensors out;
  for (Value v : body.outputs)
    out.push_back(inner.tensor(v));
  return out;
}

const Lowering::Function &Lowering::function(const std::shared_ptr<const ir::Graph> &body,
                                             const Tensors &like) {
  const FunctionKey key(body, node_->settings.virtualGraph.value_or(0));
  if (auto it = functions_->find(key); it != functions_->end())
    return it->second;
  Function made;
  for (const auto &t : like)
    made.inputs.push_back(graph().clone(t, name("argument")));
  if (ops::drawsNumbers(*node_))
    made.seed = root_.clone(seed(), name("seed"));
  poplar::program::Sequence prog;
  made.outputs = lowerBody(*body, made.inputs, prog, made.seed);
  made.function = graph().addFunction(prog);
  return functions_->emplace(key, std::move(made)).first->second;
}

// ---- pipelines

std::int64_t Lowering::ipuOf(Value v) const {
  const int producer = links_.producer[v.value];
  const auto n =
      producer >= 0 ? static_cast<unsigned>(producer) : links_.consumers[v.value].front();
  return model_.nodes[n].settings.virtualGraph.value_or(0);
}

// Where the value of `delay` cycles ago stands in a ring; the present one's place for delay =
// depth.
poplar::Tensor Lowering::ringIndex(std::int64_t ipu, std::int64_t depth, std::int64_t delay,
                                   poplar::program::Sequence &into) {
  auto &g = graphOf(ipu);
  auto &counter = counters_[ipu];
  if (!counter.valid()) {
    counter = g.addVariable(poplar::UNSIGNED_INT, {1}, "pipeline/cycle");
    g.setTileMapping(counter, 0);
  }
  namespace pe = popops::expr;
  return popops::map(g,
                     pe::Rem(pe::Add(pe::_1, pe::Const(static_cast<unsigned>(depth - delay))),
                             pe::Const(static_cast<unsigned>(depth))),
                     {counter}, into, "pipeline/index");
}

poplar::Tensor Lowering::makeRing(Value v, std::int64_t destination, std::int64_t depth) {
  const auto source = tensor(v);
  auto &g = graphOf(destination);
  const poplar::DebugContext name("Stashed___" + model_[v].name);
  // A view of what came from another stage lies in that one's ring: it moves on before new values
  // come there.
  const bool lent = std::any_of(rings_.begin(), rings_.end(), [&](const auto &ring) {
    return ring.second.valid() && ring.second.intersectsWith(source);
  });
  poplar::program::Sequence moves;
  auto ring = source;
  if (ipuOf(v) != destination)
    ring = poputil::copyToIpu(root_, source, moves, static_cast<int>(destination), name);
  else if (depth == 1)
    moves.add(poplar::program::Copy(source, ring = g.clone(source, name)));
  if (depth > 1) {
    const auto now = ring.expand({0});
    ring = popops::createSliceableTensorFromSlice(g, now, {0}, {static_cast<std::size_t>(depth)},
                                                  name);
    popops::dynamicUpdate(g, ring, now, ringIndex(destination, depth, depth, moves), {0}, {1},
                          moves, name);
  }
  if (lent)
    endOfCycle_ = poplar::program::Sequence({moves, endOfCycle_});
  else
    endOfCycle_.add(moves);
  return ring;
}

poplar::Tensor Lowering::restore(Value v, std::int64_t destination, std::int64_t depth,
                                 std::int64_t delay) {
  auto &ring = rings_[{v, destination}];
  if (!ring.valid())
    ring = makeRing(v, destination, depth);
  if (depth == 1)
    return ring;
  return popops::dynamicSlice(graphOf(destination), ring,
                              ringIndex(destination, depth, delay, program()), {0}, {1}, program(),
                              name())
      .squeeze({0});
}

std::string partialsType(const std::string &text) {
  if (text == "HALF" || text == "half")
    return "half";
  if (text == "FLOAT" || text == "float")
    return "float";
  throw error(base::str("The partials type \"", text, "\" is not known. Use HALF or FLOAT."));
}

void Lowering::annotate(const OpView &op, poplar::OptionFlags &options, bool convolution) const {
  const auto &extra = op.node().settings.extra;
  if (auto p = extra.find<float>("__available_memory_proportion"))
    options.set("availableMemoryProportion", base::str(*p));
  if (auto type = extra.find<std::string>("__partials_type"))
    options.set("partialsType", partialsType(*type));
  if (auto dithering = extra.find<std::int64_t>("__enable_conv_dithering");
      dithering && convolution)
    options.set("enableConvDithering", *dithering ? "true" : "false");
  const char *key = convolution ? "pass" : "fullyConnectedPass";
  if (!options_.training)
    options.set(key, "INFERENCE_FWD");
  else if (ir::isOfForward(op.node()))
    options.set(key, "TRAINING_FWD");
}
poplar::OptionFlags Lowering::convOptions(const OpView &op) const {
  auto options = options_.convolution;
  annotate(op, options, true);
  return options;
}
poplar::OptionFlags Lowering::matmulOptions(const OpView &op) const {
  auto options = options_.matmul;
  annotate(op, options, false);
  return options;
}

} // namespace popart::lowering
