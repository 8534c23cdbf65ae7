// SPDX-License-Identifier: MIT
// Makes ONNX models from code, operator by operator. Every call checks its operator at once and
// knows the shapes of what it returns.
//
//   auto builder = Builder::create();
//   auto x = builder->addInputTensor("FLOAT", {4, 8});
//   auto y = builder->aiOnnxOpset11().relu({x});
//   auto session = InferenceSession::createFromOnnxModel(builder->getModelProto(), ...);
#ifndef POPART_BUILDER_HPP
#define POPART_BUILDER_HPP
#include <popart/aigraphcore.hpp>
#include <popart/aionnx.hpp>
#include <popart/operatoridentifier.hpp>
#include <popart/sessionoptions.hpp>
#include <popart/variablesettings.hpp>

namespace popart {

// Versions of operators that customOp and old models use when nothing is said.
constexpr int defaultAiOnnxOpset = 10;
constexpr int defaultAiOnnxMlOpset = 1;
constexpr int defaultAiGraphcoreOpset = 1;

// Names of attributes that say how an operator is placed and computed; Builder's functions set
// them.
static const char *const sVirtualGraphAttribute = "__ipu_number";
static const char *const sPipelineStageAttribute = "__pipeline_stage";
static const char *const sExecutionPhaseAttribute = "__execution_phase";
static const char *const sRecomputeOutputAttribute = "__recompute_output_in_backward_pass";
static const char *const sSchedulePriority = "__schedule_priority";
static const char *const sExcludePatternsAttribute = "__exclude_patterns";
static const char *const sOutputTensorLocationAttribute = "__output_tensor_location";
static const char *const sPartialsTypeAttribute = "__partials_type";
static const char *const sEnableConvDitheringAttribute = "__enable_conv_dithering";
static const char *const sAvailMemAttribute = "__available_memory_proportion";
static const char *const sSerializeMatMulModeAttribute = "__serialize_matmul_mode";
static const char *const sSerializeMatMulFactorAttribute = "__serialize_matmul_factor";
static const char *const sSerializeMatMulPrecAttribute = "__serialize_matmul_prec";
static const char *const sInplaceOpNames = "__inplace_op_names";
static const char *const sInplaceOpPriorities = "__inplace_op_priorities";

// Operators of ai.onnx.ml: PopART has none of them.
class AiOnnxMlOpset1 : public DomainOpSet {
public:
  explicit AiOnnxMlOpset1(std::shared_ptr<OpsetTarget> target)
      : DomainOpSet(std::move(target), "ai.onnx.ml") {}
  int getOpsetVersion() const override { return 1; }
};

// Makes an ONNX model, operator by operator. popart::error is thrown at once for operators, shapes
// and types that do not fit.
class Builder {
public:
  static std::unique_ptr<Builder> create(); // an empty model
  // A model that others go on with: its bytes, or the name of its file. Throws popart::error if it
  // cannot be read.
  static std::unique_ptr<Builder> createFromOnnxModel(const std::string &modelOrFile);
  ~Builder();
  Builder(const Builder &) = delete;
  Builder &operator=(const Builder &) = delete;
  // For the body of a call, loop, scan or branch. Belongs to this builder.
  Builder &createSubgraphBuilder();
  Builder *getParent() const; // null for the builder of the model itself
  bool hasParent() const { return getParent() != nullptr; } // whether it is for a body

  // ---- inputs, initialisers, outputs
  // An input of the model; its name is returned. Throws popart::error for a type that does not
  // exist.
  TensorId addInputTensor(const TensorInfo &info, const DebugContext &debugContext = {});
  TensorId addInputTensor(const std::string &dataType, const Shape &shape,
                          const DebugContext &debugContext = {});
  TensorId addInputTensor(const TensorInfo &info, const InputSettings &settings,
                          const DebugContext &debugContext = {});
  TensorId addInputTensor(const std::string &dataType, const Shape &shape,
                          const InputSettings &settings, const DebugContext &debugContext = {});
  TensorId addUntypedInputTensor(const DebugContext &debugContext = {}); // subgraphs only
  // Lets a body use a tensor of the graph around it.
  void addInputTensorFromParentGraph(const TensorId &id);
  // A variable (a weight) with its first value, which is copied.
  TensorId addInitializedInputTensor(const ConstVoidData &data,
                                     const DebugContext &debugContext = {});
  TensorId addInitializedInputTensor(const ConstVoidData &data, const VariableSettings &settings,
                                     const DebugContext &debugContext = {});
  void addOutputTensor(const TensorId &id); // Marks a tensor as an output of the model.

