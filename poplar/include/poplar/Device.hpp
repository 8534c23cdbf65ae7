// SPDX-License-Identifier: MIT
// One or several simulated IPUs (or a model, or the CPU) that an engine can be loaded on. A device
// belongs to at most one holder at a time, across all processes of the machine; it is let go when
// the holder detaches, drops it or dies.
#pragma once
#include <map>
#include <memory>
#include <poplar/OptionFlags.hpp>
#include <poplar/Target.hpp>
#include <poplar/TargetType.hpp>
#include <set>
#include <string>
#include <vector>

namespace poplar {

namespace openipu {
struct Access;
struct DeviceData;
struct DeviceAccess;
} // namespace openipu

namespace IPUAttributes {
// Names of what a device says about itself.
enum class AttributeId {
  DeviceId,
  TargetName,
  BoardIpuIndex,
  BoardSerialNumber,
  BoardType,
  BoardVariant,
  Clock,
  DriverVersion,
  FirmwareVersion,
  IpuArchitecture,
  IpuErrorState,
  NumaNode,
  NumberOfReplicas,
  PartitionSyncType,
  ProcessStartTime,
  RemoteBuffersSupported,
  UserExecutable,
  UserName,
  UserProcessId
};
} // namespace IPUAttributes

class Device {
public:
  Device(); // no device
  ~Device();
  Device(Device &&) noexcept;
  Device &operator=(Device &&) noexcept;

  // A device whose tiles are threads of the host, without a model of time.
  static Device createCPUDevice(unsigned numIPUs = 1);
  // A device that runs programs for this target; it needs no attaching.
  static Device createSimulatorDevice(const Target &target, const OptionFlags &options = {});

  unsigned getId() const;          // its number, as DeviceManager and gc-info show it
  const Target &getTarget() const; // the machine that graphs for it are made for

  // False if another holder has one of its IPUs. True at once for a model or CPU device, or if
  // already attached.
  bool attach() const;
  bool isAttached() const; // whether this process holds it
  void detach() const;     // Lets the device go, so that others can attach.
  // Announces this process as the holder anew; the device must be attached.
  void reset() const;

  // The same IPUs with fewer tiles each. Both devices share the attachment.
  Device createVirtualDevice(unsigned tilesPerIPU);

  // These three throw poplar_error unless this is an attached IPU device.
  void getDriverVersion(unsigned &major, unsigned &minor, unsigned &point) const;
  bool supportsRemoteBuffers() const; // whether the device has streaming memory
  bool hasGateway() const;            // whether it stands in a machine with a gateway

  // "N/A" for an attribute that this kind of device does not have.
  std::string getAttribute(IPUAttributes::AttributeId attribute) const;
  std::map<std::string, std::string> getAttributes() const; // all attributes by name
  // The host's memory nodes that its IPUs are attached to.
  std::set<int> getNumaNodesUsedForIPUs() const;
  std::vector<unsigned> getDriverIDs() const; // the single IPUs it consists of

private:
  friend struct openipu::Access;
  friend struct openipu::DeviceAccess;
  explicit Device(std::shared_ptr<openipu::DeviceData> data);
  openipu::DeviceData &data() const;
  std::shared_ptr<openipu::DeviceData> data_;
};

} // namespace poplar
