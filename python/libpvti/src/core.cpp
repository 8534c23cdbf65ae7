// SPDX-License-Identifier: MIT
// libpvti._core: traces of Python programs (pvti/pvti.hpp).
#include <optional>
#include <pvti/pvti.hpp>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace {

// metadata: None, a text, or JSON.
pvti::Metadata metadataOf(const std::optional<std::string> &text, bool json) {
  if (!text)
    return {};
  return json ? pvti::createJsonMetadata(*text) : pvti::Metadata(*text);
}

using Record = void (*)(pvti::TraceChannel *, const std::string &, const pvti::Metadata &);

void bindPoint(py::module &m, const char *name, Record record) {
  m.def(
      name,
      [record](pvti::TraceChannel *channel, const std::string &label,
               const std::optional<std::string> &metadata,
               bool json) { record(channel, label, metadataOf(metadata, json)); },
      py::arg("channel"), py::arg("label"), py::arg("metadata") = py::none(),
      py::arg("json") = false);
}

template <class T> void bindHeatmap(py::module &m, const char *name) {
  py::class_<pvti::Heatmap<T>>(m, name, "How values are spread, over time, in the same trace.")
      .def(py::init<std::string, std::vector<T>, const std::string &>(), py::arg("name"),
           py::arg("edges"), py::arg("unit") = "")
      .def("add", &pvti::Heatmap<T>::add, py::arg("values"), "A column: the values there are now.");
}

} // namespace

PYBIND11_MODULE(_core, m) {
  m.doc() = "The C++ side of libpvti.";
  py::class_<pvti::TraceChannel>(m, "TraceChannel", "A named row of a trace.")
      .def(py::init<const std::string &, bool>(), py::arg("name"), py::arg("enabled") = true)
      .def_property_readonly("name", &pvti::TraceChannel::name, "The name it was made with.")
      .def("isEnabled", &pvti::TraceChannel::isEnabled,
           "Whether it is on, and PVTI_OPTIONS wants it.")
      .def("enable", &pvti::TraceChannel::enable, "Its events are recorded from now on.")
      .def("disable", &pvti::TraceChannel::disable, "Its events are no longer recorded.");
  bindPoint(m, "begin", &pvti::Tracepoint::begin);
  bindPoint(m, "end", &pvti::Tracepoint::end);
  bindPoint(m, "event", &pvti::Tracepoint::event);
  py::class_<pvti::Graph::Series>(m, "Series", "A line of a Graph.")
      .def("add", &pvti::Graph::Series::add, py::arg("value"), "The value it has now.");
  py::class_<pvti::Graph>(m, "Graph", "Numbers over time, in the same trace.")
      .def(py::init<std::string, std::string>(), py::arg("name"), py::arg("unit") = "")
      .def("addSeries", &pvti::Graph::addSeries, py::arg("name"), "A line of it.");
  bindHeatmap<double>(m, "HeatmapDouble");
  bindHeatmap<float>(m, "HeatmapFloat");
  bindHeatmap<std::int64_t>(m, "HeatmapInt");
  py::class_<pvti::ThreadName>(m, "ThreadName", "Names the calling thread in traces.")
      .def(py::init<const std::string &>(), py::arg("name"));
  py::class_<pvti::Client>(m, "Client", "Names this process in traces.")
      .def(py::init<const std::string &>(), py::arg("name"));
  const auto each = [&m](const char *name, const char *text, auto byChannel, auto byName) {
    m.def(name, byChannel, py::arg("channel"), text);
    m.def(name, byName, py::arg("name"), text);
  };
  each(
      "enableTraceChannel", "Events of a channel are recorded from now on.",
      [](pvti::TraceChannel *c) { pvti::enableTraceChannel(c); },
      [](const std::string &n) { pvti::enableTraceChannel(n); });
  each(
      "disableTraceChannel", "Events of a channel are no longer recorded.",
      [](pvti::TraceChannel *c) { pvti::disableTraceChannel(c); },
      [](const std::string &n) { pvti::disableTraceChannel(n); });
  each(
      "checkTraceChannel", "Whether a channel is on, and PVTI_OPTIONS wants it.",
      [](pvti::TraceChannel *c) { return pvti::checkTraceChannel(c); },
      [](const std::string &n) { return pvti::checkTraceChannel(n); });
  m.def("listTraceChannels", &pvti::listTraceChannels, "Names of all channels.");
  m.def("getCurrentTraceFilename", &pvti::getCurrentTraceFilename,
        "Empty as long as nothing is recorded.");
  m.def("closeTrace", &pvti::closeTrace, "Completes the file; later events open another.");
}
