// SPDX-License-Identifier: MIT
// Devices a session can be compiled for and run on: the host, models of IPUs, the simulated IPUs of
// this machine, and descriptions for compiling only.
#ifndef POPART_DEVICEMANAGER_HPP
#define POPART_DEVICEMANAGER_HPP
#include <chrono>
#include <popart/names.hpp>

namespace poplar {
class Device;
class Target;
} // namespace poplar

namespace popart {

// The kinds of device; OfflineIpu compiles and does not run.
enum class DeviceType { IpuModel = 0, Cpu, Ipu, OfflineIpu, Sim };
// When the IPUs are taken: at once, when they are needed, or never.
enum class DeviceConnectionType { Always = 0, OnDemand, Never };
// Which IPUs wait for each other.
enum class SyncPattern { Full = 0, SinglePipeline, ReplicaAndLadder };
enum class DeviceSelectionCriterion { First = 0, Random }; // which of several free devices is taken

std::ostream &operator<<(std::ostream &out, DeviceType type);
std::ostream &operator<<(std::ostream &out, DeviceConnectionType type);
std::ostream &operator<<(std::ostream &out, SyncPattern pattern);
// "full", "singlePipeline" or "replicaAndLadder"; popart::error otherwise.
SyncPattern syncPatternFromString(const std::string &text);
// The text that syncPatternFromString takes.
std::string syncPatternToString(const SyncPattern &pattern);

// A device that sessions compile for and run on. It is let go when the last owner drops it.
class DeviceInfo {
public:
  DeviceInfo(DeviceType type, DeviceConnectionType connection,
             std::shared_ptr<poplar::Device> device, const std::string &ipuVersion);
  ~DeviceInfo();

  bool attach();                                // Takes the IPUs; false if another process has one.
  void detach();                                // Lets the IPUs go.
  bool isAttached() const { return attached_; } // whether this process has them
  // Waits for an on-demand device as long as the device manager was told to; false if in vain.
  bool tryAttachUntilTimeout();

  DeviceType getType() const { return type_; }                           // of which kind it is
  DeviceConnectionType getConnectionType() const { return connection_; } // when its IPUs are taken
  int getId() const;                // its number, as gc-info shows it; 0 for models
  int getNumIpus() const;           // how many it consists of
  int getTilesPerIPU() const;       // tiles of one IPU
  int getNumWorkerContexts() const; // 6: threads of a tile
  std::string getVersion() const;   // kind and chip, for messages
  const std::string &getIpuVersion() const { return ipuVersion_; } // "ipu2", "ipu21" and so on
  std::vector<unsigned> getDriverIds() const;                      // its number, alone in a list
  const poplar::Target &getTarget() const;         // Poplar's description of the machine
  poplar::Device &getDevice() { return *device_; } // Poplar's device
  // Whether executables for it may be cached and exported: all but the host's.
  bool isHwCompatible() const {
    return type_ == DeviceType::Ipu || type_ == DeviceType::OfflineIpu;
  }
  // Whether executables for it can be saved.
  bool canCompileOffline() const { return isHwCompatible(); }
  std::string toString() const; // kind, number and IPUs, for messages
  // How long tryAttachUntilTimeout waits, in seconds.
  void setOnDemandAttachTimeout(unsigned seconds) { attachTimeout_ = seconds; }
  unsigned getOnDemandAttachTimeout() const { return attachTimeout_; }

private:
  DeviceType type_;
  DeviceConnectionType connection_;
  std::shared_ptr<poplar::Device> device_;
  std::string ipuVersion_;
  bool attached_ = false;
  unsigned attachTimeout_ = 0;
};
std::ostream &operator<<(std::ostream &out, const DeviceInfo &info);

using DeviceOptions = std::map<std::string, std::string>; // names and values, as text

// Finds devices and makes models of devices.
class DeviceManager {
public:
  static DeviceManager &createDeviceManager(); // the one manager of the process

  // A device that computes on the host, without a model of time.
  std::shared_ptr<DeviceInfo> createCpuDevice();
  // numIPUs (1), tilesPerIPU (4), compileIPUCode (true), ipuVersion.
  std::shared_ptr<DeviceInfo> createIpuModelDevice(DeviceOptions &options);
  // numIPUs (1), tilesPerIPU, ipuVersion (ipu2), syncPattern (full), gatewayMode.
  std::shared_ptr<DeviceInfo> createOfflineIPUDevice(DeviceOptions &options);
  // The same machine without the machine: to compile for it.
  std::shared_ptr<DeviceInfo> createOfflineIpuFromDeviceInfo(const DeviceInfo &info);
  // A machine by name, for instance "IPU-POD16", to compile for.
  std::shared_ptr<DeviceInfo> createOfflineIpuFromSystemString(const std::string &system,
                                                               unsigned numIpus);
  // An IPU Model with the options numIPUs (1) and tilesPerIPU (4).
  std::shared_ptr<DeviceInfo> createSimDevice(DeviceOptions &options);
  // One of the kinds above by its type.
  std::shared_ptr<DeviceInfo> createHostDevice(DeviceType type, const DeviceOptions &options,
                                               SyncPattern pattern = SyncPattern::Full);

  // A free device with this many IPUs, or null. tilesPerIPU 0: all.
  std::shared_ptr<DeviceInfo>
  tryAcquireAvailableDevice(int numIpus = 1, int tilesPerIPU = 0,
                            SyncPattern pattern = SyncPattern::Full,
                            DeviceConnectionType connectionType = DeviceConnectionType::Always,
                            DeviceSelectionCriterion criterion = DeviceSelectionCriterion::First);
  // A free device with this many IPUs. Throws popart::error if there is none.
  std::shared_ptr<DeviceInfo>
  acquireAvailableDevice(int numIpus = 1, int tilesPerIPU = 0,
                         SyncPattern pattern = SyncPattern::Full,
                         DeviceConnectionType connectionType = DeviceConnectionType::Always,
                         DeviceSelectionCriterion criterion = DeviceSelectionCriterion::First);
  // The device of this number, or null if it is taken or not there.
  std::shared_ptr<DeviceInfo>
  tryAcquireDeviceById(int id, SyncPattern pattern = SyncPattern::Full,
                       DeviceConnectionType connectionType = DeviceConnectionType::Always);
  // The device of this number. Throws popart::error if it is taken or not there.
  std::shared_ptr<DeviceInfo>
  acquireDeviceById(int id, SyncPattern pattern = SyncPattern::Full,
                    DeviceConnectionType connectionType = DeviceConnectionType::Always);
  // All devices with this many IPUs, also those that are taken.
  std::vector<std::shared_ptr<DeviceInfo>>
  enumerateDevices(SyncPattern pattern = SyncPattern::Full, int numIpus = 1,
                   DeviceType deviceType = DeviceType::Ipu,
                   DeviceConnectionType connectionType = DeviceConnectionType::Always,
                   int tilesPerIPU = 0);
  // Seconds that devices found from here on wait in tryAttachUntilTimeout.
  void setOnDemandAttachTimeout(unsigned seconds) { attachTimeout_ = seconds; }

private:
  DeviceManager() = default;
  unsigned attachTimeout_ = 0;
};

} // namespace popart
#endif
