// SPDX-License-Identifier: MIT
#include <popart/devicemanager.hpp>

#include "base/Text.hpp"
#include "openipu/WaitForDevice.hpp"
#include "openipu/Waiting.hpp"
#include <algorithm>
#include <ostream>
#include <popart/error.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Target.hpp>
#include <random>

namespace popart {

std::ostream &operator<<(std::ostream &out, DeviceType type) {
  const char *names[] = {"ipu-model", "cpu", "ipu", "offline-ipu", "sim"};
  return out << names[static_cast<int>(type)];
}
std::ostream &operator<<(std::ostream &out, DeviceConnectionType type) {
  const char *names[] = {"always", "on-demand", "never"};
  return out << names[static_cast<int>(type)];
}
std::string syncPatternToString(const SyncPattern &pattern) {
  const char *names[] = {"full", "singlePipeline", "replicaAndLadder"};
  return names[static_cast<int>(pattern)];
}
std::ostream &operator<<(std::ostream &out, SyncPattern pattern) {
  return out << syncPatternToString(pattern);
}
SyncPattern syncPatternFromString(const std::string &text) {
  for (auto pattern :
       {SyncPattern::Full, SyncPattern::SinglePipeline, SyncPattern::ReplicaAndLadder})
    if (syncPatternToString(pattern) == text)
      return pattern;
  throw error(base::str("Unknown sync pattern \"", text,
                        "\". There are full, singlePipeline and replicaAndLadder."));
}

// ---- DeviceInfo

DeviceInfo::DeviceInfo(DeviceType type, DeviceConnectionType connection,
                       std::shared_ptr<poplar::Device> device, const std::string &ipuVersion)
    : type_(type), connection_(connection), device_(std::move(device)), ipuVersion_(ipuVersion) {}
DeviceInfo::~DeviceInfo() {
  if (attached_)
    device_->detach();
}

bool DeviceInfo::attach() {
  if (type_ != DeviceType::Ipu)
    return attached_ = type_ != DeviceType::OfflineIpu;
  return attached_ = device_->attach();
}
void DeviceInfo::detach() {
  if (type_ == DeviceType::Ipu && attached_)
    device_->detach();
  attached_ = false;
}
bool DeviceInfo::tryAttachUntilTimeout() {
  using namespace std::chrono;
  const auto until = steady_clock::now() + seconds(attachTimeout_);
  bool interrupted = false;
  do { // a signal that the program handles does not end it
    const auto left = duration_cast<milliseconds>(until - steady_clock::now());
    if (frontends::attachWhenFree(*this, std::max(left, milliseconds(0)), interrupted))
      return true;
  } while (interrupted);
  return false;
}

bool frontends::attachWhenFree(DeviceInfo &device, std::chrono::milliseconds longest,
                               bool &interrupted, int wake) {
  std::size_t which = 0;
  interrupted = false;
  if (device.getType() == DeviceType::Ipu && !device.isAttached()) {
    using poplar::openipu::Waited;
    const auto result = poplar::openipu::attachOne({&device.getDevice()}, longest, which, wake);
    interrupted = result == Waited::Interrupted;
    if (result != Waited::Attached)
      return false;
  }
  return device.attach();
}

int DeviceInfo::getId() const { return type_ == DeviceType::Ipu ? int(device_->getId()) : 0; }
int DeviceInfo::getNumIpus() const { return int(getTarget().getNumIPUs()); }
int DeviceInfo::getTilesPerIPU() const { return int(getTarget().getTilesPerIPU()); }
int DeviceInfo::getNumWorkerContexts() const { return int(getTarget().getNumWorkerContexts()); }
std::string DeviceInfo::getVersion() const { return base::str("<", type_, " ", ipuVersion_, ">"); }
std::vector<unsigned> DeviceInfo::getDriverIds() const { return {static_cast<unsigned>(getId())}; }
const poplar::Target &DeviceInfo::getTarget() const { return device_->getTarget(); }
std::string DeviceInfo::toString() const {
  return base::str("Device Type: ", type_, ", id: ", getId(), ", IPUs: ", getNumIpus(),
                   ", tiles per IPU: ", getTilesPerIPU(), ", ", ipuVersion_);
}
std::ostream &operator<<(std::ostream &out, const DeviceInfo &info) {
  return out << info.toString();
}

// ---- DeviceManager

namespace {

// Options of a device as numbers and texts; a key nobody knows is an error.
class Reader {
public:
  Reader(const char *what, const DeviceOptions &options, std::vector<std::string> known)
      : what_(what), options_(options) {
    for (const auto &[key, value] : options)
      if (std::find(known.begin(), known.end(), key) == known.end())
        throw error(
            base::str(what, ": unknown option \"", key, "\".", base::didYouMean(key, known)));
  }
  std::string text(const std::string &key, const std::string &otherwise) const {
    auto it = options_.find(key);
    return it == options_.end() ? otherwise : it->second;
  }
  unsigned number(const std::string &key, unsigned otherwise) const {
    const auto value = text(key, std::to_string(otherwise));
    if (value.empty() || value.find_first_not_of("0123456789") != std::string::npos ||
        value.size() > 9)
      throw error(base::str(what_, ": ", key, " must be a whole number from 1 to 999999999, not \"",
                            value, "\"."));
    return static_cast<unsigned>(std::stoul(value));
  }
  bool flag(const std::string &key, bool otherwise) const {
    const auto value = text(key, otherwise ? "true" : "false");
    if (value == "true" || value == "True" || value == "1")
      return true;
    if (value == "false" || value == "False" || value == "0")
      return false;
    throw error(base::str(what_, ": ", key, " must be true or false, not \"", value, "\"."));
  }

private:
  const char *what_;
  const DeviceOptions &options_;
};

// 0 tiles: all that such a chip has.
std::shared_ptr<DeviceInfo> offline(unsigned ipus, unsigned tiles, const std::string &version) {
  auto target = poplar::Target::createIPUTarget(ipus, version);
  if (tiles > target.getTilesPerIPU())
    throw error(base::str("createOfflineIPUDevice: tilesPerIPU is ", tiles, ", but ", version,
                          " has ", target.getTilesPerIPU(), "."));
  if (tiles)
    target = target.createVirtualTarget(ipus, tiles);
  auto device = std::make_shared<poplar::Device>(poplar::Device::createSimulatorDevice(target));
  return std::make_shared<DeviceInfo>(DeviceType::OfflineIpu, DeviceConnectionType::Never,
                                      std::move(device), version);
}

} // namespace

DeviceManager &DeviceManager::createDeviceManager() {
  static DeviceManager manager;
  return manager;
}

std::shared_ptr<DeviceInfo> DeviceManager::createCpuDevice() {
  auto device = std::make_shared<poplar::Device>(poplar::Device::createCPUDevice());
  return std::make_shared<DeviceInfo>(DeviceType::Cpu, DeviceConnectionType::Always,
                                      std::move(device), "cpu");
}

std::shared_ptr<DeviceInfo> DeviceManager::createIpuModelDevice(DeviceOptions &options) {
  const Reader read("createIpuModelDevice", options,
                    {"numIPUs", "tilesPerIPU", "compileIPUCode", "ipuVersion"});
  auto version = read.text("ipuVersion", "ipu2");
  if (version.rfind("ipu:", 0) == 0)
    version = version.substr(4);
  poplar::IPUModel model(version.c_str());
  model.numIPUs = read.number("numIPUs", 1);
  model.tilesPerIPU = read.number("tilesPerIPU", 4);
  model.compileIPUCode = read.flag("compileIPUCode", true);
  if (!model.numIPUs || !model.tilesPerIPU)
    throw error("createIpuModelDevice: there must be at least one IPU and one tile.");
  auto device = std::make_shared<poplar::Device>(model.createDevice());
  return std::make_shared<DeviceInfo>(DeviceType::IpuModel, DeviceConnectionType::Always,
                                      std::move(device), version);
}

std::shared_ptr<DeviceInfo> DeviceManager::createOfflineIPUDevice(DeviceOptions &options) {
  const Reader read("createOfflineIPUDevice", options,
                    {"numIPUs", "tilesPerIPU", "ipuVersion", "syncPattern", "gatewayMode"});
  syncPatternFromString(read.text("syncPattern", "full"));
  read.flag("gatewayMode", false);
  return offline(read.number("numIPUs", 1), read.number("tilesPerIPU", 0),
                 read.text("ipuVersion", "ipu2"));
}
std::shared_ptr<DeviceInfo> DeviceManager::createOfflineIpuFromDeviceInfo(const DeviceInfo &info) {
  return offline(static_cast<unsigned>(info.getNumIpus()), info.getTarget().getTilesPerIPU(),
                 info.getIpuVersion());
}
std::shared_ptr<DeviceInfo>
DeviceManager::createOfflineIpuFromSystemString(const std::string &system, unsigned numIpus) {
  return offline(numIpus, 0, system);
}
std::shared_ptr<DeviceInfo> DeviceManager::createSimDevice(DeviceOptions &options) {
  const Reader read("createSimDevice", options, {"numIPUs", "tilesPerIPU"});
  DeviceOptions model{{"numIPUs", read.text("numIPUs", "1")},
                      {"tilesPerIPU", read.text("tilesPerIPU", "4")}};
  return createIpuModelDevice(model);
}
std::shared_ptr<DeviceInfo>
DeviceManager::createHostDevice(DeviceType type, const DeviceOptions &options, SyncPattern) {
  DeviceOptions own = options;
  switch (type) {
  case DeviceType::Cpu:
    return createCpuDevice();
  case DeviceType::IpuModel:
    return createIpuModelDevice(own);
  case DeviceType::OfflineIpu:
    return createOfflineIPUDevice(own);
  case DeviceType::Sim:
    return createSimDevice(own);
  default:
    throw error("createHostDevice: an ipu device is acquired, not created.");
  }
}

std::vector<std::shared_ptr<DeviceInfo>>
DeviceManager::enumerateDevices(SyncPattern, int numIpus, DeviceType deviceType,
                                DeviceConnectionType connection, int tilesPerIPU) {
  std::vector<std::shared_ptr<DeviceInfo>> found;
  if (deviceType == DeviceType::Cpu)
    return {createCpuDevice()};
  if (deviceType != DeviceType::Ipu)
    return found;
  auto devices = poplar::DeviceManager::createDeviceManager().getDevices(
      poplar::TargetType::IPU, static_cast<unsigned>(numIpus));
  for (auto &device : devices) {
    auto shared = std::make_shared<poplar::Device>(
        tilesPerIPU > 0 ? device.createVirtualDevice(static_cast<unsigned>(tilesPerIPU))
                        : std::move(device));
    const std::string version = shared->getTarget().getTargetArchString();
    found.push_back(std::make_shared<DeviceInfo>(DeviceType::Ipu, connection, shared, version));
    found.back()->setOnDemandAttachTimeout(attachTimeout_);
  }
  return found;
}

namespace {
void checkAcquire(int numIpus, DeviceConnectionType connection) {
  if (numIpus <= 0 || (numIpus & (numIpus - 1)))
    throw error(base::str("A device has a power of two of IPUs; ", numIpus, " were asked for."));
  if (connection == DeviceConnectionType::Never)
    throw error("A device that is never attached cannot be acquired. Use createOfflineIPUDevice.");
}
} // namespace

std::shared_ptr<DeviceInfo>
DeviceManager::tryAcquireAvailableDevice(int numIpus, int tilesPerIPU, SyncPattern pattern,
                                         DeviceConnectionType connection,
                                         DeviceSelectionCriterion criterion) {
  checkAcquire(numIpus, connection);
  auto devices = enumerateDevices(pattern, numIpus, DeviceType::Ipu, connection, tilesPerIPU);
  if (criterion == DeviceSelectionCriterion::Random) {
    static std::mt19937 generator(1);
    std::shuffle(devices.begin(), devices.end(), generator);
  }
  for (auto &device : devices)
    if (connection == DeviceConnectionType::OnDemand || device->attach())
      return device;
  return nullptr;
}
std::shared_ptr<DeviceInfo>
DeviceManager::acquireAvailableDevice(int numIpus, int tilesPerIPU, SyncPattern pattern,
                                      DeviceConnectionType connection,
                                      DeviceSelectionCriterion criterion) {
  if (auto device = tryAcquireAvailableDevice(numIpus, tilesPerIPU, pattern, connection, criterion))
    return device;
  const bool none =
      enumerateDevices(pattern, numIpus, DeviceType::Ipu, connection, tilesPerIPU).empty();
  throw error(base::str("Failed to acquire device with ", numIpus, " IPUs: ",
                        none ? "this machine has none of that kind. OPENIPU_NUM_IPUS sets how many "
                               "IPUs it has."
                             : "all of this machine's are in use. gc-monitor shows by whom."));
}
std::shared_ptr<DeviceInfo> frontends::acquireWhenFree(int numIpus,
                                                       std::chrono::milliseconds longest,
                                                       bool &interrupted, int wake) {
  checkAcquire(numIpus, DeviceConnectionType::Always);
  const auto all =
      DeviceManager::createDeviceManager().enumerateDevices(SyncPattern::Full, numIpus);
  std::vector<const poplar::Device *> devices;
  for (const auto &info : all)
    devices.push_back(&info->getDevice());
  std::size_t which = 0;
  const auto result = devices.empty() ? poplar::openipu::Waited::TimedOut
                                      : poplar::openipu::attachOne(devices, longest, which, wake);
  interrupted = result == poplar::openipu::Waited::Interrupted;
  return result == poplar::openipu::Waited::Attached && all[which]->attach() ? all[which] : nullptr;
}

std::shared_ptr<DeviceInfo> DeviceManager::tryAcquireDeviceById(int id, SyncPattern,
                                                                DeviceConnectionType connection) {
  checkAcquire(1, connection);
  if (id < 0)
    throw error(base::str("Devices are counted from 0; there is no device ", id, "."));
  auto device = std::make_shared<poplar::Device>(
      poplar::DeviceManager::createDeviceManager().getDevice(static_cast<unsigned>(id)));
  const std::string version = device->getTarget().getTargetArchString();
  auto info = std::make_shared<DeviceInfo>(DeviceType::Ipu, connection, device, version);
  info->setOnDemandAttachTimeout(attachTimeout_);
  return connection == DeviceConnectionType::OnDemand || info->attach() ? info : nullptr;
}
std::shared_ptr<DeviceInfo> DeviceManager::acquireDeviceById(int id, SyncPattern pattern,
                                                             DeviceConnectionType connection) {
  if (auto device = tryAcquireDeviceById(id, pattern, connection))
    return device;
  throw error(base::str("Failed to acquire device ", id, ": it is in use."));
}

} // namespace popart
