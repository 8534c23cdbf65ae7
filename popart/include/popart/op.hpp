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

// An input, an output, or a gradient of an output of the forward operator.
enum class GradOpInType { In = 0, Out, GradOut };

// Input `iGrad` of a gradient operator: input, output, or gradient of an output of the forward one.
class GradInOutMapper {
public:
  GradInOutMapper(int grad, int nonGrad, GradOpInType t)
      : iGrad(grad), iNonGrad(nonGrad), type(t) {}
  bool operator==(const GradInOutMapper &other) const {
    return iGrad == other.iGrad && iNonGrad == other.iNonGrad && type == other.type;
  }
  int iGrad, iNonGrad; // position in the gradient operator; position in the forward operator
  GradOpInType type;   // what iNonGrad counts
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
enum class PathToLoss { No = 0, Undefined, Yes }; // whether the loss depends on it
// Whether it depends on the loss: it is of the backward pass.
enum class PathFromLoss { No = 0, Undefined, Yes };

// Where an operator runs, if it was said.
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

// An operator of a graph: its inputs and outputs, its settings, and what it says of itself.
class Op {
public:
  // Where and how an operator runs, whatever it computes.
  struct Settings {
    Settings() = default;
    explicit Settings(const std::string &n) : name(n) {}
    Settings(Graph &g, const std::string &n) : graph(g), name(n) {}
    Settings(Graph &g, const std::string &n, const Settings &other) : Settings(other) {
      graph = g;
      name = n;
    }
    // The same under another name.
    Settings copy(const std::string &newName) const {
      Settings out = *this;
      out.name = newName;
      return out;
    }
    Ir &getIr() const; // the ir of its graph

    GraphReference graph;                           // none while the operator is only described
    std::string name;                               // the debug name
    RecomputeType recomputeType = RecomputeType(0); // Undefined
    OptionalTensorLocation tensorLocation;          // where outputs are kept, if it was said
    // Variants in place by name, with the priority that the user gives them.
    std::vector<std::tuple<std::string, float>> inplacePriorityVeto;
    std::vector<std::string> excludePatterns; // patterns that must not rewrite it
    OptionalVGraphId vgraphId;                // the IPU
    OptionalPipelineStage pipelineStage;      // the stage
    OptionalExecutionPhase executionPhase;    // the phase
    double schedulePriority = 0;              // higher runs earlier, where tensors leave the choice
    ExecutionContext executionContext = ExecutionContext::Normal; // how often it runs
    // Operators that differ in them share no code.
    std::map<std::string, std::string> extraOutlineAttributes;
    bool backward = false; // it belongs to the backward pass
  };

  Op(const OperatorIdentifier &id, const Settings &s);
  Op(const Op &other); // described alike, but connected to nothing
  Op &operator=(const Op &) = delete;
  virtual ~Op();
  virtual std::unique_ptr<Op> clone() const = 0; // a copy that is connected to nothing
  // Sets outInfo(i) from inInfo(i); may be called again.
  virtual void setup();
  // The operators of the backward pass; none: there is no gradient.
  virtual std::vector<std::unique_ptr<Op>> getGradOps() { return {}; }
  // Of a gradient operator: what its inputs are, and the forward input that each output is the
  // gradient of.
  virtual const std::vector<GradInOutMapper> &gradInputInfo() const;
  virtual const std::map<int, int> &gradOutToNonGradIn() const;
  // Writes the attributes that tell operators of one type apart, for comparing them and for
  // messages.
  virtual void appendAttributes(OpSerialiserBase &) const {}
  virtual void appendOutlineAttributes(OpSerialiserBase &) const {}
  virtual void appendMore(OpSerialiserBase &) const {}
  // How much it is worth to share its code.
  virtual float getSubgraphValue() const { return getLowSubgraphValue(); }
  // The seed is then the input getSeedInIndex().
  virtual bool requiresRandomSeed() const { return false; }
  virtual InIndex getSeedInIndex() const { return -1; } // position of the seed; -1: none
  // The dimension of the batch in an input or output.
  virtual int getInBatchAxis(InIndex) const { return 0; }
  virtual int getOutBatchAxis(OutIndex) const { return 0; }
  virtual bool isLossOp() const { return false; } // whether it is a loss
  // Whether it does nothing, so that it can go.
  virtual bool canBeReplacedByIdentity() const { return false; }
  // Whether it runs though nobody reads its outputs.
  virtual bool hasSideEffect() const { return false; }
  // Custom operators are computed whole: nobody asks.
  virtual ReplicatedTensorShardingIndices getReplicatedTensorShardingIndices() const {
    return ReplicatedTensorShardingIndices();
  }
  virtual bool canShard() const { return false; } // false: it is computed whole
  // What getSubgraphValue gives for expensive and for cheap operators.
  static constexpr float getHighSubgraphValue() { return 1000.0f; }
  static constexpr float getLowSubgraphValue() { return 0.1f; }

  // ---- in place: variants by priority (above 0: wanted), and what they do to memory.
  // Variants in place that it has, with their priorities.
  virtual std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const {
    return {};
  }
  // The variant of this name. Throws popart::error if there is none.
  virtual std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier &id) const;
  // Parts of an input that are written; that an output is another name of; and where a part of one
  // is found in the other. All empty unless said.
  virtual view::Regions modifies(InIndex in) const;
  virtual view::Regions uses(InIndex in) const;
  virtual view::Regions aliases(InIndex in, OutIndex out) const;
  virtual view::RegMap fwdRegMap(InIndex in, OutIndex out) const;
  virtual view::RegMap bwdRegMap(InIndex in, OutIndex out) const;
  // Says which outputs are inputs under another name.
  virtual void growAliasModel(AliasModel &) const {}
  // Nothing needs to be said: every variant can be proposed.
  virtual poprithms::memory::inplace::Proposal mapInplaceProposal(const AliasModel &,
                                                                  OperatorIdentifier) const {
    return {};
  }
  poprithms::memory::inplace::Proposal mapInplaceProposalGate0(const AliasModel &,
                                                               OperatorIdentifier) const {
    return {};
  }
  // What modifies and aliases say about one input, and about all.
  bool modifiesIndex(InIndex in) const;
  bool isOutplace() const;

