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
    struct sigaction mine = {};
    mine.sa_handler = [](int signal) {
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

private:
  static inline Session *volatile running = nullptr;
  static inline struct sigaction previous = {};
  Session *outer_;
};

void run(Session &session, IStepIO &io, const std::string &name) {
  {
    py::gil_scoped_release unlocked;
    Interruptible guard(session);
    session.run(io, name);
  }
  if (PyErr_CheckSignals())
    throw py::error_already_set();
}

template <class C> void bindCommon(py::class_<C> &c) {
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
      .def("modelToHost", &C::modelToHost, py::arg("filename"))
      .def("resetHostWeights", &C::resetHostWeights, py::arg("modelProtoOrFilename"),
           py::arg("ignoreWeightsInModelWithoutCorrespondingHostWeight") = false)
      .def(
          "resetHostWeights",
          [](C &self, const py::bytes &model, bool ignore) {
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

} // namespace

void bindSessions(py::module &m) {
  py::class_<InferenceSession> inference(m, "_InferenceSessionCore");
  inference.def(
      py::init([](const py::bytes &model, const DataFlow &flow, std::shared_ptr<DeviceInfo> device,
                  const InputShapeInfo &shapes, const SessionOptions &options,
                  const Patterns &patterns, const std::string &name) {
        return InferenceSession::createFromOnnxModel(model, flow, device, shapes, options, patterns,
                                                     name);
      }));
  bindCommon(inference);
  py::class_<TrainingSession> training(m, "_TrainingSessionCore");
  training.def(py::init([](const py::bytes &model, const DataFlow &flow, const TensorId &loss,
                           const Optimizer &optimizer, std::shared_ptr<DeviceInfo> device,
                           const InputShapeInfo &shapes, const SessionOptions &options,
                           const Patterns &patterns, const std::string &name) {
    return TrainingSession::createFromOnnxModel(model, flow, loss, optimizer, device, shapes,
                                                options, patterns, name);
  }));
  bindCommon(training);
  training.def("updateOptimizerFromHost", &TrainingSession::updateOptimizerFromHost);
}
