// SPDX-License-Identifier: MIT
// The compiler of models: its passes in order. The text of each says what holds from there on.
#include "session/prepare.hpp"

#include "base/Folder.hpp"
#include "base/PassRunner.hpp"
#include "base/Text.hpp"
#include "custom/custom.hpp"
#include "opdef/graphbuilder.hpp"
#include "opdef/validate.hpp"
#include "optimizer/delayupdates.hpp"
#include "session/dot.hpp"
#include "session/log.hpp"
#include "session/optionchecks.hpp"
#include "session/preparation.hpp"
#include "transforms/memory/cutbatches.hpp"
#include "transforms/memory/findsetup.hpp"
#include "transforms/memory/moveactivations.hpp"
#include "transforms/memory/movevariables.hpp"
#include "transforms/memory/outline.hpp"
#include "transforms/memory/recompute.hpp"
#include "transforms/memory/schedule.hpp"
#include "transforms/memory/updateatonce.hpp"
#include "transforms/memory/writeinplace.hpp"
#include "transforms/placing/accumulateinstages.hpp"
#include "transforms/placing/insertipucopies.hpp"
#include "transforms/placing/mirrorphases.hpp"
#include "transforms/placing/orderphases.hpp"
#include "transforms/placing/placenewnodes.hpp"
#include "transforms/placing/raisestages.hpp"
#include "transforms/placing/splitstages.hpp"
#include "transforms/placing/spreadvariables.hpp"
#include "transforms/placing/updateinstages.hpp"
#include "transforms/rewriting/bypass.hpp"
#include "transforms/rewriting/foldbatchnorms.hpp"
#include "transforms/rewriting/foldscales.hpp"
#include "transforms/rewriting/fuse.hpp"
#include "transforms/rewriting/joinepilogues.hpp"
#include "transforms/rewriting/joingelus.hpp"
#include "transforms/rewriting/joinnormalisations.hpp"
#include "transforms/rewriting/joinsoftmaxgradients.hpp"
#include "transforms/rewriting/mergeequalnodes.hpp"
#include "transforms/rewriting/movebehindpools.hpp"
#include "transforms/rewriting/movescales.hpp"
#include "transforms/rewriting/prune.hpp"
#include <popart/builder.hpp>
#include <popart/error.hpp>

