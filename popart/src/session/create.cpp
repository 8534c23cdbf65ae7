// SPDX-License-Identifier: MIT
// Sessions from ONNX models: import, check, prepare.
#include "base/Text.hpp"
#include "session/convert.hpp"
#include "session/impl.hpp"
#include "session/log.hpp"
#include <chrono>
#include <filesystem>
#include <popart/error.hpp>

namespace popart {

namespace {

// A path if it names a file, else the bytes of a model.
onnxmodel::Model open(const std::string &model) {
  std::error_code ignored;
  if (model.size() < 4096 && std::filesystem::is_regular_file(model, ignored))
    return onnxmodel::loadModel(model);
  return onnxmodel::parseModel(model);
}

bool isOptimizerState(const TensorId &id) {
  for (const char *prefix : {"Accl___", "Accl1___", "Accl2___", "Accl3___", "Step___"})
    if (id.rfind(prefix, 0) == 0)
      return true;
  return false;
}

std::uint64_t clockSeed() {
  return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
}

std::unique_ptr<Session::Impl> make(const std::string &model, const DataFlow &flow,
                                    const TensorId &loss, const Optimizer *optimizer,
                                    std::shared_ptr<DeviceInfo> device,
                                    const InputShapeInfo &shapes, const SessionOptions &options,
                                    const Patterns &patterns, const std::string &name) {
  if (!device)
    throw error("A session needs a device; none was given.");
  auto impl = std::make_unique<Session::Impl>();
  impl->name = name;
  impl->source = open(model);
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
  session::Request request;
  request.graph = onnxmodel::importModel(impl->source, how);
  request.flow = flow;
  request.options = options;
  request.patterns = patterns;
  request.training = impl->training;
  request.loss = loss;
  request.optimizer = impl->optimizer.get();
  request.ipus = static_cast<unsigned>(device->getNumIpus());
  for (const auto &initializer : impl->source.proto->graph().initializer())
    if (isOptimizerState(initializer.name()))
      request.state[initializer.name()] =
          onnxmodel::TensorReader(impl->source.folder).read(initializer);
  impl->prepared = session::prepare(std::move(request));
  const auto &graph = impl->prepared.model.graph;
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    const auto &value = graph[ir::Value{i}];
    if (value.kind != ir::Kind::Variable || !value.data)
      continue;
    const auto narrow = value.data.as(session::onDevice(value.data.type()));
    const auto *bytes = static_cast<const char *>(narrow.data());
    impl->hostWeights[value.name].assign(bytes, bytes + narrow.bytes());
  }
  session::log().debug("session \"", name, "\": ", graph.nodes.size(), " nodes");
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
