// SPDX-License-Identifier: MIT
// What a session tells of itself.
#include "base/Text.hpp"
#include "openipu/StepCost.hpp"
#include "session/impl.hpp"
#include <popart/error.hpp>
#include <pva/pva.hpp>
#include <sstream>

namespace popart {

namespace {
// Profiles and graphs are made by compiling, and only then. They outlast the device.
session::Execution &compiledHere(Session::Impl &impl, const char *what) {
  if (!impl.execution || !impl.execution->isLoaded())
    impl.loaded(); // throws
  if (impl.fromFile)
    throw runtime_error("{} is not available: the executable was loaded from a file.", what);
  return *impl.execution;
}
} // namespace

std::string Session::getSummaryReport(bool resetProfile) const {
  const auto turn = impl_->turns.change("getSummaryReport");
  auto &engine = compiledHere(*impl_, "getSummaryReport").engine();
  poplar::OptionFlags options;
  for (const auto &[key, value] : impl_->options.reportOptions)
    options.set(key, value);
  base::TextStream out;
  engine.printProfileSummary(out, options);
  if (resetProfile)
    engine.resetExecutionProfile();
  return out.str();
}
pva::Report Session::getReport() const {
  const auto turn = impl_->turns.change("getReport");
  return compiledHere(*impl_, "getReport").engine().getReport();
}
// Lowered once more: nobody else needs the graph after it is compiled.
std::string Session::getSerializedGraph() const {
  const auto turn = impl_->turns.look();
  compiledHere(*impl_, "getSerializedGraph");
  const auto &prepared = impl_->prepared();
  auto lowered =
      lowering::lowerModel(prepared.model, impl_->target(), prepared.options, impl_->options);
  base::TextStream out;
  lowered.graph->serialize(out, lowered.programs, poplar::SerializationFormat::Binary);
  return out.str();
}

namespace {
struct Reach : Session { // what a session keeps for its own
  static Session::Impl &impl(const Session &session) { return *(session.*(&Reach::impl_)); }
};
openipu::ProgramCost mainCost(const Session::Impl &impl) {
  if (!impl.executable)
    throw runtime_error("Nothing is compiled yet. Call prepareDevice() first.");
  return openipu::programCost(*impl.executable, lowering::Main);
}
} // namespace

openipu::ProgramCost stepCost(const Session &session) {
  auto &impl = Reach::impl(session);
  const auto turn = impl.turns.look();
  return mainCost(impl);
}

ModelledStep Session::getModelledStep() const {
  const auto turn = impl_->turns.look();
  const auto cost = mainCost(*impl_);
  const auto memory = openipu::memoryNeed(*impl_->executable);
  ModelledStep out;
  out.cycles = cost.cycles;
  out.seconds = double(cost.cycles) / impl_->device->getTarget().getTileClockFrequency();
  out.exact = cost.exact;
  out.microBatches = impl_->io.batchesPerStep * impl_->io.accumulationFactor * impl_->io.replicas;
  out.bytesPerTile = memory.bytesPerTile;
  out.fullestTile = memory.fullestTile;
  out.averageTile = memory.average;
  for (const auto &s : cost.steps) {
    using Kind = pva::CycleKind;
    const auto of = [&](Kind kind) { return s.cycles[kind]; };
    auto &part = out.parts.emplace_back();
    part.name = s.name;
    part.kernel = s.kernel;
    part.turns = s.turns;
    part.compute = of(Kind::Compute) + of(Kind::Rearrange);
    part.exchange = of(Kind::Exchange);
    part.betweenIpus = of(Kind::GlobalExchange);
    part.host = of(Kind::Host);
    part.sync = of(Kind::Sync);
    part.control = of(Kind::Control);
    part.flops = s.flops;
    for (const auto &phase : s.phases)
      part.phases.push_back({phase.name, phase.cycles, phase.bytes});
  }
  return out;
}

TensorInfo Session::getInfo(TensorId id) const {
  const auto turn = impl_->turns.look();
  auto it = impl_->prepared().tensors.find(id);
  if (it == impl_->prepared().tensors.end()) {
    std::vector<std::string> known;
    for (const auto &[name, value] : impl_->prepared().tensors)
      known.push_back(name);
    throw error(base::str("No tensor is called \"", id, "\".", base::didYouMean(id, known)));
  }
  return impl_->graph()[it->second].info;
}
bool Session::hasInfo(TensorId id) const {
  const auto turn = impl_->turns.look();
  return impl_->prepared().tensors.count(id) != 0;
}
std::set<TensorId> Session::getAllTensorIds() const {
  const auto turn = impl_->turns.look();
  std::set<TensorId> ids;
  if (impl_->fromFile) { // what goes in and out: the rest was not made again
    for (const auto &[id, info] : impl_->modelInputs)
      ids.insert(id);
    for (const auto &spec : impl_->io.weights)
      ids.insert(spec.id);
    for (const auto &spec : impl_->io.anchors)
      ids.insert(spec.id);
    return ids;
  }
  for (const auto &[id, value] : impl_->prepared().tensors)
    ids.insert(id);
  return ids;
}

std::map<TensorId, std::map<std::string, TensorId>> Session::getOptimizerStateIds() const {
  const auto turn = impl_->turns.look();
  return impl_->slots;
}

const DataFlow &Session::getDataFlow() const { return impl_->flow; }
const SessionOptions &Session::getOptions() const { return impl_->options; }
std::int64_t Session::getReplicationFactor() const { return impl_->share().number; }
std::int64_t Session::getAccumulationFactor() const { return impl_->context.accumulationFactor; }
const std::shared_ptr<DeviceInfo> &Session::getDeviceInfo() const { return impl_->device; }

namespace {
TensorInfo arrayInfo(Shape outer, const TensorInfo &info) {
  outer.insert(outer.end(), info.shape().begin(), info.shape().end());
  return TensorInfo(info.dataType(), outer);
}
} // namespace

std::map<TensorId, TensorInfo> Session::getAnchorArrayInfos() const {
  const auto turn = impl_->turns.look();
  std::map<TensorId, TensorInfo> out;
  const auto add = [&](const TensorId &id, const DataFlow &flow, std::int64_t accumulation,
                       const TensorInfo &info) {
    out[id] = arrayInfo(
        lowering::anchorOuterShape(flow, flow.art(id), accumulation, impl_->share().number), info);
  };
  if (impl_->executable) {
    for (const auto &spec : impl_->io.anchors)
      if (impl_->apart())
        add(spec.id, impl_->flow, impl_->io.accumulationFactor, spec.info);
      else
        out[spec.id] = arrayInfo(spec.outer, spec.info);
    return out;
  }
  const auto &model = impl_->prepared().model;
  for (const auto &[id, value] : model.anchors)
    add(id, model.flow, model.accumulationFactor, model.graph[value].info);
  return out;
}
std::map<TensorId, TensorInfo> Session::getInputArrayInfos() const {
  const auto turn = impl_->turns.look();
  std::map<TensorId, TensorInfo> out;
  const auto &all = impl_->source->settings().inputs;
  for (const auto &[id, info] : impl_->modelInputs) {
    auto own = all.find(id);
    const bool broadcast =
        own != all.end() && own->second.replicatedStreamMode() == ReplicatedStreamMode::Broadcast;
    Shape outer{impl_->flow.batchesPerStep(), impl_->context.accumulationFactor,
                broadcast ? 1 : impl_->share().number};
    std::erase(outer, 1);
    out[id] = arrayInfo(outer, info);
  }
  return out;
}

} // namespace popart
