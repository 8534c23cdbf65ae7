// SPDX-License-Identifier: MIT
// From a recording to a session of popart_core.
#include "core/Conversion.hpp"
#include "recorder.hpp"
#include <popart/error.hpp>

using namespace poptorch;

namespace {

Converted convert(const Recorder &recorder, bool training, bool moduleNames, bool maximize) {
  ConversionSettings settings;
  settings.training = training;
  settings.moduleNames = moduleNames;
  settings.maximize = maximize;
  return Conversion(recorder.recording, settings).run();
}

popart::DataFlow flowOf(const Converted &model, int batchesPerStep,
                        const popart::AnchorReturnType &returned,
                        const std::map<std::string, popart::AnchorReturnType> &others) {
  popart::AnchorReturnTypeMap anchors;
  for (const auto &name : model.outputs)
    anchors.emplace(name, returned);
  for (const auto &[name, how] : others)
    anchors.emplace(name, how);
  return popart::DataFlow(batchesPerStep, anchors);
}

// What a step would take on the device, without its parts.
py::tuple modelledStep(const popart::Session &session) {
  const auto step = session.getModelledStep();
  return py::make_tuple(step.cycles, step.seconds, step.microBatches, step.bytesPerTile,
                        step.fullestTile);
}

} // namespace

void bindSessions(py::module &m) {
  py::class_<Converted>(m, "Converted", "A model made of a recording; makes one session.")
      .def_readonly("loss", &Converted::loss)
      .def_readonly("inputs", &Converted::inputs)
      .def_readonly("outputs", &Converted::outputs)
      .def_readonly("changed", &Converted::changed)
      .def_property_readonly("weights", [](const Converted &c) { return c.model.weights(); })
      .def(
          "training",
          [](Converted &self, int batches, const popart::AnchorReturnType &returned,
             const std::map<std::string, popart::AnchorReturnType> &others,
             const popart::Optimizer &optimizer, std::shared_ptr<popart::DeviceInfo> device,
             const popart::SessionOptions &options, const popart::Patterns &patterns,
             const std::string &name) {
            const auto flow = flowOf(self, batches, returned, others);
            const py::gil_scoped_release unlocked;
            return popart::makeTrainingSession(std::move(self.model), flow, self.loss, optimizer,
                                               std::move(device), options, patterns, name);
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
            return popart::makeInferenceSession(std::move(self.model), flow, std::move(device),
                                                options, patterns, name);
          },
          "A session that runs it.");
  m.def(
      "modelled_step", [](const popart::TrainingSession &s) { return modelledStep(s); },
      "Cycles, seconds, micro-batches, bytes of a tile, bytes that the fullest one needs.");
  m.def("modelled_step", [](const popart::InferenceSession &s) { return modelledStep(s); });
  m.def("convert", &convert, py::arg("recorder"), py::arg("training"), py::arg("module_names"), py::arg("maximize"),
        "What the recorded operators mean, as a model.");
}
