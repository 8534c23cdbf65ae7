// SPDX-License-Identifier: MIT
// From a recording to a model, of which popart_core makes a session.
#include "core/Conversion.hpp"
#include "recorder.hpp"

using namespace poptorch;

namespace {

Converted convert(const Recorder &recorder, bool training, bool moduleNames, bool maximize,
                  const std::map<std::int64_t, float> &memory) {
  ConversionSettings settings;
  settings.training = training;
  settings.moduleNames = moduleNames;
  settings.maximize = maximize;
  settings.memory = memory;
  return Conversion(recorder.recording, settings).run();
}

} // namespace

void bindSessions(py::module &m) {
  m.def(
      "result_shapes",
      [](const Recorder &recorder) { return Conversion(recorder.recording, {}).resultShapes(); },
      "The shapes of what recorded operators make of inputs and constants.");
  m.def("convert", &convert, py::arg("recorder"), py::arg("training"), py::arg("module_names"),
        py::arg("maximize"), py::arg("memory"), "What the recorded operators mean, as a model.");
}
