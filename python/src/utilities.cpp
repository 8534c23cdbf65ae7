// SPDX-License-Identifier: MIT
// GraphTransformer, the log, and what operators there are.
#include "bind.hpp"
#include <popart/graphtransformer.hpp>
#include <popart/logging.hpp>
#include <popart/opmanager.hpp>
#include <sstream>

using namespace popart;

namespace {

void bindTransformer(py::module &m) {
  using T = GraphTransformer;
  py::class_<T>(m, "GraphTransformer")
      .def(py::init([](const py::bytes &model) { return std::make_unique<T>(std::string(model)); }),
           py::arg("modelProtoOrFilename"))
      .def(py::init<const std::string &>(), py::arg("modelProtoOrFilename"))
      .def("getModelProto", [](const T &t) { return py::bytes(t.getModelProto()); })
      .def("convertFloatsToHalfs", &T::convertFloatsToHalfs)
      .def("convertDoublesToFloats", &T::convertDoublesToFloats)
      .def("convertDoublesToHalfs", &T::convertDoublesToHalfs)
      .def("convertBFloats16ToFloat32", &T::convertBFloats16ToFloat32)
      .def("convertUINT8ToINT32", &T::convertUINT8ToINT32)
      .def("convertUINT16ToINT32", &T::convertUINT16ToINT32)
      .def("convertINT8ToINT32", &T::convertINT8ToINT32)
      .def("convertINT16ToINT32", &T::convertINT16ToINT32)
      .def("convertINT64ToINT32", &T::convertINT64ToINT32, py::arg("clip") = false)
      .def("convertInitializersToConstants", &T::convertInitializersToConstants, py::arg("ids"))
      .def("convertAllFixedPointInitializersToConstants",
           &T::convertAllFixedPointInitializersToConstants)
      .def("prepareNodesForTraining", &T::prepareNodesForTraining)
      .def("removeUnusedInputs", &T::removeUnusedInputs)
      .def("saveInitializersExternally", &T::saveInitializersExternally, py::arg("ids"),
           py::arg("filename"));
}

void bindLog(py::module &m) {
  using logging::Logger;
  py::class_<Logger> logger(m, "Logger");
  logger.def("setLevel", &Logger::setLevel, py::arg("level"));
  for (const char *level : {"trace", "debug", "info", "warn", "error", "critical"}) {
    const std::string name = level;
    logger.def(
        level, [name](const Logger &l, const std::string &text) { l.write(name, text); },
        py::arg("info"));
  }
  m.def(
      "getLogger", [](const std::string &name) { return Logger(name); }, py::arg("name") = "all");
}

void bindOperations(py::module &m) {
  using Id = OperatorIdentifier;
  py::class_<Id>(m, "OperatorIdentifier")
      .def_readonly("domain", &Id::domain)
      .def_readonly("type", &Id::type)
      .def_readonly("version", &Id::version)
      .def("__eq__", [](const Id &a, const Id &b) { return a == b; })
      .def("__hash__",
           [](const Id &i) { return py::hash(py::make_tuple(i.domain, i.type, i.version)); })
      .def("__repr__", [](const Id &i) {
        std::ostringstream text;
        text << i;
        return text.str();
      });
  m.def("getSupportedOperations", &OpManager::getSupportedOperations, py::arg("includeInternal"));
  m.def("getUnsupportedOperations", &OpManager::getUnsupportedOperations, py::arg("opsetVersion"));
}

} // namespace

void bindUtilities(py::module &m) {
  bindTransformer(m);
  bindLog(m);
  bindOperations(m);
}
