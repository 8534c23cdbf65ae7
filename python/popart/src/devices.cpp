// SPDX-License-Identifier: MIT
// Devices.
#include "bind.hpp"
#include <popart/devicemanager.hpp>

using namespace popart;

namespace {
// Option values of any type, as text.
DeviceOptions options(const std::map<std::string, py::object> &given) {
  DeviceOptions out;
  for (const auto &[key, value] : given)
    out[key] = py::str(value);
  return out;
}

void bindDevice(py::module &m) {
  using Unlocked = py::call_guard<py::gil_scoped_release>;
  py::class_<DeviceInfo, std::shared_ptr<DeviceInfo>>(
      m, "DeviceInfo", "A device. As a context manager it is detached at the end.")
      .def("attach", &DeviceInfo::attach, "Takes the device; whether that worked.")
      .def("detach", &DeviceInfo::detach, "Lets others have it.")
      .def("tryAttachUntilTimeout", &DeviceInfo::tryAttachUntilTimeout, Unlocked(),
           "Takes an on-demand device, waiting as long as setOnDemandAttachTimeout said.")
      .def("__enter__", [](std::shared_ptr<DeviceInfo> device) { return device; })
      .def("__exit__", [](DeviceInfo &device, py::args) { device.detach(); })
      .def("__repr__",
           [](const DeviceInfo &device) { return "DeviceInfo(" + device.toString() + ")"; })
      .def("__str__", &DeviceInfo::toString)
      .def_property_readonly("type", &DeviceInfo::getType, "What kind it is.")
      .def_property_readonly("connectionType", &DeviceInfo::getConnectionType,
                             "When it is attached.")
      .def_property_readonly("version", &DeviceInfo::getVersion, "Of the driver.")
      .def_property_readonly("ipuVersion", &DeviceInfo::getIpuVersion, "Of the IPU: ipu2.")
      .def_property_readonly("id", &DeviceInfo::getId, "For acquireDeviceById.")
      .def_property_readonly("numIpus", &DeviceInfo::getNumIpus, "How many IPUs.")
      .def_property_readonly("tilesPerIPU", &DeviceInfo::getTilesPerIPU, "Tiles of each.")
      .def_property_readonly("tilesPerIpu", &DeviceInfo::getTilesPerIPU, "Tiles of each.")
      .def_property_readonly("numWorkerContexts", &DeviceInfo::getNumWorkerContexts,
                             "Workers of a tile.")
      .def_property_readonly("driverIds", &DeviceInfo::getDriverIds, "The ids of its IPUs.")
      .def_property_readonly("isAttached", &DeviceInfo::isAttached, "Whether this process has it.");
}

using Given = std::map<std::string, py::object>;

void bindManager(py::module &m) {
  const auto pattern = py::arg("pattern") = SyncPattern::Full;
  const auto connection = py::arg("connectionType") = DeviceConnectionType::Always;
  const auto criterion = py::arg("selectionCriterion") = DeviceSelectionCriterion::First;
  const auto ipus = py::arg("numIpus") = 1, tiles = py::arg("tilesPerIpu") = 0;
  using Manager = DeviceManager;
  using Pointer = std::unique_ptr<Manager, py::nodelete>;
  py::class_<Manager, Pointer>(m, "DeviceManager", "Finds and makes devices.")
      .def(py::init([] { return Pointer(&Manager::createDeviceManager()); }),
           "There is one for the process.")
      .def("createCpuDevice", &Manager::createCpuDevice, "The host itself.")
      .def(
          "createIpuModelDevice",
          [](Manager &d, const Given &given) {
            auto all = options(given);
            return d.createIpuModelDevice(all);
          },
          py::arg("opts"),
          "A model of IPUs: numIPUs (1), tilesPerIPU (4), compileIPUCode, ipuVersion.")
      .def(
          "createOfflineIPUDevice",
          [](Manager &d, const Given &given) {
            auto all = options(given);
            return d.createOfflineIPUDevice(all);
          },
          py::arg("opts"),
          "A device to compile for: numIPUs, tilesPerIPU, ipuVersion, syncPattern, gatewayMode.")
      .def(
          "createSimDevice",
          [](Manager &d, const Given &given) {
            auto all = options(given);
            return d.createSimDevice(all);
          },
          py::arg("opts"), "A simulated device: numIPUs, tilesPerIPU.")
      .def("createOfflineIpuFromDeviceInfo", &Manager::createOfflineIpuFromDeviceInfo,
           py::arg("deviceInfo"), "A device to compile for that is like this one.")
      .def("createOfflineIpuFromSystemString", &Manager::createOfflineIpuFromSystemString,
           py::arg("system"), py::arg("numIpus"), "A device to compile for, by its name.")
      .def("acquireAvailableDevice", &Manager::acquireAvailableDevice, ipus, tiles, pattern,
           connection, criterion, "A free device; an exception if there is none.")
      .def("tryAcquireAvailableDevice", &Manager::tryAcquireAvailableDevice, ipus, tiles, pattern,
           connection, criterion, "A free device, or None.")
      .def("acquireDeviceById", &Manager::acquireDeviceById, py::arg("id"), pattern, connection,
           "The device of this id; an exception if it is not free.")
      .def("tryAcquireDeviceById", &Manager::tryAcquireDeviceById, py::arg("id"), pattern,
           connection, "The device of this id, or None.")
      .def("enumerateDevices", &Manager::enumerateDevices, pattern, ipus,
           py::arg("deviceType") = DeviceType::Ipu, connection, py::arg("tilesPerIPU") = 0,
           "All devices of a kind, free or not.")
      .def("setOnDemandAttachTimeout", &Manager::setOnDemandAttachTimeout, py::arg("attachTimeout"),
           "Seconds to wait for on-demand devices.");
}

} // namespace

void bindDevices(py::module &m) {
  BIND_ENUM(DeviceType, "Kinds of devices.", IpuModel, Cpu, Ipu, OfflineIpu, Sim);
  BIND_ENUM(DeviceConnectionType, "When a device is attached.", Always, OnDemand, Never);
  BIND_ENUM(SyncPattern, "How IPUs wait for each other.", Full, SinglePipeline, ReplicaAndLadder);
  BIND_ENUM(DeviceSelectionCriterion, "Which of several free devices is taken.", First, Random);
  m.def("syncPatternFromString", &syncPatternFromString, py::arg("syncPattern"),
        "The pattern of this name.");
  m.def("syncPatternToString", &syncPatternToString, py::arg("syncPattern"), "Its name.");
  bindDevice(m);
  bindManager(m);
}
