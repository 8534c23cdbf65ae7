// SPDX-License-Identifier: MIT
// Sessions from models: import, check, prepare.
#include "base/ProgressLine.hpp"
#include "base/Text.hpp"
#include "custom/custom.hpp"
#include "ir/narrowed.hpp"
#include "ir/statenames.hpp"
#include "openipu/Model.hpp"
#include "session/convert.hpp"
#include "session/guard.hpp"
#include "session/impl.hpp"
#include "session/log.hpp"
#include "session/optionchecks.hpp"
#include <chrono>
#include <cstring>
#include <popart/error.hpp>

namespace popart {

namespace {

std::uint64_t clockSeed() {
  return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
}

// Optimiser state that the model brings along: taken for the state the optimiser makes, which then
// has the name.
std::map<TensorId, ir::HostTensor> takeState(ir::Graph &graph) {
  std::map<TensorId, ir::HostTensor> out;
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    const ir::Value v{i};
    const TensorId id = graph[v].name;
    if (graph[v].kind != ir::Kind::Variable || !ir::isOptimizerState(id))
      continue;
    out[id] = graph[v].data;
    graph.rename(v, graph.freeName("saved/" + id));
    graph[v].data = {};
  }
  return out;
}

} // namespace

const session::Prepared &Session::Impl::prepared() const {
  const std::lock_guard hold(preparing_);
  if (prepared_)
    return *prepared_;
  const custom::InSession here(training, options, flow, loss);
  session::Request request;
  request.graph =
      source->graph({training, options.constantWeights, options.strictOpVersions, replicas()});
  request.inputSettings = source->settings().inputs;
  request.variableSettings = source->settings().variables;
  request.flow = flow;
  request.options = options;
  request.patterns = patterns;
  request.training = training;
  request.loss = loss;
  request.optimizer = optimizer.get();
  request.ipus = static_cast<unsigned>(device->getNumIpus());
  if (training)
    request.state = takeState(request.graph);
  prepared_ = session::prepare(std::move(request));
  return *prepared_;
}
std::int64_t Session::Impl::replicas() const {
  return options.enableReplicatedGraphs ? options.replicatedGraphCount : 1;
}

namespace {

TensorInfo infoOfGroups(const TensorInfo &info, std::int64_t groups) {
  Shape shape = info.shape();
  if (groups > 1)
    shape.insert(shape.begin(), groups);
  return TensorInfo(info.dataType(), shape);
}

} // namespace

const VariableSettings *Session::Impl::settingsFor(const TensorId &variable) const {
  return ir::settingsFor(source->settings(), variable);
}

// Initial values in the device's types, and what resetHostWeights may replace.
void Session::Impl::takeWeights() {
  for (ir::Value v : graph().inputs)
    modelInputs.emplace_back(graph()[v].name, graph()[v].info);
  for (std::uint32_t i = 0; i < graph().size(); ++i) {
    const auto &value = graph()[ir::Value{i}];
    if (value.kind != ir::Kind::Variable || !value.data)
      continue;
    hostWeights[value.name] = session::deviceForm(value.data);
    if (!ir::isOptimizerState(value.name))
      continue;
    const auto *own = settingsFor(value.name);
    const auto groups = own ? own->getGroupCount(unsigned(replicas())) : 1;
    initialInfos[value.name] = infoOfGroups(value.info, groups);
  }
  std::set<TensorId> grouped;
  for (const auto &[id, info] : source->initialisers(replicas())) {
    initialInfos[id] = info;
    if (hostWeights.count(id) && settingsFor(id))
      grouped.insert(id);
  }
  for (const auto &[id, value] : source->values(grouped, replicas())) // every group's values
    hostWeights[id] = session::deviceForm(value);
  source->lend(hostWeights, replicas());
}

// The same without an ir: what the model brings along, what the optimizer says, else what was
// there when the executable was made.
void Session::Impl::takeStoredWeights(const session::Start &start) {
  modelInputs = start.inputs;
  for (const auto &spec : io.held) {
    const TensorInfo form(ir::narrowed(spec.info.dataType()), spec.info.shape());
    held[spec.id] = start.constants.at(spec.id).as(form);
  }
  std::set<TensorId> asked;
  for (const auto &spec : io.weights)
    asked.insert(spec.id);
  const auto given = source->values(asked, replicas());
  for (const auto &[id, info] : source->initialisers(replicas()))
    initialInfos[id] = info;
  for (const auto &spec : io.weights) {
    ir::HostTensor value;
    if (auto it = given.find(spec.id); it != given.end())
      value = it->second.as(spec.info.dataType());
    else if (auto step = optimizer::firstStep(*optimizer, spec.id))
      value = *step;
    else if (!start.first.count(spec.id))
      value = ir::HostTensor::filled(spec.info, 0);
    hostWeights[spec.id] = value ? session::deviceForm(value) : start.first.at(spec.id);
    if (ir::isOptimizerState(spec.id))
      initialInfos.emplace(spec.id, infoOfGroups(spec.info, spec.groups));
  }
  source->lend(hostWeights, replicas());
}

