// SPDX-License-Identifier: MIT
// Sessions from models: import, check, prepare.
#include "base/ProgressLine.hpp"
#include "base/Text.hpp"
#include "custom/custom.hpp"
#include "ir/narrowed.hpp"
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

// The first group's values of several.
ir::HostTensor firstOf(const ir::HostTensor &all, std::int64_t groups) {
  if (groups == 1 || all.shape().empty())
    return all;
  const Shape shape(all.shape().begin() + 1, all.shape().end());
  return {TensorInfo(all.type(), shape), all.data(), std::make_shared<ir::HostTensor>(all)};
}

// Optimiser state that the model brings along, by the names that the optimiser gives to the state
// of these weights. What nodes of the model use is no such thing, whatever it is called.
std::map<TensorId, ir::HostTensor> savedState(const Session::Impl &impl, ir::Graph &graph) {
  std::map<TensorId, TensorId> weightOf;
  for (std::uint32_t i = 0; i < graph.size(); ++i)
    if (const auto &value = graph[ir::Value{i}];
        value.kind == ir::Kind::Variable && value.role == ir::Role::Weight)
      for (const auto &id :
           optimizer::stateIds(*impl.optimizer, value.name, value.info.dataType(), impl.context))
        weightOf[id] = value.name;
  std::set<TensorId> ids;
  for (const auto &[id, weight] : weightOf) {
    const ir::Value own = graph.find(id);
    if (own != ir::none && graph[own].role != ir::Role::OptimizerState)
      continue;
    if (own != ir::none) { // the state that the optimiser makes has the name
      graph.rename(own, graph.freeName("saved/" + id));
      graph[own].data = {};
    }
    ids.insert(id);
  }
  auto out = impl.source->values(ids, impl.replicas());
  for (auto &[id, value] : out)
    value = firstOf(value, impl.source->settings().groupsOf(weightOf[id], impl.replicas()));
  return out;
}

} // namespace

session::Prepared Session::Impl::preparedWith(const SessionOptions &given, unsigned ipus) const {
  const custom::InSession here(training, given, flow, loss);
  session::Request request;
  request.graph =
      source->graph({training, given.constantWeights, given.strictOpVersions, replicas()});
  request.inputSettings = source->settings().inputs;
  request.variableSettings = source->settings().variables;
  request.flow = flow;
  request.options = given;
  request.patterns = patterns;
  request.training = training;
  request.loss = loss;
  request.optimizer = optimizer.get();
  request.ipus = ipus;
  if (training)
    request.state = savedState(*this, request.graph);
  return session::prepare(std::move(request));
}

const session::Prepared &Session::Impl::prepared() const {
  const std::lock_guard hold(preparing_);
  if (!prepared_)
    prepared_ = preparedWith(options, target().getNumIPUs());
  return *prepared_;
}
std::int64_t Session::Impl::replicas() const { return options.getGlobalReplicationFactor(); }

namespace {

TensorInfo infoOfGroups(const TensorInfo &info, std::int64_t groups) {
  Shape shape = info.shape();
  if (groups > 1)
    shape.insert(shape.begin(), groups);
  return TensorInfo(info.dataType(), shape);
}

} // namespace

// Initial values in the device's types, and what resetHostWeights may replace.
void Session::Impl::takeWeights() {
  std::set<TensorId> grouped;
  for (ir::Value v : graph().inputs)
    modelInputs.emplace_back(graph()[v].name, graph()[v].info);
  for (std::uint32_t i = 0; i < graph().size(); ++i) {
    const auto &value = graph()[ir::Value{i}];
    if (value.kind != ir::Kind::Variable || !value.data)
      continue;
    hostWeights[value.name] = session::deviceForm(value.data);
    const auto &weight = value.weight == ir::none ? value : graph()[value.weight];
    const auto groups = source->settings().groupsOf(weight.name, replicas());
    if (groups > 1)
      grouped.insert(value.name);
    if (!value.slot.empty() && value.role != ir::Role::HyperParameter)
      slots[value.weight == ir::none ? "" : weight.name][value.slot] = value.name;
    if (value.role != ir::Role::OptimizerState)
      continue;
    initialInfos[value.name] = infoOfGroups(value.info, groups);
    states.insert(value.name);
  }
  for (const auto &[id, info] : source->initialisers(replicas()))
    initialInfos[id] = info;
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
  std::map<TensorId, ir::HostTensor> fresh; // of these weights, not of those then
  for (const auto &spec : io.weights)
    if (const auto it = given.find(spec.id);
        it != given.end() && spec.role == ir::Role::Weight && isFloatingPoint(spec.info.dataType()))
      fresh.merge(
          optimizer::firstStates(*optimizer, spec.id, firstOf(it->second, spec.groups), context));
  for (const auto &spec : io.weights) {
    ir::HostTensor value;
    if (auto it = given.find(spec.id); it != given.end())
      value = it->second.as(spec.info.dataType());
    else if (auto state = fresh.find(spec.id);
             state != fresh.end() && spec.role == ir::Role::OptimizerState)
      value = state->second;
    else if (!start.first.count(spec.id))
      value = ir::HostTensor::filled(spec.info, 0);
    hostWeights[spec.id] = value ? session::deviceForm(value) : start.first.at(spec.id);
    if (!spec.slot.empty())
      slots[spec.weight][spec.slot] = spec.id;
    if (spec.role != ir::Role::OptimizerState)
      continue;
    initialInfos.emplace(spec.id, infoOfGroups(spec.info, spec.groups));
    states.insert(spec.id);
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
  impl->meetInstances();
  impl->context = session::contextOf(options, impl->training, impl->source->settings().variables);
  if (!impl->openCached()) {
    session::log().debug("session \"", name, "\": ", impl->graph().nodes.size(), " nodes");
    impl->takeWeights();
  }
  impl->compareInstances();
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
