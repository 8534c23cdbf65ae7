// SPDX-License-Identifier: MIT
// Devices.
#include "bind.hpp"
#include <popart/devicemanager.hpp>

using namespace popart;

namespace {
// Option values of any type, as text.
DeviceOptions options(const py::dict &given) {
  DeviceOptions out;
  for (const auto &[key, value] : given)
    out[py::str(key)] = py::str(value);
  return out;
}
} // namespace

void bindDevices(py::module &m) {
  py::enum_<DeviceType>(m, "DeviceType")
      .value("IpuModel", DeviceType::IpuModel)
      .value("Cpu", DeviceType::Cpu)
      .value("Ipu", DeviceType::Ipu)
      .value("OfflineIpu", DeviceType::OfflineIpu)
      .value("Sim", DeviceType::Sim);
  py::enum_<DeviceConnectionType>(m, "DeviceConnectionType")
      .value("Always", DeviceConnectionType::Always)
      .value("OnDemand", DeviceConnectionType::OnDemand)
      .value("Never", DeviceConnectionType::Never);
  py::enum_<SyncPattern>(m, "SyncPattern")
      .value("Full", SyncPattern::Full)
      .value("SinglePipeline", SyncPattern::SinglePipeline)
      .value("ReplicaAndLadder", SyncPattern::ReplicaAndLadder);
  py::enum_<DeviceSelectionCriterion>(m, "DeviceSelectionCriterion")
      .value("First", DeviceSelectionCriterion::First)
      .value("Random", DeviceSelectionCriterion::Random);
  m.def("syncPatternFromString", &syncPatternFromString);
  m.def("syncPatternToString", &syncPatternToString);

  py::class_<DeviceInfo, std::shared_ptr<DeviceInfo>>(m, "DeviceInfo")
      .def("attach", &DeviceInfo::attach)
      .def("detach", &DeviceInfo::detach)
      .def("tryAttachUntilTimeout", &DeviceInfo::tryAttachUntilTimeout,
           py::call_guard<py::gil_scoped_release>())
      .def("__enter__", [](std::shared_ptr<DeviceInfo> device) { return device; })
      .def("__exit__", [](DeviceInfo &device, py::args) { device.detach(); })
      .def("__repr__", &DeviceInfo::toString)
      .def_property_readonly("type", &DeviceInfo::getType)
      .def_property_readonly("connectionType", &DeviceInfo::getConnectionType)
      .def_property_readonly("version", &DeviceInfo::getVersion)
      .def_property_readonly("ipuVersion", &DeviceInfo::getIpuVersion)
      .def_property_readonly("id", &DeviceInfo::getId)
      .def_property_readonly("numIpus", &DeviceInfo::getNumIpus)
      .def_property_readonly("tilesPerIPU", &DeviceInfo::getTilesPerIPU)
      .def_property_readonly("tilesPerIpu", &DeviceInfo::getTilesPerIPU)
      .def_property_readonly("numWorkerContexts", &DeviceInfo::getNumWorkerContexts)
      .def_property_readonly("driverIds", &DeviceInfo::getDriverIds)
      .def_property_readonly("isAttached", &DeviceInfo::isAttached);

  const auto always = DeviceConnectionType::Always;
  py::class_<DeviceManager, std::unique_ptr<DeviceManager, py::nodelete>>(m, "DeviceManager")
      .def(py::init([] {
        return std::unique_ptr<DeviceManager, py::nodelete>(&DeviceManager::createDeviceManager());
      }))
      .def("createCpuDevice", &DeviceManager::createCpuDevice)
      .def("createIpuModelDevice",
           [](DeviceManager &d, const py::dict &given) {
             auto o = options(given);
             return d.createIpuModelDevice(o);
           })
      .def("createOfflineIPUDevice",
           [](DeviceManager &d, const py::dict &given) {
             auto o = options(given);
             return d.createOfflineIPUDevice(o);
           })
      .def("createSimDevice",
           [](DeviceManager &d, const py::dict &given) {
             auto o = options(given);
             return d.createSimDevice(o);
           })
      .def("createOfflineIpuFromDeviceInfo", &DeviceManager::createOfflineIpuFromDeviceInfo)
      .def("createOfflineIpuFromSystemString", &DeviceManager::createOfflineIpuFromSystemString)
      .def("acquireAvailableDevice", &DeviceManager::acquireAvailableDevice, py::arg("numIpus") = 1,
           py::arg("tilesPerIpu") = 0, py::arg("pattern") = SyncPattern::Full,
           py::arg("connectionType") = always,
           py::arg("selectionCriterion") = DeviceSelectionCriterion::First)
      .def("tryAcquireAvailableDevice", &DeviceManager::tryAcquireAvailableDevice,
           py::arg("numIpus") = 1, py::arg("tilesPerIpu") = 0,
           py::arg("pattern") = SyncPattern::Full, py::arg("connectionType") = always,
           py::arg("selectionCriterion") = DeviceSelectionCriterion::First)
      .def("acquireDeviceById", &DeviceManager::acquireDeviceById, py::arg("id"),
           py::arg("pattern") = SyncPattern::Full, py::arg("connectionType") = always)
      .def("tryAcquireDeviceById", &DeviceManager::tryAcquireDeviceById, py::arg("id"),
           py::arg("pattern") = SyncPattern::Full, py::arg("connectionType") = always)
      .def("enumerateDevices", &DeviceManager::enumerateDevices,
           py::arg("pattern") = SyncPattern::Full, py::arg("numIpus") = 1,
           py::arg("deviceType") = DeviceType::Ipu, py::arg("connectionType") = always,
           py::arg("tilesPerIPU") = 0)
      .def("setOnDemandAttachTimeout", &DeviceManager::setOnDemandAttachTimeout);
}
