// SPDX-License-Identifier: MIT
// ONNX -> ir. importModel() checks a whole model and imports it; Importer is what it is made of and
// takes inputs, initialisers and nodes one by one, so that a front end can learn shapes as it goes.
//
// What an ONNX node says in an old version is brought into the operator's canonical form. Operators
// that we do not have but ONNX defines by others are expanded, as are a model's own functions.
// Graph attributes become bodies; what they use from outside becomes further inputs of node and
// body. Sequences of tensors that can be followed vanish.
#pragma once
#include "onnx/tensors.hpp"
#include "opdef/graphbuilder.hpp"
#include <optional>
#include <set>

namespace popart::onnxmodel {

constexpr std::int64_t oldestOpset = 6, newestOpset = 23; // of ai.onnx

struct ImportOptions {
  bool training = false;                             // initialisers become variables
  bool constantWeights = true;                       // of inference: initialisers are constants
  std::map<TensorId, TensorInfo> inputShapes;        // for inputs with unknown dimensions
  std::map<TensorId, ir::HostTensor> constantInputs; // inputs whose values never change
  // Operators that ONNX has withdrawn before the model's opset are refused, or mean what they last
  // meant.
  bool strictOpVersions = true;
  std::set<TensorId> ownValues; // initialisers that differ between replicas: always variables
  std::int64_t replicas = 1;    // that collectives of the model count with
};

// Initialisers with at least so many bytes stay where they are when a model is read.
constexpr std::size_t largeTensor = std::size_t(1) << 16;
Model loadModel(const std::filesystem::path &file);
// Bytes without an owner are copied.
Model parseModel(const Bytes &bytes, const std::filesystem::path &folder = {},
                 std::size_t large = largeTensor);
inline Model parseModel(std::string_view bytes, const std::filesystem::path &folder = {}) {
  return parseModel(Bytes{bytes, nullptr}, folder);
}

// Tensors of `model` share its bytes. popart::error for whatever is wrong with a model.
ir::Graph importModel(const Model &model, const ImportOptions &options = {});
ir::Graph importModel(const onnx::ModelProto &model, const ImportOptions &options = {});

class Importer {
public:
  using Opsets = std::map<std::string, std::int64_t>; // by domain; "" is ai.onnx

  explicit Importer(ir::Graph &graph, Opsets opsets = {}, TensorReader reader = {});
  void setOpset(const std::string &domain, std::int64_t version) { opsets_[domain] = version; }
  // Functions that the model defines itself; kept by reference.
  void setFunctions(const onnx::ModelProto &model);
  void setReplicas(std::int64_t replicas) { root_->replicas = replicas; }

  ir::Value addInput(const TensorId &id, const TensorInfo &info);
  ir::Value addInitializer(const TensorId &id, ir::HostTensor values, ir::Kind kind);
  // The values of its outputs in order; `none` for those without a name.
  ir::Values addNode(const onnx::NodeProto &node);
  // A sequence becomes one input or output for each of its tensors, called id/0, id/1 ...
  void addSequence(const TensorId &id, const std::vector<TensorInfo> &infos);
  void addAbsent(const TensorId &id); // an optional value that is not there
  void addOutput(const TensorId &id);
  // popart::error with near matches when nothing has that name.
  ir::Value require(const TensorId &id) { return resolve(id); }
  TensorReader &reader() { return reader_; }

private:
  // What a name stands for: a tensor, or what leaves no node behind.
  struct Followed {
    ir::Values items; // one of a tensor, none of an optional value that is not there
    enum Kind { Tensor, Sequence, Absent } kind = Tensor;
  };
  struct Scope {
    std::map<TensorId, ir::Value> names;
    std::string prefix;                       // of the names its values get in the graph
    bool closed = false;                      // a function: sees nothing of its caller
    std::map<TensorId, Followed> others = {}; // than tensors
    void bind(const TensorId &id, const Followed &what);
  };
  struct Body {
    std::shared_ptr<ir::Graph> graph;
    ir::Values captured; // values of the outer graph, bound to the last inputs of `graph`
  };
  // What a model's importer shares with those of its bodies.
  struct Root {
    std::map<std::string, const onnx::FunctionProto *> functions; // by domain and name
    std::map<std::string, Body> callees; // without captures, by content and types of the inputs
    unsigned depth = 0;                  // of functions in functions
    std::int64_t copies = 0;             // nodes written out of functions and iterations
    std::int64_t replicas = 0;           // 0: not known
  };

