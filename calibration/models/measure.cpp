// SPDX-License-Identifier: MIT
#include "measure.hpp"
#include <popart/devicemanager.hpp>
#include <popart/session.hpp>
#include <stdexcept>

namespace calibration::models {

using namespace popart;

namespace {

SessionOptions optionsOf(const Setup &setup, bool training) {
  SessionOptions options;
  options.convolutionOptions["partialsType"] = setup.partials;
  options.partialsTypeMatMuls = setup.partials;
  if (!setup.memoryProportion.empty()) {
    options.convolutionOptions["availableMemoryProportion"] = setup.memoryProportion;
    options.matmulOptions["availableMemoryProportion"] = setup.memoryProportion;
  }
  options.engineOptions["exchange.streamBufferOverlap"] = "hostRearrangeOnly"; // read ahead
  if (setup.replicas > 1) {
    options.enableReplicatedGraphs = true;
    options.replicatedGraphCount = setup.replicas;
  }
  if (setup.ipusPerReplica > 1) {
    options.virtualGraphMode = VirtualGraphMode::Manual;
    options.enablePipelining = true;
    options.subgraphCopyingStrategy = SubgraphCopyingStrategy::JustInTime; // holds the least
  }
  if (training) {
    options.enableGradientAccumulation = setup.accumulation > 1;
    options.accumulationFactor = setup.accumulation;
    options.autoRecomputation = setup.recompute;
    options.optimizerStateTensorLocationSettings = setup.optimizerState;
  }
  return options;
}

} // namespace

ModelledStep stepOf(const Made &made, const Setup &setup) {
  DeviceOptions device{{"numIPUs", std::to_string(setup.replicas * setup.ipusPerReplica)},
                       {"tilesPerIPU", "1472"},
                       {"ipuVersion", setup.chip}};
  auto on = DeviceManager::createDeviceManager().createIpuModelDevice(device);
  const bool training = made.optimizer != nullptr;
  const auto model = made.net->builder->getModelProto();
  const DataFlow flow(static_cast<int>(setup.stepsPerRun),
                      {{made.result, AnchorReturnType(training ? "Final" : "All")}});
  const auto options = optionsOf(setup, training);
  std::unique_ptr<Session> session;
  if (training)
    session = TrainingSession::createFromOnnxModel(model, flow, made.result, *made.optimizer, on,
                                                   InputShapeInfo(), options);
  else
    session = InferenceSession::createFromOnnxModel(model, flow, on, InputShapeInfo(), options);
  session->prepareDevice(false);
  const auto step = session->getModelledStep();
  if (step.fullestTile > step.bytesPerTile) // it ran on hardware
    throw std::runtime_error("needs " + std::to_string(step.fullestTile) + " of " +
                             std::to_string(step.bytesPerTile) + " bytes on the fullest tile");
  return step;
}

} // namespace calibration::models