// The state of optimisers has gigabytes of zeros: many at a time.
static bool isZero(std::string_view bytes) {
  return bytes.empty() ||
         (!bytes[0] && !std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1));
}

session::Start Session::Impl::startData() const {
  session::Start out;
  out.inputs = modelInputs;
  std::set<TensorId> given;
  for (const auto &[id, info] : source->initialisers(replicas()))
    given.insert(id);
  for (const auto &[id, value] : heldConstants())
    out.constants[id] = session::deviceForm(value);
  for (const auto &spec : io.weights) {
    const auto v = graph().find(spec.id);
    if (given.count(spec.id) || v == ir::none || !graph()[v].data)
      continue;
    const auto bytes = session::deviceForm(graph()[v].data);
    if (!isZero(bytes.view()))
      out.first[spec.id] = bytes;
  }
  return out;
}

namespace {

using Open = std::function<std::unique_ptr<session::Source>()>;

std::unique_ptr<Session::Impl> make(const Open &open, const DataFlow &flow, const TensorId &loss,
                                    const Optimizer *optimizer, std::shared_ptr<DeviceInfo> device,
                                    const SessionOptions &options, const Patterns &patterns,
                                    const std::string &name) {
  const auto start = std::chrono::steady_clock::now();
  const base::Activity activity("Preparing the model");
  if (!device)
    throw error("A session needs a device; none was given.");
  session::checkOptions(options, flow, optimizer != nullptr);
  auto impl = std::make_unique<Session::Impl>();
  impl->name = name;
  impl->source = open();
  impl->flow = flow;
  impl->options = options;
  impl->patterns = patterns;
  impl->device = device;
  impl->training = optimizer != nullptr;
  impl->loss = loss;
  impl->seed = clockSeed();
  if (optimizer)
    impl->optimizer = optimizer->clone();
  impl->context = session::contextOf(options, impl->training, impl->source->settings().variables);
  if (!impl->openCached()) {
    session::log().debug("session \"", name, "\": ", impl->graph().nodes.size(), " nodes");
    impl->takeWeights();
  }
  impl->constructionSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return impl;
}

} // namespace

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::~Session() = default;

std::unique_ptr<InferenceSession> InferenceSession::createFromOnnxModel(
    const OnnxModel &model, const DataFlow &dataFlow, std::shared_ptr<DeviceInfo> deviceInfo,
    const InputShapeInfo &inputShapeInfo, const SessionOptions &userOptions,
    const Patterns &patterns, const std::string name) {
  return std::unique_ptr<InferenceSession>(
      new InferenceSession(session::guarded("InferenceSession::createFromOnnxModel", [&] {
        return make([&] { return session::sourceOf(model, inputShapeInfo.getInfos()); }, dataFlow,
                    "", nullptr, std::move(deviceInfo), userOptions, patterns, name);
      })));
}
std::unique_ptr<TrainingSession> TrainingSession::createFromOnnxModel(
    const OnnxModel &model, const DataFlow &dataFlow, const TensorId &loss,
    const Optimizer &optimizer, std::shared_ptr<DeviceInfo> deviceInfo,
    const InputShapeInfo &inputShapeInfo, const SessionOptions &userOptions,
    const Patterns &patterns, const std::string name) {
  return std::unique_ptr<TrainingSession>(
      new TrainingSession(session::guarded("TrainingSession::createFromOnnxModel", [&] {
        return make([&] { return session::sourceOf(model, inputShapeInfo.getInfos()); }, dataFlow,
                    loss, &optimizer, std::move(deviceInfo), userOptions, patterns, name);
      })));
}

struct SessionMaker {
  template <class S> static std::unique_ptr<S> make(std::unique_ptr<Session::Impl> impl) {
    return std::unique_ptr<S>(new S(std::move(impl)));
  }
};

std::unique_ptr<InferenceSession> makeInferenceSession(Model model, const DataFlow &flow,
                                                       std::shared_ptr<DeviceInfo> device,
                                                       const SessionOptions &options,
                                                       const Patterns &patterns,
                                                       const std::string &name) {
  return SessionMaker::make<InferenceSession>(session::guarded("makeInferenceSession", [&] {
    return make([&] { return session::sourceOf(std::move(model)); }, flow, "", nullptr,
                std::move(device), options, patterns, name);
  }));
}
std::unique_ptr<TrainingSession>
makeTrainingSession(Model model, const DataFlow &flow, const TensorId &loss,
                    const Optimizer &optimizer, std::shared_ptr<DeviceInfo> device,
                    const SessionOptions &options, const Patterns &patterns,
                    const std::string &name) {
  return SessionMaker::make<TrainingSession>(session::guarded("makeTrainingSession", [&] {
    return make([&] { return session::sourceOf(std::move(model)); }, flow, loss, &optimizer,
                std::move(device), options, patterns, name);
  }));
}

} // namespace popart
