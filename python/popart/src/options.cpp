// SPDX-License-Identifier: MIT
// SessionOptions and everything in it, DataFlow, Patterns.
#include "bind.hpp"
#include "mapview.hpp"
#include <popart/patterns/patterns.hpp>

using namespace popart;

namespace {

void bindEnums(py::module &m) {
  BIND_ENUM(VirtualGraphMode, "How a model is spread over IPUs.", Off, Manual, Auto,
            ExecutionPhases);
  py::enum_<RecomputationType>(m, "RecomputationType",
                               "What the backward pass computes again by itself.")
      .value("NoRecompute", RecomputationType::None)
      .value("Standard", RecomputationType::Standard)
      .value("NormOnly", RecomputationType::NormOnly)
      .value("Pipeline", RecomputationType::Pipeline)
      .value("RecomputeAll", RecomputationType::RecomputeAll);
  BIND_ENUM(RecomputeType, "Whether the backward pass computes an output again.", Undefined,
            Checkpoint, Recompute, Recomputed);
  py::enum_<MergeVarUpdateType>(m, "MergeVarUpdateType", "Which weight updates are done together.")
      .value("Off", MergeVarUpdateType::None)
      .value("All", MergeVarUpdateType::All)
      .value("AutoLoose", MergeVarUpdateType::AutoLoose)
      .value("AutoTight", MergeVarUpdateType::AutoTight);
  BIND_ENUM(SyntheticDataMode, "Data that the device makes instead of taking it from the host.",
            Off, Zeros, RandomNormal, RandomUniform);
  BIND_ENUM(Instrumentation, "What cycle counters count.", Outer, Inner);
  BIND_ENUM(ReductionType, "How a loss, or gradients, are reduced.", Sum, Mean, NoReduction);
  BIND_ENUM(MeanReductionStrategy, "When the mean over micro-batches and replicas is taken.",
            Running, Post, PostAndLoss);
  BIND_ENUM(SubgraphCopyingStrategy, "When operands are copied into functions.", OnEnterAndExit,
            JustInTime);
  BIND_ENUM(ExecutionPhaseIOSchedule, "When tensors are loaded for a phase.", Preload, OnDemand);
  BIND_ENUM(ExecutionPhaseSchedule, "How the operators of a phase are ordered.", Interleaving,
            Batch, BatchClusteredIO);
  BIND_ENUM(AccumulateOuterFragmentSchedule, "How weight updates are ordered.", Scheduler, Serial,
            OverlapCycleOptimized, OverlapMemoryOptimized);
  BIND_ENUM(BatchSerializationTransformContext, "Which pass is cut into batches.", Fwd, Bwd);
  BIND_ENUM(BatchSerializationMethod, "How it is cut.", UnrollDynamic, UnrollStatic, Loop);
  BIND_ENUM(BatchSerializationBatchSchedule, "How the batches are ordered.", Scheduler, Isomorphic,
            OverlapOnIo, OverlapOnCompute);
  BIND_ENUM(GradientTensorTrackingMethod, "Which gradients automatic loss scaling looks at.",
            AllNonViewChangingGradientTensors, ConvAndMatmulGradients,
            GradientsOfUserSpecifiedTensors);
  py::enum_<ScatterReduction>(m, "ScatterReduction", "How rows that meet are reduced.")
      .value("Sum", ScatterReduction::Sum)
      .value("Max", ScatterReduction::Max)
      .value("Min", ScatterReduction::Min)
      .value("Mul", ScatterReduction::Mul)
      .value("NoReduction", ScatterReduction::None);
  BIND_ENUM(InitType, "What a new tensor holds.", NoInit, Zero);
  BIND_ENUM(TensorRemapType, "In which pass a tensor gets a new layout.", FwdBwdReverse, FwdBwd,
            Fwd);
  BIND_ENUM(CollectiveOperator, "How replicas are reduced.", Add, Mean, Mul, Min, Max, LogicalAnd,
            LogicalOr, SquareAdd, Local);
}

template <class T> void bindLocationMembers(py::class_<T> &c) {
#define LOCATION_MEMBER(of, member, text)                                                          \
  if constexpr (std::is_same_v<T, of>)                                                             \
    c.def_readwrite(#member, &T::member, text);
#include "openipu/LocationSettings.def"
}

void bindLocations(py::module &m) {
  BIND_ENUM(TensorStorage, "On the chip, or in memory off the chip.", OnChip, OffChip);
  BIND_ENUM(TileSet, "Tiles that compute, or tiles for I/O.", Compute, IO);
  BIND_ENUM(ReplicatedTensorSharding, "Whether every replica holds a part only.", Off, On);
  BIND_ENUM(ExchangeStrategy, "When data is exchanged with the host.", JustInTime, OverlapInnerLoop,
            OverlapLoops, OverlapStep);
  BIND_ENUM(ReplicatedStreamMode, "Whether all replicas get the same input.", Replicate, Broadcast);
  py::enum_<CommGroupType>(m, "CommGroupType", "How replicas form groups.")
      .value("All", CommGroupType::All)
      .value("Consecutive", CommGroupType::Consecutive)
      .value("Orthogonal", CommGroupType::Orthogonal)
      .value("Ungrouped", CommGroupType::None);
  using Grouping = ReplicaGrouping;
  py::class_<Grouping> grouping(m, "ReplicaGrouping", "Groups whose members are a stride apart.");
  grouping.def(py::init<unsigned>(), py::arg("numReplicas"), "One group.")
      .def(py::init<unsigned, unsigned, unsigned>(), py::arg("numReplicas"), py::arg("stride"),
           py::arg("groupSize"), "Groups of this stride and size.")
      .def("getNumReplicas", &Grouping::getNumReplicas, "Replicas of all groups.")
      .def("getStride", &Grouping::getStride, "From one member to the next.")
      .def("getGroupSize", &Grouping::getGroupSize, "Replicas in a group.")
      .def("getNumGroups", &Grouping::getNumGroups, "How many groups.")
      .def("getGroupIndexAt", &Grouping::getGroupIndexAt, py::arg("replica"), "Its group.")
      .def("getIndexInGroupAt", &Grouping::getIndexInGroupAt, py::arg("replica"),
           "Its place in the group.")
      .def("getReplicaAt", &Grouping::getReplicaAt, py::arg("groupIndex"),
           py::arg("indexInGroup") = 0, "The replica at a place of a group.")
      .def("getReplicasAt", &Grouping::getReplicasAt, py::arg("groupIndex"), "A group's replicas.")
      .def("getTranspose", &Grouping::getTranspose, "Groups of those at the same place of groups.")
      .def("__repr__", &Grouping::str)
      .def(
          "__eq__", [](const Grouping &a, const Grouping &b) { return a == b; }, py::is_operator(),
          "Whether both group alike.");
  copyable(grouping);
  py::class_<CommGroup> group(m, "CommGroup", "Groups of replicas.");
  group.def(py::init<>(), "All of them.")
      .def(py::init<const ReplicaGrouping &>(), py::arg("grouping"), "The same groups.")
      .def(py::init<CommGroupType, unsigned>(), py::arg("type"), py::arg("replicaGroupSize"),
           "Groups of this kind and size.")
      .def_readwrite("type", &CommGroup::type, "How groups are formed.")
      .def_readwrite("replicaGroupSize", &CommGroup::replicaGroupSize, "Replicas in each.")
      .def("__repr__", [](const CommGroup &c) {
        return "CommGroup(" + shown(c.type) + ", " + shown(c.replicaGroupSize) + ")";
      });
  copyable(group);
  BIND_ENUM(VariableRetrievalMode, "Which replicas' values of a weight come back.", OnePerGroup,
            AllReduceReplicas, AllReplicas);
  using Variable = VariableSettings;
  const auto replicas = py::arg("numReplicas");
  py::class_<Variable> variable(m, "VariableSettings",
                                "Which replicas share a weight, and whose values come back.");
  variable.def(py::init<>(), "Shared by all.")
      .def(py::init<CommGroup>(), py::arg("sharedVariableDomain"), "Shared within groups.")
      .def(py::init<VariableRetrievalMode>(), py::arg("retrievalMode"))
      .def(py::init<CommGroup, VariableRetrievalMode>(), py::arg("sharedVariableDomain"),
           py::arg("retrievalMode"))
      .def(py::init<unsigned, unsigned>(), py::arg("stride"), py::arg("groupSize"),
           "Shared within groups whose members are a stride apart.")
      .def(py::init<unsigned, unsigned, VariableRetrievalMode>(), py::arg("stride"),
           py::arg("groupSize"), py::arg("retrievalMode"))
      .def("getReplicaGrouping", &Variable::getReplicaGrouping, replicas,
           "Groups of this many replicas.")
      .def("getRealGroupSize", &Variable::getRealGroupSize, replicas, "Replicas in a group.")
      .def("getGroupCount", &Variable::getGroupCount, replicas, "How many groups.")
      .def("numReplicasReturningVariable", &Variable::numReplicasReturningVariable, replicas,
           "How many values come back.")
      .def("groups", &Variable::groups, replicas, "The replicas of every group.")
      .def("getGroupRepresentative",
           py::overload_cast<unsigned>(&Variable::getGroupRepresentative, py::const_),
           py::arg("group"), "A group's first replica.")
      .def("getGroupRepresentative",
           py::overload_cast<unsigned, unsigned>(&Variable::getGroupRepresentative, py::const_),
           py::arg("group"), replicas, "A group's first replica, if there are so many.")
      .def("shapeOnReplica", &Variable::shapeOnReplica, py::arg("full"), replicas, py::arg("name"),
           "The shape without the dimension of groups.")
      .def("shapeOnHost", &Variable::shapeOnHost, py::arg("shape"), replicas,
           "The shape with a dimension for the values that come back.")
      .def("getSharedVariableDomain", &Variable::getSharedVariableDomain, "The groups.")
      .def("getRetrievalMode", &Variable::getRetrievalMode, "Whose values come back.")
      .def("__repr__", [](const Variable &v) {
        return "VariableSettings(" + shown(v.getSharedVariableDomain()) + ", " +
               shown(v.getRetrievalMode()) + ")";
      });
  copyable(variable);
  py::class_<TensorLocation> location(m, "TensorLocation", "Where a tensor lies.");
  location.def(py::init<>(), "On the chip, whole.")
      .def(py::init<TensorStorage>(), py::arg("storage"))
      .def(py::init<TensorStorage, ReplicatedTensorSharding>(), py::arg("storage"),
           py::arg("replicatedTensorSharding"))
      .def(py::init<TensorStorage, ReplicatedTensorSharding, CommGroup>(), py::arg("storage"),
           py::arg("replicatedTensorSharding"), py::arg("shardingDomain"))
      .def(py::init<TensorStorage, TileSet, TileSet, ReplicatedTensorSharding>(),
           py::arg("storage"), py::arg("loadTileSet"), py::arg("storageTileSet"),
           py::arg("replicatedTensorSharding"))
      .def(py::init<TensorStorage, TileSet, TileSet, ReplicatedTensorSharding, CommGroup>(),
           py::arg("storage"), py::arg("loadTileSet"), py::arg("storageTileSet"),
           py::arg("replicatedTensorSharding"), py::arg("shardingDomain"));
  bindLocationMembers(location);
  copyable(location);
  using Settings = TensorLocationSettings;
  py::class_<Settings> settings(m, "TensorLocationSettings",
                                "Where tensors lie, from which size on.");
  settings
      .def(py::init<TensorLocation, int, int>(), py::arg("location"),
           py::arg("minElementsForOffChip") = 2,
           py::arg("minElementsForReplicatedTensorSharding") = 8192)
      .def(py::init<TensorStorage, int, int>(), py::arg("storage"),
           py::arg("minElementsForOffChip") = 2,
           py::arg("minElementsForReplicatedTensorSharding") = 8192);
  bindLocationMembers(settings);
  copyable(settings);
  py::class_<InputSettings> input(m, "InputSettings", "How an input comes from the host.");
  input.def(py::init<>(), "As usual.")
      .def(py::init<TileSet, ExchangeStrategy>(), py::arg("tileSet") = TileSet::Compute,
           py::arg("exchangeStrategy") = ExchangeStrategy::JustInTime)
      .def(py::init<ReplicatedStreamMode>(), py::arg("replicatedStreamMode"))
      .def("tileSet", &InputSettings::tileSet, "The tiles it comes to.")
      .def("exchangeStrategy", &InputSettings::exchangeStrategy, "When it comes.")
      .def("replicatedStreamMode", &InputSettings::replicatedStreamMode,
           "Whether all replicas get the same.")
      .def("__repr__", [](const InputSettings &i) {
        return "InputSettings(" + shown(i.tileSet()) + ", " + shown(i.exchangeStrategy()) + ", " +
               shown(i.replicatedStreamMode()) + ")";
      });
  copyable(input);
}

void bindDataFlow(py::module &m) {
  BIND_ENUM(AnchorReturnTypeId, "Which micro-batches of an anchor come back.", Final, EveryN, All,
            Sum);
  using Return = AnchorReturnType;
  const auto tiles = py::arg("tileSet") = TileSet::Compute;
  const auto strategy = py::arg("exchangeStrategy") = ExchangeStrategy::JustInTime;
  py::class_<Return> anchor(m, "AnchorReturnType", "Which micro-batches of an anchor come back.");
  anchor
      .def(py::init<std::string, TileSet, ExchangeStrategy>(), py::arg("anchorReturnTypeString"),
           tiles, strategy, "All, Final or Sum of a step's micro-batches.")
      .def(py::init<std::string, int, TileSet, ExchangeStrategy>(),
           py::arg("anchorReturnTypeString"), py::arg("returnPeriod"), tiles, strategy,
           "EveryN, with N.")
      .def("id", &Return::id, "Which.")
      .def("rp", &Return::rp, "The N of EveryN.")
      .def("tileSet", &Return::tileSet, "The tiles it is sent from.")
      .def("exchangeStrategy", &Return::exchangeStrategy, "When it is sent.")
      .def("__repr__", [](const Return &r) {
        const bool period = r.id() == AnchorReturnTypeId::EveryN;
        static const char *const names[] = {"Final", "EveryN", "All", "Sum"};
        return std::string("AnchorReturnType('") + names[int(r.id())] + "'" +
               (period ? ", " + std::to_string(r.rp()) : "") + ")";
      });
  copyable(anchor);
  py::class_<DataFlow> flow(m, "DataFlow",
                            "How many batches a step has, and which tensors it returns.");
  flow.def(py::init<int, const AnchorReturnTypeMap &>(), py::arg("batchesPerStep"),
           py::arg("anchorTensors"), "Anchors with what comes back of each, or alike for all.")
      .def(py::init<int, const std::vector<TensorId>, const Return &>(), py::arg("batchesPerStep"),
           py::arg("anchorTensorIds"), py::arg("anchorReturnType") = Return("All"))
      .def("isAnchored", &DataFlow::isAnchored, py::arg("id"), "Whether a tensor comes back.")
      .def("anchors", &DataFlow::anchors, "The tensors that come back.")
      .def("nAnchors", &DataFlow::nAnchors, "How many.")
      .def("batchesPerStep", &DataFlow::batchesPerStep, "Batches that one run takes.")
      .def("setBatchesPerStep", &DataFlow::setBatchesPerStep, py::arg("batchesPerStep"),
           "Changes it.")
      .def("art", &DataFlow::art, py::arg("id"), "What comes back of an anchor.")
      .def("__repr__", [](const DataFlow &f) {
        return "DataFlow(" + std::to_string(f.batchesPerStep()) + ", " +
               shown(f.getAnchorReturnTypeMap()) + ")";
      });
  copyable(flow);
}

template <class C, class T, class Owner> void bindOption(C &c, const char *name, T Owner::*member) {
  c.def_readwrite(name, member);
}
template <class C, class Owner, class... All>
void bindOption(C &c, const char *name, std::map<All...> Owner::*member) {
  mapProperty(c, name, member);
}

// A struct among the options; the table has its members.
template <class T> py::class_<T> bindStruct(py::module &m, const char *name, const char *doc) {
  py::class_<T> c(m, name, doc);
  c.def(py::init<>(), "As usual.");
#define OPTION(...)
#define OPTION_PART(owner, member, ...)                                                            \
  if constexpr (std::is_same_v<T, decltype(SessionOptions::owner)>)                                \
    bindOption(c, #member, &T::member);
#include "openipu/SessionOptions.def"
  copyable(c);
  return c;
}

void bindSettings(py::module &m) {
  bindStruct<ExecutionPhaseSettings>(m, "ExecutionPhaseSettings",
                                     "Phases that a model runs in, one after the other.");
  bindStruct<BatchSerializationSettings>(m, "BatchSerializationSettings",
                                         "Batches cut into smaller ones.");
  bindStruct<AccumulateOuterFragmentSettings>(m, "AccumulateOuterFragmentSettings",
                                              "The order of weight updates.")
      .def(py::init([](AccumulateOuterFragmentSchedule schedule, const std::vector<int> &excluded) {
             return AccumulateOuterFragmentSettings{schedule, excluded};
           }),
           py::arg("schedule"), py::arg("excludedVirtualGraphs") = std::vector<int>());
  bindStruct<ReplicatedCollectivesSettings>(m, "ReplicatedCollectivesSettings",
                                            "Collectives that are done together.");
  using Automatic = AutomaticLossScalingSettings;
  bindStruct<Automatic>(m, "AutomaticLossScalingSettings",
                        "The scale of the loss follows the gradients.")
      .def(py::init([](bool enabled, const nonstd::optional<std::vector<TensorId>> &tracked,
                       double binEdge, double upper, int period,
                       GradientTensorTrackingMethod method) {
             return Automatic(enabled, tracked, float(binEdge), float(upper), period, method);
           }),
           py::arg("enabled"), py::arg("toTrackTensors") = py::none(),
           py::arg("binEdgeLocation") = 0.125, py::arg("thresholdUpperCountProportion") = 1e-7,
           py::arg("updatePeriod") = 1,
           py::arg("gradientTensorTrackingMethod") = Automatic().gradientTensorTrackingMethod,
           "With these settings.");
}

void bindSessionOptions(py::module &m) {
  bindMapView<StringMap>(m, "_StringMap");
  bindMapView<std::map<TensorId, TensorLocation>>(m, "_LocationMap");
  bindMapView<std::map<TensorId, unsigned>>(m, "_DepthMap");
  bindMapView<std::map<std::string, std::vector<std::string>>>(m, "_ListMap");
  bindStruct<ExperimentalSettings>(m, "ExperimentalSettings", "Settings that may go.");
  py::class_<SessionOptions> c(
      m, "SessionOptions", "How a session compiles and runs a model. Each option has a docstring.");
  c.def(py::init<>(), "As usual, except what POPART_CACHE_DIR says.");
  copyable(c);
#define OPTION(member, ...) bindOption(c, #member, &SessionOptions::member);
#define OPTION_CPP(...)
#define OPTION_OF_PARTS(member) c.def_readwrite(#member, &SessionOptions::member);
#include "openipu/SessionOptions.def"
  c.def_readwrite("defaultPrefetchBufferingDepth", &SessionOptions::defaultBufferingDepth,
                  "Another name of defaultBufferingDepth.");
  mapProperty(c, "prefetchBufferingDepthMap", &SessionOptions::bufferingDepthMap);
  c.attr("prefetchBufferingDepthMap").attr("__doc__") = "Another name of bufferingDepthMap.";
  c.def("enableExplicitIR", &SessionOptions::enableExplicitIR, py::arg("enable"),
        "Sets useHostCopyOps, enableExplicitMainLoops and explicitRecomputation.");
  c.def("getGlobalReplicationFactor", &SessionOptions::getGlobalReplicationFactor,
        "Replicas of all processes.");
}

void bindPatterns(py::module &m) {
  BIND_ENUM(PatternsLevel, "How many rewrites a session applies.", NoPatterns, Minimal, Default,
            All);
  py::class_<Patterns> c(m, "Patterns", "Which rewrites a session applies to its model.");
  c.def(py::init<>(), "The usual ones.")
      .def(py::init<PatternsLevel>(), py::arg("level"), "Those of a level.")
      .def(py::init<std::vector<std::string>>(), py::arg("patterns"), "Those of these names.")
      .def("enablePattern", &Patterns::enablePattern, py::arg("name"), py::arg("enabled"),
           py::return_value_policy::reference_internal, "Switches one on or off.")
      .def("isPatternEnabled", &Patterns::isPatternEnabled, py::arg("name"), "Whether it is on.")
      .def("enableRuntimeAsserts", &Patterns::enableRuntimeAsserts, py::arg("enabled"),
           py::return_value_policy::reference_internal, "Whether names are checked.")
      .def_property(
          "InPlace", &Patterns::isInPlaceEnabled, [](Patterns &p, bool on) { p.enableInPlace(on); },
          "Whether results may be written where their operands lie.");
  copyable(c);
  for (const char *name :
       {"PreUniRepl", "PostNRepl", "SoftMaxGradDirect", "NlllWithSoftMaxGradDirect", "OpToIdentity",
        "SubtractArg1GradOp", "MulArgGradOp", "MatMulOp", "MatMulLhsGradOp", "MatMulRhsGradOp"}) {
    const std::string pattern = name;
    c.def_property(
        name, [pattern](const Patterns &p) { return p.isPatternEnabled(pattern); },
        [pattern](Patterns &p, bool on) { p.enablePattern(pattern, on); },
        ("Whether the pattern " + pattern + " is on.").c_str());
  }
}

} // namespace

void bindOptions(py::module &m) {
  bindEnums(m);
  bindLocations(m);
  bindDataFlow(m);
  bindSettings(m);
  bindSessionOptions(m);
  bindPatterns(m);
}
