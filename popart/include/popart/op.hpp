// SPDX-License-Identifier: MIT
// The base of custom operators: what a user derives from to say shapes and gradients. How it is
// computed is said by an Opx (popart/popx/opx.hpp); both are registered by static objects
// (popart/opmanager.hpp, popart/popx/opxmanager.hpp) in a library that is loaded before the session
// is made.
#ifndef POPART_OP_HPP
#define POPART_OP_HPP
#include <popart/alias/aliasmodel.hpp>
#include <popart/attributes.hpp>
#include <popart/debugcontext.hpp>
#include <popart/error.hpp>
#include <popart/operatoridentifier.hpp>
#include <popart/opserialiser.hpp>
#include <popart/region.hpp>
#include <popart/tensorindex.hpp>
#include <popart/tensorlocation.hpp>
#include <popart/util.hpp>

namespace popart {

enum class GradOpInType { In = 0, Out, GradOut };

// Input `iGrad` of a gradient operator: input, output, or gradient of an output of the forward one.
class GradInOutMapper {
public:
  GradInOutMapper(int grad, int nonGrad, GradOpInType t)
      : iGrad(grad), iNonGrad(nonGrad), type(t) {}
  bool operator==(const GradInOutMapper &other) const {
    return iGrad == other.iGrad && iNonGrad == other.iNonGrad && type == other.type;
  }
  int iGrad, iNonGrad;
  GradOpInType type;
};

// When an operator runs: for every micro-batch, or once per weight update.
enum class ExecutionContext {
  Normal = 0,
  AccumulateOuterFragment,
  WeightsFromHostFragment,
  WeightsToHostFragment,
  OptimizerFromHostFragment,
  Subgraph
};
enum class RecomputeType;
enum class PathToLoss { No = 0, Undefined, Yes };
enum class PathFromLoss { No = 0, Undefined, Yes };

using OptionalVGraphId = nonstd::optional<VGraphId>;
using OptionalPipelineStage = nonstd::optional<PipelineStage>;
using OptionalExecutionPhase = nonstd::optional<ExecutionPhase>;
using OptionalTensorLocation = nonstd::optional<TensorLocation>;

// Inputs and outputs that may be shares of the replicas together.
using ReplicatedTensorShardingIndices = std::set<std::pair<std::set<InIndex>, std::set<OutIndex>>>;

// The graph that an operator is in; none while it is only described.
class GraphReference {
public:
  GraphReference() = default;
  GraphReference(Graph &graph) : graph_(&graph) {}
  Graph &get() const; // popart::error if there is none
  operator Graph &() const { return get(); }

private:
  Graph *graph_ = nullptr;
};

class Op {
public:
  struct Settings {
    Settings() = default;
    explicit Settings(const std::string &n) : name(n) {}
    Settings(Graph &g, const std::string &n) : graph(g), name(n) {}
    Settings(Graph &g, const std::string &n, const Settings &other) : Settings(other) {
      graph = g;
      name = n;
    }
    Settings copy(const std::string &newName) const {
      Settings out = *this;
      out.name = newName;
      return out;
    }
    Ir &getIr() const;

    GraphReference graph;
    std::string name;
    RecomputeType recomputeType = RecomputeType(0); // Undefined
    OptionalTensorLocation tensorLocation;
    // Variants in place by name, with the priority that the user gives them.
    std::vector<std::tuple<std::string, float>> inplacePriorityVeto;
    std::vector<std::string> excludePatterns;
    OptionalVGraphId vgraphId;
    OptionalPipelineStage pipelineStage;
    OptionalExecutionPhase executionPhase;
    double schedulePriority = 0;
    ExecutionContext executionContext = ExecutionContext::Normal;
    std::map<std::string, std::string> extraOutlineAttributes;
    bool backward = false; // it belongs to the backward pass
  };

  Op(const OperatorIdentifier &id, const Settings &s);
  Op(const Op &other); // described alike, but connected to nothing
  Op &operator=(const Op &) = delete;
  virtual ~Op();
  virtual std::unique_ptr<Op> clone() const = 0;
  // Sets outInfo(i) from inInfo(i); may be called again.
  virtual void setup();
  virtual std::vector<std::unique_ptr<Op>> getGradOps() { return {}; }
  virtual const std::vector<GradInOutMapper> &gradInputInfo() const;
  virtual const std::map<int, int> &gradOutToNonGradIn() const;
  virtual void appendAttributes(OpSerialiserBase &) const {}
  virtual void appendOutlineAttributes(OpSerialiserBase &) const {}
  virtual void appendMore(OpSerialiserBase &) const {}
  virtual float getSubgraphValue() const { return getLowSubgraphValue(); }
  // The seed is then the input getSeedInIndex().
  virtual bool requiresRandomSeed() const { return false; }
  virtual InIndex getSeedInIndex() const { return -1; }
  virtual int getInBatchAxis(InIndex) const { return 0; }
  virtual int getOutBatchAxis(OutIndex) const { return 0; }
  virtual bool isLossOp() const { return false; }
  virtual bool canBeReplacedByIdentity() const { return false; }
  virtual bool hasSideEffect() const { return false; }
  // Custom operators are computed whole: nobody asks.
  virtual ReplicatedTensorShardingIndices getReplicatedTensorShardingIndices() const {
    return ReplicatedTensorShardingIndices();
  }
  virtual bool canShard() const { return false; }
  static constexpr float getHighSubgraphValue() { return 1000.0f; }
  static constexpr float getLowSubgraphValue() { return 0.1f; }

