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

constexpr int defaultAiOnnxOpset = 10;
constexpr int defaultAiOnnxMlOpset = 1;
constexpr int defaultAiGraphcoreOpset = 1;

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

class AiOnnxMlOpset1 : public DomainOpSet {
public:
  explicit AiOnnxMlOpset1(std::shared_ptr<OpsetTarget> target)
      : DomainOpSet(std::move(target), "ai.onnx.ml") {}
  int getOpsetVersion() const override { return 1; }
};

class Builder {
public:
  static std::unique_ptr<Builder> create();
  static std::unique_ptr<Builder> createFromOnnxModel(const std::string &modelOrFile);
  ~Builder();
  Builder(const Builder &) = delete;
  Builder &operator=(const Builder &) = delete;
  // For the body of a call, loop, scan or branch. Belongs to this builder.
  Builder &createSubgraphBuilder();
  Builder *getParent() const;
  bool hasParent() const { return getParent() != nullptr; }

  // ---- inputs, initialisers, outputs
  TensorId addInputTensor(const TensorInfo &info, const DebugContext &debugContext = {});
  TensorId addInputTensor(const std::string &dataType, const Shape &shape,
                          const DebugContext &debugContext = {});
  TensorId addInputTensor(const TensorInfo &info, const InputSettings &settings,
                          const DebugContext &debugContext = {});
  TensorId addInputTensor(const std::string &dataType, const Shape &shape,
                          const InputSettings &settings, const DebugContext &debugContext = {});
  TensorId addUntypedInputTensor(const DebugContext &debugContext = {}); // subgraphs only
  void addInputTensorFromParentGraph(const TensorId &id);
  TensorId addInitializedInputTensor(const ConstVoidData &data,
                                     const DebugContext &debugContext = {});
  TensorId addInitializedInputTensor(const ConstVoidData &data, const VariableSettings &settings,
                                     const DebugContext &debugContext = {});
  void addOutputTensor(const TensorId &id);

  // ---- operators
#define POPART_OPSET(n)                                                                            \
  AiOnnxOpset##n aiOnnxOpset##n() { return AiOnnxOpset##n(target()); }
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
  AiOnnxMlOpset1 aiOnnxMlOpset1() { return AiOnnxMlOpset1(target()); }
  AiGraphcoreOpset1 aiGraphcoreOpset1() { return AiGraphcoreOpset1(target()); }
  // The version of a domain that the model says it uses; 1 if nothing is said.
  void useOpset(const OpDomain &domain, int version);
  std::vector<TensorId> customOp(const OperatorIdentifier &opid, int opsetVersion,
                                 const std::vector<TensorId> &inputs, unsigned numOutputs,
                                 const std::map<std::string, any> &attributes,
                                 const DebugContext &debugContext = {});
  void customOp(const OperatorIdentifier &opid, int opsetVersion,
                const std::vector<TensorId> &inputs, const std::vector<TensorId> &outputs,
                const std::map<std::string, any> &attributes,
                const DebugContext &debugContext = {});
  TensorId reshape_const(DomainOpSet &opset, const std::vector<TensorId> &args, const Shape &shape,
                         const DebugContext &debugContext = {});
  std::vector<TensorId> checkpointOutput(const std::vector<TensorId> &ids);

  // ---- attributes of the nodes added from here on, until cleared
  void setAttribute(const std::string &name, any value);
  any getAttribute(const std::string &name) const;
  bool hasAttribute(const std::string &name) const;
  void clearAttribute(const std::string &name);
  void pushNameScope(const std::string &name);
  void popNameScope();
  std::string getNameScope(const std::string &name = "") const;
  void setGraphName(const std::string &name);

