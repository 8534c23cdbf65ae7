// SPDX-License-Identifier: MIT
// What every front end's package needs of a model that C++ made: the session, and what it would
// cost.
#include "bind.hpp"
#include "openipu/Converted.hpp"
#include "openipu/OnnxText.hpp"
#include "openipu/StepCost.hpp"
#include "runtime/Fit.hpp"
#include <utility>

namespace {

using popart::Converted;

popart::AnchorReturnType overlapping(const popart::AnchorReturnType &how,
                                     popart::ExchangeStrategy strategy) {
  if (strategy == popart::ExchangeStrategy::JustInTime)
    return how;
  const auto tiles = popart::TileSet::IO;
  return how.id() == popart::AnchorReturnTypeId::EveryN
             ? popart::AnchorReturnType("EveryN", int(how.rp()), tiles, strategy)
             : popart::AnchorReturnType(how.str(), tiles, strategy);
}

popart::DataFlow flowOf(const Converted &model, int batchesPerStep,
                        const popart::AnchorReturnType &returned,
                        const std::map<std::string, popart::AnchorReturnType> &others) {
  popart::AnchorReturnTypeMap anchors;
  for (const auto &[name, how] : others) // these may be outputs too
    anchors.emplace(name, how);
  for (const auto &name : model.outputs) {
    const auto overlap = model.overlaps.find(name);
    anchors.emplace(name, overlap == model.overlaps.end() ? returned
                                                          : overlapping(returned, overlap->second));
  }
  return popart::DataFlow(batchesPerStep, anchors);
}

// Of all parts of a step, in PopVision's words; what there is none of is left out.
py::dict cyclesByKind(const poplar::openipu::ProgramCost &cost) {
  py::dict out;
  for (unsigned i = 0; i < pva::numCycleKinds; ++i) {
    std::uint64_t sum = 0;
    for (const auto &step : cost.steps)
      sum += step.cycles[pva::CycleKind(i)];
    if (sum)
      out[toString(pva::CycleKind(i))] = sum;
  }
  return out;
}

// How sure the cycles are: kind, share, mean error or None, rows. And the same in words.
py::tuple spreadOf(const pva::Spread &spread) {
  py::list out;
  for (const auto &part : spread.parts())
    out.append(py::make_tuple(part.kind, double(part.cycles) / double(spread.total()), part.mean,
                              part.rows));
  return py::tuple(out);
}

// What a step would take on the device, without its parts.
py::tuple modelledStep(const popart::Session &session) {
  const auto step = session.getModelledStep();
  const auto cost = popart::stepCost(session);
  return py::make_tuple(step.cycles, step.seconds, step.microBatches, step.bytesPerTile,
                        step.fullestTile, cyclesByKind(cost), spreadOf(cost.spread),
                        cost.spread.inWords());
}

} // namespace

void bindModels(py::module &m) {
  py::class_<Converted>(m, "Converted", "A model made of a recording; makes one session.")
      .def_readonly("loss", &Converted::loss, "The name of the loss, empty without one.")
      .def_readonly("inputs", &Converted::inputs, "Names of inputs, in the order of the call.")
      .def_readonly("outputs", &Converted::outputs, "Names of outputs.")
      .def_readonly("changed", &Converted::changed,
                    "Names of weights that the model writes itself.")
      .def_readonly("warnings", &Converted::warnings, "What the user should know.")
      .def_property_readonly(
          "weights", [](const Converted &c) { return c.model.weights(); }, "Names of weights.")
      .def(
          "training",
          [](Converted &self, int batches, const popart::AnchorReturnType &returned,
             const std::map<std::string, popart::AnchorReturnType> &others,
             const popart::Optimizer &optimizer, std::shared_ptr<popart::DeviceInfo> device,
             const popart::SessionOptions &options, const popart::Patterns &patterns,
             const std::string &name) {
            const auto flow = flowOf(self, batches, returned, others);
            const py::gil_scoped_release unlocked;
            return popart::makeTrainingSession(std::exchange(self.model, popart::Model()), flow,
                                               self.loss, optimizer, std::move(device),
                                               frontend::allowingTooLarge(options), patterns, name);
          },
          "A session that trains it.")
      .def(
          "inference",
          [](Converted &self, int batches, const popart::AnchorReturnType &returned,
             const std::map<std::string, popart::AnchorReturnType> &others,
             std::shared_ptr<popart::DeviceInfo> device, const popart::SessionOptions &options,
             const popart::Patterns &patterns, const std::string &name) {
            const auto flow = flowOf(self, batches, returned, others);
            const py::gil_scoped_release unlocked;
            return popart::makeInferenceSession(
                std::exchange(self.model, popart::Model()), flow, std::move(device),
                frontend::allowingTooLarge(options), patterns, name);
          },
          "A session that runs it.");
  m.def(
      "modelled_step", [](const popart::TrainingSession &s) { return modelledStep(s); },
      "Cycles, seconds, micro-batches, bytes of a tile, what the fullest needs, cycles by kind, "
      "how "
      "sure they are.");
  m.def("modelled_step", [](const popart::InferenceSession &s) { return modelledStep(s); });
  m.def(
      "onnx_text", [](const py::bytes &model) { return popart::onnxText(model); },
      "An ONNX model in protobuf's text format.");
}
