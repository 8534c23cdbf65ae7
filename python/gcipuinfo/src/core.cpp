// SPDX-License-Identifier: MIT
// gcipuinfo in Python. The names of attributes are constants of the module and of the class.
#include <gcipuinfo/gcipuinfo.hpp>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace {

const std::pair<const char *, const char *> names[] = {
    {"AverageBoardTemp", gcipuinfo::AverageBoardTemp},
    {"AverageDieTemp", gcipuinfo::AverageDieTemp},
    {"BoardIpuIndex", gcipuinfo::BoardIpuIndex},
    {"BoardSerialNumber", gcipuinfo::BoardSerialNumber},
    {"BoardType", gcipuinfo::BoardType},
    {"BoardVariant", gcipuinfo::BoardVariant},
    {"Clock", gcipuinfo::Clock},
    {"DriverVersion", gcipuinfo::DriverVersion},
    {"FirmwareVersion", gcipuinfo::FirmwareVersion},
    {"Id", gcipuinfo::Id},
    {"IpuArchitecture", gcipuinfo::IpuArchitecture},
    {"IpuErrorState", gcipuinfo::IpuErrorState},
    {"IpuPower", gcipuinfo::IpuPower},
    {"IpuUtilisation", gcipuinfo::IpuUtilisation},
    {"IpuUtilisationSession", gcipuinfo::IpuUtilisationSession},
    {"IpuofHost", gcipuinfo::IpuofHost},
    {"IpuofPartitionId", gcipuinfo::IpuofPartitionId},
    {"IpuofRoutingType", gcipuinfo::IpuofRoutingType},
    {"IpuofServerVersion", gcipuinfo::IpuofServerVersion},
    {"PciId", gcipuinfo::PciId},
    {"ProcessStartTime", gcipuinfo::ProcessStartTime},
    {"Target", gcipuinfo::Target},
    {"TotalBoardPower", gcipuinfo::TotalBoardPower},
    {"UserExecutable", gcipuinfo::UserExecutable},
    {"UserName", gcipuinfo::UserName},
    {"UserProcessId", gcipuinfo::UserProcessId}};

} // namespace

PYBIND11_MODULE(_core, m) {
  py::enum_<gcipuinfo::DiscoveryMode>(m, "DiscoveryMode", "Which IPUs are looked at.")
      .value("DiscoverActivePartitionIPUs", gcipuinfo::DiscoverActivePartitionIPUs)
      .value("DiscoverAllPartitionIPUs", gcipuinfo::DiscoverAllPartitionIPUs)
      .export_values();
  py::class_<gcipuinfo> type(m, "gcipuinfo", "The simulated IPUs of a partition, or of all.");
  type.def(py::init<gcipuinfo::DiscoveryMode>(),
           py::arg("mode") = gcipuinfo::DiscoverActivePartitionIPUs)
      .def("getDevices", &gcipuinfo::getDevices, "All devices, each a dict of texts.")
      .def("getNamedAttributeForAll", &gcipuinfo::getNamedAttributeForAll, py::arg("attribute"),
           "One attribute of every device; N/A where it has none.")
      .def("updateData", &gcipuinfo::updateData, "Looks at the machine again.")
      .def("setUpdateMode", &gcipuinfo::setUpdateMode, py::arg("automatic"),
           "True: every call looks again.")
      .def("checkHealthOfDevices", &gcipuinfo::checkHealthOfDevices,
           "JSON that names devices with errors; {} if there are none.")
      .def("getEventRecords", &gcipuinfo::getEventRecords,
           "JSON with a record for each error that a program has met, oldest first.");
  for (const auto &[name, text] : names) {
    m.attr(name) = text;
    type.attr(name) = text;
  }
}
