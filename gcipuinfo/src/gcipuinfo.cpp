// SPDX-License-Identifier: MIT
#include "gcipuinfo/gcipuinfo.hpp"
#include "base/Folder.hpp"
#include "machine/Attributes.hpp"
#include "machine/Discovery.hpp"
#include "machine/Error.hpp"
#include "machine/Events.hpp"
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>

#define GCIPUINFO_NAME(constant, text) const char *const gcipuinfo::constant = text
GCIPUINFO_NAME(AverageBoardTemp, "average board temp");
GCIPUINFO_NAME(AverageDieTemp, "average die temp");
GCIPUINFO_NAME(BoardIpuIndex, "board ipu index");
GCIPUINFO_NAME(BoardSerialNumber, "board serial number");
GCIPUINFO_NAME(BoardType, "board type");
GCIPUINFO_NAME(BoardVariant, "board variant");
GCIPUINFO_NAME(Clock, "clock");
GCIPUINFO_NAME(DriverVersion, "driver version");
GCIPUINFO_NAME(FirmwareVersion, "firmware version");
GCIPUINFO_NAME(Id, "id");
GCIPUINFO_NAME(IpuArchitecture, "ipu architecture");
GCIPUINFO_NAME(IpuErrorState, "ipu error state");
GCIPUINFO_NAME(IpuPower, "ipu power");
GCIPUINFO_NAME(IpuUtilisation, "ipu utilisation");
GCIPUINFO_NAME(IpuUtilisationSession, "ipu utilisation (session)");
GCIPUINFO_NAME(IpuofHost, "ipuof host");
GCIPUINFO_NAME(IpuofPartitionId, "ipuof partition id");
GCIPUINFO_NAME(IpuofRoutingType, "ipuof routing type");
GCIPUINFO_NAME(IpuofServerVersion, "ipuof server version");
GCIPUINFO_NAME(PciId, "pci id");
GCIPUINFO_NAME(ProcessStartTime, "process start time");
GCIPUINFO_NAME(Target, "target");
GCIPUINFO_NAME(TotalBoardPower, "total board power");
GCIPUINFO_NAME(UserExecutable, "user executable");
GCIPUINFO_NAME(UserName, "user name");
GCIPUINFO_NAME(UserProcessId, "user process id");

namespace {

std::mutex modeMutex;
std::optional<gcipuinfo::DiscoveryMode> modeOfProcess;

void claim(gcipuinfo::DiscoveryMode mode) {
  std::lock_guard lock(modeMutex);
  if (modeOfProcess.value_or(mode) != mode)
    throw std::runtime_error(
        "gcipuinfo: this process has already looked at the IPUs in the other discovery mode. Use "
        "one mode in a process: active partition, or all partitions.");
  modeOfProcess = mode;
}

std::vector<machine::Domain> domainsOf(gcipuinfo::DiscoveryMode mode) {
  try {
    if (mode == gcipuinfo::DiscoverAllPartitionIPUs)
      return machine::allDomains();
    return {machine::activeDomain()};
  } catch (const base::FileError &e) { // of a chip's description
    throw std::runtime_error("\"" + e.path + "\": " + e.what());
  } catch (const std::invalid_argument &e) {
    throw std::runtime_error(e.what());
  }
}

} // namespace

struct gcipuinfo::Impl {
  explicit Impl(DiscoveryMode discovery) : mode(discovery) { look(); }

  void look() {
    devices.clear();
    for (auto &domain : domainsOf(mode)) {
      const machine::AttributeReader reader(std::move(domain));
      for (const auto &group : reader.domain().groups())
        devices.push_back(reader.of(group));
    }
  }
  void refresh() {
    if (automatic)
      look();
  }
  DiscoveryMode mode;
  bool automatic = false;
  std::vector<Device> devices;
};

gcipuinfo::gcipuinfo(DiscoveryMode mode) {
  claim(mode);
  impl_ = std::make_unique<Impl>(mode);
}
gcipuinfo::~gcipuinfo() = default;

std::vector<gcipuinfo::Device> gcipuinfo::getDevices() {
  impl_->refresh();
  return impl_->devices;
}

std::vector<std::string> gcipuinfo::getNamedAttributeForAll(const std::string &attribute) {
  impl_->refresh();
  std::vector<std::string> values;
  for (const auto &device : impl_->devices) {
    const auto found = device.find(attribute);
    values.push_back(found == device.end() ? "N/A" : found->second);
  }
  return values;
}

void gcipuinfo::updateData() { impl_->look(); }
void gcipuinfo::setUpdateMode(bool automatic) { impl_->automatic = automatic; }

std::string gcipuinfo::getEventRecords() { return machine::eventRecords(); }

std::string gcipuinfo::checkHealthOfDevices() {
  impl_->look();
  auto hosts = nlohmann::ordered_json::object();
  for (auto &device : impl_->devices) {
    if (device[IpuErrorState] == "no errors")
      continue;
    const auto host = device.count(IpuofHost) ? device[IpuofHost] : "localhost";
    hosts[host].push_back({{"error", "device"},
                           {"id", device[Id]},
                           {"partition", device[IpuofPartitionId]},
                           {"board ipu index", device[BoardIpuIndex]}});
  }
  if (hosts.empty())
    return "{}";
  return nlohmann::ordered_json{{"hosts", hosts}}.dump();
}