  bool sees(const TensorId &id) const;
  std::vector<int> ownInputs(const onnx::GraphProto &graph, std::size_t given) const;
  Importer(ir::Graph &graph, Importer &parent);
  ir::Value resolve(const TensorId &id);
  ir::Value capture(const TensorId &id);
  std::vector<std::string> visibleNames() const;

  ir::Values importNode(const onnx::NodeProto &node);
  void checkFormals(const onnx::NodeProto &node, const ops::OpDef *def);
  bool isOwnFunction(const onnx::NodeProto &node) const;
  ir::Values importOperator(const onnx::NodeProto &node, const ops::OpDef &def);
  ir::Values importConstant(const onnx::NodeProto &node);
  ir::Values importLoop(const onnx::NodeProto &node, const ops::OpDef &def);
  void countCopies(std::int64_t nodes);
  std::int64_t knownTrip(const onnx::NodeProto &node);
  ir::Values unroll(const onnx::NodeProto &node, std::int64_t trip);
  ir::Values importIf(const onnx::NodeProto &node, const ops::OpDef &def);
  ir::Values inlineBranch(const onnx::NodeProto &node, bool condition);
  bool expand(const onnx::NodeProto &node, ir::Values &made);
  ir::Values expandFunction(const onnx::NodeProto &node, const onnx::FunctionProto &function);
  bool schemaFunction(const onnx::NodeProto &node, onnx::FunctionProto &function);

  const Followed *findOther(const TensorId &id) const;
  Followed follow(const TensorId &id); // `none` for an empty name
  ir::Values publishFollowed(const onnx::NodeProto &node, const std::vector<Followed> &made,
                             std::size_t firstNew);
  bool importSequence(const onnx::NodeProto &node, ir::Values &made);
  std::optional<Followed> sequenceFrom(const onnx::NodeProto &node, const ir::Values &list,
                                       const ir::Values &inputs);
  std::optional<Followed> optionalFrom(const onnx::NodeProto &node);
  ir::Value sequenceLength(std::size_t length);
  ir::Integers partSizes(const onnx::NodeProto &node, ir::Value split, std::int64_t n);
  ir::Values splitToSequence(const onnx::NodeProto &node, const ir::Values &inputs);
  ir::Value concatFromSequence(const onnx::NodeProto &node, ir::Values parts);

  void importBodies(const onnx::NodeProto &node, ir::Node &into);
  Body importBody(const onnx::GraphProto &graph, const std::vector<TensorInfo> &inputs);
  void addGraphContents(const onnx::GraphProto &graph);
  // The outputs of a graph whose nodes are added to this one, its inputs bound to `names`.
  std::vector<Followed> inlineGraph(const onnx::GraphProto &graph,
                                    const std::map<TensorId, Followed> &names,
                                    const std::string &prefix);
  static void giveSameInputs(const Importer &outer, std::vector<Body> &bodies);

  std::int64_t versionOf(const std::string &domain) const;
  [[noreturn]] void noOperator(const onnx::NodeProto &node) const;
  ir::Value publish(ir::Value v, const TensorId &id);
  ir::Value copyOf(ir::Value v);
  ir::Values publishOutputs(const onnx::NodeProto &node, const ir::Values &made,
                            std::size_t firstNew);

  ir::Graph &graph_;
  ops::GraphBuilder builder_;
  Opsets opsets_;
  TensorReader reader_;
  std::shared_ptr<Root> root_;
  Importer *parent_ = nullptr;
  std::vector<Scope> scopes_;
  std::set<ir::Value> named_; // values that carry the name of an ONNX tensor
  ir::Values captured_;
};

} // namespace popart::onnxmodel