  // ---- attributes of a node, which is named by all of its outputs
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
  bool nodeHasAttribute(const std::string &name, const std::set<TensorId> &outputs);
  std::int64_t getInt64NodeAttribute(const std::string &name, const std::set<TensorId> &outputs);
  std::vector<std::int64_t> getInt64VectorNodeAttribute(const std::string &name,
                                                        const std::set<TensorId> &outputs);
  float getFloatNodeAttribute(const std::string &name, const std::set<TensorId> &outputs);
  std::vector<float> getFloatVectorNodeAttribute(const std::string &name,
                                                 const std::set<TensorId> &outputs);
  std::string getStringNodeAttribute(const std::string &name, const std::set<TensorId> &outputs);
  std::vector<std::string> getStringVectorNodeAttribute(const std::string &name,
                                                        const std::set<TensorId> &outputs);
  void removeNodeAttribute(const std::string &name, const std::set<TensorId> &outputs);
  std::vector<std::string> getAllNodeAttributeNames(const std::set<TensorId> &outputs);

  void virtualGraph(const TensorId &output, std::int64_t value = 0);
  void virtualGraph(const std::set<TensorId> &outputs, std::int64_t value = 0);
  void pipelineStage(const TensorId &output, std::int64_t value = 0);
  void pipelineStage(const std::set<TensorId> &outputs, std::int64_t value = 0);
  void executionPhase(const TensorId &output, std::int64_t value = 0);
  void executionPhase(const std::set<TensorId> &outputs, std::int64_t value = 0);
  std::int64_t getVirtualGraph(const TensorId &output);
  std::int64_t getVirtualGraph(const std::set<TensorId> &outputs);
  std::int64_t getVirtualGraph() const; // of the current scope; popart::error if unset
  std::int64_t getPipelineStage() const;
  std::int64_t getExecutionPhase() const;
  bool hasVirtualGraph() const { return hasAttribute(sVirtualGraphAttribute); }
  bool hasPipelineStage() const { return hasAttribute(sPipelineStageAttribute); }
  bool hasExecutionPhase() const { return hasAttribute(sExecutionPhaseAttribute); }
  void recomputeOutput(const TensorId &output, RecomputeType value = RecomputeType::Recompute);
  void recomputeOutputInBackwardPass(const TensorId &output,
                                     RecomputeType value = RecomputeType::Recompute);
  void recomputeOutputInBackwardPass(const std::set<TensorId> &outputs,
                                     RecomputeType value = RecomputeType::Recompute);
  bool getRecomputeOutputInBackwardPass(const TensorId &output);
  void outputTensorLocation(const TensorId &output, TensorLocation location);
  void excludePatterns(const TensorId &output, const std::vector<OpType> &patterns);
  void setPartialsType(const TensorId &output, const std::string partialsType);
  std::string getPartialsType(const TensorId &output);
  void setAvailableMemoryProportion(const TensorId &output, const float proportion);
  void setAvailableMemoryProportion(const std::set<TensorId> &outputs, const float proportion);
  void setEnableConvDithering(const TensorId &output, std::int64_t value);
  void setSerializeMatMul(const std::set<TensorId> &outputs, std::string mode,
                          std::int64_t factor = 0, bool keepPrecision = false);
  void setInplacePreferences(const TensorId &output, const std::map<OpType, float> &priorities);

  // ---- what has been built
  std::vector<TensorId> getInputTensorIds() const;
  std::vector<TensorId> getOutputTensorIds() const;
  std::vector<TensorId> getValueTensorIds() const;
  std::vector<TensorId> getTrainableTensorIds() const;
  bool hasValueInfo(const TensorId &id) const;
  std::vector<std::int64_t> getTensorShape(const TensorId &id) const;
  std::string getTensorDtypeString(const TensorId &id) const;
  DataType getTensorDataType(const TensorId &id) const;
  bool isInitializer(const TensorId &id) const;
  int getOpsetVersion() const; // of ai.onnx: the model's, or the first that was used; 0: none yet
  std::string getModelProto(bool humanReadable = false) const;
  void saveModelProto(const std::string &file);
  void saveInitializersExternally(const std::vector<TensorId> &ids, const std::string &file);
  void embedReplicationFactor(int factor);

  struct Impl;

private:
  Builder();
  std::shared_ptr<OpsetTarget> target();
  std::shared_ptr<Impl> impl_;
};

} // namespace popart
#endif
