// SPDX-License-Identifier: MIT
// GraphTransformer, the log, and what operators there are.
#include "bind.hpp"
#include <popart/graphtransformer.hpp>
#include <popart/logging.hpp>
#include <popart/numerics.hpp>
#include <popart/opmanager.hpp>
#include <poplar/DebugContext.hpp>
#include <sstream>

using namespace popart;

namespace {

void bindTransformer(py::module &m) {
  using T = GraphTransformer;
  py::class_<T>(m, "GraphTransformer", "Changes ONNX models.")
      .def(py::init<const std::string &>(), py::arg("modelProtoOrFilename"), // text or bytes
           "A model, as bytes or the name of a file.")
      .def(
          "getModelProto", [](const T &t) { return py::bytes(t.getModelProto()); },
          "The model as it is now, as the bytes of an ONNX file.")
      .def("convertFloatsToHalfs", &T::convertFloatsToHalfs, "FLOAT becomes FLOAT16.")
      .def("convertDoublesToFloats", &T::convertDoublesToFloats, "DOUBLE becomes FLOAT.")
      .def("convertDoublesToHalfs", &T::convertDoublesToHalfs, "DOUBLE becomes FLOAT16.")
      .def("convertBFloats16ToFloat32", &T::convertBFloats16ToFloat32, "BFLOAT16 becomes FLOAT.")
      .def("convertUINT8ToINT32", &T::convertUINT8ToINT32, "UINT8 becomes INT32.")
      .def("convertUINT16ToINT32", &T::convertUINT16ToINT32, "UINT16 becomes INT32.")
      .def("convertINT8ToINT32", &T::convertINT8ToINT32, "INT8 becomes INT32.")
      .def("convertINT16ToINT32", &T::convertINT16ToINT32, "INT16 becomes INT32.")
      .def("convertINT64ToINT32", &T::convertINT64ToINT32, py::arg("clip") = false,
           "INT64 becomes INT32; values that do not fit are clipped or refused.")
      .def("convertInitializersToConstants", &T::convertInitializersToConstants, py::arg("ids"),
           "Makes these initialisers constants.")
      .def("convertAllFixedPointInitializersToConstants",
           &T::convertAllFixedPointInitializersToConstants,
           "Makes all integer initialisers constants.")
      .def("prepareNodesForTraining", &T::prepareNodesForTraining,
           "Gives normalisations and dropout the outputs that training needs.")
      .def("removeUnusedInputs", &T::removeUnusedInputs, "Takes inputs away that no node reads.")
      .def("saveInitializersExternally", &T::saveInitializersExternally, py::arg("ids"),
           py::arg("filename"), "Moves the values of these initialisers to a file.");
}

void bindLog(py::module &m) {
  using logging::Logger;
  py::class_<Logger> logger(m, "Logger", "PopART's log.");
  logger
      .def("setLevel", &Logger::setLevel, py::arg("level"),
           "TRACE, DEBUG, INFO, WARN, ERR, CRITICAL or OFF, for all of PopART.")
      .def("__repr__", [](const Logger &l) { return "Logger(" + shown(l.name()) + ")"; });
  copyable(logger);
  for (const char *level : {"trace", "debug", "info", "warn", "error", "critical"}) {
    const std::string name = level;
    logger.def(
        level, [name](const Logger &l, const std::string &text) { l.write(name, text); },
        py::arg("info"), ("Writes a line of level " + name + ".").c_str());
  }
  m.def(
      "getLogger", [](const std::string &name) { return Logger(name); }, py::arg("name") = "all",
      "A log whose lines bear this name.");
}

void bindOperations(py::module &m) {
  using Id = OperatorIdentifier;
  py::class_<Id> id(m, "OperatorIdentifier", "An operator's full name.");
  copyable(id);
  id.def_readonly("domain", &Id::domain, "ai.onnx or the like.")
      .def_readonly("type", &Id::type, "Its name.")
      .def_readonly("version", &Id::version, "The opset it is of.")
      .def(
          "__eq__", [](const Id &a, const Id &b) { return a == b; }, py::is_operator(),
          py::arg("other"))
      .def("__hash__",
           [](const Id &i) { return py::hash(py::make_tuple(i.domain, i.type, i.version)); })
      .def("__repr__", [](const Id &i) {
        std::ostringstream text;
        text << i;
        return text.str();
      });
  m.def("getSupportedOperations", &OpManager::getSupportedOperations, py::arg("includeInternal"),
        "Every operator that can be lowered.");
  using Definition = OpDefinition;
  py::class_<Definition::Input>(m, "OpDefinitionInput", "An input of an operator.")
      .def_readonly("name", &Definition::Input::name, "Its name.")
      .def_readonly("supportedTensors", &Definition::Input::supportedTensors,
                    "The types it may have; empty: those that the operator finds fit.");
  py::class_<Definition::Output>(m, "OpDefinitionOutput", "An output of an operator.")
      .def_readonly("name", &Definition::Output::name, "Its name.")
      .def_readonly("supportedTensors", &Definition::Output::supportedTensors,
                    "The types it may have; empty: not written down.");
  py::class_<Definition::Attribute>(m, "OpDefinitionAttribute", "An attribute of an operator.")
      .def_readonly("supportedValuesRegex", &Definition::Attribute::supportedValuesRegex,
                    "What its value may be.");
  py::class_<Definition>(m, "OpDefinition", "What an operator takes and makes.")
      .def_readonly("inputs", &Definition::inputs, "Its inputs.")
      .def_readonly("outputs", &Definition::outputs, "Its outputs.")
      .def_readonly("attributes", &Definition::attributes, "Its attributes, by name.");
  m.def("getSupportedOperationsDefinition", &OpManager::getSupportedOperationsDefinition,
        py::arg("includeInternal"), "Every operator that can be lowered, with its definition.");
  m.def("getUnsupportedOperations", &OpManager::getUnsupportedOperations, py::arg("opsetVersion"),
        "The operators of an opset of ai.onnx that cannot.");
}

// What calls of the libraries were made where, in a file that pva.openReport takes.
void bindDebugInfo(py::module &m) {
  m.def(
      "initializePoplarDebugInfo",
      [](const py::object &file, const std::string &format) {
        using Format = poplar::DebugSerializationFormat;
        if (format != "json" && format != "cbor")
          throw py::value_error("initializePoplarDebugInfo: format \"" + format +
                                "\" is neither \"json\" nor \"cbor\".");
        const std::string path = py::str(py::module_::import("os").attr("fsdecode")(file));
        poplar::DebugInfo::initializeStreamer(path, format == "json" ? Format::JSON : Format::CBOR);
      },
      py::arg("filename"), py::arg("format") = "json",
      "Records every debug context from here on, until closePoplarDebugInfo, in a file.");
  m.def("closePoplarDebugInfo", &poplar::DebugInfo::closeStreamer,
        "Completes the file of initializePoplarDebugInfo.");
}

void bindNumerics(py::module &m) {
  using Report = numerics::NumericsReport;
  py::class_<Report>(m, "NumericsReport", "Compares how two runs changed their weights.")
      .def(py::init<std::string, std::string, std::string, std::string>(), py::arg("A0"),
           py::arg("A1"), py::arg("B0"), py::arg("B1"),
           "The models before and after one run (A) and another (B): bytes or files.")
      .def("report", &Report::report, py::arg("id"), "The changes of one weight.")
      .def("fullReport", &Report::fullReport, "The changes of every weight.")
      .def("getRelativeErrors", &Report::getRelativeErrors,
           "|dA - dB|^2 / (|dA| |dB|) of every weight.");
}

} // namespace

void bindUtilities(py::module &m) {
  bindDebugInfo(m);
  bindNumerics(m);
  bindTransformer(m);
  bindLog(m);
  bindOperations(m);
}
