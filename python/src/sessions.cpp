// SPDX-License-Identifier: MIT
// Sessions. The Python classes of these names (popart/session.py) stand on the ones here.
#include "bind.hpp"
#include <csignal>
#include <popart/session.hpp>

using namespace popart;

namespace {

// While a step runs, Ctrl-C also tells the engine to stop at its next program step; Python raises
// KeyboardInterrupt when the call returns.
class Interruptible {
public:
  explicit Interruptible(Session &session) {
    outer_ = std::exchange(running, &session);
    interrupted = 0;
    struct sigaction mine = {};
    mine.sa_handler = [](int signal) {
      interrupted = 1;
      if (running)
        running->interrupt();
      if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN)
        previous.sa_handler(signal);
    };
    sigaction(SIGINT, &mine, outer_ ? nullptr : &previous);
  }
  ~Interruptible() {
    running = outer_;
    if (!outer_)
      sigaction(SIGINT, &previous, nullptr);
  }

  static inline volatile std::sig_atomic_t interrupted = 0;

private:
  static inline Session *volatile running = nullptr;
  static inline struct sigaction previous = {};
  Session *outer_;
};

void run(Session &session, IStepIO &io, const std::string &name, const std::string &program = "") {
  std::exception_ptr problem;
  {
    py::gil_scoped_release unlocked;
    Interruptible guard(session);
    try {
      session.run(program, io, name);
    } catch (...) {
      problem = std::current_exception();
    }
  }
  // A callback may have met the signal first, and the engine its exception: it is still Ctrl-C.
  if (Interruptible::interrupted) {
    if (!PyErr_CheckSignals())
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
  }
  if (problem)
    std::rethrow_exception(problem);
  if (PyErr_CheckSignals())
    throw py::error_already_set();
}

// Executables, and what can be asked of a compiled session.
template <class C> void bindFiles(py::class_<C> &c) {
  using Unlocked = py::call_guard<py::gil_scoped_release>;
  c.def(
       "compileAndExport", [](C &self, const std::string &f) { self.compileAndExport(f); },
       py::arg("filename"), Unlocked())
      .def(
          "saveExecutable",
          [](C &self, const std::string &path, bool metadata, bool variables) {
            self.saveExecutable(path, metadata, variables);
          },
          py::arg("path"), py::arg("savePopartMetadata") = true, py::arg("saveVariables") = true)
      .def(
          "saveVariables", [](C &self, const std::string &path) { self.saveVariables(path); },
          py::arg("path"))
      .def(
          "loadExecutable",
          [](C &self, const std::string &file) { self.loadExecutableFromFile(file); },
          py::arg("filename"))
      .def("getRNGState", [](C &self) { return self.getRNGState(); })
      .def("setRNGState",
           [](C &self, const std::vector<std::uint32_t> &state) { self.setRNGState(state); })
      .def("getSerializedGraph", [](const C &self) { return py::bytes(self.getSerializedGraph()); })
      .def("_serializeIr",
           [](const C &self, IrSerializationFormat format) { return self.serializeIr(format); })
      .def(
          "updateExternallySavedTensorLocations",
          [](C &self, const std::string &from, const std::string &to) {
            self.updateExternallySavedTensorLocations(from, to);
          },
          py::arg("fromLocation"), py::arg("toLocation"));
}

template <class C> void bindCommon(py::class_<C> &c) {
  bindFiles(c);
  c.def("prepareDevice", &C::prepareDevice, py::arg("loadEngine") = true,
        py::call_guard<py::gil_scoped_release>())
      .def("loadEngineAndConnectStreams", &C::loadEngineAndConnectStreams,
           py::call_guard<py::gil_scoped_release>())
      .def("weightsFromHost", &C::weightsFromHost, py::call_guard<py::gil_scoped_release>())
      .def("weightsToHost", &C::weightsToHost, py::call_guard<py::gil_scoped_release>())
      .def("readWeights", &C::readWeights)
      .def("writeWeights", &C::writeWeights)
      .def(
          "run", [](C &self, IStepIO &io, const std::string &name) { run(self, io, name); },
          py::arg("stepio"), py::arg("debugName") = std::string())
      .def(
          "run",
          [](C &self, const std::string &program, IStepIO &io, const std::string &name) {
            run(self, io, name, program);
          },
          py::arg("programHandle"), py::arg("stepio"), py::arg("debugName") = std::string())
      .def(
          "modelToHost", [](C &self, const std::string &file) { self.modelToHost(file); },
          py::arg("filename"))
      .def(
          "resetHostWeights", // a file's name or a model's bytes, which std::string takes both
          [](C &self, const std::string &model, bool ignore) {
            self.resetHostWeights(model, ignore);
          },
          py::arg("modelProtoOrFilename"),
          py::arg("ignoreWeightsInModelWithoutCorrespondingHostWeight") = false)
      .def("setRandomSeed", &C::setRandomSeed, py::arg("seedValue"))
      .def("getRandomSeed", &C::getRandomSeed)
      .def("getCycleCount", &C::getCycleCount, py::arg("id") = std::string())
      .def("getSummaryReport", &C::getSummaryReport, py::arg("resetProfile") = true)
      .def("getInfo", &C::getInfo)
      .def("hasInfo", &C::hasInfo)
      .def("getAllTensorIds", &C::getAllTensorIds)
      .def("getTensorIds", &C::getAllTensorIds)
      .def("_anchorArrayInfos", &C::getAnchorArrayInfos)
      .def("_inputArrayInfos", &C::getInputArrayInfos)
      .def_property_readonly("replicationFactor", &C::getReplicationFactor)
      .def_property_readonly("accumulationFactor", &C::getAccumulationFactor)
      .def_property_readonly("dataFlow", &C::getDataFlow);
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

} // namespace

void bindSessions(py::module &m) {
  py::enum_<IrSerializationFormat>(m, "IrSerializationFormat")
      .value("JSON", IrSerializationFormat::JSON);
  py::class_<InferenceSession> inference(m, "_InferenceSessionCore");
  inference.def(
      py::init([](const py::bytes &model, const DataFlow &flow, std::shared_ptr<DeviceInfo> device,
                  const InputShapeInfo &shapes, const SessionOptions &options,
                  const Patterns &patterns, const std::string &name) {
        return InferenceSession::createFromOnnxModel(shared(model), flow, device, shapes, options,
                                                     patterns, name);
      }));
  bindCommon(inference);
  py::class_<TrainingSession> training(m, "_TrainingSessionCore");
  training.def(py::init([](const py::bytes &model, const DataFlow &flow, const TensorId &loss,
                           const Optimizer &optimizer, std::shared_ptr<DeviceInfo> device,
                           const InputShapeInfo &shapes, const SessionOptions &options,
                           const Patterns &patterns, const std::string &name) {
    return TrainingSession::createFromOnnxModel(shared(model), flow, loss, optimizer, device,
                                                shapes, options, patterns, name);
  }));
  bindCommon(training);
  training.def("updateOptimizerFromHost", &TrainingSession::updateOptimizerFromHost,
               py::arg("optimizer"));
}