  // ---- in place: variants by priority (above 0: wanted), and what they do to memory.
  virtual std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const {
    return {};
  }
  virtual std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier &id) const;
  // Parts of an input that are written; that an output is another name of; and where a part of one
  // is found in the other. All empty unless said.
  virtual view::Regions modifies(InIndex in) const;
  virtual view::Regions uses(InIndex in) const;
  virtual view::Regions aliases(InIndex in, OutIndex out) const;
  virtual view::RegMap fwdRegMap(InIndex in, OutIndex out) const;
  virtual view::RegMap bwdRegMap(InIndex in, OutIndex out) const;
  virtual void growAliasModel(AliasModel &) const {}
  virtual poprithms::memory::inplace::Proposal mapInplaceProposal(const AliasModel &,
                                                                  OperatorIdentifier) const {
    return {};
  }
  poprithms::memory::inplace::Proposal mapInplaceProposalGate0(const AliasModel &,
                                                               OperatorIdentifier) const {
    return {};
  }
  bool modifiesIndex(InIndex in) const;
  bool isOutplace() const;

  // ---- tensors
  const TensorInfo &inInfo(InIndex i) const;
  TensorInfo &inInfo(InIndex i);
  TensorInfo &outInfo(OutIndex i); // new if there is none yet
  const TensorInfo &outInfo(OutIndex i) const;
  const Shape &inShape(InIndex i) const { return inInfo(i).shape(); }
  const Shape &outShape(OutIndex i) const { return outInfo(i).shape(); }
  Rank inRank(InIndex i) const { return inInfo(i).rank(); }
  Rank outRank(OutIndex i) const { return outInfo(i).rank(); }
  bool hasInput(InIndex i) const { return input->hasIndex(i); }
  bool hasOutput(OutIndex i) const { return output->hasIndex(i); }
  Tensor *inTensor(InIndex i) { return input->tensor(i); }
  const Tensor *inTensor(InIndex i) const { return input->tensor(i); }
  Tensor *outTensor(OutIndex i) { return output->tensor(i); }
  const Tensor *outTensor(OutIndex i) const { return output->tensor(i); }
  TensorId inId(InIndex i) const { return inTensor(i)->id; }
  TensorId outId(OutIndex i) const { return outTensor(i)->id; }
  // By the name of a tensor of its graph; the second makes it. Outputs that others make are
  // refused.
  void connectInTensor(InIndex i, TensorId id);
  void connectOutTensor(OutIndex i, TensorId id);
  void createAndConnectOutTensor(OutIndex i, TensorId id);
  void disconnectInTensor(InIndex i);
  void disconnectInTensor(InIndex i, Tensor *tensor);
  void disconnectInTensor(Tensor *tensor);
  void disconnectOutTensor(Tensor *tensor);
  void disconnectAllInputs();
  void disconnectAllOutputs();

  int getNonGradInIndex(int gradOutIndex) const; // popart::error if it is no gradient

  // ---- settings
  const Settings &getSettings() const { return settings; }
  Settings &getSettings() { return settings; }
  Settings getInSettings(InIndex) const { return settings; }
  Settings getOutSettings(OutIndex) const { return settings; }
  const std::string &name() const { return settings.name; }
  const std::string &getName() const { return settings.name; }
  void setName(const std::string &n) { settings.name = n; }
  Graph &getGraph() const { return settings.graph.get(); }
  Ir &getIr() const { return settings.getIr(); }
  bool hasVirtualGraphId() const { return settings.vgraphId.has_value(); }
  VGraphId getVirtualGraphId() const; // popart::error if it has none
  OptionalVGraphId getOptionalVGraphId() const { return settings.vgraphId; }
  void setVirtualGraphId(const OptionalVGraphId &v) { settings.vgraphId = v; }
  bool hasPipelineStage() const { return settings.pipelineStage.has_value(); }
  PipelineStage getPipelineStage() const; // popart::error if it has none
  OptionalPipelineStage getOptionalPipelineStage() const { return settings.pipelineStage; }
  void setPipelineStage(const OptionalPipelineStage &v) { settings.pipelineStage = v; }
  bool hasExecutionPhase() const { return settings.executionPhase.has_value(); }
  ExecutionPhase getExecutionPhase() const; // popart::error if it has none
  OptionalExecutionPhase getOptionalExecutionPhase() const { return settings.executionPhase; }
  void setExecutionPhase(const OptionalExecutionPhase &v) { settings.executionPhase = v; }
  bool isExcludedFromPattern(const std::string &pattern) const;
  template <class OP> bool isConvertibleTo() const {
    return dynamic_cast<const OP *>(this) != nullptr;
  }
  std::string str() const { return opid.type; }
  std::string debugName() const;

  OperatorIdentifier opid;
  Settings settings;
  OpId id = -1; // in its graph
  std::unique_ptr<TensorIndexMap> input, output;
  bool pruneable = true;
  PathToLoss toLoss = PathToLoss::Undefined;
  PathFromLoss fromLoss = PathFromLoss::Undefined;
};

} // namespace popart
#endif
