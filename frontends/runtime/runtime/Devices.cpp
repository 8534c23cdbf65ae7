// SPDX-License-Identifier: MIT
#include "runtime/Devices.hpp"

#include "base/Text.hpp"
#include "openipu/WaitForDevice.hpp"
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <poplar/exceptions.hpp>
#include <poplar/IPUModel.hpp>

namespace frontend {

namespace {

using popart::DeviceConnectionType;

struct Members {
  std::mutex lock;
  std::map<std::uint64_t, Sharing::GiveUp> all;
  std::uint64_t next = 0;
};
Members &members() { // never destroyed: what Python gave may not outlive Python
  static auto *all = new Members;
  return *all;
}

constexpr std::chrono::milliseconds forEver{-1};
std::atomic<bool> acquired = false;

popart::DeviceManager &manager() { return popart::DeviceManager::createDeviceManager(); }

// Tries, and again after each member that gave up what it holds.
template <class Try> auto withRoom(const Try &attempt) {
  auto found = attempt();
  std::vector<Sharing::GiveUp> all;
  if (!found) {
    const std::lock_guard held(members().lock);
    for (const auto &[id, giveUp] : members().all)
      all.push_back(giveUp);
  }
  for (const auto &giveUp : all) {
    if (found)
      break;
    giveUp();
    found = attempt();
  }
  return found;
}

Device byId(const Wanted &wanted, DeviceConnectionType connection) {
  try {
    return manager().tryAcquireDeviceById(*wanted.id, wanted.pattern, connection);
  } catch (const poplar::poplar_error &e) {
    manager().enumerateDevices(wanted.pattern); // a wrong environment is another error
    throw Unavailable(e.what());
  }
}

Device chosen(const Wanted &wanted) {
  auto device = withRoom([&] { return byId(wanted, wanted.connection); });
  if (!device)
    throw InUse("It is in use: gc-monitor shows by whom.");
  if (device->getNumIpus() < wanted.ipus)
    throw Unavailable(base::str("The device with id ", *wanted.id, " has ", device->getNumIpus(),
                                " IPU(s), but the model needs ", wanted.ipus, "."));
  return device;
}

// A device to attach later: another one for everybody, and one that is free now if there is.
Device promised(const Wanted &wanted) {
  static std::atomic<std::size_t> promises = 0;
  const auto found = manager().enumerateDevices(wanted.pattern, wanted.ipus,
                                                popart::DeviceType::Ipu, wanted.connection);
  if (found.empty())
    return nullptr;
  const auto first = promises++ % found.size();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto &device = found[(first + i) % found.size()];
    if (device->attach()) {
      device->detach();
      return device;
    }
  }
  return found[first];
}

Device any(const Wanted &wanted) {
  auto device =
      wanted.connection == DeviceConnectionType::OnDemand ? promised(wanted) : withRoom([&] {
        return manager().tryAcquireAvailableDevice(wanted.ipus, 0, wanted.pattern,
                                                   wanted.connection);
      });
  if (device)
    return device;
  const auto all = manager().enumerateDevices(wanted.pattern, wanted.ipus).size();
  if (!all)
    throw Unavailable(base::str("No device found on the system with ", wanted.ipus,
                                " IPUs. OPENIPU_NUM_IPUS says how many are simulated, and gc-info "
                                "-l lists the devices."));
  throw InUse(base::str("All of the ", all, " devices with ", wanted.ipus,
                        " IPU(s) are in use: gc-monitor shows by whom."));
}

} // namespace

Device acquire(const Wanted &wanted) {
  acquired = true;
  return wanted.id ? chosen(wanted) : any(wanted);
}

void attach(popart::DeviceInfo &device) {
  if (!withRoom([&] { return device.attach(); }))
    throw InUse("The device is in use: gc-monitor shows by whom.");
}

Device acquireWhenFree(const Wanted &wanted, int wake) {
  try {
    return acquire(wanted);
  } catch (const InUse &) {
  }
  if (wanted.id) {
    auto device = byId(wanted, DeviceConnectionType::OnDemand);
    return attachWhenFree(*device, wake) ? device : nullptr;
  }
  bool interrupted = false;
  return popart::frontends::acquireWhenFree(wanted.ipus, forEver, interrupted, wake);
}
bool attachWhenFree(popart::DeviceInfo &device, int wake) {
  bool interrupted = false;
  return withRoom([&] { return device.attach(); }) ||
         popart::frontends::attachWhenFree(device, forEver, interrupted, wake);
}

Device ipuModel(int ipus, const std::string &version, int tilesPerIpu, bool compileIpuCode) {
  acquired = true;
  if (!tilesPerIpu)
    tilesPerIpu = int(poplar::IPUModel(version.c_str()).tilesPerIPU);
  popart::DeviceOptions options{{"numIPUs", std::to_string(ipus)},
                                {"ipuVersion", version},
                                {"tilesPerIPU", std::to_string(tilesPerIpu)},
                                {"compileIPUCode", compileIpuCode ? "true" : "false"}};
  return manager().createIpuModelDevice(options);
}

Device offline(int ipus, const std::string &version) {
  acquired = true;
  popart::DeviceOptions options{{"numIPUs", std::to_string(ipus)}, {"ipuVersion", version}};
  return manager().createOfflineIPUDevice(options);
}

bool anyAcquired() { return acquired; }

bool isOn(const char *variable) {
  const char *value = std::getenv(variable);
  return value && *value && std::string_view(value) != "0";
}

std::uint64_t Sharing::add(GiveUp giveUp) {
  const std::lock_guard held(members().lock);
  members().all.emplace(members().next, std::move(giveUp));
  return members().next++;
}
void Sharing::remove(std::uint64_t member) {
  const std::lock_guard held(members().lock);
  members().all.erase(member);
}

} // namespace frontend