namespace popart::session {

using base::Skip;
using ir::Value;

namespace {

poplar::OptionFlags flags(const StringMap &map) {
  poplar::OptionFlags out;
  for (const auto &[key, value] : map)
    out.set(key, value);
  return out;
}

lowering::Options loweringOptions(const SessionOptions &o, bool training, std::int64_t replicas) {
  lowering::Options out;
  out.convolution = flags(o.convolutionOptions);
  out.matmul = flags(o.matmulOptions);
  out.lstm = flags(o.lstmOptions);
  out.gcl = flags(o.gclOptions);
  if (!o.partialsTypeMatMuls.empty())
    out.matmul.set("partialsType", o.partialsTypeMatMuls);
  out.training = training;
  out.holdConstants = true;
  out.nonStableSoftmax = o.enableNonStableSoftmax;
  out.stableNorm = o.enableStableNorm;
  out.stridedChannelGrouping = o.groupNormStridedChannelGrouping;
  out.roundsAtRandom = o.enableStochasticRounding;
  out.checkIndices = checksIndices(o);
  out.replicas = replicas;
  return out;
}

using P = Preparation;
using Pass = base::Pass<P>;

// What the Builder's setSerializeMatMul said does not count.
void forgetCutProducts(P &p) {
  for (auto &node : p.graph().nodes)
    node.settings.extra.erase(sSerializeMatMulModeAttribute);
}
void applyCustomPatterns(P &p) {
  custom::applyPatterns(p.graph(), p.request.patterns);
  p.kept = askedFor(p); // until anchors are found
}
void bypass(P &p) { transforms::bypass(p.graph(), p.request.patterns, p.training(), p.kept); }
void prune(P &p) { transforms::prune(p.graph(), p.kept); }
void recompute(P &p) {
  transforms::chooseRecomputation(p.graph(), p.options().autoRecomputation);
  transforms::recompute(p.graph(), p.mirror);
}
void moveVariables(P &p) {
  auto onChip = p.model().hyperParameters;
  for (const auto &[copy, variable] : p.model().spread)
    onChip.insert(copy);
  transforms::moveVariables(p.graph(), p.model().locations, onChip, p.model().anchors);
}
void findStill(P &p) {
  p.still = p.kept;
  p.still.insert(p.model().setup.begin(), p.model().setup.end());
}

// The host makes the weights that norms went into, unless it sends some of them alone, or the
// device has them in parts, beside the chip or differing by replica: then the tiles do.
bool hostFolds(const P &p) {
  const auto isWhole = [&](std::uint32_t v) {
    if (p.graph()[Value{v}].kind != ir::Kind::Variable)
      return true;
    const auto location = p.out.model.locations.of(p.graph(), Value{v});
    return !location.offChip && !location.sharded;
  };
  if (!p.options().updatableNamedBuffers.empty() || !p.out.context.sharedBy.empty())
    return false;
  for (std::uint32_t v = 0; v < p.graph().size(); ++v)
    if (!isWhole(v))
      return false;
  return true;
}
void foldBatchNorms(P &p) {
  transforms::foldBatchNorms(p.graph(), p.kept, hostFolds(p) ? &p.model().norms : nullptr);
}

bool training(const P &p) { return p.training(); }
bool inference(const P &p) { return !p.training(); }
bool pipelined(const P &p) { return p.pipelined(); }
bool phased(const P &p) { return p.phased(); }
bool severalIpus(const P &p) { return p.severalIpus(); }
bool cutsBatches(const P &p, BatchSerializationTransformContext when) {
  const auto &batches = p.options().batchSerializationSettings;
  return batches.factor > 1 && batches.transformContext == when;
}
bool updatesAtOnce(const P &p) {
  const auto &model = p.out.model;
  return p.training() && !model.stages && model.accumulationFactor == 1 && !anchorsVariables(model);
}

Pass draw(DotCheck check, const char *name) {
  return {name, Skip::Optional, "there is a picture of it",
          [check](P &p) { writeDot(p.graph(), p.options(), check); },
          [check](const P &p) { return wantsDot(p.options(), check); }};
}

const char *const fewer = "every node leads to an anchor, the loss or a variable";
const char *const shorter = "no node does nothing, no view looks at a view";

// What gradients are written from, and what an inference has of its own.
std::vector<Pass> forwardPasses() {
  using Context = BatchSerializationTransformContext;
  return {
      {"forget cut products", Skip::Needed, "no product is to be cut", forgetCutProducts,
       [](const P &p) { return !p.options().enableSerializedMatmuls; }},
      {"place", Skip::Needed, "nodes have the IPUs and phases that the options ask for", place},
      {"infer stages", Skip::Needed, "nodes of the forward pass have a pipeline stage", inferStages,
       pipelined},
      {"apply custom patterns", Skip::Needed,
       "the forward pass is what the user's patterns make of it", applyCustomPatterns},
      {"prune", Skip::Optional, fewer, prune}, // others could not be joined
      {"bypass", Skip::Optional, shorter, bypass},
      {"join normalisations", Skip::Optional, "written-out layer and group norms are operators",
       [](P &p) { transforms::joinNormalisations(p.graph()); }},
      {"join gelus", Skip::Optional, "written-out Gelus are operators",
       [](P &p) { transforms::joinGelus(p.graph()); }},
      {"move behind pools", Skip::Optional, "activations and biases stand behind max-pools",
       [](P &p) { transforms::moveBehindPools(p.graph(), p.kept); }, training},
      {"move scales", Skip::Optional, "factors of products are on the smaller operand",
       [](P &p) { transforms::moveScales(p.graph(), p.kept); }, training},
      {"fold batch norms", Skip::Optional, "batch norms are part of the weights in front of them",
       foldBatchNorms, inference},
      {"fold scales", Skip::Optional, "constant factors are part of the weights in front of them",
       [](P &p) { transforms::foldScales(p.graph(), p.kept); }, inference},
      {"cut batches", Skip::Needed, "the forward pass works on parts of batches",
       [](P &p) {
         transforms::cutBatches(p.graph(), p.options().batchSerializationSettings, askedFor(p));
       },
       [](const P &p) { return cutsBatches(p, Context::Fwd); }},
      draw(DotCheck::Fwd1, "draw fwd1"),
      {"add gradients and updates", Skip::Needed,
       "backward pass and weight updates are there; gradients have names", addGradients, training},
      {"apply custom patterns", Skip::Needed, "gradients are what the user's patterns make of them",
       applyCustomPatterns, training},
      draw(DotCheck::Bwd0, "draw bwd0"),
      {"find anchors", Skip::Needed, "every anchor is a value of the graph", findAnchors},
      {"prune", Skip::Optional, fewer, prune},
      {"bypass", Skip::Optional, shorter, bypass},
      {"join softmax gradients", Skip::Optional,
       "the gradient of a softmax and its likelihood is one node",
       [](P &p) { transforms::joinSoftmaxGradients(p.graph()); },
       [](const P &p) { return p.request.patterns.isPatternEnabled("NlllWithSoftMaxGradDirect"); }},
      {"merge equal nodes", Skip::Optional, "no two nodes compute the same from the same",
       [](P &p) { transforms::mergeEqualNodes(p.graph(), p.kept); }},
      {"prune", Skip::Optional, fewer, prune},
      {"cut batches", Skip::Needed, "forward and backward pass work on parts of batches",
       [](P &p) {
         transforms::cutBatches(p.graph(), p.options().batchSerializationSettings, p.kept);
       },
       [](const P &p) { return cutsBatches(p, Context::Bwd); }},
      {"recompute", Skip::Optional, "what is not kept for the backward pass is computed again",
       recompute, training},
      {"delay updates", Skip::Needed, "no variable changes before the last node that reads it",
       [](P &p) { optimizer::delayUpdates(p.graph()); }}};
}

// IPUs and stages.
std::vector<Pass> placementPasses() {
  return {
      {"place new nodes", Skip::Needed, "every node has an IPU, and in a pipeline a stage",
       [](P &p) { transforms::placeNewNodes(p.graph()); }, severalIpus},
      {"mirror phases", Skip::Needed, "nodes of the backward pass have a phase",
       [](P &p) { transforms::mirrorPhases(p.graph(), p.options().executionPhaseSettings.phases); },
       phased},
      {"order phases", Skip::Needed, "nodes stand in the order of their phases",
       [](P &p) { transforms::orderPhases(p.graph()); }, phased},
      {"spread variables", Skip::Needed, "hyper-parameters are on every IPU that reads them",
       [](P &p) {
         p.model().spread = transforms::spreadVariables(p.graph(), p.model().hyperParameters);
       }},
      {"check pipeline", Skip::Needed, "nothing is asked for that a pipeline cannot do",
       [](P &p) { checkPipeline(p); }, pipelined},
      {"update in stages", Skip::Needed, "weight updates of every micro-batch have a stage",
       [](P &p) { transforms::updateInStages(p.graph()); },
       [](const P &p) {
         return p.pipelined() && p.training() && !p.options().enableGradientAccumulation;
       }},
      {"raise stages", Skip::Needed,
       "no node of the backward pass is before what it reads, and stages have no gaps",
       [](P &p) { transforms::raiseStages(p.graph()); }, pipelined},
      {"accumulate in stages", Skip::Needed, "gradients of several stages are summed in each",
       [](P &p) { transforms::accumulateInStages(p.graph(), p.kept); }, pipelined},
      {"split stages", Skip::Needed, "every input of a node is made in its own stage",
       [](P &p) { transforms::splitStages(p.graph()); }, pipelined},
      {"insert IPU copies", Skip::Needed, "every input of a node is on its own IPU",
       [](P &p) { transforms::insertIpuCopies(p.graph(), p.pipelined()); },
       [](const P &p) { return p.pipelined() || p.severalIpus(); }},
      {"count stages", Skip::Needed, "every stage is on one IPU", countStages, pipelined},
      draw(DotCheck::PreAlias, "draw prealias")};
}

// From here on nodes are those of the device.
std::vector<Pass> finalPasses() {
  return {
      {"join epilogues", Skip::Optional, "products have taken in what follows them",
       [](P &p) { transforms::joinEpilogues(p.graph(), p.kept); }},
      {"fuse", Skip::Optional, "element-wise neighbours are one node",
       [](P &p) { transforms::fuse(p.graph(), p.kept); }},
      {"update at once", Skip::Optional, "weights are updated as soon as their gradients are there",
       [](P &p) { transforms::updateAtOnce(p.graph()); }, updatesAtOnce},
      {"order phases", Skip::Needed, "new nodes stand in their phases, too",
       [](P &p) { transforms::orderPhases(p.graph()); }, phased},
      {"schedule", Skip::Optional, "the order is one with few bytes alive at once",
       [](P &p) { transforms::schedule(p.graph(), p.options()); }},
      {"move activations", Skip::Needed, "activations beside the chip are stored and read back",
       [](P &p) { transforms::moveActivations(p.graph(), p.model().locations, p.pipelined()); }},
      {"move variables", Skip::Needed,
       "variables beside the chip are loaded and stored, shards gathered; the order is final",
       moveVariables},
      {"find setup", Skip::Optional, "what needs weights alone runs once",
       [](P &p) { p.model().setup = transforms::findSetup(p.graph()); }, inference},
      {"find what stays", Skip::Needed, "memory that must not change is known", findStill},
      {"write in place", Skip::Optional, "results take the place of inputs that end",
       [](P &p) { transforms::writeInPlace(p.graph(), p.still); },
       [](const P &p) { return p.request.patterns.isInPlaceEnabled(); }},
      {"outline", Skip::Optional, "equal stretches of nodes are calls of one function",
       [](P &p) { p.model().calls = transforms::outline(p.graph(), p.still, p.options()); },
       [](const P &p) { return p.options().enableOutlining; }},
      draw(DotCheck::Final, "draw final")};
}

const std::vector<Pass> &passes() {
  static const std::vector<Pass> all = [] {
    std::vector<Pass> list;
    for (auto part : {forwardPasses(), placementPasses(), finalPasses()})
      list.insert(list.end(), part.begin(), part.end());
    return list;
  }();
  return all;
}

constexpr base::PassVariables variables{"popart", "OPENIPU_POPART_SKIP_PASSES",
                                        "OPENIPU_POPART_DUMP_PASSES"};

base::PassWishes wishes() try {
  return base::wishesFor(variables, passes());
} catch (const std::invalid_argument &e) {
  throw error(e.what());
}

void runPasses(P &p) try {
  const auto asked = wishes();
  const base::PassHooks<P> hooks{
      .text = [](const P &p) { return ir::text(p.graph()); },
      .validate = [](const P &p) { ir::validate(p.graph()); },
      .size = [](const P &p) { return base::str(p.graph().nodes.size(), " nodes"); }};
  base::PassRunner<P>(asked, logOf("transform"), hooks).run(passes(), p);
} catch (const base::FileError &e) { // of a dump
  throw error(e.what());
}

} // namespace

optimizer::Context contextOf(const SessionOptions &o, bool training,
                             const std::map<TensorId, VariableSettings> &variables) {
  const std::int64_t replicas = o.getGlobalReplicationFactor();
  optimizer::Context out{training ? o.getAccumulationFactor() : 1,
                         o.enableGradientAccumulation,
                         replicas,
                         o.accumulationAndReplicationReductionType,
                         o.meanAccumulationAndReplicationReductionStrategy,
                         o.automaticLossScalingSettings,
                         o.ensureFp32LossScaleTensor,
                         {},
                         {}};
  for (const auto &[id, settings] : variables)
    if (settings.getGroupCount(static_cast<unsigned>(replicas)) > 1)
      out.sharedBy[id] = settings.getSharedVariableDomain();
  std::set<TensorId> differing;
  for (const auto &[id, domain] : out.sharedBy)
    differing.insert(id);
  out.locations = {o, replicas, training, std::move(differing)};
  if (out.locations.shardsInVain())
    log().warn("Replicated tensor sharding is on, but there is one replica: tensors stay whole.");
  return out;
}

// What a session says of the model beside its graph.
static void setUp(Preparation &p) {
  const auto &o = p.options();
  auto &model = p.model();
  model.graph = std::move(p.request.graph);
  model.flow = p.request.flow;
  model.training = p.request.training;
  model.replicas = o.getGlobalReplicationFactor();
  model.accumulationFactor = p.request.training ? o.getAccumulationFactor() : 1;
  model.ipusPerReplica = ipusPerReplica(p.request, model.replicas);
  model.inputSettings = p.request.inputSettings;
  model.variableSettings = p.request.variableSettings;
  p.out.context = contextOf(o, p.request.training, model.variableSettings);
  model.locations = p.out.context.locations;
  p.out.options = loweringOptions(o, p.request.training, model.replicas);
}

Prepared prepare(Request request) {
  Preparation p{std::move(request), {}};
  writeDot(p.request.graph, p.options(), DotCheck::Fwd0);
  setUp(p);
  runPasses(p);
  if (const auto &irLog = logOf("ir"); irLog.enabled(base::LogLevel::Debug))
    irLog.debug(ir::text(p.graph()));
  for (std::uint32_t i = 0; i < p.graph().size(); ++i)
    p.names.emplace(p.graph()[Value{i}].name, Value{i});
  p.out.tensors = std::move(p.names);
  return std::move(p.out);
}

} // namespace popart::session
