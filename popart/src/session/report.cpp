// SPDX-License-Identifier: MIT
// What a session tells of itself.
#include "base/Text.hpp"
#include "session/impl.hpp"
#include <popart/error.hpp>
#include <pva/pva.hpp>
#include <sstream>

namespace popart {

namespace {
// Profiles and graphs are made by compiling, and only then.
session::Execution &compiledHere(Session::Impl &impl, const char *what) {
  auto &execution = impl.loaded();
  if (impl.fromFile)
    throw runtime_error("{} is not available: the executable was loaded from a file.", what);
  return execution;
}
} // namespace

std::string Session::getSummaryReport(bool resetProfile) const {
  auto &engine = compiledHere(*impl_, "getSummaryReport").engine();
  poplar::OptionFlags options;
  for (const auto &[key, value] : impl_->options.reportOptions)
    options.set(key, value);
  std::ostringstream out;
  engine.printProfileSummary(out, options);
  if (resetProfile)
    engine.resetExecutionProfile();
  return out.str();
}
pva::Report Session::getReport() const {
  return compiledHere(*impl_, "getReport").engine().getReport();
}
// Lowered once more: nobody else needs the graph after it is compiled.
std::string Session::getSerializedGraph() const {
  compiledHere(*impl_, "getSerializedGraph");
  const auto &prepared = impl_->prepared;
  auto lowered = lowering::lowerModel(prepared.model, impl_->device->getTarget(), prepared.options,
                                      impl_->options);
  std::ostringstream out;
  lowered.graph->serialize(out, lowered.programs, poplar::SerializationFormat::Binary);
  return out.str();
}

TensorInfo Session::getInfo(TensorId id) const {
  auto it = impl_->prepared.tensors.find(id);
  if (it == impl_->prepared.tensors.end()) {
    std::vector<std::string> known;
    for (const auto &[name, value] : impl_->prepared.tensors)
      known.push_back(name);
    throw error(base::str("No tensor is called \"", id, "\".", base::didYouMean(id, known)));
  }
  return impl_->graph()[it->second].info;
}
bool Session::hasInfo(TensorId id) const { return impl_->prepared.tensors.count(id) != 0; }
std::set<TensorId> Session::getAllTensorIds() const {
  std::set<TensorId> ids;
  for (const auto &[id, value] : impl_->prepared.tensors)
    ids.insert(id);
  return ids;
}

const DataFlow &Session::getDataFlow() const { return impl_->flow; }
const SessionOptions &Session::getOptions() const { return impl_->options; }
std::int64_t Session::getReplicationFactor() const { return impl_->prepared.model.replicas; }
std::int64_t Session::getAccumulationFactor() const {
  return impl_->prepared.model.accumulationFactor;
}
const std::shared_ptr<DeviceInfo> &Session::getDeviceInfo() const { return impl_->device; }

namespace {
TensorInfo arrayInfo(Shape outer, const TensorInfo &info) {
  outer.insert(outer.end(), info.shape().begin(), info.shape().end());
  return TensorInfo(info.dataType(), outer);
}
} // namespace

std::map<TensorId, TensorInfo> Session::getAnchorArrayInfos() const {
  std::map<TensorId, TensorInfo> out;
  const auto &model = impl_->prepared.model;
  for (const auto &[id, value] : model.anchors)
    out[id] =
        arrayInfo(lowering::anchorOuterShape(model, model.flow.art(id)), model.graph[value].info);
  return out;
}
std::map<TensorId, TensorInfo> Session::getInputArrayInfos() const {
  std::map<TensorId, TensorInfo> out;
  const auto &model = impl_->prepared.model;
  for (ir::Value v : model.graph.inputs) {
    const auto &value = model.graph[v];
    auto settings = model.inputSettings.find(value.name);
    const bool broadcast =
        settings != model.inputSettings.end() &&
        settings->second.replicatedStreamMode() == ReplicatedStreamMode::Broadcast;
    Shape outer{model.flow.batchesPerStep(), model.accumulationFactor,
                broadcast ? 1 : model.replicas};
    std::erase(outer, 1);
    out[value.name] = arrayInfo(outer, value.info);
  }
  return out;
}

} // namespace popart
