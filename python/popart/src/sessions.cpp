// SPDX-License-Identifier: MIT
// Sessions. The Python classes of these names (popart/session.py) derive from the ones here. Every
// call lets other threads of Python run: a session may be waiting for one of them.
#include "bind.hpp"
#include "interrupt.hpp"
#include "stepio.hpp"
#include <optional>
#include <popart/session.hpp>
#include <pva/pva.hpp>

using namespace popart;

namespace {

using Unlocked = py::call_guard<py::gil_scoped_release>;

// Runs with the arrays in use by this call alone.
template <class Io, class Work> void holding(Io *io, const Work &work) {
  if (!io)
    return work();
  std::unique_lock<std::mutex> mine(io->inUse, std::defer_lock);
  {
    const py::gil_scoped_release unlocked;
    mine.lock();
  }
  work();
}

} // namespace

void step(Session &session, IStepIO &io, const std::string &name, const std::string &program) {
  std::exception_ptr problem;
  bool interrupted = false;
  {
    const py::gil_scoped_release unlocked;
    const Interruptible guard(session);
    try {
      session.run(program, io, name);
    } catch (...) {
      problem = std::current_exception();
    }
    interrupted = guard.interrupted();
  }
  // A callback may have met the signal first, and the engine its exception: it is still Ctrl-C.
  if (interrupted) {
    if (!PyErr_CheckSignals())
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
  }
  if (problem)
    std::rethrow_exception(problem);
  if (PyErr_CheckSignals())
    throw py::error_already_set();
}

