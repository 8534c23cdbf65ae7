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

enum class DeviceType { IpuModel = 0, Cpu, Ipu, OfflineIpu, Sim };
enum class DeviceConnectionType { Always = 0, OnDemand, Never };
enum class SyncPattern { Full = 0, SinglePipeline, ReplicaAndLadder };
enum class DeviceSelectionCriterion { First = 0, Random };

std::ostream &operator<<(std::ostream &out, DeviceType type);
std::ostream &operator<<(std::ostream &out, DeviceConnectionType type);
std::ostream &operator<<(std::ostream &out, SyncPattern pattern);
SyncPattern syncPatternFromString(const std::string &text);
std::string syncPatternToString(const SyncPattern &pattern);

class DeviceInfo {
public:
  DeviceInfo(DeviceType type, DeviceConnectionType connection,
             std::shared_ptr<poplar::Device> device, const std::string &ipuVersion);
  ~DeviceInfo();

  bool attach();
  void detach();
  bool isAttached() const { return attached_; }
  // Waits for an on-demand device as long as the device manager was told to; false if in vain.
  bool tryAttachUntilTimeout();

  DeviceType getType() const { return type_; }
  DeviceConnectionType getConnectionType() const { return connection_; }
  int getId() const;
  int getNumIpus() const;
  int getTilesPerIPU() const;
  int getNumWorkerContexts() const;
  std::string getVersion() const;
  const std::string &getIpuVersion() const { return ipuVersion_; }
  std::vector<unsigned> getDriverIds() const;
  const poplar::Target &getTarget() const;
  poplar::Device &getDevice() { return *device_; }
  // Whether executables for it may be cached and exported: all but the host's.
  bool isHwCompatible() const {
    return type_ == DeviceType::Ipu || type_ == DeviceType::OfflineIpu;
  }
  bool canCompileOffline() const { return isHwCompatible(); }
  std::string toString() const;
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

using DeviceOptions = std::map<std::string, std::string>;

class DeviceManager {
public:
  static DeviceManager &createDeviceManager();

  std::shared_ptr<DeviceInfo> createCpuDevice();
  // numIPUs (1), tilesPerIPU (4), compileIPUCode (true), ipuVersion.
  std::shared_ptr<DeviceInfo> createIpuModelDevice(DeviceOptions &options);
  // numIPUs (1), tilesPerIPU, ipuVersion (ipu2), syncPattern (full), gatewayMode.
  std::shared_ptr<DeviceInfo> createOfflineIPUDevice(DeviceOptions &options);
  std::shared_ptr<DeviceInfo> createOfflineIpuFromDeviceInfo(const DeviceInfo &info);
  std::shared_ptr<DeviceInfo> createOfflineIpuFromSystemString(const std::string &system,
                                                               unsigned numIpus);
  std::shared_ptr<DeviceInfo> createSimDevice(DeviceOptions &options);
  std::shared_ptr<DeviceInfo> createHostDevice(DeviceType type, const DeviceOptions &options,
                                               SyncPattern pattern = SyncPattern::Full);

  std::shared_ptr<DeviceInfo>
  tryAcquireAvailableDevice(int numIpus = 1, int tilesPerIPU = 0,
                            SyncPattern pattern = SyncPattern::Full,
                            DeviceConnectionType connectionType = DeviceConnectionType::Always,
                            DeviceSelectionCriterion criterion = DeviceSelectionCriterion::First);
  std::shared_ptr<DeviceInfo>
  acquireAvailableDevice(int numIpus = 1, int tilesPerIPU = 0,
                         SyncPattern pattern = SyncPattern::Full,
                         DeviceConnectionType connectionType = DeviceConnectionType::Always,
                         DeviceSelectionCriterion criterion = DeviceSelectionCriterion::First);
  std::shared_ptr<DeviceInfo>
  tryAcquireDeviceById(int id, SyncPattern pattern = SyncPattern::Full,
                       DeviceConnectionType connectionType = DeviceConnectionType::Always);
  std::shared_ptr<DeviceInfo>
  acquireDeviceById(int id, SyncPattern pattern = SyncPattern::Full,
                    DeviceConnectionType connectionType = DeviceConnectionType::Always);
  std::vector<std::shared_ptr<DeviceInfo>>
  enumerateDevices(SyncPattern pattern = SyncPattern::Full, int numIpus = 1,
                   DeviceType deviceType = DeviceType::Ipu,
                   DeviceConnectionType connectionType = DeviceConnectionType::Always,
                   int tilesPerIPU = 0);
  void setOnDemandAttachTimeout(unsigned seconds) { attachTimeout_ = seconds; }

private:
  DeviceManager() = default;
  unsigned attachTimeout_ = 0;
};

} // namespace popart
#endif