  // ---- tensors
  // Type and shape of an input or output. Throws popart::error if it is not connected.
  const TensorInfo &inInfo(InIndex i) const;
  TensorInfo &inInfo(InIndex i);
  TensorInfo &outInfo(OutIndex i); // new if there is none yet
  const TensorInfo &outInfo(OutIndex i) const;
  const Shape &inShape(InIndex i) const { return inInfo(i).shape(); }    // its shape
  const Shape &outShape(OutIndex i) const { return outInfo(i).shape(); } // its shape
  Rank inRank(InIndex i) const { return inInfo(i).rank(); }              // its number of dimensions
  Rank outRank(OutIndex i) const { return outInfo(i).rank(); }           // its number of dimensions
  // Whether something is connected there.
  bool hasInput(InIndex i) const { return input->hasIndex(i); }
  bool hasOutput(OutIndex i) const { return output->hasIndex(i); }
  // The tensor there. Throws popart::error if there is none.
  Tensor *inTensor(InIndex i) { return input->tensor(i); }
  const Tensor *inTensor(InIndex i) const { return input->tensor(i); }
  Tensor *outTensor(OutIndex i) { return output->tensor(i); }
  const Tensor *outTensor(OutIndex i) const { return output->tensor(i); }
  TensorId inId(InIndex i) const { return inTensor(i)->id; }    // its name
  TensorId outId(OutIndex i) const { return outTensor(i)->id; } // its name
  // By the name of a tensor of its graph; the second makes it. Outputs that others make are
  // refused.
  void connectInTensor(InIndex i, TensorId id);
  void connectOutTensor(OutIndex i, TensorId id);
  void createAndConnectOutTensor(OutIndex i, TensorId id);
  // Takes connections away; tensors and operators stay.
  void disconnectInTensor(InIndex i);
  void disconnectInTensor(InIndex i, Tensor *tensor);
  void disconnectInTensor(Tensor *tensor);
  void disconnectOutTensor(Tensor *tensor);
  void disconnectAllInputs();
  void disconnectAllOutputs();

  int getNonGradInIndex(int gradOutIndex) const; // popart::error if it is no gradient

  // ---- settings
  const Settings &getSettings() const { return settings; } // where and how it runs
  Settings &getSettings() { return settings; }
  // The same: no operator of this kind has others there.
  Settings getInSettings(InIndex) const { return settings; }
  Settings getOutSettings(OutIndex) const { return settings; }
  const std::string &name() const { return settings.name; }    // the debug name
  const std::string &getName() const { return settings.name; } // the debug name
  void setName(const std::string &n) { settings.name = n; }    // changes the debug name
  // popart::error while it is only described.
  Graph &getGraph() const { return settings.graph.get(); }
  Ir &getIr() const { return settings.getIr(); } // popart::error while it is only described
  bool hasVirtualGraphId() const { return settings.vgraphId.has_value(); } // whether it was said
  VGraphId getVirtualGraphId() const; // popart::error if it has none
  // The IPU, if it was said.
  OptionalVGraphId getOptionalVGraphId() const { return settings.vgraphId; }
  // Says the IPU, or takes it back.
  void setVirtualGraphId(const OptionalVGraphId &v) { settings.vgraphId = v; }
  // Whether it was said.
  bool hasPipelineStage() const { return settings.pipelineStage.has_value(); }
  PipelineStage getPipelineStage() const; // popart::error if it has none
  // The stage, if it was said.
  OptionalPipelineStage getOptionalPipelineStage() const { return settings.pipelineStage; }
  // Says the stage, or takes it back.
  void setPipelineStage(const OptionalPipelineStage &v) { settings.pipelineStage = v; }
  // Whether it was said.
  bool hasExecutionPhase() const { return settings.executionPhase.has_value(); }
  ExecutionPhase getExecutionPhase() const; // popart::error if it has none
  // The phase, if it was said.
  OptionalExecutionPhase getOptionalExecutionPhase() const { return settings.executionPhase; }
  // Says the phase, or takes it back.
  void setExecutionPhase(const OptionalExecutionPhase &v) { settings.executionPhase = v; }
  // Whether the user wants no such rewriting.
  bool isExcludedFromPattern(const std::string &pattern) const;
  // Whether it is of this class.
  template <class OP> bool isConvertibleTo() const {
    return dynamic_cast<const OP *>(this) != nullptr;
  }
  std::string str() const { return opid.type; } // its type
  std::string debugName() const;                // type and name, for messages

  OperatorIdentifier opid;                         // domain, type and version
  Settings settings;                               // where and how it runs
  OpId id = -1;                                    // in its graph
  std::unique_ptr<TensorIndexMap> input, output;   // tensors by position
  bool pruneable = true;                           // whether it goes if nobody reads it
  PathToLoss toLoss = PathToLoss::Undefined;       // whether the loss depends on it
  PathFromLoss fromLoss = PathFromLoss::Undefined; // whether it depends on the loss
};

} // namespace popart
#endif