namespace {

void run(Session &session, IStepIO &io, const std::string &name, const std::string &program = "") {
  auto *arrays = dynamic_cast<NumpyIo *>(&io);
  holding(arrays, [&] {
    if (arrays)
      arrays->begin();
    step(session, io, name, program);
    if (arrays)
      arrays->end();
  });
}

void readWeights(Session &session, PyWeightsIO &weights) {
  holding(&weights, [&] {
    weights.requireWritable();
    {
      const py::gil_scoped_release unlocked;
      session.readWeights(weights);
    }
    weights.writeBack();
  });
}
void writeWeights(Session &session, PyWeightsIO &weights) {
  holding(&weights, [&] {
    weights.refresh();
    const py::gil_scoped_release unlocked;
    session.writeWeights(weights);
  });
}

py::bytes serializedGraph(const Session &session) {
  std::string bytes;
  {
    const py::gil_scoped_release unlocked;
    bytes = session.getSerializedGraph();
  }
  return bytes;
}

// Executables, and what can be asked of a compiled session.
template <class C> void bindFiles(py::class_<C> &c) {
  c.def(
       "compileAndExport", [](C &self, const std::string &f) { self.compileAndExport(f); },
       py::arg("filename"), Unlocked(),
       "Compiles the model into a file that another process loads with loadExecutable.")
      .def(
          "saveExecutable",
          [](C &self, const std::string &path, bool metadata, bool variables) {
            self.saveExecutable(path, metadata, variables);
          },
          py::arg("path"), py::arg("savePopartMetadata") = true, py::arg("saveVariables") = true,
          Unlocked(), "Writes the executable into this folder, as executable.popef.")
      .def(
          "saveVariables", [](C &self, const std::string &path) { self.saveVariables(path); },
          py::arg("path"), Unlocked(),
          "Writes the host's weights into this folder, as variables.popef.")
      .def(
          "loadExecutable",
          [](C &self, const std::string &file) { self.loadExecutableFromFile(file); },
          py::arg("filename"), Unlocked(),
          "Takes a file of compileAndExport or saveExecutable instead of compiling.")
      .def(
          "getRNGState", [](C &self) { return self.getRNGState(); }, Unlocked(),
          "The state of the random generators, for setRNGState.")
      .def(
          "setRNGState",
          [](C &self, const std::vector<std::uint32_t> &state) { self.setRNGState(state); },
          py::arg("stateValue"), Unlocked(), "Sets what getRNGState gave.")
      .def(
          "getSerializedGraph", [](const C &self) { return serializedGraph(self); },
          "Poplar's graph, as bytes.")
      .def(
          "_serializeIr",
          [](const C &self, IrSerializationFormat format) { return self.serializeIr(format); },
          py::arg("format"), Unlocked(), "The model as it is lowered, as JSON.")
      .def(
          "updateExternallySavedTensorLocations",
          [](C &self, const std::string &from, const std::string &to) {
            self.updateExternallySavedTensorLocations(from, to);
          },
          py::arg("fromLocation"), py::arg("toLocation"), Unlocked(),
          "Copies a file of external weights, and lets the model refer to the copy.");
}

template <class C> void bindWeights(py::class_<C> &c) {
  c.def("weightsFromHost", &C::weightsFromHost, Unlocked(), "Sends the host's weights down.")
      .def("broadcastWeights", &C::broadcastWeights, py::arg("rootRank") = 0, Unlocked(),
           "Sends the weights that the host of one instance has down to the devices of all.")
      .def("buffersFromHost", &C::buffersFromHost, Unlocked(),
           "Sends the host's values of updatableNamedBuffers down.")
      .def("needsWeights", &C::needsWeights,
           "Whether a failed step left the device without weights: weightsFromHost sends them.")
      .def("weightsToHost", &C::weightsToHost, Unlocked(), "Brings the device's weights up.")
      .def(
          "readWeights", [](C &self, PyWeightsIO &weights) { readWeights(self, weights); },
          py::arg("weightsIo"),
          "Fills the arrays with the host's weights: those of the last weightsToHost.")
      .def(
          "writeWeights", [](C &self, PyWeightsIO &weights) { writeWeights(self, weights); },
          py::arg("weightsIo"),
          "Takes the arrays as the host's weights; weightsFromHost sends them down.")
      .def(
          "modelToHost", [](C &self, const std::string &file) { self.modelToHost(file); },
          py::arg("filename"), Unlocked(), "Writes the model with the device's weights to a file.")
      .def(
          "resetHostWeights", // a file's name or a model's bytes, which std::string takes both
          [](C &self, const std::string &model, bool ignore) {
            self.resetHostWeights(model, ignore);
          },
          py::arg("modelProtoOrFilename"),
          py::arg("ignoreWeightsInModelWithoutCorrespondingHostWeight") = false, Unlocked(),
          "Takes the weights of another model of the same names and shapes.");
}

template <class C> void bindCommon(py::class_<C> &c) {
  bindFiles(c);
  bindWeights(c);
  c.def("prepareDevice", &C::prepareDevice, py::arg("loadEngine") = true, Unlocked(),
        "Compiles the model, and loads it on the device.")
      .def("loadEngineAndConnectStreams", &C::loadEngineAndConnectStreams, Unlocked(),
           "Loads what prepareDevice(False) compiled.")
      .def(
          "run", [](C &self, IStepIO &io, const std::string &name) { run(self, io, name); },
          py::arg("stepio"), py::arg("debugName") = std::string(),
          "Runs one step: as many batches as the DataFlow says. Threads may share a session: "
          "each step gets the arrays it was called with.")
      .def(
          "run",
          [](C &self, const std::string &program, IStepIO &io, const std::string &name) {
            run(self, io, name, program);
          },
          py::arg("programHandle"), py::arg("stepio"), py::arg("debugName") = std::string())
      .def("setRandomSeed", &C::setRandomSeed, py::arg("seedValue"), Unlocked(),
           "Fixes what random operators draw.")
      .def("getRandomSeed", &C::getRandomSeed, Unlocked(), "The seed as the device has it.")
      .def("getCycleCount", &C::getCycleCount, py::arg("id") = std::string(), Unlocked(),
           "Cycles of the last step; needs instrumentWithHardwareCycleCounter.")
      .def("getSummaryReport", &C::getSummaryReport, py::arg("resetProfile") = true, Unlocked(),
           "The profile as text.")
      .def(
          "getReport",
          [](C &self) -> py::object {
            py::module_::import("pva"); // whose classes show it
            std::optional<pva::Report> report;
            {
              const py::gil_scoped_release unlocked;
              report = self.getReport();
            }
            return py::cast(*report);
          },
          "The profile, as pva shows it.")
      .def("getInfo", &C::getInfo, py::arg("id"), Unlocked(), "Type and shape of a tensor.")
      .def("hasInfo", &C::hasInfo, py::arg("id"), Unlocked(), "Whether there is such a tensor.")
      .def("getAllTensorIds", &C::getAllTensorIds, Unlocked(), "The names of all tensors.")
      .def("getTensorIds", &C::getAllTensorIds, Unlocked(), "The names of all tensors.")
      .def("getOptimizerStateIds", &C::getOptimizerStateIds, Unlocked(),
           "The names of what the optimiser keeps: {weight: {slot: name}}.")
      .def("_anchorArrayInfos", &C::getAnchorArrayInfos, Unlocked(), "What initAnchorArrays makes.")
      .def("_inputArrayInfos", &C::getInputArrayInfos, Unlocked(), "What a step needs as inputs.")
      .def_property_readonly("replicationFactor", &C::getReplicationFactor, "How many replicas.")
      .def_property_readonly("accumulationFactor", &C::getAccumulationFactor,
                             "Micro-batches per weight update.")
      .def_property_readonly("dataFlow", &C::getDataFlow, "What a step returns.")
      .def("__repr__", [](const py::object &self) {
        const auto &session = self.cast<const C &>();
        return py::str(py::type::of(self).attr("__name__")).cast<std::string>() + "(" +
               shown(session.getDataFlow()) + ", " + session.getDeviceInfo()->toString() + ")";
      });
}

// Without a copy: bytes never change, and live as long as somebody has them.
OnnxModel shared(const py::bytes &model) {
  std::shared_ptr<const py::bytes> owner(new py::bytes(model), [](const py::bytes *held) {
    const py::gil_scoped_acquire gil;
    delete held;
  });
  const std::string_view text(model);
  return {text.data(), text.size(), std::move(owner)};
}

// Arguments come by value: other threads may change the caller's while the model is imported.
std::unique_ptr<InferenceSession> makeInference(const py::bytes &model, DataFlow flow,
                                                std::shared_ptr<DeviceInfo> device,
                                                InputShapeInfo shapes, SessionOptions options,
                                                Patterns patterns, const std::string &name) {
  const auto source = shared(model);
  const py::gil_scoped_release unlocked;
  return InferenceSession::createFromOnnxModel(source, flow, device, shapes, options, patterns,
                                               name);
}
std::unique_ptr<TrainingSession> makeTraining(const py::bytes &model, DataFlow flow,
                                              const TensorId &loss, const Optimizer &optimizer,
                                              std::shared_ptr<DeviceInfo> device,
                                              InputShapeInfo shapes, SessionOptions options,
                                              Patterns patterns, const std::string &name) {
  const auto source = shared(model);
  const auto own = optimizer.clone();
  const py::gil_scoped_release unlocked;
  return TrainingSession::createFromOnnxModel(source, flow, loss, *own, device, shapes, options,
                                              patterns, name);
}
void updateOptimizer(TrainingSession &self, const Optimizer &optimizer) {
  const auto own = optimizer.clone();
  const py::gil_scoped_release unlocked;
  self.updateOptimizerFromHost(own.get());
}

} // namespace

void bindSessions(py::module &m) {
  BIND_ENUM(IrSerializationFormat, "How _serializeIr writes.", JSON);
  py::class_<InferenceSession> inference(m, "_InferenceSessionCore");
  inference.def(py::init(&makeInference), py::arg("fnModel"), py::arg("dataFlow"),
                py::arg("deviceInfo"), py::arg("inputShapeInfo"), py::arg("userOptions"),
                py::arg("patterns"), py::arg("name"), "A model to run on a device.");
  bindCommon(inference);
  py::class_<TrainingSession> training(m, "_TrainingSessionCore");
  training.def(py::init(&makeTraining), py::arg("fnModel"), py::arg("dataFlow"), py::arg("loss"),
               py::arg("optimizer"), py::arg("deviceInfo"), py::arg("inputShapeInfo"),
               py::arg("userOptions"), py::arg("patterns"), py::arg("name"),
               "A model to train on a device.");
  bindCommon(training);
  training.def("updateOptimizerFromHost", &updateOptimizer, py::arg("optimizer"),
               "Sends new values of the optimizer down, for example the next learning rate.");
}
