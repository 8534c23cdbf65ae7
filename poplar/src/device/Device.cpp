// SPDX-License-Identifier: MIT
// Devices: attaching, subsets of their tiles, attributes.
#include "poplar/Device.hpp"
#include "base/Log.hpp"
#include "base/Text.hpp"
#include "device/DeviceData.hpp"
#include "device/TargetData.hpp"
#include "device/ThisMachine.hpp"
#include "machine/Attributes.hpp"
#include "openipu/HostTrace.hpp"
#include "poplar/exceptions.hpp"
#include <cmath>
#include <cstdio>

namespace poplar {

using base::str;
using device::DeviceData;

namespace {

const base::Logger &logger() {
  static const base::Logger instance("POPLAR", "PO", "TARGET");
  return instance;
}

void requireAttachedIpu(const Device &device, const char *call) {
  if (device.getTarget().getTargetType() != TargetType::IPU)
    throw poplar_error(str(call, ": the device is of type ",
                           toString(device.getTarget().getTargetType()),
                           "; only IPU devices answer this."));
  if (!device.isAttached())
    throw poplar_error(
        str(call, ": device ", device.getId(), " is not attached. Call attach() first."));
}

// Attribute names, in the order of AttributeId.
constexpr const char *attributeNames[] = {"id",
                                          "target",
                                          "board ipu index",
                                          "board serial number",
                                          "board type",
                                          "board variant",
                                          "clock",
                                          "driver version",
                                          "firmware version",
                                          "ipu architecture",
                                          "ipu error state",
                                          "numa node",
                                          "number of replicas",
                                          "partition sync type",
                                          "process start time",
                                          "remote buffers supported",
                                          "user executable",
                                          "user name",
                                          "user process id"};

} // namespace

Device::Device() = default;
Device::~Device() = default;
Device::Device(Device &&) noexcept = default;
Device &Device::operator=(Device &&) noexcept = default;
Device::Device(std::shared_ptr<DeviceData> data) : data_(std::move(data)) {}

DeviceData &Device::data() const {
  if (!data_)
    throw poplar_error("The device is empty: it was default-constructed or moved from. Take one "
                       "from a DeviceManager.");
  return *data_;
}

Device Device::createCPUDevice(unsigned numIPUs) {
  return device::DeviceAccess::make({0, Target::createCPUTarget(true, numIPUs), nullptr});
}

Device Device::createSimulatorDevice(const Target &target, const OptionFlags &options) {
  OptionFlags all = options;
  readJSONFromEnv("POPLAR_SIMULATOR_OPTIONS", all);
  if (all.size() != 0)
    throw invalid_option(str("Unknown simulator option \"", all.begin()->first,
                             "\": a simulator device takes none."));
  return device::DeviceAccess::make({0, target, nullptr});
}

unsigned Device::getId() const { return data().id; }
const Target &Device::getTarget() const { return data().target; }

bool Device::attach() const {
  if (!data().lease)
    return true;
  const openipu::HostTrace traced("drivers", "Device::attach");
  const bool attached = device::asPoplar([&] { return data().lease->acquire(); });
  logger().info("device ", getId(), attached ? " attached" : " is busy");
  return attached;
}
bool Device::isAttached() const { return !data().lease || data().lease->held(); }
void Device::detach() const {
  const openipu::HostTrace traced("drivers", "Device::detach");
  if (data().lease)
    data().lease->release();
}

void Device::reset() const {
  requireAttachedIpu(*this, "Device::reset");
  if (data().lease)
    data().lease->reset();
}

Device Device::createVirtualDevice(unsigned tilesPerIPU) {
  const auto &target = getTarget();
  if (tilesPerIPU == 0 || tilesPerIPU > target.getTilesPerIPU())
    throw poplar_error(str("Device::createVirtualDevice: ", tilesPerIPU,
                           " tiles per IPU were asked for; device ", getId(), " has 1 to ",
                           target.getTilesPerIPU(), "."));
  return device::DeviceAccess::make({getId(),
                                     target.createVirtualTarget(target.getNumIPUs(), tilesPerIPU),
                                     data().lease, data().domain, data().group});
}

void Device::getDriverVersion(unsigned &major, unsigned &minor, unsigned &point) const {
  requireAttachedIpu(*this, "Device::getDriverVersion");
  if (std::sscanf(OPENIPU_VERSION, "%u.%u.%u", &major, &minor, &point) != 3)
    throw poplar_error("The version " OPENIPU_VERSION " is not of the form 1.2.3.");
}
bool Device::supportsRemoteBuffers() const {
  requireAttachedIpu(*this, "Device::supportsRemoteBuffers");
  return device::systemOf(getTarget()).chip.host.remoteBytesPerIpu > 0;
}
bool Device::hasGateway() const {
  requireAttachedIpu(*this, "Device::hasGateway");
  return getTarget().getGatewayMode();
}

std::map<std::string, std::string> Device::getAttributes() const {
  if (data().lease)
    return device::asPoplar(
        [&] { return machine::AttributeReader(*data().domain).of(data().group); });
  std::map<std::string, std::string> attributes{{"id", std::to_string(getId())}};
  if (getTarget().getTargetType() == TargetType::CPU)
    return attributes;
  const auto &chip = device::systemOf(getTarget()).chip;
  attributes["target"] = getTarget().getGatewayMode() ? "Fabric" : "PCIe";
  attributes["board type"] = machine::boxKindOf(chip, chip.name).name;
  attributes["clock"] = str(std::lround(chip.clockHz / 1e6), "MHz");
  attributes["ipu architecture"] = chip.archName;
  attributes["remote buffers supported"] = chip.host.remoteBytesPerIpu > 0 ? "1" : "0";
  return attributes;
}

std::string Device::getAttribute(IPUAttributes::AttributeId attribute) const {
  const auto attributes = getAttributes();
  const auto found = attributes.find(attributeNames[static_cast<std::size_t>(attribute)]);
  return found == attributes.end() ? "N/A" : found->second;
}

std::set<int> Device::getNumaNodesUsedForIPUs() const {
  return data().lease ? std::set<int>{0}
                      : std::set<int>{}; // the simulation runs wherever the process does
}
std::vector<unsigned> Device::getDriverIDs() const {
  return data().lease ? data().lease->ipus() : std::vector<unsigned>{};
}

} // namespace poplar