  // ---- operators
#define POPART_OPSET(n)                                                                            \
  AiOnnxOpset##n aiOnnxOpset##n() { return AiOnnxOpset##n(target()); }
  // The operators of ai.onnx at this version: builder->aiOnnxOpset11().relu({x}).
  POPART_OPSET(6)
  POPART_OPSET(7)
  POPART_OPSET(8)
  POPART_OPSET(9)
  POPART_OPSET(10)
  POPART_OPSET(11)
  POPART_OPSET(12)
  POPART_OPSET(13)
  POPART_OPSET(14)
  POPART_OPSET(15)
  POPART_OPSET(16)
  POPART_OPSET(17)
#undef POPART_OPSET
  // The operators of ai.onnx.ml.
  AiOnnxMlOpset1 aiOnnxMlOpset1() { return AiOnnxMlOpset1(target()); }
  // The operators of ai.graphcore.
  AiGraphcoreOpset1 aiGraphcoreOpset1() { return AiGraphcoreOpset1(target()); }
  // The version of a domain that the model says it uses; 1 if nothing is said.
  void useOpset(const OpDomain &domain, int version);
  // Adds an operator by its name, for instance one that a library registered. Throws popart::error
  // if nobody knows it.
  std::vector<TensorId> customOp(const OperatorIdentifier &opid, int opsetVersion,
                                 const std::vector<TensorId> &inputs, unsigned numOutputs,
                                 const std::map<std::string, any> &attributes,
                                 const DebugContext &debugContext = {});
  void customOp(const OperatorIdentifier &opid, int opsetVersion,
                const std::vector<TensorId> &inputs, const std::vector<TensorId> &outputs,
                const std::map<std::string, any> &attributes,
                const DebugContext &debugContext = {});
  // Reshape to a shape that is known now.
  TensorId reshape_const(DomainOpSet &opset, const std::vector<TensorId> &args, const Shape &shape,
                         const DebugContext &debugContext = {});
  // Keeps these tensors for the backward pass; what is between two of them is computed again.
  std::vector<TensorId> checkpointOutput(const std::vector<TensorId> &ids);

  // ---- attributes of the nodes added from here on, until cleared
  // Sets an attribute of all nodes added from here on.
  void setAttribute(const std::string &name, any value);
  any getAttribute(const std::string &name) const;  // the value set last; popart::error if none is
  bool hasAttribute(const std::string &name) const; // whether one of this name is set
  // ends a setAttribute
  void clearAttribute(const std::string &name);
  // Begins a scope: names made from here on begin with it.
  void pushNameScope(const std::string &name);
  void popNameScope(); // ends the innermost scope; popart::error without one
  // The scopes and a name, joined by "/".
  std::string getNameScope(const std::string &name = "") const;
  void setGraphName(const std::string &name); // the name of the ONNX graph

  // ---- attributes of a node, which is named by all of its outputs
  // Sets an attribute of one node. Throws popart::error if no node has exactly these outputs.
  void addNodeAttribute(const std::string &name, const std::int64_t &value,
                        const std::set<TensorId> &outputs);
  void addNodeAttribute(const std::string &name, const std::vector<std::int64_t> &value,
                        const std::set<TensorId> &outputs);
  void addNodeAttribute(const std::string &name, const float &value,
                        const std::set<TensorId> &outputs);
  void addNodeAttribute(const std::string &name, const std::vector<float> &value,
                        const std::set<TensorId> &outputs);
  void addNodeAttribute(const std::string &name, const std::string &value,
                        const std::set<TensorId> &outputs);
  void addNodeAttribute(const std::string &name, const char *value,
                        const std::set<TensorId> &outputs);
  void addNodeAttribute(const std::string &name, const std::vector<std::string> &value,
                        const std::set<TensorId> &outputs);
  void addNodeAttribute(const std::string &name, const bool value,
                        const std::set<TensorId> &outputs);
  void addNodeAttribute(const std::string &name, const ConstVoidData &value,
                        const std::set<TensorId> &outputs);
  // Whether the node has it.
  bool nodeHasAttribute(const std::string &name, const std::set<TensorId> &outputs);
  // The value of a node's attribute. Throws popart::error if the node or the attribute is not
  // there, or of another type.
  std::int64_t getInt64NodeAttribute(const std::string &name, const std::set<TensorId> &outputs);
  std::vector<std::int64_t> getInt64VectorNodeAttribute(const std::string &name,
                                                        const std::set<TensorId> &outputs);
  float getFloatNodeAttribute(const std::string &name, const std::set<TensorId> &outputs);
  std::vector<float> getFloatVectorNodeAttribute(const std::string &name,
                                                 const std::set<TensorId> &outputs);
  std::string getStringNodeAttribute(const std::string &name, const std::set<TensorId> &outputs);
  std::vector<std::string> getStringVectorNodeAttribute(const std::string &name,
                                                        const std::set<TensorId> &outputs);
  // Throws popart::error if it is not there.
  void removeNodeAttribute(const std::string &name, const std::set<TensorId> &outputs);
  // Of the node with these outputs.
  std::vector<std::string> getAllNodeAttributeNames(const std::set<TensorId> &outputs);

