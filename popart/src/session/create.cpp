// SPDX-License-Identifier: MIT
// Sessions from ONNX models: import, check, prepare.
#include "base/Text.hpp"
#include "session/convert.hpp"
#include "session/impl.hpp"
#include "session/log.hpp"
#include "session/settings.hpp"
#include <chrono>
#include <popart/error.hpp>

namespace popart {

namespace {

std::uint64_t clockSeed() {
  return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
}

// Optimiser state that the model brings along: taken for the state the optimiser makes, which then
// has the name.
std::map<TensorId, ir::HostTensor> takeState(const onnxmodel::Model &model, ir::Graph &graph) {
  std::map<TensorId, ir::HostTensor> out;
  onnxmodel::TensorReader reader(model.folder, model.proto);
  for (const auto &initializer : model.proto->graph().initializer()) {
    const TensorId &id = initializer.name();
    if (!lowering::isOptimizerState(id))
      continue;
    out[id] = reader.read(initializer);
    if (const auto v = graph.find(id); v != ir::none) {
      graph.rename(v, graph.freeName("saved/" + id));
      graph[v].data = {};
    }
  }
  return out;
}

// Initial values in the device's types, and what resetHostWeights may replace.
void takeWeights(Session::Impl &impl, const session::ModelSettings &settings) {
  const auto &graph = impl.graph();
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    const auto &value = graph[ir::Value{i}];
    if (value.kind != ir::Kind::Variable || !value.data)
      continue;
    impl.hostWeights[value.name] = session::deviceForm(value.data);
    if (!lowering::isOptimizerState(value.name))
      continue;
    const auto *how = session::settingsFor(settings, value.name);
    const auto groups = how ? how->getGroupCount(unsigned(impl.prepared.model.replicas)) : 1;
    Shape shape = value.info.shape();
    if (groups > 1)
      shape.insert(shape.begin(), groups);
    impl.initialInfos[value.name] = TensorInfo(value.info.dataType(), shape);
  }
  onnxmodel::TensorReader reader(impl.source.folder, impl.source.proto);
  for (const auto &initializer : impl.source.proto->graph().initializer()) {
    const TensorId &id = initializer.name();
    impl.initialInfos[id] = onnxmodel::infoOf(initializer);
    if (impl.hostWeights.count(id) && session::settingsFor(settings, id)) // every group's values
      impl.hostWeights[id] = session::deviceForm(reader.read(initializer));
  }
}

std::unique_ptr<Session::Impl> make(const std::string &model, const DataFlow &flow,
                                    const TensorId &loss, const Optimizer *optimizer,
                                    std::shared_ptr<DeviceInfo> device,
                                    const InputShapeInfo &shapes, const SessionOptions &options,
                                    const Patterns &patterns, const std::string &name) {
  const auto start = std::chrono::steady_clock::now();
  if (!device)
    throw error("A session needs a device; none was given.");
  auto impl = std::make_unique<Session::Impl>();
  impl->name = name;
  impl->source = session::openModel(model);
  impl->flow = flow;
  impl->options = options;
  impl->patterns = patterns;
  impl->device = device;
  impl->training = optimizer != nullptr;
  impl->loss = loss;
  impl->seed = clockSeed();
  if (optimizer)
    impl->optimizer = optimizer->clone();

  onnxmodel::ImportOptions how;
  how.training = impl->training;
  how.constantWeights = options.constantWeights;
  how.inputShapes = shapes.getInfos();
  how.strictOpVersions = options.strictOpVersions;
  const auto settings = session::settingsOf(*impl->source.proto);
  const auto replicas = options.enableReplicatedGraphs ? options.replicatedGraphCount : 1;
  const auto own = session::ofOneReplica(impl->source, settings, static_cast<unsigned>(replicas));
  session::Request request;
  request.graph = onnxmodel::importModel(own, how);
  request.inputSettings = settings.inputs;
  request.variableSettings = settings.variables;
  request.flow = flow;
  request.options = options;
  request.patterns = patterns;
  request.training = impl->training;
  request.loss = loss;
  request.optimizer = impl->optimizer.get();
  request.ipus = static_cast<unsigned>(device->getNumIpus());
  if (impl->training)
    request.state = takeState(own, request.graph);
  impl->prepared = session::prepare(std::move(request));
  takeWeights(*impl, settings);
  impl->constructionSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  session::log().debug("session \"", name, "\": ", impl->graph().nodes.size(), " nodes");
  return impl;
}

} // namespace

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::~Session() = default;

std::unique_ptr<InferenceSession> InferenceSession::createFromOnnxModel(
    const std::string &model, const DataFlow &dataFlow, std::shared_ptr<DeviceInfo> deviceInfo,
    const InputShapeInfo &inputShapeInfo, const SessionOptions &userOptions,
    const Patterns &patterns, const std::string name) {
  return std::unique_ptr<InferenceSession>(
      new InferenceSession(make(model, dataFlow, "", nullptr, std::move(deviceInfo), inputShapeInfo,
                                userOptions, patterns, name)));
}
std::unique_ptr<TrainingSession> TrainingSession::createFromOnnxModel(
    const std::string &model, const DataFlow &dataFlow, const TensorId &loss,
    const Optimizer &optimizer, std::shared_ptr<DeviceInfo> deviceInfo,
    const InputShapeInfo &inputShapeInfo, const SessionOptions &userOptions,
    const Patterns &patterns, const std::string name) {
  return std::unique_ptr<TrainingSession>(
      new TrainingSession(make(model, dataFlow, loss, &optimizer, std::move(deviceInfo),
                               inputShapeInfo, userOptions, patterns, name)));
}

} // namespace popart