  // The IPU that the node runs on, counted in one replica.
  void virtualGraph(const TensorId &output, std::int64_t value = 0);
  void virtualGraph(const std::set<TensorId> &outputs, std::int64_t value = 0);
  // The stage of the pipeline that the node belongs to.
  void pipelineStage(const TensorId &output, std::int64_t value = 0);
  void pipelineStage(const std::set<TensorId> &outputs, std::int64_t value = 0);
  // The phase that the node runs in, under VirtualGraphMode::ExecutionPhases.
  void executionPhase(const TensorId &output, std::int64_t value = 0);
  void executionPhase(const std::set<TensorId> &outputs, std::int64_t value = 0);
  // The IPU of a node, or of the current scope. Throws popart::error if none is set.
  std::int64_t getVirtualGraph(const TensorId &output);
  std::int64_t getVirtualGraph(const std::set<TensorId> &outputs);
  std::int64_t getVirtualGraph() const; // of the current scope; popart::error if unset
  // Of the current scope. Throws popart::error if it is not set.
  std::int64_t getPipelineStage() const;
  std::int64_t getExecutionPhase() const;
  // Whether the scope has set it.
  bool hasVirtualGraph() const { return hasAttribute(sVirtualGraphAttribute); }
  bool hasPipelineStage() const { return hasAttribute(sPipelineStageAttribute); }
  bool hasExecutionPhase() const { return hasAttribute(sExecutionPhaseAttribute); }
  // Says whether the output is computed again in the backward pass, rather than kept.
  void recomputeOutput(const TensorId &output, RecomputeType value = RecomputeType::Recompute);
  // recomputeOutput for one or more outputs of a node.
  void recomputeOutputInBackwardPass(const TensorId &output,
                                     RecomputeType value = RecomputeType::Recompute);
  void recomputeOutputInBackwardPass(const std::set<TensorId> &outputs,
                                     RecomputeType value = RecomputeType::Recompute);
  // What recomputeOutputInBackwardPass set.
  bool getRecomputeOutputInBackwardPass(const TensorId &output);
  // Where the output is kept: on the chip or beside it, whole or in parts.
  void outputTensorLocation(const TensorId &output, TensorLocation location);
  // Patterns that must not rewrite the node.
  void excludePatterns(const TensorId &output, const std::vector<OpType> &patterns);
  // The type of partial sums of a convolution or product: "half" or "float".
  void setPartialsType(const TensorId &output, const std::string partialsType);
  std::string getPartialsType(const TensorId &output); // what setPartialsType set
  // The share of a tile's memory that the plan of this convolution or product may take. Throws
  // popart::error outside of (0, 1].
  void setAvailableMemoryProportion(const TensorId &output, const float proportion);
  void setAvailableMemoryProportion(const std::set<TensorId> &outputs, const float proportion);
  // Whether the plan of this convolution begins at a tile that depends on the convolution; 0 or 1.
  void setEnableConvDithering(const TensorId &output, std::int64_t value);
  // Cuts a product into `factor` parts that run one after the other: mode "input_channels",
  // "reducing_dim", "output_channels" or "none".
  void setSerializeMatMul(const std::set<TensorId> &outputs, std::string mode,
                          std::int64_t factor = 0, bool keepPrecision = false);
  // Priorities of the node's variants in place, by name; above 0: wanted.
  void setInplacePreferences(const TensorId &output, const std::map<OpType, float> &priorities);

  // ---- what has been built
  std::vector<TensorId> getInputTensorIds() const;     // in the order in which they were added
  std::vector<TensorId> getOutputTensorIds() const;    // in the order in which they were added
  std::vector<TensorId> getValueTensorIds() const;     // all tensors that operators make
  std::vector<TensorId> getTrainableTensorIds() const; // variables that the model has
  bool hasValueInfo(const TensorId &id) const;         // whether its type and shape are known
  // Of a tensor; popart::error if it is not known.
  std::vector<std::int64_t> getTensorShape(const TensorId &id) const;
  // "float32" and so on; popart::error if it is not known.
  std::string getTensorDtypeString(const TensorId &id) const;
  DataType getTensorDataType(const TensorId &id) const; // popart::error if it is not known
  bool isInitializer(const TensorId &id) const; // whether it is a variable with a first value
  int getOpsetVersion() const; // of ai.onnx: the model's, or the first that was used; 0: none yet
  // The model as bytes, or as text for people.
  std::string getModelProto(bool humanReadable = false) const;
  // Writes the model to a file. Throws popart::error if that fails.
  void saveModelProto(const std::string &file);
  // Values of these variables go to a file of their own when the model is saved, as ONNX has it for
  // models above 2 GB.
  void saveInitializersExternally(const std::vector<TensorId> &ids, const std::string &file);
  void embedReplicationFactor(int factor); // remembers in the model how many replicas it is for

  struct Impl;

private:
  Builder();
  std::shared_ptr<OpsetTarget> target();
  std::shared_ptr<Impl> impl_;
};

} // namespace popart
#endif
